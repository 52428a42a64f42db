//! Room that is given back or was never there, comparisons that fail, and iterators that do not
//! keep their word.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use super::array_of;
use crate::arrays::array::Array;
use crate::testing::test_memory::{Memory, with_memory};

#[test]
fn room_is_given_back() {
    with_memory(|memory| {
        let mut array = array_of(&[7; 100], memory);
        array.truncate(20);
        assert!(array.capacity() >= 100, "a truncation keeps the room");
        assert_eq!(array.try_shrink_to_fit(), Ok(()), "there is memory");
        assert!((20..40).contains(&array.capacity()), "room for {}", array.capacity());
        array.truncate(1);
        array.shrink_to_fit();
        assert!((1..10).contains(&array.capacity()), "room for {}", array.capacity());
        assert_eq!(array, [7], "what is left");
    });
}

#[test]
fn spare_room_ends_with_the_block() {
    with_memory(|memory| {
        let mut array = array_of(&[1, 2, 3, 4, 5], memory);
        let (capacity, len) = (array.capacity(), array.len());
        assert_eq!(array.spare_capacity_mut().len(), capacity - len, "what is not used");
        array.reserve(100);
        let (capacity, len) = (array.capacity(), array.len());
        assert_eq!(array.spare_capacity_mut().len(), capacity - len, "what is not used");
    });
}

#[test]
fn a_part_that_is_split_off_has_room_for_itself() {
    with_memory(|memory| {
        let mut array = array_of(&[7; 100], memory);
        let behind = array.split_off(60);
        assert_eq!((array.len(), behind.len()), (60, 40), "both parts");
        assert!((40..80).contains(&behind.capacity()), "room for {}", behind.capacity());
    });
}

#[test]
fn what_is_made_needs_no_room_beforehand() {
    with_memory(|memory| {
        let mut array: Array<'_, usize, Memory<'_>> = Array::new_in(memory);
        assert_eq!(array.try_extend_with(30, |index| 2 * index), Ok(()), "there is memory");
        assert!(array.iter().copied().eq((0..30).map(|index| 2 * index)), "each by its index");
        array.extend_with(30, |index| index);
        assert_eq!((array.len(), array[59]), (60, 29), "after them");
    });
}

#[test]
fn arrays_differ_by_one_element() {
    with_memory(|memory| {
        let array = array_of(&[1, 2, 3], memory);
        for other in [&[][..], &[1, 2], &[1, 2, 4], &[0, 2, 3], &[1, 2, 3, 4]] {
            assert!(array != other && array != array_of(other, memory), "{other:?}");
        }
        assert!(array == [1, 2, 3] && array == array_of(&[1, 2, 3], memory), "the same");
    });
}

#[test]
fn an_iterator_that_goes_on_behind_its_end_is_left_there() {
    with_memory(|memory| {
        let mut array = array_of(&[1], memory);
        array.reserve(20);
        let mut left = [Some(2), Some(3), None, Some(4), Some(5)].into_iter();
        assert_eq!(array.try_extend(core::iter::from_fn(|| left.next().flatten())), Ok(()), "all");
        assert_eq!(array, [1, 2, 3], "up to its end");
        assert_eq!(left.next(), Some(Some(4)), "it was not asked again");
    });
}

/// An iterator over three numbers that promises many more from the second one on.
struct Boaster(i32);

impl Iterator for Boaster {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        self.0 += 1;
        (self.0 <= 3).then_some(self.0)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (if self.0 == 0 { 0 } else { usize::MAX }, None)
    }
}

#[test]
fn what_is_promised_counts_only_where_room_is_to_be_made() {
    with_memory(|memory| {
        let mut array = array_of(&[], memory);
        array.reserve(20);
        assert_eq!(array.try_extend(Boaster(0)), Ok(()), "there is room for three");
        assert_eq!(array, [1, 2, 3], "all there were");
    });
}

#[test]
fn the_last_element_is_kept_where_the_question_about_it_panics() {
    with_memory(|memory| {
        let mut array = array_of(&[1, 2, 3, 4, 5], memory);
        let asked = catch_unwind(AssertUnwindSafe(|| {
            array.retain(|number| {
                assert_ne!(*number, 5, "as it was set to");
                *number != 2
            });
        }));
        assert!(asked.is_err(), "it panics at the last");
        assert_eq!(array, [1, 3, 4, 5], "nobody said no to it");
    });
}
