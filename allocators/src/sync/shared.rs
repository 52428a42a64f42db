//! The atomics of the allocators for several threads: core's, or under `--cfg loom` the model checker's.
//!
//! Only these allocators use them. Everything else keeps core's, so a model has no more steps than the
//! structure under test.

pub(crate) use core::sync::atomic::Ordering;

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::AtomicUsize;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::AtomicUsize;

#[cfg(all(not(loom), target_has_atomic = "64"))]
use core::sync::atomic::AtomicU64 as AtomicTotal;
#[cfg(all(not(loom), not(target_has_atomic = "64")))]
use core::sync::atomic::AtomicUsize as AtomicTotal;
#[cfg(loom)]
use loom::sync::atomic::AtomicU64 as AtomicTotal;

/// A number that only grows. Where the machine has no atomics of 64 bits it wraps at 2^32.
pub(crate) struct Total(AtomicTotal);

impl Total {
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Self(AtomicTotal::new(0))
    }

    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Self(AtomicTotal::new(0))
    }

    /// Raises it. Release pairs with the Acquire in [`get`](Self::get): who reads the new number sees
    /// what this thread did before.
    #[inline]
    pub(crate) fn raise(&self, by: u64) {
        // Not needed where a total has 64 bits.
        #[cfg(not(any(loom, target_has_atomic = "64")))]
        let by = by as usize;
        self.0.fetch_add(by, Ordering::Release);
    }

    /// Reads it. Acquire pairs with the Release in [`raise`](Self::raise).
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        let now = self.0.load(Ordering::Acquire);
        // As in `raise`.
        #[cfg(not(any(loom, target_has_atomic = "64")))]
        let now = now as u64;
        now
    }
}
