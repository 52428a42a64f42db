//! Clocks and counters of the thread.

#[cfg(not(target_os = "linux"))]
compile_error!("replaying needs Linux: it reads clocks, faults and memory from its kernel");

use std::fs;

/// Returns the CPU time of this thread in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is that of a live timespec.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the thread's CPU clock is there on every Linux");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the minor page faults of this thread so far.
pub(crate) fn minor_faults() -> u64 {
    faults_of(libc::RUSAGE_THREAD)
}

/// Returns the minor page faults of all threads of this process so far.
pub(crate) fn process_minor_faults() -> u64 {
    faults_of(libc::RUSAGE_SELF)
}

fn faults_of(whose: libc::c_int) -> u64 {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is that of a live rusage.
    let result = unsafe { libc::getrusage(whose, usage.as_mut_ptr()) };
    assert_eq!(result, 0, "a process can always ask for its own usage");
    // SAFETY: all-zero bytes are a valid rusage, and the call filled it.
    let usage = unsafe { usage.assume_init() };
    usage.ru_minflt as u64
}

/// Returns how many bytes of memory the system says are free to use, or `u64::MAX` where it does
/// not say.
pub(crate) fn available_bytes() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    field_kb(&text, "MemAvailable:").map_or(u64::MAX, |kb| kb * 1024)
}

/// Returns the number after `name` in a file of `/proc` that counts in kB.
pub(crate) fn field_kb(text: &str, name: &str) -> Option<u64> {
    let rest = &text[text.find(name)? + name.len()..];
    rest.split_whitespace().next()?.parse().ok()
}

/// Reads the time-stamp counter once all earlier instructions are done.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_lfence() };
    // SAFETY: every x86-64 has a time-stamp counter, and Linux lets programs read it.
    unsafe { _rdtsc() }
}

/// Reads the monotonic clock on machines without a time-stamp counter.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is that of a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What ticks are worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickScale {
    /// Nanoseconds of a tick.
    ns: f64,
    /// Ticks that reading the counter twice costs by itself.
    overhead: u64,
}

impl TickScale {
    /// Measures the counter against the monotonic clock. Takes 20 ms.
    pub(crate) fn measure() -> Self {
        use core::time::Duration;
        use std::time::Instant;
        let (start, from) = (Instant::now(), ticks());
        while start.elapsed() < Duration::from_millis(20) {
            core::hint::spin_loop();
        }
        let (ticked, passed) = (ticks() - from, start.elapsed());
        let overhead = (0..10_000).map(|_| {
            let from = ticks();
            ticks() - from
        });
        Self { ns: passed.as_nanos() as f64 / ticked as f64, overhead: overhead.min().unwrap_or(0) }
    }

    /// Returns the nanoseconds of an operation that took `ticks`, the reading's own cost off.
    pub(crate) fn ns(self, ticks: u64) -> f64 {
        ticks.saturating_sub(self.overhead) as f64 * self.ns
    }
}
