//! The secret of a port: a program that does not know it is refused.

use core::fmt;

/// How many bytes a token has: 128 bits cannot be guessed.
const BYTES: usize = 16;

/// The secret of a [`ToolServer`](super::ToolServer), written as 32 hexadecimal digits.
///
/// Every user of the machine can connect to a port of 127.0.0.1, and every web page in a browser on
/// it. The token is known only to users that can read the output of the program or the file in
/// which it is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ToolToken([u8; BYTES]);

impl ToolToken {
    /// Draws a token from the system's source of random numbers.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn try_random() -> Result<Self, std::io::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns `true` if `text` is this token as it is written. Takes as long for each text of the
    /// right length, so that a guess cannot be improved digit by digit.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let text = text.as_bytes();
        if text.len() != 2 * BYTES {
            return false;
        }
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let differences = digits.zip(text).fold(0, |all, (digit, &byte)| all | (hex(digit) ^ byte));
        differences == 0
    }
}

impl fmt::Display for ToolToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A token does not get into logs by accident.
impl fmt::Debug for ToolToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolToken(..)")
    }
}

const fn hex(digit: u8) -> u8 {
    b"0123456789abcdef"[(digit & 15) as usize]
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::ToolToken;

    #[test]
    fn a_token_matches_its_own_text_alone() {
        let token = ToolToken::try_random().expect("the system has random numbers");
        let text = token.to_string();
        assert_eq!(text.len(), 32, "{text}");
        assert!(token.matches(&text), "{text}");
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            let other = core::str::from_utf8(&other).expect("digits");
            assert!(!token.matches(other), "{other} in place of {text}");
        }
        for other in
            ["", &text[1..], &text.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A")]
        {
            assert!(!token.matches(other), "{other:?} in place of {text}");
        }
        let other = ToolToken::try_random().expect("the system has random numbers");
        assert_ne!(token, other, "each is another");
    }
}
