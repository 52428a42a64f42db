//! The counters that every allocator keeps.

/// An allocator's counters at one moment. `requested <= granted <= reserved` always.
///
/// An allocator that does not record the requested bytes of a block counts the granted bytes as
/// requested, and sets `exact` to false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Live blocks.
    pub live: usize,
    /// Requested bytes of the live blocks (granted bytes if `exact` is false).
    pub requested: usize,
    /// Granted bytes of the live blocks, rounding included.
    pub granted: usize,
    /// Bytes taken from the backing allocator or the fixed region, live or not.
    pub reserved: usize,
    /// The greatest `requested` so far.
    pub peak_requested: usize,
    /// The greatest `granted` so far.
    pub peak_granted: usize,
    /// The greatest `reserved` so far.
    pub peak_reserved: usize,
    /// Blocks allocated since the allocator was created.
    pub allocations_total: u64,
    /// Bytes requested since the allocator was created; only grows, and is exact in every
    /// allocator.
    pub requested_total: u64,
    /// Bytes granted since the allocator was created; only grows.
    pub granted_total: u64,
    /// Whether `requested` counts requested bytes rather than granted ones.
    pub exact: bool,
}

impl Stats {
    /// Returns the bytes granted for each byte requested since the allocator was created; 1 if
    /// nothing was requested.
    #[must_use]
    pub fn waste_ratio(&self) -> f64 {
        if self.requested_total == 0 {
            1.0
        } else {
            self.granted_total as f64 / self.requested_total as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waste_is_what_is_granted_for_each_byte_asked() {
        assert!((Stats::default().waste_ratio() - 1.0).abs() < 1e-9, "nothing was asked");
        let stats = Stats { requested_total: 400, granted_total: 500, ..Stats::default() };
        assert!((stats.waste_ratio() - 1.25).abs() < 1e-9, "{}", stats.waste_ratio());
    }
}
