//! The spin lock, and the only file of this crate that imports atomics for locks and shared state.

pub(crate) mod shared;

use core::cell::UnsafeCell;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

/// How many times a waiting thread reads the lock before it yields.
const LOOKS: u32 = 64;

/// A lock of one byte that waits by spinning.
///
/// It needs no system and never allocates, so it is usable in a `#[global_allocator]`. A waiting
/// thread reads the lock 64 times, then yields its time slice (through std, or on Unix without
/// it), since the holder may be waiting for this very core. On other systems it keeps spinning. It
/// is neither fair nor reentrant: a thread that takes it twice waits forever.
///
/// # Complexity
///
/// One atomic exchange to take, one atomic store to release; 1 byte.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Locked, SpinLock};
///
/// // `SpinLock` is the default of `Locked`.
/// fn same<A>(locked: Locked<A>) -> Locked<A, SpinLock> {
///     locked
/// }
/// ```
pub struct SpinLock {
    state: AtomicU8,
}

/// Free, and never taken: zeros are an open lock.
const NEW: u8 = 0;
const HELD: u8 = 1;
const FREE: u8 = 2;

impl SpinLock {
    /// Returns an unlocked lock.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: AtomicU8::new(NEW) }
    }

    /// Waits until the lock is free and takes it.
    #[inline]
    pub(crate) fn acquire(&self) {
        #[cfg(target_os = "linux")]
        if super::fork::is_near() {
            super::fork::give_way();
        }
        // Acquire pairs with the Release in `release`: the last holder's writes are visible here.
        let before = self.state.swap(HELD, Ordering::Acquire);
        if before != FREE {
            self.acquire_further(before);
        }
    }

    /// Takes the lock until what is returned is dropped.
    #[inline]
    pub(crate) fn hold(&self) -> Held<'_> {
        self.acquire();
        Held(self)
    }

    /// Takes the lock if it is free, without waiting.
    #[cfg(any(unix, test))]
    pub(crate) fn try_acquire(&self) -> bool {
        // Acquire pairs with the Release in `release`, as in `acquire`.
        self.state.swap(HELD, Ordering::Acquire) != HELD
    }

    /// The further tries for a lock that was held, or that is taken for the first time.
    #[cold]
    #[inline(never)]
    fn acquire_further(&self, before: u8) {
        let (mut before, mut is_watched) = (before, false);
        let mut looks = 0;
        while before == HELD || before == NEW && !is_watched {
            if before == NEW {
                // It is let go meanwhile: what looks for its place may wait for others. It stays
                // new, so nobody has it before it is watched.
                self.state.store(NEW, Ordering::Release);
                #[cfg(target_os = "linux")]
                super::fork::watch(self);
                is_watched = true;
            }
            // Relaxed: this read only decides when to try; the exchange below does the pairing.
            // Reading without writing leaves the cache line shared while other threads hold the
            // lock.
            while self.state.load(Ordering::Relaxed) == HELD {
                if looks < LOOKS {
                    looks += 1;
                    core::hint::spin_loop();
                } else {
                    let_others_run();
                }
            }
            #[cfg(target_os = "linux")]
            if super::fork::is_near() {
                super::fork::give_way();
            }
            // Acquire pairs with the Release in `release`, as in `acquire`.
            before = self.state.swap(HELD, Ordering::Acquire);
        }
    }

    /// Releases the lock. Only the holder may call this.
    #[inline]
    pub(crate) fn release(&self) {
        // Release pairs with the Acquire of the next holder.
        self.state.store(FREE, Ordering::Release);
    }
}

impl Default for SpinLock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SpinLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Relaxed: a snapshot for display; no other memory depends on it.
        let held = self.state.load(Ordering::Relaxed) == HELD;
        f.debug_struct("SpinLock").field("held", &held).finish()
    }
}

#[cfg(feature = "std")]
fn let_others_run() {
    std::thread::yield_now();
}

#[cfg(all(not(feature = "std"), unix))]
fn let_others_run() {
    // SAFETY: sched_yield takes nothing and touches no memory of the program.
    let _ = unsafe { libc::sched_yield() };
}

#[cfg(all(not(feature = "std"), not(unix)))]
fn let_others_run() {
    core::hint::spin_loop();
}

/// A value reached only through a [`SpinLock`], such as the page allocator's state.
///
/// # Invariants
///
/// 1. `value` is touched only by the thread that holds `lock`, or through `&mut self`.
pub(crate) struct SpinCell<T> {
    lock: SpinLock,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one thread at a time reach the value (invariant 1), which so passes from
// thread to thread; `T: Send` allows that.
unsafe impl<T: Send> Sync for SpinCell<T> {}

impl<T> SpinCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { lock: SpinLock::new(), value: UnsafeCell::new(value) }
    }

    /// Runs `work` on the value under the lock, which is released also if `work` unwinds. `work`
    /// must not use the same cell again.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let _held = self.lock.hold();
        // SAFETY: this thread holds the lock until `_held` is dropped, after `work` has ended, so
        // this is the only reference to the value (invariant 1).
        work(unsafe { &mut *self.value.get() })
    }

    /// Runs `work` on the value if the lock is free now; for signal handlers, which must not wait.
    #[cfg(any(unix, test))]
    pub(crate) fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.lock.try_acquire() {
            return None;
        }
        let _held = Held(&self.lock);
        // SAFETY: as in `with`.
        Some(work(unsafe { &mut *self.value.get() }))
    }

    #[cfg(any(unix, windows))]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    /// Takes the lock if it is free, for [`release_held`](Self::release_held).
    #[cfg(all(feature = "std", target_os = "linux", not(all(test, loom))))]
    pub(crate) fn try_hold(&self) -> bool {
        self.lock.try_acquire()
    }

    /// Releases what [`try_hold`](Self::try_hold) took. Only its holder may call this.
    #[cfg(all(feature = "std", target_os = "linux", not(all(test, loom))))]
    pub(crate) fn release_held(&self) {
        self.lock.release();
    }

    /// The value, for the thread that holds the lock by other means than [`with`](Self::with)
    /// (invariant 1).
    #[cfg(all(feature = "std", target_os = "linux", not(all(test, loom))))]
    pub(crate) fn held(&self) -> *mut T {
        self.value.get()
    }
}

/// Releases the lock when dropped.
pub(crate) struct Held<'a>(&'a SpinLock);

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.release();
    }
}
