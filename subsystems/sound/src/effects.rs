//! What a bus does with what flows through it.

mod compressor;
mod echo;
mod filter;
mod limiter;
mod line;
mod reverb;
mod words;

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

pub use compressor::Compression;
pub(crate) use compressor::Compressor;
pub use echo::Echo;
pub(crate) use echo::EchoLines;
pub(crate) use filter::Filter;
pub use filter::{FILTERS, FilterKind, Filtering};
pub(crate) use limiter::Limiter;
pub use limiter::Limiting;
pub(crate) use reverb::Reverb;
pub use reverb::Reverberation;

use crate::block::Stereo;
use crate::error::BusErrorKind;

/// An effect of a bus, as data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// Makes low or high parts quieter or louder.
    Filter(Filtering),
    /// Makes loud parts quieter.
    Compressor(Compression),
    /// Lets nothing be louder than a level.
    Limiter(Limiting),
    /// Repeats what was heard, more and more quietly.
    Echo(Echo),
    /// The sound of a room.
    Reverb(Reverberation),
}

/// An effect that is at work.
pub(crate) enum Working<'a, A: Allocator + ?Sized> {
    Filter(Filter),
    Compressor(Compressor),
    Limiter(Limiter<'a, A>),
    Echo(EchoLines<'a, A>),
    Reverb(Reverb<'a, A>),
}

impl<'a, A: Allocator + ?Sized> Working<'a, A> {
    /// Returns an effect at work on pairs of channels, in a mixer with a rate.
    pub(crate) fn try_new(
        effect: &Effect,
        rate: f32,
        pairs: usize,
        memory: &'a A,
    ) -> Result<Self, BusErrorKind> {
        Ok(match effect {
            Effect::Filter(filtering) => Self::Filter(Filter::new(filtering, rate)),
            Effect::Compressor(compression) => Self::Compressor(Compressor::new(compression, rate)),
            Effect::Limiter(limiting) => {
                Self::Limiter(Limiter::try_new(limiting, rate, pairs, memory)?)
            }
            Effect::Echo(echo) => Self::Echo(EchoLines::try_new(echo, rate, pairs, memory)?),
            Effect::Reverb(room) => Self::Reverb(Reverb::try_new(room, rate, memory)?),
        })
    }

    /// Becomes another within a block, so that nothing clicks. Fails with a field that cannot change, since
    /// it says how much memory there is.
    pub(crate) fn set(&mut self, effect: &Effect, rate: f32) -> Result<(), &'static str> {
        let (is_set, field) = match (self, effect) {
            (Self::Filter(filter), Effect::Filter(to)) => {
                filter.set(to);
                (true, "kind")
            }
            (Self::Compressor(compressor), Effect::Compressor(to)) => {
                compressor.set(to);
                (true, "kind")
            }
            (Self::Limiter(limiter), Effect::Limiter(to)) => (limiter.set(to), "ahead"),
            (Self::Echo(echo), Effect::Echo(to)) => (echo.set(to, rate), "seconds"),
            (Self::Reverb(room), Effect::Reverb(to)) => (room.set(to), "size"),
            _ => (false, "kind"),
        };
        if is_set { Ok(()) } else { Err(field) }
    }

    /// Changes a block in place. `aside` is the level of the bus that a compressor listens to.
    pub(crate) fn process(&mut self, block: &mut [Stereo], aside: Option<f32>) {
        match self {
            Self::Filter(filter) => filter.process(block),
            Self::Compressor(compressor) => compressor.process(block, aside),
            Self::Limiter(limiter) => limiter.process(block),
            Self::Echo(echo) => echo.process(block),
            Self::Reverb(reverb) => reverb.process(block),
        }
    }
}

/// The first number of an effect that is out of its range.
pub(crate) fn check(effect: &Effect) -> Result<(), (&'static str, &'static str)> {
    match effect {
        Effect::Filter(filtering) => filtering.check(),
        Effect::Compressor(compression) => compression.check(),
        Effect::Limiter(limiting) => limiting.check(),
        Effect::Echo(echo) => echo.check(),
        Effect::Reverb(room) => room.check(),
    }
}

/// Fails with a field unless its number is within a range.
fn within(
    field: &'static str,
    number: f32,
    range: [f32; 2],
    must: &'static str,
) -> Result<(), (&'static str, &'static str)> {
    if number >= range[0] && number <= range[1] { Ok(()) } else { Err((field, must)) }
}

/// The bus that an effect listens to besides its own.
pub(crate) fn listens_to(effect: &Effect) -> Option<IdString32> {
    match effect {
        Effect::Compressor(compression) => compression.listen,
        _ => None,
    }
}
