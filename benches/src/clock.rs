//! The CPU time of the thread, in which most rows are measured, as other programs' turns do not
//! count, and of the process.

/// Returns the CPU time of this thread in nanoseconds.
#[must_use]
pub(crate) fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of all threads of this process in nanoseconds.
#[must_use]
pub(crate) fn process_cpu_ns() -> u64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is that of a live timespec.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    assert_eq!(result, 0, "the CPU clocks are there on every Linux");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Runs `work` and returns the CPU time that it took in nanoseconds.
#[inline(always)]
pub(crate) fn time(work: impl FnOnce()) -> u64 {
    let from = thread_cpu_ns();
    work();
    thread_cpu_ns() - from
}
