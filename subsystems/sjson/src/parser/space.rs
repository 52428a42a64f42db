//! What is between events: space and comments.

use crate::class::{SPACE, is};
use crate::error::ParseError;
use crate::parser::{Parser, why};

impl Parser<'_> {
    /// Goes to the next byte that is neither space nor of a comment, and returns it.
    #[inline]
    pub(super) fn byte_behind_space(&mut self) -> Result<Option<u8>, ParseError> {
        loop {
            let text = self.text.as_bytes();
            let at = space_end(text, self.at);
            self.at = at;
            match text.get(at) {
                Some(b'/') if !self.is_json => self.comment()?,
                byte => return Ok(byte.copied()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), ParseError> {
        let rest = &self.text[self.at..];
        let len = comment_len(rest).ok_or_else(|| {
            let why = if rest.starts_with("/*") { &why::COMMENT_END } else { &why::COMMENT };
            self.error(why)
        })?;
        self.at += len;
        Ok(())
    }
}

/// Returns where the space that begins at `at` ends.
#[inline]
pub(super) fn space_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at)
        && is(byte, SPACE)
    {
        at += 1;
    }
    at
}

/// Returns the length of the comment that `text` begins with, or `None` if it does not begin with
/// one, or with one that does not end. The newline that ends a `//` comment is not part of it.
pub(crate) fn comment_len(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        Some(text.find('\n').unwrap_or(text.len()))
    } else {
        text.strip_prefix("/*")?.find("*/").map(|len| len + 4)
    }
}
