//! From voices to samples.

use loligo_allocators::Allocator;
#[cfg(feature = "std")]
use loligo_ids::InsertError;

#[cfg(feature = "std")]
use super::WaveId;
use super::event::{self, MixerEvent};
use super::voice::{Left, Voice};
use super::{Mixer, Play, VoiceId};
use crate::block::{BLOCK, PAIRS_MAX, Stereo};
#[cfg(feature = "std")]
use crate::{signal::Kernels, wave::Wave};

impl<'a, A: Allocator + ?Sized> Mixer<'a, A> {
    /// Writes the next frames: left and right, or the six channels of 5.1. Into however many pieces they are
    /// divided, they are the same. Channels that the mixer does not have are silent.
    pub fn render<const CHANNELS: usize>(&mut self, out: &mut [[f32; CHANNELS]]) {
        let mut rest = out;
        while !rest.is_empty() {
            if self.taken == BLOCK {
                self.render_block();
                self.taken = 0;
            }
            let count = rest.len().min(BLOCK - self.taken);
            let (now, later) = rest.split_at_mut(count);
            self.copy(now);
            self.taken += count;
            rest = later;
        }
    }

    /// Copies frames of the block that were not taken yet.
    fn copy<const CHANNELS: usize>(&self, out: &mut [[f32; CHANNELS]]) {
        let channels: &[[f32; BLOCK]] = &self.block[0].channels;
        if let (2, [left, right]) = (CHANNELS, channels) {
            let sides = left[self.taken..].iter().zip(&right[self.taken..]);
            for (out, (left, right)) in out.iter_mut().zip(sides) {
                out[0] = *left;
                out[1] = *right;
            }
            return;
        }
        out.fill([0.0; CHANNELS]);
        for (at, samples) in self.block.iter().flat_map(|pair| &pair.channels).enumerate() {
            for (out, sample) in out.iter_mut().zip(&samples[self.taken..]) {
                if let Some(out) = out.get_mut(at) {
                    *out = *sample;
                }
            }
        }
    }

    /// How many frames are left of the block that was computed last.
    pub(crate) const fn left_of_block(&self) -> usize {
        BLOCK - self.taken
    }

    /// What the game's time is ahead of the frames that were rendered, in frames times nanoseconds.
    pub(crate) const fn remainder(&self) -> u64 {
        self.remainder
    }

    /// Sets how far the game's time is ahead: less than a frame.
    #[cfg(feature = "subsystem")]
    pub(crate) const fn set_remainder(&mut self, remainder: u64) {
        self.remainder = remainder;
    }

    /// How many frames were computed, by the low bits of their count.
    pub(crate) const fn frames(&self) -> u32 {
        (self.stats.blocks as u32).wrapping_mul(BLOCK as u32)
    }

    /// How many mixers have taken over of which the commands do not know yet; less than 0: how many are to.
    pub(crate) const fn restarts_due(&self) -> i32 {
        self.restarts
    }

    pub(crate) const fn note_restart(&mut self, change: i32) {
        self.restarts += change;
    }

    /// Hands over what happened, oldest first, as long as it is taken.
    pub(crate) fn hand_events(&mut self, mut take: impl FnMut(MixerEvent) -> bool) {
        let handed = self.events.iter().take_while(|event| take(**event)).count();
        self.events.drain(..handed);
    }

    /// As [`play`](Self::play), with an id that was given out elsewhere. What cannot be played ends at once.
    pub(crate) fn play_as(&mut self, id: VoiceId, play: &Play) {
        let is_playing =
            self.voice(play).is_ok_and(|voice| self.voices.insert_at(id, voice).is_ok());
        if is_playing {
            self.begin(id, play);
        } else {
            event::note(&mut self.events, MixerEvent::Ended { voice: id });
        }
    }

    /// Has room for waves that are given from another thread, so that taking them allocates nothing.
    #[cfg(feature = "std")]
    pub(crate) fn reserve_waves(&mut self, waves: usize) -> Result<(), InsertError> {
        self.waves.reserve(waves)
    }

    /// As [`add_wave`](Self::add_wave), with an id that was given out elsewhere. Without room for it, which was to be
    /// reserved, it is dropped, and what is played of it ends at once.
    #[cfg(feature = "std")]
    pub(crate) fn add_wave_as(&mut self, id: WaveId, wave: Wave<'a, A>) {
        let _ = self.waves.insert_at(id, wave);
    }

    /// Goes on in place of another mixer: it takes the waves of that, by their ids, and counts on from its frames.
    #[cfg(feature = "std")]
    pub(crate) fn take_over(&mut self, other: &mut Self) {
        self.stats.blocks = other.stats.blocks;
        self.restarts = other.restarts + 1;
        while let Some((id, _)) = other.waves.iter_with_ids().next() {
            if let Some(wave) = other.waves.remove(id) {
                self.add_wave_as(id, wave);
            }
        }
    }

    /// The weights by which it resamples.
    #[cfg(feature = "std")]
    pub(crate) const fn kernels(&self) -> &Kernels<'a, A> {
        &self.kernels
    }

    /// Computes the next block.
    fn render_block(&mut self) {
        self.stats.blocks += 1;
        self.buses.begin();
        self.over.clear();
        self.voices.iter_mut().for_each(Voice::begin_block);
        self.render_due();
        // What begins after the end of another voice, which may have ended as well before the block has.
        while self.begin_what_waits() {
            self.render_due();
        }
        let pairs = if self.around.is_empty() { 1 } else { PAIRS_MAX };
        let block = &mut self.block[..pairs];
        block.fill(Stereo::SILENCE);
        self.buses.flow(block);
    }

    /// Computes the voices that wait for no other.
    fn render_due(&mut self) {
        let Self { voices, around, waves, buses, windows, kernels, events, over, .. } = self;
        let [left, right] = windows;
        voices.retain(|id, voice| {
            if !voice.is_due() {
                return true;
            }
            let bus = buses.block(voice.bus);
            let left = waves.get(voice.wave).map_or(Left::NOTHING, |wave| {
                let around = around.get_mut(id.index() as usize);
                voice.render(wave, kernels, [&mut left[..], &mut right[..]], around, bus)
            });
            if let Some(frame) = left.over_at {
                // There is room for one of each voice.
                let _ = over.try_push((id, frame));
            }
            if !left.goes_on {
                event::note(events, MixerEvent::Ended { voice: id });
            }
            left.goes_on
        });
    }

    /// Has voices begin that waited for what has ended. Returns whether there were any.
    fn begin_what_waits(&mut self) -> bool {
        let mut has_begun = false;
        for place in 0..self.voices.len() {
            let Some(before) = self.voices.as_slice()[place].after() else { continue };
            let ended = self.over.iter().find(|(voice, _)| *voice == before);
            let frame = match ended {
                Some((_, frame)) => *frame,
                None if !self.voices.contains(before) => 0,
                None => continue,
            };
            self.voices.as_mut_slice()[place].begin_at(frame);
            has_begun = true;
        }
        has_begun
    }
}
