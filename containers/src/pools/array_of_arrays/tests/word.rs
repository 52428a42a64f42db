//! The entry of a row: its parts do not touch each other.

use crate::pools::array_of_arrays::row_id;
use crate::pools::array_of_arrays::word::{CLASSES, LEN_MAX, ROWS_MAX, Word, class_for, units_of};

#[test]
fn parts_keep_apart_at_their_ends() {
    for generation in 1..=255 {
        let mut word = Word::empty(generation);
        assert!(word.is_full() && word.is_empty() && word.is_live());
        word.set_block(u32::MAX - LEN_MAX, LEN_MAX);
        assert_eq!((word.start(), word.len(), word.capacity()), (u32::MAX - LEN_MAX, 0, LEN_MAX));
        word.set_len(LEN_MAX - 1);
        assert!(!word.is_full());
        word.count_up();
        assert!(word.is_full() && !word.is_empty());
        assert_eq!((word.len(), word.end(), word.generation()), (LEN_MAX, u32::MAX, generation));
        word.count_down();
        assert_eq!((word.len(), word.capacity()), (LEN_MAX - 1, LEN_MAX));
        assert_eq!((word.start(), word.generation()), (u32::MAX - LEN_MAX, generation));
    }
}

#[test]
fn a_row_is_full_exactly_with_its_capacity() {
    for bits in 0..19 {
        let mut word = Word::empty(170);
        word.set_block(64, 1 << bits);
        for len in 0..1_u32 << bits {
            assert!(!word.is_full(), "{len} of 2^{bits}");
            assert_eq!((word.len(), word.end(), word.start()), (len, 64 + len, 64));
            word.count_up();
        }
        assert!(word.is_full(), "2^{bits}");
        assert_eq!((word.capacity(), word.generation()), (1 << bits, 170));
    }
}

#[test]
fn a_dead_row_is_named_by_no_id() {
    for last in 1..=255 {
        let word = Word::dead(last, ROWS_MAX);
        assert!(!word.is_live());
        assert_eq!((word.last_generation(), word.next_dead()), (last, ROWS_MAX));
        assert!((1..=255).all(|generation| !word.is_named_by::<u8>(row_id(5, generation))));
        assert_eq!(Word::may_live_after(last), last < 255);
    }
    let word = Word::empty(7);
    assert!(word.is_named_by::<u8>(row_id(5, 7)) && !word.is_named_by::<u8>(row_id(5, 6)));
}

#[test]
fn classes_hold_what_they_are_for() {
    assert_eq!([0, 1, 2, 3].map(units_of), [0, 1, 2, 4]);
    for units in (0..5000).chain([LEN_MAX - 1, LEN_MAX]) {
        let class = class_for(units);
        assert!(units_of(class) >= units, "{units}");
        assert!(class == 0 || units_of(class - 1) < units, "{units}");
        assert!((class as usize) < CLASSES, "{units}");
    }
}
