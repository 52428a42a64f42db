//! Queues compared with a vector of calls, under panics and without memory, and calls that name
//! nothing.

mod views;

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::string::ToString;
use std::vec::Vec;

use super::*;
use crate::testing::test_memory::{Memory, Random, every_refusal, with_memory};

type Log = Vec<(u32, u64)>;

/// A table of functions that log which they are and what they were given.
fn table<'a, C: Callback>(memory: &'a Memory<'a>) -> CallbackTable<'a, Log, C, Memory<'a>> {
    let mut table = CallbackTable::new_in(memory);
    let _ = table.add(|log: &mut Log, data: u32| log.push((0, data.into())));
    let _ = table.add(|log: &mut Log, data: [u32; 3]| {
        log.push((1, data.iter().map(|&n| u64::from(n)).sum()))
    });
    let _ = table.add(|log: &mut Log, (): ()| log.push((2, 0)));
    // It queues itself until its number is 0.
    let _ = table.add_queueing(|log: &mut Log, later: &mut Later<'_, C>, left: u32| {
        log.push((3, left.into()));
        if left > 0 {
            later.queue(COUNT, left - 1);
        }
    });
    let _ = table.add(|_: &mut Log, at: u32| panic!("as planned, at {at}"));
    table
}

const NUMBER: CallbackId<u32> = CallbackId::from_number(0);
const TRIPLE: CallbackId<[u32; 3]> = CallbackId::from_number(1);
const NOTHING: CallbackId<()> = CallbackId::from_number(2);
const COUNT: CallbackId<u32> = CallbackId::from_number(3);
const PANIC: CallbackId<u32> = CallbackId::from_number(4);

#[test]
fn does_as_a_vector_of_calls_does() {
    let seed = 4;
    let mut random = Random::new(seed);
    with_memory(|memory| {
        let table = table(memory);
        assert_eq!(table.len(), 5);
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        let mut log = Log::new();
        let (mut model, mut waiting) = (Log::new(), Log::new());
        for step in 0..3_000u32 {
            match random.below(8) {
                0..3 => {
                    calls.queue(NUMBER, step);
                    waiting.push((0, step.into()));
                }
                3 => {
                    calls.queue(TRIPLE, [step, 1, u32::MAX]);
                    waiting.push((1, u64::from(step) + 1 + u64::from(u32::MAX)));
                }
                4 => {
                    calls.queue(NOTHING, ());
                    waiting.push((2, 0));
                }
                5 => {
                    let left = random.below(3) as u32;
                    calls.queue(COUNT, left);
                    waiting.push((3, left.into()));
                }
                6 => {
                    let mut other: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
                    other.queue(NUMBER, 5);
                    other.queue(NUMBER, 6);
                    calls.append(&mut other);
                    assert!(other.is_empty(), "its calls have moved");
                    waiting.extend([(0, 5), (0, 6)]);
                }
                _ => {
                    let ran = calls.run(&table, &mut log);
                    assert_eq!(ran, Ok(waiting.len() as u32), "seed {seed}, step {step}");
                    let made = core::mem::take(&mut waiting);
                    let queued = made.iter().filter(|call| call.0 == 3 && call.1 > 0);
                    waiting.extend(queued.map(|call| (3, call.1 - 1)));
                    model.extend(made);
                }
            }
            assert_eq!(calls.len(), waiting.len(), "seed {seed}, step {step}");
            assert_eq!(log, model, "seed {seed}, step {step}");
        }
    });
}

#[test]
fn calls_have_the_sizes_of_their_names() {
    with_memory(|memory| {
        let data = [1u64, u64::MAX, 3];
        let function = CallbackId::<[u64; 3]>::from_number(9);
        let call = Callback32::new(function, data);
        assert_eq!((call.function(), call.data::<[u64; 3]>()), (9, data));
        assert_eq!(bytemuck::bytes_of(&call)[28..], [0; 4], "what the data leave is zeros");
        assert_eq!((Callback16::DATA_BYTES, Callback32::DATA_BYTES), (12, 28));
        let mut calls: Callbacks<'_, Callback32, _> = Callbacks::new_in(memory);
        assert_eq!(size_of_val(&calls), 8 + 2 * size_of::<usize>(), "the size that the docs state");
        calls.queue(function, data);
        assert_eq!(bytemuck::bytes_of(&calls.as_slice()[0]), bytemuck::bytes_of(&call));
    });
}

