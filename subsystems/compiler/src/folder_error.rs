//! Why an entry of a guarded folder is refused.

use core::error::Error;
use core::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An entry that is not what it should be, or that the system refuses. It is printed as `path:
/// reason; remedy`.
#[derive(Debug)]
pub struct FolderError {
    path: PathBuf,
    kind: FolderErrorKind,
}

/// What is wrong with an entry.
#[derive(Debug)]
#[non_exhaustive]
pub enum FolderErrorKind {
    /// It is a symbolic link.
    Link,
    /// It is there and not a folder.
    NotAFolder,
    /// It is there and not a regular file.
    NotAFile,
    /// It is in a folder that only the compiler writes to, and has a name that the compiler gives
    /// to no file.
    Foreign,
    /// It is not in the project: its path leads out of it, or a link does.
    Outside,
    /// It is not the name of an entry: it has several steps, or is `.` or `..`.
    Name,
    /// It has more bytes than are read.
    TooLong {
        /// How many are.
        bytes_max: u64,
    },
    /// What the system says.
    Io(io::Error),
}

impl FolderError {
    pub(crate) fn new(path: &Path, kind: FolderErrorKind) -> Self {
        Self { path: path.to_owned(), kind }
    }

    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::new(path, FolderErrorKind::Io(error))
    }

    /// Returns which entry it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what is wrong with it.
    #[must_use]
    pub fn kind(&self) -> &FolderErrorKind {
        &self.kind
    }

    /// Returns what the system says, and [`io::ErrorKind::Other`] where it is not the system that
    /// refuses.
    #[must_use]
    pub fn io_kind(&self) -> io::ErrorKind {
        match &self.kind {
            FolderErrorKind::Io(error) => error.kind(),
            _ => io::ErrorKind::Other,
        }
    }
}

impl fmt::Display for FolderErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link => f.write_str("is a link, and no link is followed here; remove it"),
            Self::NotAFolder => f.write_str("is not a folder; move it elsewhere"),
            Self::NotAFile => f.write_str("is not a regular file; move it elsewhere"),
            Self::Foreign => f.write_str("was not written by a compile; move it elsewhere"),
            Self::Outside => f.write_str("is not in the project; copy the file into it"),
            Self::Name => {
                f.write_str("is not a name in this folder; give one without `/` and `..`")
            }
            Self::TooLong { bytes_max } => {
                write!(f, "has more than {bytes_max} bytes; split it or make it smaller")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.kind)
    }
}

impl Error for FolderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            FolderErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FolderError> for io::Error {
    fn from(error: FolderError) -> Self {
        match error.kind {
            FolderErrorKind::Io(error) => error,
            _ => Self::other(error),
        }
    }
}
