//! The keys of all tracks as one stream, ordered by time of need.

use std::vec::Vec;

use super::fit::Knot;
use super::image::ClipParts;
use crate::clip::{END, JUMP, Key, KeyBits, code_of, round_bytes};
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
        self.knots.len() * self.bits.bytes() + self.knots.len().div_ceil(2)
    }

    /// Returns the bytes of its state in a jump frame.
    const fn state_bytes(&self) -> usize {
        4 + 4 * self.bits.bytes()
    }
}

/// A key or an end in the stream.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The frame in which it is needed.
    need: u16,
    /// How many of the same track are needed in that frame before it.
    turn: usize,
    lane: usize,
    bits: KeyBits,
    code: u8,
    key: Option<Key>,
}

/// Writes the keys of tracks in the order of need, and a jump frame after each `jump_ratio` times as
/// many bytes as it has; none if that is 0.
pub(super) fn write_stream(
    tracks: &[FittedTrack],
    groups: usize,
    jump_ratio: u32,
    parts: &mut ClipParts,
) {
    let mut entries: Vec<_> = tracks.iter().flat_map(entries_of).collect();
    entries.sort_by_key(|entry| (entry.need, entry.turn, entry.lane));
    let state_bytes: usize = tracks.iter().map(FittedTrack::state_bytes).sum();
    let mut writer =
        Writer { parts, groups, steps: 0, active: std::vec![ActiveGroup::EMPTY; groups] };
    let mut next_frame = 0;
    let mut last_jump = 0;
    for round in entries.chunk_by(|a, b| (a.need, a.turn) == (b.need, b.turn)) {
        let need = u32::from(round[0].need);
        // Frames in which nothing is needed have a round as well.
        while next_frame < need {
            writer.begin_round(false);
            next_frame += 1;
        }
        let is_same = next_frame > need;
        let bytes = writer.parts.stream_bytes();
        if jump_ratio > 0
            && !is_same
            && need > 0
            && bytes - last_jump >= state_bytes * jump_ratio as usize
        {
            writer.jump(tracks, next_frame);
            last_jump = bytes;
        }
        writer.begin_round(is_same);
        next_frame = need + 1;
        writer.write(round);
    }
}

/// Writes the columns, and keeps what a player has.
struct Writer<'w> {
    parts: &'w mut ClipParts,
    groups: usize,
    steps: u32,
    active: Vec<ActiveGroup>,
}

impl Writer<'_> {
    fn begin_round(&mut self, is_same: bool) {
        let rounds = &mut self.parts.rounds;
        rounds.push(u8::from(is_same));
        rounds.resize(rounds.len() + round_bytes(self.groups) - 1, 0);
    }

    /// Writes the keys of the round that was begun last, in the order of lanes.
    fn write(&mut self, entries: &[Entry]) {
        let start = self.parts.rounds.len() - round_bytes(self.groups);
        for group in entries.chunk_by(|a, b| a.lane / LANES == b.lane / LANES) {
            let bit = group[0].lane / LANES + 1;
            self.parts.rounds[start + bit / 8] |= 1 << (bit % 8);
            let mask =
                group.iter().map(|entry| 1 << (entry.lane % LANES)).fold(0, |a, b: u8| a | b);
            self.parts.masks.push(mask);
            group.iter().for_each(|entry| self.write_entry(entry));
        }
    }

    fn write_entry(&mut self, entry: &Entry) {
        let Entry { lane, bits, code, key, .. } = *entry;
        match self.parts.steps.last_mut().filter(|_| !self.steps.is_multiple_of(2)) {
            Some(pair) => *pair |= code << 4,
            None => self.parts.steps.push(code),
        }
        self.steps += 1;
        let before = self.parts.values.len();
        self.parts.values.extend(key.into_iter().flat_map(|key| bits.pack(key)));
        let values = &self.parts.values[before..];
        self.active[lane / LANES].advance(lane % LANES, code, bits, values);
    }

    /// Writes a jump frame that continues with the round that is begun next.
    fn jump(&mut self, tracks: &[FittedTrack], frame: u32) {
        let parts = &mut *self.parts;
        let round = (parts.rounds.len() / round_bytes(self.groups)) as u32;
        let (mask, value) = (parts.masks.len() as u32, parts.values.len() as u32);
        parts.jumps.push([frame, round, mask, self.steps, value]);
        for track in tracks {
            let state = self.active[track.lane / LANES].track(track.lane % LANES);
            let (start, codes, keys) = state;
            parts.jump_states.extend(start.to_le_bytes());
            parts.jump_states.extend(codes.0.to_le_bytes());
            parts.jump_states.extend(keys.into_iter().flat_map(|key| track.bits.pack(key)));
        }
    }
}

/// Returns the keys of a track as differences from those that they replace, and its end.
fn entries_of(track: &FittedTrack) -> impl Iterator<Item = Entry> + '_ {
    let FittedTrack { lane, bits, ref knots } = *track;
    let need = |number: usize| number.checked_sub(2).map_or(0, |start| knots[start].frame);
    let code = |number: usize| match number.checked_sub(1) {
        None => JUMP,
        Some(_) if number == knots.len() => END,
        // Intervals without a code were divided when the track was fitted.
        Some(before) => {
            code_of(usize::from(knots[number].frame - knots[before].frame)).unwrap_or(JUMP)
        }
    };
    (0..=knots.len()).map(move |number| {
        let replaced = number.checked_sub(4);
        let old = replaced.map_or([0; 3], |replaced| knots[replaced].key);
        let new = knots.get(number).map(|knot| knot.key);
        let is_together = |other: &usize| need(*other) == need(number);
        Entry {
            need: need(number),
            turn: (0..number).rev().take_while(is_together).count(),
            lane,
            bits,
            code: code(number) ^ replaced.map_or(0, code),
            key: new.map(|new| core::array::from_fn(|axis| new[axis] ^ old[axis])),
        }
    })
}
