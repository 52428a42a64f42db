//! What plays the voices of an update.

use loligo_ids::IdString64;

use super::any_mixer::AnyMixer;
use super::streams::Streams;
use crate::error::PlayError;
use crate::mixer::{Play, VoiceId, WaveId};
use crate::player::Voices;
use crate::space::Placement;

/// A mixer, and the waves that are streamed to it.
pub(super) struct HeardBy<'v, 'm> {
    mixer: AnyMixer<'v, 'm>,
    streams: &'v mut Streams<'m>,
}

impl<'v, 'm> HeardBy<'v, 'm> {
    /// Begins an update: streams that have ended are closed, and all others are fed.
    pub(super) fn new(mut mixer: AnyMixer<'v, 'm>, streams: &'v mut Streams<'m>) -> Self {
        streams.go_on(&mut mixer);
        Self { mixer, streams }
    }
}

impl Voices for HeardBy<'_, '_> {
    fn rate(&self) -> u32 {
        self.mixer.voices().rate()
    }

    fn wait(&self, nanoseconds: u32) -> u32 {
        self.mixer.voices().wait(nanoseconds)
    }

    fn open_stream(&mut self, wave: IdString64, from: u32, is_looped: bool) -> Option<WaveId> {
        let wave = self.streams.open(wave, from, is_looped)?;
        let added = self.mixer.add(wave);
        self.streams.set_wave(added);
        added
    }

    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        let voice = self.mixer.voices_mut().play(play)?;
        self.streams.set_voice(play.wave, voice);
        Ok(voice)
    }

    fn is_playing(&self, voice: VoiceId) -> bool {
        self.mixer.is_playing(voice) && !self.streams.is_cut(voice)
    }

    fn stop(&mut self, voice: VoiceId, frames: u32) {
        self.mixer.voices_mut().stop(voice, frames);
    }

    fn set_paused(&mut self, voice: VoiceId, is_paused: bool) {
        self.mixer.voices_mut().set_paused(voice, is_paused);
    }

    fn place(&mut self, voice: VoiceId, placement: &Placement) {
        self.mixer.voices_mut().place(voice, placement);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        // Another stream takes its place.
        match self.streams.cut(voice) {
            true => self.mixer.cut(voice),
            false => self.mixer.voices_mut().seek(voice, frame),
        }
    }
}
