//! Eight floats that are computed with in step.

use core::ops::{Add, Div, Mul, Neg, Sub};

use bytemuck::{Pod, Zeroable};
use wide::f32x8;

/// The number of bones that are computed with in step.
pub const LANES: usize = 8;

/// Eight floats, one for each of eight bones.
///
/// They are two vectors of four where the machine has those, as SSE2 and NEON do, and one of eight where a
/// program is compiled for AVX. Products and sums are never fused, so results are the same on all machines.
/// Loops over arrays of eight floats, which the compiler was to make vectors of, took five times the
/// instructions for a blend. `glam` has vectors too, which are single floats in every program with physics:
/// its results that are the same on all machines need it, and features of a package are those that anybody asks for.
///
/// # Memory
///
/// 32 bytes, aligned to 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Lanes(f32x8);

impl Lanes {
    /// Zero in all lanes.
    pub const ZERO: Self = Self::splat(0.0);

    /// One in all lanes.
    pub const ONE: Self = Self::splat(1.0);

    /// Returns the same value in all lanes.
    #[inline]
    #[must_use]
    pub const fn splat(value: f32) -> Self {
        Self(f32x8::new([value; LANES]))
    }

    /// Returns the lanes of an array.
    #[inline]
    #[must_use]
    pub const fn from_array(lanes: [f32; LANES]) -> Self {
        Self(f32x8::new(lanes))
    }

    /// Returns whole numbers as floats.
    #[inline]
    #[must_use]
    pub(crate) fn of_numbers<T: Copy>(numbers: &[T; LANES], float: impl Fn(T) -> f32) -> Self {
        // A loop over a place in memory becomes vector code; a map of the array does not.
        let mut floats = [0.0; LANES];
        for (to, from) in floats.iter_mut().zip(numbers) {
            *to = float(*from);
        }
        Self::from_array(floats)
    }

    /// Returns the value of a lane.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    #[inline]
    #[must_use]
    pub fn get(&self, lane: usize) -> f32 {
        self.0.as_array()[lane]
    }

    /// Sets the value of a lane.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    #[inline]
    pub fn set(&mut self, lane: usize, value: f32) {
        self.0.as_mut_array()[lane] = value;
    }

    /// Returns the square root of each lane.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    /// Returns the greater one in each lane.
    #[inline]
    #[must_use]
    pub fn at_least(self, low: Self) -> Self {
        Self(self.0.fast_max(low.0))
    }

    /// Returns the lesser one in each lane.
    #[inline]
    #[must_use]
    pub fn at_most(self, high: Self) -> Self {
        Self(self.0.fast_min(high.0))
    }

    /// Returns `yes` where the lane is above zero, else `no`.
    #[inline]
    #[must_use]
    pub fn select_positive(self, yes: Self, no: Self) -> Self {
        Self(self.0.simd_gt(f32x8::ZERO).select(yes.0, no.0))
    }

    /// Returns `yes` where the lane is below zero, else `no`.
    #[inline]
    #[must_use]
    pub fn select_negative(self, yes: Self, no: Self) -> Self {
        Self(self.0.simd_lt(f32x8::ZERO).select(yes.0, no.0))
    }
}

macro_rules! infix {
    ($($trait:ident $method:ident $sign:tt)*) => {
        $(impl $trait for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $sign other.0)
            }
        })*
    };
}

infix! { Add add + Sub sub - Mul mul * Div div / }

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// Returns the square root, rounded correctly.
#[inline]
pub(crate) fn sqrt(value: f32) -> f32 {
    #[cfg(feature = "std")]
    return value.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrtf(value)
}
