//! Why a buddy allocator could not be made or opened.

use core::error::Error;
use core::fmt;

/// Why a buddy allocator could not be made or opened. The memory was not changed, unless the error
/// is [`Damaged`](Self::Damaged).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuddyError {
    /// The leaf is not a power of two, or smaller than the allocator allows.
    BadLeaf {
        /// The requested leaf.
        leaf_bytes: usize,
    },
    /// The memory has no room for a leaf besides the metadata.
    TooSmall {
        /// The given bytes.
        bytes: usize,
    },
    /// The tree would have more than 32 levels.
    TooManyLevels {
        /// The given bytes.
        bytes: usize,
    },
    /// The backing allocator has no memory left.
    NoMemory,
    /// The memory does not start with the header of a buddy allocator.
    NotAnArena,
    /// The arena was written by another version of this crate.
    WrongVersion {
        /// The version found.
        found: u32,
    },
    /// The memory is shorter than the arena.
    CutShort {
        /// The bytes that the arena needs.
        needed: usize,
        /// The given bytes.
        bytes: usize,
    },
    /// The memory is at an address at which an existing block loses its alignment.
    BadBase {
        /// The distance between the old and the new address must be a multiple of this.
        alignment: usize,
    },
    /// The header, a bit or a free list has a value that the allocator never writes.
    Damaged {
        /// The damage, in words.
        what: &'static str,
        /// The offset into the memory, in bytes.
        offset: usize,
    },
}

impl fmt::Display for BuddyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BadLeaf { leaf_bytes } => write!(
                f,
                "a leaf of {leaf_bytes} bytes is not possible; take a power of two of at least 16"
            ),
            Self::TooSmall { bytes } => write!(
                f,
                "{bytes} bytes have no room for a leaf; give more memory or smaller leaves"
            ),
            Self::TooManyLevels { bytes } => {
                write!(f, "{bytes} bytes need more than 32 levels; take larger leaves")
            }
            Self::NoMemory => f.write_str("the backing allocator has no memory left; give it more"),
            Self::NotAnArena => f.write_str(
                "the memory does not start with a buddy arena; pass the bytes as they were copied, \
                 from the first",
            ),
            Self::WrongVersion { found } => write!(
                f,
                "the arena has version {found}, which this crate does not read; make it again"
            ),
            Self::CutShort { needed, bytes } => {
                write!(f, "the arena needs {needed} bytes and {bytes} were given; pass all of it")
            }
            Self::BadBase { alignment } => write!(
                f,
                "blocks of the arena are aligned to {alignment} bytes; move it by a multiple of that"
            ),
            Self::Damaged { what, offset } => {
                write!(f, "the arena is damaged {offset} bytes in: {what}; take another copy")
            }
        }
    }
}

impl Error for BuddyError {}
