//! Delay lines.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

/// Samples that come out as many frames after they went in.
pub(super) struct Line<'a, A: Allocator + ?Sized> {
    samples: Array<'a, f32, A>,
    at: usize,
}

impl<'a, A: Allocator + ?Sized> Line<'a, A> {
    pub(super) fn try_new(frames: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut samples = Array::new_in(memory);
        samples.try_resize(frames.max(1), 0.0)?;
        Ok(Self { samples, at: 0 })
    }

    /// The sample that is to come out next.
    #[inline]
    pub(super) fn front(&self) -> f32 {
        self.samples[self.at]
    }

    /// Puts a sample into the place of the one that came out.
    #[inline]
    pub(super) fn push(&mut self, sample: f32) {
        self.samples[self.at] = sample;
        self.at += 1;
        if self.at == self.samples.len() {
            self.at = 0;
        }
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }
}
