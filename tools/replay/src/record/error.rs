//! Why a program cannot be recorded.

use core::error::Error;
use core::fmt;
use std::io;
use std::path::PathBuf;

use super::{After, OtherAllocator};

/// Why a program was not started, or nothing of it was recorded; each says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// There is no such program, or it may not be run.
    Missing {
        /// As it was named.
        program: PathBuf,
        /// What the system says, or that no folder of `PATH` has it.
        cause: io::Error,
    },
    /// It is neither a program of this system nor a script.
    NoProgram {
        /// The file.
        program: PathBuf,
        /// What it is instead.
        what: String,
    },
    /// It is linked statically, so nothing can be preloaded.
    Static {
        /// The file.
        program: PathBuf,
    },
    /// It is run with the rights of another user, so the system refuses to preload anything.
    SetUser {
        /// The file.
        program: PathBuf,
    },
    /// This build has no recorder.
    OtherSystem,
    /// The folder of the run cannot be made or used.
    Folder(io::Error),
    /// The path of the folder has a character that ends names in `LD_PRELOAD`.
    FolderName(PathBuf),
    /// The system did not start it.
    Start {
        /// The file.
        program: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// It ran, and its process had no recorder in it.
    NotLoaded {
        /// The file.
        program: PathBuf,
    },
    /// It ran with the recorder in it, and not one allocation came there.
    NoEvents {
        /// The file.
        program: PathBuf,
        /// The allocator that was found in it.
        allocator: Option<OtherAllocator>,
    },
    /// It ended before that came which the recording was to begin with.
    NeverBegan {
        /// The file.
        program: PathBuf,
        /// What did not come, or what nothing came after.
        after: After,
    },
    /// The recording cannot be read, or the trace not be written.
    Files(io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { program, cause } => write!(
                f,
                "{}: cannot be run: {cause}; check the name, or give the program's path",
                program.display()
            ),
            Self::NoProgram { program, what } => write!(
                f,
                "{}: {what}; give a program of this system for x86-64, or a script",
                program.display()
            ),
            Self::Static { program } => write!(
                f,
                "{}: is linked statically, so no recorder can be preloaded; link it dynamically, or \
                 let it record itself with loligo_allocators::recording; Go has its own profiler, pprof",
                program.display()
            ),
            Self::SetUser { program } => write!(
                f,
                "{}: runs with the rights of another user, so the system preloads nothing; record \
                 as that user, or a copy without the setuid and setgid bits",
                program.display()
            ),
            Self::OtherSystem => f.write_str(
                "programs are recorded on Linux with glibc on x86-64 only; elsewhere let the program \
                 record itself with loligo_allocators::recording",
            ),
            Self::Folder(cause) => write!(
                f,
                "cannot make a temporary folder for the recording: {cause}; set TMPDIR to a folder \
                 that may be written"
            ),
            Self::FolderName(folder) => write!(
                f,
                "{}: the recorder cannot be preloaded from a path with a blank or a colon; set \
                 TMPDIR to a folder without",
                folder.display()
            ),
            Self::Start { program, cause } => write!(
                f,
                "{}: cannot be started: {cause}; check that it runs without loligo",
                program.display()
            ),
            Self::NotLoaded { program } => write!(
                f,
                "{}: ran without the recorder, so nothing is recorded; see whether it has \
                 capabilities (getcap), clears its environment, or TMPDIR is mounted noexec",
                program.display()
            ),
            Self::NoEvents { program, allocator } => write!(
                f,
                "{}: made no allocation that the recorder saw{}",
                program.display(),
                missing_malloc(allocator.as_ref())
            ),
            Self::NeverBegan { program, after } => write!(
                f,
                "{}: ended and nothing is recorded: {}",
                program.display(),
                missing_beginning(*after)
            ),
            Self::Files(cause) => write!(
                f,
                "the recording cannot be read or written: {cause}; see whether the disk is full"
            ),
        }
    }
}

impl From<io::Error> for RecordError {
    fn from(cause: io::Error) -> Self {
        Self::Files(cause)
    }
}

impl Error for RecordError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Missing { cause, .. }
            | Self::Start { cause, .. }
            | Self::Folder(cause)
            | Self::Files(cause) => Some(cause),
            _ => None,
        }
    }
}

/// Returns why no allocation came, and the remedy.
fn missing_malloc(allocator: Option<&OtherAllocator>) -> String {
    match allocator {
        Some(allocator) => format!(": {allocator}; {}", allocator.remedy()),
        None => "; it may have its own malloc: let it use the system's, or record itself with \
                 loligo_allocators::recording"
            .to_owned(),
    }
}

/// Returns what did not come, and the remedy.
fn missing_beginning(after: After) -> String {
    match after {
        After::Mark(value) => format!(
            "no mark {value} came; see whether it calls loligo_frame_mark with that value, or name a \
             lower one"
        ),
        After::Events(count) => format!("it had at most {count} events; name a lower number"),
        _ => "it had no event after that time; name a shorter one".to_owned(),
    }
}
