//! The counters, each by itself.

use super::Counters;
use crate::contract::stats::Stats;

#[test]
fn each_counter_is_exact() {
    let counters = Counters::new();
    counters.reserved(5000);
    counters.allocated(100, 128);
    counters.allocated(30, 32);
    counters.freed(100, 128);
    counters.allocated(7, 8);
    counters.released(3000);
    counters.reserved(100);
    let expected = Stats {
        live: 2,
        requested: 37,
        granted: 40,
        reserved: 2100,
        peak_requested: 130,
        peak_granted: 160,
        peak_reserved: 5000,
        allocations_total: 3,
        requested_total: 137,
        granted_total: 168,
        exact: true,
    };
    assert_eq!(counters.stats(true), expected, "two of three blocks are left");
    assert_eq!(counters.live(), 2, "two of three blocks are left");
    assert!(!counters.stats(false).exact, "as the allocator says");
}
