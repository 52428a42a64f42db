//! A resource that is loaded.

use loligo_containers::{Blob, BlobError, BlobType};

use crate::header::{HEADER_BYTES, ResourceHeader};
use crate::key::ResourceKey;

/// A resource that is loaded: its payload, and the fields of its header.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'r> {
    header: ResourceHeader,
    file: &'r [u8],
}

impl<'r> Resource<'r> {
    pub(crate) const fn new(header: ResourceHeader, file: &'r [u8]) -> Self {
        Self { header, file }
    }

    /// Returns which resource it is.
    #[must_use]
    pub const fn key(&self) -> ResourceKey {
        self.header.key
    }

    /// Returns the version of the compiler of its type.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.header.version
    }

    /// Returns the last bytes of its name; nothing in data that is shipped.
    #[must_use]
    pub fn debug_name(&self) -> &str {
        // A header that was read has text there.
        let bytes: &'r [u8] = &self.file[64..HEADER_BYTES];
        core::str::from_utf8(bytes).unwrap_or_default().trim_end_matches('\0')
    }

    /// Returns the payload, at an address that is a multiple of 16.
    #[must_use]
    pub fn payload(&self) -> &'r [u8] {
        &self.file[HEADER_BYTES..]
    }

    /// Opens the payload as a blob. Its checksum is not computed again: that of the whole file was
    /// right when it was loaded.
    ///
    /// # Complexity
    ///
    /// O(parts and text): arrays of plain numbers are not looked into.
    ///
    /// # Errors
    ///
    /// [`BlobError`] if it is not a blob of that type.
    pub fn blob<R: BlobType>(&self) -> Result<Blob<'r, R>, BlobError> {
        Blob::open_structure(self.payload())
    }
}
