//! From voices to samples.

use loligo_allocators::Allocator;

use super::Mixer;
use super::event::{self, MixerEvent};
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
