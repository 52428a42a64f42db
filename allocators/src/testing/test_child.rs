//! Child processes for tests that exhaust a resource of the whole process, or check standard error;
//! files in memory.

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::format;
use std::fs::{self, File};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use crate::contract::misuse::write_stderr;

/// Forks, runs `work` in the child and returns its result: 0 means success, another number is the
/// line that found a fault. The child has one thread and one minute; a panic is reported as a
/// fault.
pub(crate) fn run(work: impl FnOnce() -> u32) -> u32 {
    // SAFETY: the child calls system functions, the allocator under test and a malloc that survives
    // a fork (glibc's does); it leaves without running anything of the parent's.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "no child process");
    if child == 0 {
        // SAFETY: ends the child should it hang.
        unsafe { libc::alarm(60) };
        let answer = catch_unwind(AssertUnwindSafe(work));
        report(&answer);
        // SAFETY: leaves at once.
        unsafe { libc::_exit(i32::from(!matches!(answer, Ok(0)))) };
    }
    let mut status = 0;
    // SAFETY: waits for the child just made.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child, "the child is there to wait for");
    status as u32
}

/// Runs `work` in a child as [`run`] does, and returns what it wrote to standard error.
pub(crate) fn said(work: impl FnOnce()) -> String {
    let (said, status) = ended(work);
    assert_eq!(status, 0, "the child ends well: {said}");
    said
}

/// As [`said`], with the status from `waitpid`, however the child ended.
pub(crate) fn ended(work: impl FnOnce()) -> (String, u32) {
    let file = MemoryFile::new();
    let status = run(|| {
        // SAFETY: both descriptors are open; standard error is the child's alone.
        if unsafe { libc::dup2(file.0.as_raw_fd(), 2) } != 2 {
            return line!();
        }
        work();
        0
    });
    (String::from_utf8(file.bytes()).expect("what is written is text"), status)
}

/// A file that is deleted with its last descriptor.
pub(crate) struct MemoryFile(File);

impl MemoryFile {
    pub(crate) fn new() -> Self {
        // SAFETY: the name is text that ends with a zero.
        let descriptor = unsafe { libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC) };
        assert!(descriptor >= 0, "no file in memory");
        // SAFETY: the descriptor was just created and is not shared.
        Self(unsafe { File::from_raw_fd(descriptor) })
    }

    /// Returns a path by which this process, or a child that it forks, can open the file.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        fs::read(self.path()).expect("the file is there")
    }
}

pub(crate) fn report(answer: &Result<u32, Box<dyn Any + Send>>) {
    match answer {
        Ok(0) => {}
        Ok(line) => write_stderr(format_args!("the child found a fault at line {line}\n")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map_or("", String::as_str);
            write_stderr(format_args!("the child panicked: {text}\n"));
        }
    }
}

/// Ends the child's work with the line of a failed condition, and prints it at once: dropping the
/// rest of the work may panic.
macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            $crate::testing::test_child::report(&Ok(line!()));
            return line!();
        }
    };
}
pub(crate) use check;
