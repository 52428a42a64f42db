//! The temporary allocator: conformance, programs, and what it alone promises.

use loligo_allocators::{Allocator, TempAllocator};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space, sample};
use loligo_tests::{Limits, Oracle, conformance};

use crate::subject::{Subject, Test, bytes};

/// Bytes inside and in the backing.
const INSIDE: usize = 32 << 10;

/// Most blocks are inside.
pub(crate) const TEMP: Subject = Subject {
    name: "temp",
    reporter: |_| None,
    limits: Limits {
        ordered: false,
        reclaims: false,
        reports_leaks: false,
        inside: INSIDE,
        ..Limits::region(4 * INSIDE)
    },
    make: over_naive::<INSIDE>,
    misused: bytes(64, 16),
};

fn over_naive<const N: usize>(test: Test<'_>) {
    let memory = NaiveAllocator::new("memory", 4 * INSIDE);
    test(&*Box::new(TempAllocator::<N, _>::new_in("temp", &memory)));
    assert_eq!(memory.stats().live, 0, "the allocator keeps memory of its backing");
}

#[test]
fn conforms() {
    TEMP.conforms();
    conformance::allocator(&TEMP.limits, over_naive::<0>);
    conformance::allocator(&TEMP.limits, over_naive::<1000>);
}

#[test]
fn runs_programs() {
    TEMP.runs_programs(100, "regressions/temp.txt");
    let plan = Plan {
        cases: 100,
        regressions: Some("regressions/temp-small.txt"),
        ..Plan::new(TEMP.limits)
    };
    plan.check(over_naive::<1000>);
}

#[test]
fn runs_over_every_refusal() {
    let program = sample(&Space::new(60, 9, 5), 200, 2);
    conformance::exhaustion(&TEMP.limits, 256 << 10, &program, |backing, test| {
        test(&TempAllocator::<2000, _>::new_in("temp", backing));
    });
}

#[test]
fn temporaries_nest() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let outer = TempAllocator::<4096, _>::new_in("outer", &memory);
    let inner = TempAllocator::<512, _>::new_in("inner", &outer);
    let limits = Limits { inside: 512, ..TEMP.limits };
    let mut oracle = Oracle::new(&inner, limits).expect("an empty allocator");
    for size in 0..100 {
        oracle.allocate(bytes(size, 8)).expect("the contract holds").expect("room");
    }
    assert!(inner.fell_back().live > 0, "the inner one is full");
    assert!(outer.fell_back().live > 0, "and so is the outer");
    oracle.finish().expect("the contract holds");
    inner.assert_empty();
    drop(inner);
    outer.assert_empty();
}
