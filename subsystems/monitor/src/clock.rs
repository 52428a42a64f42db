//! Time stamps, and what they are in nanoseconds.

use std::sync::OnceLock;
use std::time::Instant;

/// How long the counter is compared with the system's clock.
const CALIBRATION_NS: u64 = 2_000_000;

/// How often a moment is taken on both clocks; the one that took the least time is believed.
const LOOKS: u32 = 8;

/// Returns the machine's time stamp: a counter that runs at a constant rate.
///
/// On x86-64 the time-stamp counter, read without waiting for the instructions before it, on
/// AArch64 the virtual counter, elsewhere nanoseconds of the system's clock.
#[inline(always)]
#[must_use]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every processor of this kind has the counter, and reading it touches no memory.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: the counter may be read by every program and nothing else is touched.
        unsafe {
            core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
        }
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        static FIRST: OnceLock<Instant> = OnceLock::new();
        FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }
}

/// How stamps become nanoseconds: a moment from which time counts, and a rate.
///
/// The rate is measured once in a program, against the system's clock, for 2 ms, and never changes,
/// so that times stay in the order of their stamps. A stamp from before the first moment, as
/// another core may give where the cores' counters differ, is time 0.
///
/// # Examples
///
/// ```
/// use loligo_monitor::Clock;
///
/// let clock = Clock::new(1_000, 2.5);
/// assert_eq!(clock.ns(1_000 + 50), 20);
/// assert_eq!(clock.ns(999), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    first: u64,
    /// Nanoseconds of a tick, times 2^32.
    rate: u64,
}

impl Clock {
    /// Returns a clock that counts from the stamp `first`, at `ticks_per_ns` ticks a nanosecond.
    ///
    /// # Panics
    ///
    /// If the rate is not between 0.001 and 1000.
    #[must_use]
    pub fn new(first: u64, ticks_per_ns: f64) -> Self {
        assert!(
            (1e-3..=1e3).contains(&ticks_per_ns),
            "a counter of {ticks_per_ns} ticks a nanosecond is none that a machine has"
        );
        Self { first, rate: ((1_u64 << 32) as f64 / ticks_per_ns) as u64 }
    }

    /// Returns a clock that counts from now, at the machine's rate, which takes 2 ms to measure the
    /// first time.
    #[must_use]
    pub fn start() -> Self {
        static RATE: OnceLock<f64> = OnceLock::new();
        Self::new(ticks(), *RATE.get_or_init(measure))
    }

    /// Returns the nanoseconds from the first moment to the stamp `ticks`.
    #[inline]
    #[must_use]
    pub const fn ns(&self, ticks: u64) -> u64 {
        let since = ticks.saturating_sub(self.first) as u128;
        // Rounded to the nearest, which keeps their order.
        let ns = (since * self.rate as u128 + (1 << 31)) >> 32;
        if ns > u64::MAX as u128 { u64::MAX } else { ns as u64 }
    }

    /// Returns how many ticks a nanosecond has.
    #[must_use]
    pub fn ticks_per_ns(&self) -> f64 {
        (1_u64 << 32) as f64 / self.rate as f64
    }
}

/// Measures the ticks of a nanosecond.
fn measure() -> f64 {
    let (instant, stamp) = moment();
    while (instant.elapsed().as_nanos() as u64) < CALIBRATION_NS {
        core::hint::spin_loop();
    }
    let (later, later_stamp) = moment();
    let ns = later.duration_since(instant).as_nanos() as f64;
    // A machine whose counter does not advance gets a rate all the same: its stamps are all equal.
    (later_stamp.saturating_sub(stamp) as f64 / ns).clamp(1e-3, 1e3)
}

/// Returns a moment on both clocks, the closest of some looks: a look that was interrupted is far
/// apart.
fn moment() -> (Instant, u64) {
    let look = || {
        let before = ticks();
        let instant = Instant::now();
        let width = ticks().saturating_sub(before);
        (width, instant, before + width / 2)
    };
    let mut best = look();
    for _ in 1..LOOKS {
        let next = look();
        if next.0 < best.0 {
            best = next;
        }
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests;
