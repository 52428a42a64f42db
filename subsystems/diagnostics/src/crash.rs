//! The panic hook: one report for everything that stops the program.

use core::fmt::{self, Write as _};
use core::marker::PhantomData;
use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::io::{self, StderrLock, Write as _};
use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use std::{process, thread};

use loligo_allocators::set_misuse_handler;

use crate::call_stack::CallStack;
use crate::failure::{stop, stopping_at};
use crate::fixed_text::FixedText;
use crate::installed;
use crate::report::{Kind, Report};
use crate::report_file::{NAME_BYTES_MAX, PATH_BYTES_MAX, ReportFile};

/// How long the name of a program may be, in bytes.
const PROGRAM_BYTES_MAX: usize = 64;

/// How long a thread whose report is complete waits for other threads that are still writing
/// theirs.
const OTHERS_SECONDS_MAX: u64 = 2;

/// What happens when a report has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum After {
    /// The program is aborted, whichever thread failed.
    #[default]
    Abort,
    /// The panic goes on and unwinds the thread, for programs that catch panics. The misuse of an
    /// allocator aborts all the same.
    Unwind,
}

/// How a program reports what stops it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// What the program is called, perhaps with its version; up to 64 bytes.
    pub program: &'o str,
    /// The folder for crash reports; without one they go to standard error only.
    pub folder: Option<&'o Path>,
    /// What happens then.
    pub after: After,
    /// Called with each report when it has been written, on the thread that failed: to show it to a
    /// person, or to send it to a tool. If it panics, the program is aborted.
    pub observer: Option<fn(&Report<'_>)>,
}

/// Why nothing was installed. What was installed before still is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallError {
    /// The program's name is longer than 64 bytes.
    ProgramLength {
        /// How long it is, in bytes.
        bytes: usize,
    },
    /// The folder's name is too long.
    FolderLength {
        /// How long it is, in bytes.
        bytes: usize,
        /// How long it may be, in bytes.
        bytes_max: usize,
    },
    /// The folder's name is not UTF-8.
    FolderName,
    /// There is no such folder, or it cannot be seen.
    NoFolder,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ProgramLength { bytes } => {
                write!(f, "the name of the program has {bytes} bytes; {PROGRAM_BYTES_MAX} are enough")
            }
            Self::FolderLength { bytes, bytes_max } => write!(
                f,
                "the name of the folder for crash reports has {bytes} bytes, and {bytes_max} are the most; \
                 name one nearer to the root, or a relative path"
            ),
            Self::FolderName => {
                f.write_str("the name of the folder for crash reports is not UTF-8; name another")
            }
            Self::NoFolder => f.write_str(
                "the folder for crash reports is not there, or is no folder; create it before `install`",
            ),
        }
    }
}

impl core::error::Error for InstallError {}

/// Has every panic of the program and of its libraries, and every misuse of an allocator, end in a
/// report.
///
/// The report goes to standard error and, where a folder is given, to a file
/// `PROGRAM-crash-SECONDS-PROCESS-NUMBER.txt` in it, which is there as a whole or not at all; then
/// the program is aborted, or as [`Options::after`] says. Threads that fail at once report one
/// after the other.
///
/// Called again, it changes the options. What was the panic hook before is not called any more.
///
/// # Complexity
///
/// A call of the system. Nothing is allocated, and nothing is slower until something fails.
///
/// # Errors
///
/// [`InstallError`] if the folder is not there or a name is too long; nothing has changed then.
///
/// # Panics
///
/// On a thread that is panicking, if nothing was installed before.
///
/// # Examples
///
/// ```
/// use loligo_diagnostics::{Options, install};
///
/// let folder = std::env::temp_dir();
/// install(&Options { program: "demo 1.0", folder: Some(&folder), ..Options::default() })?;
/// # Ok::<(), loligo_diagnostics::InstallError>(())
/// ```
pub fn install(options: &Options<'_>) -> Result<(), InstallError> {
    let mut settings = Settings { after: options.after, observer: options.observer, ..NONE };
    if settings.program.write_str(options.program).is_err() {
        return Err(InstallError::ProgramLength { bytes: options.program.len() });
    }
    if let Some(folder) = options.folder {
        let name = folder.to_str().ok_or(InstallError::FolderName)?;
        let bytes_max = PATH_BYTES_MAX - NAME_BYTES_MAX - PROGRAM_BYTES_MAX;
        if name.len() > bytes_max {
            return Err(InstallError::FolderLength { bytes: name.len(), bytes_max });
        }
        if !(name.is_empty() || folder.is_dir()) {
            return Err(InstallError::NoFolder);
        }
        settings.has_folder = settings.folder.write_str(name).is_ok();
    }
    *locked() = settings;
    let again = installed::set();
    if again && thread::panicking() {
        // An observer that changes the options: std changes no hook while it calls it.
        return Ok(());
    }
    set_misuse_handler(Some(|report| stop(Kind::Misuse, format_args!("{report}"))));
    panic::set_hook(std::boxed::Box::new(hook));
    Ok(())
}

