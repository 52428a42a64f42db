//! Eight floats that are computed with in step.

use core::ops::{Add, Div, Mul, Neg, Sub};

use bytemuck::{Pod, Zeroable};
use glam::Vec4;

/// The number of bones that are computed with in step.
pub const LANES: usize = 8;

/// Eight floats, one for each of eight bones.
///
/// They are two vectors of four of `glam`, which are those of SSE2 or NEON where the machine has them.
/// Products and sums are never fused, so results are the same on all machines. Loops over arrays of eight
/// floats, which the compiler was to make vectors of, took five times the instructions for a blend.
///
/// # Memory
///
/// 32 bytes, aligned to 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Lanes {
    low: Vec4,
    high: Vec4,
}

impl Lanes {
    /// Zero in all lanes.
    pub const ZERO: Self = Self::splat(0.0);

    /// One in all lanes.
    pub const ONE: Self = Self::splat(1.0);

    /// Returns the same value in all lanes.
    #[inline]
    #[must_use]
    pub const fn splat(value: f32) -> Self {
        Self { low: Vec4::splat(value), high: Vec4::splat(value) }
    }

    /// Returns the lanes of an array.
    #[inline]
    #[must_use]
    pub const fn from_array([a, b, c, d, e, f, g, h]: [f32; LANES]) -> Self {
        Self { low: Vec4::from_array([a, b, c, d]), high: Vec4::from_array([e, f, g, h]) }
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
        if lane < 4 { self.low[lane] } else { self.high[lane - 4] }
    }

    /// Sets the value of a lane.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    #[inline]
    pub fn set(&mut self, lane: usize, value: f32) {
        if lane < 4 {
            self.low[lane] = value;
        } else {
            self.high[lane - 4] = value;
        }
    }

    /// Returns the square root of each lane.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        // Without std, glam's own is that of libm, number by number.
        let half = |half: Vec4| Vec4::from_array(half.to_array().map(sqrt));
        Self { low: half(self.low), high: half(self.high) }
    }

    /// Returns the greater one in each lane.
    #[inline]
    #[must_use]
    pub fn at_least(self, low: Self) -> Self {
        Self { low: self.low.max(low.low), high: self.high.max(low.high) }
    }

    /// Returns the lesser one in each lane.
    #[inline]
    #[must_use]
    pub fn at_most(self, high: Self) -> Self {
        Self { low: self.low.min(high.low), high: self.high.min(high.high) }
    }

    /// Returns `yes` where the lane is above zero, else `no`.
    #[inline]
    #[must_use]
    pub fn select_positive(self, yes: Self, no: Self) -> Self {
        let half = |half: Vec4, yes, no| Vec4::select(half.cmpgt(Vec4::ZERO), yes, no);
        Self { low: half(self.low, yes.low, no.low), high: half(self.high, yes.high, no.high) }
    }

    /// Returns `yes` where the lane is below zero, else `no`.
    #[inline]
    #[must_use]
    pub fn select_negative(self, yes: Self, no: Self) -> Self {
        let half = |half: Vec4, yes, no| Vec4::select(half.cmplt(Vec4::ZERO), yes, no);
        Self { low: half(self.low, yes.low, no.low), high: half(self.high, yes.high, no.high) }
    }
}

macro_rules! infix {
    ($($trait:ident $method:ident $sign:tt)*) => {
        $(impl $trait for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self { low: self.low $sign other.low, high: self.high $sign other.high }
            }
        })*
    };
}

infix! { Add add + Sub sub - Mul mul * Div div / }

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { low: -self.low, high: -self.high }
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
