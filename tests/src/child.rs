//! Parts of a test that run in a process of their own, because they may abort or crash.
//!
//! The test binary starts itself again for one of its tests, with the job in an environment
//! variable. That test does the job where the variable is set and passes where it is not.

use core::time::Duration;
use std::env;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

/// The environment variable that holds the job.
const JOB: &str = "LOLIGO_TEST_JOB";

/// A test of this binary, or the whole program, that does jobs.
///
/// # Examples
///
/// ```no_run
/// use loligo_tests::Child;
///
/// const CHILD: Child = Child::new("jobs::child");
///
/// // In the test `jobs::child`:
/// if let Some(job) = CHILD.job() {
///     println!("this process does {job}");
/// }
///
/// // In any other:
/// let ended = CHILD.run("something that aborts")?;
/// assert!(!ended.succeeded());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// `None` where the program is not a test binary.
    test: Option<&'static str>,
    limit: Duration,
}

/// How a job's process ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Its status; `None` if it ran into the time limit and was stopped.
    pub status: Option<ExitStatus>,
}

impl Ended {
    /// Returns `true` if it ended by itself and well.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

impl Ended {
    /// Returns `true` if the system stopped it for touching memory that it must not.
    #[must_use]
    pub fn faulted(&self) -> bool {
        /// The numbers of SIGBUS and SIGSEGV on Linux.
        const FAULTS: [i32; 2] = [7, 11];
        self.signal().is_some_and(|signal| FAULTS.contains(&signal))
    }

    /// Returns `true` if it stopped itself, by an abort or an uncaught panic.
    #[must_use]
    pub fn aborted_or_panicked(&self) -> bool {
        /// The number of SIGABRT on Linux, and the exit status of a panic.
        const ABORT: i32 = 6;
        const PANIC: i32 = 101;
        self.signal() == Some(ABORT)
            || self.status.is_some_and(|status| status.code() == Some(PANIC))
    }

    #[cfg(unix)]
    fn signal(&self) -> Option<i32> {
        use std::os::unix::process::ExitStatusExt;
        self.status?.signal()
    }

    #[cfg(not(unix))]
    fn signal(&self) -> Option<i32> {
        None
    }
}

impl Child {
    /// Names the test, with its modules, that does the jobs. A job may take a minute.
    #[must_use]
    pub const fn new(test: &'static str) -> Self {
        Self { test: Some(test), limit: Duration::from_secs(60) }
    }

    /// Returns a child that is a program whose `main` asks for its [`job`](Self::job) first.
    #[must_use]
    pub const fn program() -> Self {
        Self { test: None, limit: Duration::from_secs(60) }
    }

    /// Gives a job so long before it is stopped.
    #[must_use]
    pub const fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the job of this process, if it was started for one.
    #[must_use]
    pub fn job(&self) -> Option<String> {
        env::var(JOB).ok()
    }

    /// Starts a process for `job` and waits for its end, or for the time limit.
    ///
    /// # Errors
    ///
    /// The system's, if it cannot start a process.
    pub fn run(&self, job: &str) -> io::Result<Ended> {
        let mut command = Command::new(env::current_exe()?);
        if let Some(test) = self.test {
            command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
        }
        let mut child = command
            .env(JOB, job)
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        // Both pipes are read at once, or a full one would stop the child. They close when it ends.
        let (sender, ended) = channel();
        let reader = thread::spawn(move || {
            let stderr = thread::spawn(move || text(stderr));
            let stdout = text(stdout);
            let texts = (stdout, stderr.join().unwrap_or_default());
            // The receiver waits for this, or has given up on the child and reads no more.
            let _ = sender.send(());
            texts
        });
        let status = match ended.recv_timeout(self.limit) {
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                None
            }
            _ => Some(child.wait()?),
        };
        let (stdout, stderr) = reader.join().unwrap_or_default();
        Ok(Ended { stdout, stderr, status })
    }
}

/// Reads a pipe to its end.
fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is all there is to report.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
