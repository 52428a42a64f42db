//! A limiter: nothing is louder than its ceiling.

use loligo_allocators::Allocator;
use loligo_containers::{Array, Ring};

use super::line::Line;
use super::within;
use crate::block::{BLOCK, Stereo};
use crate::error::BusErrorKind;
use crate::level::gain_of;

/// A limiter, as data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limiting {
    /// The level that nothing is above, in decibels of full scale, from -40 to 0.
    pub ceiling: f32,
    /// How far it looks ahead, in seconds, from 0.0005 to 0.02: so much later all is heard.
    pub ahead: f32,
    /// How soon it ends, in seconds, from 0.001 to 2.
    pub release: f32,
}

/// A limiter at work.
///
/// Of the gains that the samples ahead need the least is taken, and the mean of these over the same time: it
/// falls in time by a line, and is no more than any of them. The least of a window is at the front of a queue
/// from which all that is not less than what comes after it was taken, so a sample costs two steps.
pub(crate) struct Limiter<'a, A: Allocator + ?Sized> {
    rate: f32,
    /// The ceiling now, and at the end of the next block.
    ceiling: f32,
    ceiling_to: f32,
    /// What is cut, and the frames until it is the ceiling: what comes out was measured by an earlier one.
    cut: f32,
    cut_left: u32,
    /// What is left of the distance to full gain after a frame.
    release: f32,
    lines: Array<'a, Line<'a, A>, A>,
    /// The frame and the gain of what may become the least.
    least: Ring<'a, (u64, f32), A>,
    /// The least gains of the last frames, and their sum in units of 2^-24, which does not drift.
    means: Array<'a, u32, A>,
    sum: u64,
    frame: u64,
    held: f32,
}

/// The unit in which gains are added up.
const UNIT: f32 = (1 << 24) as f32;

impl Limiting {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("ceiling", self.ceiling, [-40.0, 0.0], "from -40 to 0 decibels")?;
        within("ahead", self.ahead, [0.0005, 0.02], "from 0.0005 to 0.02 seconds")?;
        within("release", self.release, [0.001, 2.0], "from 0.001 to 2 seconds")
    }

    fn frames(&self, rate: f32) -> usize {
        ((self.ahead * rate) as usize).max(1)
    }

    /// What is left of the distance to full gain after a frame.
    fn left(&self, rate: f32) -> f32 {
        libm::expf(-1.0 / (self.release * rate))
    }
}

impl<'a, A: Allocator + ?Sized> Limiter<'a, A> {
    pub(crate) fn try_new(
        limiting: &Limiting,
        rate: f32,
        pairs: usize,
        memory: &'a A,
    ) -> Result<Self, BusErrorKind> {
        let ahead = limiting.frames(rate);
        let mut lines = Array::new_in(memory);
        for _ in 0..2 * pairs {
            let line = Line::try_new(ahead, memory).map_err(BusErrorKind::Memory)?;
            lines.try_push(line).map_err(BusErrorKind::Memory)?;
        }
        let mut means = Array::new_in(memory);
        means.try_resize(ahead, UNIT as u32).map_err(BusErrorKind::Memory)?;
        let least = Ring::try_with_capacity_in(ahead + 2, memory).map_err(BusErrorKind::Memory)?;
        let ceiling = gain_of(limiting.ceiling);
        Ok(Self {
            rate,
            ceiling,
            ceiling_to: ceiling,
            cut: ceiling,
            cut_left: 0,
            release: limiting.left(rate),
            lines,
            least,
            means,
            sum: ahead as u64 * UNIT as u64,
            frame: 0,
            held: 1.0,
        })
    }

    /// Becomes another within a block. Returns `false` if that looks further ahead or less far.
    pub(crate) fn set(&mut self, limiting: &Limiting) -> bool {
        let is_as_far = self.means.len() == limiting.frames(self.rate);
        if is_as_far {
            self.ceiling_to = gain_of(limiting.ceiling);
            self.release = limiting.left(self.rate);
            self.cut = self.cut.max(self.ceiling_to);
            self.cut_left = (self.means.len() + BLOCK) as u32;
        }
        is_as_far
    }

    pub(crate) fn process(&mut self, block: &mut [Stereo]) {
        let mut gains = [0.0_f32; BLOCK];
        for channel in block.iter().flat_map(|pair| &pair.channels) {
            for (peak, sample) in gains.iter_mut().zip(channel) {
                *peak = peak.max(sample.abs());
            }
        }
        let step = (self.ceiling_to - self.ceiling) * (1.0 / BLOCK as f32);
        for (gain, at) in gains.iter_mut().zip(1_i32..) {
            *gain = self.gain_for(*gain, self.ceiling + step * at as f32);
        }
        self.ceiling = self.ceiling_to;
        let cut = self.cut;
        let channels = block.iter_mut().flat_map(|pair| &mut pair.channels);
        for (channel, line) in channels.zip(&mut self.lines) {
            for (sample, gain) in channel.iter_mut().zip(&gains) {
                let heard = line.front();
                line.push(*sample);
                // Sums are rounded; what is above by the last bit is cut.
                *sample = (heard * gain).clamp(-cut, cut);
            }
        }
        self.cut_left = self.cut_left.saturating_sub(BLOCK as u32);
        if self.cut_left == 0 {
            self.cut = self.ceiling;
        }
    }

    /// Takes the peak of the newest frame, and returns the gain for the frame that comes out.
    fn gain_for(&mut self, peak: f32, ceiling: f32) -> f32 {
        let len = self.means.len() as u64;
        let wanted = if peak > ceiling { ceiling / peak } else { 1.0 };
        while self.least.back().is_some_and(|(_, gain)| *gain >= wanted) {
            self.least.pop_back();
        }
        // There is room: the frames are within the time ahead.
        let _ = self.least.try_push_back((self.frame, wanted));
        while self.least.front().is_some_and(|(frame, _)| frame + len < self.frame) {
            self.least.pop_front();
        }
        let least = self.least.front().map_or(1.0, |(_, gain)| *gain);
        self.held = least.min(1.0 + (self.held - 1.0) * self.release);
        let units = (self.held * UNIT) as u32;
        let place = &mut self.means[(self.frame % len) as usize];
        self.sum = self.sum - u64::from(*place) + u64::from(units);
        *place = units;
        self.frame += 1;
        (self.sum as f64 / (len as f64 * f64::from(UNIT))) as f32
    }
}
