//! A room: a network of delays that feed each other.

use loligo_allocators::Allocator;

use super::filter::without_denormal;
use super::line::Line;
use super::within;
use crate::block::Stereo;
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
    lines: [Line<'a, A>; LINES],
    gains: [f32; LINES],
    damped: [f32; LINES],
    damping: f32,
    wet: f32,
    dry: f32,
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
        // After the time of the room a sound went through a line so often that 0.001 is left of it.
        let gain =
            |line: &Line<'a, A>| libm::powf(0.001, line.len() as f32 / (room.seconds * rate));
        let gains = core::array::from_fn(|at| gain(&lines[at]));
        let Reverberation { damping, wet, dry, .. } = *room;
        Ok(Self { lines, gains, damped: [0.0; LINES], damping, wet, dry })
    }

    pub(crate) fn process(&mut self, block: &mut Stereo) {
        let [left, right] = &mut block.channels;
        for (left, right) in left.iter_mut().zip(right) {
            let ends: [f32; LINES] = core::array::from_fn(|at| self.lines[at].front());
            let mut sum = 0.0;
            for (at, end) in ends.iter().enumerate() {
                let damped = end + (self.damped[at] - end) * self.damping;
                self.damped[at] = damped;
                sum += damped * self.gains[at];
            }
            let share = sum * (2.0 / LINES as f32);
            for (at, line) in self.lines.iter_mut().enumerate() {
                let input = if at % 2 == 0 { *left } else { *right };
                line.push(self.damped[at] * self.gains[at] - share + input * 0.5);
            }
            let heard = |first: usize| {
                let [a, b, c, d] = [0, 2, 4, 6].map(|at| ends[at + first]);
                ((a - b) + (c - d)) * 0.5
            };
            *left = *left * self.dry + heard(0) * self.wet;
            *right = *right * self.dry + heard(1) * self.wet;
        }
        self.damped = self.damped.map(without_denormal);
    }
}
