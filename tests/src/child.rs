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

/// A test of this binary that does jobs.
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
    test: &'static str,
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
    /// Tells whether it ended by itself and well.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

impl Child {
    /// Names the test, with its modules, that does the jobs. A job may take a minute.
    #[must_use]
    pub const fn new(test: &'static str) -> Self {
        Self { test, limit: Duration::from_secs(60) }
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
        let mut child = Command::new(env::current_exe()?)
            .args([self.test, "--exact", "--nocapture", "--test-threads=1"])
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
        // What was read before an error is all there is to tell.
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
