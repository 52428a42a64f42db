//! Work done in forked children, so that it leaves nothing in this process, may end as it likes,
//! and can use the other cores.

use core::panic::AssertUnwindSafe;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::panic::catch_unwind;

/// A child at work.
struct Child {
    id: libc::pid_t,
    answer: File,
}

impl Child {
    /// Forks a child that does `work` and sends what it returns.
    fn start(work: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Self> {
        let (reader, mut writer) = pipe()?;
        // SAFETY: the child runs only what follows here and ends by `_exit`. The C library keeps
        // its malloc usable in the child of a program with threads, and no lock of ours is taken.
        let id = unsafe { libc::fork() };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        if id > 0 {
            return Ok(Self { id, answer: reader });
        }
        drop(reader);
        // SAFETY: prctl with these arguments changes a setting of the child alone: it ends when
        // this process does.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) };
        let answer = catch_unwind(AssertUnwindSafe(work));
        let code = match answer {
            Ok(Ok(answer)) => i32::from(writer.write_all(&answer).is_err()),
            Ok(Err(_)) | Err(_) => 1,
        };
        // SAFETY: ends the child without running the exit handlers of its parent.
        unsafe { libc::_exit(code) }
    }

    /// Waits for the child and returns what it sent; `None` if it failed or died.
    fn finish(mut self) -> Option<Vec<u8>> {
        let mut answer = Vec::new();
        let read = self.answer.read_to_end(&mut answer);
        let mut status = 0;
        // SAFETY: waits for our own child; the pointer is that of a live integer.
        while unsafe { libc::waitpid(self.id, &raw mut status, 0) } < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
        (read.is_ok() && status == 0).then_some(answer)
    }
}

/// Ends this process, a child, by a signal once it has used `seconds` seconds of CPU time: what
/// hangs in an allocator looks at no clock.
pub(crate) fn limit_cpu(seconds: u64) {
    let limit = libc::rlimit { rlim_cur: seconds, rlim_max: seconds };
    // SAFETY: the pointer is that of a live rlimit; a limit that the system refuses has no effect.
    unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) };
}

/// Makes a pipe whose ends are closed in programs that this process may start.
fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the pointer is that of two live integers.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptors are new and ours alone.
    let [reader, writer] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    Ok((reader.into(), writer.into()))
}

/// Does `work` in a child and returns its answer; `None` if it failed or died.
///
/// # Errors
///
/// The system's own where it gives no process or no pipe.
pub(crate) fn run(work: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    Ok(Child::start(work)?.finish())
}

/// Children at work, a few at a time; each answer comes back with the number of its job.
pub(crate) struct Children {
    most: usize,
    running: VecDeque<(usize, Child)>,
    answers: Vec<(usize, Option<Vec<u8>>)>,
}

impl Children {
    /// Lets at most `most` children work at a time, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), running: VecDeque::new(), answers: Vec::new() }
    }

    /// Starts a job, once there is room for it.
    ///
    /// # Errors
    ///
    /// The system's own where it gives no process or no pipe.
    pub(crate) fn start(
        &mut self,
        job: usize,
        work: impl FnOnce() -> io::Result<Vec<u8>>,
    ) -> io::Result<()> {
        while self.running.len() >= self.most {
            self.finish_oldest();
        }
        self.running.push_back((job, Child::start(work)?));
        Ok(())
    }

    /// Waits for all jobs and returns their answers; `None` for those that failed or died.
    pub(crate) fn finish(mut self) -> Vec<(usize, Option<Vec<u8>>)> {
        while !self.running.is_empty() {
            self.finish_oldest();
        }
        core::mem::take(&mut self.answers)
    }

    fn finish_oldest(&mut self) {
        if let Some((job, child)) = self.running.pop_front() {
            self.answers.push((job, child.finish()));
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        // An error on the way must not leave processes that nobody waits for.
        while !self.running.is_empty() {
            self.finish_oldest();
        }
    }
}

/// Returns how many cores there are to use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}

/// Held by tests that fork, and by tests that use what a child uses, so that no lock is held by
/// another thread at the time of a fork.
#[cfg(test)]
pub(crate) fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    // A test that failed has nothing to say about the next.
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
