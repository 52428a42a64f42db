//! Vectors of 4, 8 and 16 floats by the instructions of SSE2, AVX2 and AVX-512.

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

use super::Vector;
use crate::batch::long::{self, Second};
use crate::float::Float;

/// Calls an instruction.
macro_rules! instruction {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: a vector exists only where the machine has its instructions, by invariant 1 of
        // `Vector`.
        unsafe { arch::$name($($argument),*) }
    };
}

macro_rules! vector {
    (
        $vector:ident($register:ident) $feature:literal $lanes:literal $mask:ty,
        $splat:ident $load:ident $store:ident
        $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident $min:ident $max:ident
    ) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(in crate::batch) struct $vector(arch::$register);

        operators! { $vector: Add add $add Sub sub $sub Mul mul $mul Div div $div; }

        impl Float for $vector {
            type Mask = $mask;

            #[inline(always)]
            fn same(self, value: f32) -> Self {
                Self(instruction!($splat(value)))
            }

            #[inline(always)]
            fn less(self, other: Self) -> $mask {
                self.compare::<{ arch::_CMP_LT_OQ }>(other)
            }

            #[inline(always)]
            fn at_most(self, other: Self) -> $mask {
                self.compare::<{ arch::_CMP_LE_OQ }>(other)
            }

            #[inline(always)]
            fn equal(self, other: Self) -> $mask {
                self.compare::<{ arch::_CMP_EQ_OQ }>(other)
            }

            #[inline(always)]
            fn unequal(self, other: Self) -> $mask {
                self.compare::<{ arch::_CMP_NEQ_UQ }>(other)
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self::blend(mask, yes, no)
            }

            #[inline(always)]
            fn truth(self, mask: $mask) -> Self {
                Self::one_where(mask)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.without_sign()
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(instruction!($sqrt(self.0)))
            }

            // The instructions return the second operand where the comparison is `false`.
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                Self(instruction!($min(self.0, other.0)))
            }

            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                Self(instruction!($max(self.0, other.0)))
            }
        }

        // SAFETY: the register has as many floats, the first in its lowest bits, which are first in
        // memory, and the type is nothing else.
        unsafe impl Vector for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(value: f32) -> Self {
                // SAFETY: the caller promises that the machine has the instruction.
                Self(unsafe { arch::$splat(value) })
            }

            #[inline(always)]
            unsafe fn load(from: *const f32) -> Self {
                // SAFETY: the caller promises that the floats can be read, and that the machine
                // has the instruction; it reads from any address.
                Self(unsafe { arch::$load(from) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut f32) {
                // SAFETY: the caller promises that the floats can be written; the instruction
                // writes to any address, and the machine has it by invariant 1.
                unsafe { arch::$store(to, self.0) }
            }

            #[inline(always)]
            fn is_nan_or(self, other: Self) -> $mask {
                self.compare::<{ arch::_CMP_UNORD_Q }>(other)
            }

            #[inline(always)]
            fn any(mask: $mask) -> bool {
                Self::is_any(mask)
            }

            #[inline(always)]
            fn run_long(self, code: u8, floats: &mut [f32], second: Second<'_>) {
                #[target_feature(enable = $feature)]
                #[inline(never)]
                fn run(code: u8, floats: &mut [f32], second: Second<'_>) {
                    long::run(code, floats, second);
                }
                // SAFETY: a vector exists, so the machine has its instructions.
                unsafe { run(code, floats, second) }
            }
        }
    };
}

/// What is the same with masks that are vectors.
macro_rules! vector_masks {
    ($vector:ident $and:ident $or:ident $xor:ident $and_not:ident $splat:ident $bits:ident) => {
        operators! { $vector: BitAnd bitand $and BitOr bitor $or; }

        impl Neg for $vector {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self(instruction!($xor(self.0, self.same(-0.0).0)))
            }
        }

        impl $vector {
            #[inline(always)]
            fn one_where(mask: Self) -> Self {
                Self(instruction!($and(mask.0, mask.same(1.0).0)))
            }

            #[inline(always)]
            fn without_sign(self) -> Self {
                Self(instruction!($and_not(self.same(-0.0).0, self.0)))
            }

            #[inline(always)]
            fn is_any(mask: Self) -> bool {
                instruction!($bits(mask.0)) != 0
            }
        }
    };
}

