//! The keys of all tracks as one stream, ordered by time of need.

use std::vec::Vec;

use super::fit::Knot;
use super::image::ClipParts;
use crate::clip::{FIRST_KEYS, Header, HeaderBits, Key, KeyBits};
use crate::lanes::LANES;
use crate::playing::ActiveGroup;

/// A track with its keys, at its lane.
#[derive(Clone, Debug)]
pub(super) struct FittedTrack {
    pub(super) lane: usize,
    pub(super) bits: KeyBits,
    pub(super) knots: Vec<Knot>,
}

impl FittedTrack {
    /// Returns the bytes of its keys in the stream.
    pub(super) const fn bytes(&self) -> usize {
        self.knots.len() * (2 + 2 * self.bits.words()) + 2
    }
}

/// A key or an end in the stream.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The frame in which it is needed.
    need: u16,
    lane: usize,
    /// Its number in the track.
    number: usize,
    interval: u8,
    key: Option<Key>,
    bits: KeyBits,
}

/// Writes the keys of tracks in the order of need, and a jump frame after each `jump_ratio` times as
/// many words as it has; none if that is 0.
pub(super) fn write_stream(
    tracks: &[FittedTrack],
    groups: usize,
    jump_ratio: u32,
    parts: &mut ClipParts,
) {
    let bits = HeaderBits::of_groups(groups);
    let mut entries: Vec<_> = tracks.iter().flat_map(entries_of).collect();
    entries.sort_by_key(|entry| (entry.need, entry.lane, entry.number));
    let state_words: usize = tracks.iter().map(|track| 3 + 4 * track.bits.words()).sum();
    let first = FIRST_KEYS * tracks.len();
    let mut active = std::vec![ActiveGroup::EMPTY; groups];
    let mut words = 0;
    for (at, entry) in entries.iter().enumerate() {
        let is_next = at > first && entry.need > entries[at - 1].need;
        if jump_ratio > 0 && is_next && words >= state_words * jump_ratio as usize {
            words = 0;
            let frame = u32::from(entries[at - 1].need);
            parts.jumps.push([frame, at as u32, parts.values.len() as u32]);
            tracks.iter().for_each(|track| write_state(track, &active, &mut parts.jump_words));
        }
        let before = parts.values.len();
        let Entry { lane, interval, key, .. } = *entry;
        parts.headers.push(Header { lane, interval, is_end: key.is_none() }.pack(bits));
        if let Some(key) = key {
            parts.values.extend(entry.bits.pack(key));
        }
        active[lane / LANES].advance(lane % LANES, interval, key.unwrap_or_default());
        words += 1 + parts.values.len() - before;
    }
}

/// Returns the keys of a track as differences from those that they replace, and its end.
fn entries_of(track: &FittedTrack) -> impl Iterator<Item = Entry> + '_ {
    let FittedTrack { lane, bits, ref knots } = *track;
    let interval = |number: usize| match number.checked_sub(1) {
        Some(before) if number < knots.len() => (knots[number].frame - knots[before].frame) as u8,
        _ => 0,
    };
    (0..=knots.len()).map(move |number| {
        let replaced = number.checked_sub(4);
        let old = replaced.map_or([0; 3], |replaced| knots[replaced].key);
        let new = knots.get(number).map(|knot| knot.key);
        Entry {
            need: number.checked_sub(2).map_or(0, |start| knots[start].frame),
            lane,
            number,
            interval: interval(number) ^ replaced.map_or(0, interval),
            key: new.map(|new| core::array::from_fn(|axis| new[axis] ^ old[axis])),
            bits,
        }
    })
}

/// Writes the state of a track as jump frames have it.
fn write_state(track: &FittedTrack, active: &[ActiveGroup], words: &mut Vec<u16>) {
    let (start, [a, b, c, d], keys) = active[track.lane / LANES].track(track.lane % LANES);
    words.extend([start, u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]);
    words.extend(keys.into_iter().flat_map(|key| track.bits.pack(key)));
}
