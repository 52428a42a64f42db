//! The array and its iterators as callers use them: borrowed, printed, written to, consumed from
//! both ends.

use core::borrow::{Borrow, BorrowMut};
use core::ops::Bound;
use std::format;
use std::io::Write;
use std::string::String;

use loligo_allocators::Refusals;

use super::array_of;
use crate::arrays::array::Array;
use crate::arrays::array::range::within;
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn it_is_lent_as_a_slice() {
    with_memory(|memory| {
        let mut array = array_of(&[1, 2, 3], memory);
        assert_eq!(AsRef::<[i32]>::as_ref(&array), [1, 2, 3], "as a reference");
        AsMut::<[i32]>::as_mut(&mut array)[0] = 10;
        assert_eq!(Borrow::<[i32]>::borrow(&array), [10, 2, 3], "borrowed, and changed before");
        BorrowMut::<[i32]>::borrow_mut(&mut array)[2] = 30;
        assert_eq!(array, [10, 2, 30], "changed at both ends");
        for element in &mut array {
            *element += 1;
        }
        assert!((&array).into_iter().eq(&[11, 3, 31]), "walked over");
        let empty = array_of(&[], memory);
        assert!(AsRef::<[i32]>::as_ref(&empty).is_empty(), "nothing");
        assert!(Borrow::<[i32]>::borrow(&empty).is_empty(), "nothing");
    });
}

#[test]
fn a_drain_goes_to_its_end_from_both() {
    with_memory(|memory| {
        let mut array = array_of(&[1, 2, 3, 4, 5, 6], memory);
        let mut drain = array.drain(1..5);
        assert_eq!(format!("{drain:?}"), "ArrayDrain([2, 3, 4, 5])", "what is left");
        assert_eq!((drain.next(), drain.next_back()), (Some(2), Some(5)), "both ends");
        assert_eq!((drain.as_slice(), drain.len()), (&[3, 4][..], 2), "what is left");
        assert_eq!((drain.next_back(), drain.next_back()), (Some(4), Some(3)), "from the back");
        assert_eq!((drain.next(), drain.next_back()), (None, None), "it is at its end");
        assert_eq!((drain.next(), drain.next_back()), (None, None), "and stays there");
        assert_eq!(format!("{drain:?}"), "ArrayDrain([])", "nothing is left");
        drop(drain);
        assert_eq!(array, [1, 6], "the gap is closed");
        assert_eq!(array.drain(2..).len(), 0, "an empty range at the end");
        assert_eq!(array.drain(0..0).next_back(), None, "and at the beginning");
        assert_eq!(array, [1, 6], "nothing was taken");
    });
}

#[test]
fn taken_apart_it_goes_to_its_end_from_both() {
    with_memory(|memory| {
        let mut all = array_of(&[1, 2, 3, 4], memory).into_iter();
        assert_eq!(format!("{all:?}"), "ArrayIntoIter([1, 2, 3, 4])", "what is left");
        assert_eq!((all.next(), all.next_back(), all.len()), (Some(1), Some(4), 2), "both ends");
        assert_eq!((all.as_slice(), all.size_hint()), (&[2, 3][..], (2, Some(2))), "the rest");
        assert_eq!((all.next_back(), all.next_back()), (Some(3), Some(2)), "from the back");
        assert_eq!((all.next_back(), all.next(), all.len()), (None, None, 0), "at its end");
        assert_eq!(format!("{all:?}"), "ArrayIntoIter([])", "nothing is left");
        assert_eq!(array_of(&[], memory).into_iter().next_back(), None, "of nothing");
    });
}

#[test]
fn ranges_are_taken_in_every_form() {
    let (before, first, end) = (Bound::Excluded(2), Bound::Included(2), Bound::Excluded(5));
    assert_eq!(within((before, end), 9), 3..5, "what follows the third");
    assert_eq!(within((first, Bound::Included(5)), 9), 2..6, "both included");
    assert_eq!(within((before, Bound::Unbounded), 3), 3..3, "nothing follows the last");
    assert_eq!(within(.., 9), 0..9, "all");
    assert_eq!((within(9.., 9), within(..=8, 9), within(0..0, 0)), (9..9, 0..9, 0..0), "edges");
}

#[test]
#[should_panic(expected = "the range 4..3 is not one of 9 elements")]
fn a_range_that_ends_before_it_begins_is_a_bug() {
    let _ = within((Bound::Included(4), Bound::Excluded(3)), 9);
}

#[test]
#[should_panic(expected = "the range 3..10 is not one of 9 elements")]
fn a_range_beyond_the_last_is_a_bug() {
    let _ = within(3..=9, 9);
}

#[test]
fn a_range_that_ends_past_the_highest_index_is_a_bug() {
    let max = usize::MAX;
    let past = max as u128 + 1;
    let whole = (Bound::Included(0), Bound::Included(max));
    let last = (Bound::Excluded(max), Bound::Unbounded);
    let both = (Bound::Excluded(max), Bound::Included(max));
    for len in [0, 9, max] {
        let message = |range| {
            let panic = std::panic::catch_unwind(|| within(range, len)).expect_err("it is refused");
            *panic.downcast::<String>().expect("it is a message with values")
        };
        let expected = |range: String| format!("the range {range} is not one of {len} elements");
        assert_eq!(message(whole), expected(format!("0..{past}")), "it includes the index {max}");
        assert_eq!(message(last), expected(format!("{past}..{len}")), "it begins past {max}");
        assert_eq!(message(both), expected(format!("{past}..{past}")), "it is empty there");
    }
    assert_eq!(within(..max, max), 0..max, "all of the most elements that there can be");
    assert_eq!(within(max.., max), max..max, "their end");
    assert_eq!(within((Bound::Excluded(max - 1), Bound::Unbounded), max), max..max, "the same");
}

#[test]
fn what_is_written_is_appended_or_refused_whole() {
    with_memory(|memory| {
        let mut bytes: Array<'_, u8, Memory<'_>> = Array::new_in(memory);
        assert_eq!(bytes.write(b"abc").expect("there is memory"), 3, "all of it");
        assert_eq!(bytes.write(b"").expect("there is nothing to write"), 0, "none of it");
        bytes.flush().expect("it never fails");
        assert_eq!(bytes, b"abc", "as it was written");
        memory.refuse(Refusals::From(0));
        let refused = bytes.write(&[0; 1000]).expect_err("there is no memory");
        assert_eq!(refused.kind(), std::io::ErrorKind::OutOfMemory, "{refused}");
        assert_eq!(bytes, b"abc", "as it was before");
        bytes.flush().expect("it never fails");
    });
}
