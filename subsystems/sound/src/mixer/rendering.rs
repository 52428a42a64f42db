//! From voices to samples.

use loligo_allocators::Allocator;

use super::event::{self, MixerEvent};
use super::{Mixer, Play, VoiceId};
use crate::block::{BLOCK, Stereo};

impl<A: Allocator + ?Sized> Mixer<'_, A> {
    /// Writes the next frames, left and right. Into however many pieces they are divided, they are the same.
    pub fn render(&mut self, out: &mut [[f32; 2]]) {
        let mut rest = out;
        while !rest.is_empty() {
            if self.taken == BLOCK {
                self.render_block();
                self.taken = 0;
            }
            let count = rest.len().min(BLOCK - self.taken);
            let (now, later) = rest.split_at_mut(count);
            let [left, right] = &self.block.channels;
            let sides = left[self.taken..].iter().zip(&right[self.taken..]);
            for (out, (left, right)) in now.iter_mut().zip(sides) {
                *out = [*left, *right];
            }
            self.taken += count;
            rest = later;
        }
    }

    /// How many frames are left of the block that was computed last.
    pub(crate) const fn left_of_block(&self) -> usize {
        BLOCK - self.taken
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
        if !is_playing {
            event::note(&mut self.events, MixerEvent::Ended { voice: id });
        }
    }

    /// Computes the next block.
    fn render_block(&mut self) {
        self.stats.blocks += 1;
        self.buses.begin();
        let Self { voices, waves, buses, windows, kernels, events, .. } = self;
        let [left, right] = windows;
        voices.retain(|id, voice| {
            let bus = buses.block(voice.bus);
            let goes_on = waves.get(voice.wave).is_some_and(|wave| {
                voice.render(wave, kernels, [&mut left[..], &mut right[..]], bus)
            });
            if !goes_on {
                event::note(events, MixerEvent::Ended { voice: id });
            }
            goes_on
        });
        self.block = Stereo::SILENCE;
        self.buses.flow(&mut self.block);
    }
}
