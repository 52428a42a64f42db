//! The counters of a shared proxy, and the order in which they change and are read.

use core::alloc::Layout;

use crate::contract::stats::Stats;
use crate::threads::sync::shared::{AtomicUsize, Ordering, Total};

/// The counters of a shared proxy, alone in a cache line: the proxy's name, backing and budget,
/// which every call reads, stay in the caches of all cores.
///
/// # Invariants
///
/// 1. Live bytes are raised before `allocations` and lowered after `frees`, so at every moment
///    there are at least as many bytes as blocks (`allocations - frees`), as each block has a byte.
/// 2. `granted` is raised before `requested`, by at least as much in all.
#[repr(align(64))]
pub(super) struct Counters {
    bytes: AtomicUsize,
    /// The greatest number of live bytes.
    peak: AtomicUsize,
    allocations: Total,
    frees: Total,
    requested: Total,
    granted: Total,
}

impl Counters {
    #[cfg(not(all(test, loom)))]
    pub(super) const fn new() -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: Total::new(),
            frees: Total::new(),
            requested: Total::new(),
            granted: Total::new(),
        }
    }

    #[cfg(all(test, loom))]
    pub(super) fn new() -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            allocations: Total::new(),
            frees: Total::new(),
            requested: Total::new(),
            granted: Total::new(),
        }
    }

    /// Returns the live bytes.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        // Acquire pairs with the Release in `lower_bytes`: a thread that sees the bytes lowered
        // sees their free counted.
        self.bytes.load(Ordering::Acquire)
    }

    /// Adds live bytes and returns how many there are now.
    #[inline]
    pub(super) fn raise_bytes(&self, bytes: usize) -> usize {
        // Relaxed: what must come after it is published by the Release of `Total::raise`. As a
        // read-modify-write it continues the release sequence of earlier `lower_bytes` calls.
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// Adds live bytes if the sum is at most `most`, and returns the sum. Zero bytes can always be
    /// added, even if rounding that could not be undone has exceeded the limit.
    #[inline]
    pub(super) fn raise_within(&self, bytes: usize, most: usize) -> Option<usize> {
        let add =
            |live: usize| live.checked_add(bytes).filter(|&after| after <= most || bytes == 0);
        // Relaxed, as in `raise_bytes`: the number alone decides, and its changes have one order.
        let before = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        before.ok().map(|before| before + bytes)
    }

    /// Subtracts live bytes.
    #[inline]
    pub(super) fn lower_bytes(&self, bytes: usize) {
        if bytes != 0 {
            // Release pairs with the Acquire in `bytes`.
            self.bytes.fetch_sub(bytes, Ordering::Release);
        }
    }

    /// Raises the peak to `live` bytes.
    #[inline]
    pub(super) fn note_peak(&self, live: usize) {
        // Relaxed: no other value depends on the peak.
        if live > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(live, Ordering::Relaxed);
        }
    }

    /// Counts a block whose bytes are counted already.
    #[inline]
    pub(super) fn count_allocation(&self, requested: usize, granted: usize) {
        self.granted.raise(granted as u64);
        self.requested.raise(requested as u64);
        self.allocations.raise(1);
    }

    /// Adds a block's growth to the totals; its live bytes are already counted.
    pub(super) fn count_growth(&self, old: Layout, new: Layout, before: usize, after: usize) {
        if after > before {
            self.granted.raise((after - before) as u64);
            self.requested.raise(new.size().saturating_sub(old.size()) as u64);
        }
    }

    /// Counts a block of `bytes` bytes that was freed in the backing.
    #[inline]
    pub(super) fn count_free(&self, bytes: usize) {
        self.frees.raise(1);
        self.lower_bytes(bytes);
    }

    pub(super) fn stats(&self) -> Stats {
        // Frees first, so that the result never has more frees than allocations.
        let frees = self.frees.get();
        let allocations = self.allocations.get();
        let bytes = self.bytes();
        // Relaxed: no other value depends on the peak.
        let peak = self.peak.load(Ordering::Relaxed).max(bytes);
        // Requested first, for the same reason (invariant 2).
        let requested_total = self.requested.get();
        let granted_total = self.granted.get();
        Stats {
            live: allocations.wrapping_sub(frees) as usize,
            requested: bytes,
            granted: bytes,
            reserved: bytes,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: peak,
            allocations_total: allocations,
            requested_total,
            granted_total,
            exact: false,
        }
    }

    /// Returns `true` if there is at least a byte for each live block, as far as can be decided: if
    /// no block was allocated or freed between the reads, invariant 1 holds for the values read.
    pub(super) fn agree(&self) -> bool {
        let before = (self.frees.get(), self.allocations.get());
        let bytes = self.bytes();
        let after = (self.frees.get(), self.allocations.get());
        let live = before.1.wrapping_sub(before.0);
        before != after || bytes as u64 >= live
    }
}
