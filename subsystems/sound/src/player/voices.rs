//! Where sounds are heard.

use loligo_allocators::Allocator;
use loligo_ids::IdString64;

use crate::block::BLOCK;
use crate::control::Control;
use crate::error::PlayError;
use crate::mixer::{Mixer, Play, VoiceId, WaveId};
use crate::space::Placement;

/// What plays the voices of a player: a mixer, or the control of one on another thread.
pub trait Voices {
    /// The frames a second.
    fn rate(&self) -> u32;

    /// After how many frames something begins that is some nanoseconds after the beginning of the step that
    /// is heard next.
    fn wait(&self, nanoseconds: u32) -> u32 {
        frames_of(nanoseconds, self.rate(), 0)
    }

    /// Returns what plays a wave that is streamed from a frame on, once; `None` if there is none of this name, or what is
    /// heard first is not there yet.
    fn open_stream(&mut self, wave: IdString64, from: u32, is_looped: bool) -> Option<WaveId> {
        let _ = (wave, from, is_looped);
        None
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

    /// As [`Mixer::place`].
    fn place(&mut self, voice: VoiceId, placement: &Placement);

    /// As [`Mixer::seek`].
    fn seek(&mut self, voice: VoiceId, frame: u32);
}

impl<A: Allocator + ?Sized> Voices for Mixer<'_, A> {
    fn rate(&self) -> u32 {
        Self::rate(self)
    }

    /// All is heard a block after its time: frames of the next step may have been computed already, up to a
    /// block less one, and what begins in these begins at its frame as well.
    fn wait(&self, nanoseconds: u32) -> u32 {
        let frames = frames_of(nanoseconds, Self::rate(self), self.remainder());
        frames + (BLOCK - self.left_of_block()) as u32
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

    fn place(&mut self, voice: VoiceId, placement: &Placement) {
        Self::place(self, voice, placement);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        Self::seek(self, voice, frame);
    }
}

/// Returns the frame of a time, to the nearest. `remainder` is what is before it of a frame, in frames times
/// nanoseconds.
fn frames_of(nanoseconds: u32, rate: u32, remainder: u64) -> u32 {
    const SECOND: u64 = 1_000_000_000;
    let frames = u64::from(nanoseconds) * u64::from(rate) + remainder;
    ((frames + SECOND / 2) / SECOND) as u32
}

/// A control, and the rate of its mixer.
#[derive(Debug)]
pub struct ControlledVoices<'c, 'p, 'a, A: Allocator + ?Sized> {
    /// The control.
    pub control: &'c mut Control<'p, 'a, A>,
    /// The frames a second of its mixer.
    pub rate: u32,
    /// The frame of the mixer with which the step begins, by the low bits of their count; `None`: whenever
    /// it obeys.
    pub begins: Option<u32>,
}

impl<A: Allocator + ?Sized> Voices for ControlledVoices<'_, '_, '_, A> {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn play(&mut self, play: &Play) -> Result<VoiceId, PlayError> {
        match self.begins {
            // What follows another voice begins after that, whenever it is.
            Some(frame) if play.after.is_none() => self.control.play_at(play, frame),
            _ => self.control.play(play),
        }
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

    fn place(&mut self, voice: VoiceId, placement: &Placement) {
        self.control.place(voice, placement);
    }

    fn seek(&mut self, voice: VoiceId, frame: u32) {
        self.control.seek(voice, frame);
    }
}
