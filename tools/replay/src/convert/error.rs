//! Why data of another recorder is refused.

use core::error::Error;
use core::fmt;
use std::io;

use crate::trace::NoMemory;

/// Data that cannot be converted: of which file, where in it, and why.
#[derive(Debug)]
pub struct ConvertError {
    /// The file.
    pub file: String,
    /// The line that is wrong, counted from 1, where one is.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: ConvertErrorKind,
}

/// What is wrong with it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConvertErrorKind {
    /// The file cannot be opened, read or decompressed.
    Unreadable(io::Error),
    /// The file unpacks to more than its reader accepts.
    UnpacksTooFar {
        /// How much that is.
        bytes_max: u64,
    },
    /// There is no memory for what the file holds.
    NoMemory,
    /// The trace cannot be written.
    Unwritable(io::Error),
    /// The file is compressed with gzip.
    Gzip,
    /// The first line is of no recorder that is known.
    UnknownKind,
    /// heaptrack's data of another version.
    OtherVersion {
        /// The version, as the file has it.
        version: String,
    },
    /// A line that is longer than any that a recorder writes.
    LongLine,
    /// A line that is not as its recorder writes it.
    Malformed {
        /// What belongs there.
        wanted: &'static str,
    },
    /// A number that refers to something that was not named before.
    Unnamed {
        /// What it refers to.
        what: &'static str,
        /// The number.
        number: u64,
        /// How many are named.
        named: usize,
    },
    /// A free of a block that is not alive.
    NotLive,
    /// Several processes in one log, none of which was asked for.
    Processes {
        /// Their numbers, the first few.
        numbers: Vec<u64>,
    },
    /// No event of the process that was asked for.
    NoProcess {
        /// Its number.
        process: u64,
    },
}

impl From<io::Error> for ConvertError {
    fn from(error: io::Error) -> Self {
        Self { file: "the trace".into(), line: None, kind: ConvertErrorKind::Unwritable(error) }
    }
}

impl From<NoMemory> for ConvertErrorKind {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}; {}", self.kind, self.kind.remedy())
    }
}

impl Error for ConvertError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            ConvertErrorKind::Unreadable(error) | ConvertErrorKind::Unwritable(error) => {
                Some(error)
            }
            _ => None,
        }
    }
}

impl ConvertErrorKind {
    /// Returns what to do about it.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "check the path, and whether the file is whole",
            Self::UnpacksTooFar { .. } => "give --unpacked-max BYTES if you trust its author",
            Self::NoMemory => "end other programs, or record for a shorter time",
            Self::Unwritable(_) => "see whether the disk is full",
            Self::Gzip => "unpack it with gunzip",
            Self::UnknownKind => "give what heaptrack writes (.zst) or a log of Firefox's logalloc",
            Self::OtherVersion { .. } => "record with heaptrack 1.3 or later",
            Self::Processes { .. } => "choose one with --process",
            Self::NoProcess { .. } => "leave out --process to see which there are",
            _ => "the file is damaged, or of another version of its recorder; record again",
        }
    }
}

impl fmt::Display for ConvertErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::UnpacksTooFar { bytes_max } => {
                write!(f, "unpacks to more than {bytes_max} bytes")
            }
            Self::NoMemory => f.write_str("there is no memory for what it holds up to here"),
            Self::Unwritable(error) => write!(f, "cannot be written: {error}"),
            Self::Gzip => f.write_str("is compressed with gzip"),
            Self::UnknownKind => f.write_str("is of no known recorder"),
            Self::OtherVersion { version } => {
                write!(f, "heaptrack's data of version {version:?}, where 3 is known")
            }
            Self::LongLine => f.write_str("the line is longer than any recorder writes"),
            Self::Malformed { wanted } => write!(f, "malformed: {wanted} belongs there"),
            Self::Unnamed { what, number, named } => {
                write!(f, "{what} number {number}, of which {named} are named so far")
            }
            Self::NotLive => f.write_str("a free of a block that is not alive"),
            Self::Processes { numbers } => {
                let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
                write!(f, "holds several processes: {}", numbers.join(", "))
            }
            Self::NoProcess { process } => write!(f, "holds nothing of process {process}"),
        }
    }
}
