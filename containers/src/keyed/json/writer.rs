//! The writer: values in, text out.

use core::fmt::{self, Write};

use crate::keyed::json::reader::Nest;

/// Writes JSON, value by value, without space between them.
///
/// The commas are put where they belong. That each start has its end, and each value in an object
/// its key, is up to the caller.
///
/// # Memory
///
/// 24 bytes; nothing is allocated here.
pub(crate) struct JsonWriter<'w> {
    to: &'w mut dyn Write,
    comma: bool,
}

impl<'w> JsonWriter<'w> {
    /// Returns a writer to `to`.
    pub(crate) const fn new(to: &'w mut dyn Write) -> Self {
        Self { to, comma: false }
    }

    /// Begins an object or an array.
    ///
    /// # Errors
    ///
    /// Of this and of all below: what the sink refuses.
    pub(crate) fn start(&mut self, nest: Nest) -> fmt::Result {
        self.before()?;
        self.comma = false;
        self.to.write_char(if nest == Nest::Object { '{' } else { '[' })
    }

    /// Ends the object or the array that was begun last.
    pub(crate) fn end(&mut self, nest: Nest) -> fmt::Result {
        self.comma = true;
        self.to.write_char(if nest == Nest::Object { '}' } else { ']' })
    }

    /// Writes the key of the value that comes next.
    pub(crate) fn key(&mut self, key: &str) -> fmt::Result {
        self.string(key)?;
        self.comma = false;
        self.to.write_char(':')
    }

    /// Writes `null`.
    #[cfg(test)]
    pub(crate) fn null(&mut self) -> fmt::Result {
        self.before()?;
        self.to.write_str("null")
    }

    /// Writes `true` or `false`.
    pub(crate) fn bool(&mut self, value: bool) -> fmt::Result {
        self.before()?;
        self.to.write_str(if value { "true" } else { "false" })
    }

    /// Writes an integer.
    pub(crate) fn i64(&mut self, value: i64) -> fmt::Result {
        self.before()?;
        write!(self.to, "{value}")
    }

    /// Writes a number with as few digits as lead back to it, never without a point or an exponent.
    ///
    /// JSON has no word for a number that is not finite: those are refused.
    pub(crate) fn f32(&mut self, value: f32) -> fmt::Result {
        if !value.is_finite() {
            return Err(fmt::Error);
        }
        self.before()?;
        write!(self.to, "{value:?}")
    }

    /// Writes a number as [`f32`](Self::f32) does.
    #[cfg(test)]
    pub(crate) fn f64(&mut self, value: f64) -> fmt::Result {
        if !value.is_finite() {
            return Err(fmt::Error);
        }
        self.before()?;
        write!(self.to, "{value:?}")
    }

    /// Writes a string, with escapes where there must be some.
    pub(crate) fn string(&mut self, value: &str) -> fmt::Result {
        self.before()?;
        self.to.write_char('"')?;
        let mut rest = value;
        while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f')) {
            self.to.write_str(&rest[..at])?;
            // All that is looked for is one byte long.
            match rest.as_bytes()[at] {
                b'"' => self.to.write_str("\\\"")?,
                b'\\' => self.to.write_str("\\\\")?,
                b'\n' => self.to.write_str("\\n")?,
                b'\r' => self.to.write_str("\\r")?,
                b'\t' => self.to.write_str("\\t")?,
                control => write!(self.to, "\\u{control:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.to.write_str(rest)?;
        self.to.write_char('"')
    }

    /// Puts a comma where one must be before a value or a key.
    fn before(&mut self) -> fmt::Result {
        if self.comma {
            self.to.write_char(',')?;
        }
        self.comma = true;
        Ok(())
    }
}
