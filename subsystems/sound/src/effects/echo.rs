//! Echoes: a delay that is fed back.

use glam::Vec4;
use loligo_allocators::Allocator;
use loligo_containers::Array;

use super::filter::without_denormal;
use super::line::Line;
use super::within;
use crate::block::{BLOCK, Stereo};
use crate::error::BusErrorKind;

/// An echo, as data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// After how many seconds a sound is repeated, from 0.001 to 4.
    pub seconds: f32,
    /// How much of a repetition is in the next one, from 0 to 0.98.
    pub feedback: f32,
    /// How much of what is high each repetition loses, from 0 to 0.98.
    pub damping: f32,
    /// How much is heard of repetitions, from 0 to 1.
    pub wet: f32,
    /// How much is heard of the sound itself, from 0 to 1.
    pub dry: f32,
}

/// An echo at work.
pub(crate) struct EchoLines<'a, A: Allocator + ?Sized> {
    /// Feedback, damping, wet and dry, now and at the end of the next block.
    now: Vec4,
    to: Vec4,
    /// A line for each channel, and what is held of its last repetition.
    lines: Array<'a, (Line<'a, A>, f32), A>,
}

impl Echo {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("seconds", self.seconds, [0.001, 4.0], "from 0.001 to 4")?;
        within("feedback", self.feedback, [0.0, 0.98], "from 0 to 0.98")?;
        within("damping", self.damping, [0.0, 0.98], "from 0 to 0.98")?;
        within("wet", self.wet, [0.0, 1.0], "from 0 to 1")?;
        within("dry", self.dry, [0.0, 1.0], "from 0 to 1")
    }

    const fn numbers(&self) -> Vec4 {
        Vec4::new(self.feedback, self.damping, self.wet, self.dry)
    }

    fn frames(&self, rate: f32) -> usize {
        ((self.seconds * rate) as usize).max(1)
    }
}

impl<'a, A: Allocator + ?Sized> EchoLines<'a, A> {
    pub(crate) fn try_new(
        echo: &Echo,
        rate: f32,
        pairs: usize,
        memory: &'a A,
    ) -> Result<Self, BusErrorKind> {
        let mut lines = Array::new_in(memory);
        for _ in 0..2 * pairs {
            let line = Line::try_new(echo.frames(rate), memory).map_err(BusErrorKind::Memory)?;
            lines.try_push((line, 0.0)).map_err(BusErrorKind::Memory)?;
        }
        Ok(Self { now: echo.numbers(), to: echo.numbers(), lines })
    }

    /// Becomes another within a block. Returns `false` if it is longer or shorter.
    pub(crate) fn set(&mut self, echo: &Echo, rate: f32) -> bool {
        let is_as_long =
            self.lines.first().is_some_and(|(line, _)| line.len() == echo.frames(rate));
        if is_as_long {
            self.to = echo.numbers();
        }
        is_as_long
    }

    pub(crate) fn process(&mut self, block: &mut [Stereo]) {
        let step = (self.to - self.now) * (1.0 / BLOCK as f32);
        let channels = block.iter_mut().flat_map(|pair| &mut pair.channels).zip(&mut self.lines);
        for (samples, (line, damped)) in channels {
            if step == Vec4::ZERO {
                repeat::<false, A>(samples, line, damped, self.now, step);
            } else {
                repeat::<true, A>(samples, line, damped, self.now, step);
            }
            *damped = without_denormal(*damped);
        }
        self.now = self.to;
    }
}

/// Repeats what a channel has.
fn repeat<const IS_GLIDING: bool, A: Allocator + ?Sized>(
    samples: &mut [f32],
    line: &mut Line<'_, A>,
    damped: &mut f32,
    mut numbers: Vec4,
    step: Vec4,
) {
    for sample in samples {
        if IS_GLIDING {
            numbers += step;
        }
        let [feedback, damping, wet, dry] = numbers.to_array();
        let heard = line.front();
        *damped = heard + (*damped - heard) * damping;
        line.push(*sample + *damped * feedback);
        *sample = *sample * dry + heard * wet;
    }
}
