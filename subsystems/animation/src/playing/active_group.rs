//! The active keys of eight tracks.

use super::weights::key_weights;
use crate::clip::{Codes, END, Key, KeyBits, SCALE, frames_of, level};
use crate::lanes::{LANES, Lanes};

/// A key of each of eight tracks.
pub(crate) type KeyRow = [[u16; LANES]; 3];

/// The four keys of each of eight tracks that its curve needs now, and the intervals before them.
///
/// The curve runs from key 1 to key 2; keys 0 and 3 give it its slopes there. A key that comes in
/// replaces the oldest one. As it is stored as the difference (exclusive or) from that one, the same
/// operation backwards brings the old one back.
///
/// # Memory
///
/// 256 bytes, which are four cache lines: 32 a track.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct ActiveGroup {
    keys: [KeyRow; 4],
    /// The frames from the key before to each of the four.
    intervals: [[u8; LANES]; 4],
    /// The frame of key 1.
    starts: [u16; LANES],
    codes: [Codes; LANES],
}

impl ActiveGroup {
    /// No key was needed yet.
    pub(crate) const EMPTY: Self = Self {
        keys: [[[0; LANES]; 3]; 4],
        intervals: [[0; LANES]; 4],
        starts: [0; LANES],
        codes: [Codes(0); LANES],
    };

    /// Goes on to the next interval of a track with what the stream has, and returns how many bytes of
    /// the values were used.
    #[inline]
    pub(crate) fn advance(
        &mut self,
        lane: usize,
        mixed: u8,
        bits: KeyBits,
        values: &[u8],
    ) -> usize {
        let code = self.codes[lane].advance(mixed);
        let (key, bytes) =
            if code == END { ([0; 3], 0) } else { (bits.unpack(values), bits.bytes()) };
        let intervals = &mut self.intervals;
        self.starts[lane] = self.starts[lane].wrapping_add(u16::from(intervals[2][lane]));
        for at in 0..3 {
            intervals[at][lane] = intervals[at + 1][lane];
        }
        intervals[3][lane] = frames_of(code);
        for (axis, word) in key.into_iter().enumerate() {
            let oldest = self.keys[0][axis][lane];
            for at in 0..3 {
                self.keys[at][axis][lane] = self.keys[at + 1][axis][lane];
            }
            self.keys[3][axis][lane] = oldest ^ word;
        }
        bytes
    }

    /// Returns how many bytes of the values the newest key of a track has.
    #[inline]
    pub(crate) fn newest_bytes(&self, lane: usize, bits: KeyBits) -> usize {
        if self.codes[lane].newest() == END { 0 } else { bits.bytes() }
    }

    /// Goes back to the interval of a track before: undoes [`advance`](Self::advance) with the same
    /// arguments.
    #[inline]
    pub(crate) fn retreat(&mut self, lane: usize, mixed: u8, bits: KeyBits, values: &[u8]) {
        let is_end = self.codes[lane].newest() == END;
        let key = if is_end { [0; 3] } else { bits.unpack(values) };
        let back = self.codes[lane].retreat(mixed);
        let intervals = &mut self.intervals;
        for at in (0..3).rev() {
            intervals[at + 1][lane] = intervals[at][lane];
        }
        intervals[0][lane] = frames_of(back);
        self.starts[lane] = self.starts[lane].wrapping_sub(u16::from(intervals[2][lane]));
        for (axis, word) in key.into_iter().enumerate() {
            let newest = self.keys[3][axis][lane];
            for at in (0..3).rev() {
                self.keys[at + 1][axis][lane] = self.keys[at][axis][lane];
            }
            self.keys[0][axis][lane] = newest ^ word;
        }
    }