/// How many threads have something to report and are not done.
static REPORTING: AtomicUsize = AtomicUsize::new(0);

/// What was installed. Held while a report is written, so that no two of them mix.
static SETTINGS: Mutex<Settings> = Mutex::new(NONE);

const NONE: Settings = Settings {
    program: FixedText::new(),
    has_folder: false,
    folder: FixedText::new(),
    after: After::Abort,
    observer: None,
    reports: 0,
};

/// A copy of the installed options, which borrows nothing.
#[derive(Clone, Copy)]
struct Settings {
    program: FixedText<PROGRAM_BYTES_MAX>,
    has_folder: bool,
    folder: FixedText<PATH_BYTES_MAX>,
    after: After,
    observer: Option<fn(&Report<'_>)>,
    /// How many reports there were.
    reports: u32,
}

fn locked() -> MutexGuard<'static, Settings> {
    SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What std calls for every panic, before it unwinds or aborts.
fn hook(panic: &PanicHookInfo<'_>) {
    // SeqCst: of two threads that stop at once, one sees the other.
    REPORTING.fetch_add(1, Ordering::SeqCst);
    let place = panic.location();
    let kind = stopping_at(place).unwrap_or(Kind::Panic);
    let message = panic.payload_as_str().unwrap_or("(a panic without a text)");
    // Standard error first: a thread may panic while it holds that lock, and must not wait for
    // another that waits for the lock.
    let stderr = io::stderr().lock();
    let mut held = locked();
    held.reports += 1;
    let settings = *held;
    let thread = thread::current();
    let program = settings.program.as_str();
    let report = Report {
        program: if program.is_empty() { "the program" } else { program },
        kind,
        message,
        file: place.map_or("", Location::file),
        line: place.map_or(0, Location::line),
        column: place.map_or(0, Location::column),
        thread: thread.name().unwrap_or("without a name"),
        process: process::id(),
        stack: CallStack::capture(),
        of_this_thread: PhantomData,
    };
    tell(&settings, stderr, &report);
    drop(held);
    // It may install again, so it is called without the lock.
    if let Some(observer) = settings.observer {
        observer(&report);
    }
    let after = if kind == Kind::Misuse { After::Abort } else { settings.after };
    let left = REPORTING.fetch_sub(1, Ordering::SeqCst) - 1;
    if after == After::Abort {
        if left > 0 {
            // The last one aborts at once; a thread that hangs does not keep the program.
            thread::sleep(Duration::from_secs(OTHERS_SECONDS_MAX));
        }
        process::abort();
    }
}

/// Writes the report to where it goes.
fn tell(settings: &Settings, stderr: StderrLock<'_>, report: &Report<'_>) {
    let file = settings.has_folder.then(|| create_file(settings, report.process));
    let mut out = Out { stderr, file, line: FixedText::new() };
    // `out` returns no errors; a line that cannot be written is missing.
    let _ = write!(out, "{report}");
    out.finish();
}

fn create_file(settings: &Settings, process: u32) -> ReportFile {
    let seconds =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut program = FixedText::<PROGRAM_BYTES_MAX>::new();
    for character in settings.program.as_str().chars() {
        let is_plain = character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
        // It has as many characters as the program's name, each of a byte.
        let _ = program.write_char(if is_plain { character } else { '_' });
    }
    let number = settings.reports;
    let name = format_args!("{}-crash-{seconds}-{process}-{number}.txt", program.as_str());
    ReportFile::create(settings.folder.as_str(), name)
}

/// Standard error and the file, written line by line: when a later line fails, the earlier ones are
/// out already.
struct Out<'o> {
    stderr: StderrLock<'o>,
    file: Option<ReportFile>,
    line: FixedText<1_024>,
}

impl Out<'_> {
    fn flush(&mut self) {
        let part = self.line.as_str().as_bytes();
        // Without a standard error there is no place to report its failure.
        let _ = self.stderr.write_all(part);
        if let Some(file) = &mut self.file {
            file.write(part);
        }
        self.line.clear();
    }

    /// Ends the file and says where it is.
    fn finish(&mut self) {
        self.flush();
        let Some(file) = &mut self.file else { return };
        // As above.
        let _ = match file.finish() {
            Ok(path) => writeln!(self.stderr, "This report is in {}", path.display()),
            Err(error) => {
                let path = file.path().display();
                writeln!(
                    self.stderr,
                    "This report could not be written to {path}: {error}; look whether the folder may be \
                     written to and the disk has room"
                )
            }
        };
    }
}

impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive('\n') {
            let mut rest = part;
            loop {
                rest = &rest[self.line.fill(rest)..];
                if rest.is_empty() {
                    break;
                }
                self.flush();
            }
            if part.ends_with('\n') {
                self.flush();
            }
        }
        Ok(())
    }
}
