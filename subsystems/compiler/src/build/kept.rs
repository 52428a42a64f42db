//! What a compile leaves for the next one in the same process.

use std::collections::HashMap;
use std::sync::Arc;

use loligo_resources::ContentHash;

use super::selection::Selection;
use super::tables::Variant;
use crate::folder::{Blobs, DataFolder};
use crate::index::Index;
use crate::tree::{SourceTree, Stamp};

/// The resources that were made of each file, by their places in the index.
pub(super) type Users = HashMap<Arc<str>, Vec<u32>>;

/// What the data folder and the project were after a compile. It holds as long as no other program
/// has written to the data folder.
pub(crate) struct Kept {
    /// The sources that `selection` was made of.
    pub(super) tree: SourceTree,
    pub(super) selection: Selection,
    pub(super) index: Index,
    /// Whether nothing was wrong.
    pub(super) is_well: bool,
    /// Whether the file of the index is older than `index`. What it says is true of some time, so a
    /// process that ends now costs the next one the same compiles again.
    pub(super) is_index_old: bool,
    /// The resources that were made of each file, once somebody has asked.
    pub(super) users: Option<Users>,
    /// The table that the program reads, in its order, once somebody has asked.
    pub(super) variants: Option<Vec<Variant>>,
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
        (index, is_well): (Index, bool),
    ) -> Option<Self> {
        let (index_hash, blobs_stamp) = (data.index_hash()?, data.blobs_stamp()?);
        Some(Self {
            tree,
            selection,
            index,
            is_well,
            is_index_old: false,
            users: None,
            variants: None,
            blobs,
            index_hash,
            blobs_stamp,
        })
    }

    /// Takes note of how the data folder is left, after some blobs have come or gone.
    pub(super) fn settle(&mut self, data: &DataFolder<'_>) {
        // Without a stamp it is not as it was, and is read.
        self.blobs_stamp = data.blobs_stamp().unwrap_or_default();
    }

    /// Returns whether the data folder is as it was left.
    pub(super) fn is_true(&self, data: &DataFolder<'_>) -> bool {
        data.index_hash() == Some(self.index_hash) && data.blobs_stamp() == Some(self.blobs_stamp)
    }
}
