//! What is wrong with samples, buses or what is to be played.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_ids::{IdString32, InsertError};
use loligo_resources::DataError;

/// Why samples are no wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaveError {
    /// It has another number of channels than one or two.
    Channels(u32),
    /// The rate is not from 1 000 to 768 000 samples a second.
    Rate(u32),
    /// There is not a sample for each channel in each frame, or there are no samples, or too many.
    Samples {
        /// The number of samples.
        samples: usize,
        /// The number of channels.
        channels: u32,
    },
    /// The loop does not end after it begins, or ends after the last frame.
    Loop {
        /// Its first frame.
        begin: u32,
        /// The frame after its last.
        end: u32,
        /// The number of frames.
        frames: u32,
    },
    /// It is no compiled wave.
    Data(DataError),
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for WaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channels(found) => {
                write!(f, "a wave has one or two channels, not {found}; mix it down first")
            }
            Self::Rate(found) => write!(
                f,
                "a wave has from 1000 to 768000 samples a second, not {found}; resample it first"
            ),
            Self::Samples { samples, channels } => write!(
                f,
                "{samples} samples do not make a wave of {channels} channels: it has at least one frame, a sample for \
                 each channel in each, and at most 2147483647 frames"
            ),
            Self::Loop { begin, end, frames } => write!(
                f,
                "the loop from frame {begin} to {end} is not within the {frames} frames of the wave; correct its ends"
            ),
            Self::Data(error) => error.fmt(f),
            Self::Memory(error) => write!(f, "no memory for a wave: {error}"),
        }
    }
}

impl Error for WaveError {}

impl From<GrowError> for WaveError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// Why there is no bus as described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError {
    /// The name of the bus.
    pub bus: IdString32,
    /// What is wrong.
    pub kind: BusErrorKind,
}

/// What is wrong with a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BusErrorKind {
    /// There is one of this name.
    Twice,
    /// The bus that it flows into is not among those before it.
    Parent(IdString32),
    /// The bus that it sends to is not among those before it.
    Send(IdString32),
    /// The bus that a compressor listens to is not among those before it.
    Listen(IdString32),
    /// A number of an effect is outside of its range.
    Number {
        /// Which effect, from 0.
        effect: usize,
        /// The field.
        field: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// There is no bus of this name.
    Unknown,
    /// It has no such effect.
    NoEffect(usize),
    /// A field of an effect says how much memory it has, and stays as it is.
    Fixed {
        /// Which effect, from 0.
        effect: usize,
        /// The field; `kind` if it is another effect.
        field: &'static str,
    },
    /// There are more buses than a mixer has.
    Full,
    /// There is no memory for the voices.
    Voices(InsertError),
    /// There is no memory.
    Memory(GrowError),
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bus = self.bus;
        write!(f, "bus `{bus}`: ")?;
        match self.kind {
            BusErrorKind::Twice => f.write_str("there is one of this name; rename one of them"),
            BusErrorKind::Parent(name) => {
                write!(f, "it flows into `{name}`, which is not before it; put that one first")
            }
            BusErrorKind::Send(name) => {
                write!(f, "it sends to `{name}`, which is not before it; put that one first")
            }
            BusErrorKind::Listen(name) => {
                write!(
                    f,
                    "a compressor listens to `{name}`, which is not before it; put that one first"
                )
            }
            BusErrorKind::Number { effect, field, must } => {
                write!(f, "`{field}` of effect {effect} must be {must}; correct it")
            }
            BusErrorKind::Unknown => f.write_str("there is none; correct the name or add it"),
            BusErrorKind::NoEffect(effect) => {
                write!(f, "it has no effect {effect}; correct the number, which is from 0")
            }
            BusErrorKind::Fixed { effect, field } => write!(
                f,
                "`{field}` of effect {effect} cannot change while it is heard; add a bus with the other, and fade \
                 over to it"
            ),
            BusErrorKind::Full => f.write_str("a mixer has 64 buses at the most; remove some"),
            BusErrorKind::Voices(error) => write!(f, "no memory for voices: {error}"),
            BusErrorKind::Memory(error) => write!(f, "no memory: {error}"),
        }
    }
}

impl Error for BusError {}

/// Why nothing is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// The wave was removed, or is of another mixer.
    NoWave,
    /// There is no such bus.
    NoBus(IdString32),
    /// The wave is streamed, and was played already: a stream is heard once.
    Streaming,
    /// As many commands wait for the mixer as there is room for.
    Busy,
    /// As many voices play as the mixer has.
    Full {
        /// The number of voices.
        voices: u32,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWave => f.write_str("nothing is played: its wave was removed; add it again"),
            Self::NoBus(name) => {
                write!(f, "nothing is played: there is no bus `{name}`; correct the name or add it")
            }
            Self::Streaming => f.write_str(
                "nothing is played: the wave is streamed and was played already; add another stream of it",
            ),
            Self::Busy => f.write_str(
                "nothing is played: the mixer has not obeyed earlier commands yet; play it later, or make the pipe \
                 longer",
            ),
            Self::Full { voices } => write!(
                f,
                "nothing is played: all {voices} voices of the mixer play; stop one, or make it with more"
            ),
        }
    }
}

impl Error for PlayError {}
