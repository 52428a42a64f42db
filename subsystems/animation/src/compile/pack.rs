//! Packing a dense clip for a file.

use std::vec::Vec;

use loligo_allocators::Allocator;
use loligo_containers::Endian;

use super::error::CompressError;
use super::image::ClipParts;
use crate::clip::{
    ALL_ZERO, BLOCK, BlockWriter, Clip, NUMBERS_MAX, NumberModel, Numbers, PackedHeader, StateBits,
    code_at, put_block, read_forward,
};

/// Packs a clip, whose parts are given besides. Returns nothing if it is of curves, or has no fewer bytes then.
pub(super) fn pack(
    clip: &Clip<'_>,
    parts: &ClipParts,
    jump_ratio: u32,
    endian: Endian,
    memory: &dyn Allocator,
) -> Result<Option<Vec<u8>>, CompressError> {
    if !clip.is_dense() {
        return Ok(None);
    }
    let mut numbers = numbers_of(clip);
    let count = 3 * numbers.len() as u64;
    let blocks = blocks_of(&mut numbers, clip.tracks.len(), memory)?;
    let head = ClipParts {
        values: Vec::new(),
        codes: Vec::new(),
        jumps: Vec::new(),
        jump_states: Vec::new(),
        ..parts.clone()
    };
    let head = head.build(endian, memory)?;
    let header = PackedHeader {
        head_bytes: head.len() as u32,
        block_bytes: blocks.len() as u32,
        jump_ratio,
    };
    let packed = [&header.bytes()[..], &head, &blocks].concat();
    let is_allowed = count <= NUMBERS_MAX * blocks.len() as u64;
    Ok((is_allowed && packed.len() < clip.bytes()).then_some(packed))
}

/// Returns the numbers of a dense clip, frame by frame, each track.
fn numbers_of(clip: &Clip<'_>) -> Vec<Numbers> {
    let tracks = clip.tracks.len();
    let mut bit = 0;
    let first_two = clip.states.iter().map(|axes| {
        let bits = StateBits::new(*axes);
        let two = bits.read(clip.jump_states, bit);
        bit += bits.sum();
        two.map(|key| key.map(|word| word as i16))
    });
    let first_two: Vec<[Numbers; 2]> = first_two.collect();
    let mut numbers: Vec<Numbers> = first_two.iter().map(|two| two[0]).collect();
    numbers.extend(first_two.iter().map(|two| two[1]));
    let mut at = 0;
    for frame in 2..=clip.last_frame {
        let codes = (frame / BLOCK) as usize * 3 * tracks;
        for track in 0..tracks {
            let [a, b] = [2, 1].map(|back| numbers[numbers.len() - back * tracks]);
            numbers.push(core::array::from_fn(|axis| {
                let code = code_at(clip.codes, codes + 3 * track + axis);
                let mut difference = 0;
                if code != ALL_ZERO {
                    let (number, bits) = read_forward(clip.values, at, code);
                    difference = number;
                    at += bits;
                }
                b[axis].wrapping_add(b[axis].wrapping_sub(a[axis])).wrapping_add(difference)
            }));
        }
    }
    numbers
}

/// Writes the blocks of numbers.
fn blocks_of(
    numbers: &mut [Numbers],
    tracks: usize,
    memory: &dyn Allocator,
) -> Result<Vec<u8>, CompressError> {
    let mut model = NumberModel::try_new_in(tracks, memory)?;
    let mut blocks = Vec::new();
    for block in numbers.chunks_mut(BLOCK as usize * tracks) {
        let mut writer = BlockWriter::new();
        for frame in block.chunks_exact_mut(tracks) {
            model.code_frame(&mut writer, frame);
        }
        put_block(&writer.finish(), &mut blocks);
    }
    Ok(blocks)
}
