//! Checking a clip once, when it comes in.

use loligo_resources::DataError;

use super::dense_check;
use super::event::ClipEvent;
use super::round::{Cursor, groups_of_round, is_same_frame, lanes_of, round_bytes, step_at};
use super::step::{Codes, END};
use super::track::{Channel, Track, bytes_of, order_of, place_of};
use super::{Clip, FRAMES_MAX, GROUPS_MAX, wrong};
use crate::lanes::LANES;
use crate::skeleton::BONES_MAX;

/// Frames a second from the slowest to the fastest clip.
const RATES: core::ops::RangeInclusive<f32> = 0.001..=10_000.0;

/// The largest number of a constant.
const FAR: f32 = 1.0e9;

/// The bytes of a key of each lane; 0 where no track is.
pub(super) type LaneBytes = [[u8; LANES]; GROUPS_MAX];

/// Checks the invariants of a clip, and returns how many keys it has.
pub(super) fn verify(clip: &Clip<'_>) -> Result<usize, DataError> {
    let lanes = verify_head(clip)?;
    match clip.is_dense() {
        true => dense_check::stream(clip),
        false => stream(clip, &lanes),
    }
}

/// Checks all but the stream, and returns the bytes of the keys of each lane.
pub(super) fn verify_head(clip: &Clip<'_>) -> Result<LaneBytes, DataError> {
    if !RATES.contains(&clip.rate) {
        return wrong("rate", "from 0.001 to 10000", clip.rate.to_bits() as usize);
    }
    if clip.last_frame > FRAMES_MAX {
        return wrong("last_frame", "65534 at the most", clip.last_frame as usize);
    }
    let bones = clip.bones as usize;
    if bones == 0 || bones > BONES_MAX {
        return wrong("bones", "1 to 1024", bones);
    }
    constants(clip)?;
    events(clip)?;
    tracks(clip)
}

/// Checks that places ascend and are of bones that there are; returns the one that is wrong.
fn wrong_place(bones: usize, places: impl Iterator<Item = u16>) -> Option<usize> {
    let mut last = None;
    places.into_iter().position(|word| {
        let order = order_of(word);
        let is_late = last.is_some_and(|last| last >= order);
        last = Some(order);
        is_late || place_of(word).is_none_or(|(_, bone)| bone >= bones)
    })
}

fn events(clip: &Clip<'_>) -> Result<(), DataError> {
    let frames = 0.0..=clip.last_frame as f32;
    let mut last = 0.0;
    let is_wrong = |event: &ClipEvent| {
        let is_late = event.frame() < last;
        last = event.frame();
        is_late || !frames.contains(&last) || event.bone().is_some_and(|bone| bone >= clip.bones())
    };
    match clip.events().iter().position(is_wrong) {
        Some(at) => wrong("events", "ascending frames of the clip", at),
        None => Ok(()),
    }
}

fn constants(clip: &Clip<'_>) -> Result<(), DataError> {
    let places = clip.constant_places;
    if places.len() != clip.constants.len() {
        return wrong("constants", "one for each place", clip.constants.len());
    }
    if let Some(at) = wrong_place(clip.bones as usize, places.iter().copied()) {
        return wrong("constant_places", "ascending channels of bones", at);
    }
    let is_wrong = |(place, value): (&u16, &[f32; 4])| {
        let square = value.iter().map(|number| number * number).sum::<f32>();
        let is_rotation = matches!(place_of(*place), Some((Channel::Rotation, _)));
        let is_near = value.iter().all(|number| number.abs() <= FAR);
        let is_turn = (square - 1.0).abs() < 1.0e-3;
        !is_near || is_rotation && !is_turn
    };
    match places.iter().zip(clip.constants).position(is_wrong) {
        Some(at) => wrong("constants", "finite, with rotations of length 1", at),
        None => Ok(()),
    }
}

fn tracks(clip: &Clip<'_>) -> Result<LaneBytes, DataError> {
    let places = clip.tracks.iter().map(|[place, ..]| *place);
    if let Some(at) = wrong_place(clip.bones as usize, places.clone()) {
        return wrong("tracks", "ascending channels of bones", at);
    }
    let is_constant = |word: u16| {
        clip.constant_places.binary_search_by_key(&order_of(word), |place| order_of(*place)).is_ok()
    };
    if let Some(at) = places.clone().position(is_constant) {
        return wrong("tracks", "of places without a constant", at);
    }
    let mut lanes = [[0; LANES]; GROUPS_MAX];
    let (mut count, mut last) = (0, None);
    for (at, [place, ..]) in clip.tracks.iter().enumerate() {
        let key = order_of(*place) / LANES as u16;
        if last.replace(key) != Some(key) {
            count += 1;
        }
        let bytes = bytes_of(*place);
        if bytes == 0 {
            return wrong("tracks", "of keys of one to six bytes", at);
        }
        // Places ascend and their bones are fewer than 1025, so there are no more groups than that.
        lanes[count - 1][usize::from(*place) % LANES] = bytes;
    }
    drifts(clip)?;
    Ok(lanes)
}

