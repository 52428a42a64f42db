//! A ring compared with std's deque, at every position of its ends, and without memory.

mod exact;
mod small_world;
mod views;

use core::cell::Cell;
use core::hash::{BuildHasher, BuildHasherDefault};
use core::panic::AssertUnwindSafe;
use std::collections::VecDeque;
use std::format;
use std::hash::DefaultHasher;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use loligo_allocators::{Allocator, BuddyAllocator};

use super::Ring;
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

/// Checks the invariants that can be seen.
fn assert_whole<T, A: Allocator>(ring: &Ring<'_, T, A>) {
    let Ring { buffer, head, tail, limit } = ring;
    assert!(*limit == 0 || limit.is_power_of_two(), "the limit is {limit}");
    assert!(*limit <= buffer.capacity(), "{limit} of {}", buffer.capacity());
    assert!(tail.wrapping_sub(*head) <= *limit, "from {head} to {tail} of {limit}");
    assert!(*limit > 0 || (*head, *tail) == (0, 0), "from {head} to {tail} of none");
}

#[test]
fn does_as_a_deque_does() {
    for seed in 1..20 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut ring: Ring<'_, String, _> = Ring::new_in(memory);
            let mut model = VecDeque::new();
            for step in 0..400 {
                one_step(&mut random, &mut ring, &mut model, step);
                assert_whole(&ring);
                assert!(ring.iter().eq(&model), "seed {seed}, step {step}: {ring:?}, {model:?}");
                assert!(ring.iter().rev().eq(model.iter().rev()), "seed {seed}, step {step}");
                assert_eq!(ring.len(), model.len(), "seed {seed}, step {step}");
            }
        });
    }
}

/// Does one operation, drawn at random, to both.
fn one_step(
    random: &mut Random,
    ring: &mut Ring<'_, String, Memory<'_>>,
    model: &mut VecDeque<String>,
    step: usize,
) {
    let at = random.below(model.len() + 1);
    match random.below(16) {
        0..4 => {
            ring.push_back(format!("{step}"));
            model.push_back(format!("{step}"));
        }
        4..7 => {
            ring.push_front(format!("{step}"));
            model.push_front(format!("{step}"));
        }
        7 => assert_eq!(ring.pop_front(), model.pop_front()),
        8 => assert_eq!(ring.pop_back(), model.pop_back()),
        9 => {
            ring.truncate(at.max(model.len() / 2));
            model.truncate(at.max(model.len() / 2));
        }
        10 => {
            ring.truncate_front(at / 3);
            model.drain(..at / 3);
        }
        11 => assert_eq!(ring.remove(at), model.remove(at)),
        12 => {
            let keep = |text: &mut String| !text.ends_with(['1', '3']);
            ring.retain(keep);
            model.retain_mut(keep);
        }
        13 => assert_eq!(ring.make_contiguous(), model.make_contiguous()),
        14 => {
            ring.extend((0..at).map(|n| format!("{step}.{n}")));
            model.extend((0..at).map(|n| format!("{step}.{n}")));
            // Half of them go, so that it does not only grow.
            ring.truncate_front(at);
            model.drain(..at);
        }
        _ => ring.shrink_to_fit(),
    }
    assert_eq!(ring.get(at), model.get(at));
    assert_eq!((ring.front(), ring.back()), (model.front(), model.back()));
}

/// Runs `test` on rings with room for eight, with the first element at each slot and each number of
/// elements, also where the counters wrap around. Elements count from 0.
fn everywhere(mut test: impl FnMut(&mut Ring<'_, u32, Memory<'_>>, u32)) {
    with_memory(|memory| {
        for start in (0..8).chain(u32::MAX - 8..=u32::MAX) {
            for count in 0..=8 {
                let mut ring = Ring::try_with_capacity_in(8, memory).expect("there is memory");
                assert_eq!(ring.limit, 8);
                (ring.head, ring.tail) = (start, start);
                ring.extend(0..count);
                test(&mut ring, count);
                assert_whole(&ring);
            }
        }
    });
}

#[test]
fn grows_and_shrinks_wherever_the_elements_lie() {
    everywhere(|ring, count| {
        ring.reserve(9);
        assert!(ring.capacity() >= 16, "{} elements", ring.capacity());
        assert!(ring.iter().copied().eq(0..count), "{ring:?}");
        ring.push_back(count);
        ring.push_front(99);
        assert_eq!((ring.pop_front(), ring.pop_back()), (Some(99), Some(count)));
        ring.shrink_to_fit();
        assert!(ring.iter().copied().eq(0..count), "{ring:?}");
    });
}

