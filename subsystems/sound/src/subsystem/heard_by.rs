//! What plays the voices of an update.

use loligo_ids::IdString64;
use loligo_interface::SubsystemMemory;

use super::streams::Streams;
use crate::block::BLOCK;
use crate::device::WavesIn;
use crate::error::PlayError;
use crate::mixer::{Mixer, Play, VoiceId, WaveId};
use crate::player::{ControlledVoices, Voices};
use crate::space::Placement;
use crate::wave::Wave;

/// Over how many frames a stream fades out that goes on elsewhere.
const CUT: u32 = 2 * BLOCK as u32;

/// A mixer, and the waves that are streamed to it.
pub(super) struct HeardBy<'v, 'm> {
    by: By<'v, 'm>,
    streams: &'v mut Streams<'m>,
}

/// Which mixer it is.
pub(super) enum By<'v, 'm> {
    /// The one that is here.
    Frames(&'v mut Mixer<'m, SubsystemMemory<'m>>),
    /// That of a device.
    Device(
        ControlledVoices<'v, 'm, 'm, SubsystemMemory<'m>>,
        &'v mut WavesIn<'m, SubsystemMemory<'m>>,
    ),
}

impl<'v, 'm> HeardBy<'v, 'm> {
    /// Begins an update: streams that have ended are closed, and all others are fed.
    pub(super) fn new(mut by: By<'v, 'm>, streams: &'v mut Streams<'m>) -> Self {
        streams.go_on(&mut by);
        Self { by, streams }
    }
}

impl<'m> By<'_, 'm> {
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

    fn add(&mut self, wave: Wave<'m, SubsystemMemory<'m>>) -> Option<WaveId> {
        match self {
            Self::Frames(mixer) => mixer.add_wave(wave).ok(),
            Self::Device(_, waves) => waves.add(wave).ok(),
        }
    }

    fn voices(&self) -> &(dyn Voices + '_) {
        match self {
            Self::Frames(mixer) => *mixer,
            Self::Device(control, _) => control,
        }
    }

    fn voices_mut(&mut self) -> &mut (dyn Voices + '_) {
        match self {
            Self::Frames(mixer) => *mixer,
            Self::Device(control, _) => control,
        }
    }
}

impl Voices for HeardBy<'_, '_> {
    fn rate(&self) -> u32 {
        self.by.voices().rate()
    }

    fn wait(&self, nanoseconds: u32) -> u32 {
        self.by.voices().wait(nanoseconds)
    }

    fn open_stream(&mut self, wave: IdString64, from: u32, is_looped: bool) -> Option<WaveId> {
        let wave = self.streams.open(wave, from, is_looped)?;
        let added = self.by.add(wave);
        self.streams.set_wave(added);
        added
    }

    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        let is_streamed = self.streams.has(play.wave);
        // A stream begins where it was opened, and is around its loop already.
        let play = match is_streamed {
            true => &Play { from: 0, is_looped: false, ..*play },
            false => play,
        };
        let voice = self.by.voices_mut().play(play)?;
        if is_streamed {
            self.streams.set_voice(play.wave, voice);
        }
        Ok(voice)
    }

    fn is_playing(&self, voice: VoiceId) -> bool {
        self.by.is_playing(voice) && !self.streams.is_cut(voice)
    }

    fn stop(&mut self, voice: VoiceId, frames: u32) {
        self.by.voices_mut().stop(voice, frames);
    }

    fn set_paused(&mut self, voice: VoiceId, is_paused: bool) {
        self.by.voices_mut().set_paused(voice, is_paused);
    }

    fn place(&mut self, voice: VoiceId, placement: &Placement) {
        self.by.voices_mut().place(voice, placement);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        // Another stream takes its place.
        match self.streams.cut(voice) {
            true => self.by.cut(voice),
            false => self.by.voices_mut().seek(voice, frame),
        }
    }
}
