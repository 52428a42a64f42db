//! What a compile remembers for the next one: what each resource was made of, and what it became.
//!
//! ```text
//!  0  "loliindx"                                 8 bytes
//!  8  version of the format, now 1               u32, all numbers with the least byte first
//! 12  zero                                       u32
//! 16  bytes of the whole                         u64
//! 24  BLAKE3 of all that follows                 32 bytes
//! 56  strings: how many, then each: bytes u32, UTF-8
//!     files: how many, then each: path, settled u8, six numbers of its stamp u64, hash
//!     resources: how many, then each: name, source, recipe, failed u8, output, what it was made of,
//!     names that it holds, resources that it names
//! ```
//!
//! A path, a name and whatever else is text is the number of a string, u32.

use core::error::Error;
use core::fmt;
use std::sync::Arc;

use loligo_resources::ContentHash;

use crate::dependency::Dependency;
use crate::resource_name::ResourceName;
use crate::tree::Stamp;

mod read;
#[cfg(test)]
mod tests;
mod write;

/// The version of the format.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"loliindx";
/// Where the hash is, and where the rest begins.
const HASH: core::ops::Range<usize> = 24..56;

/// What a compile remembers for the next one, and what tools read dependencies from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Every file that a resource was made of and that is there, in order of the paths.
    pub files: Vec<FileRecord>,
    /// Every resource, in order.
    pub entries: Vec<Entry>,
}

/// A file as it was when it was last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Its path in the project.
    pub path: Arc<str>,
    /// Whether any change since would show in the stamp.
    pub is_settled: bool,
    /// Its stamp, as the system reported it.
    pub stamp: Stamp,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

/// A resource as it was last compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is called.
    pub name: ResourceName,
    /// The path of its source.
    pub source: Arc<str>,
    /// The hash of all inputs that are not dependencies: versions, byte order, the source's path.
    pub recipe: ContentHash,
    /// Whether it failed, and the output is an older one.
    pub is_failed: bool,
    /// What it became, if it ever went well.
    pub output: Option<Output>,
    /// What it was made of.
    pub dependencies: Vec<Dependency>,
    /// Names whose hashes it holds.
    pub names: Vec<Arc<str>>,
    /// Resources that it names.
    pub references: Vec<Reference>,
}

/// A file in the data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The hash of its bytes, which is its name.
    pub file: ContentHash,
    /// How many there are.
    pub bytes: u64,
}

/// A resource that another one names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Its type.
    pub type_name: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// The line of the source that names it, from 1 on; 0 where that is not known.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Index {
    /// The bytes before the strings.
    pub(crate) const HEADER_BYTES: usize = HASH.end;

    /// Returns the hash of all that follows the header of an index of this version.
    pub(crate) fn hash_in(header: &[u8; Self::HEADER_BYTES]) -> Option<ContentHash> {
        let begins_so = header.starts_with(&MAGIC) && header[8..12] == VERSION.to_le_bytes();
        begins_so.then(|| header.last_chunk::<32>().copied().map(ContentHash)).flatten()
    }

    /// Returns the record of a file. O(log files).
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileRecord> {
        let at = self.files.binary_search_by(|file| (*file.path).cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Returns the entry of a resource. O(log resources).
    #[must_use]
    pub fn entry(&self, name: &ResourceName) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| entry.name.cmp(name)).ok()?;
        self.entries.get(at)
    }

    /// Writes the index.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Panics
    ///
    /// If there are 4 billion of anything.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        write::write(self)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Complexity
    ///
    /// O(bytes). No length is believed: memory is asked for as the bytes are there.
    ///
    /// # Errors
    ///
    /// [`IndexError`] if the bytes are not an index of this version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IndexError> {
        read::read(bytes)
    }
}

/// Why bytes are not an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexError {
    /// They do not begin as one.
    NoIndex,
    /// They are in another version of the format.
    OtherVersion {
        /// Which.
        found: u32,
    },
    /// The header reports another length.
    OtherLength {
        /// The length in the header.
        told: u64,
        /// How many bytes there are.
        bytes: u64,
    },
    /// A byte was changed since they were written.
    Damaged,
    /// Something leads nowhere.
    Part {
        /// What.
        what: &'static str,
        /// At which byte.
        at: usize,
    },
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIndex => f.write_str("it does not begin as an index does"),
            Self::OtherVersion { found } => {
                write!(
                    f,
                    "it is in version {found} of the format, and this program writes {VERSION}"
                )
            }
            Self::OtherLength { told, bytes } => {
                write!(f, "it reports {told} bytes and has {bytes}")
            }
            Self::Damaged => f.write_str("it was changed since it was written"),
            Self::Part { what, at } => write!(f, "at byte {at} {what}"),
        }
    }
}

impl Error for IndexError {}
