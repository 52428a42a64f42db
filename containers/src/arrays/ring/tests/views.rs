//! The ring and its iterators as others see them.

use core::cmp::Ordering;
use std::format;
use std::vec::Vec;

use crate::arrays::ring::Ring;
use crate::testing::test_memory::{Memory, with_memory};

/// A ring of these numbers, whose first is in the middle of the block.
fn ring_of<'a>(numbers: &[u32], memory: &'a Memory<'a>) -> Ring<'a, u32, Memory<'a>> {
    let mut ring = Ring::new_in(memory);
    (0..5).for_each(|number| ring.push_back(number));
    (0..5).for_each(|number| assert_eq!(ring.pop_front(), Some(number), "as they came"));
    ring.extend(numbers.iter().copied());
    ring
}

#[test]
fn it_is_walked_and_taken_apart_from_both_ends() {
    with_memory(|memory| {
        let mut ring = ring_of(&[1, 2, 3, 4, 5, 6], memory);
        let (first, second) = ring.as_slices();
        assert!(!first.is_empty() && !second.is_empty(), "it goes over the end of the block");
        for number in &mut ring {
            *number *= 10;
        }
        assert!((&ring).into_iter().eq(&[10, 20, 30, 40, 50, 60]), "each was changed");
        let mut walk = ring.iter_mut();
        assert_eq!((walk.next_back().copied(), walk.len()), (Some(60), 5), "from the back");
        let mut all = ring.into_iter();
        assert_eq!(format!("{all:?}"), "RingIntoIter([10, 20, 30, 40, 50, 60])", "what is left");
        assert_eq!(all.size_hint(), (6, Some(6)), "how many are left");
        assert_eq!((all.next(), all.next_back(), all.len()), (Some(10), Some(60), 4), "both ends");
        assert_eq!(all.size_hint(), (4, Some(4)), "how many are left");
        assert_eq!(all.by_ref().collect::<Vec<_>>(), [20, 30, 40, 50], "the rest");
        assert_eq!((all.next(), all.next_back(), all.len()), (None, None, 0), "at its end");
        assert_eq!(format!("{all:?}"), "RingIntoIter([])", "nothing is left");
    });
}

#[test]
fn elements_are_changed_by_their_place() {
    with_memory(|memory| {
        let mut ring = ring_of(&[1, 2, 3, 4, 5, 6], memory);
        for at in 0..6 {
            ring[at] += 10;
            *ring.get_mut(at).expect("it is there") += 100;
        }
        assert_eq!(ring, [111, 112, 113, 114, 115, 116], "each, twice");
        assert_eq!((ring.get(5), ring.get(6)), (Some(&116), None), "the last, and after it");
        assert_eq!(ring.get_mut(6), None, "after the last");
        assert_eq!(ring.get_mut(usize::MAX), None, "far after it");
        let mut none = ring_of(&[], memory);
        assert_eq!(none.get(0), None, "nothing");
        assert_eq!(none.get_mut(0), None, "nothing");
    });
}

#[test]
#[should_panic(expected = "there is no element 2 in a ring of 2")]
fn a_place_behind_the_last_cannot_be_changed() {
    with_memory(|memory| {
        let mut ring = ring_of(&[1, 2], memory);
        ring[2] = 3;
    });
}

#[test]
fn rings_are_ordered_as_their_elements() {
    with_memory(|memory| {
        let ring = ring_of(&[1, 2, 3], memory);
        for (other, order) in [
            (&[1, 2, 3][..], Ordering::Equal),
            (&[1, 2], Ordering::Greater),
            (&[1, 2, 3, 0], Ordering::Less),
            (&[1, 3], Ordering::Less),
            (&[0, 9, 9, 9], Ordering::Greater),
        ] {
            // The positions of the ends make no difference.
            let mut straight: Ring<'_, u32, _> = Ring::new_in(memory);
            straight.extend(other.iter().copied());
            assert_eq!(ring.cmp(&straight), order, "to {other:?}");
            assert_eq!(ring.partial_cmp(&straight), Some(order), "to {other:?}");
            assert_eq!(ring == straight, order == Ordering::Equal, "to {other:?}");
            assert_eq!(ring == *other, order == Ordering::Equal, "to {other:?}");
        }
    });
}
