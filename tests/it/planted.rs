//! Every check can fail: planted faults, each caught by the rule that is there for it.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};
use std::collections::BTreeSet;

use loligo_allocators::Allocator;
use loligo_tests::conformance::Outcome;
use loligo_tests::models::{Fault, FaultyAllocator, NaiveAllocator, NotingAllocator, NotingFault};
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Rule, Violation, conformance};

/// Bytes of the region that the faulty allocators work in.
const BYTES: usize = 16 << 10;

/// What the suite finds in an allocator with that fault.
fn found_by_suite(fault: Fault) -> Vec<Violation> {
    conformance::allocator_outcomes(&Limits::region(BYTES), |test| {
        test(&FaultyAllocator::new(fault, BYTES));
    })
    .into_iter()
    .filter_map(|outcome| outcome.result.err())
    .collect()
}

#[test]
fn the_reference_allocator_passes() {
    conformance::allocator(&Limits::region(BYTES), |test| {
        test(&FaultyAllocator::new(Fault::None, BYTES));
    });
    Plan::new(Limits::region(BYTES)).check(|test| test(&NaiveAllocator::new("naive", BYTES)));
}

#[test]
fn each_fault_is_caught_by_its_rule() {
    let mut missed = Vec::new();
    for (fault, rule) in Fault::CAUGHT {
        let found = found_by_suite(fault);
        if !found.iter().any(|broken| broken.rule == rule) {
            missed.push(format!("{fault:?} is not caught by {rule:?} but by {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn each_rule_has_a_fault_that_it_catches() {
    let mut caught: BTreeSet<Rule> = Fault::CAUGHT.into_iter().map(|(_, rule)| rule).collect();
    // The backing's rule is shown to catch by the exhaustion suite below.
    caught.insert(Rule::Backing);
    // Those of containers and subsystems are shown to by the suites for these.
    caught.extend(crate::suites_planted::RULES);
    caught.extend(crate::subsystems_planted::CAUGHT.map(|(_, _, rule)| rule));
    for rule in Rule::ALL {
        assert!(caught.contains(&rule), "no planted fault breaks {rule:?}");
    }
}

/// Faults that no program sees: it does not know the name, is not there for the drop, and does not
/// know what room there is, so that a refusal is none.
const BEYOND_PROGRAMS: [Fault; 7] = [
    Fault::NameEmpty,
    Fault::NameChanges,
    Fault::LeaksSilently,
    Fault::LeaksNameless,
    Fault::RefusesZeroSize,
    Fault::RefusesBigAlignment,
    Fault::RefusesOddSizes,
];

#[test]
fn programs_catch_the_faults_too() {
    let mut missed = Vec::new();
    let mut longest = 0;
    for (fault, _) in Fault::CAUGHT {
        if BEYOND_PROGRAMS.contains(&fault) {
            continue;
        }
        let plan = Plan { cases: 100, ..Plan::new(Limits::region(BYTES)) };
        match plan.find(|test| test(&FaultyAllocator::new(fault, BYTES))) {
            Some(failure) => longest = longest.max(failure.program.len()),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "programs miss {missed:?}");
    assert!(longest <= 20, "a failing program was left with {longest} operations");
}

/// What the exhaustion suite finds in a noting allocator with that fault.
fn found_by_exhaustion(fault: NotingFault) -> Result<u64, Violation> {
    let program = sample(&Space::new(16, 10, 4), 80, 3);
    conformance::exhaustion_outcome(&Limits::growing(), 1 << 20, &program, |backing, test| {
        test(&NotingAllocator::new_in(backing, fault));
    })
}

#[test]
fn the_exhaustion_suite_refuses_every_request() {
    let refused = found_by_exhaustion(NotingFault::None);
    assert!(refused.as_ref().is_ok_and(|&refused| refused > 60), "{refused:?}");
}

#[test]
fn the_exhaustion_suite_catches_what_a_refusal_breaks() {
    for (fault, rule) in [
        (NotingFault::KeepsBlockOnRefusal, Rule::Backing),
        (NotingFault::CountsBeforeNote, Rule::StatsOnRefusal),
        (NotingFault::PanicsOnRefusal, Rule::Panicked),
        (NotingFault::KeepsLastNote, Rule::Backing),
        (NotingFault::ReservesTooMuch, Rule::Backing),
    ] {
        let found = found_by_exhaustion(fault).map_err(|broken| broken.rule);
        assert_eq!(found, Err(rule), "{fault:?}");
    }
}

/// The faults that show through another allocator trait, with the rule that catches them there.
const FOREIGN: [(Fault, Rule); 12] = [
    (Fault::RefusesBigAlignment, Rule::Served),
    (Fault::AlignsTo16, Rule::Alignment),
    (Fault::GivesOutTwice, Rule::Overlap),
    (Fault::WritesOnAllocate, Rule::Contents),
    (Fault::WritesOnFree, Rule::Contents),
    (Fault::WritesOnRefusedReallocate, Rule::Contents),
    (Fault::LosesLastByte, Rule::Contents),
    (Fault::ForgetsZeroing, Rule::Zeroed),
    (Fault::ServesHuge, Rule::Huge),
    (Fault::NeverJoins, Rule::Coalesced),
    (Fault::StaysFull, Rule::Reclaimed),
    (Fault::PanicsWhenFull, Rule::Panicked),
];

/// Runs a suite for another trait over each fault of [`FOREIGN`].
fn foreign_suite_catches(suite: impl Fn(Fault) -> Vec<Outcome>) {
    let clean = suite(Fault::None);
    assert!(clean.iter().all(|outcome| outcome.result.is_ok()), "{clean:?}");
    for (fault, rule) in FOREIGN {
        let found: Vec<Violation> =
            suite(fault).into_iter().filter_map(|outcome| outcome.result.err()).collect();
        assert!(
            found.iter().any(|broken| broken.rule == rule),
            "{fault:?} is not caught by {rule:?} but by {found:?}"
        );
    }
}

#[test]
fn the_suite_for_global_alloc_catches() {
    foreign_suite_catches(|fault| {
        conformance::global_alloc_outcomes(&Limits::region(BYTES), |test| {
            test(&Faulty(FaultyAllocator::new(fault, BYTES)));
        })
    });
}

#[test]
fn the_suite_for_allocator_api2_02_catches() {
    foreign_suite_catches(|fault| {
        conformance::allocator_api2_02_outcomes(&Limits::region(BYTES), |test| {
            test(&Faulty(FaultyAllocator::new(fault, BYTES)));
        })
    });
}

#[test]
fn the_suite_for_allocator_api2_04_catches() {
    foreign_suite_catches(|fault| {
        conformance::allocator_api2_04_outcomes(&Limits::region(BYTES), |test| {
            test(&Faulty(FaultyAllocator::new(fault, BYTES)));
        })
    });
}

/// A faulty allocator with the other traits.
struct Faulty(FaultyAllocator);

// SAFETY: it hands on what the faulty allocator gives, whose faults the suites must find.
unsafe impl GlobalAlloc for Faulty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.allocate(layout).map_or(null_mut(), |block| block.cast().as_ptr())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.0.allocate_zeroed(layout).map_or(null_mut(), |block| block.cast().as_ptr())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.0.deallocate_sized(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, old: Layout, size: usize) -> *mut u8 {
        let (Some(block), Ok(new)) =
            (NonNull::new(block), Layout::from_size_align(size, old.align()))
        else {
            return null_mut();
        };
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.0.reallocate(block, old, new) };
        moved.map_or(null_mut(), |block| block.cast().as_ptr())
    }
}

/// Implements the `Allocator` of one line of allocator-api2 for [`Faulty`].
macro_rules! line {
    ($line:ident) => {
        // SAFETY: as above.
        unsafe impl $line::alloc::Allocator for Faulty {
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, $line::alloc::AllocError> {
                self.0.allocate(layout).map_err(|_| $line::alloc::AllocError)
            }

            fn allocate_zeroed(
                &self,
                layout: Layout,
            ) -> Result<NonNull<[u8]>, $line::alloc::AllocError> {
                self.0.allocate_zeroed(layout).map_err(|_| $line::alloc::AllocError)
            }

            unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.0.deallocate_sized(block, layout) }
            }

            unsafe fn grow(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, $line::alloc::AllocError> {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.0.reallocate(block, old, new) }.map_err(|_| $line::alloc::AllocError)
            }

            unsafe fn shrink(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, $line::alloc::AllocError> {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.0.reallocate(block, old, new) }.map_err(|_| $line::alloc::AllocError)
            }
        }
    };
}

line!(allocator_api2_02);
line!(allocator_api2_04);
