//! What a compile leaves for the next one in the same process.

use loligo_resources::ContentHash;

use super::selection::Selection;
use crate::folder::{Blobs, DataFolder};
use crate::index::Index;
use crate::tree::{SourceTree, Stamp};

/// What the data folder and the project were after a compile. It holds as long as no other program
/// has written to the data folder.
pub(crate) struct Kept {
    /// The sources that `selection` was made of.
    pub(super) tree: SourceTree,
    pub(super) selection: Selection,
    pub(super) index: Index,
    pub(super) blobs: Blobs,
    /// The hash in the header of the file that `index` is in.
    index_hash: ContentHash,
    /// The folder of the blobs, which is another when one comes or goes.
    blobs_stamp: Stamp,
}

impl Kept {
    /// Keeps what a compile has written, if that is there.
    pub(super) fn new(
        data: &DataFolder<'_>,
        tree: SourceTree,
        blobs: Blobs,
        selection: Selection,
        index: Index,
    ) -> Option<Self> {
        let (index_hash, blobs_stamp) = (data.index_hash()?, data.blobs_stamp()?);
        Some(Self { tree, selection, index, blobs, index_hash, blobs_stamp })
    }

    /// Returns whether the data folder is as it was left.
    pub(super) fn is_true(&self, data: &DataFolder<'_>) -> bool {
        data.index_hash() == Some(self.index_hash) && data.blobs_stamp() == Some(self.blobs_stamp)
    }
}
