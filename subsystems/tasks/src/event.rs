//! An event that threads wait for, without a task.

use crate::sync::{AtomicBool, Ordering};

/// Something that comes about, such as the end of a frame on another thread.
///
/// [`Handle::set`](crate::Handle::set) sets it and wakes all waiting threads;
/// [`Worker::do_work_while_waiting_for`](crate::Worker::do_work_while_waiting_for) waits. It stays
/// set until the waiting thread resets it.
///
/// # Memory
///
/// 1 byte.
#[derive(Debug)]
pub struct Event(AtomicBool);

impl Event {
    /// Returns an event that is not set.
    #[cfg(not(all(test, loom)))]
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Returns an event that is not set. The model checker's atomics cannot be made at compile
    /// time.
    #[cfg(all(test, loom))]
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Returns `true` if it is set. Then everything is visible that the setting thread did before.
    #[must_use]
    pub fn is_set(&self) -> bool {
        // Acquire pairs with the Release in `raise`.
        self.0.load(Ordering::Acquire)
    }

    /// Makes it ready to be set again. Only the thread that waited for it knows when that is right.
    pub fn reset(&self) {
        // Relaxed: nothing is handed on by it.
        self.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn raise(&self) {
        // Release pairs with the Acquire in `is_set`.
        self.0.store(true, Ordering::Release);
    }

    /// What distinguishes it from others as long as it is borrowed.
    pub(crate) fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }
}

impl Default for Event {
    fn default() -> Self {
        Self::new()
    }
}
