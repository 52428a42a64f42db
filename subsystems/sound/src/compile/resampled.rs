//! Recordings at another rate.

use std::string::ToString;
use std::vec;
use std::vec::Vec;

use loligo_allocators::{HeapAllocator, PageAllocator};
use loligo_compiler::CompileError;

use crate::signal::{Kernels, Step, resample, window_len};

/// The weights for each sample: as many as there may be, since nobody waits.
const TAPS: usize = 32;

/// Frames that are computed at a time.
const PIECE: usize = 4096;

/// Returns the samples of one channel at another rate.
pub(super) fn resampled(samples: &[f32], from: u32, to: u32) -> Result<Vec<f32>, CompileError> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new("compiler", &pages);
    let kernels = Kernels::try_new(TAPS, &heap)
        .map_err(|error| CompileError::new(error.to_string(), "free some memory"))?;
    let step = Step::new(from, to, 1.0);
    let kernel = kernels.at(step.ratio());
    let before = kernel.taps() / 2 - 1;
    let frames = (samples.len() as u64 * u64::from(to)).div_ceil(u64::from(from)) as usize;
    let mut all = vec![0.0; frames];
    let mut at = 0_u64;
    for piece in all.chunks_mut(PIECE) {
        let len = window_len(kernel.taps(), at as u32, step, piece.len());
        let first = (at >> 32) as usize;
        let window: Vec<f32> = (first..first + len)
            .map(|place| place.checked_sub(before).and_then(|at| samples.get(at)).copied())
            .map(|sample| sample.unwrap_or(0.0))
            .collect();
        resample(&window, kernel, at as u32, step, piece);
        at += step.bits() * piece.len() as u64;
    }
    Ok(all)
}
