//! An allocator under test: how it is made, and what it can serve.

use core::alloc::Layout;

use loligo_allocators::Allocator;
use loligo_tests::misuse::Wrong;
use loligo_tests::programs::{Plan, Space};
use loligo_tests::{Limits, conformance};

/// What a maker hands its allocator to.
pub(crate) type Test<'t> = &'t mut dyn FnMut(&dyn Allocator);

/// An allocator under test.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The allocator's own name, which its reports must state.
    pub(crate) name: &'static str,
    /// The allocator that reports a wrong use where that is not itself: the backing that it passes
    /// frees on to.
    pub(crate) reporter: fn(Wrong) -> Option<&'static str>,
    /// What it can serve.
    pub(crate) limits: Limits,
    /// Makes a fresh one.
    pub(crate) make: fn(Test<'_>),
    /// The blocks to misuse.
    pub(crate) misused: Layout,
}

impl Subject {
    /// Runs the conformance suite.
    pub(crate) fn conforms(&self) {
        conformance::allocator(&self.limits, self.make);
    }

    /// Runs random programs: sizes up to past the greatest, then small ones with more blocks.
    pub(crate) fn runs_programs(&self, cases: u32, regressions: &'static str) {
        let plan = Plan { cases, regressions: Some(regressions), ..Plan::new(self.limits) };
        plan.check(self.make);
        let space = Space { slots: 160, size_bits: plan.space.size_bits.min(9), ..plan.space };
        Plan { space, steps: 600, cases: cases / 4 + 1, ..plan }.check(self.make);
    }
}

/// The layout of blocks of the given number of bytes.
pub(crate) const fn bytes(size: usize, align: usize) -> Layout {
    match Layout::from_size_align(size, align) {
        Ok(layout) => layout,
        Err(_) => panic!("a layout for a test"),
    }
}
