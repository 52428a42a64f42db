//! The counters of a shared pool, all in one cache line: who changes one of them pays for the line once.

use crate::sync::shared::{AtomicUsize, Ordering, Total};

/// What a shared pool counts.
///
/// # Invariants
///
/// 1. A block is counted in `exact` or `odd` after its bit was cleared, in `frees` before it is set, so
///    never more blocks are counted as live than have a clear bit.
/// 2. `requested_odd` is raised after `odd`, by no more than a block's size.
#[repr(align(64))]
pub(super) struct Counters {
    /// Blocks given out for requests of their very size.
    exact: Total,
    frees: Total,
    /// Blocks given out for lesser requests, and the bytes of these.
    odd: Total,
    requested_odd: Total,
    /// The most blocks that were live.
    peak: AtomicUsize,
}

impl Counters {
    #[cfg(not(loom))]
    pub(super) const fn new() -> Self {
        Self {
            exact: Total::new(),
            frees: Total::new(),
            odd: Total::new(),
            requested_odd: Total::new(),
            peak: AtomicUsize::new(0),
        }
    }

    #[cfg(loom)]
    pub(super) fn new() -> Self {
        Self {
            exact: Total::new(),
            frees: Total::new(),
            odd: Total::new(),
            requested_odd: Total::new(),
            peak: AtomicUsize::new(0),
        }
    }

    /// Counts a block that was given out.
    #[inline]
    pub(super) fn count_allocation(&self, requested: usize, bytes: usize) {
        if requested == bytes {
            self.exact.raise(1);
        } else {
            self.count_odd(requested);
        }
    }

    #[inline(never)]
    fn count_odd(&self, requested: usize) {
        self.odd.raise(1);
        self.requested_odd.raise(requested as u64);
    }

    /// Counts a block that is about to be given back.
    #[inline]
    pub(super) fn count_free(&self) {
        // The live blocks peak before some are freed, so allocating need not look.
        let live = self.live();
        // Relaxed: the peak stands for itself.
        if live > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(live, Ordering::Relaxed);
        }
        self.frees.raise(1);
    }

    /// Takes back what `count_free` counted: the block was free already.
    #[cold]
    pub(super) fn uncount_free(&self) {
        self.frees.take_back(1);
    }

    /// Returns the blocks given out so far.
    pub(super) fn allocations(&self) -> u64 {
        self.exact.get() + self.odd.get()
    }

    pub(super) fn frees(&self) -> u64 {
        self.frees.get()
    }

    /// Returns the live blocks, never more than there were at the end of the look.
    #[inline]
    pub(super) fn live(&self) -> usize {
        let allocations = self.allocations();
        // Read last, so a block counted as given back is not counted as live. Where it was given out
        // after the first look, there are more frees than allocations seen.
        allocations.saturating_sub(self.frees.get()) as usize
    }

    /// Returns the most blocks that were live, `live` of them now.
    pub(super) fn peak(&self, live: usize) -> usize {
        // Relaxed, as in `count_free`.
        self.peak.load(Ordering::Relaxed).max(live)
    }

    /// Returns the bytes asked for so far, in blocks of `bytes` bytes.
    pub(super) fn requested(&self, bytes: usize) -> u64 {
        // Before the blocks, which were counted first (invariant 2).
        let odd = self.requested_odd.get();
        self.exact.get() * bytes as u64 + odd
    }
}