#[test]
fn a_panic_drops_its_call_and_keeps_those_behind() {
    with_memory(|memory| {
        let table = table(memory);
        for stop in 0..6 {
            let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
            for at in 0..6 {
                calls.queue(if at == stop { PANIC } else { COUNT }, at);
            }
            let mut log = Log::new();
            let unwound = catch_unwind(AssertUnwindSafe(|| calls.run(&table, &mut log)));
            assert!(unwound.is_err(), "it was planned");
            let before: Log = (0..stop).map(|at| (3, at.into())).collect();
            assert_eq!(log, before);
            // Those after it, then what those before it have queued; the first had nothing to
            // queue.
            let rest = (stop + 1..6).map(|at| (3, u64::from(at)));
            let queued = (1..stop).map(|at| (3, u64::from(at) - 1));
            let expected: Log = before.iter().copied().chain(rest).chain(queued).collect();
            calls.run(&table, &mut log).expect("all functions are known");
            assert_eq!(log, expected);
        }
    });
}

#[test]
fn a_call_of_nothing_is_told_and_dropped() {
    with_memory(|memory| {
        let table = table::<Callback16>(memory);
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        calls.queue(NUMBER, 1);
        calls.queue(CallbackId::<u32>::from_number(5), 2);
        calls.queue(NUMBER, 3);
        let mut log = Log::new();
        let error = calls.run(&table, &mut log).expect_err("there are five functions");
        assert_eq!(error, RunError { function: 5, functions: 5 });
        assert_eq!(error.to_string(), "a call names the function 5 of a table that has 5");
        assert_eq!((log.clone(), calls.len()), (std::vec![(0, 1)], 1));
        assert_eq!(calls.run(&table, &mut log), Ok(1));
        assert_eq!(log, [(0, 1), (0, 3)]);
        assert_eq!(calls.run(&table, &mut log), Ok(0));
    });
}

fn calls_of(saved: &[u8]) -> Vec<Callback16> {
    saved.chunks_exact(16).map(bytemuck::pod_read_unaligned).collect()
}

#[test]
fn queues_are_plain_data() {
    with_memory(|memory| {
        let table = table::<Callback16>(memory);
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        calls.queue(NUMBER, 7);
        calls.queue(TRIPLE, [1, 2, 3]);
        let mut saved: Vec<u8> = bytemuck::cast_slice(calls.as_slice()).to_vec();
        let read = calls_of(&saved);
        let mut again: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        again.try_queue_all(&read).expect("there is memory");
        let mut log = Log::new();
        assert_eq!(again.run(&table, &mut log), Ok(2));
        assert_eq!(log, [(0, 7), (1, 6)]);
        // Whatever the bytes become, it is a call of something or of nothing.
        for at in 0..saved.len() {
            for flip in [1, 2, 0x80] {
                saved[at] ^= flip;
                let read = calls_of(&saved);
                if read.iter().all(|call| call.function() != PANIC.number()) {
                    again.clear();
                    again.try_queue_all(&read).expect("there is memory");
                    let _ = again.run(&table, &mut log);
                }
                saved[at] ^= flip;
            }
        }
    });
}

#[test]
fn loses_nothing_when_memory_runs_out() {
    every_refusal(|memory: &Memory<'_>| {
        let mut first = Ok(());
        let mut table: CallbackTable<'_, Log, Callback16, _> = CallbackTable::new_in(memory);
        let mut added = 0;
        for _ in 0..20 {
            let id = table.try_add(|log: &mut Log, data: u32| log.push((0, data.into())));
            assert_eq!(id.as_ref().map_or(added, |id| id.number()), added);
            added += u32::from(id.is_ok());
            first = first.and(id.map(|_| ()));
        }
        assert_eq!(table.len(), added as usize);
        let mut calls: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        let mut model = 0;
        for number in 0..20 {
            let queued = calls.try_queue(NUMBER, number);
            model += usize::from(queued.is_ok());
            assert_eq!(calls.len(), model);
            first = first.and(queued);
        }
        let mut other: Callbacks<'_, Callback16, _> = Callbacks::new_in(memory);
        let extended = other.try_queue_all(&[Callback16::new(NUMBER, 3); 100]);
        first = first.and(extended);
        let before = (calls.len(), other.len());
        let appended = calls.try_append(&mut other);
        let after = (calls.len(), other.len());
        assert_eq!(after, if appended.is_ok() { (before.0 + before.1, 0) } else { before });
        first.and(appended)
    });
}

#[test]
fn tables_and_queues_may_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<CallbackTable<'_, Log, Callback32, dyn Allocator + Sync>>();
    check::<Callbacks<'_, Callback16, dyn Allocator + Sync>>();
    check::<CallbackId<*const ()>>();
}
