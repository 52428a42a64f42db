//! An array compared with std's vector, without memory, and when the caller's code panics.

mod edges;
mod views;

use core::cell::Cell;
use core::hash::{BuildHasher, BuildHasherDefault};
use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use std::format;
use std::hash::DefaultHasher;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use loligo_allocators::{Allocator, FrameAllocator, Refusals, SharedRef};

use super::Array;
use crate::error::GrowError;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

#[test]
fn does_as_a_vector_does() {
    for seed in 1..20 {
        with_memory(|memory| {
            let mut random = Random::new(seed);
            let mut array: Array<'_, String, _> = Array::new_in(memory);
            let mut model = Vec::new();
            for step in 0..400 {
                one_step(&mut random, &mut array, &mut model, step);
                assert_eq!(array, model, "seed {seed}, step {step}");
                assert!(array.capacity() >= array.len(), "seed {seed}, step {step}");
            }
        });
    }
}

/// Does one operation, drawn at random, to both.
fn one_step(
    random: &mut Random,
    array: &mut Array<'_, String, Memory<'_>>,
    model: &mut Vec<String>,
    step: usize,
) {
    let some: Vec<String> = (0..random.below(9)).map(|n| format!("{step}.{n}")).collect();
    let at = random.below(model.len() + 1);
    let to = at + random.below(model.len() - at + 1);
    match random.below(16) {
        0..3 => {
            array.push(format!("{step}"));
            model.push(format!("{step}"));
        }
        3 => assert_eq!(array.pop(), model.pop()),
        4 => {
            array.truncate(at.max(model.len() / 2));
            model.truncate(at.max(model.len() / 2));
        }
        5 => {
            array.insert(at, format!("{step}"));
            model.insert(at, format!("{step}"));
        }
        6 if at < model.len() => assert_eq!(array.remove(at), model.remove(at)),
        7 if at < model.len() => assert_eq!(array.swap_remove(at), model.swap_remove(at)),
        8 => {
            array.extend_cloned(&some);
            model.extend_from_slice(&some);
        }
        9 => {
            // An iterator that says nothing of its length.
            array.extend(some.iter().filter(|text| text.len() % 2 == 1).cloned());
            model.extend(some.iter().filter(|text| text.len() % 2 == 1).cloned());
        }
        10 => {
            let keep = |text: &mut String| !text.ends_with(['1', '3', '5']);
            array.retain(keep);
            model.retain_mut(keep);
        }
        11 => {
            array.dedup_by_key(|text| text.len());
            model.dedup_by_key(|text| text.len());
        }
        12 => {
            let mut drained = array.drain(at..to);
            let mut expected = model.drain(at..to);
            assert_eq!(drained.len(), expected.len());
            assert_eq!(drained.next(), expected.next());
            assert_eq!(drained.next_back(), expected.next_back());
            assert_eq!(drained.as_slice(), expected.as_slice());
        }
        13 => {
            let mut behind = array.split_off(at);
            assert_eq!(behind, model[at..]);
            array.append(&mut behind);
            assert_eq!(behind.len(), 0);
        }
        14 => {
            array.resize_with(to, || format!("new {step}"));
            model.resize_with(to, || format!("new {step}"));
        }
        _ => array.shrink_to_fit(),
    }
}

#[test]
fn copies_of_plain_data_are_as_a_vectors() {
    with_memory(|memory| {
        let mut array = Array::try_from_slice_in(&[1_u16, 2, 3], memory).expect("there is memory");
        array.extend_from_slice(&[4, 5]);
        array.try_extend_from_within(1..=2).expect("there is memory");
        array.try_extend_from_within(..0).expect("nothing is needed");
        array.extend(&[6, 7]);
        assert_eq!(array, [1, 2, 3, 4, 5, 2, 3, 6, 7]);
        array.resize(4, 0);
        array.resize(6, 9);
        assert_eq!(array, [1, 2, 3, 4, 9, 9]);
        array.dedup();
        assert_eq!(array, [1, 2, 3, 4, 9]);
    });
}

#[test]
fn grows_without_initialising() {
    with_memory(|memory| {
        let mut array: Array<'_, u32, _> = Array::new_in(memory);
        assert!(array.spare_capacity_mut().is_empty(), "nothing was taken yet");
        array.push(1);
        let room = array.try_grow_uninit(100).expect("there is memory");
        assert_eq!(room.len(), 100);
        room[..2].write_copy_of_slice(&[2, 3]);
        // SAFETY: three elements are initialised.
        unsafe { array.set_len(3) };
        array
            .try_extend_uninit(50, |room| room[..2].write_copy_of_slice(&[4, 5]))
            .expect("there is room");
        array.try_extend_uninit(50, |_| &mut []).expect("there is room");
        assert_eq!(array, [1, 2, 3, 4, 5]);
        assert_eq!(array.try_extend_zeroed(3).expect("there is room"), [0; 3]);
        assert_eq!(array, [1, 2, 3, 4, 5, 0, 0, 0]);
    });
}

