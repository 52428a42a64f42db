//! Checking a clip once, when it comes in.

use super::event::ClipEvent;
use super::header::Header;
use super::track::{Channel, order_of, place_of, words_of};
use super::{CLIP_TYPE, Clip, FIRST_KEYS, FRAMES_MAX, GROUPS_MAX};
use crate::error::AnimationError;
use crate::lanes::LANES;
use crate::skeleton::BONES_MAX;

/// Frames a second from the slowest to the fastest clip.
const RATES: core::ops::RangeInclusive<f32> = 0.001..=10_000.0;

/// The largest number of a constant.
const FAR: f32 = 1.0e9;

/// The words of a key of each lane; 0 where no track is.
type LaneWords = [[u8; LANES]; GROUPS_MAX];

/// Checks the invariants of a clip.
pub(super) fn verify(clip: &Clip<'_>) -> Result<(), AnimationError> {
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
    let lanes = tracks(clip)?;
    stream(clip, &lanes)
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

fn events(clip: &Clip<'_>) -> Result<(), AnimationError> {
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

fn constants(clip: &Clip<'_>) -> Result<(), AnimationError> {
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

fn tracks(clip: &Clip<'_>) -> Result<LaneWords, AnimationError> {
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
        let words = words_of(*place);
        if words == 0 {
            return wrong("tracks", "of keys of one to three words", at);
        }
        // Places ascend and their bones are fewer than 1025, so there are no more groups than that.
        lanes[count - 1][usize::from(*place) % LANES] = words;
    }
    drifts(clip)?;
    Ok(lanes)
}

fn drifts(clip: &Clip<'_>) -> Result<(), AnimationError> {
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

/// Walks the stream from key to key, and looks at the jump frames on the way.
fn stream(clip: &Clip<'_>, lanes: &LaneWords) -> Result<(), AnimationError> {
    let first = FIRST_KEYS * clip.tracks.len();
    if clip.headers.len() < first {
        return wrong("headers", "three for each track at the least", clip.headers.len());
    }
    let mut jumps = clip.jumps.iter().enumerate().peekable();
    let mut last_frame = 0;
    let mut value = 0;
    for at in 0..=clip.headers.len() {
        while let Some((number, [frame, _, from])) =
            jumps.next_if(|(_, [_, header, _])| *header as usize == at)
        {
            let is_ordered = *frame >= last_frame && *frame <= clip.last_frame;
            if *from as usize != value || at < first || !is_ordered {
                return wrong("jumps", "ascending places of keys", number);
            }
            last_frame = *frame;
        }
        let Some(word) = clip.headers.get(at) else { break };
        let header = Header::unpack(*word, clip.bits);
        let words = lanes.get(header.lane / LANES).map_or(0, |group| group[header.lane % LANES]);
        if words == 0 {
            return wrong("headers", "those of tracks", at);
        }
        value += if header.is_end { 0 } else { usize::from(words) };
    }
    if let Some((number, _)) = jumps.next() {
        return wrong("jumps", "ascending places of keys", number);
    }
    if value != clip.values.len() {
        return wrong("values", "the words of all keys", clip.values.len());
    }
    let state: usize = clip.tracks.iter().map(|[place, ..]| state_words(*place)).sum();
    if clip.jump_words.len() != state.saturating_mul(clip.jumps.len()) {
        return wrong("jump_words", "a state for each track and jump frame", clip.jump_words.len());
    }
    Ok(())
}

/// Returns the words of a track's state in a jump frame: when its interval begins, the four
/// intervals and the four keys.
const fn state_words(place: u16) -> usize {
    3 + 4 * words_of(place) as usize
}

fn wrong<T>(field: &'static str, must: &'static str, found: usize) -> Result<T, AnimationError> {
    Err(AnimationError::part(CLIP_TYPE, field, must, found as u64))
}
