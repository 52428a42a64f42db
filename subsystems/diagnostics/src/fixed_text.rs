//! A text of bounded length that is written without allocating.

use core::fmt;

/// A text of up to `N` bytes; what does not fit is cut off between two characters.
#[derive(Clone, Copy)]
pub(crate) struct FixedText<const N: usize> {
    used: usize,
    is_cut: bool,
    bytes: [u8; N],
}

impl<const N: usize> FixedText<N> {
    /// Returns a text without a character.
    pub(crate) const fn new() -> Self {
        Self { used: 0, is_cut: false, bytes: [0; N] }
    }

    /// Returns what was written.
    pub(crate) fn as_str(&self) -> &str {
        // What is kept are whole characters, so this never falls back.
        core::str::from_utf8(&self.bytes[..self.used]).unwrap_or_default()
    }

    /// Returns `true` if something did not fit.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Appends as many whole characters as there is room for, and returns how many bytes that are.
    pub(crate) fn fill(&mut self, text: &str) -> usize {
        let taken = text.floor_char_boundary(N - self.used);
        self.bytes[self.used..self.used + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.used += taken;
        taken
    }

    /// Forgets all that was written.
    pub(crate) const fn clear(&mut self) {
        self.used = 0;
        self.is_cut = false;
    }
}

impl<const N: usize> fmt::Write for FixedText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Once something is cut nothing follows, or there would be a hole in the text.
        if self.is_cut {
            return Err(fmt::Error);
        }
        let taken = self.fill(text);
        self.is_cut = taken < text.len();
        if self.is_cut { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
