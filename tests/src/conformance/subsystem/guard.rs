//! The guard of the global heap, if the program has one.

use loligo_allocators::{Arming, GlobalGuard};

/// Counts what a piece of work asks of the global heap.
pub(super) trait Guard {
    /// Whether anything is counted at all.
    fn is_there(&self) -> bool;

    /// Runs work and returns how often it came to the global heap.
    fn count(&self, work: &mut dyn FnMut()) -> u64;

    /// Runs work that may come to the global heap, inside of what is counted.
    fn exempt(&self, work: &mut dyn FnMut());
}

/// A program without a guard.
pub(super) struct NoGuard;

impl Guard for NoGuard {
    fn is_there(&self) -> bool {
        false
    }

    fn count(&self, work: &mut dyn FnMut()) -> u64 {
        work();
        0
    }

    fn exempt(&self, work: &mut dyn FnMut()) {
        work();
    }
}

impl<G> Guard for GlobalGuard<G> {
    fn is_there(&self) -> bool {
        true
    }

    fn count(&self, work: &mut dyn FnMut()) -> u64 {
        let total = || self.violations().allocations + self.violations().frees;
        let before = total();
        self.armed_with(Arming::new().count_only(), work);
        total() - before
    }

    fn exempt(&self, work: &mut dyn FnMut()) {
        GlobalGuard::exempt(self, work);
    }
}