vector! {
    Sse2(__m128) "sse2" 4 Self,
    _mm_set1_ps _mm_loadu_ps _mm_storeu_ps
    _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_sqrt_ps _mm_min_ps _mm_max_ps
}
vector_masks! { Sse2 _mm_and_ps _mm_or_ps _mm_xor_ps _mm_andnot_ps _mm_set1_ps _mm_movemask_ps }

impl Sse2 {
    #[inline(always)]
    fn compare<const KIND: i32>(self, other: Self) -> Self {
        Self(match KIND {
            arch::_CMP_LT_OQ => instruction!(_mm_cmplt_ps(self.0, other.0)),
            arch::_CMP_LE_OQ => instruction!(_mm_cmple_ps(self.0, other.0)),
            arch::_CMP_EQ_OQ => instruction!(_mm_cmpeq_ps(self.0, other.0)),
            arch::_CMP_NEQ_UQ => instruction!(_mm_cmpneq_ps(self.0, other.0)),
            _ => instruction!(_mm_cmpunord_ps(self.0, other.0)),
        })
    }

    #[inline(always)]
    fn blend(mask: Self, yes: Self, no: Self) -> Self {
        let yes = instruction!(_mm_and_ps(mask.0, yes.0));
        let no = instruction!(_mm_andnot_ps(mask.0, no.0));
        Self(instruction!(_mm_or_ps(yes, no)))
    }
}

vector! {
    Avx2(__m256) "avx2" 8 Self,
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_sqrt_ps _mm256_min_ps
    _mm256_max_ps
}
vector_masks! {
    Avx2 _mm256_and_ps _mm256_or_ps _mm256_xor_ps _mm256_andnot_ps _mm256_set1_ps
    _mm256_movemask_ps
}

impl Avx2 {
    #[inline(always)]
    fn compare<const KIND: i32>(self, other: Self) -> Self {
        // SAFETY: as in `instruction`.
        Self(unsafe { arch::_mm256_cmp_ps::<KIND>(self.0, other.0) })
    }

    #[inline(always)]
    fn blend(mask: Self, yes: Self, no: Self) -> Self {
        Self(instruction!(_mm256_blendv_ps(no.0, yes.0, mask.0)))
    }
}

vector! {
    Avx512(__m512) "avx512f" 16 u16,
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_sqrt_ps _mm512_min_ps
    _mm512_max_ps
}

impl Neg for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let bits = instruction!(_mm512_castps_si512(self.0));
        let sign = instruction!(_mm512_set1_epi32(i32::MIN));
        let bits = instruction!(_mm512_xor_si512(bits, sign));
        Self(instruction!(_mm512_castsi512_ps(bits)))
    }
}

impl Avx512 {
    #[inline(always)]
    fn compare<const KIND: i32>(self, other: Self) -> u16 {
        // SAFETY: as in `instruction`.
        unsafe { arch::_mm512_cmp_ps_mask::<KIND>(self.0, other.0) }
    }

    #[inline(always)]
    fn blend(mask: u16, yes: Self, no: Self) -> Self {
        Self(instruction!(_mm512_mask_blend_ps(mask, no.0, yes.0)))
    }

    #[inline(always)]
    fn one_where(mask: u16) -> Self {
        // SAFETY: the mask came from a comparison of vectors, so the machine has the instruction.
        let one = unsafe { arch::_mm512_set1_ps(1.0) };
        // SAFETY: as above.
        Self(unsafe { arch::_mm512_maskz_mov_ps(mask, one) })
    }

    #[inline(always)]
    fn without_sign(self) -> Self {
        Self(instruction!(_mm512_abs_ps(self.0)))
    }

    #[inline(always)]
    const fn is_any(mask: u16) -> bool {
        mask != 0
    }
}
