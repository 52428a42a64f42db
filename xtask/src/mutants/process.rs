//! A process that may not run for ever, nor take all memory.

use core::time::Duration;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;

use crate::outcome::Failure;

/// The memory that a process may have, in KiB, and the blocks of 512 bytes that it may write. Tests
/// of peers map regions of 4 GiB, of which they touch little.
const MEMORY_KIB: u64 = 5 << 20;
const BLOCKS: u64 = 1 << 20;

/// How much of the output is read, in bytes.
const OUTPUT_MAX: usize = 1 << 20;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With status 0.
    Passed,
    /// With another, or by a signal; with what it wrote.
    Failed(String),
    /// By us, or for having computed too long.
    TimedOut(String),
}

/// The time that a process may take, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// Of a processor; the time of other processes does not count.
    pub(super) computing: u64,
    /// Of the clock; very generous, and met only by those that wait for ever.
    pub(super) waiting: u64,
}

/// Returns a program that runs within limits; the caller adds its arguments and folder.
pub(super) fn limited(program: &Path, limit: Limit) -> Command {
    shell(program, limit, "exec nice -n 10 \"$0\" \"$@\"")
}

/// Returns such a program that writes the times it took to a file, for [`computed`].
pub(super) fn timed(program: &Path, limit: Limit, times: &Path) -> Command {
    let mut command = shell(
        program,
        limit,
        "nice -n 10 \"$0\" \"$@\"; status=$?; times > \"$LOLIGO_TIMES\"; exit $status",
    );
    command.env("LOLIGO_TIMES", times);
    command
}

fn shell(program: &Path, limit: Limit, run: &str) -> Command {
    let mut command = Command::new("sh");
    // The kernel kills at the hard limit; at the soft one its signal shows that time was the
    // reason.
    let (seconds, hard) = (limit.computing, limit.computing + 5);
    command.arg("-c").arg(format!(
        "ulimit -c 0; ulimit -S -t {seconds}; ulimit -H -t {hard}; ulimit -d {MEMORY_KIB}; \
         ulimit -f {BLOCKS}; {run}"
    ));
    command.arg(program);
    command
}

/// Returns how long a program computed, in seconds, as the shell says: lines of user's and system's
/// times, the shell's own before those of its children.
pub(super) fn computed(times: &str) -> Option<f64> {
    let children = times.lines().nth(1)?;
    let mut sum = 0.0;
    for time in children.split_whitespace() {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        sum += minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?;
    }
    Some(sum)
}

/// Runs such a program; what it writes goes into `output`, a file of the caller's alone.
///
/// # Errors
///
/// [`Failure::Unable`] if it cannot start.
pub(super) fn run(command: &mut Command, limit: Limit, output: &Path) -> Result<End, Failure> {
    use std::os::unix::process::CommandExt as _;

    let unable = |error| Failure::io("cannot run a test program", &error);
    let file = File::create(output).map_err(unable)?;
    let twin = file.try_clone().map_err(unable)?;
    command.stdin(Stdio::null()).stdout(file).stderr(twin).process_group(0);
    let mut child = command.spawn().map_err(unable)?;
    let group = child.id();
    let (status, is_killed) = std::thread::scope(|scope| {
        let (ended, wait) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let limit = Duration::from_secs(limit.waiting);
            let is_late = wait.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                kill(group);
            }
            is_late
        });
        let status = child.wait();
        let _ = ended.send(());
        (status, watch.join().unwrap_or(false))
    });
    let status = status.map_err(unable)?;
    if status.success() {
        return Ok(End::Passed);
    }
    // Children that outlive their parent, as after a crash.
    kill(group);
    let said = fs::read(output).unwrap_or_default();
    let said = String::from_utf8_lossy(&said[..said.len().min(OUTPUT_MAX)]).into_owned();
    if matches!(status.code(), Some(126 | 127)) {
        return Err(Failure::Unable(format!("a test program cannot be run: {said}")));
    }
    Ok(if is_killed || computed_too_long(status) { End::TimedOut(said) } else { End::Failed(said) })
}

/// Ends all processes of a group.
fn kill(group: u32) {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("kill -KILL -{group}"));
    drop(command.stdout(Stdio::null()).stderr(Stdio::null()).status());
}

/// Whether the kernel ended a process for having used up its time.
fn computed_too_long(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    const SIGXCPU: i32 = 24;
    status.signal() == Some(SIGXCPU)
}
