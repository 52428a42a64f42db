//! Five lines test an allocator: three from the registry, and what is found.
//!
//! Run it with `cargo run -p loligo-bench --example your_allocator`.
#![forbid(unsafe_code)]

use dlmalloc::GlobalDlmalloc;
use loligo_tests::conformance::{self, Outcome};
use loligo_tests::{Limits, models};
use mimalloc::MiMalloc;

/// dlmalloc, through `GlobalAlloc`.
pub(crate) fn dlmalloc() -> Vec<Outcome> {
    let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
    conformance::global_alloc_outcomes(&limits, |test| {
        test(&GlobalDlmalloc);
    })
}

/// mimalloc, through `GlobalAlloc`.
pub(crate) fn mimalloc() -> Vec<Outcome> {
    let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
    conformance::global_alloc_outcomes(&limits, |test| {
        test(&MiMalloc);
    })
}

/// bumpalo, through the `Allocator` of allocator-api2. It frees all together when it goes.
pub(crate) fn bumpalo() -> Vec<Outcome> {
    let limits =
        Limits { size_max: 1 << 20, align_max: 4096, reclaims: false, ..Limits::growing() };
    conformance::allocator_api2_02_outcomes(&limits, |test| {
        test(&&bumpalo::Bump::new());
    })
}

/// One that is wrong on purpose, to see what a finding looks like.
pub(crate) fn faulty() -> Vec<Outcome> {
    let fault = models::Fault::ForgetsZeroing;
    conformance::allocator_outcomes(&Limits::region(64 << 10), |test| {
        test(&models::FaultyAllocator::new(fault, 64 << 10));
    })
}

pub(crate) fn main() {
    for (name, outcomes) in [
        ("dlmalloc", dlmalloc()),
        ("mimalloc", mimalloc()),
        ("bumpalo", bumpalo()),
        ("one that does not zero", faulty()),
    ] {
        let passed = outcomes.iter().filter(|outcome| outcome.result.is_ok()).count();
        println!("{name}: {passed} of {} checks passed", outcomes.len());
        for outcome in outcomes.iter().filter(|outcome| outcome.result.is_err()) {
            println!("  {outcome}");
        }
    }
}
