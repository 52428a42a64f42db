//! Fitting a curve to the samples of a track.
//!
//! A section (a track, or a part of it between two jumps) begins with keys at its two ends. The interval
//! with the largest error gets a key at the worst of its frames, until all errors are within the
//! tolerance; intervals are divided into those that have a code; then the keys that are missed least are taken again, as long as the tolerance holds. Errors
//! are those of the quantised keys, computed as the player computes them.

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::vec::Vec;

use super::knots::Knots;
use super::track_source::{TrackSource, skin_per_unit};
use crate::clip::{Key, KeyBits, SCALE, code_of, level, longest_within};
use crate::playing::key_weights;

/// A key of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Knot {
    pub(super) frame: u16,
    pub(super) key: Key,
}

/// How a track is to be fitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct FitTerms {
    /// How far the skin may be off, in metres.
    pub(super) tolerance: f32,
    /// The bytes of a key.
    pub(super) bytes: u8,
}

/// Fits a track. Returns nothing, if keys of that size are not exact enough for the tolerance; those of
/// six bytes are used even so.
pub(super) fn fit(source: &TrackSource, terms: FitTerms) -> Option<Vec<Knot>> {
    let ranges = ranges_of(source);
    let last = source.values.len() - 1;
    let ends = source.jumps.iter().map(|(frame, before)| (*frame, *before));
    let mut knots = Vec::new();
    let mut start = 0;
    for (end, before) in ends.chain([(last, source.values[last])]) {
        let mut values = source.values[start..=end].to_vec();
        values[end - start] = before;
        let section = Section::new(source, values, ranges, terms);
        if terms.bytes < 6 && section.quantisation_error() > terms.tolerance {
            return None;
        }
        let frames = section.fit();
        knots.extend(
            frames
                .iter()
                .map(|frame| Knot { frame: (start + frame) as u16, key: section.keys[frame] }),
        );
        start = end;
    }
    Some(knots)
}

/// Returns the bytes of a track with a key in each frame and without their times, which is what fitting is
/// compared with: the smallest keys that are exact enough.
pub(super) fn uniform_bytes(source: &TrackSource, tolerance: f32) -> usize {
    let ranges = ranges_of(source);
    let is_exact = |bytes: &u8| {
        let terms = FitTerms { tolerance, bytes: *bytes };
        let section = Section::new(source, source.values.clone(), ranges, terms);
        section.quantisation_error() <= tolerance
    };
    usize::from((1..6).find(is_exact).unwrap_or(6)) * source.values.len()
}

/// Returns the ranges that the codes of a track are.
pub(super) fn ranges_of(source: &TrackSource) -> [f32; 3] {
    source.unpacked().map_or([0.0; 3], |track| track.ranges)
}

/// A part of a track without a jump.
struct Section {
    values: Vec<[f32; 3]>,
    keys: Vec<Key>,
    /// How much a number moves the skin in each frame.
    skin: Vec<f32>,
    ranges: [f32; 3],
    terms: FitTerms,
}

/// An error in nanometres, so that it can be ordered, and the frame it is in.
type Worst = (u64, usize);

impl Section {
    fn new(source: &TrackSource, values: Vec<[f32; 3]>, ranges: [f32; 3], terms: FitTerms) -> Self {
        let bits = KeyBits::new(terms.bytes, ranges);
        let keys = values.iter().map(|value| bits.quantised(*value, ranges)).collect();
        let skin = values.iter().map(|value| skin_per_unit(source, *value)).collect();
        Self { values, keys, skin, ranges, terms }
    }

    /// Returns how far the skin is off in the worst frame that has a key.
    fn quantisation_error(&self) -> f32 {
        let frames = 0..self.values.len();
        frames
            .map(|frame| self.error(frame, [self.keys[frame]; 4], [0.0, 1.0, 0.0, 0.0]))
            .fold(0.0, f32::max)
    }

    /// Returns the frames that get keys.
    fn fit(&self) -> Knots {
        let last = self.values.len() - 1;
        let mut knots = Knots::new(last);
        self.split(&mut knots);
        divide(&mut knots);
        self.thin(&mut knots);
        knots
    }

    /// Adds keys until all frames are within the tolerance.
    fn split(&self, knots: &mut Knots) {
        let tolerance = ordered(self.terms.tolerance);
        let mut errors = std::vec![(0, 0); self.values.len()];
        let mut heap = BinaryHeap::new();
        for start in knots.iter() {
            errors[start] = self.interval_error(knots, start);
            heap.push((errors[start].0, start));
        }
        while let Some((error, start)) = heap.pop() {
            // Errors that changed since are in the heap once more.
            if errors[start].0 != error || error <= tolerance {
                continue;
            }
            let frame = errors[start].1;
            knots.insert(start, frame);
            let first = knots.before(start).unwrap_or(start);
            for start in core::iter::successors(Some(first), |at| knots.next(*at)).take(4) {
                errors[start] = self.interval_error(knots, start);
                heap.push((errors[start].0, start));
            }
        }
    }

