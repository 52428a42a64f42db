//! Running a program with the recorder in it.

use core::time::Duration;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use super::raw::{self, VARIABLE};
use super::read::{self, Raw};
use super::signals::Passing;
use super::{After, OtherAllocator, OtherAllocatorKind, Program, RecordError, other_allocator};
use crate::books::Summary;

/// The recorder, compiled by this crate's build script.
static RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/recorder.so"));

/// Programs whose memory comes from elsewhere have fewer events of their own: what the language's
/// runtime allocates as it starts and ends.
const FEW_OWN_EVENTS: u64 = 100;

/// With an allocator of the program's own, a recording of fewer events than this is of no use: they
/// are those of libraries.
const FEW_EVENTS: u64 = 1000;

/// Libraries of a program that has no events itself have fewer than this by starting, Python's too.
const FEW_EVENTS_OF_LIBRARIES: u64 = 10_000;

/// From how much memory on the recorded blocks are compared with it.
const MUCH_MEMORY_BYTES: u64 = 100 << 20;

/// The variable that names what the linker loads first.
const PRELOAD: &str = "LD_PRELOAD";

/// How a program is to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The events after which the recording stops and the program goes on unrecorded.
    ///
    /// The recorder's file has room for twice as many records of 48 bytes, and takes disk for those
    /// that are made.
    pub max_events: u64,
    /// Whether the processes that the program starts are recorded, too.
    pub children: bool,
    /// Whether and how call stacks are recorded.
    pub stacks: Option<StackSettings>,
    /// When the recording begins.
    pub after: After,
}

/// How call stacks are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSettings {
    /// How the callers are found.
    pub method: StackMethod,
    /// The most callers of a call site; of longer stacks the outer ones are missing. At most
    /// [`STACK_DEPTH_MAX`].
    pub depth: u32,
}

/// The most callers of a call site that are recorded.
pub const STACK_DEPTH_MAX: u32 = raw::DEPTH_MAX as u32;

/// How the callers of a call site are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StackMethod {
    /// By frame pointers: cheap, for programs that are compiled with them. Never reads outside the
    /// thread's own stack.
    #[default]
    Frames,
    /// By the unwinder of the C library: slower, for all programs with tables for exceptions.
    Unwinder,
}

impl Default for StackSettings {
    fn default() -> Self {
        Self { method: StackMethod::Frames, depth: 64 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_events: 5_000_000, children: false, stacks: None, after: After::Nothing }
    }
}

/// A program that was run and recorded. The recorder's files go when this goes.
#[derive(Debug)]
pub struct RecordedProgram {
    /// How it ended.
    pub status: ExitStatus,
    /// How long it ran.
    pub time: Duration,
    /// How often its process became another program by `exec` after it had begun to record. The
    /// recording is that of the last one.
    pub replaced: usize,
    /// The most memory that the program or one that it has started had in use; or one that this
    /// process has waited for before.
    pub peak_memory_bytes: u64,
    main: Raw,
    children: Vec<Child>,
    settings: Settings,
    /// Kept for its end, which removes it.
    _folder: TempDir,
}

/// A process that the recorded program has started.
#[derive(Debug)]
pub struct Child {
    /// Its number.
    pub process: u32,
    raw: Raw,
    settings: Settings,
}

