//! From the rate of a mixer to that of a device.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::block::BLOCK;
use crate::signal::{Kernels, SPEED_MAX, Step, resample, window_len};

/// Resamples what a mixer renders, a block at a time.
pub(super) struct Converter<'a, A: Allocator + ?Sized> {
    step: Step,
    /// How far the next frame is after the first that its sum begins with, in 2^-32 frames.
    fraction: u32,
    /// The frames of either side that sums still need.
    windows: [Array<'a, f32, A>; 2],
}

impl<'a, A: Allocator + ?Sized> Converter<'a, A> {
    /// Returns one that does nothing yet; it has all memory that it needs at any rate.
    pub(super) fn try_new(kernels: &Kernels<'_, A>, memory: &'a A) -> Result<Self, GrowError> {
        let window = || {
            let mut window = Array::new_in(memory);
            window.try_reserve(BLOCK * (SPEED_MAX as usize + 1) + kernels.taps_max() + 1)?;
            Ok(window)
        };
        Ok(Self { step: Step::ONE, fraction: 0, windows: [window()?, window()?] })
    }

    /// Begins to convert from one rate to another.
    pub(super) fn begin(&mut self, from: u32, to: u32) {
        self.step = if from == to { Step::ONE } else { Step::new(from, to, 1.0) };
        self.fraction = 0;
        self.windows.iter_mut().for_each(Array::clear);
    }

    /// Returns whether there is nothing to convert.
    pub(super) fn is_off(&self) -> bool {
        self.step == Step::ONE
    }

    /// Returns whether it needs another block before it can convert one.
    pub(super) fn needs(&self, kernels: &Kernels<'_, A>) -> bool {
        self.windows[0].len() < self.window_len(kernels)
    }

    /// Takes the next block of a mixer.
    pub(super) fn feed(&mut self, block: &[[f32; 2]; BLOCK]) {
        for (side, window) in self.windows.iter_mut().enumerate() {
            // There is room: it was reserved for the fastest.
            block.iter().for_each(|frame| _ = window.try_push(frame[side]));
        }
    }

    /// Writes a block.
    pub(super) fn convert(&mut self, kernels: &Kernels<'_, A>, out: &mut [[f32; 2]; BLOCK]) {
        let (kernel, len) = (kernels.at(self.step.ratio()), self.window_len(kernels));
        let mut samples = [0.0; BLOCK];
        for (side, window) in self.windows.iter().enumerate() {
            resample(&window[..len], kernel, self.fraction, self.step, &mut samples);
            out.iter_mut().zip(&samples).for_each(|(frame, sample)| frame[side] = *sample);
        }
        let passed = u64::from(self.fraction) + self.step.bits() * BLOCK as u64;
        self.fraction = passed as u32;
        for window in &mut self.windows {
            let count = ((passed >> 32) as usize).min(window.len());
            window.drain(..count);
        }
    }

    fn window_len(&self, kernels: &Kernels<'_, A>) -> usize {
        let taps = kernels.at(self.step.ratio()).taps();
        let len = window_len(taps, self.fraction, self.step, BLOCK);
        // What is passed is dropped from it, so it has that much at least.
        let passed = u64::from(self.fraction) + self.step.bits() * BLOCK as u64;
        len.max((passed >> 32) as usize)
    }
}
