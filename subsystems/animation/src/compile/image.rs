//! Writing a clip as a blob.

use std::vec::Vec;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};

use super::error::CompressError;
use crate::clip::ClipImage;

/// The parts of a clip that was compressed.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipParts {
    pub(super) rate: f32,
    pub(super) last_frame: u32,
    pub(super) bones: u32,
    pub(super) tracks: Vec<[u16; 6]>,
    pub(super) drifts: Vec<[u16; 4]>,
    pub(super) constant_places: Vec<u16>,
    pub(super) constants: Vec<[f32; 4]>,
    pub(super) headers: Vec<u16>,
    pub(super) values: Vec<u16>,
    pub(super) jumps: Vec<[u32; 3]>,
    pub(super) jump_words: Vec<u16>,
}

impl ClipParts {
    /// Writes the blob.
    pub(super) fn build<'a>(
        &self,
        endian: Endian,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<BlobBytes<'a>, GrowError> {
        let mut builder = BlobBuilder::<ClipImage>::try_new(endian, memory)?;
        let root = builder.root();
        builder.set(root.at(blob_field!(ClipImage, rate)), self.rate);
        builder.set(root.at(blob_field!(ClipImage, last_frame)), self.last_frame);
        builder.set(root.at(blob_field!(ClipImage, bones)), self.bones);
        builder.numbers(root.at(blob_field!(ClipImage, tracks)), &self.tracks)?;
        builder.numbers(root.at(blob_field!(ClipImage, drifts)), &self.drifts)?;
        builder.numbers(root.at(blob_field!(ClipImage, constant_places)), &self.constant_places)?;
        builder.numbers(root.at(blob_field!(ClipImage, constants)), &self.constants)?;
        builder.numbers(root.at(blob_field!(ClipImage, headers)), &self.headers)?;
        builder.numbers(root.at(blob_field!(ClipImage, values)), &self.values)?;
        builder.numbers(root.at(blob_field!(ClipImage, jumps)), &self.jumps)?;
        builder.numbers(root.at(blob_field!(ClipImage, jump_words)), &self.jump_words)?;
        Ok(builder.finish())
    }
}

/// Runs `work` with a separate heap, so that compilers that work at the same time share none.
pub(super) fn with_heap<T>(
    work: impl FnOnce(&dyn Allocator) -> Result<T, CompressError>,
) -> Result<T, CompressError> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    work(&heap)
}
