//! Ids run through all generations and are never 0.

use super::{Bits, TaskId};

#[test]
fn a_place_comes_back_after_all_generations() {
    // 2^12 generations of 2^20 places, of which 0 is left out.
    let bits = Bits::of(1 << 20);
    let first = bits.first(7);
    let mut id = first;
    let mut uses = 0;
    loop {
        assert_eq!(bits.index(id), 7, "the place stays");
        id = bits.next(id.to_bits());
        uses += 1;
        if id == first {
            break;
        }
    }
    assert_eq!(uses, (1 << 12) - 1, "every generation but 0 was there");
    assert_eq!(Bits::of(1).index(Bits::of(1).first(0)), 0, "the smallest table");
    assert_eq!(TaskId::from_bits(0), None, "0 is no id");
}
