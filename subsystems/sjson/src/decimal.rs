//! A decimal number of few digits, and the float nearest to it.
//!
//! The parser computes the digits while it looks for their end, so a number is not read a second
//! time when its value is asked for. They are exact; rounding is left to that moment.
//!
//! The float is exact by whole numbers: the first 63 bits of a quotient, and a last bit that says
//! whether there is a remainder, round as the quotient itself does. Only the division is replaced,
//! by a multiplication with the reciprocal and one correction, after Torbjörn Granlund and Peter L.
//! Montgomery, "Division by invariant integers using multiplication" (1994). Daniel Lemire, "Number
//! parsing at a gigabyte per second" (2021) leaves out the correction and falls back to long
//! arithmetic where it would matter.

#[cfg(test)]
mod tests;

/// The digits of a number without an exponent, and how many of them are after the point.
///
/// # Memory
///
/// 8 bytes: the sign in the highest bit, the number of fraction digits in the next five, digits in
/// 58. All bits are 1 where a number has more digits than that.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Decimal(u64);

const DIGITS_BITS: u32 = 58;
const FRACTION_MAX: usize = 19;

/// The powers of ten, which a float of 64 bits holds exactly (up to the 22nd).
const TENS: [f64; FRACTION_MAX + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19,
];

/// A power of five, shifted to have its highest bit set.
#[derive(Clone, Copy)]
struct Divisor {
    /// 2^63 at least.
    divisor: u64,
    /// 2^127 over the divisor, rounded down; 2^64 - 1 where that is 2^64.
    reciprocal: u64,
    /// What a quotient by the divisor is multiplied with for one by the power of ten: a power of
    /// two.
    scale: f64,
}

static DIVISORS: [Divisor; FRACTION_MAX + 1] = divisors();

const fn divisors() -> [Divisor; FRACTION_MAX + 1] {
    let mut divisors = [Divisor { divisor: 0, reciprocal: 0, scale: 0.0 }; FRACTION_MAX + 1];
    let (mut power, mut exponent) = (1_u64, 0);
    while exponent <= FRACTION_MAX {
        let shift = power.leading_zeros();
        let divisor = power << shift;
        let reciprocal = (1_u128 << 127) / divisor as u128;
        let reciprocal = if reciprocal >> 64 > 0 { u64::MAX } else { reciprocal as u64 };
        // The quotient is one of a dividend times 2^62.
        let scale = power_of_two(shift as i32 - exponent as i32 - 62);
        divisors[exponent] = Divisor { divisor, reciprocal, scale };
        exponent += 1;
        if exponent <= FRACTION_MAX {
            power *= 5;
        }
    }
    divisors
}

/// Returns a power of two that is not subnormal.
#[inline]
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Decimal {
    /// A number that is not kept.
    pub(crate) const NONE: Self = Self(u64::MAX);

    /// Returns the number `digits / 10^fraction`, or [`NONE`](Self::NONE) where there are too many
    /// digits.
    #[inline]
    pub(crate) const fn new(negative: bool, digits: u64, fraction: usize) -> Self {
        if digits >> DIGITS_BITS != 0 || fraction > FRACTION_MAX {
            return Self::NONE;
        }
        Self((negative as u64) << 63 | (fraction as u64) << DIGITS_BITS | digits)
    }

    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == u64::MAX
    }

    #[inline]
    pub(crate) const fn is_negative(self) -> bool {
        self.0 >> 63 != 0
    }

    #[inline]
    pub(crate) const fn digits(self) -> u64 {
        self.0 & ((1 << DIGITS_BITS) - 1)
    }

    /// Returns how many digits are after the point; there is none for an integer.
    #[inline]
    pub(crate) const fn fraction(self) -> usize {
        (self.0 >> DIGITS_BITS & 31) as usize
    }

    /// Returns an integer; `None` where there are digits after the point, or none are kept.
    #[inline]
    pub(crate) const fn i64(self) -> Option<i64> {
        if self.fraction() > 0 {
            return None;
        }
        let digits = self.digits() as i64;
        Some(if self.is_negative() { -digits } else { digits })
    }

    /// Returns the nearest number of 64 bits; `None` where the number is not kept.
    #[inline]
    pub(crate) fn f64(self) -> Option<f64> {
        if self.is_none() {
            return None;
        }
        let (digits, fraction) = (self.digits(), self.fraction());
        // Where both are floats themselves, one division rounds once.
        let number = if digits < 1 << 53 {
            digits as i64 as f64 / TENS[fraction]
        } else {
            quotient(digits, fraction)
        };
        Some(if self.is_negative() { -number } else { number })
    }
}

/// Returns the float nearest to `number / 10^fraction`; the number is not 0.
#[inline(never)]
fn quotient(number: u64, fraction: usize) -> f64 {
    let by = &DIVISORS[fraction];
    let shift = number.leading_zeros();
    let dividend = number << shift;
    // Of `dividend * 2^62 / divisor`, which is from 2^61 to 2^63. The estimate is too small by 1 at
    // most: the reciprocal is by less than 1 (by 1 for the divisor 2^63), a loss of less than 1/2
    // here, and the shift takes less than 1. The remainder is less than twice the divisor then.
    let estimate = ((u128::from(dividend) * u128::from(by.reciprocal)) >> 65) as u64;
    let product = u128::from(estimate) * u128::from(by.divisor);
    let remainder = (u128::from(dividend) << 62) - product;
    let divisor = u128::from(by.divisor);
    let quotient = estimate + u64::from(remainder >= divisor);
    let is_exact = remainder == 0 || remainder == divisor;
    // The sum is less than 2^63, and has 8 bits at least that a float has not. The last one is set
    // for what is left over, so that half is told from more than half.
    (quotient | u64::from(!is_exact)) as i64 as f64 * (by.scale * power_of_two(-(shift as i32)))
}
