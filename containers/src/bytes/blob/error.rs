//! Why bytes are not a blob, or not one of the requested type.

use core::error::Error;
use core::fmt;

use super::{BLOB_ALIGN, BLOB_DEPTH};

/// Bytes that are not a blob of the requested type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobError {
    /// The bytes are at an address that is not a multiple of [`BLOB_ALIGN`]:
    /// [`BlobBytes`](super::BlobBytes) copies them to one that is.
    Misaligned {
        /// How many bytes past a multiple they begin.
        behind: usize,
    },
    /// They end before the header and the root do.
    Short {
        /// How many there are.
        bytes: usize,
        /// How many there must be at the least.
        needed: usize,
    },
    /// They do not begin as a blob does.
    NoBlob,
    /// They are in the byte order of another kind of machine.
    OtherEndian,
    /// They are in another version of the format.
    OtherVersion {
        /// The version.
        found: u32,
    },
    /// They were built for other structs than those of today: the resource is to be recompiled.
    OtherShape {
        /// The hash of the shapes that they were built for.
        found: u64,
        /// The hash of those of today.
        wanted: u64,
    },
    /// The header states another length than there is.
    OtherLength {
        /// What it states.
        told: u64,
        /// What there is.
        bytes: usize,
    },
    /// Something was changed.
    Checksum {
        /// What the header states.
        told: u64,
        /// What the bytes give.
        found: u64,
    },
    /// A field is wrong, or what it leads to.
    Part {
        /// Where the field, or what is wrong, begins.
        offset: usize,
        /// The struct and the field.
        field: &'static str,
        /// What is wrong with it.
        error: BlobPartError,
    },
}

/// What is wrong with a field, or what it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlobPartError {
    /// It ends past the bytes.
    Beyond {
        /// Where it would end.
        end: u64,
        /// Where the bytes end.
        bytes: usize,
    },
    /// It leads to itself or to its own struct.
    Backward,
    /// It is empty and leads somewhere.
    EmptyLeads,
    /// What it leads to is not aligned.
    Misaligned {
        /// What its offset must be a multiple of.
        align: usize,
    },
    /// Parts overlap: together they have more bytes than there are.
    Overlapping,
    /// It is in parts of parts, [`BLOB_DEPTH`] deep.
    TooDeep,
    /// Its text is not UTF-8.
    NoText,
    /// It is neither true nor false.
    NoBool {
        /// The byte.
        found: u8,
    },
    /// It is none of the enum's variants.
    NoVariant {
        /// The number.
        found: i64,
    },
    /// A type of the program's own refuses it.
    Refused,
}

impl fmt::Display for BlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misaligned { behind } => write!(
                f,
                "the blob begins {behind} bytes behind a multiple of {BLOB_ALIGN}; copy it to one"
            ),
            Self::Short { bytes, needed } => {
                write!(f, "{bytes} bytes are too few: header and root take {needed}")
            }
            Self::NoBlob => f.write_str("the bytes do not begin as a blob does"),
            Self::OtherEndian => f.write_str(
                "the blob was built for machines of the other byte order; build it for this one",
            ),
            Self::OtherVersion { found } => {
                write!(f, "the blob is in version {found} of the format; recompile it")
            }
            Self::OtherShape { found, wanted } => write!(
                f,
                "the blob was built for structs of shape {found:016x}, those of this program are \
                 {wanted:016x}; recompile it"
            ),
            Self::OtherLength { told, bytes } => {
                write!(f, "the header reports {told} bytes, but there are {bytes}")
            }
            Self::Checksum { told, found } => {
                write!(f, "the bytes were changed: their checksum is {found:016x}, not {told:016x}")
            }
            Self::Part { offset, field, error } => write!(f, "at byte {offset}, {field}: {error}"),
        }
    }
}

impl fmt::Display for BlobPartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { end, bytes } => {
                write!(f, "it would end at byte {end} of {bytes}")
            }
            Self::Backward => f.write_str("it leads to itself"),
            Self::EmptyLeads => f.write_str("it is empty and yet leads somewhere"),
            Self::Misaligned { align } => {
                write!(f, "what it leads to is not at a multiple of {align}")
            }
            Self::Overlapping => f.write_str("more bytes are led to than there are"),
            Self::TooDeep => write!(f, "it lies {BLOB_DEPTH} parts deep"),
            Self::NoText => f.write_str("its text is not UTF-8"),
            Self::Refused => f.write_str("its type refuses it"),
            Self::NoBool { found } => write!(f, "{found} is neither true nor false"),
            Self::NoVariant { found } => write!(f, "{found} is no variant of the enum"),
        }
    }
}

impl Error for BlobError {}
