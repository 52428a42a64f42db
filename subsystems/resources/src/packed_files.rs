//! Where files of resources come from that are not alone in a file of the system.

use core::fmt;

use loligo_containers::GrowError;

use crate::bundle_error::BundleError;
use crate::content_hash::ContentHash;
use crate::table::TableSource;

/// Files by their hashes, and the variants of resources that they are.
///
/// The trait keeps the allocator of what has them out of the type of a
/// [`DataFolder`](crate::DataFolder), which is plain data.
pub(crate) trait PackedFiles: Sync + fmt::Debug {
    /// Calls `each` for each variant, in ascending order of type, name and properties, until it fails.
    fn visit(
        &self,
        each: &mut dyn FnMut(&TableSource<'_>) -> Result<(), GrowError>,
    ) -> Result<(), GrowError>;

    /// Returns the bytes of a file.
    fn bytes_of(&self, file: ContentHash) -> Option<u64>;

    /// Reads as many bytes of a file as `into` has, from `from` on.
    fn read(&self, file: ContentHash, from: u64, into: &mut [u8]) -> Result<(), BundleError>;
}
