//! The lock, the bells that wake sleepers, the atomics and what one thread has for itself: std's,
//! or the model checker's. The only place of this crate that names them.

#[cfg(all(test, loom))]
pub(crate) mod model;

#[cfg(not(all(test, loom)))]
use core::cell::{Cell, UnsafeCell};
#[cfg(not(all(test, loom)))]
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[cfg(not(all(test, loom)))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(all(test, loom))]
use model::CURRENT;
#[cfg(all(test, loom))]
pub(crate) use model::{Bell, Guard, Lock, Owned, handed_on, seen_by_all};

#[cfg(all(test, loom))]
pub(crate) use loom::thread::yield_now;
#[cfg(not(all(test, loom)))]
pub(crate) use std::thread::yield_now;

/// Keeps what was written before from being seen after what is read next.
///
/// Nothing to do where both are `SeqCst`, as they are where this is called. The model checker takes
/// that as `AcqRel`, and knows the one order of all only of fences.
#[cfg(not(all(test, loom)))]
#[inline]
pub(crate) fn seen_by_all() {}

/// Returns the order in which counts of open work go down: all that was done is handed on to who
/// takes off the last.
#[cfg(not(all(test, loom)))]
#[inline]
pub(crate) const fn handed_on() -> Ordering {
    Ordering::AcqRel
}

/// The number of the arrival by which this thread serves a manager, and its index there.
pub(crate) type Current = (u64, u8);

#[cfg(not(all(test, loom)))]
std::thread_local! {
    static CURRENT: Cell<Current> = const { Cell::new((0, 0)) };
}

/// Returns which manager this thread serves.
#[inline]
pub(crate) fn current() -> Current {
    CURRENT.with(|current| current.get())
}

/// Sets which manager this thread serves, and returns the one before.
pub(crate) fn set_current(new: Current) -> Current {
    CURRENT.with(|current| current.replace(new))
}

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

/// A value that one thread at a time has, by a rule that is stated where it is.
#[cfg(not(all(test, loom)))]
pub(crate) struct Owned<T>(UnsafeCell<T>);

// SAFETY: only who has it reaches the value, says the caller of each of its functions.
#[cfg(not(all(test, loom)))]
unsafe impl<T: Send> Sync for Owned<T> {}

#[cfg(not(all(test, loom)))]
impl<T> Owned<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Sets the value and returns the one before.
    ///
    /// # Safety
    ///
    /// This thread has it.
    #[inline]
    pub(crate) unsafe fn replace(&self, value: T) -> T {
        // SAFETY: nobody else reaches it, says the caller, and no reference leaves this type.
        core::mem::replace(unsafe { &mut *self.0.get() }, value)
    }

    /// Looks at the value.
    ///
    /// # Safety
    ///
    /// This thread has it.
    #[inline]
    pub(crate) unsafe fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: as in `replace`.
        look(unsafe { &*self.0.get() })
    }

    /// Sets the value.
    ///
    /// # Safety
    ///
    /// This thread has it.
    #[inline]
    pub(crate) unsafe fn set(&self, value: T) {
        // SAFETY: as in `replace`.
        unsafe { *self.0.get() = value };
    }
}
