//! Plans without threads: what is split how, and that no schedule gets stuck.

use super::{Random, random_trace, relay};
use crate::measure::MeasureError;
use crate::program::StepKind;
use crate::threads::plan::Plan;
use crate::trace::{Event, Op, Trace, TraceErrorKind};

fn plan(trace: &Trace, workers_max: usize) -> Plan {
    Plan::new(trace, workers_max).expect("valid, and the system has memory")
}

fn event(op: Op, thread: u16, slot: u32, bytes: u64) -> Event {
    Event { op, align_log2: 3, thread, slot, bytes }
}

/// Performs a plan without threads: at each moment one of the workers that can go on, chosen by the
/// seed, does its next step. Asserts that there always is one, and what the steps rely on.
fn schedule(plan: &Plan, seed: u64) {
    println!("schedule {seed}");
    let mut random = Random(seed);
    let mut is_filled = vec![false; plan.places()];
    let mut turns = vec![0; plan.places()];
    let mut done = vec![0; plan.workers()];
    let mut awaited = vec![0; plan.workers()];
    for _ in 0..plan.events() {
        let can_go_on = |worker: &usize| {
            let part = plan.part(*worker);
            part.steps.get(done[*worker]).is_some_and(|step| {
                !step.awaits || turns[step.slot()] == part.turns[awaited[*worker]]
            })
        };
        let ready: Vec<usize> = (0..plan.workers()).filter(can_go_on).collect();
        assert!(!ready.is_empty(), "all wait: {done:?}");
        let worker = ready[random.next(ready.len() as u64) as usize];
        let step = plan.part(worker).steps[done[worker]];
        let is_new = matches!(step.kind(), StepKind::Allocate | StepKind::AllocateZeroed);
        assert_eq!(is_filled[step.slot()], !is_new, "an allocation finds its place empty");
        assert!(!(is_new && step.awaits), "an allocation waits for nobody");
        is_filled[step.slot()] = step.kind() != StepKind::Free;
        turns[step.slot()] += u64::from(step.hands_over);
        awaited[worker] += usize::from(step.awaits);
        done[worker] += 1;
    }
}

#[test]
fn no_schedule_gets_stuck() {
    for seed in 1..30 {
        for (threads, workers_max) in [(2, 64), (3, 2), (9, 64), (9, 4), (1, 1)] {
            let plan = plan(&random_trace(seed, threads, 400), workers_max);
            schedule(&plan, 77 * seed);
        }
    }
    for threads in [2, 3, 8] {
        schedule(&plan(&relay(threads, 50), 64), 5);
    }
}

#[test]
fn each_worker_has_its_threads_events_in_order() {
    for workers_max in [1, 2, 4, 64] {
        let trace = random_trace(41, 5, 2000);
        let plan = plan(&trace, workers_max);
        assert_eq!((plan.threads(), plan.workers()), (5, workers_max.min(5)));
        assert_eq!(plan.events(), 2000);
        let mut order = Vec::new();
        for event in &trace.events {
            if !order.contains(&event.thread) {
                order.push(event.thread);
            }
        }
        for worker in 0..plan.workers() {
            let threads: Vec<u16> =
                order.iter().skip(worker).step_by(workers_max).copied().collect();
            let own: Vec<(usize, &Event)> = (trace.events.iter().enumerate())
                .filter(|(_, event)| threads.contains(&event.thread))
                .collect();
            let part = plan.part(worker);
            assert_eq!(part.steps.len(), own.len());
            for (at, (step, (index, event))) in part.steps.iter().zip(own).enumerate() {
                let kind = match event.op {
                    Op::Allocate => StepKind::Allocate,
                    Op::AllocateZeroed => StepKind::AllocateZeroed,
                    Op::Free => StepKind::Free,
                    Op::Reallocate => StepKind::Reallocate,
                };
                assert_eq!(step.kind(), kind);
                assert!(event.op == Op::Free || step.bytes() as u64 == event.bytes);
                assert_eq!(plan.event_of(worker, at), Some(index as u64));
            }
        }
    }
}

