//! What is wrong with a recording.

use core::error::Error;
use core::fmt;

use loligo_containers::EventError;

use super::RECORDING_VERSION;

/// A recording is damaged, cut off or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingError {
    /// Where what is wrong begins, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub kind: RecordingErrorKind,
}

/// What is wrong with a part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingErrorKind {
    /// The bytes do not begin as a recording does.
    NoRecording,
    /// It is in another version of the format.
    Version {
        /// The version.
        found: u32,
    },
    /// It is of a machine of the other byte order.
    ByteOrder,
    /// The bytes end within a header or a frame: the recording was cut off.
    Short {
        /// How many bytes are needed from there on.
        needed: u64,
        /// How many there are.
        left: u64,
    },
    /// The bytes were changed.
    Checksum {
        /// What they state.
        stated: u32,
        /// What they give.
        found: u32,
    },
    /// The events are none.
    Events(EventError),
    /// The end states another number of frames than there were.
    Frames {
        /// What it states.
        stated: u64,
        /// How many there were.
        found: u64,
    },
    /// Bytes follow the end.
    Trailing {
        /// How many.
        bytes: u64,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the recording is wrong at byte {}: ", self.offset)?;
        match self.kind {
            RecordingErrorKind::NoRecording => {
                f.write_str("it does not begin as a recording of input does")
            }
            RecordingErrorKind::Version { found } => write!(
                f,
                "it is in version {found} of the format, not {RECORDING_VERSION}; record again"
            ),
            RecordingErrorKind::ByteOrder => f.write_str(
                "it is of a machine of the other byte order; play it back on one of its kind",
            ),
            RecordingErrorKind::Short { needed, left } => write!(
                f,
                "it needs {needed} bytes more and has {left}; it was cut off, and is right up to here"
            ),
            RecordingErrorKind::Checksum { stated, found } => {
                write!(f, "the bytes were changed: their checksum is {found:08x}, not {stated:08x}")
            }
            RecordingErrorKind::Events(error) => error.fmt(f),
            RecordingErrorKind::Frames { stated, found } => {
                write!(f, "the end states {stated} frames, and there were {found}")
            }
            RecordingErrorKind::Trailing { bytes } => write!(f, "{bytes} bytes follow the end"),
        }
    }
}

impl Error for RecordingError {}
