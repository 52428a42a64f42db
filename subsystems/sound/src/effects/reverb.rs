//! A room: a network of delays that feed each other.

use loligo_allocators::Allocator;

use super::filter::without_denormal;
use super::line::Line;
use super::within;
use crate::block::{BLOCK, Stereo};
use crate::error::BusErrorKind;

/// A room, as data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reverberation {
    /// After how many seconds a sound has faded by 60 decibels, from 0.1 to 30.
    pub seconds: f32,
    /// How large it is, from 0.1 to 3; 1 is a hall.
    pub size: f32,
    /// How much of what is high walls swallow, from 0 to 0.95.
    pub damping: f32,
    /// How much is heard of the room, from 0 to 1.
    pub wet: f32,
    /// How much is heard of the sound itself, from 0 to 1.
    pub dry: f32,
}

const LINES: usize = 8;

/// The delays of a hall in milliseconds: none is near a multiple of another, so that echoes do not meet.
const DELAYS: [f32; LINES] = [29.7, 37.1, 41.1, 43.7, 53.3, 59.9, 67.7, 79.3];

/// A room at work.
///
/// Each sample, the ends of eight delays are mixed by a Householder matrix, whose sums keep the energy, and
/// go into the delays again: what is lost is what the gains and the damping of the lines take.
pub(crate) struct Reverb<'a, A: Allocator + ?Sized> {
    rate: f32,
    size: f32,
    lines: [Line<'a, A>; LINES],
    damped: [f32; LINES],
    now: Numbers,
    /// What the numbers are at the end of the next block.
    to: Numbers,
}

/// The numbers of a room that may change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbers {
    gains: [f32; LINES],
    damping: f32,
    wet: f32,
    dry: f32,
}

impl Numbers {
    fn new(room: &Reverberation, lens: [usize; LINES], rate: f32) -> Self {
        // After the time of the room a sound went through a line so often that 0.001 is left of it.
        let gain = |len: usize| libm::powf(0.001, len as f32 / (room.seconds * rate));
        let Reverberation { damping, wet, dry, .. } = *room;
        Self { gains: lens.map(gain), damping, wet, dry }
    }

    /// Each number of both, by a function.
    #[inline(always)]
    fn with(&self, other: &Self, each: impl Fn(f32, f32) -> f32) -> Self {
        Self {
            gains: core::array::from_fn(|at| each(self.gains[at], other.gains[at])),
            damping: each(self.damping, other.damping),
            wet: each(self.wet, other.wet),
            dry: each(self.dry, other.dry),
        }
    }
}

impl Reverberation {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("seconds", self.seconds, [0.1, 30.0], "from 0.1 to 30")?;
        within("size", self.size, [0.1, 3.0], "from 0.1 to 3")?;
        within("damping", self.damping, [0.0, 0.95], "from 0 to 0.95")?;
        within("wet", self.wet, [0.0, 1.0], "from 0 to 1")?;
        within("dry", self.dry, [0.0, 1.0], "from 0 to 1")
    }
}

impl<'a, A: Allocator + ?Sized> Reverb<'a, A> {
    pub(crate) fn try_new(
        room: &Reverberation,
        rate: f32,
        memory: &'a A,
    ) -> Result<Self, BusErrorKind> {
        let line = |at: usize| {
            let frames = DELAYS[at] * 0.001 * room.size * rate;
            Line::try_new(frames as usize, memory).map_err(BusErrorKind::Memory)
        };
        let lines =
            [line(0)?, line(1)?, line(2)?, line(3)?, line(4)?, line(5)?, line(6)?, line(7)?];
        let now = Numbers::new(room, lines.each_ref().map(Line::len), rate);
        Ok(Self { rate, size: room.size, lines, damped: [0.0; LINES], now, to: now })
    }

    /// Becomes another within a block. Returns `false` if that has another size.
    pub(crate) fn set(&mut self, room: &Reverberation) -> bool {
        let is_as_large = room.size == self.size;
        if is_as_large {
            self.to = Numbers::new(room, self.lines.each_ref().map(Line::len), self.rate);
        }
        is_as_large
    }

    pub(crate) fn process(&mut self, block: &mut [Stereo]) {
        let step = self.now.with(&self.to, |now, to| (to - now) * (1.0 / BLOCK as f32));
        if self.now == self.to {
            self.fill::<false>(block, &step);
        } else {
            self.fill::<true>(block, &step);
            self.now = self.to;
        }
        self.damped = self.damped.map(without_denormal);
    }

    fn fill<const IS_GLIDING: bool>(&mut self, block: &mut [Stereo], step: &Numbers) {
        let mut numbers = self.now;
        match block {
            [front] => {
                let [left, right] = &mut front.channels;
                for (left, right) in left.iter_mut().zip(right) {
                    if IS_GLIDING {
                        numbers = numbers.with(step, |now, step| now + step);
                    }
                    let ends = self.reflect([*left, *right], &numbers);
                    *left = *left * numbers.dry + across(&ends, 0) * numbers.wet;
                    *right = *right * numbers.dry + across(&ends, 1) * numbers.wet;
                }
            }
            [front, middle, back] => {
                for at in 0..BLOCK {
                    if IS_GLIDING {
                        numbers = numbers.with(step, |now, step| now + step);
                    }
                    let centre = middle.channels[0][at] * 0.5;
                    let input = [0, 1]
                        .map(|side| front.channels[side][at] + back.channels[side][at] + centre);
                    let ends = self.reflect(input, &numbers);
                    for side in 0..2 {
                        let [front, back] = [&mut front.channels, &mut back.channels]
                            .map(|channels| &mut channels[side][at]);
                        *front = *front * numbers.dry + across(&ends, side) * numbers.wet;
                        *back = *back * numbers.dry + along(&ends, side) * numbers.wet;
                    }
                    middle.channels[0][at] *= numbers.dry;
                    middle.channels[1][at] *= numbers.dry;
                }
            }
            _ => {}
        }
    }

    /// Has a frame of both sides go in, and returns what comes out of the lines.
    #[inline(always)]
    fn reflect(&mut self, input: [f32; 2], numbers: &Numbers) -> [f32; LINES] {
        let ends: [f32; LINES] = core::array::from_fn(|at| self.lines[at].front());
        let mut sum = 0.0;
        for (at, end) in ends.iter().enumerate() {
            let damped = end + (self.damped[at] - end) * numbers.damping;
            self.damped[at] = damped;
            sum += damped * numbers.gains[at];
        }
        let share = sum * (2.0 / LINES as f32);
        for (at, line) in self.lines.iter_mut().enumerate() {
            line.push(self.damped[at] * numbers.gains[at] - share + input[at % 2] * 0.5);
        }
        ends
    }
}

/// What of the lines is heard in front on a side, and at the back: other signs, so that they differ.
fn across(ends: &[f32; LINES], side: usize) -> f32 {
    let [a, b, c, d] = [0, 2, 4, 6].map(|at| ends[at + side]);
    ((a - b) + (c - d)) * 0.5
}

fn along(ends: &[f32; LINES], side: usize) -> f32 {
    let [a, b, c, d] = [0, 2, 4, 6].map(|at| ends[at + side]);
    ((a + b) - (c + d)) * 0.5
}
