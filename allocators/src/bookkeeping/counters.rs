//! The single-threaded counters behind [`Stats`], for allocators that count each block.

use core::cell::Cell;

use crate::contract::stats::Stats;

#[cfg(test)]
mod tests;

/// Live counts, totals and peaks. Each call costs a few additions on one cache line.
///
/// An allocation of `requested` and `granted` bytes must be subtracted with the same two numbers.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    live: Cell<usize>,
    requested: Cell<usize>,
    granted: Cell<usize>,
    reserved: Cell<usize>,
    peak_requested: Cell<usize>,
    peak_granted: Cell<usize>,
    peak_reserved: Cell<usize>,
    allocations_total: Cell<u64>,
    requested_total: Cell<u64>,
    granted_total: Cell<u64>,
}

impl Counters {
    pub(crate) const fn new() -> Self {
        Self {
            live: Cell::new(0),
            requested: Cell::new(0),
            granted: Cell::new(0),
            reserved: Cell::new(0),
            peak_requested: Cell::new(0),
            peak_granted: Cell::new(0),
            peak_reserved: Cell::new(0),
            allocations_total: Cell::new(0),
            requested_total: Cell::new(0),
            granted_total: Cell::new(0),
        }
    }

    /// Counts a block whose requested size is recorded.
    #[inline]
    pub(crate) fn allocated(&self, requested: usize, granted: usize) {
        self.live.set(self.live.get() + 1);
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.requested_total.set(self.requested_total.get() + requested as u64);
        self.granted_total.set(self.granted_total.get() + granted as u64);
        raise(&self.requested, &self.peak_requested, requested);
        raise(&self.granted, &self.peak_granted, granted);
    }

    /// Subtracts what [`allocated`](Self::allocated) counted.
    #[inline]
    pub(crate) fn freed(&self, requested: usize, granted: usize) {
        self.live.set(self.live.get() - 1);
        self.requested.set(self.requested.get() - requested);
        self.granted.set(self.granted.get() - granted);
    }

    /// Counts memory taken from the backing.
    pub(crate) fn reserved(&self, bytes: usize) {
        raise(&self.reserved, &self.peak_reserved, bytes);
    }

    /// Counts memory returned to the backing.
    pub(crate) fn released(&self, bytes: usize) {
        self.reserved.set(self.reserved.get() - bytes);
    }

    /// Returns the number of live blocks.
    #[cfg(any(unix, windows, test))]
    pub(crate) fn live(&self) -> usize {
        self.live.get()
    }

    /// Returns the counters, with `exact` as given.
    pub(crate) fn stats(&self, exact: bool) -> Stats {
        Stats {
            live: self.live.get(),
            requested: self.requested.get(),
            granted: self.granted.get(),
            reserved: self.reserved.get(),
            peak_requested: self.peak_requested.get(),
            peak_granted: self.peak_granted.get(),
            peak_reserved: self.peak_reserved.get(),
            allocations_total: self.allocations_total.get(),
            requested_total: self.requested_total.get(),
            granted_total: self.granted_total.get(),
            exact,
        }
    }
}

#[inline]
fn raise(counter: &Cell<usize>, peak: &Cell<usize>, by: usize) {
    let now = counter.get() + by;
    counter.set(now);
    if now > peak.get() {
        peak.set(now);
    }
}
