//! The entry of a row: its parts do not touch each other.

use crate::array_of_arrays::row_id;
use crate::array_of_arrays::word::{
    CLASSES, LEN_MAX, ROWS_MAX, UNITS_MAX, Word, class_for, units_of,
};

#[test]
fn parts_keep_apart_at_their_ends() {
    let mut word = Word::empty(255);
    word.set_block(UNITS_MAX - 1, 31);
    word.set_len(LEN_MAX);
    assert_eq!((word.offset(), word.class(), word.len()), (UNITS_MAX - 1, 31, LEN_MAX));
    assert_eq!(word.generation(), 255);
    word.count_down();
    assert_eq!((word.offset(), word.class(), word.len()), (UNITS_MAX - 1, 31, LEN_MAX - 1));
    word.count_up();
    word.set_block(0, 0);
    assert_eq!((word.offset(), word.class(), word.len()), (0, 0, LEN_MAX));
    word.set_len(0);
    assert_eq!(word, Word::empty(255));
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
