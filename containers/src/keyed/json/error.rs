//! What is wrong with JSON that was refused.

use core::error::Error;
use core::fmt;

/// Text is not JSON, or not the JSON that was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonError {
    offset: u64,
    reason: &'static str,
}

impl JsonError {
    /// Returns an error at a byte.
    pub(crate) const fn new(offset: usize, reason: &'static str) -> Self {
        Self { offset: offset as u64, reason }
    }

    /// Returns which byte of the text could not be read.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns what is wrong there, in words.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.reason)
    }
}

impl Error for JsonError {}
