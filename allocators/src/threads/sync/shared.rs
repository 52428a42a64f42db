//! The atomics of the allocators for several threads: core's, or under `--cfg loom` the model
//! checker's.
//!
//! Only these allocators use them. All other code uses core's, so a model has only the steps of the
//! structure under test. The model checker's have a wrapper (`model.rs`) that can plant faults, to
//! show that a model detects them.

#[cfg(all(test, loom))]
pub(crate) mod model;
#[cfg(all(test, not(loom)))]
mod tests;

pub(crate) use core::sync::atomic::Ordering;

#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicUsize};
#[cfg(all(test, loom))]
pub(crate) use model::{AtomicPtr, AtomicUsize};

#[cfg(any(all(test, loom), not(target_has_atomic = "64")))]
use AtomicUsize as AtomicTotal;
#[cfg(all(not(all(test, loom)), target_has_atomic = "64"))]
use core::sync::atomic::AtomicU64 as AtomicTotal;

#[cfg(not(all(test, loom)))]
use crate::threads::sync::SpinLock;

/// A number that only grows. On machines without 64-bit atomics it wraps at 2^32.
pub(crate) struct Total(AtomicTotal);

impl Total {
    #[cfg(not(all(test, loom)))]
    pub(crate) const fn new() -> Self {
        Self(AtomicTotal::new(0))
    }

    #[cfg(all(test, loom))]
    pub(crate) fn new() -> Self {
        Self(AtomicTotal::new(0))
    }

    /// Raises it. Release pairs with the Acquire in [`get`](Self::get): a thread that reads the new
    /// number sees this thread's earlier writes.
    #[inline]
    pub(crate) fn raise(&self, by: u64) {
        // Not needed if a total has 64 bits.
        #[cfg(any(all(test, loom), not(target_has_atomic = "64")))]
        let by = by as usize;
        self.0.fetch_add(by, Ordering::Release);
    }

    /// Reads it. Acquire pairs with the Release in [`raise`](Self::raise).
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        let now = self.0.load(Ordering::Acquire);
        // As in `raise`.
        #[cfg(any(all(test, loom), not(target_has_atomic = "64")))]
        let now = now as u64;
        now
    }
}

/// Lets one thread at a time do rare work for which a lock is good enough.
pub(crate) struct Turn {
    #[cfg(not(all(test, loom)))]
    lock: SpinLock,
    #[cfg(all(test, loom))]
    lock: loom::sync::Mutex<()>,
}

impl Turn {
    #[cfg(not(all(test, loom)))]
    pub(crate) const fn new() -> Self {
        Self { lock: SpinLock::new() }
    }

    #[cfg(all(test, loom))]
    pub(crate) fn new() -> Self {
        Self { lock: loom::sync::Mutex::new(()) }
    }

    /// Waits for the turn, which ends when the returned value is dropped.
    #[cfg(not(all(test, loom)))]
    pub(crate) fn take(&self) -> impl Drop + '_ {
        self.lock.hold()
    }

    /// Waits for the turn, which ends when the returned value is dropped.
    #[cfg(all(test, loom))]
    pub(crate) fn take(&self) -> loom::sync::MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Returns a number that differs between most threads and is usually constant within one, to start
/// a search with: it derives from the address of the stack. No thread-local variable is needed for
/// it.
#[cfg(not(all(test, loom)))]
#[inline]
pub(crate) fn thread_hint() -> usize {
    let here = 0_u8;
    // Stacks are far apart, and most of a thread's calls are within 64 KiB of it. The factor, 2^32
    // over the golden ratio, spreads the numbers over the upper half of 32 bits.
    let stack = core::ptr::from_ref(&here).addr() >> 16;
    (stack as u32).wrapping_mul(0x9e37_79b9) as usize
}

/// Every thread of a model starts at the same place: each run must repeat the previous one, and
/// more contention is better.
#[cfg(all(test, loom))]
pub(crate) fn thread_hint() -> usize {
    0
}
