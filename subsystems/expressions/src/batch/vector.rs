//! Vectors of floats in registers, one type for each set of instructions.
#![expect(unsafe_code, reason = "instructions that not every processor has")]

/// Implements operators by instructions: `Vector: Trait method instruction`.
#[cfg(any(target_feature = "sse2", target_feature = "neon"))]
macro_rules! operators {
    ($($vector:ident: $($trait:ident $method:ident $instruction:ident)*;)*) => {
        $($(impl $trait for $vector {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(instruction!($instruction(self.0, other.0)))
            }
        })*)*
    };
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
#[cfg(any(test, not(any(target_feature = "sse2", target_feature = "neon"))))]
mod plain;
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
mod x86;

use super::long::Second;
use crate::float::Float;

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(super) use neon::Neon;
#[cfg(any(test, not(any(target_feature = "sse2", target_feature = "neon"))))]
pub(super) use plain::Plain;
#[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), target_feature = "sse2"))]
pub(super) use x86::{Avx2, Avx512, Sse2};

/// A vector of [`LANES`](Self::LANES) floats.
///
/// # Safety
///
/// A value is in memory an array of [`LANES`](Self::LANES) floats, and nothing else.
///
/// # Invariants
///
/// 1. A value exists only on a processor that has the type's instructions: the caller of
///    [`splat`](Self::splat) or [`load`](Self::load) promises it, and there is no other source.
pub(super) unsafe trait Vector: Float {
    const LANES: usize;

    /// Returns a vector of equal floats.
    ///
    /// # Safety
    ///
    /// The processor has the type's instructions.
    unsafe fn splat(value: f32) -> Self;

    /// Reads a vector.
    ///
    /// # Safety
    ///
    /// The processor has the type's instructions, and [`LANES`](Self::LANES) floats can be read
    /// from `from` on.
    unsafe fn load(from: *const f32) -> Self;

    /// Writes the vector.
    ///
    /// # Safety
    ///
    /// [`LANES`](Self::LANES) floats can be written from `to` on.
    unsafe fn store(self, to: *mut f32);

    /// Returns `true` where one of the two is NaN.
    fn is_nan_or(self, other: Self) -> Self::Mask;

    /// Returns `true` if the mask is `true` somewhere.
    fn any(mask: Self::Mask) -> bool;

    /// Runs a long operation over floats in memory, compiled for the type's instructions.
    fn run_long(self, code: u8, floats: &mut [f32], second: Second<'_>);
}
