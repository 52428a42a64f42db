//! The counters of a shared proxy, and the order in which they change and are read.

use core::alloc::Layout;

use crate::contract::stats::Stats;
use crate::threads::sync::shared::{AtomicUsize, Ordering, Total};

/// What a shared proxy counts, in a cache line that holds nothing else: the proxy's name, backing
/// and budget, which every call reads, stay in the caches of all cores.
///
/// # Invariants
///
/// 1. Live bytes are raised before `allocations` and lowered after `frees`, so the bytes are never
///    fewer than the blocks `allocations - frees` at the same moment, as each block has a byte.
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
    #[cfg(not(loom))]
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

    #[cfg(loom)]
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
        // Acquire pairs with the Release in `lower_bytes`: a thread that sees bytes gone sees their
        // free counted.
        self.bytes.load(Ordering::Acquire)
    }

    /// Adds live bytes and returns how many there are now.
    #[inline]
    pub(super) fn raise_bytes(&self, bytes: usize) -> usize {
        // Relaxed: what must come after it is published by the Release of `Total::raise`. As a
        // read-modify-write it carries on the Release of lowerings before it.
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// Adds live bytes if there will be no more than `most`, and returns how many there are then.
    /// None can always be added: where rounding could not be undone there may be more already.
    #[inline]
    pub(super) fn raise_within(&self, bytes: usize, most: usize) -> Option<usize> {
        let add =
            |live: usize| live.checked_add(bytes).filter(|&after| after <= most || bytes == 0);
        // Relaxed, as in `raise_bytes`: the number alone decides, and its changes have one order.
        let before = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        before.ok().map(|before| before + bytes)
    }

    /// Takes live bytes away.
    #[inline]
    pub(super) fn lower_bytes(&self, bytes: usize) {
        if bytes != 0 {
            // Release pairs with the Acquire in `bytes`.
            self.bytes.fetch_sub(bytes, Ordering::Release);
        }
    }

    /// Remembers that `live` bytes were live at once.
    #[inline]
    pub(super) fn note_peak(&self, live: usize) {
        // Relaxed: the peak stands for itself.
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

    /// Counts what a block grew by in the totals, its live bytes being counted already.
    pub(super) fn count_growth(&self, old: Layout, new: Layout, before: usize, after: usize) {
        if after > before {
            self.granted.raise((after - before) as u64);
            self.requested.raise(new.size().saturating_sub(old.size()) as u64);
        }
    }

    /// Counts a block of `bytes` bytes that the backing has taken back.
    #[inline]
    pub(super) fn count_free(&self, bytes: usize) {
        self.frees.raise(1);
        self.lower_bytes(bytes);
    }

    pub(super) fn stats(&self) -> Stats {
        // Frees first, so that there are never more of them than of allocations.
        let frees = self.frees.get();
        let allocations = self.allocations.get();
        let bytes = self.bytes();
        // Relaxed: the peak stands for itself.
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

    /// Whether there is a byte for each live block, as far as can be told: if no block came or went
    /// while the bytes were read, invariant 1 holds for what was read.
    pub(super) fn agree(&self) -> bool {
        let before = (self.frees.get(), self.allocations.get());
        let bytes = self.bytes();
        let after = (self.frees.get(), self.allocations.get());
        let live = before.1.wrapping_sub(before.0);
        before != after || bytes as u64 >= live
    }
}
