//! The mixer that an update is played by.

use loligo_interface::SubsystemMemory;

use crate::block::BLOCK;
use crate::device::WavesIn;
use crate::mixer::{Mixer, VoiceId, WaveId};
use crate::player::{ControlledVoices, Voices};
use crate::wave::Wave;

/// Over how many frames a stream fades out that goes on elsewhere.
const CUT: u32 = 2 * BLOCK as u32;

/// The mixer of a game, wherever it is.
pub(super) enum AnyMixer<'v, 'm> {
    /// The one that is here.
    Frames(&'v mut Mixer<'m, SubsystemMemory<'m>>),
    /// That of a device.
    Device(
        ControlledVoices<'v, 'm, 'm, SubsystemMemory<'m>>,
        &'v mut WavesIn<'m, SubsystemMemory<'m>>,
    ),
}

impl<'m> AnyMixer<'_, 'm> {
    pub(super) fn is_playing(&self, voice: VoiceId) -> bool {
        self.voices().is_playing(voice)
    }

    /// Has a voice fade out.
    pub(super) fn cut(&mut self, voice: VoiceId) {
        self.voices_mut().stop(voice, CUT);
    }

    /// Gives a wave back. Returns `false` if that has to be tried again.
    pub(super) fn remove(&mut self, wave: WaveId) -> bool {
        match self {
            Self::Frames(mixer) => {
                mixer.remove_wave(wave);
                true
            }
            Self::Device(_, waves) => waves.remove(wave),
        }
    }

    pub(super) fn add(&mut self, wave: Wave<'m, SubsystemMemory<'m>>) -> Option<WaveId> {
        match self {
            Self::Frames(mixer) => mixer.add_wave(wave).ok(),
            Self::Device(_, waves) => waves.add(wave).ok(),
        }
    }

    pub(super) fn voices(&self) -> &(dyn Voices + '_) {
        match self {
            Self::Frames(mixer) => *mixer,
            Self::Device(control, _) => control,
        }
    }

    pub(super) fn voices_mut(&mut self) -> &mut (dyn Voices + '_) {
        match self {
            Self::Frames(mixer) => *mixer,
            Self::Device(control, _) => control,
        }
    }
}
