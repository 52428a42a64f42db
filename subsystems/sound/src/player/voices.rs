//! Where sounds are heard.

use loligo_allocators::Allocator;

use crate::control::Control;
use crate::error::PlayError;
use crate::mixer::{Mixer, Play, VoiceId};

/// What plays the voices of a player: a mixer, or the control of one on another thread.
pub trait Voices {
    /// The frames a second.
    fn rate(&self) -> u32;

    /// How many frames were computed and are to be taken first: what begins now is heard after them.
    fn computed(&self) -> u32 {
        0
    }

    /// As [`Mixer::play`].
    ///
    /// # Errors
    ///
    /// [`PlayError`] if it cannot be played now.
    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError>;

    /// As [`Mixer::is_playing`].
    fn is_playing(&self, voice: VoiceId) -> bool;

    /// As [`Mixer::stop`].
    fn stop(&mut self, voice: VoiceId, frames: u32);

    /// As [`Mixer::set_paused`].
    fn set_paused(&mut self, voice: VoiceId, is_paused: bool);

    /// As [`Mixer::set_gains`].
    fn set_gains(&mut self, voice: VoiceId, gains: [f32; 2]);

    /// As [`Mixer::set_speed`].
    fn set_speed(&mut self, voice: VoiceId, speed: f32);

    /// As [`Mixer::set_low_pass`].
    fn set_low_pass(&mut self, voice: VoiceId, frequency: f32);

    /// As [`Mixer::seek`].
    fn seek(&mut self, voice: VoiceId, frame: u32);
}

impl<A: Allocator + ?Sized> Voices for Mixer<'_, A> {
    fn rate(&self) -> u32 {
        Self::rate(self)
    }

    fn computed(&self) -> u32 {
        self.left_of_block() as u32
    }

    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        Self::play(self, play)
    }

    fn is_playing(&self, voice: VoiceId) -> bool {
        Self::is_playing(self, voice)
    }

    fn stop(&mut self, voice: VoiceId, frames: u32) {
        Self::stop(self, voice, frames);
    }

    fn set_paused(&mut self, voice: VoiceId, is_paused: bool) {
        Self::set_paused(self, voice, is_paused);
    }

    fn set_gains(&mut self, voice: VoiceId, gains: [f32; 2]) {
        Self::set_gains(self, voice, gains);
    }

    fn set_speed(&mut self, voice: VoiceId, speed: f32) {
        Self::set_speed(self, voice, speed);
    }

    fn set_low_pass(&mut self, voice: VoiceId, frequency: f32) {
        Self::set_low_pass(self, voice, frequency);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        Self::seek(self, voice, frame);
    }
}

/// A control, and the rate of its mixer.
#[derive(Debug)]
pub struct ControlledVoices<'c, 'p, 'a, A: Allocator + ?Sized> {
    /// The control.
    pub control: &'c mut Control<'p, 'a, A>,
    /// The frames a second of its mixer.
    pub rate: u32,
}

impl<A: Allocator + ?Sized> Voices for ControlledVoices<'_, '_, '_, A> {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        self.control.play(play)
    }

    fn is_playing(&self, voice: VoiceId) -> bool {
        self.control.is_playing(voice)
    }

    fn stop(&mut self, voice: VoiceId, frames: u32) {
        self.control.stop(voice, frames);
    }

    fn set_paused(&mut self, voice: VoiceId, is_paused: bool) {
        self.control.set_paused(voice, is_paused);
    }

    fn set_gains(&mut self, voice: VoiceId, gains: [f32; 2]) {
        self.control.set_gains(voice, gains);
    }

    fn set_speed(&mut self, voice: VoiceId, speed: f32) {
        self.control.set_speed(voice, speed);
    }

    fn set_low_pass(&mut self, voice: VoiceId, frequency: f32) {
        self.control.set_low_pass(voice, frequency);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        self.control.seek(voice, frame);
    }
}
