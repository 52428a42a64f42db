//! Writing a dense clip: differences of differences, and jump frames.

use std::vec::Vec;

use super::frame_walk::TrackNumbers;
use super::image::ClipParts;
use crate::clip::{ALL_ZERO, BLOCK, BitWriter, LOWER_MAX, StateBits, UPPER_MAX, bits_of, upper_of};

/// The differences of a track: where its third key and those after it are, as seen from the two keys
/// before each. Those of the first two are zero.
type Differences = Vec<[i16; 3]>;

/// Writes the numbers of all tracks, and a jump frame after each `jump_ratio` times as many bytes as it has;
/// if that is 0, one at the beginning. Returns the bits of each track, those of its codes included.
pub(super) fn write_dense(
    tracks: &[TrackNumbers],
    jump_ratio: u32,
    parts: &mut ClipParts,
) -> Vec<usize> {
    let frames = tracks.first().map_or(0, Vec::len);
    let differences: Vec<Differences> = tracks.iter().map(|track| differences_of(track)).collect();
    parts.states = tracks.iter().map(|track| state_bits(track)).collect();
    let codes = codes_of(&differences, frames);
    let state: u32 = parts.states.iter().map(|axes| StateBits::new(*axes).sum()).sum();
    let mut bits = std::vec![12 * frames.div_ceil(BLOCK as usize); tracks.len()];
    let (mut values, mut states) = (BitWriter::default(), BitWriter::default());
    let mut last_jump = None;
    // A last interval begins at the frame before the last one.
    for frame in 2..frames + 1 {
        let is_due = |last: u32| {
            jump_ratio > 0 && values.len() - last >= state.next_multiple_of(8) * jump_ratio
        };
        if last_jump.is_none_or(is_due) {
            last_jump = Some(values.len());
            parts.jumps.push([frame as u32 - 2, 0, 0, 0, values.len()]);
            write_state(tracks, &parts.states, frame - 2, &mut states);
        }
        if frame == frames {
            break;
        }
        for (track, (differences, bits)) in differences.iter().zip(&mut bits).enumerate() {
            let before = values.len();
            for axis in 0..3 {
                let code = codes[code_place(frame, tracks.len(), track, axis)];
                if code != ALL_ZERO {
                    values.number(differences[frame][axis], code);
                }
            }
            *bits += (values.len() - before) as usize;
        }
    }
    parts.codes = codes.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 4).collect();
    parts.values = values.into_bytes();
    parts.jump_states = states.into_bytes();
    bits
}

/// Returns how many bits the differences of tracks have, without writing them.
pub(super) fn dense_bits(tracks: &[TrackNumbers]) -> usize {
    let frames = tracks.first().map_or(0, Vec::len);
    let axes = tracks.iter().flat_map(|track| {
        let differences = differences_of(track);
        (0..3).map(move |axis| differences.iter().map(|all| all[axis]).collect::<Vec<_>>())
    });
    let blocks =
        axes.map(|axis| axis.chunks(BLOCK as usize).map(|block| best_code(block).1).sum::<u32>());
    blocks.sum::<u32>() as usize + 12 * tracks.len() * frames.div_ceil(BLOCK as usize)
}

fn differences_of(numbers: &[[i16; 3]]) -> Differences {
    let mut differences = std::vec![[0; 3]; numbers.len()];
    for (three, difference) in numbers.windows(3).zip(differences.iter_mut().skip(2)) {
        for (axis, difference) in difference.iter_mut().enumerate() {
            let [a, b, c] = [three[0][axis], three[1][axis], three[2][axis]];
            *difference = c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a));
        }
    }
    differences
}

/// Returns the code of each axis, track and block, block by block.
fn codes_of(tracks: &[Differences], frames: usize) -> Vec<u8> {
    let mut codes = Vec::new();
    for first in (0..frames).step_by(BLOCK as usize) {
        let end = frames.min(first + BLOCK as usize);
        for track in tracks {
            for axis in 0..3 {
                let block: Vec<_> = track[first..end].iter().map(|all| all[axis]).collect();
                codes.push(best_code(&block).0);
            }
        }
    }
    codes
}

/// Returns where the code of an axis is.
const fn code_place(frame: usize, tracks: usize, track: usize, axis: usize) -> usize {
    (frame / BLOCK as usize * tracks + track) * 3 + axis
}

/// Returns the code with which numbers have the fewest bits, and how many these are.
fn best_code(numbers: &[i16]) -> (u8, u32) {
    if numbers.iter().all(|number| *number == 0) {
        return (ALL_ZERO, 0);
    }
    let is_short = |lower: u8| numbers.iter().all(|number| upper_of(*number, lower) <= UPPER_MAX);
    let bits = |lower: u8| numbers.iter().map(|number| bits_of(*number, lower)).sum();
    let all = (0..=LOWER_MAX).filter(|lower| is_short(*lower)).map(|lower| (lower, bits(lower)));
    // Numbers of 16 bits are short enough with the most lower bits.
    all.min_by_key(|(_, bits)| *bits).unwrap_or((LOWER_MAX, 0))
}

/// Returns the bits that hold all numbers of a track, and all their differences.
fn state_bits(numbers: &[[i16; 3]]) -> [u8; 3] {
    let width = |number: i16| 17 - if number < 0 { !number } else { number }.leading_zeros();
    StateBits::pack([0, 1, 2].map(|axis| {
        let value = numbers.iter().map(|all| width(all[axis])).max().unwrap_or(1);
        let steps = numbers.windows(2).map(|two| width(two[1][axis].wrapping_sub(two[0][axis])));
        (value, steps.max().unwrap_or(1))
    }))
}

/// Writes the jump frame of a frame.
fn write_state(tracks: &[TrackNumbers], bits: &[[u8; 3]], frame: usize, out: &mut BitWriter) {
    for (track, bits) in tracks.iter().zip(bits) {
        for (axis, (first, second)) in track[frame].iter().zip(track[frame + 1]).enumerate() {
            let (value, difference) = StateBits::new(*bits).of_axis(axis);
            out.bits(*first as u64, value);
            out.bits(second.wrapping_sub(*first) as u64, difference);
        }
    }
    out.fill_byte();
}
