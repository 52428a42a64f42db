//! What counts as a violation, for how long, and how many there were.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::thread::THREAD;

/// How many modes of arming there are: with frees or without, stopping or counting.
pub(super) const MODES: usize = 4;

/// The bit of a mode that leaves frees out.
const NO_FREES: usize = 1;
/// The bit of a mode that counts instead of stopping.
const COUNTS: usize = 2;

/// What becomes of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Count,
    Stop,
}

impl Verdict {
    /// Judges a call by who is armed in which mode: the strictest counts.
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

/// What an armed [`GlobalGuard`](crate::GlobalGuard) takes for a violation, and what it does then.
/// Of several armings that are in force the strictest counts.
///
/// # Examples
///
/// ```
/// use loligo_allocators::Arming;
///
/// // A frame that may drop what was made elsewhere, and shall run to its end.
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

    /// Lets blocks be freed.
    #[must_use]
    pub const fn without_frees(self) -> Self {
        Self { no_frees: true, ..self }
    }

    /// Counts violations and goes on; [`violations`](crate::GlobalGuard::violations) tells them.
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
    /// Frees, where they are violations.
    pub frees: u64,
    /// Bytes that were asked for.
    pub bytes: u64,
}

/// Keeps its thread armed; see [`GlobalGuard::arm`](crate::GlobalGuard::arm).
#[must_use = "the thread is armed for as long as this lives"]
pub struct Armed<'g> {
    armings: &'g AtomicUsize,
    mode: usize,
    /// The thread's own counter is lowered when this is dropped, so it must not leave the thread.
    stays: PhantomData<*const ()>,
}

impl<'g> Armed<'g> {
    pub(super) fn new(armings: &'g AtomicUsize, arming: Arming) -> Self {
        let mode = arming.mode();
        THREAD.with(|thread| thread.arm(mode));
        // Relaxed: this thread sees it by program order, and for no other does anything follow from
        // it.
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
        // Relaxed: nothing is read on the strength of either. This thread sees both by program
        // order, and so does every thread that it starts or wakes from now on; others see them when
        // they arrive.
        mode.fetch_add(1, Ordering::Relaxed);
        armings.fetch_add(1, Ordering::Relaxed);
        Self { armings, mode }
    }
}

impl Drop for ArmedAll<'_> {
    fn drop(&mut self) {
        // Relaxed: a thread that sees one change and not yet the other finds itself armed a moment
        // longer or not at all, and either is right for a call beside this one.
        self.armings.fetch_sub(1, Ordering::Relaxed);
        self.mode.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for ArmedAll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArmedAll").finish_non_exhaustive()
    }
}
