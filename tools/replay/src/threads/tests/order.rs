//! What threads did, as a checking allocator saw it, against the order of the trace.

use core::time::Duration;
use std::collections::HashMap;

use super::{Call, Checking, random_trace, relay};
use crate::pass::{self, Bench, Ending};
use crate::program::Program;
use crate::subject::Subject;
use crate::threads::act::Calls;
use crate::threads::crew::{Outcome, Stage, perform};
use crate::threads::plan::Plan;
use crate::threads::subject::SharedSubject;
use crate::trace::{Op, Trace};

/// Performs a trace and returns what was done, with the calls of each worker.
fn perform_checked(trace: &Trace, workers_max: usize) -> (Plan, Outcome, Vec<Vec<Call>>) {
    let plan = Plan::new(trace, workers_max).expect("valid");
    let checking = Checking::default();
    let mut stage = Stage::new(&plan).expect("memory for the places");
    let outcome =
        perform(&stage, &Calls(&checking), Duration::MAX).expect("the system has threads");
    let mut by_name = checking.take_calls();
    let calls = (0..plan.workers())
        .map(|worker| by_name.remove(&format!("worker {worker}")).unwrap_or_default())
        .collect();
    assert!(by_name.is_empty(), "no thread is there that is not a worker");
    let mut left = 0;
    plan.left_after(&outcome.done, |place, layout| {
        left += 1;
        // SAFETY: the block is live, of this layout, and the threads have ended.
        unsafe { checking.handle().deallocate(stage.block(place), layout) };
    })
    .expect("memory for a table");
    assert_eq!(checking.live(), 0, "{left} were left and freed");
    (plan, outcome, calls)
}

/// Asserts that the calls are the trace's events, each thread's in their order, and that on each
/// block they came one after the other in the trace's order.
fn assert_order(trace: &Trace, plan: &Plan, calls: &[Vec<Call>]) {
    let mut of_event: Vec<Option<Call>> = vec![None; trace.events.len()];
    for (worker, calls) in calls.iter().enumerate() {
        let own = |event: &(usize, u16)| event.1 as usize % plan.workers() == worker;
        let events: Vec<(usize, u16)> = numbered(trace).into_iter().filter(own).collect();
        assert_eq!(events.len(), calls.len(), "worker {worker} did all of its events");
        for ((index, _), call) in events.into_iter().zip(calls) {
            let event = trace.events[index];
            assert_eq!((event.op, event.bytes), (call.op, call.bytes), "event {index}");
            of_event[index] = Some(*call);
        }
    }
    let mut last: HashMap<u32, Call> = HashMap::new();
    for (event, call) in trace.events.iter().zip(of_event) {
        let call = call.expect("each event was done");
        if matches!(event.op, Op::Reallocate | Op::Free) {
            let before = last[&event.slot];
            assert!(before.after < call.before, "{event:?} came after the last on its block");
            assert_eq!(before.returned, call.given, "{event:?} is done on its block");
        }
        last.insert(event.slot, call);
    }
}

/// Returns each event's index with its thread, numbered in the order of first events.
fn numbered(trace: &Trace) -> Vec<(usize, u16)> {
    let mut numbers = HashMap::new();
    let number = |(index, thread)| {
        let next = numbers.len() as u16;
        (index, *numbers.entry(thread).or_insert(next))
    };
    trace.events.iter().map(|event| event.thread).enumerate().map(number).collect()
}

#[test]
fn threads_keep_the_order_of_each_block() {
    for seed in [3, 1001, 77_777] {
        for (threads, workers_max) in [(1, 64), (2, 64), (3, 64), (8, 64), (8, 3), (5, 1)] {
            let trace = random_trace(seed, threads, 6000);
            let (plan, outcome, calls) = perform_checked(&trace, workers_max);
            assert_eq!(plan.workers(), workers_max.min(threads.into()));
            assert_eq!((outcome.events_done(), outcome.refused), (6000, 0));
            assert!(outcome.waits <= plan.hand_overs(), "{outcome:?}");
            assert_order(&trace, &plan, &calls);
        }
    }
}

#[test]
fn blocks_that_go_round_all_threads_keep_their_order() {
    for threads in [2, 3, 8] {
        let trace = relay(threads, 500);
        let (plan, outcome, calls) = perform_checked(&trace, 64);
        assert_eq!(outcome.events_done(), trace.events.len() as u64);
        assert!(outcome.waits <= plan.hand_overs(), "{outcome:?}");
        assert_order(&trace, &plan, &calls);
    }
}

#[test]
fn one_thread_makes_the_calls_that_it_made_before() {
    let trace = random_trace(9, 1, 5000);
    let (plan, outcome, mut calls) = perform_checked(&trace, 64);
    assert_eq!((plan.workers(), plan.hand_overs(), outcome.waits), (1, 0, 0));
    let plain = plain_calls(&trace);
    let by_threads = calls.remove(0);
    let request = |call: &Call| (call.op, call.bytes);
    let requests = |calls: &[Call]| calls.iter().map(request).collect::<Vec<_>>();
    assert_eq!(requests(&by_threads), requests(&plain[..by_threads.len()]));
    // What comes after is the end of the pass, which frees the rest.
    assert!(plain[by_threads.len()..].iter().all(|call| call.op == Op::Free));
}

/// Returns the calls of the replay by one thread.
fn plain_calls(trace: &Trace) -> Vec<Call> {
    let checking = Checking::default();
    let program = Program::new(trace, 0).expect("memory for the steps");
    let mut bench = Bench::new(&program).expect("memory for the slots");
    let mut handle = checking.handle();
    pass::timed(&mut bench, &mut handle, Duration::MAX, Ending::Free).expect("memory");
    drop(handle);
    checking.take_calls().remove("worker 0").expect("the calls of this thread")
}

#[test]
fn an_event_of_each_of_many_threads() {
    // More threads than workers can be: each allocates, and the next one frees.
    let mut events = Vec::new();
    for thread in 0..1000_u16 {
        let event =
            |op, thread, bytes| crate::trace::Event { op, align_log2: 4, thread, slot: 0, bytes };
        events.push(event(Op::Allocate, thread, 64));
        events.push(event(Op::Free, (thread + 1) % 1000, 0));
    }
    let trace = Trace::from_events("many", events).expect("valid");
    let (plan, outcome, calls) = perform_checked(&trace, 16);
    assert_eq!((plan.threads(), plan.workers()), (1000, 16));
    assert_eq!(outcome.events_done(), 2000);
    assert_order(&trace, &plan, &calls);
}
