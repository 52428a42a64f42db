//! A separate process for what stops the process: this binary starts itself again for one test,
//! with a job.

use core::time::Duration;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::{env, fs, thread};

const JOB: &str = "LOLIGO_DIAGNOSTICS_JOB";
const FOLDER: &str = "LOLIGO_DIAGNOSTICS_FOLDER";

/// Beyond this a process counts as one that hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// How a job ended.
pub(crate) struct Ended {
    /// What it wrote to standard error.
    pub(crate) stderr: String,
    /// Whether it was aborted.
    pub(crate) is_aborted: bool,
    /// Its exit status, where it ended by itself.
    pub(crate) code: Option<i32>,
    /// The files in its folder: names and texts.
    pub(crate) files: Vec<(String, String)>,
}

impl Ended {
    /// Returns the text of the only file, which must have a report's name.
    pub(crate) fn report(&self) -> &str {
        let [(name, text)] = &self.files[..] else {
            panic!("one report was to be there, not {:?}; {}", self.files, self.stderr);
        };
        assert!(name.starts_with("job_1-crash-") && name.ends_with("-1.txt"), "{name}");
        text
    }

    /// Asserts that it was aborted, with this in the report, line after line, and the same on
    /// standard error.
    #[track_caller]
    pub(crate) fn assert_told(&self, lines: &[&str]) {
        let report = self.report();
        assert!(self.is_aborted, "{:?}; {}", self.code, self.stderr);
        let mut rest = report;
        for line in lines {
            let Some((_, behind)) = rest.split_once(line) else {
                panic!("`{line}` should be printed, after the lines before it: {report}");
            };
            rest = behind;
        }
        assert!(self.stderr.contains(report), "{report}\nbut on standard error: {}", self.stderr);
    }
}

/// Returns the job of this process and its folder.
pub(crate) fn job() -> Option<(String, String)> {
    Some((env::var(JOB).ok()?, env::var(FOLDER).ok()?))
}

/// Runs a job.
pub(crate) fn run(job: &str) -> Ended {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut child = Command::new(env::current_exe().expect("this program has a file"))
        .args(["jobs::job_of_this_process", "--exact", "--nocapture", "--test-threads=1"])
        .env(JOB, job)
        .env(FOLDER, folder.path())
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process can be started");
    let mut pipe = child.stderr.take().expect("it was asked for");
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // After an error, what was read before it is used.
        let _ = pipe.read_to_end(&mut bytes);
        // Nobody listens any more if it took too long.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let Ok(stderr) = receiver.recv_timeout(LIMIT) else {
        child.kill().expect("it can be stopped");
        panic!("the job {job} hangs");
    };
    let status = child.wait().expect("it has ended");
    Ended {
        stderr,
        is_aborted: is_aborted(status),
        code: status.code(),
        files: files(folder.path()),
    }
}

fn is_aborted(status: std::process::ExitStatus) -> bool {
    #[cfg(unix)]
    {
        /// The number of SIGABRT.
        const ABORT: i32 = 6;
        std::os::unix::process::ExitStatusExt::signal(&status) == Some(ABORT)
    }
    #[cfg(not(unix))]
    {
        !status.success()
    }
}

fn files(folder: &Path) -> Vec<(String, String)> {
    // A job may have removed its folder.
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .map(|entry| {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().expect("files have names").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("reports are text"))
        })
        .collect()
}