#[test]
fn a_reused_slot_makes_nobody_wait() {
    // Thread 1 frees a block of thread 0, whose slot thread 0 then uses again.
    let trace = Trace::from_events(
        "reuse",
        vec![
            event(Op::Allocate, 0, 0, 8),
            event(Op::Free, 1, 0, 0),
            event(Op::Allocate, 0, 0, 9),
            event(Op::Free, 0, 0, 0),
            event(Op::Allocate, 1, 0, 10),
        ],
    );
    let plan = plan(&trace.expect("valid"), 64);
    let (first, second) = (plan.part(0).steps, plan.part(1).steps);
    assert_eq!(first.iter().map(|step| step.awaits).collect::<Vec<_>>(), [false; 3]);
    assert_eq!(second.iter().map(|step| step.awaits).collect::<Vec<_>>(), [true, false]);
    assert_eq!(plan.hand_overs(), 1);
    assert_ne!(first[0].slot(), first[1].slot(), "the first place is not empty yet");
    assert_eq!(second[0].slot(), second[1].slot(), "who empties a place fills it again");
}

#[test]
fn a_relay_hands_over_each_step_but_the_first_of_a_block() {
    for threads in [2_u16, 3, 8] {
        let trace = relay(threads, 20);
        let events = trace.events.len() as u64;
        assert_eq!(plan(&trace, 64).hand_overs(), events - 20, "{threads} threads");
        assert_eq!(plan(&trace, 1).hand_overs(), 0, "one worker has nobody to wait for");
    }
    // Threads 0 and 2 are one worker, 1 and 3 the other: the events still alternate.
    let trace = relay(4, 20);
    assert_eq!(plan(&trace, 2).hand_overs(), trace.events.len() as u64 - 20);
}

#[test]
fn the_worst_live_bytes_are_those_of_threads_that_run_ahead() {
    let trace = Trace::from_events(
        "ahead",
        vec![
            event(Op::Allocate, 0, 0, 100),
            event(Op::Free, 1, 0, 0),
            event(Op::Allocate, 0, 0, 50),
            event(Op::Reallocate, 1, 0, 70),
            event(Op::Free, 0, 0, 0),
        ],
    );
    let trace = trace.expect("valid");
    assert_eq!(trace.peak_live_bytes, 100);
    // Thread 0 can have both of its blocks; thread 1 adds 20 at most, after it freed 100.
    assert_eq!(plan(&trace, 64).worst_live_bytes(), 150);
    assert_eq!(plan(&trace, 1).worst_live_bytes(), 100, "as recorded");
}

#[test]
fn what_is_left_is_what_the_steps_done_have_left() {
    let trace = Trace::from_events(
        "left",
        vec![
            event(Op::Allocate, 0, 0, 8),
            event(Op::Reallocate, 1, 0, 16),
            event(Op::Allocate, 1, 1, 24),
            event(Op::Free, 0, 0, 0),
        ],
    );
    let plan = plan(&trace.expect("valid"), 64);
    let left = |done: &[usize]| {
        let mut sizes = Vec::new();
        plan.left_after(done, |_, layout| sizes.push(layout.size())).expect("memory for a table");
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(left(&[0, 0]), [0; 0]);
    assert_eq!(left(&[1, 0]), [8]);
    assert_eq!(left(&[1, 1]), [16]);
    assert_eq!(left(&[1, 2]), [16, 24]);
    assert_eq!(left(&[2, 2]), [24]);
}

#[test]
fn a_trace_that_was_changed_is_refused() {
    type Change = fn(&mut Trace);
    let changes: [(Change, &str); 4] = [
        (|trace| trace.events[0].op = Op::Free, "record 0 "),
        (|trace| trace.events[1].slot = 7, "slot 7 is above the number of allocations so far, 1"),
        (|trace| trace.events[1].op = Op::Allocate, "whose block is alive"),
        (|trace| trace.events[2].op = Op::Reallocate, "size 0 where a size"),
    ];
    for (change, part) in changes {
        let events = vec![
            event(Op::Allocate, 0, 0, 8),
            event(Op::Reallocate, 1, 0, 16),
            event(Op::Free, 0, 0, 0),
        ];
        let mut trace = Trace::from_events("changed", events).expect("valid");
        change(&mut trace);
        let error = Plan::new(&trace, 64).err().expect("it is refused");
        assert!(matches!(error, MeasureError::Trace(_)), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = Trace::from_events("unknown", vec![event(Op::Free, 1, 0, 0)]);
    let kind = error.expect_err("no block was allocated").kind;
    assert!(matches!(kind, TraceErrorKind::SlotDead { slot: 0 }), "{kind:?}");
}

#[test]
fn an_empty_trace_has_one_worker_with_nothing_to_do() {
    let trace = Trace::from_events("empty", Vec::new()).expect("valid");
    let plan = plan(&trace, 64);
    assert_eq!((plan.workers(), plan.threads(), plan.events(), plan.places()), (1, 0, 0, 0));
}
