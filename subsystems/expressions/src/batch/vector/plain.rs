//! Vectors for machines of which no instructions are known: four floats, one by one.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use super::Vector;
use crate::batch::long::{self, Second};
use crate::float::Float;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::batch) struct Plain([f32; 4]);

#[derive(Clone, Copy)]
pub(in crate::batch) struct Mask([bool; 4]);

impl Plain {
    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        let [a, b, c, d] = self.0;
        Self([f(a), f(b), f(c), f(d)])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Self([f(a, e), f(b, g), f(c, h), f(d, i)])
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(f32, f32) -> bool) -> Mask {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Mask([f(a, e), f(b, g), f(c, h), f(d, i)])
    }
}

macro_rules! infix {
    ($($trait:ident $method:ident $sign:tt)*) => {
        $(impl $trait for Plain {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, #[inline(always)] |a, b| a $sign b)
            }
        })*
    };
}

infix! { Add add + Sub sub - Mul mul * Div div / }

impl Neg for Plain {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl BitAnd for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] & other.0[lane]))
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] | other.0[lane]))
    }
}

impl Float for Plain {
    type Mask = Mask;

    #[inline(always)]
    fn same(self, value: f32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    fn less(self, other: Self) -> Mask {
        self.compare(other, |a, b| a < b)
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Mask {
        self.compare(other, |a, b| a <= b)
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Mask {
        self.compare(other, |a, b| a == b)
    }

    #[inline(always)]
    fn unequal(self, other: Self) -> Mask {
        self.compare(other, |a, b| a != b)
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        Self(core::array::from_fn(|lane| if mask.0[lane] { yes.0[lane] } else { no.0[lane] }))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(crate::float::sqrt)
    }
}

// SAFETY: it is an array of floats.
unsafe impl Vector for Plain {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises that four floats can be read.
        Self(unsafe { from.cast::<[f32; 4]>().read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises that four floats can be written.
        unsafe { to.cast::<[f32; 4]>().write(self.0) }
    }

    #[inline(always)]
    fn is_nan_or(self, other: Self) -> Mask {
        self.compare(other, |a, b| a.is_nan() | b.is_nan())
    }

    #[inline(always)]
    fn any(mask: Mask) -> bool {
        mask.0 != [false; 4]
    }

    #[inline(always)]
    fn run_long(self, code: u8, floats: &mut [f32], second: Second<'_>) {
        #[inline(never)]
        fn run(code: u8, floats: &mut [f32], second: Second<'_>) {
            long::run(code, floats, second);
        }
        run(code, floats, second);
    }
}
