//! Eight floats that are computed with in step.

use core::ops::{Add, Div, Mul, Neg, Sub};

use bytemuck::{Pod, Zeroable};

/// The number of bones that are computed with in step.
pub const LANES: usize = 8;

/// Eight floats, one for each of eight bones.
///
/// Operations are written lane by lane, and the compiler makes vector instructions of them: two of SSE2
/// or NEON, one of AVX. Products and sums are never fused, so results are the same on all machines.
///
/// # Memory
///
/// 32 bytes, aligned to 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Zero in all lanes.
    pub const ZERO: Self = Self::splat(0.0);

    /// One in all lanes.
    pub const ONE: Self = Self::splat(1.0);

    /// Returns the same value in all lanes.
    #[inline]
    #[must_use]
    pub const fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    /// Returns the square root of each lane.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.map(sqrt)
    }

    /// Returns `yes` where the lane is below zero, else `no`.
    #[inline]
    #[must_use]
    pub fn select_negative(self, yes: Self, no: Self) -> Self {
        Self(core::array::from_fn(|lane| if self.0[lane] < 0.0 { yes.0[lane] } else { no.0[lane] }))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self(core::array::from_fn(|lane| f(self.0[lane])))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(core::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

macro_rules! infix {
    ($($trait:ident $method:ident $sign:tt)*) => {
        $(impl $trait for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, #[inline(always)] |a, b| a $sign b)
            }
        })*
    };
}

infix! { Add add + Sub sub - Mul mul * Div div / }

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(
            #[inline(always)]
            |a| -a,
        )
    }
}

/// Returns the square root, rounded correctly.
#[inline(always)]
pub(crate) fn sqrt(value: f32) -> f32 {
    #[cfg(feature = "std")]
    return value.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrtf(value)
}
