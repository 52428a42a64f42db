//! What is wrong with a bundle, or with one block of it.

use core::error::Error;
use core::fmt;
use std::io;

use loligo_containers::GrowError;

use crate::debug_name::DebugName;

/// A bundle cannot be opened, or a part of it cannot be read.
///
/// # Memory
///
/// 64 bytes at the most: it has the end of the bundle's file name in it.
#[derive(Debug)]
pub struct BundleError {
    /// The last bytes of the name of the bundle's file.
    pub bundle: DebugName,
    /// What is wrong.
    pub kind: BundleErrorKind,
}

/// What is wrong with a bundle.
#[derive(Debug)]
#[non_exhaustive]
pub enum BundleErrorKind {
    /// The system refused it.
    Io(io::Error),
    /// It does not begin as a bundle does.
    NoBundle,
    /// It ends before its index does.
    Short {
        /// How many bytes there are.
        bytes: u64,
        /// How many there must be at the least.
        wanted: u64,
    },
    /// It is in another version of the format.
    OtherFormat {
        /// Which.
        found: u32,
        /// Which this program reads.
        wanted: u32,
    },
    /// It is for machines of the other byte order.
    OtherEndian,
    /// It is for another platform than the bundles next to it.
    OtherPlatform,
    /// A byte of its header or of its index was changed since it was written.
    Checksum {
        /// The header, or the index.
        part: &'static str,
    },
    /// Its header or its index has a number that cannot be.
    Part {
        /// Which.
        what: &'static str,
    },
    /// A block of it cannot be used.
    Block {
        /// Which, from 0 on.
        block: u32,
        /// Why not.
        error: BlockError,
    },
    /// It is a patch, and what it was made for is not what is there.
    OtherBelow {
        /// Its layer.
        layer: u32,
    },
    /// Another bundle of its layer has the same variant of a resource.
    Twice,
    /// It names a file that none of the bundles has.
    NoFile,
    /// There is no memory.
    Memory(GrowError),
}

/// Why a block cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockError {
    /// The file ends before the block does.
    Cut,
    /// A byte was changed since it was written.
    Checksum,
    /// Its bytes cannot be decompressed.
    Packed,
    /// The system could not read it.
    Unread(io::ErrorKind),
    /// Bytes between it and the block before it are not zero. They are never read.
    Padding,
}

impl BundleErrorKind {
    pub(crate) const fn of(self, bundle: DebugName) -> BundleError {
        BundleError { bundle, kind: self }
    }
}

impl From<GrowError> for BundleErrorKind {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl From<io::Error> for BundleErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut => f.write_str("is past the end of the file, which was cut"),
            Self::Checksum => f.write_str("is damaged: its checksum is another"),
            Self::Packed => f.write_str("is damaged: it cannot be decompressed"),
            Self::Unread(error) => write!(f, "cannot be read: {error}"),
            Self::Padding => f.write_str("has bytes before it that are not zero"),
        }
    }
}

impl fmt::Display for BundleErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "it cannot be read: {error}"),
            Self::NoBundle => f.write_str("it is not a bundle; remove it, or install it again"),
            Self::Short { bytes, wanted } => write!(
                f,
                "it was cut: it has {bytes} bytes, and its index ends at byte {wanted}; install it again"
            ),
            Self::OtherFormat { found, wanted } => write!(
                f,
                "it is in version {found} of the format, and this program reads {wanted}; build it with \
                 the tools of this program"
            ),
            Self::OtherEndian => f.write_str(
                "it is for machines of the other byte order; install the bundles of this platform",
            ),
            Self::OtherPlatform => f.write_str(
                "it is for another platform than the bundles next to it; install those of one platform",
            ),
            Self::Checksum { part } => {
                write!(f, "its {part} is damaged: the checksum is another; install it again")
            }
            Self::Part { what } => write!(f, "{what}; install it again"),
            Self::Block { block, error } => write!(f, "block {block} {error}; install it again"),
            Self::OtherBelow { layer } => write!(
                f,
                "it is patch {layer} of other bundles than those that are here; install all bundles of \
                 one version"
            ),
            Self::Twice => f.write_str(
                "it has a resource that another bundle of its layer has; install all bundles of one version",
            ),
            Self::NoFile => f.write_str(
                "it has a resource whose file no bundle has; install all bundles of one version",
            ),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bundle `{}`: {}", self.bundle, self.kind)
    }
}

impl Error for BundleError {}

const _: () = assert!(size_of::<BundleError>() <= 64, "its doc states it");