#[test]
fn elements_that_are_not_of_the_room_are_refused() {
    with_memory(|memory| {
        let mut array: Array<'_, u32, _> = Array::new_in(memory);
        array.push(1);
        let later =
            |room: &mut [MaybeUninit<u32>]| -> *mut [u32] { room[1..2].write_copy_of_slice(&[7]) };
        let added = catch_unwind(AssertUnwindSafe(|| {
            array.try_extend_uninit(4, |room| {
                let later = later(room);
                // SAFETY: the room is borrowed for as long, and the element was written.
                unsafe { &mut *later }
            })
        }));
        assert!(added.is_err(), "the first element of the room was never written");
        let elsewhere: *mut [u32; 1] = std::boxed::Box::into_raw(std::boxed::Box::new([3]));
        let added = catch_unwind(AssertUnwindSafe(|| {
            array.try_extend_uninit(4, |_| {
                // SAFETY: the box is alive, and nothing else uses it meanwhile.
                unsafe { &mut *elsewhere }
            })
        }));
        assert!(added.is_err(), "an element from elsewhere");
        // SAFETY: it came from a box, which nothing names any more.
        drop(unsafe { std::boxed::Box::from_raw(elsewhere) });
        assert_eq!(array, [1]);
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut array: Array<'_, String, _> = Array::new_in(memory);
        let mut model: Vec<String> = Vec::new();
        let mut first: Result<(), GrowError> = Ok(());
        let three = [String::from("a"), String::from("b"), String::from("c")];
        for step in 0..80 {
            let mut after = model.clone();
            let done = match step % 8 {
                0 => {
                    after.push(format!("{step}"));
                    array.try_push(format!("{step}"))
                }
                1 => {
                    after.insert(after.len() / 2, format!("{step}"));
                    array.try_insert(array.len() / 2, format!("{step}"))
                }
                2 => {
                    after.extend_from_slice(&three);
                    array.try_extend_cloned(&three)
                }
                3 => {
                    after.extend((0..step).map(|n| format!("{n}")));
                    array.try_extend((0..step).map(|n| format!("{n}")).filter(|_| true))
                }
                4 => {
                    after.resize_with(after.len() + 2, String::new);
                    array.try_resize_with(array.len() + 2, String::new)
                }
                5 => array.try_clone_in(memory).map(|mut clone| {
                    after.extend_from_within(..);
                    let appended = array.try_append(&mut clone);
                    assert_eq!(clone.len(), if appended.is_ok() { 0 } else { model.len() });
                    if appended.is_err() {
                        after.clone_from(&model);
                    }
                }),
                6 => {
                    let at = model.len() / 2;
                    after.truncate(at);
                    array.try_split_off(at).map(|behind| assert_eq!(behind, model[at..]))
                }
                _ => array.try_shrink_to_fit(),
            };
            if done.is_ok() {
                model = after;
            }
            assert_eq!(array, model, "step {step}: {done:?}");
            first = first.and(done);
        }
        first
    });
}

#[test]
fn plain_data_is_as_it_was_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut array: Array<'_, u16, _> = Array::new_in(memory);
        let mut first: Result<(), GrowError> = Ok(());
        for number in 0..100 {
            let old = array.to_vec();
            let before = old.len();
            let done = match number % 6 {
                0 => array.try_push(number),
                1 => array.try_extend_from_slice(&[number; 30]),
                2 => array.try_resize(before + 30, number),
                3 => array.try_extend_uninit(30, |room| room.write_copy_of_slice(&[number; 30])),
                4 => array.try_extend_zeroed(30).map(|zeros| zeros.fill(number)),
                _ => array.try_extend_from_within(before - before.min(30)..),
            };
            let more = if number % 6 == 0 { 1 } else { 30.min(array.len() - before) };
            assert_eq!(array.len(), before + if done.is_ok() { more } else { 0 });
            assert_eq!(array[..before], old);
            first = first.and(done);
        }
        let copy = Array::try_from_slice_in(&array, memory).map(|copy| assert_eq!(copy, array));
        let room = Array::<u16, _>::try_with_capacity_in(9, memory)
            .map(|array| assert!(array.capacity() >= 9, "{} elements", array.capacity()));
        first.and(copy).and(room)
    });
}

