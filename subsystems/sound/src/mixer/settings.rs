//! What a mixer and its voices are made from.

use loligo_ids::IdString32;

use super::{VoiceId, WaveId};
use crate::block::PAIRS_MAX;

/// What a mixer is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixerSettings {
    /// The frames a second, from 8 000 to 384 000.
    pub rate: u32,
    /// The voices that may play at the same time, from 1 to 65 536.
    pub voices: u32,
    /// The samples of which a sample between samples is computed, from 8 to 32.
    pub taps: usize,
    /// Two for stereo, or six for 5.1: front left and right, centre, low frequencies, back left and right.
    pub channels: u32,
}

impl MixerSettings {
    /// The voices that may play at the same time.
    pub(crate) fn voices_max(&self) -> usize {
        self.voices.clamp(1, 1 << 16) as usize
    }

    /// The pairs of channels of each bus.
    pub(crate) const fn pairs(&self) -> usize {
        if self.channels > 2 { PAIRS_MAX } else { 1 }
    }
}

impl Default for MixerSettings {
    fn default() -> Self {
        Self { rate: 48_000, voices: 1024, taps: 8, channels: 2 }
    }
}

/// What is to be played, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// The wave.
    pub wave: WaveId,
    /// The bus into which it flows.
    pub bus: IdString32,
    /// How loud it is on the left and on the right.
    pub gains: [f32; 2],
    /// How fast, from 0 to [`SPEED_MAX`](crate::SPEED_MAX).
    pub speed: f32,
    /// The frame of the wave with which it begins.
    pub from: u32,
    /// The frames of the mixer that it waits for, to the frame exact.
    pub wait: u32,
    /// The voice after whose end it begins, to the frame exact; at once if that has ended.
    pub after: Option<VoiceId>,
    /// The frames over which it fades in; 0: as the wave is.
    pub fade: u32,
    /// Whether the loop of the wave is followed until it is stopped.
    pub is_looped: bool,
}

impl Play {
    /// Returns what plays a wave as it is on the master bus.
    #[must_use]
    pub const fn new(wave: WaveId) -> Self {
        Self {
            wave,
            bus: IdString32::new("master"),
            gains: [1.0; 2],
            speed: 1.0,
            from: 0,
            wait: 0,
            after: None,
            fade: 0,
            is_looped: false,
        }
    }

    /// Returns it on another bus.
    #[must_use]
    pub const fn on(self, bus: IdString32) -> Self {
        Self { bus, ..self }
    }

    /// Returns it louder or quieter on either side.
    #[must_use]
    pub const fn with_gains(self, gains: [f32; 2]) -> Self {
        Self { gains, ..self }
    }

    /// Returns it faster or slower.
    #[must_use]
    pub const fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Returns it after the end of a voice.
    #[must_use]
    pub const fn after(self, voice: VoiceId) -> Self {
        Self { after: Some(voice), ..self }
    }

    /// Returns it in a loop.
    #[must_use]
    pub const fn looped(self) -> Self {
        Self { is_looped: true, ..self }
    }
}

/// What a mixer has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MixerStats {
    /// The voices that play or wait.
    pub playing: u32,
    /// Calls that named a voice that has ended.
    pub stale: u64,
    /// The blocks that were rendered.
    pub blocks: u64,
}
