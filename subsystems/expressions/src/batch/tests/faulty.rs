//! Vectors with a planted fault: each a mistake that an instruction set makes easy.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::batch::long::Second;
use crate::batch::vector::{Plain, Vector};
use crate::float::Float;

/// 1: the minimum takes the first operand where both are zeros or one is NaN. 2: so does the
/// maximum. 3: negation subtracts from zero. 4: unequal numbers must be numbers. 5: only one of two
/// vectors is searched for NaN. 6: denormals are taken for zeros by the square root.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Faulty<const FAULT: u8>(Plain);

macro_rules! infix {
    ($($trait:ident $method:ident $sign:tt)*) => {
        $(impl<const FAULT: u8> $trait for Faulty<FAULT> {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Self(self.0 $sign other.0)
            }
        })*
    };
}

infix! { Add add + Sub sub - Mul mul * Div div / }

impl<const FAULT: u8> Neg for Faulty<FAULT> {
    type Output = Self;

    fn neg(self) -> Self {
        if FAULT == 3 { Self(self.0.same(0.0) - self.0) } else { Self(-self.0) }
    }
}

impl<const FAULT: u8> Float for Faulty<FAULT> {
    type Mask = <Plain as Float>::Mask;

    fn same(self, value: f32) -> Self {
        Self(self.0.same(value))
    }

    fn less(self, other: Self) -> Self::Mask {
        self.0.less(other.0)
    }

    fn at_most(self, other: Self) -> Self::Mask {
        self.0.at_most(other.0)
    }

    fn equal(self, other: Self) -> Self::Mask {
        self.0.equal(other.0)
    }

    fn unequal(self, other: Self) -> Self::Mask {
        if FAULT == 4 {
            self.0.less(other.0) | other.0.less(self.0)
        } else {
            self.0.unequal(other.0)
        }
    }

    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(Plain::select(mask, yes.0, no.0))
    }

    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    fn sqrt(self) -> Self {
        let is_denormal = self.0.abs().less(self.0.same(f32::MIN_POSITIVE));
        let zero = self.0.same(0.0);
        if FAULT == 6 {
            Self(Plain::select(is_denormal, zero, self.0.sqrt()))
        } else {
            Self(self.0.sqrt())
        }
    }

    fn lesser(self, other: Self) -> Self {
        if FAULT == 1 { Self(other.0.lesser(self.0)) } else { Self(self.0.lesser(other.0)) }
    }

    fn greater(self, other: Self) -> Self {
        if FAULT == 2 { Self(other.0.greater(self.0)) } else { Self(self.0.greater(other.0)) }
    }
}

// SAFETY: it is a `Plain`, and nothing else.
unsafe impl<const FAULT: u8> Vector for Faulty<FAULT> {
    const LANES: usize = Plain::LANES;

    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller promises the same.
        Self(unsafe { Plain::splat(value) })
    }

    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises the same.
        Self(unsafe { Plain::load(from) })
    }

    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises the same.
        unsafe { self.0.store(to) }
    }

    fn is_nan_or(self, other: Self) -> Self::Mask {
        if FAULT == 5 { self.0.is_nan_or(self.0) } else { self.0.is_nan_or(other.0) }
    }

    fn any(mask: Self::Mask) -> bool {
        Plain::any(mask)
    }

    fn run_long(self, code: u8, floats: &mut [f32], second: Second<'_>) {
        self.0.run_long(code, floats, second);
    }
}
