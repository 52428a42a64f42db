//! All that a compile can find out without opening a source, as one hash.
//!
//! Where a compile found nothing to do and this hash is as it was then, there is nothing to do
//! again. The index need not be read to know that, nor anything be sorted, selected or compared.

use loligo_resources::{ContentHash, RESOURCE_FORMAT};

use super::selection::RECIPE_VERSION;
use crate::error::BuildError;
use crate::folder::{Blobs, DataFolder};
use crate::hash::PieceHasher;
use crate::project::Project;
use crate::tree::SourceTree;

/// The file in which the last look is kept, and its length: the hash, and how many resources there
/// were.
pub(super) const LOOK: &str = "look";
const BYTES: usize = 40;

/// The version of what is hashed.
const LOOK_VERSION: u32 = 3;

/// A compile that found nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Of what it looked at.
    hash: ContentHash,
    /// How many resources were as they should be.
    pub(super) fresh: u64,
}

impl Look {
    pub(super) const fn new(hash: ContentHash, fresh: u64) -> Self {
        Self { hash, fresh }
    }

    pub(super) fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..32].copy_from_slice(&self.hash.0);
        bytes[32..].copy_from_slice(&self.fresh.to_le_bytes());
        bytes
    }

    /// Reads what the last compile that had nothing to do found, if it looked at just this.
    pub(super) fn read_last(data: &DataFolder<'_>, hash: ContentHash) -> Option<Self> {
        let bytes: [u8; BYTES] = data.read(LOOK)?.try_into().ok()?;
        let (first, fresh) = bytes.split_first_chunk::<32>()?;
        let fresh = u64::from_le_bytes(fresh.try_into().ok()?);
        (*first == hash.0).then_some(Self { hash, fresh })
    }
}

/// Returns the hash of everything that decides what a compile does: sources, compilers, target,
/// options, and the data folder. None where something changed so lately that it may change again
/// without its stamp showing it.
///
/// # Complexity
///
/// O(files + blobs).
pub(super) fn look(
    project: &Project<'_>,
    (tree, seen): (&SourceTree, ContentHash),
    blobs: &Blobs,
    data: &DataFolder<'_>,
    now: u64,
) -> Result<Option<ContentHash>, BuildError> {
    // Errors must be reported each time.
    if !tree.errors.is_empty() {
        return Ok(None);
    }
    let mut pieces = PieceHasher::default();
    for version in [LOOK_VERSION, RECIPE_VERSION, RESOURCE_FORMAT] {
        pieces.bytes(&version.to_le_bytes());
    }
    pieces.bytes(project.folder.as_os_str().as_encoded_bytes());
    let target = &project.target;
    pieces.bytes(format!("{target:?} {:?}", project.options).as_bytes());
    pieces.bytes(format!("{:?}", project.shard).as_bytes());
    for (kind, of) in project.compilers.ends() {
        pieces.bytes(kind.as_bytes());
        pieces.bytes(of.as_bytes());
    }
    for type_name in project.compilers.types() {
        let version = project.compilers.get(type_name).map_or(0, |found| found.version());
        pieces.bytes(type_name.as_bytes());
        pieces.bytes(&version.to_le_bytes());
    }
    for name in ["index", "resources", "names"] {
        let stamp = data.stamp(name)?;
        let Some(stamp) = stamp.filter(|stamp| stamp.is_settled(now)) else { return Ok(None) };
        pieces.numbers(stamp.numbers());
    }
    if !tree.files().iter().all(|(_, stamp)| stamp.is_settled(now)) {
        return Ok(None);
    }
    pieces.bytes(&seen.0);
    pieces.bytes(&(blobs.len() as u64).to_le_bytes());
    for (file, bytes) in blobs.iter() {
        pieces.bytes(&file.0);
        pieces.bytes(&bytes.to_le_bytes());
    }
    Ok(Some(pieces.finish()))
}
