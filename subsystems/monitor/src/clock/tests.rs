//! Stamps become nanoseconds in their order, at the rate of the system's clock.

use std::time::Instant;

use super::{Clock, moment};

#[test]
fn times_keep_the_order_of_stamps() {
    for rate in [1e-3, 0.024, 1.0, 2.596_992, 1e3] {
        let clock = Clock::new(1 << 40, rate);
        assert!((clock.ticks_per_ns() / rate - 1.0).abs() < 1e-6, "{rate}");
        let stamps = (0..64).map(|shift| (1_u64 << shift).wrapping_sub(1));
        let mut last = 0;
        for stamp in stamps.filter(|stamp| *stamp < 1 << 60) {
            let ns = clock.ns(stamp);
            assert!(ns >= last, "{stamp} at {rate} is {ns} ns, after {last}");
            last = ns;
        }
        assert_eq!(clock.ns(0), 0, "before the first moment");
    }
}

#[test]
fn the_rate_is_that_of_the_machine() {
    let clock = Clock::start();
    let again = Clock::start();
    assert!(clock.ticks_per_ns().to_bits() == again.ticks_per_ns().to_bits(), "measured once");
    let (first, second) = (moment().0, moment().0);
    assert!(first <= second && second <= Instant::now(), "moments come in order");
}
