//! Writing a clip as a blob.

use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_containers::{BlobBuilder, BlobBytes, Endian, GrowError, blob_field};
use loligo_ids::IdString32;

use super::raw_clip::RawEvent;
use crate::clip::{ClipEvent, ClipImage, OF_NO_BONE};

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
    pub(super) rounds: Vec<u8>,
    pub(super) masks: Vec<u8>,
    pub(super) steps: Vec<u8>,
    pub(super) values: Vec<u8>,
    pub(super) codes: Vec<u8>,
    pub(super) states: Vec<[u8; 3]>,
    pub(super) jumps: Vec<[u32; 5]>,
    pub(super) jump_states: Vec<u8>,
    /// By frame.
    pub(super) events: Vec<RawEvent>,
}

impl ClipParts {
    /// Returns the bytes of the stream.
    pub(super) const fn stream_bytes(&self) -> usize {
        let curves = self.rounds.len() + self.masks.len() + self.steps.len();
        curves + self.values.len() + self.codes.len()
    }

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
        builder.numbers(root.at(blob_field!(ClipImage, rounds)), &self.rounds)?;
        builder.numbers(root.at(blob_field!(ClipImage, masks)), &self.masks)?;
        builder.numbers(root.at(blob_field!(ClipImage, steps)), &self.steps)?;
        builder.numbers(root.at(blob_field!(ClipImage, values)), &self.values)?;
        builder.numbers(root.at(blob_field!(ClipImage, codes)), &self.codes)?;
        builder.numbers(root.at(blob_field!(ClipImage, states)), &self.states)?;
        builder.numbers(root.at(blob_field!(ClipImage, jumps)), &self.jumps)?;
        builder.numbers(root.at(blob_field!(ClipImage, jump_states)), &self.jump_states)?;
        let events = builder.array(root.at(blob_field!(ClipImage, events)), self.events.len())?;
        for (place, event) in events.iter().zip(&self.events) {
            let bone = event.bone.map_or(OF_NO_BONE, |bone| bone as u32);
            builder.set(place.at(blob_field!(ClipEvent, frame)), event.frame);
            builder.set(place.at(blob_field!(ClipEvent, name)), IdString32::new(&event.name));
            builder.set(place.at(blob_field!(ClipEvent, bone)), bone);
        }
        Ok(builder.finish())
    }
}
