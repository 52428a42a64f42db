//! The tags that tables take by themselves.

use std::collections::BTreeSet;
use std::vec::Vec;

use crate::id::{Id, SmallId, TableId, tag_of as of};
use crate::tag::{fits, given, next, nth};

/// Tags come in turn, all of them but 0.
fn in_turn<I: TableId>() {
    let last = (1 << I::TAG_BITS) - 1;
    let tags: Vec<u64> = (0..last as u32).map(nth::<I>).collect();
    assert!(tags.iter().copied().eq(1..=last), "from 1 to {last}");
    assert_eq!((nth::<I>(last as u32), nth::<I>(last as u32 - 1)), (1, last), "then from 1 again");
    // Any tables in a row, as many as there are tags, have different ones.
    for first in [0, 1, 7, 1_000, 1 << 31] {
        let tags: BTreeSet<u64> = (first..first + last as u32).map(nth::<I>).collect();
        assert_eq!(tags.len() as u64, last, "from table {first} on");
    }
}

#[test]
fn tables_in_a_row_have_different_tags() {
    in_turn::<Id<u8>>();
    in_turn::<Id<u8, u32, 16, 12>>();
    in_turn::<Id<u8, u32, 29, 2>>();
    in_turn::<Id<u8, u64, 32, 16>>();
}

/// The count ends before the bits do.
#[test]
fn long_tags_are_as_many_as_the_count_has_numbers() {
    fn ends<I: TableId>() {
        assert_eq!(nth::<I>(0), 1, "the first");
        for tables in [1, 1 << 16, u32::MAX - 1] {
            assert_eq!(nth::<I>(tables), u64::from(tables) + 1, "in turn");
        }
        assert_eq!(nth::<I>(u32::MAX), 1, "again, and not 0");
        assert!(fits::<I>(nth::<I>(u32::MAX - 1)), "the longest fits");
    }
    ends::<Id<u8, u64, 16, 16>>();
    ends::<Id<u8, u64, 16, 12>>();
    ends::<Id<u8, u64, 1, 1>>();
}

#[test]
fn a_tag_is_above_index_and_generation() {
    type Plain = Id<u8>;
    assert_eq!((given::<Plain>(1), given::<Plain>(255)), (1 << 56, 255 << 56), "where it is");
    assert_eq!((of::<Plain>(1 << 56), of::<Plain>(u64::MAX)), (1, 255), "and back");
    assert_eq!(of::<Plain>((1 << 56) - 1), 0, "none of the generation");
    assert!(fits::<Plain>(255) && !fits::<Plain>(256), "8 bits");
    assert!((1..=255).contains(&of::<Plain>(next::<Plain>())), "one of them");
    // Where no bits are left there is no tag.
    assert_eq!((next::<SmallId<u8>>(), given::<SmallId<u8>>(0)), (0, 0), "none of 32 bits");
    type Whole = Id<u8, u64, 32, 32>;
    assert_eq!((next::<Whole>(), of::<Whole>(u64::MAX)), (0, 0), "none of 64 bits");
    assert!(fits::<Whole>(0) && !fits::<Whole>(1), "none");
}
