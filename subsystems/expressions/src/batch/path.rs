//! The machines that were compiled, and which of them runs a job.
#![expect(unsafe_code, reason = "a machine is run where the processor has its instructions")]

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::vector::Neon as Baseline;
#[cfg(not(any(target_feature = "sse2", target_feature = "neon")))]
use super::vector::Plain as Baseline;
#[cfg(target_feature = "sse2")]
use super::vector::{Avx2, Avx512, Sse2 as Baseline};

use super::job::Job;
use super::machine::run;
use crate::scalar::run_row;

/// Runs a job on the fastest machine for that many inputs.
#[inline(never)]
pub(super) fn run_widest(job: &mut Job<'_>) {
    let count = job.count();
    #[cfg(target_feature = "sse2")]
    for path in [Path::Avx512, Path::Avx2] {
        if count >= path.lanes() && path.is_there() {
            return path.run(job);
        }
    }
    for path in [Path::Baseline, Path::Small, Path::One] {
        if count >= path.lanes() {
            return path.run(job);
        }
    }
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// That of single runs, input by input.
    One,
    /// Blocks of one vector, which every processor of the target has.
    Small,
    /// Blocks of eight of these.
    Baseline,
    #[cfg(target_feature = "sse2")]
    Avx2,
    #[cfg(target_feature = "sse2")]
    Avx512,
}

impl Path {
    /// All, the fastest last.
    #[cfg(test)]
    pub(super) const ALL: &[Self] = &[
        Self::One,
        Self::Small,
        Self::Baseline,
        #[cfg(target_feature = "sse2")]
        Self::Avx2,
        #[cfg(target_feature = "sse2")]
        Self::Avx512,
    ];

    /// Returns how many inputs a block has: there must not be fewer.
    pub(super) const fn lanes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Small => 4,
            Self::Baseline => 32,
            #[cfg(target_feature = "sse2")]
            Self::Avx2 => 64,
            #[cfg(target_feature = "sse2")]
            Self::Avx512 => 128,
        }
    }

    /// Returns `true` if the processor has the instructions.
    #[inline(always)]
    pub(super) fn is_there(self) -> bool {
        match self {
            Self::One | Self::Small | Self::Baseline => true,
            #[cfg(all(target_feature = "sse2", feature = "std"))]
            Self::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(all(target_feature = "sse2", feature = "std"))]
            Self::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            // Only `std` asks the processor.
            #[cfg(all(target_feature = "sse2", not(feature = "std")))]
            Self::Avx2 => cfg!(target_feature = "avx2"),
            #[cfg(all(target_feature = "sse2", not(feature = "std")))]
            Self::Avx512 => cfg!(target_feature = "avx512f"),
        }
    }

    /// Runs a job.
    ///
    /// # Panics
    ///
    /// If the processor lacks the instructions, or there are fewer inputs than a block has.
    #[inline(always)]
    pub(super) fn run(self, job: &mut Job<'_>) {
        assert!(self.is_there(), "the processor has no {self:?}");
        match self {
            Self::One => run_one(job),
            Self::Small => run_small(job),
            Self::Baseline => run_baseline(job),
            // SAFETY: the processor was just asked.
            #[cfg(target_feature = "sse2")]
            Self::Avx2 => unsafe { run_avx2(job) },
            // SAFETY: the processor was just asked.
            #[cfg(target_feature = "sse2")]
            Self::Avx512 => unsafe { run_avx512(job) },
        }
    }
}

#[inline(never)]
fn run_one(job: &mut Job<'_>) {
    let (bytecode, inputs) = (job.bytecode(), job.inputs());
    for (row, result) in job.results_mut().iter_mut().enumerate() {
        // SAFETY: there is an input for each variable, and a value in each row, by invariants 1 and 2.
        *result = unsafe { run_row(bytecode, inputs, row) };
    }
}

#[inline(never)]
fn run_small(job: &mut Job<'_>) {
    // SAFETY: every processor of the target has the instructions of the baseline.
    unsafe { run::<Baseline, 1, false>(job) }
}

#[inline(never)]
fn run_baseline(job: &mut Job<'_>) {
    // 32 registers, of which a column takes 8.
    const KEEPS: bool = cfg!(target_feature = "neon");
    // SAFETY: every processor of the target has the instructions of the baseline.
    unsafe { run::<Baseline, 8, KEEPS>(job) }
}

#[cfg(target_feature = "sse2")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn run_avx2(job: &mut Job<'_>) {
    // SAFETY: the caller knows that the processor has the instructions.
    unsafe { run::<Avx2, 8, false>(job) }
}

#[cfg(target_feature = "sse2")]
#[target_feature(enable = "avx512f")]
#[inline(never)]
fn run_avx512(job: &mut Job<'_>) {
    // SAFETY: the caller knows that the processor has the instructions.
    unsafe { run::<Avx512, 8, true>(job) }
}
