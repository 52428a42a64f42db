//! Where a cache keeps its entries.

use core::error::Error;
use core::fmt;

use super::key::CacheKey;

/// A place that several machines share: a folder, or a store of objects.
///
/// A store promises nothing about the bytes: they are checked by the reader. It promises that an
/// entry that is being written is not seen in part.
pub trait CacheStore: Send + Sync {
    /// Returns where it is, for messages.
    fn place(&self) -> String;

    /// Reads an entry of at most `bytes_max` bytes; nothing if there is no such entry.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be read, or is longer.
    fn get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError>;

    /// Writes an entry, in place of the one that is there.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be written.
    fn put(&self, key: CacheKey, bytes: &[u8]) -> Result<(), StoreError>;

    /// Returns all entries, in no order. What has a name that no entry has is left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if they cannot be listed.
    fn list(&self) -> Result<Vec<StoredEntry>, StoreError>;

    /// Removes an entry; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be removed.
    fn remove(&self, key: CacheKey) -> Result<(), StoreError>;
}

/// An entry as a store lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its name.
    pub key: CacheKey,
    /// How many bytes it has.
    pub bytes: u64,
    /// When it was written, or last read by a client that may write, in seconds since 1970.
    pub used_seconds: u64,
}

/// Why a store does not do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// It did not answer in time.
    Timeout {
        /// How long it was waited for.
        limit_ms: u64,
    },
    /// The entry is longer than any that a compile has written.
    TooLong {
        /// How many bytes are read.
        bytes_max: u64,
    },
    /// Anything else, in the words of the system or the library.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout { limit_ms } => write!(f, "no answer within {limit_ms} ms"),
            Self::TooLong { bytes_max } => write!(f, "an entry has more than {bytes_max} bytes"),
            Self::Failed(words) => f.write_str(words),
        }
    }
}

impl Error for StoreError {}
