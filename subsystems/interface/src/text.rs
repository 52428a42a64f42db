//! A text in an event.

use core::fmt;

use bytemuck::{Pod, Zeroable};

/// The most bytes of a text in an event.
pub const TEXT_BYTES: usize = 96;

/// A short text, as a field of a command: UTF-8, and zeros after it.
///
/// # Memory
///
/// 96 bytes.
///
/// # Examples
///
/// ```
/// use loligo_interface::{EventText, TEXT_BYTES};
///
/// assert_eq!(EventText::new("score 12").as_str(), "score 12");
/// // What does not fit is cut, after a whole character.
/// let long = format!("a{}", "\u{e4}".repeat(TEXT_BYTES));
/// assert_eq!(EventText::new(&long).as_str(), &long[..TEXT_BYTES - 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct EventText([u8; TEXT_BYTES]);

impl EventText {
    /// Returns a text; what is beyond its room is cut, after a whole character.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; TEXT_BYTES];
        let len = text.floor_char_boundary(TEXT_BYTES);
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self(bytes)
    }

    /// Returns the text, up to the first byte that is not UTF-8, or is zero.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let len = self.0.iter().position(|byte| *byte == 0).unwrap_or(TEXT_BYTES);
        match core::str::from_utf8(&self.0[..len]) {
            Ok(text) => text,
            Err(error) => core::str::from_utf8(&self.0[..error.valid_up_to()]).unwrap_or_default(),
        }
    }
}

impl fmt::Debug for EventText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
