//! The definition of a violation, the scope of an arming, and the counts.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::thread::THREAD;

/// The number of modes: with frees or without, stopping or counting.
pub(super) const MODES: usize = 4;

/// The bit of a mode that permits frees.
const NO_FREES: usize = 1;
/// The bit of a mode that counts instead of stopping.
const COUNTS: usize = 2;

/// The consequence of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Count,
    Stop,
}

impl Verdict {
    /// Judges a call by the armed modes: the strictest applies.
    pub(super) fn of(is_armed: impl Fn(usize) -> bool, is_free: bool) -> Option<Self> {
        let covered = |mode| is_armed(mode) || (!is_free && is_armed(mode | NO_FREES));
        if covered(0) {
            Some(Self::Stop)
        } else if covered(COUNTS) {
            Some(Self::Count)
        } else {
            None
        }
    }
}

/// The violations of an armed [`GlobalGuard`](crate::GlobalGuard), and their consequence. Of
/// several active armings the strictest applies.
///
/// # Examples
///
/// ```
/// use loligo_allocators::Arming;
///
/// // A frame that may drop objects made elsewhere, and must run to its end.
/// const LENIENT: Arming = Arming::new().without_frees().count_only();
/// assert_ne!(LENIENT, Arming::new());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arming {
    no_frees: bool,
    counts: bool,
}

impl Arming {
    /// Stops at the first allocation, resize or free.
    #[must_use]
    pub const fn new() -> Self {
        Self { no_frees: false, counts: false }
    }

    /// Permits frees.
    #[must_use]
    pub const fn without_frees(self) -> Self {
        Self { no_frees: true, ..self }
    }

    /// Counts violations and continues; [`violations`](crate::GlobalGuard::violations) returns the
    /// counts.
    #[must_use]
    pub const fn count_only(self) -> Self {
        Self { counts: true, ..self }
    }

    pub(super) const fn mode(self) -> usize {
        (if self.no_frees { NO_FREES } else { 0 }) | (if self.counts { COUNTS } else { 0 })
    }
}

/// How often armed code reached the global heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// Allocations and resizes.
    pub allocations: u64,
    /// Frees, if they are violations.
    pub frees: u64,
    /// Requested bytes.
    pub bytes: u64,
}

/// Keeps its thread armed; see [`GlobalGuard::arm`](crate::GlobalGuard::arm).
#[must_use = "the thread is armed for as long as this lives"]
pub struct Armed<'g> {
    armings: &'g AtomicUsize,
    mode: usize,
    /// Dropping this lowers the thread's own counter, so it must not leave the thread.
    stays: PhantomData<*const ()>,
}

impl<'g> Armed<'g> {
    pub(super) fn new(armings: &'g AtomicUsize, arming: Arming) -> Self {
        let mode = arming.mode();
        THREAD.with(|thread| thread.arm(mode));
        // Relaxed: this thread sees it by program order, and other threads do not depend on it.
        armings.fetch_add(1, Ordering::Relaxed);
        Self { armings, mode, stays: PhantomData }
    }
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        // Relaxed: as in `new`.
        self.armings.fetch_sub(1, Ordering::Relaxed);
        THREAD.with(|thread| thread.disarm(self.mode));
    }
}

impl fmt::Debug for Armed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Armed").finish_non_exhaustive()
    }
}

/// Keeps all threads armed; see
/// [`GlobalGuard::arm_all_threads`](crate::GlobalGuard::arm_all_threads). Any thread may drop it.
#[must_use = "the threads are armed for as long as this lives"]
pub struct ArmedAll<'g> {
    armings: &'g AtomicUsize,
    mode: &'g AtomicUsize,
}

impl<'g> ArmedAll<'g> {
    pub(super) fn new(armings: &'g AtomicUsize, mode: &'g AtomicUsize) -> Self {
        // Relaxed: no other memory depends on either. This thread sees both by program order, and
        // so does every thread that it starts or wakes from now on; others when they become
        // visible.
        mode.fetch_add(1, Ordering::Relaxed);
        armings.fetch_add(1, Ordering::Relaxed);
        Self { armings, mode }
    }
}

impl Drop for ArmedAll<'_> {
    fn drop(&mut self) {
        // Relaxed: a thread that sees only one of the two changes is armed a moment longer or not
        // at all; both are correct for a concurrent call.
        self.armings.fetch_sub(1, Ordering::Relaxed);
        self.mode.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for ArmedAll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArmedAll").finish_non_exhaustive()
    }
}
