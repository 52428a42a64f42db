//! The spin lock, and the only place of this crate that names the atomics of locks and of what
//! several threads share.

pub(crate) mod shared;

#[cfg(target_os = "linux")]
use core::cell::UnsafeCell;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

/// How many times a waiting thread looks at the lock before it lets others run.
const LOOKS: u32 = 64;

/// A lock of one byte that waits by looking again.
///
/// It needs no system and never allocates, so it may stand under `#[global_allocator]`. A waiting
/// thread looks 64 times, then yields its time slice (through std, or on Linux without it), since
/// the holder may be waiting for this very core. Elsewhere it goes on looking. It is neither fair
/// nor reentrant: a thread that takes it twice waits for ever.
///
/// # Complexity
///
/// One atomic exchange to take, one atomic store to give back; 1 byte.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Locked, SpinLock};
///
/// // `SpinLock` is what `Locked` uses unless told otherwise.
/// fn same<A>(locked: Locked<A>) -> Locked<A, SpinLock> {
///     locked
/// }
/// ```
pub struct SpinLock {
    held: AtomicBool,
}

impl SpinLock {
    /// Returns a lock that nobody holds.
    #[must_use]
    pub const fn new() -> Self {
        Self { held: AtomicBool::new(false) }
    }

    /// Waits until the lock is free and takes it.
    #[inline]
    pub(crate) fn acquire(&self) {
        // Acquire pairs with the Release in `release`: what the last holder wrote is seen here.
        if self.held.swap(true, Ordering::Acquire) {
            self.wait();
        }
    }

    /// Takes the lock if nobody holds it, without waiting.
    #[cfg(target_os = "linux")]
    pub(crate) fn try_acquire(&self) -> bool {
        // Acquire pairs with the Release in `release`, as in `acquire`.
        !self.held.swap(true, Ordering::Acquire)
    }

    #[cold]
    #[inline(never)]
    fn wait(&self) {
        let mut looks = 0;
        loop {
            // Relaxed: this look only decides when to try; the exchange below does the pairing.
            // Looking without writing leaves the cache line shared while others hold the lock.
            while self.held.load(Ordering::Relaxed) {
                if looks < LOOKS {
                    looks += 1;
                    core::hint::spin_loop();
                } else {
                    let_others_run();
                }
            }
            // Acquire pairs with the Release in `release`, as in `acquire`.
            if !self.held.swap(true, Ordering::Acquire) {
                return;
            }
        }
    }

    /// Gives the lock back. Only the holder may call this.
    #[inline]
    pub(crate) fn release(&self) {
        // Release pairs with the Acquire of the next holder.
        self.held.store(false, Ordering::Release);
    }
}

impl Default for SpinLock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SpinLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Relaxed: a momentary view for people; nothing is read on the strength of it.
        let held = self.held.load(Ordering::Relaxed);
        f.debug_struct("SpinLock").field("held", &held).finish()
    }
}

#[cfg(feature = "std")]
fn let_others_run() {
    std::thread::yield_now();
}

#[cfg(all(not(feature = "std"), target_os = "linux"))]
fn let_others_run() {
    // SAFETY: sched_yield takes nothing and touches no memory of the program.
    let _ = unsafe { libc::sched_yield() };
}

#[cfg(all(not(feature = "std"), not(target_os = "linux")))]
fn let_others_run() {
    core::hint::spin_loop();
}

/// A value that is reached through a [`SpinLock`] alone; the page allocator's state is one.
///
/// # Invariants
///
/// 1. `value` is touched only by the thread that holds `lock`, or through `&mut self`.
#[cfg(target_os = "linux")]
pub(crate) struct SpinCell<T> {
    lock: SpinLock,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one thread at a time reach the value (invariant 1), which so passes from
// thread to thread; `T: Send` allows that.
#[cfg(target_os = "linux")]
unsafe impl<T: Send> Sync for SpinCell<T> {}

#[cfg(target_os = "linux")]
impl<T> SpinCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { lock: SpinLock::new(), value: UnsafeCell::new(value) }
    }

    /// Runs `work` on the value under the lock, which is given back also if `work` unwinds. `work`
    /// must not reach the same cell again.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        self.lock.acquire();
        let _held = Held(&self.lock);
        // SAFETY: this thread holds the lock until `_held` is dropped, after `work` has ended, so
        // this is the only reference to the value (invariant 1).
        work(unsafe { &mut *self.value.get() })
    }

    /// Runs `work` on the value if nobody holds the lock now; for signal handlers, which must not
    /// wait.
    pub(crate) fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if !self.lock.try_acquire() {
            return None;
        }
        let _held = Held(&self.lock);
        // SAFETY: as in `with`.
        Some(work(unsafe { &mut *self.value.get() }))
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

/// Gives the lock back when dropped.
struct Held<'a>(&'a SpinLock);

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.release();
    }
}
