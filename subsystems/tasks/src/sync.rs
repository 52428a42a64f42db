//! The lock, the bells that wake sleepers and the one atomic that is looked at without the lock:
//! std's, or the model checker's. The only place of this crate that names them.

#[cfg(all(test, loom))]
pub(crate) mod model;

#[cfg(not(all(test, loom)))]
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
#[cfg(all(test, loom))]
pub(crate) use model::{Bell, Guard, Lock};

/// What follows the lock, as long as this thread holds it.
#[cfg(not(all(test, loom)))]
pub(crate) type Guard<'l, T> = MutexGuard<'l, T>;

/// A lock that is held for a few dozen nanoseconds.
#[cfg(not(all(test, loom)))]
pub(crate) struct Lock<T>(Mutex<T>);

#[cfg(not(all(test, loom)))]
impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock. No code of the program runs while it is held, so nothing is left half
    /// done in it.
    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one thread sleeps by.
#[cfg(not(all(test, loom)))]
#[derive(Default)]
pub(crate) struct Bell(Condvar);

#[cfg(not(all(test, loom)))]
impl Bell {
    /// Gives the lock back and sleeps, both at once, until the bell is rung, or for no reason; then
    /// takes the lock.
    pub(crate) fn sleep<'l, T>(&self, guard: Guard<'l, T>) -> Guard<'l, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ring(&self) {
        self.0.notify_one();
    }
}
