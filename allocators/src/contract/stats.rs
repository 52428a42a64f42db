//! The counters that every allocator keeps.

/// An allocator's counters at one moment. `requested <= granted <= reserved` always.
///
/// An allocator that does not remember how many bytes were asked for a block counts what it granted
/// as requested and says so: `exact` is false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Live blocks.
    pub live: usize,
    /// Bytes asked for by the live blocks (granted bytes where `exact` is false).
    pub requested: usize,
    /// Bytes given to the live blocks, rounding included.
    pub granted: usize,
    /// Bytes taken from the backing allocator or the fixed region, live or not.
    pub reserved: usize,
    /// The greatest `requested` so far.
    pub peak_requested: usize,
    /// The greatest `granted` so far.
    pub peak_granted: usize,
    /// The greatest `reserved` so far.
    pub peak_reserved: usize,
    /// Blocks handed out since the allocator was made.
    pub allocations_total: u64,
    /// Bytes asked for since the allocator was made; only grows, and is as asked everywhere.
    pub requested_total: u64,
    /// Bytes granted since the allocator was made; only grows.
    pub granted_total: u64,
    /// Whether `requested` is what was asked rather than what was granted.
    pub exact: bool,
}

impl Stats {
    /// Returns the bytes granted for each byte asked since the allocator was made; 1 when nothing
    /// was asked.
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
