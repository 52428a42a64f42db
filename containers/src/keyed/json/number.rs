//! A number as it is in JSON.

use core::fmt;

/// The text of a number, whose form has been checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonNumber<'b>(&'b str);

impl<'b> JsonNumber<'b> {
    /// Names a text that has the form of a number.
    pub(super) const fn new(text: &'b str) -> Self {
        Self(text)
    }

    /// Returns the number as it is written.
    #[cfg(test)]
    pub(crate) const fn as_str(self) -> &'b str {
        self.0
    }

    /// Returns `true` if there is neither a fraction nor an exponent.
    pub(crate) fn is_integer(self) -> bool {
        !self.0.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Returns the nearest number of 64 bits, or `None` where that is infinite.
    #[cfg(test)]
    pub(crate) fn f64(self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Returns the nearest number of 32 bits, or `None` where that is infinite.
    pub(crate) fn f32(self) -> Option<f32> {
        self.0.parse().ok().filter(|number: &f32| number.is_finite())
    }

    /// Returns an integer, or `None` where it is written as none or does not fit.
    #[cfg(test)]
    pub(crate) fn i64(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns an integer, or `None` where it is written as none or does not fit.
    pub(crate) fn i32(self) -> Option<i32> {
        self.0.parse().ok()
    }
}

impl fmt::Debug for JsonNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
