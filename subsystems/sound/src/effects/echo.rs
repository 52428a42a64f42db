//! Echoes: a delay that is fed back.

use loligo_allocators::Allocator;

use super::filter::without_denormal;
use super::line::Line;
use super::within;
use crate::block::Stereo;
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
    echo: Echo,
    lines: [Line<'a, A>; 2],
    damped: [f32; 2],
}

impl Echo {
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        within("seconds", self.seconds, [0.001, 4.0], "from 0.001 to 4")?;
        within("feedback", self.feedback, [0.0, 0.98], "from 0 to 0.98")?;
        within("damping", self.damping, [0.0, 0.98], "from 0 to 0.98")?;
        within("wet", self.wet, [0.0, 1.0], "from 0 to 1")?;
        within("dry", self.dry, [0.0, 1.0], "from 0 to 1")
    }
}

impl<'a, A: Allocator + ?Sized> EchoLines<'a, A> {
    pub(crate) fn try_new(echo: &Echo, rate: f32, memory: &'a A) -> Result<Self, BusErrorKind> {
        let frames = (echo.seconds * rate) as usize;
        let line = || Line::try_new(frames, memory).map_err(BusErrorKind::Memory);
        Ok(Self { echo: *echo, lines: [line()?, line()?], damped: [0.0; 2] })
    }

    pub(crate) fn process(&mut self, block: &mut Stereo) {
        let Echo { feedback, damping, wet, dry, .. } = self.echo;
        let channels = block.channels.iter_mut().zip(&mut self.lines).zip(&mut self.damped);
        for ((samples, line), damped) in channels {
            for sample in samples {
                let heard = line.front();
                *damped = heard + (*damped - heard) * damping;
                line.push(*sample + *damped * feedback);
                *sample = *sample * dry + heard * wet;
            }
            *damped = without_denormal(*damped);
        }
    }
}
