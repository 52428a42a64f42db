//! One run of a command, and what it took.

use core::mem::MaybeUninit;
use core::time::Duration;
use std::ffi::OsString;
use std::fs;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use super::{Candidate, CheckError};
use crate::interrupt;

/// The variable that names what the linker loads first.
const PRELOAD: &str = "LD_PRELOAD";

/// The variable that names the file to which our libraries append how much they served.
const COUNTERS: &str = "LOLIGO_PRELOAD_COUNTERS";

/// The time after which a first run is ended.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// What a run took, with all processes that it waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Processor time in seconds.
    pub cpu: f64,
    /// Elapsed time in seconds.
    pub wall: f64,
    /// The most bytes of memory that one of its processes had at a time.
    pub peak: f64,
}

/// Runs a command under an allocator, for at most this time; returns what it took, and how it ended
/// in words.
pub(super) fn take(
    candidate: &Candidate,
    line: &str,
    most: Duration,
) -> Result<(Sample, String), CheckError> {
    let mut command = shell(candidate, line);
    let began = Instant::now();
    let (status, used) = run(&mut command, most).map_err(CheckError::System)?;
    let wall = began.elapsed().as_secs_f64();
    let Some(status) = status else {
        return Ok((Sample::default(), format!("has not ended after {} s", most.as_secs())));
    };
    let seconds = |time: libc::timeval| {
        let micros = u64::try_from(time.tv_usec).unwrap_or(0);
        let whole = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0));
        (whole + Duration::from_micros(micros)).as_secs_f64()
    };
    let sample = Sample {
        cpu: seconds(used.ru_utime) + seconds(used.ru_stime),
        wall,
        // Linux counts it in KiB.
        peak: used.ru_maxrss as f64 * 1024.0,
    };
    Ok((sample, words(status)))
}

/// Returns whether a command asks one of our libraries for memory.
pub(super) fn is_used(
    candidate: &Candidate,
    line: &str,
    folder: &Path,
) -> Result<bool, CheckError> {
    // The program may change its folder.
    let counters = fs::canonicalize(folder).map_err(CheckError::System)?.join("counters");
    let _ = fs::remove_file(&counters);
    let mut command = shell(candidate, line);
    command.env(COUNTERS, &counters);
    run(&mut command, LONGEST).map_err(CheckError::System)?;
    let served = fs::read_to_string(&counters).unwrap_or_default();
    // The shell is a program, too, unless it became the command.
    let of_programs = served.lines().filter(|line| !is_shell(line));
    let count = |line: &str| line.split('\t').nth(1)?.parse::<u64>().ok();
    Ok(of_programs.filter_map(count).any(|count| count > 0))
}

/// Returns `true` for the counters of a shell.
fn is_shell(line: &str) -> bool {
    let program = line.split('\t').next().unwrap_or_default();
    ["sh", "dash", "bash", "busybox"].contains(&program.rsplit('/').next().unwrap_or_default())
}

fn shell(candidate: &Candidate, line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    let line = match &candidate.program {
        Some(program) => line.replace(super::rust::PLACE, &quoted(program)),
        None => line.to_owned(),
    };
    command.arg("-c").arg(line);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(library) = &candidate.library {
        let mut preload = OsString::from(library);
        if let Some(before) = std::env::var_os(PRELOAD) {
            preload.push(":");
            preload.push(before);
        }
        command.env(PRELOAD, preload);
    }
    // SAFETY: it does nothing. With it the child is a copy of this process and no guest in it, so
    // that its peak is not that of this process: what a copy has is little.
    unsafe { command.pre_exec(|| Ok(())) };
    command
}

/// Returns a path as one word of a shell.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// Runs a command to its end, or for at most this time; returns how it ended, if it did, and what the
/// system counted of it.
fn run(command: &mut Command, most: Duration) -> io::Result<(Option<ExitStatus>, libc::rusage)> {
    // A separate group, which ends as a whole.
    let child = command.process_group(0).spawn()?;
    let process = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let has_ended = wait(process, most);
    if !has_ended {
        // SAFETY: the group is that of the child, which is not waited for yet.
        unsafe { libc::kill(-process, libc::SIGKILL) };
    }
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    let mut status = 0;
    loop {
        // SAFETY: both places may be written, and the process is a child that nobody else waits for.
        if unsafe { libc::wait4(process, &raw mut status, 0, used.as_mut_ptr()) } >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: zeros are a valid `rusage`, and the system has filled it.
    let used = unsafe { used.assume_init() };
    Ok((has_ended.then(|| ExitStatus::from_raw(status)), used))
}

/// Waits until a child has ended, for at most this time, or until somebody asks for the results so
/// far; returns whether it has ended. Where the system has no file for that, waits without an end.
fn wait(process: libc::pid_t, most: Duration) -> bool {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the call takes two numbers and returns a new descriptor or -1.
        let file = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
        let Ok(file) = i32::try_from(file) else { return true };
        if file < 0 {
            return true;
        }
        // SAFETY: the descriptor is new, and this alone has it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let mut entry = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let end = Instant::now() + most;
        loop {
            let left = end.saturating_duration_since(Instant::now()).as_millis();
            let left = i32::try_from(left).unwrap_or(i32::MAX);
            // SAFETY: the pointer is that of one live entry.
            match unsafe { libc::poll(&raw mut entry, 1, left) } {
                1 => return true,
                0 => return false,
                _ if interrupt::is_asked() => return false,
                _ => {}
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (process, most);
        true
    }
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exits with {code}"),
        (None, Some(signal)) => format!("is ended by signal {signal}"),
        (None, None) => "ends in an unknown way".to_owned(),
    }
}