    /// Takes a key that follows from the last two and a difference, of all tracks.
    #[inline]
    pub(crate) fn extrapolate(&mut self, differences: &[[u16; LANES]; 3]) {
        let [_, a, b, c] = self.keys;
        let mut next = c;
        for ((next, before), difference) in next.iter_mut().zip(&b).zip(differences) {
            for ((next, before), difference) in next.iter_mut().zip(before).zip(difference) {
                let twice = next.wrapping_add(*next);
                *next = twice.wrapping_sub(*before).wrapping_add(*difference);
            }
        }
        self.keys = [a, b, c, next];
    }

    /// Takes back the key before the first two, which follows from them and a difference.
    #[inline]
    pub(crate) fn extrapolate_back(&mut self, differences: &[[u16; LANES]; 3]) {
        let [a, b, c, _] = self.keys;
        let mut before = a;
        for ((before, next), difference) in before.iter_mut().zip(&b).zip(differences) {
            for ((before, next), difference) in before.iter_mut().zip(next).zip(difference) {
                let twice = before.wrapping_add(*before);
                *before = twice.wrapping_sub(*next).wrapping_add(*difference);
            }
        }
        self.keys = [before, a, b, c];
    }

    /// Takes the newest key once more.
    #[inline]
    pub(crate) fn repeat_newest(&mut self) {
        let [_, a, b, c] = self.keys;
        self.keys = [a, b, c, c];
    }

    /// Takes the oldest key back once more.
    #[inline]
    pub(crate) fn repeat_oldest(&mut self) {
        let [a, b, c, _] = self.keys;
        self.keys = [a, a, b, c];
    }

    /// Returns one of the four keys of all tracks.
    #[inline]
    pub(super) const fn row(&self, key: usize) -> KeyRow {
        self.keys[key]
    }

    /// Sets the keys of all tracks.
    #[inline]
    pub(super) const fn set_rows(&mut self, keys: [KeyRow; 4]) {
        self.keys = keys;
    }

    /// Sets the last two keys of a track; those before are as the first of them.
    #[inline]
    pub(crate) fn set_two(&mut self, lane: usize, [first, second]: [Key; 2]) {
        self.set_track(lane, 0, Codes(0), [first, first, first, second]);
    }

    /// Returns where each curve is at a frame, as numbers over the ranges of its track.
    #[inline]
    pub(crate) fn evaluate(&self, frame: f32, ranges: &[Lanes; 3]) -> [Lanes; 3] {
        let [_, before, length, after] =
            self.intervals.map(|row| Lanes::of_numbers(&row, f32::from));
        let starts = Lanes::of_numbers(&self.starts, f32::from);
        self.weigh(key_weights(Lanes::splat(frame) - starts, before, length, after), ranges)
    }

    /// Returns the sum of each track's four keys with their weights.
    #[inline]
    pub(crate) fn weigh(&self, weights: [Lanes; 4], ranges: &[Lanes; 3]) -> [Lanes; 3] {
        let mut out = [Lanes::ZERO; 3];
        for (axis, (out, range)) in out.iter_mut().zip(ranges).enumerate() {
            let mut sum = Lanes::ZERO;
            for (keys, weight) in self.keys.iter().zip(weights) {
                sum = sum + weight * Lanes::of_numbers(&keys[axis], level);
            }
            *out = sum * Lanes::splat(SCALE) * *range;
        }
        out
    }

    /// Returns when the interval of a track begins, the codes of its keys, and the keys.
    #[cfg(feature = "compile")]
    pub(crate) fn track(&self, lane: usize) -> (u16, Codes, [Key; 4]) {
        (self.starts[lane], self.codes[lane], self.keys.map(|key| key.map(|row| row[lane])))
    }

    /// Sets the state of a track.
    #[inline]
    pub(crate) fn set_track(&mut self, lane: usize, start: u16, codes: Codes, keys: [Key; 4]) {
        self.starts[lane] = start;
        self.codes[lane] = codes;
        for (row, interval) in self.intervals.iter_mut().zip(codes.frames()) {
            row[lane] = interval;
        }
        for (rows, key) in self.keys.iter_mut().zip(keys) {
            for (row, word) in rows.iter_mut().zip(key) {
                row[lane] = word;
            }
        }
    }
}
