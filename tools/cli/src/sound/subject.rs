//! A sound with its waves, and why there is none.

use core::fmt;
use std::path::Path;

/// A sound with its waves.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    /// The payload of the compiled sound; none of a wave alone.
    pub(super) tree: Option<Vec<u8>>,
    pub(super) waves: Vec<SubjectWave>,
    /// Names whose hashes the sound has.
    pub(super) names: Vec<String>,
}

/// A wave of a sound.
#[derive(Clone, Debug)]
pub(super) struct SubjectWave {
    pub(super) name: String,
    pub(super) samples: WaveSamples,
}

/// The samples of a wave.
#[derive(Clone, Debug)]
pub(super) enum WaveSamples {
    /// The payload of a compiled wave, and its tail.
    Compiled(Vec<u8>, Vec<u8>),
    /// Those of a recording, the channels of a frame next to each other.
    Recorded { rate: u32, channels: u32, samples: Vec<i16> },
}

impl WaveSamples {
    /// The bytes that a game has of it in memory, if it reads the rest while it plays.
    pub(super) const fn streamed_bytes(&self) -> Option<usize> {
        match self {
            Self::Compiled(payload, tail) if !tail.is_empty() => Some(payload.len()),
            Self::Compiled(..) | Self::Recorded { .. } => None,
        }
    }
}

/// A sound cannot be shown.
#[derive(Clone, Debug)]
pub(super) struct SoundError {
    text: String,
    is_of_sound: bool,
}

impl SoundError {
    pub(super) fn other(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_of_sound: false }
    }

    /// The sound itself is wrong.
    pub(super) fn sound(name: &str, text: impl fmt::Display) -> Self {
        Self { text: format!("{name}: {text}"), is_of_sound: true }
    }

    pub(super) fn file(path: &Path, text: impl fmt::Display) -> Self {
        Self::other(format!("{}: {text}", path.display()))
    }

    /// Returns `true` if the sound is wrong; else it could not be read.
    pub(super) const fn is_of_sound(&self) -> bool {
        self.is_of_sound
    }
}

impl fmt::Display for SoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Subject {
    /// Returns a wave that is played alone.
    pub(super) fn wave(name: String, samples: WaveSamples) -> Self {
        let waves = vec![SubjectWave { name: name.clone(), samples }];
        Self { name, tree: None, waves, names: Vec::new() }
    }
}
