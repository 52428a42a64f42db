//! What the short operations need of a float, and of a vector of them.
//!
//! Each short operation is written once over [`Float`], so one input and a vector of them take the
//! same steps in the same order.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

/// A float, or a vector of floats that are computed with in step.
pub(crate) trait Float:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// What a comparison returns.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;

    /// Returns a constant of the same kind.
    fn same(self, value: f32) -> Self;
    /// `false` if one of them is NaN.
    fn less(self, other: Self) -> Self::Mask;
    /// `false` if one of them is NaN.
    fn at_most(self, other: Self) -> Self::Mask;
    /// `false` if one of them is NaN.
    fn equal(self, other: Self) -> Self::Mask;
    /// `true` if one of them is NaN.
    fn unequal(self, other: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;

    /// Returns 1 where the mask is `true`, else 0.
    #[inline(always)]
    fn truth(self, mask: Self::Mask) -> Self {
        Self::select(mask, self.same(1.0), self.same(0.0))
    }

    #[inline(always)]
    fn is_true(self) -> Self::Mask {
        self.unequal(self.same(0.0))
    }

    /// Returns the lesser; `other` if one of them is NaN, or both are zeros.
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        Self::select(self.less(other), self, other)
    }

    /// Returns the greater; `other` if one of them is NaN, or both are zeros.
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        Self::select(other.less(self), self, other)
    }
}

impl Float for f32 {
    type Mask = bool;

    #[inline(always)]
    fn same(self, value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn equal(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn unequal(self, other: Self) -> bool {
        self != other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt(self)
    }
}

#[inline(always)]
pub(crate) fn sqrt(x: f32) -> f32 {
    #[cfg(any(feature = "std", test))]
    return x.sqrt();
    #[cfg(not(any(feature = "std", test)))]
    libm::sqrtf(x)
}

/// Returns 1 or -1 after the sign, or `x` itself where it is a zero or NaN.
#[inline(always)]
pub(crate) fn sign<F: Float>(x: F) -> F {
    let zero = x.same(0.0);
    let negative = F::select(x.less(zero), x.same(-1.0), x);
    F::select(zero.less(x), x.same(1.0), negative)
}

#[inline(always)]
pub(crate) fn square<F: Float>(x: F) -> F {
    x * x
}

#[inline(always)]
pub(crate) fn cube<F: Float>(x: F) -> F {
    x * x * x
}

#[inline(always)]
pub(crate) fn fourth<F: Float>(x: F) -> F {
    (x * x) * (x * x)
}

#[inline(always)]
pub(crate) fn choose<F: Float>(condition: F, yes: F, no: F) -> F {
    F::select(condition.is_true(), yes, no)
}

#[inline(always)]
pub(crate) fn clamp<F: Float>(x: F, low: F, high: F) -> F {
    x.greater(low).lesser(high)
}

#[inline(always)]
pub(crate) fn lerp<F: Float>(from: F, to: F, share: F) -> F {
    from + (to - from) * share
}

#[inline(always)]
pub(crate) fn smoothstep<F: Float>(from: F, to: F, x: F) -> F {
    let share = clamp((x - from) / (to - from), x.same(0.0), x.same(1.0));
    share * share * (x.same(3.0) - x.same(2.0) * share)
}