    /// Takes keys away whose lack keeps all frames within the tolerance, the least missed first.
    fn thin(&self, knots: &mut Knots) {
        let tolerance = ordered(self.terms.tolerance);
        let mut costs = std::vec![u64::MAX; self.values.len()];
        let mut heap = BinaryHeap::new();
        for frame in knots.iter() {
            if knots.has_inner(frame) {
                costs[frame] = self.cost(knots, frame);
                heap.push(Reverse((costs[frame], frame)));
            }
        }
        while let Some(Reverse((cost, frame))) = heap.pop() {
            if cost > tolerance {
                break;
            }
            if costs[frame] != cost || !knots.has_inner(frame) {
                continue;
            }
            let mut first = frame;
            for _ in 0..3 {
                first = knots.before(first).unwrap_or(first);
            }
            knots.remove(frame);
            costs[frame] = u64::MAX;
            let around: Vec<_> =
                core::iter::successors(Some(first), |at| knots.next(*at)).take(6).collect();
            for frame in around.into_iter().filter(|frame| knots.has_inner(*frame)) {
                costs[frame] = self.cost(knots, frame);
                heap.push(Reverse((costs[frame], frame)));
            }
        }
    }

    /// Returns the largest error of the intervals around a key, if it was taken away.
    fn cost(&self, knots: &Knots, frame: usize) -> u64 {
        let (Some(start), Some(end)) = (knots.before(frame), knots.next(frame)) else {
            return u64::MAX;
        };
        if code_of(end - start).is_none() {
            return u64::MAX;
        }
        let (earlier, later) = (knots.before(start), knots.next(end));
        let mut worst = self.curve_error([earlier, Some(start), Some(end), later]).0;
        if let Some(earlier) = earlier {
            let times = [knots.before(earlier), Some(earlier), Some(start), Some(end)];
            worst = worst.max(self.curve_error(times).0);
        }
        if let Some(later) = later {
            let times = [Some(start), Some(end), Some(later), knots.next(later)];
            worst = worst.max(self.curve_error(times).0);
        }
        worst
    }

    /// Returns the largest error of the interval that begins with a key.
    fn interval_error(&self, knots: &Knots, start: usize) -> Worst {
        let Some(end) = knots.next(start) else { return (0, start) };
        self.curve_error([knots.before(start), Some(start), Some(end), knots.next(end)])
    }

    /// Returns the largest error of the frames between the middle two of four keys.
    fn curve_error(&self, times: [Option<usize>; 4]) -> Worst {
        let [before, Some(start), Some(end), after] = times else { return (0, 0) };
        let keys = times.map(|time| time.map_or([0; 3], |time| self.keys[time]));
        let lengths = [
            before.map_or(0, |before| start - before),
            end - start,
            after.map_or(0, |after| after - end),
        ];
        let [before, length, after] = lengths.map(|length| length as f32);
        let mut worst = (0, start);
        for frame in start + 1..end {
            let weights = key_weights((frame - start) as f32, before, length, after);
            let error = ordered(self.error(frame, keys, weights));
            if error > worst.0 {
                worst = (error, frame);
            }
        }
        worst
    }

    /// Returns how far the skin is off in a frame.
    fn error(&self, frame: usize, keys: [Key; 4], weights: [f32; 4]) -> f32 {
        let mut square = 0.0;
        for axis in 0..3 {
            let levels = keys.iter().map(|key| level(key[axis]));
            let sum: f32 = levels.zip(weights).map(|(level, weight)| weight * level).sum();
            let off = sum * SCALE * self.ranges[axis] - self.values[frame][axis];
            square += off * off;
        }
        square.sqrt() * self.skin[frame]
    }
}

/// Divides the intervals that have no code.
fn divide(knots: &mut Knots) {
    let mut at = Some(0);
    while let Some(start) = at {
        let next = knots.next(start);
        if let Some(length) =
            next.map(|next| next - start).filter(|length| code_of(*length).is_none())
        {
            knots.insert(start, start + longest_within(length));
        }
        at = knots.next(start);
    }
}

/// Returns metres as whole nanometres.
fn ordered(metres: f32) -> u64 {
    (metres * 1.0e9) as u64
}
