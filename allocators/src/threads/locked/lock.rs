//! The lock trait of `Locked`.

use crate::threads::sync::SpinLock;

/// A lock for [`Locked`](crate::Locked): [`SpinLock`], and with the feature `lock_api` any
/// `lock_api::RawMutex`. Sealed: implement `RawMutex` for your own lock.
pub trait Lock: sealed::Lock {}

mod sealed {
    /// # Safety
    ///
    /// Between `acquire` and `release` with what it returned, no other `acquire` of the same lock
    /// returns; what was written before a `release` is seen after the next `acquire`.
    pub unsafe trait Lock {
        /// An unlocked lock.
        const OPEN: Self;
        /// The holder's state until it releases the lock.
        type Held;
        /// Waits for the lock and takes it.
        fn acquire(&self) -> Self::Held;
        /// Releases the lock.
        ///
        /// # Safety
        ///
        /// The caller holds the lock, and `held` is what taking it returned.
        unsafe fn release(&self, held: Self::Held);
    }
}

impl Lock for SpinLock {}

// SAFETY: only one exchange from false to true succeeds until the flag is stored false again; its
// Acquire and that store's Release pair up.
unsafe impl sealed::Lock for SpinLock {
    const OPEN: Self = Self::new();
    type Held = ();

    #[inline]
    fn acquire(&self) {
        self.acquire();
    }

    #[inline]
    unsafe fn release(&self, (): ()) {
        self.release();
    }
}

#[cfg(feature = "lock_api")]
impl<M: lock_api::RawMutex> Lock for M {}

// SAFETY: a `RawMutex` promises exclusion, acquire on locking and release on unlocking.
#[cfg(feature = "lock_api")]
unsafe impl<M: lock_api::RawMutex> sealed::Lock for M {
    const OPEN: Self = M::INIT;
    type Held = M::Guard;

    #[inline]
    fn acquire(&self) -> M::Guard {
        self.lock()
    }

    #[inline]
    unsafe fn release(&self, held: M::Guard) {
        // SAFETY: the caller holds the mutex and gives the state that locking it returned.
        unsafe { self.unlock(held) }
    }
}
