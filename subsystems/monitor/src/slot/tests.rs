//! Slots hold what they were made of.

use super::{COUNTER_MAX, HEAD_SLOTS, KINDS, Kind, SLOTS, Slot};
use crate::name::Name;

#[test]
fn kinds_and_values_come_back() {
    assert_eq!((size_of::<Slot>(), align_of::<Slot>(), SLOTS), (16, 16, 4096));
    for (number, kind) in KINDS.into_iter().enumerate() {
        assert_eq!(kind as usize, number, "kinds are in the order of their numbers");
        for value in [0, 1, u64::MAX >> 4] {
            let slot = Slot::new(Name::none(), kind, value);
            assert_eq!((slot.kind(), slot.value()), (Some(kind), value));
        }
    }
    for value in [0, -1, COUNTER_MAX, -COUNTER_MAX - 1] {
        let slot = Slot::new(Name::none(), Kind::Counter, value.cast_unsigned());
        assert_eq!(slot.signed(), value);
    }
    assert_eq!(Slot::bits(0xf).kind(), None, "there is no fifteenth kind");
}

#[test]
fn a_head_tells_whose_run_it_is() {
    let [head, len, place] = Slot::head(7, Name::numbered(3), 2, 99);
    assert_eq!((head.kind(), head.value(), head.name.number()), (Some(Kind::Run), 7, Some(3)));
    assert_eq!(len.word, HEAD_SLOTS as u64);
    assert_eq!((place.kind(), place.value(), place.name.number()), (Some(Kind::Core), 99, Some(2)));
}