#[test]
fn counts_in_32_bits() {
    with_memory(|memory| {
        let most = u32::MAX as usize;
        let mut nothings: Array<'_, (), _> = Array::new_in(memory);
        nothings.resize(most, ());
        assert_eq!(nothings.len(), most);
        let (wanted, limit) = (1 << 32, u64::from(u32::MAX));
        assert_eq!(nothings.try_push(()), Err(GrowError::Length { wanted, limit }));
        assert_eq!(nothings.try_insert(0, ()), Err(GrowError::Length { wanted, limit }));
        assert_eq!(nothings.swap_remove(5), ());
        nothings.retain(|()| false);
        assert_eq!(nothings.len(), 0);
    });
}

#[test]
fn a_length_that_no_address_space_has_is_refused() {
    with_memory(|memory| {
        let mut bytes: Array<'_, u8, _> = Array::new_in(memory);
        bytes.push(1);
        assert!(matches!(bytes.try_reserve(usize::MAX), Err(GrowError::Length { .. })));
        assert_eq!(bytes, [1]);
    });
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

/// Runs `act` on an array of ten whose element `panics` panics when dropped, and says how many were
/// left afterwards; all ten must be dropped once in the end.
fn with_a_panic(panics: usize, act: impl FnOnce(&mut Array<'_, Counted<'_>, Memory<'_>>)) -> usize {
    let dropped = Cell::new(0);
    let mut left = 0;
    with_memory(|memory| {
        let mut array = Array::new_in(memory);
        array.extend((0..10).map(|n| Counted { dropped: &dropped, panics: n == panics }));
        let outcome = catch_unwind(AssertUnwindSafe(|| act(&mut array)));
        assert!(outcome.is_err(), "nothing panicked");
        left = array.len();
        assert_eq!(dropped.get() as usize + left, 10, "each is dropped or there");
    });
    assert_eq!(dropped.get(), 10, "each was dropped once");
    left
}

#[test]
fn a_panic_in_a_destructor_drops_nothing_twice() {
    assert_eq!(with_a_panic(7, |array| array.truncate(5)), 5);
    assert_eq!(with_a_panic(4, |array| array.clear()), 0);
    assert_eq!(with_a_panic(2, |array| drop(array.drain(1..4))), 7);
    assert_eq!(with_a_panic(2, |array| array.retain(|element| !element.panics)), 9);
    assert_eq!(with_a_panic(0, |array| array.retain(|_| false)), 9);
    assert_eq!(with_a_panic(3, |array| array.dedup_by(|_, _| true)), 7);
    assert_eq!(
        with_a_panic(3, |array| drop(core::mem::replace(array, Array::new_in(array.memory())))),
        0
    );
    assert_eq!(
        with_a_panic(3, |array| {
            let mut elements = core::mem::replace(array, Array::new_in(array.memory())).into_iter();
            drop(elements.next());
            drop(elements);
        }),
        0
    );
}

#[test]
fn a_panic_in_a_closure_leaves_the_rest() {
    let mut calls = 0;
    let mut third = |_: &mut Counted<'_>| {
        calls += 1;
        assert!(calls < 3, "the third call panics");
        calls == 1
    };
    // One was kept, one was dropped, eight were not asked about.
    assert_eq!(with_a_panic(99, |array| array.retain(&mut third)), 9);
    let mut calls = 0;
    let mut third = |_: &mut Counted<'_>, _: &mut Counted<'_>| {
        calls += 1;
        assert!(calls < 3, "the third call panics");
        true
    };
    assert_eq!(with_a_panic(99, |array| array.dedup_by(&mut third)), 8);
}

#[test]
fn a_panic_while_elements_are_made_keeps_those_made_before() {
    with_memory(|memory| {
        let mut array: Array<'_, String, _> = Array::new_in(memory);
        for round in 1..5 {
            let mut numbers = 0..5;
            let mut make = || {
                let number = numbers.next().filter(|number| *number < 2);
                format!("{}", number.expect("the third is not to be made"))
            };
            let made = catch_unwind(AssertUnwindSafe(|| match round {
                1 => array.resize_with(6, &mut make),
                2 => array.extend((0..6).map(|_| make())),
                3 => array.extend_with(6, |_| make()),
                _ => array.extend(core::iter::from_fn(|| Some(make()))),
            }));
            assert!(made.is_err(), "nothing panicked");
            assert_eq!(array.len(), 2 * round);
            assert_eq!(array[2 * round - 2..], ["0", "1"]);
        }
    });
}

#[test]
fn forgetting_a_drain_counts_nothing_that_is_gone() {
    with_memory(|memory| {
        let mut array: Array<'_, u32, _> = Array::new_in(memory);
        array.extend(0..10);
        core::mem::forget(array.drain(3..5));
        assert_eq!(array, [0, 1, 2]);
    });
}

#[test]
fn what_is_left_of_an_iterator_is_dropped() {
    let dropped = Cell::new(0);
    with_memory(|memory| {
        let mut array = Array::new_in(memory);
        array.extend((0..10).map(|_| Counted { dropped: &dropped, panics: false }));
        let mut elements = array.into_iter();
        drop(elements.next());
        drop(elements.next_back());
        assert_eq!((elements.len(), elements.as_slice().len(), dropped.get()), (8, 8, 2));
    });
    assert_eq!(dropped.get(), 10);
}

#[test]
fn compares_hashes_and_prints_as_a_slice() {
    with_memory(|memory| {
        let array = Array::try_from_slice_in(&[1, 2, 3], memory).expect("there is memory");
        let mut other = array.clone();
        let hashes = BuildHasherDefault::<DefaultHasher>::default();
        assert_eq!(hashes.hash_one(&array), hashes.hash_one([1, 2, 3].as_slice()));
        other[2] = 4;
        assert!(array < other, "{array:?} comes before {other:?}");
        assert_eq!(array.cmp(&other), [1, 2, 3].cmp(&[1, 2, 4]));
        assert_eq!(format!("{array:?}"), "[1, 2, 3]");
        let doubled: Vec<i32> = (&array).into_iter().map(|number| 2 * number).collect();
        (&mut other).into_iter().for_each(|number| *number *= 2);
        assert_eq!((doubled, other), (std::vec![2, 4, 6], array_of(&[2, 4, 8], memory)));
    });
}

fn array_of<'a>(numbers: &[i32], memory: &'a Memory<'a>) -> Array<'a, i32, Memory<'a>> {
    Array::try_from_slice_in(numbers, memory).expect("there is memory")
}

