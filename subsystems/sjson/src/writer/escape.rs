//! Strings between quotes.

use core::convert::Infallible;
use core::fmt::{self, Write};

use crate::string::{Text, TextForm};
use crate::writer::{Put, Writer};

/// Returns `true` if a string is easier to read between `"""`: it has several lines, and every
/// character of it is allowed there.
pub(super) fn wants_verbatim(string: &str) -> bool {
    let inner = string.strip_suffix('\n').unwrap_or(string);
    inner.contains('\n')
        && !string.ends_with('"')
        && !string.contains("\"\"\"")
        && !string.bytes().any(|byte| byte.is_ascii_control() && byte != b'\n' && byte != b'\t')
}

/// What is formatted into a string.
#[cfg(feature = "serde")]
pub(super) struct Escaped<'p, 'w>(pub(super) &'p mut Writer<'w>);

#[cfg(feature = "serde")]
impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.escaped(piece)
    }
}

impl Writer<'_> {
    /// Writes what was read, between quotes.
    pub(super) fn quoted_text(&mut self, text: Text<'_>) -> fmt::Result {
        self.put("\"")?;
        // Tabs may be in strings of SJSON; all else is as JSON has it.
        if text.form() == TextForm::Quoted && !text.raw().contains('\t') {
            self.put(text.raw())?;
        } else if text.form() == TextForm::Quoted {
            let mut pieces = text.raw().split('\t');
            pieces.next().map_or(Ok(()), |first| self.put(first))?;
            for piece in pieces {
                self.put("\\t")?;
                self.put(piece)?;
            }
        } else {
            self.escaped(text.raw())?;
        }
        self.put("\"")
    }

    /// Writes a string with escapes where there must be some.
    pub(super) fn escaped(&mut self, string: &str) -> fmt::Result {
        let mut rest = string;
        while let Some(at) =
            rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f | 0x7f))
        {
            self.put(&rest[..at])?;
            // All that is looked for is one byte long.
            match rest.as_bytes()[at] {
                b'"' => self.put("\\\"")?,
                b'\\' => self.put("\\\\")?,
                b'\n' => self.put("\\n")?,
                b'\r' => self.put("\\r")?,
                b'\t' => self.put("\\t")?,
                control => write!(Put(self), "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.put(rest)
    }
}

/// Returns the string that `text` means, in pieces that never fail, to `sink`.
pub(crate) fn each_piece(text: Text<'_>, mut sink: impl FnMut(&str)) {
    let Ok(()) = text.unescape(|piece| {
        sink(piece);
        Ok::<(), Infallible>(())
    });
}
