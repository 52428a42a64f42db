//! Which elements move, how much room there is, and what two rings have to differ in.

use core::hash::{Hash, Hasher};
use std::vec::Vec;

use loligo_allocators::{Allocator, Refusals};

use crate::arrays::ring::Ring;
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, with_memory};

/// Where the first of a ring of eight can be: at each slot, also where the counters wrap around.
fn starts() -> impl Iterator<Item = u32> {
    (0..8).chain(u32::MAX - 8..=u32::MAX)
}

/// Returns a ring of eight slots whose elements count from 0.
fn ring_at<'a>(start: u32, count: u32, memory: &'a Memory<'a>) -> Ring<'a, u32, Memory<'a>> {
    let mut ring = Ring::try_with_capacity_in(8, memory).expect("there is memory");
    assert_eq!(ring.limit, 8, "as many slots as were asked for");
    (ring.head, ring.tail) = (start, start);
    ring.extend(0..count);
    ring
}

#[test]
fn taking_one_out_moves_the_shorter_side() {
    with_memory(|memory| {
        for start in starts() {
            for (count, index) in (0..=8).flat_map(|count| (0..count).map(move |at| (count, at))) {
                let mut ring = ring_at(start, count, memory);
                let what = std::format!("{index} of {count} from {start}");
                assert_eq!(ring.remove(index as usize), Some(index), "{what}");
                assert!(ring.iter().copied().eq((0..count).filter(|n| *n != index)), "{what}");
                let in_front = index < count / 2;
                let head = if in_front { start.wrapping_add(1) } else { start };
                assert_eq!(ring.head, head, "{what}: the first");
                assert_eq!(ring.tail, head.wrapping_add(count - 1), "{what}: after the last");
            }
        }
    });
}

#[test]
fn growing_moves_the_shorter_piece() {
    with_memory(|memory| {
        for start in starts() {
            for count in 0..=8 {
                let mut ring = ring_at(start, count, memory);
                let (first, second) = ring.as_slices();
                let (first, second) = (first.len() as u32, second.len());
                ring.reserve(9);
                let limit = if count < 8 { 16 } else { 32 };
                assert_eq!(ring.limit, limit, "{count} from {start}");
                let in_place = second <= first as usize;
                let head = if in_place { start & 7 } else { limit - first };
                assert_eq!(ring.head, head, "{count} from {start}: the first");
                assert!(ring.iter().copied().eq(0..count), "{count} from {start}: {ring:?}");
            }
        }
    });
}

#[test]
fn elements_in_one_piece_stay_where_they_are() {
    with_memory(|memory| {
        for start in starts() {
            for count in 0..=8 {
                let mut ring = ring_at(start, count, memory);
                let in_one = ring.as_slices().1.is_empty();
                let expected: Vec<u32> = (0..count).collect();
                assert_eq!(ring.make_contiguous(), expected, "{count} from {start}");
                let head = if in_one { start } else { 0 };
                assert_eq!(ring.head, head, "{count} from {start}: the first");

                let mut ring = ring_at(start, count, memory);
                ring.try_shrink_to_fit().expect("less memory is had");
                assert!(ring.iter().copied().eq(0..count), "{count} from {start}: {ring:?}");
                let head = if count > 4 { start } else { 0 };
                assert_eq!(ring.head, head, "{count} from {start}: all room is needed, or not");
            }
        }
    });
}

/// So large that the allocator grants no more than was asked for.
type Large = [u64; 160];

#[test]
fn what_is_more_than_the_next_power_of_two_is_given_back() {
    with_memory(|memory| {
        for count in 0..=8_u32 {
            for falls in [false, true] {
                let mut ring: Ring<'_, Large, Memory<'_>> =
                    Ring::try_with_capacity_in(8, memory).expect("there is memory");
                assert_eq!(ring.capacity(), 8, "as many slots as were asked for");
                (0..count).for_each(|number| ring.push_back([number.into(); 160]));
                let expected = if count == 0 { 0 } else { count.next_power_of_two() as usize };
                if falls {
                    ring.try_shrink_to_fit().expect("less memory is had");
                } else {
                    ring.shrink_to_fit();
                }
                assert_eq!(ring.capacity(), expected, "for {count}");
                let (bytes, most) =
                    (expected * size_of::<Large>(), (expected + 1) * size_of::<Large>());
                let requested = memory.stats().requested;
                assert!((bytes..most).contains(&requested), "{requested} bytes for {count}");
                assert!(ring.iter().map(|large| large[9]).eq(0..u64::from(count)), "{count} stay");
            }
        }
    });
}

#[test]
fn an_iterator_that_tells_its_length_moves_the_block_once() {
    with_memory(|memory| {
        let mut ring: Ring<'_, u32, Memory<'_>> = Ring::new_in(memory);
        ring.try_extend(0..100).expect("there is memory");
        assert_eq!((ring.len(), memory.requests()), (100, 1), "one block for all");
    });
}

#[test]
fn the_longest_ring_is_only_refused_by_the_memory() {
    with_memory(|memory| {
        let most = Ring::<u8, Memory<'_>>::MAX_LEN;
        memory.refuse(Refusals::From(0));
        let mut ring: Ring<'_, u8, Memory<'_>> = Ring::new_in(memory);
        let (elements, bytes) = (most as u64, most as u64);
        assert_eq!(ring.try_reserve(most), Err(GrowError::Memory { elements, bytes }), "the most");
        let (wanted, limit) = (most as u64 + 1, most as u64);
        let refused = ring.try_reserve(most + 1);
        assert_eq!(refused, Err(GrowError::Length { wanted, limit }), "one more");
        assert_eq!(ring.capacity(), 0, "as it was");
    });
}

#[test]
fn every_element_counts_in_a_comparison() {
    with_memory(|memory| {
        for start in starts() {
            for count in 0..=8 {
                let ring = ring_at(start, count, memory);
                let mut other: Ring<'_, u32, Memory<'_>> = Ring::new_in(memory);
                other.extend(0..count);
                let mut list: Vec<u32> = (0..count).collect();
                assert!(ring == other && ring == list, "{count} from {start}: {ring:?}");
                for at in 0..count as usize {
                    other[at] += 100;
                    list[at] += 100;
                    assert!(ring != other && ring != list, "{ring:?} is not {list:?}");
                    other[at] -= 100;
                    list[at] -= 100;
                }
                other.push_back(count);
                list.push(count);
                assert!(ring != other && ring != list, "{ring:?} is shorter than {list:?}");
                assert!(other != ring, "{list:?} is longer than {ring:?}");
            }
        }
    });
}

/// Keeps what it is given.
#[derive(Default)]
struct Given(Vec<u8>);

impl Hasher for Given {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

#[test]
fn the_length_and_every_element_are_hashed() {
    with_memory(|memory| {
        for start in starts() {
            for count in 0..=8 {
                let mut given = Given::default();
                ring_at(start, count, memory).hash(&mut given);
                let mut expected = Given::default();
                expected.write_usize(count as usize);
                (0..count).for_each(|number| expected.write_u32(number));
                assert_eq!(given.0, expected.0, "{count} from {start}");
            }
        }
    });
}
