//! Vectors of four floats by the instructions of NEON, which every processor of AArch64 has.

use core::arch::aarch64 as arch;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use super::Vector;
use crate::batch::long::{self, Second};
use crate::float::Float;

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::batch) struct Neon(arch::float32x4_t);

/// All bits of a lane, or none.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Mask(arch::uint32x4_t);

/// Calls an instruction.
macro_rules! instruction {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: this is compiled for processors that have the instructions.
        unsafe { arch::$name($($argument),*) }
    };
}

operators! {
    Neon: Add add vaddq_f32 Sub sub vsubq_f32 Mul mul vmulq_f32 Div div vdivq_f32;
    Mask: BitAnd bitand vandq_u32 BitOr bitor vorrq_u32;
}

impl Neg for Neon {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(instruction!(vnegq_f32(self.0)))
    }
}

// The minimum and the maximum of the processor treat NaN and zeros otherwise than ours, so these
// are a comparison and a selection.
impl Float for Neon {
    type Mask = Mask;

    #[inline(always)]
    fn same(self, value: f32) -> Self {
        Self(instruction!(vdupq_n_f32(value)))
    }

    #[inline(always)]
    fn less(self, other: Self) -> Mask {
        Mask(instruction!(vcltq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn at_most(self, other: Self) -> Mask {
        Mask(instruction!(vcleq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Mask {
        Mask(instruction!(vceqq_f32(self.0, other.0)))
    }

    #[inline(always)]
    fn unequal(self, other: Self) -> Mask {
        let equal = self.equal(other);
        Mask(instruction!(vmvnq_u32(equal.0)))
    }

    #[inline(always)]
    fn select(mask: Mask, yes: Self, no: Self) -> Self {
        Self(instruction!(vbslq_f32(mask.0, yes.0, no.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(instruction!(vabsq_f32(self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(instruction!(vsqrtq_f32(self.0)))
    }
}

// SAFETY: the register has four floats, in the order of an array, and the type is nothing else.
unsafe impl Vector for Neon {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(instruction!(vdupq_n_f32(value)))
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller promises that the floats can be read.
        Self(unsafe { arch::vld1q_f32(from) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller promises that the floats can be written.
        unsafe { arch::vst1q_f32(to, self.0) }
    }

    #[inline(always)]
    fn is_nan_or(self, other: Self) -> Mask {
        self.unequal(self) | other.unequal(other)
    }

    #[inline(always)]
    fn any(mask: Mask) -> bool {
        instruction!(vmaxvq_u32(mask.0)) != 0
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