#[test]
fn reads_and_writes_slices_wherever_they_lie() {
    everywhere(|ring, count| {
        let all: Vec<u32> = (0..count).collect();
        for from in 0..10 {
            for len in 0..10 {
                let mut out = [77; 10];
                let copied = ring.copy_to_slice(from, &mut out[..len]);
                let expected = all.get(from..).unwrap_or_default();
                let expected = &expected[..expected.len().min(len)];
                assert_eq!(out[..copied], *expected, "{len} from {from} of {count}");
                assert!(out[copied..].iter().all(|rest| *rest == 77), "written beyond {copied}");
            }
        }
        ring.push_back_slice(&[50, 51, 52, 53, 54]);
        let mut out = [0; 20];
        let taken = ring.pop_front_slice(&mut out[..3]);
        assert_eq!(taken, 3);
        let rest = ring.pop_front_slice(&mut out[3..]);
        assert_eq!(rest, count as usize + 2);
        let expected: Vec<u32> = (0..count).chain(50..55).collect();
        assert_eq!(out[..3 + rest], expected);
        assert!(ring.is_empty(), "{ring:?}");
    });
}

#[test]
fn hands_out_both_pieces_wherever_they_lie() {
    everywhere(|ring, count| {
        let (first, second) = ring.as_slices();
        assert!(first.iter().chain(second).copied().eq(0..count), "{first:?} {second:?}");
        let (first, second) = ring.as_mut_slices();
        first.iter_mut().chain(second).for_each(|number| *number += 1);
        ring.iter_mut().for_each(|number| *number -= 1);
        let (end, start) = ring.spare_slices_mut();
        assert_eq!(end.len() + start.len(), 8 - count as usize);
        for (place, number) in end.iter_mut().chain(start).zip(count..) {
            place.write(number);
        }
        // SAFETY: the room was filled.
        unsafe { ring.count_more(8 - count as usize) };
        assert_eq!(*ring, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(ring.push_over(8), Some(0));
        assert_eq!(ring.make_contiguous(), [1, 2, 3, 4, 5, 6, 7, 8]);
        ring.swap(0, 7);
        assert_eq!((ring[0], ring.remove(6), ring.remove(1)), (8, Some(7), Some(2)));
        let mut walk = ring.iter();
        assert_eq!((walk.next_back(), walk.next(), walk.len()), (Some(&1), Some(&8), 4));
        assert_eq!(walk.sum::<u32>(), 3 + 4 + 5 + 6);
        ring[0] = 1;
        *ring.back_mut().expect("six are left") = 9;
        *ring.front_mut().expect("six are left") = 2;
        assert_eq!(*ring, [2, 3, 4, 5, 6, 9]);
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut ring: Ring<'_, String, _> = Ring::new_in(memory);
        let mut model = VecDeque::new();
        let mut first: Result<(), GrowError> = Ok(());
        for step in 0..90 {
            let mut after = model.clone();
            let done = match step % 5 {
                0 => {
                    after.push_back(format!("{step}"));
                    ring.try_push_back(format!("{step}"))
                }
                1 => {
                    after.push_front(format!("{step}"));
                    ring.try_push_front(format!("{step}"))
                }
                2 => {
                    after.extend((0..step / 4).map(|n| format!("{n}")));
                    ring.try_extend((0..step / 4).map(|n| format!("{n}")).filter(|_| true))
                }
                3 => {
                    after.truncate(model.len() / 2);
                    ring.truncate(model.len() / 2);
                    ring.try_clone_in(memory).map(|clone| assert_eq!(clone, ring))
                }
                _ => ring.try_shrink_to_fit(),
            };
            if done.is_ok() || step % 5 == 3 {
                model = after;
            }
            assert_whole(&ring);
            assert!(ring.iter().eq(&model), "step {step}: {done:?}, {ring:?}, {model:?}");
            first = first.and(done);
        }
        first
    });
}

#[test]
fn slices_are_written_whole_or_not_at_all() {
    every_refusal(|memory: &Memory<'_>| {
        let mut ring: Ring<'_, u16, _> = Ring::try_with_capacity_in(3, memory)?;
        let mut first: Result<(), GrowError> = Ok(());
        for round in 0..60 {
            let old: Vec<u16> = ring.iter().copied().collect();
            let done = ring.try_push_back_slice(&[round; 7]);
            let more = if done.is_ok() { 7 } else { 0 };
            assert!(ring.iter().eq(old.iter().chain(&[round; 7][..more])), "{round}: {ring:?}");
            ring.pop_front_slice(&mut [0; 3]);
            first = first.and(done);
        }
        first
    });
}

#[test]
fn counts_no_further_than_it_can() {
    with_memory(|memory| {
        let most = Ring::<(), Memory<'_>>::MAX_LEN;
        let mut nothings: Ring<'_, (), _> = Ring::new_in(memory);
        assert_eq!(nothings.capacity(), most);
        (nothings.head, nothings.tail) = (5, 5_u32.wrapping_add(most as u32));
        let (wanted, limit) = (most as u64 + 1, most as u64);
        assert_eq!(nothings.try_push_back(()), Err(GrowError::Length { wanted, limit }));
        assert_eq!(nothings.try_push_front(()), Err(GrowError::Length { wanted, limit }));
        assert_eq!((nothings.pop_back(), nothings.len()), (Some(()), most - 1));
        nothings.shrink_to_fit();
        nothings.truncate_front(most - 3);
        assert_eq!((nothings.len(), memory.requests()), (2, 0));
        let mut bytes: Ring<'_, u8, _> = Ring::new_in(memory);
        assert_eq!(bytes.push_over(3), Some(3), "there is no room for any");
        assert!(matches!(bytes.try_reserve(usize::MAX), Err(GrowError::Length { .. })));
        assert_eq!(bytes.pop_front(), None);
    });
}

