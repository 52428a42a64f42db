//! Writing a dense clip: what is in its columns, and how many bits that takes.

use std::vec::Vec;

use loligo_allocators::Allocator;

use super::error::CompressError;
use super::frame_walk::TrackNumbers;
use super::image::ClipParts;
use crate::clip::{BLOCK, DenseWriter, Numbers, StateBits, WriteError, best_code, width};

/// Writes the numbers of all tracks, and a jump frame after each `jump_ratio` times as many bytes as it has;
/// if that is 0, one at the beginning. Returns the bits of each track, those of its codes included.
pub(super) fn write_dense(
    tracks: &[TrackNumbers],
    jump_ratio: u32,
    parts: &mut ClipParts,
    memory: &dyn Allocator,
) -> Result<Vec<usize>, CompressError> {
    let frames = tracks.first().map_or(0, Vec::len);
    parts.states = tracks.iter().map(|track| state_bits(track)).collect();
    let mut writer = DenseWriter::try_new_in(&parts.states, jump_ratio, memory)?;
    for first in (0..frames).step_by(BLOCK as usize) {
        let end = frames.min(first + BLOCK as usize);
        let of_frame = |frame: usize| tracks.iter().map(move |track| track[frame]);
        let block: Vec<Numbers> = (first..end).flat_map(of_frame).collect();
        writer.try_block(&parts.states, &block).map_err(|error| refused(error, frames))?;
    }
    writer.try_finish(&parts.states).map_err(|error| refused(error, frames))?;
    let written = writer.columns();
    (parts.values, parts.codes) = (written.values.to_vec(), written.codes.to_vec());
    (parts.jumps, parts.jump_states) = (written.jumps.to_vec(), written.states.to_vec());
    Ok(tracks.iter().map(|track| dense_bits(core::slice::from_ref(track))).collect())
}

/// Returns how many bits the differences of tracks have, without writing them.
pub(super) fn dense_bits(tracks: &[TrackNumbers]) -> usize {
    let frames = tracks.first().map_or(0, Vec::len);
    let axes = tracks.iter().flat_map(|track| {
        let differences = differences_of(track);
        (0..3).map(move |axis| differences.iter().map(|all| all[axis]).collect::<Vec<_>>())
    });
    let blocks = axes.map(|axis| {
        let blocks = axis.chunks(BLOCK as usize);
        blocks.map(|block| best_code(block.iter().copied()).1).sum::<u32>()
    });
    blocks.sum::<u32>() as usize + 12 * tracks.len() * frames.div_ceil(BLOCK as usize)
}

/// Returns where the third number of a track and those after it are, as seen from the two before each. Those
/// of the first two are zero.
fn differences_of(numbers: &[Numbers]) -> Vec<Numbers> {
    let mut differences = std::vec![[0; 3]; numbers.len()];
    for (three, difference) in numbers.windows(3).zip(differences.iter_mut().skip(2)) {
        for (axis, difference) in difference.iter_mut().enumerate() {
            let [a, b, c] = [three[0][axis], three[1][axis], three[2][axis]];
            *difference = c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a));
        }
    }
    differences
}

/// Returns the bits that hold all numbers of a track, and all their differences.
fn state_bits(numbers: &[Numbers]) -> [u8; 3] {
    StateBits::pack([0, 1, 2].map(|axis| {
        let value = numbers.iter().map(|all| width(all[axis])).max().unwrap_or(1);
        let steps = numbers.windows(2).map(|two| width(two[1][axis].wrapping_sub(two[0][axis])));
        (value, steps.max().unwrap_or(1))
    }))
}

fn refused(error: WriteError, frames: usize) -> CompressError {
    match error {
        WriteError::Memory(error) => CompressError::Memory(error),
        // Bits are wide enough, so there are too many of them.
        WriteError::Wide { .. } | WriteError::Long => CompressError::Frames(frames),
    }
}
