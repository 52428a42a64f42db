//! Checking the stream of a dense clip once, when it comes in.

use loligo_resources::DataError;

use super::bit_code::{ALL_ZERO, read_forward};
use super::dense::{BLOCK, StateBits, code_at, code_bytes, is_code};
use super::dense_writer::VALUES_MAX;
use super::{Clip, wrong};

/// Walks through the differences and looks at the jump frames on the way. Returns the keys.
pub(super) fn stream(clip: &Clip<'_>) -> Result<usize, DataError> {
    let tracks = clip.tracks.len();
    head(clip)?;
    columns(clip, tracks)?;
    let end = differences(clip)?;
    if end.div_ceil(8) as usize != clip.values.len() {
        return wrong("values", "the bits of all differences", clip.values.len());
    }
    Ok(tracks * (clip.last_frame as usize + 1))
}

/// Checks all but the columns.
pub(super) fn head(clip: &Clip<'_>) -> Result<(), DataError> {
    let tracks = clip.tracks.len();
    if tracks == 0 || clip.states.len() != tracks {
        return wrong("states", "one for each track, or none", clip.states.len());
    }
    let of_curves = clip.rounds.len() + clip.masks.len() + clip.steps.len();
    if of_curves != 0 {
        return wrong("rounds", "none where a key is in each frame", of_curves);
    }
    if clip.last_frame == 0 {
        return wrong("last_frame", "1 at least where tracks move", 0);
    }
    Ok(())
}

/// Checks the lengths of the columns.
fn columns(clip: &Clip<'_>, tracks: usize) -> Result<(), DataError> {
    if clip.codes.len() != code_bytes(tracks, clip.last_frame) {
        return wrong("codes", "one for each axis and block", clip.codes.len());
    }
    let codes = 0..2 * clip.codes.len();
    if let Some(at) = codes.into_iter().find(|at| !is_code(code_at(clip.codes, *at))) {
        return wrong("codes", "0 to 13, or 15", at);
    }
    let bits: u32 = clip.states.iter().map(|axes| StateBits::new(*axes).sum()).sum();
    let state_bytes = bits.div_ceil(8) as usize;
    if clip.jump_states.len() != state_bytes.saturating_mul(clip.jumps.len()) {
        return wrong("jump_states", "those of all tracks and jump frames", clip.jump_states.len());
    }
    if clip.jumps.first().is_none_or(|jump| jump[0] != 0) {
        return wrong("jumps", "the first frame and later ones", 0);
    }
    if clip.values.len() > VALUES_MAX {
        return wrong("values", "256 MiB at the most", clip.values.len());
    }
    Ok(())
}

/// Passes all differences, and returns the bit after the last one.
fn differences(clip: &Clip<'_>) -> Result<u32, DataError> {
    let (axes, last) = (3 * clip.tracks.len(), clip.last_frame);
    let all = 8 * clip.values.len() as u32;
    let mut jumps = clip.jumps.iter().enumerate().peekable();
    let mut at = 0;
    for frame in 2..=last + 1 {
        // A jump frame has two keys: this difference is the next.
        while let Some((index, jump)) = jumps.next_if(|(_, jump)| jump[0] == frame - 2) {
            if *jump != [frame - 2, 0, 0, 0, at] {
                return wrong("jumps", "what a player has there", index);
            }
        }
        let codes = (frame / BLOCK) as usize * axes;
        for axis in (0..axes).filter(|_| frame <= last) {
            let code = code_at(clip.codes, codes + axis);
            if code != ALL_ZERO {
                at += read_forward(clip.values, at, code).1;
            }
        }
        if at > all {
            return wrong("values", "the bits of all differences", clip.values.len());
        }
    }
    match jumps.next() {
        Some((index, _)) => wrong("jumps", "ascending frames before the last one", index),
        None => Ok(at),
    }
}
