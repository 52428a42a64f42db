//! Child processes for tests that exhaust something the whole process shares.

/// Forks, runs `work` in the child and returns its answer: 0 means that all went well, another
/// number is the line that found a fault. The child is alone, has a minute, and must not panic.
pub(super) fn run(work: impl FnOnce() -> u32) -> u32 {
    // SAFETY: the child calls system functions, the allocator under test and a malloc that survives
    // a fork (glibc's does); it leaves without running anything of the parent's.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "no child process");
    if child == 0 {
        // SAFETY: ends the child should it hang.
        unsafe { libc::alarm(60) };
        let line = work();
        report(line);
        // SAFETY: leaves at once.
        unsafe { libc::_exit(i32::from(line != 0)) };
    }
    let mut status = 0;
    // SAFETY: waits for the child just made.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child, "the child is there to wait for");
    status as u32
}

fn report(line: u32) {
    if line != 0 {
        crate::misuse::write_stderr(format_args!("the child found a fault at line {line}\n"));
    }
}

/// Ends the child's work with the line where a condition does not hold.
macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            return line!();
        }
    };
}
pub(super) use check;