/// Runs a program to its end with the recorder in it; its input, output and errors are this
/// process's.
///
/// # Errors
///
/// [`RecordError`] if it cannot be started, or ran without the recorder.
pub fn run(
    program: &Program,
    arguments: &[OsString],
    settings: &Settings,
) -> Result<RecordedProgram, RecordError> {
    let folder = folder()?;
    let library = folder.path().join("recorder.so");
    fs::write(&library, RECORDER).map_err(RecordError::Folder)?;
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments);
    command.env(PRELOAD, preload(&library)).env(VARIABLE, variable(folder.path(), settings));

    let signals = Passing::begin();
    let began = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|cause| RecordError::Start { program: program.path.clone(), cause })?;
    signals.to(child.id());
    thread::scope(|scope| {
        let (_ended, ends) = mpsc::channel::<()>();
        if let After::Time(time) = settings.after {
            let folder = folder.path();
            scope.spawn(move || {
                // It ends early where the program does.
                if ends.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    // Without room for it nothing is recorded, which is reported.
                    let _ = read::start(folder);
                }
            });
        }
        wait_for_end(child.id());
    });
    let time = began.elapsed();
    // From here on the process's number may become another's.
    drop(signals);
    let status = child.wait().map_err(RecordError::Files)?;

    let mut files = read::find(folder.path()).map_err(RecordError::Files)?;
    let main = files.remove(&child.id()).and_then(|mut of_main| Some((of_main.pop()?, of_main)));
    let Some((main, before)) = main else {
        return Err(RecordError::NotLoaded { program: program.path.clone() });
    };
    let peak_memory_bytes = children_peak_memory();
    if main.tickets == 0 {
        let allocator = other_allocator::find(&program.file);
        let program = program.path.clone();
        return Err(match settings.after {
            After::Nothing => RecordError::NoEvents { program, allocator },
            after => RecordError::NeverBegan { program, after },
        });
    }
    let children = files.into_iter().filter_map(|(process, mut files)| {
        Some(Child { process, raw: files.pop()?, settings: *settings })
    });
    Ok(RecordedProgram {
        status,
        time,
        replaced: before.len(),
        peak_memory_bytes,
        main,
        children: children.collect(),
        settings: *settings,
        _folder: folder,
    })
}

impl RecordedProgram {
    /// Writes the recording as a trace of version 2, and returns what is in it.
    ///
    /// # Complexity
    ///
    /// O(events). Memory for each live block and each call site, and the tables of symbols of the
    /// libraries that calls came from.
    ///
    /// # Errors
    ///
    /// What reading the recording or `out` returns.
    pub fn write(&self, out: impl Write) -> Result<Summary, RecordError> {
        read::convert(&self.main, out, self.settings.max_events).map_err(RecordError::Files)
    }

    /// Returns the processes that were recorded in addition to the program itself.
    #[must_use]
    pub fn children(&self) -> &[Child] {
        &self.children
    }

    /// Returns the allocator that the program brings with it, where the recording has next to
    /// nothing of the program itself; `summary` is what [`write`](Self::write) has returned.
    ///
    /// # Complexity
    ///
    /// O(symbols of the program).
    ///
    /// # Errors
    ///
    /// What reading the recording returns.
    pub fn other_allocator(
        &self,
        summary: &Summary,
    ) -> Result<Option<OtherAllocator>, RecordError> {
        if summary.program_events >= FEW_OWN_EVENTS || self.settings.after != After::Nothing {
            return Ok(None);
        }
        let file = self.main.program_file().map_err(RecordError::Files)?;
        let other = file.and_then(|file| other_allocator::find(Path::new(&file)));
        // Rust's library asks the system's allocator itself for a block a thread, and frees it. One of
        // the program's that wraps the system's passes on all that the program asks for.
        let of_threads = 2 * summary.threads as u64;
        let is_passed_on = summary.program_events > of_threads;
        Ok(other.filter(|other| other.kind != OtherAllocatorKind::RustGlobal || !is_passed_on))
    }

    /// Returns `true` if a recording has so few events that it is of no use where the program has
    /// another allocator.
    #[must_use]
    pub fn is_useless(&self, summary: &Summary) -> bool {
        summary.events < FEW_EVENTS
    }

    /// Returns `true` if the program's own code has next to no events and not a hundredth of the
    /// memory that it had in use was recorded: it may have an allocator that nothing is known of.
    /// Then again, the memory may be that of a program that it has started.
    #[must_use]
    pub fn is_memory_missed(&self, summary: &Summary) -> bool {
        summary.program_events < FEW_OWN_EVENTS
            && self.settings.after == After::Nothing
            && self.peak_memory_bytes > MUCH_MEMORY_BYTES
            && summary.peak_bytes < self.peak_memory_bytes / 100
    }

    /// Returns `true` if the program is CPython and takes small objects from its own pools, which are
    /// not recorded.
    ///
    /// # Errors
    ///
    /// What reading the recording returns.
    pub fn has_python_pools(&self) -> Result<bool, RecordError> {
        let maps = self.main.maps().map_err(RecordError::Files)?;
        let setting = std::env::var("PYTHONMALLOC").ok();
        Ok(other_allocator::has_python_pools(&maps, setting.as_deref()))
    }

