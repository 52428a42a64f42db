//! The CPU time of the thread: what every row is measured in, as other programs' turns do not
//! count.

/// Returns the CPU time of this thread in nanoseconds.
#[must_use]
pub(crate) fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is that of a live timespec.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0, "the thread's CPU clock is there on every Linux");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Runs `work` and returns the CPU time that it took in nanoseconds.
#[inline(always)]
pub(crate) fn time(work: impl FnOnce()) -> u64 {
    let from = thread_cpu_ns();
    work();
    thread_cpu_ns() - from
}
