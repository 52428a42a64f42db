//! A thread's state in a shared pool between calls: where to search, and its counters. Each place
//! is a separate cache line, so threads with different ones do not disturb each other.

use crate::threads::sync::shared::{AtomicUsize, Ordering, Total, thread_hint};

/// The number of places in a pool: up to this many threads need not share one, if they are lucky.
const PLACES: usize = 8;
/// The most chunks of a pool.
pub(super) const CHUNKS_MAX: usize = 32;

/// The place of one thread, or of several that happen to share it.
///
/// # Invariants
///
/// 1. A block is counted in `exact` or `odd` when it is allocated, once, and `requested_odd` is
///    raised after `odd`, by at most a block's size.
/// 2. `near` is zero or names a leaf of an existing chunk: one more than the leaf, times
///    `CHUNKS_MAX`, plus the number of the chunk.
#[repr(align(64))]
pub(super) struct Place {
    /// The leaf that the thread used last.
    near: AtomicUsize,
    /// Blocks allocated for requests of exactly their size.
    exact: Total,
    /// Blocks allocated for smaller requests, and the requested bytes of these.
    odd: Total,
    requested_odd: Total,
}

impl Place {
    #[cfg(not(all(test, loom)))]
    const fn new() -> Self {
        Self {
            near: AtomicUsize::new(0),
            exact: Total::new(),
            odd: Total::new(),
            requested_odd: Total::new(),
        }
    }

    #[cfg(all(test, loom))]
    fn new() -> Self {
        Self {
            near: AtomicUsize::new(0),
            exact: Total::new(),
            odd: Total::new(),
            requested_odd: Total::new(),
        }
    }

    /// Returns the number of the chunk and of its leaf that was used last.
    #[inline]
    pub(super) fn near(&self) -> Option<(usize, usize)> {
        // Acquire pairs with the Release in `remember`: a thread that reads the number of a chunk
        // can access it.
        let near = self.near.load(Ordering::Acquire);
        let leaf = (near / CHUNKS_MAX).checked_sub(1)?;
        Some((near % CHUNKS_MAX, leaf))
    }

    /// Stores a leaf of a chunk that this thread can access.
    #[inline]
    pub(super) fn remember(&self, chunk: usize, leaf: usize) {
        let near = (leaf + 1) * CHUNKS_MAX + chunk;
        // Relaxed: only avoids the write if nothing changed.
        if self.near.load(Ordering::Relaxed) != near {
            // Release pairs with the Acquire in `near`.
            self.near.store(near, Ordering::Release);
        }
    }

    /// Counts an allocated block.
    #[inline]
    pub(super) fn count(&self, requested: usize, bytes: usize) {
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
}

/// All places of a pool.
pub(super) struct Places([Place; PLACES]);

impl Places {
    #[cfg(not(all(test, loom)))]
    pub(super) const fn new() -> Self {
        Self([const { Place::new() }; PLACES])
    }

    #[cfg(all(test, loom))]
    pub(super) fn new() -> Self {
        Self(core::array::from_fn(|_| Place::new()))
    }

    /// Returns this thread's place.
    #[inline]
    pub(super) fn own(&self) -> &Place {
        &self.0[thread_hint() >> (32 - PLACES.ilog2())]
    }

    /// Forgets all leaves; no other thread uses the pool.
    pub(super) fn forget(&mut self) {
        for place in &mut self.0 {
            // Relaxed: no other thread uses the pool.
            place.near.store(0, Ordering::Relaxed);
        }
    }

    /// Returns the blocks allocated so far and the bytes requested, if a block has `bytes` bytes.
    /// Others may count meanwhile, but the requested bytes never exceed the granted ones.
    pub(super) fn totals(&self, bytes: usize) -> (u64, u64) {
        self.0.iter().fold((0, 0), |(allocations, requested), place| {
            // The bytes before the blocks, which were counted first (invariant 1).
            let odd_bytes = place.requested_odd.get();
            let (exact, odd) = (place.exact.get(), place.odd.get());
            (allocations + exact + odd, requested + exact * bytes as u64 + odd_bytes)
        })
    }
}
