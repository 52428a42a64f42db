//! Why the system refused something, in its own words.

use core::fmt::{self, Write};

/// How many bytes of the words are kept.
const BYTES_MAX: usize = 100;

/// What the system said: text in place, cut where it is longer than 100 bytes, so that an error
/// needs no memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    text: [u8; BYTES_MAX],
    len: u8,
}

impl Reason {
    /// Keeps what something says of itself. Line breaks become spaces.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    #[must_use]
    pub fn new(what: &dyn fmt::Display) -> Self {
        let mut reason = Self { text: [0; BYTES_MAX], len: 0 };
        // It fails where it is full.
        let _ = write!(reason, "{what}");
        reason
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Whole characters alone were appended.
        core::str::from_utf8(&self.text[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl Write for Reason {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for letter in piece.chars() {
            let letter = if letter.is_control() { ' ' } else { letter };
            let (start, bytes) = (usize::from(self.len), letter.len_utf8());
            let place = self.text.get_mut(start..start + bytes).ok_or(fmt::Error)?;
            letter.encode_utf8(place);
            self.len += bytes as u8;
        }
        Ok(())
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Reason};

    #[test]
    fn it_is_cut_between_characters_and_has_one_line() {
        assert_eq!(Reason::new(&"no\ndisplay").as_str(), "no display");
        // Each takes two bytes, of which the last would reach over the end.
        let long = Reason::new(&format_args!("x{:ä<100}", ""));
        assert_eq!(long.as_str().len(), BYTES_MAX - 1, "{long}");
        assert!(long.as_str().ends_with('ä'), "{long}");
    }
}