    /// Returns `true` if no event is the program's own and its libraries have few: it may have an
    /// allocator that its symbols do not name. With many, the program is the libraries' work.
    #[must_use]
    pub fn is_of_libraries_only(&self, summary: &Summary) -> bool {
        summary.program_events == 0 && summary.events < FEW_EVENTS_OF_LIBRARIES
    }

    /// Returns how many events have no stack because the table of stacks was full.
    #[must_use]
    pub fn stacks_lost(&self) -> u64 {
        self.main.stacks_lost
    }

    /// Returns the exit status that a shell would see: of a program that a signal ended, 128 and
    /// its number.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        let code = self.status.code().or_else(|| self.status.signal().map(|signal| 128 + signal));
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
    }
}

impl Child {
    /// Returns its command line.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.raw.program
    }

    /// Writes its recording, as [`RecordedProgram::write`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn write(&self, out: impl Write) -> Result<Summary, RecordError> {
        read::convert(&self.raw, out, self.settings.max_events).map_err(RecordError::Files)
    }
}

/// Returns the time that the processor has spent so far in processes that this one has started and
/// waited for.
#[must_use]
pub fn children_cpu_time() -> Duration {
    // SAFETY: all zeros are a valid value of this type of the C library.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: the pointer is that of a live value of the type that is filled in.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    [usage.ru_utime, usage.ru_stime]
        .iter()
        .map(|time| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000))
        .sum()
}

/// Returns the most memory that any process had in use that this one has waited for.
fn children_peak_memory() -> u64 {
    // SAFETY: all zeros are a valid value of this type of the C library.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: the pointer is that of a live value of the type that is filled in.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024)
}

/// Makes the private folder of a run.
fn folder() -> Result<TempDir, RecordError> {
    if RECORDER.is_empty() {
        return Err(RecordError::OtherSystem);
    }
    let folder = tempfile::Builder::new()
        .prefix("loligo-record-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();
    let folder = folder.map_err(RecordError::Folder)?;
    let bytes = folder.path().as_os_str().as_bytes();
    // The linker splits at both, and knows no way to quote them.
    if bytes.iter().any(|byte| b" :;\t\n".contains(byte)) || !folder.path().is_absolute() {
        return Err(RecordError::FolderName(folder.path().to_owned()));
    }
    Ok(folder)
}

/// Puts the recorder before whatever is preloaded anyway.
fn preload(library: &Path) -> OsString {
    let mut preload = OsString::from(library);
    if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    preload
}

fn variable(folder: &Path, settings: &Settings) -> OsString {
    // A reallocation takes two records, so this is enough for `max_events` events.
    let capacity = settings.max_events.saturating_mul(2);
    let children = u8::from(settings.children);
    let (stacks, depth) = match settings.stacks {
        None => (raw::STACKS_OFF, 0),
        Some(StackSettings { method: StackMethod::Frames, depth }) => {
            (raw::STACKS_BY_FRAMES, depth)
        }
        Some(StackSettings { method: StackMethod::Unwinder, depth }) => {
            (raw::STACKS_BY_UNWINDER, depth)
        }
    };
    let depth = depth.min(STACK_DEPTH_MAX);
    let (after, value) = match settings.after {
        After::Nothing => (raw::AFTER_NOTHING, 0),
        After::Mark(value) => (raw::AFTER_MARK, value),
        After::Events(count) => (raw::AFTER_CALLS, count),
        After::Time(_) => (raw::AFTER_START, 0),
    };
    let numbers = format!("{capacity}:{children}:{stacks}:{depth}:{after}:{value}:");
    let mut variable = OsString::from(numbers);
    variable.push(folder);
    variable
}

/// Waits until a child has ended, and leaves its number taken.
fn wait_for_end(process: u32) {
    loop {
        // SAFETY: all zeros are a valid value of this type of the C library.
        let mut about: libc::siginfo_t = unsafe { core::mem::zeroed() };
        let options = libc::WEXITED | libc::WNOWAIT;
        // SAFETY: the pointer is that of a live value of the type that is filled in.
        let ended = unsafe { libc::waitid(libc::P_PID, process, &raw mut about, options) };
        if ended == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}