fn drifts(clip: &Clip<'_>) -> Result<(), DataError> {
    let places = clip.drifts.iter().map(|[place, ..]| *place);
    let late = wrong_place(clip.bones as usize, places.clone());
    let has_track = |place: u16| {
        let found =
            clip.tracks.binary_search_by_key(&order_of(place), |[place, ..]| order_of(*place));
        found.is_ok() && matches!(place_of(place), Some((Channel::Position, _)))
    };
    match late.or_else(|| places.clone().position(|place| !has_track(place))) {
        Some(at) => wrong("drifts", "ascending positions of bones with a track", at),
        None => Ok(()),
    }
}

/// Walks the stream from round to round, and looks at the jump frames on the way. Returns the keys.
fn stream(clip: &Clip<'_>, lanes: &LaneBytes) -> Result<usize, DataError> {
    if !clip.codes.is_empty() {
        return wrong("codes", "none where tracks are curves", clip.codes.len());
    }
    let size = round_bytes(Track::group_count(clip.tracks));
    let (rounds, rest) = (clip.rounds.chunks_exact(size), clip.rounds.len() % size);
    if rest != 0 {
        return wrong("rounds", "a bit for each group, all of them", clip.rounds.len());
    }
    let state_bytes: usize =
        clip.tracks.iter().map(|[place, ..]| 4 + 4 * usize::from(bytes_of(*place))).sum();
    if clip.jump_states.len() != state_bytes.saturating_mul(clip.jumps.len()) {
        return wrong("jump_states", "those of all tracks and jump frames", clip.jump_states.len());
    }
    let mut walk =
        Walk { clip, lanes, cursor: Cursor::default(), codes: [[Codes(0); LANES]; GROUPS_MAX] };
    let mut jumps = clip.jumps.iter().enumerate().peekable();
    for round in rounds {
        while let Some((at, jump)) = jumps.next_if(|(_, jump)| jump[1] == walk.cursor.round) {
            let state = &clip.jump_states[at * state_bytes..(at + 1) * state_bytes];
            if Cursor::of_jump(*jump) != walk.cursor || !walk.has_codes_of(state) {
                return wrong("jumps", "what a player has there", at);
            }
        }
        walk.round(round)?;
    }
    if let Some((at, _)) = jumps.next() {
        return wrong("jumps", "ascending rounds of the stream", at);
    }
    let Cursor { frame, mask, step, value, .. } = walk.cursor;
    if frame > clip.last_frame + 1 {
        return wrong("rounds", "no more than there are frames", frame as usize);
    }
    if mask as usize != clip.masks.len() {
        return wrong("masks", "one for each group of a round", clip.masks.len());
    }
    if clip.steps.len() != step.div_ceil(2) as usize {
        return wrong("steps", "one for each key", clip.steps.len());
    }
    if value as usize != clip.values.len() {
        return wrong("values", "the bytes of all keys", clip.values.len());
    }
    Ok(step as usize)
}

/// A walk through the stream: where it is, and the codes that a player has there.
struct Walk<'w, 'b> {
    clip: &'w Clip<'b>,
    lanes: &'w LaneBytes,
    cursor: Cursor,
    codes: [[Codes; LANES]; GROUPS_MAX],
}

impl Walk<'_, '_> {
    /// Passes a round.
    fn round(&mut self, round: &[u8]) -> Result<(), DataError> {
        let at = self.cursor.round as usize;
        let is_same = is_same_frame(round);
        if is_same && self.cursor.frame == 0 {
            return wrong("rounds", "of a frame, the first one as well", at);
        }
        self.cursor.frame += u32::from(!is_same);
        self.cursor.round += 1;
        for group in groups_of_round(round) {
            let Some(mask) = self.clip.masks.get(self.cursor.mask as usize) else {
                return wrong("masks", "one for each group of a round", self.clip.masks.len());
            };
            self.cursor.mask += 1;
            for lane in lanes_of(*mask) {
                let bytes = self.lanes.get(group).map_or(0, |group| group[lane]);
                if bytes == 0 {
                    return wrong("masks", "of groups and tracks that there are", at);
                }
                let mixed = step_at(self.clip.steps, self.cursor.step as usize);
                self.cursor.step += 1;
                let is_end = self.codes[group][lane].advance(mixed) == END;
                self.cursor.value += if is_end { 0 } else { u32::from(bytes) };
            }
        }
        Ok(())
    }

    /// Returns `true` if the state of a jump frame has the codes that a player has here.
    fn has_codes_of(&self, mut state: &[u8]) -> bool {
        let lanes = self.lanes.iter().zip(&self.codes);
        let mut tracks = lanes.flat_map(|(bytes, codes)| bytes.iter().zip(codes));
        tracks.all(|(bytes, codes)| {
            if *bytes == 0 {
                return true;
            }
            let Some(([_, _, low, high], rest)) = state.split_first_chunk::<4>() else {
                return false;
            };
            state = rest.get(4 * usize::from(*bytes)..).unwrap_or_default();
            u16::from_le_bytes([*low, *high]) == codes.0
        })
    }
}
