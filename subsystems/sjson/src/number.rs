//! A number as it is written.

use core::fmt;

/// The text of a number, whose form has been checked.
///
/// What it is worth is computed when that is asked, so a number that is only copied loses no digit.
///
/// # Memory
///
/// 16 bytes, borrowed from the text that was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number<'t>(&'t str);

/// The powers of ten that a float of 64 bits holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

impl<'t> Number<'t> {
    /// Names a text that has the form of a number.
    #[inline]
    pub(crate) const fn new(text: &'t str) -> Self {
        Self(text)
    }

    /// Returns the number as it is written.
    #[inline]
    #[must_use]
    pub const fn as_str(self) -> &'t str {
        self.0
    }

    /// Returns `true` if there is neither a fraction nor an exponent.
    ///
    /// # Complexity
    ///
    /// O(bytes), as that of all below.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !self.0.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Returns an integer, or `None` where it is written as none or does not fit.
    #[must_use]
    pub fn i64(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns an integer, or `None` where it is written as none, is negative or does not fit.
    #[must_use]
    pub fn u64(self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Returns the nearest number of 64 bits, or `None` where that is infinite.
    #[inline]
    #[must_use]
    pub fn f64(self) -> Option<f64> {
        match self.short() {
            Some(number) => Some(number),
            None => self.0.parse().ok().filter(|number: &f64| number.is_finite()),
        }
    }

    /// Returns the nearest number of 32 bits, or `None` where that is infinite.
    #[must_use]
    pub fn f32(self) -> Option<f32> {
        self.0.parse().ok().filter(|number: &f32| number.is_finite())
    }

    /// Returns the number where both its digits and its power of ten are floats themselves, so that
    /// one division gives the nearest; most that people and tools write are.
    #[inline]
    fn short(self) -> Option<f64> {
        let bytes = self.0.as_bytes();
        let (negative, digits) = match bytes {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        // More digits than these might not fit 53 bits, or overflow.
        if digits.len() > 16 {
            return None;
        }
        let (mut whole, mut fraction) = (0_u64, 0);
        let mut step = 0;
        for &byte in digits {
            if byte.is_ascii_digit() {
                whole = whole * 10 + u64::from(byte - b'0');
                fraction += step;
            } else if byte == b'.' {
                step = 1;
            } else {
                return None;
            }
        }
        if whole >= 1 << 53 {
            return None;
        }
        let number = whole as f64 / TENS[fraction];
        Some(if negative { -number } else { number })
    }
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
