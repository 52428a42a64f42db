//! A number as it is written.

use core::fmt;

use crate::decimal::Decimal;

/// The text of a number, whose form has been checked.
///
/// Its value is rounded when it is asked for, so a number that is only copied loses no digit. The
/// parser computes the digits of most numbers while it looks for their end; the others are read
/// again.
///
/// # Memory
///
/// 24 bytes, borrowed from the text that was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number<'t> {
    /// ASCII: no check that it is UTF-8 is made for numbers whose text nobody asks for.
    text: &'t [u8],
    decimal: Decimal,
}

impl<'t> Number<'t> {
    /// Names a text that has the form of a number; `decimal` is its value, if that is kept.
    #[inline]
    pub(crate) const fn new(text: &'t [u8], decimal: Decimal) -> Self {
        Self { text, decimal }
    }

    /// Returns the number as it is written.
    ///
    /// # Complexity
    ///
    /// O(bytes): that it is UTF-8 is looked up again.
    #[inline]
    #[must_use]
    pub const fn as_str(self) -> &'t str {
        as_str(self.text)
    }

    /// Returns the digits, if they are kept.
    #[inline]
    pub(crate) const fn decimal(self) -> Decimal {
        self.decimal
    }

    /// Returns `true` if there is neither a fraction nor an exponent.
    ///
    /// # Complexity
    ///
    /// O(1) for up to 17 digits without an exponent, else O(bytes), as that of all below.
    #[inline]
    #[must_use]
    pub fn is_integer(self) -> bool {
        if !self.decimal.is_none() {
            return self.decimal.fraction() == 0;
        }
        !self.text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Returns an integer, or `None` where it is written as none or does not fit.
    #[inline]
    #[must_use]
    pub fn i64(self) -> Option<i64> {
        if !self.decimal.is_none() {
            return self.decimal.i64();
        }
        self.as_str().parse().ok()
    }

    /// Returns an integer, or `None` where it is written as none, is negative or does not fit.
    #[inline]
    #[must_use]
    pub fn u64(self) -> Option<u64> {
        if !self.decimal.is_none() {
            let integer = self.decimal.i64().filter(|_| !self.decimal.is_negative());
            return integer.map(i64::unsigned_abs);
        }
        self.as_str().parse().ok()
    }

    /// Returns the nearest number of 64 bits, or `None` where that is infinite.
    #[inline]
    #[must_use]
    pub fn f64(self) -> Option<f64> {
        match self.decimal.f64() {
            Some(number) => Some(number),
            None => read(self.text),
        }
    }

    /// Returns the nearest number of 32 bits, or `None` where that is infinite.
    #[must_use]
    pub fn f32(self) -> Option<f32> {
        self.as_str().parse().ok().filter(|number: &f32| number.is_finite())
    }
}

const fn as_str(text: &[u8]) -> &str {
    match core::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Reads any number. It takes no [`Number`], which would have to be in memory then for all callers.
#[inline(never)]
fn read(text: &[u8]) -> Option<f64> {
    as_str(text).parse().ok().filter(|number: &f64| number.is_finite())
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
