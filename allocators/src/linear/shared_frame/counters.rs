//! The cursor of a shared frame and its counters, in one cache line: the thread that moves the
//! cursor loads the line once.

use crate::contract::stats::Stats;
use crate::threads::sync::shared::{AtomicUsize, Ordering, Total};

/// Cursor and counters.
///
/// # Invariants
///
/// 1. A block's bytes are counted as granted after they are taken, and as freed before they are
///    given up, so the live count never exceeds the region's bytes.
/// 2. `requested_odd` is raised after `granted_odd`, by at most as much.
#[repr(align(64))]
pub(super) struct Counters {
    /// The offset of the last block's end.
    pub(super) cursor: AtomicUsize,
    allocations: Total,
    frees: Total,
    freed: Total,
    /// Bytes granted for requests of multiples of 8.
    exact: Total,
    /// Bytes granted for other requests, and the bytes that they requested.
    granted_odd: Total,
    requested_odd: Total,
    peak: AtomicUsize,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self {
            cursor: AtomicUsize::new(0),
            allocations: Total::new(),
            frees: Total::new(),
            freed: Total::new(),
            exact: Total::new(),
            granted_odd: Total::new(),
            requested_odd: Total::new(),
            peak: AtomicUsize::new(0),
        }
    }

    /// Counts a block that was taken.
    #[inline]
    pub(super) fn count_allocation(&self, requested: usize, granted: usize) {
        self.count_bytes(requested, granted);
        self.allocations.raise(1);
    }

    #[inline]
    fn count_bytes(&self, requested: usize, granted: usize) {
        if requested == granted {
            self.exact.raise(granted as u64);
        } else {
            self.granted_odd.raise(granted as u64);
            self.requested_odd.raise(requested as u64);
        }
    }

    fn granted(&self) -> u64 {
        self.exact.get() + self.granted_odd.get()
    }

    /// Counts a block that is about to be given up.
    #[inline]
    pub(super) fn count_free(&self, bytes: usize) {
        self.note_peak();
        self.freed.raise(bytes as u64);
        self.frees.raise(1);
    }

    /// Counts a block that was resized in place.
    pub(super) fn count_resize(&self, old: usize, new: usize, before: usize, after: usize) {
        if after > before {
            self.count_bytes(new.saturating_sub(old), after - before);
        } else {
            self.note_peak();
            self.freed.raise((before - after) as u64);
        }
    }

    /// Counts everything as freed. No other thread uses the frame.
    pub(super) fn count_reset(&mut self) {
        self.note_peak();
        self.freed.raise(self.live_bytes() as u64);
        self.frees.raise(self.allocations.get() - self.frees.get());
    }

    /// The live bytes peak just before a free, so allocating does not update the peak.
    #[inline]
    fn note_peak(&self) {
        let live = self.live_bytes();
        // Relaxed: no other value depends on the peak.
        if live > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(live, Ordering::Relaxed);
        }
    }

    /// Returns the live bytes, at most the number at the end of the read.
    #[inline]
    fn live_bytes(&self) -> usize {
        let granted = self.granted();
        // Read last; by then, more may have been freed than the granted count that was read.
        granted.saturating_sub(self.freed.get()) as usize
    }

    pub(super) fn stats(&self, reserved: usize) -> Stats {
        let allocations = self.allocations.get();
        let live = allocations.saturating_sub(self.frees.get()) as usize;
        let bytes = self.live_bytes();
        // Relaxed: no other value depends on the peak.
        let peak = self.peak.load(Ordering::Relaxed).max(bytes);
        // Before the granted ones, which were raised first.
        let requested_odd = self.requested_odd.get();
        let exact = self.exact.get();
        Stats {
            live,
            requested: bytes,
            granted: bytes,
            reserved,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: reserved,
            allocations_total: allocations,
            requested_total: exact + requested_odd,
            granted_total: exact + self.granted_odd.get(),
            exact: false,
        }
    }

    /// Whether at most as much was freed as allocated.
    pub(super) fn agree(&self) -> bool {
        let (freed, frees) = (self.freed.get(), self.frees.get());
        freed <= self.granted() && frees <= self.allocations.get()
    }
}