#[cfg(feature = "std")]
#[test]
fn bytes_are_written_to() {
    use loligo_allocators::Refusals;
    use std::io::{ErrorKind, Write};

    with_memory(|memory| {
        let mut log: Array<'_, u8, _> = Array::new_in(memory);
        write!(log, "{} of {}", 3, 4).expect("there is memory");
        memory.refuse(Refusals::From(0));
        let refused = log.write_all(&[b'.'; 1000]).expect_err("there is no memory");
        assert_eq!(refused.kind(), ErrorKind::OutOfMemory);
        assert_eq!(log, b"3 of 4");
    });
}

#[test]
fn leaked_elements_stay_with_the_allocator() {
    let mut region = [MaybeUninit::uninit(); 256];
    let frame = FrameAllocator::from_region("frame", &mut region);
    let mut array = Array::new_in(&frame);
    array.extend(0..5_u8);
    let leaked = array.leak();
    leaked[0] = 9;
    assert_eq!(leaked, [9, 1, 2, 3, 4]);
}

#[test]
fn is_small_and_crosses_threads() {
    fn crosses<T: Send>() {}
    crosses::<Array<'_, u32, dyn Allocator + Sync>>();
    crosses::<super::ArrayIntoIter<'_, u32, SharedRef<'_>>>();
    let pointer = size_of::<usize>();
    assert_eq!(size_of::<Array<'_, u32, Memory<'_>>>(), 8 + 2 * pointer);
    assert_eq!(size_of::<Array<'_, u32>>(), 8 + 3 * pointer);
    with_memory(|memory| {
        let array: Array<'_, u32> = Array::new_in(memory);
        assert_eq!((array.capacity(), memory.requests()), (0, 0), "it is empty");
    });
}

#[test]
fn forms_that_panic_do_as_those_that_return() {
    with_memory(|memory| {
        let mut array: Array<'_, u8, _> = Array::new_in(memory);
        array.extend_uninit(3, |room| room[..2].write_copy_of_slice(&[4, 5]));
        array.extend_from_within(1..);
        array.extend_zeroed(2)[1] = 9;
        assert_eq!(array, [4, 5, 5, 0, 9]);
    });
}

#[test]
#[should_panic(expected = "the allocator has no memory for 16 elements")]
fn a_form_that_panics_says_what_was_wanted() {
    with_memory(|memory| {
        memory.refuse(Refusals::From(0));
        let mut array: Array<'_, u8, _> = Array::new_in(memory);
        array.extend_zeroed(16);
    });
}