#[test]
fn takes_the_power_of_two_of_what_was_granted() {
    let mut region = std::vec![core::mem::MaybeUninit::uninit(); 1 << 16];
    let buddy = BuddyAllocator::from_region("buddy", 64, &mut region).expect("the region is large");
    let mut ring: Ring<'_, [u8; 12], _> =
        Ring::try_with_capacity_in(6, &buddy).expect("the buddy has memory");
    assert_eq!(ring.capacity(), 8, "128 bytes are ten elements of 12");
    (0..9).for_each(|n| ring.push_back([n; 12]));
    assert_eq!(ring.capacity(), 16, "256 bytes are 21 elements of 12");
    assert!(ring.iter().map(|element| element[0]).eq(0..9), "{ring:?}");
}

/// Counts how often it is dropped; panics on demand.
struct Counted<'c> {
    dropped: &'c Cell<u32>,
    panics: bool,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
        assert!(!self.panics, "a destructor panics");
    }
}

#[test]
fn a_panic_in_a_destructor_drops_nothing_twice() {
    type Rings<'r, 'm> = Ring<'r, Counted<'r>, Memory<'m>>;
    let acts: [fn(&mut Rings<'_, '_>); 5] = [
        |ring| ring.truncate(0),
        |ring| ring.truncate_front(7),
        |ring| drop(core::mem::replace(ring, Ring::new_in(ring.memory()))),
        |ring| ring.retain(|element| !element.panics),
        |ring| drop(core::mem::replace(ring, Ring::new_in(ring.memory())).into_iter().nth(5)),
    ];
    for (number, act) in acts.into_iter().enumerate() {
        for start in 0..8 {
            for panics in 0..7 {
                let dropped = Cell::new(0);
                with_memory(|memory| {
                    let mut ring = Ring::try_with_capacity_in(8, memory).expect("there is memory");
                    (ring.head, ring.tail) = (start, start);
                    ring.extend((0..8).map(|n| Counted { dropped: &dropped, panics: n == panics }));
                    let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut ring)));
                    assert!(outcome.is_err(), "act {number}: nothing panicked");
                    assert_eq!(dropped.get() as usize + ring.len(), 8, "act {number}");
                });
                assert_eq!(dropped.get(), 8, "act {number}: each was dropped once");
            }
        }
    }
}

#[test]
fn a_panic_in_a_closure_loses_nothing() {
    everywhere(|ring, count| {
        let asked = catch_unwind(AssertUnwindSafe(|| {
            ring.retain(|number| {
                assert!(*number < 5, "the sixth is not to be asked about");
                number.is_multiple_of(2)
            });
        }));
        if count > 5 {
            assert!(asked.is_err(), "nothing panicked");
            ring.make_contiguous().sort_unstable();
            assert!(ring.iter().copied().eq(0..count), "{ring:?}");
        }
    });
}

#[test]
fn compares_hashes_and_prints_by_its_elements() {
    let hashes = BuildHasherDefault::<DefaultHasher>::default();
    everywhere(|ring, count| {
        let straight = {
            let mut straight = Ring::new_in(ring.memory());
            straight.extend(0..count);
            straight
        };
        assert_eq!(*ring, straight);
        assert_eq!(ring.clone(), straight);
        assert_eq!(hashes.hash_one(&*ring), hashes.hash_one(&straight));
        assert_eq!(format!("{ring:?}"), format!("{:?}", (0..count).collect::<Vec<u32>>()));
        ring.push_back(0);
        assert!(*ring > straight && *ring != straight, "{ring:?} is longer than {straight:?}");
        assert_eq!(ring.clone().into_iter().rev().count(), count as usize + 1);
    });
}

#[test]
#[should_panic(expected = "there is no element 3 in a ring of 3")]
fn indexing_says_what_is_wrong() {
    let memory = loligo_allocators::StaticHeap::<8192>::new("index");
    let mut ring: Ring<'_, u8> = Ring::new_in(&memory);
    ring.push_back_slice(&[1, 2, 3]);
    let _ = ring[3];
}

#[test]
fn is_small_and_crosses_threads() {
    fn crosses<T: Send>() {}
    crosses::<Ring<'_, u32, dyn Allocator + Sync>>();
    let pointer = size_of::<usize>();
    assert_eq!(size_of::<Ring<'_, u32, Memory<'_>>>(), 16 + 3 * pointer);
    assert_eq!(size_of::<Ring<'_, u32>>(), 16 + 4 * pointer);
    with_memory(|memory| {
        let mut ring = Ring::new_in(memory);
        assert_eq!((ring.capacity(), memory.requests()), (0, 0), "it is empty");
        ring.push_front([0_u8; 5000]);
        assert_eq!(ring.capacity(), 1, "large elements have no room made that they may never use");
    });
}
