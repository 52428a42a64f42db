//! Why a name is not taken, and why bytes are not a table.
#![forbid(unsafe_code)]

use core::error::Error;
use core::fmt;

use loligo_allocators::AllocError;

/// Why a name, or a table of names, was not taken. The builder is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupError<'n> {
    /// Two names have one hash: an error in the data, since ids could not distinguish them. Rename
    /// one, take 64-bit ids, or another seed.
    Collision {
        /// The hash of both.
        hash: u64,
        /// The name that was there.
        first: &'n str,
        /// The name that was to be added.
        second: &'n str,
    },
    /// The other table's names were hashed with another seed.
    OtherSeed {
        /// The builder's seed.
        ours: u64,
        /// The other table's.
        theirs: u64,
    },
    /// All names together would exceed 4 GiB, or 4 billion names.
    TooLarge {
        /// Bytes of text that there would be.
        text_bytes: u64,
    },
    /// The allocator refused.
    Memory(AllocError),
}

impl fmt::Display for LookupError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collision { hash, first, second } => write!(
                f,
                "{first:?} and {second:?} have one hash, {hash:08x}: rename one, take 64-bit ids, or \
                 another seed"
            ),
            Self::OtherSeed { ours, theirs } => write!(
                f,
                "the names to be added were hashed with seed {theirs:#x}, those here with {ours:#x}"
            ),
            Self::TooLarge { text_bytes } => {
                write!(f, "{text_bytes} bytes of names are more than one table holds; make several")
            }
            Self::Memory(error) => write!(f, "no memory for the names: {error}"),
        }
    }
}

impl Error for LookupError<'_> {}

impl From<AllocError> for LookupError<'_> {
    fn from(error: AllocError) -> Self {
        Self::Memory(error)
    }
}

/// Bytes that are not a table of names, or were damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DamagedLookup {
    /// Where the bytes are wrong, from their beginning.
    pub offset: usize,
    /// What is wrong, in words.
    pub reason: &'static str,
}

impl DamagedLookup {
    pub(super) const fn new(offset: usize, reason: &'static str) -> Self {
        Self { offset, reason }
    }
}

impl fmt::Display for DamagedLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a table of names: at byte {}, {}", self.offset, self.reason)
    }
}

impl Error for DamagedLookup {}
