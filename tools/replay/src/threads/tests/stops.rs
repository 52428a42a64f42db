//! Passes that end early, refusals and losses.

use core::alloc::Layout;
use core::panic::AssertUnwindSafe;
use core::slice;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;

use super::{Checking, random_trace, relay};
use crate::pass::verify::LossKind;
use crate::peers::System;
use crate::program::Step;
use crate::subject::Subject;
use crate::threads::act::{Act, At, Calls};
use crate::threads::crew::{Stage, perform};
use crate::threads::pass::{timed, verify};
use crate::threads::plan::Plan;
use crate::threads::subject::SharedSubject;
use crate::trace::{Op, Trace};

/// Runs a pass on a trace by as many threads as it has.
fn on_stage<R>(trace: &Trace, run: impl FnOnce(&mut Stage<'_>) -> R) -> R {
    let plan = Plan::new(trace, 64).expect("valid");
    let mut stage = Stage::new(&plan).expect("memory for the places");
    run(&mut stage)
}

/// The calls, of which there are enough after some.
struct Limited<'s> {
    calls: Calls<'s, Checking>,
    left: AtomicU64,
}

impl<'s> Act for Limited<'s> {
    type Own<'a>
        = <Calls<'s, Checking> as Act>::Own<'a>
    where
        Self: 'a;

    fn own(&self, worker: usize) -> Self::Own<'_> {
        self.calls.own(worker)
    }

    fn step<'a>(
        &'a self,
        own: &mut Self::Own<'a>,
        at: At,
        step: Step,
        block: &mut *mut u8,
        olds: &mut slice::Iter<'_, u64>,
    ) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed);
        self.calls.step(own, at, step, block, olds)
    }

    fn has_enough(&self) -> bool {
        // It goes on below zero, as all workers finish the steps up to their next look.
        (self.left.load(Ordering::Relaxed) as i64) <= 0
    }
}

#[test]
fn a_pass_that_is_stopped_leaves_what_its_steps_have_left() {
    for trace in [random_trace(5, 4, 40_000), relay(3, 10_000)] {
        on_stage(&trace, |stage| {
            let checking = Checking::default();
            let limited = Limited { calls: Calls(&checking), left: AtomicU64::new(10_000) };
            let outcome = perform(stage, &limited, Duration::MAX).expect("threads");
            let done = outcome.events_done();
            assert!((10_000..trace.events.len() as u64).contains(&done), "{outcome:?}");
            let (plan, mut left) = (stage.plan, 0);
            let visit = |place: usize, layout: Layout| {
                left += 1;
                // SAFETY: the last step on the place made this block of this layout.
                unsafe { checking.handle().deallocate(stage.block(place), layout) };
            };
            plan.left_after(&outcome.done, visit).expect("memory");
            assert_eq!(checking.live(), 0, "{left} were left");
        });
    }
}

#[test]
fn a_pass_over_its_cap_is_stopped_whole() {
    let trace = relay(4, 20_000);
    on_stage(&trace, |stage| {
        let checking = Checking::default();
        let outcome = timed(stage, &checking, Duration::ZERO).expect("threads");
        assert!(outcome.events_done() < trace.events.len() as u64, "{outcome:?}");
        assert_eq!(checking.live(), 0, "what was left is freed");
        // The stage is as new.
        let outcome = timed(stage, &checking, Duration::MAX).expect("threads");
        assert_eq!(outcome.events_done(), trace.events.len() as u64);
        assert_eq!(checking.live(), 0, "nothing is left");
    });
}

#[test]
fn a_worker_that_panics_keeps_no_other_waiting() {
    let trace = relay(4, 500);
    for panics_at in [1, 2, 3, 700] {
        on_stage(&trace, |stage| {
            let checking = Checking { panics_at, ..Checking::default() };
            let perform = || perform(stage, &Calls(&checking), Duration::MAX).map(drop);
            let panic = catch_unwind(AssertUnwindSafe(perform));
            assert!(panic.is_err(), "request {panics_at} panics");
        });
    }
}

#[test]
fn refused_requests_are_counted_and_the_replay_goes_on() {
    let trace = random_trace(23, 3, 9000);
    let asked = trace.events.iter().filter(|event| event.op != Op::Free).count() as u64;
    on_stage(&trace, |stage| {
        let checking = Checking { refuses_every: 3, ..Checking::default() };
        let outcome = timed(stage, &checking, Duration::MAX).expect("threads");
        assert_eq!(outcome.events_done(), 9000);
        let refused = outcome.refused;
        assert!(refused > asked / 5 && refused < asked / 2, "{refused} of {asked}");
        assert_eq!(checking.live(), 0, "what was left is freed");
        let verified = verify(stage, &checking, Duration::MAX).expect("threads");
        assert_eq!(verified.losses, []);
        assert!(verified.refused > 0, "refused while verifying too");
    });
}

#[test]
fn contents_are_kept_from_thread_to_thread() {
    for trace in [random_trace(29, 4, 9000), relay(3, 1000)] {
        on_stage(&trace, |stage| {
            let checking = Checking::default();
            let verified = verify(stage, &checking, Duration::MAX).expect("threads");
            assert_eq!(verified.losses, []);
            assert_eq!(verified.events_done, trace.events.len() as u64);
        });
    }
}

/// The system's malloc, of which some requests for zeros are not served with zeros.
struct Stained;

struct StainedHandle;

// SAFETY: the C library has one malloc for all threads.
unsafe impl SharedSubject for Stained {
    type Handle<'s> = StainedHandle;

    fn handle(&self) -> StainedHandle {
        StainedHandle
    }

    fn check(&self) -> Result<(), String> {
        Err("a list leads nowhere".to_owned())
    }
}

// SAFETY: broken on purpose in what a block of zeros holds; else the C library's.
unsafe impl Subject for StainedHandle {
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        System.allocate(layout)
    }

    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        let block = System.allocate_zeroed(layout);
        // SAFETY: the block holds at least one byte.
        unsafe { block.write(1) };
        block
    }

    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.deallocate(block, layout) }
    }

    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.reallocate(block, old, bytes) }
    }
}

#[test]
fn losses_name_their_event() {
    let mut trace = random_trace(31, 3, 2000);
    let zeroed: Vec<usize> =
        (0..2000).filter(|index| trace.events[*index].op == Op::AllocateZeroed).collect();
    // One is left, so that it is the one that is found.
    for index in &zeroed[1..] {
        trace.events[*index].op = Op::Allocate;
    }
    let trace = Trace::from_events("stained", trace.events).expect("valid");
    let verified = on_stage(&trace, |stage| verify(stage, &Stained, Duration::MAX));
    let losses = verified.expect("threads").losses;
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert_eq!(losses[0].event, Some(zeroed[0] as u64));
    assert!(matches!(losses[0].what, LossKind::NotZero { offset_bytes: 0, .. }), "{losses:?}");
    assert_eq!(losses[1].what, LossKind::Structure("a list leads nowhere".to_owned()));
}
