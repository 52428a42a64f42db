//! A block of a voice.

use loligo_allocators::Allocator;

use super::around::add_around;
use crate::block::{BLOCK, Stereo, add_ramp};
use crate::signal::{Kernels, Step, low_pass, resample, window_len};
use crate::wave::{Reading, Wave};

/// What of a voice is heard in a block, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixing {
    /// Where it is in its wave, in frames with 32 bits after the point.
    pub(super) at: u64,
    pub(super) step: Step,
    /// The frame of the block from which on it is heard.
    pub(super) first: usize,
    pub(super) reading: Reading,
    /// How much later either side hears it at the begin of the block and at its end, in samples with 16 bits
    /// after the point.
    pub(super) lags: [[u32; 2]; 2],
    /// What the filter of either side lets through at the begin and at the end.
    pub(super) low: [[f32; 2]; 2],
    /// The gain of either side at the begin and at the end.
    pub(super) ramps: [[f32; 2]; 2],
    /// Those of the four channels besides.
    pub(super) around: Option<[[f32; 2]; 4]>,
}

/// Adds a block of a voice.
pub(super) fn mix<A: Allocator + ?Sized>(
    mixing: &Mixing,
    wave: &Wave<'_, A>,
    kernels: &Kernels<'_, A>,
    windows: [&mut [f32]; 2],
    state: &mut [f32; 2],
    out: &mut [Stereo],
) {
    let [window, other] = windows;
    let mut samples = [0.0; BLOCK];
    if wave.channels() == 1 && mixing.has_same_sides(state) {
        mixing.compute(0, wave, kernels, window, &mut samples);
        mixing.filter(0, state, &mut samples);
        state[1] = state[0];
        let [left, right] = &mut out[0].channels;
        add_ramp(left, &samples, mixing.ramps[0]);
        add_ramp(right, &samples, mixing.ramps[1]);
        if let Some(ramps) = &mixing.around {
            add_around(out, &samples, ramps, None);
        }
        return;
    }
    for (side, window) in [window, other].into_iter().enumerate() {
        mixing.compute(side, wave, kernels, window, &mut samples);
        mixing.filter(side, state, &mut samples);
        add_ramp(&mut out[0].channels[side], &samples, mixing.ramps[side]);
        if let Some(ramps) = &mixing.around {
            add_around(out, &samples, ramps, Some(side));
        }
    }
}

impl Mixing {
    /// Returns whether both sides hear the same of a wave with one channel.
    fn has_same_sides(&self, state: &[f32; 2]) -> bool {
        /// What two filters differ by when they hear the same, after a while: nobody hears that.
        const NOTHING: f32 = 1e-6;
        self.lags == [[0; 2]; 2]
            && self.low[0] == self.low[1]
            && (self.low[0][0] == 1.0 || (state[0] - state[1]).abs() < NOTHING)
    }

    /// Computes the samples of a side from `first` on.
    #[inline(always)]
    fn compute<A: Allocator + ?Sized>(
        &self,
        side: usize,
        wave: &Wave<'_, A>,
        kernels: &Kernels<'_, A>,
        window: &mut [f32],
        samples: &mut [f32; BLOCK],
    ) {
        let kernel = kernels.at(self.step.ratio());
        let taps = kernel.taps();
        let [now, next] = self.lags[side];
        // The one that hears it later is further back. A block has 2^7 frames, so the change in each is exact.
        let at = self.at as i64 - (i64::from(now) << 16);
        let glide = (i64::from(next) - i64::from(now)) << (16 - BLOCK.ilog2());
        let step = Step::from_bits(self.step.bits().saturating_add_signed(-glide));
        let len = window_len(taps, at as u32, step, BLOCK - self.first);
        let from = (at >> 32) - (taps as i64 / 2 - 1);
        let window = &mut window[..len];
        let channel = if wave.channels() == 1 { 0 } else { side as u32 };
        wave.read(channel, from, self.reading, window);
        resample(window, kernel, at as u32, step, &mut samples[self.first..]);
    }

    #[inline(always)]
    fn filter(&self, side: usize, state: &mut [f32; 2], samples: &mut [f32; BLOCK]) {
        if self.low[side] != [1.0; 2] {
            low_pass(self.low[side], &mut state[side], &mut samples[self.first..]);
        }
    }
}
