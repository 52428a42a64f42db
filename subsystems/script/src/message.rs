//! A text of bounded length that takes no memory: why a call failed.

use core::fmt;

/// The most bytes that a reason has; more is cut off.
const BYTES_MAX: usize = 1000;

/// A text in place.
pub(crate) struct Message {
    bytes: [u8; BYTES_MAX],
    len: usize,
}

impl Message {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; BYTES_MAX], len: 0 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Replaces the text.
    pub(crate) fn set(&mut self, arguments: fmt::Arguments<'_>) {
        self.len = 0;
        // Writing here never fails, and what formats may fail leaves what it has written.
        let _ = fmt::Write::write_fmt(self, arguments);
    }

    /// Puts a text before what is there.
    pub(crate) fn put_before(&mut self, arguments: fmt::Arguments<'_>) {
        let (bytes, len) = (self.bytes, self.len);
        self.set(arguments);
        let text = str::from_utf8(&bytes[..len]).unwrap_or_default();
        // As above: nothing fails.
        let _ = fmt::Write::write_str(self, text);
    }
}

impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = BYTES_MAX - self.len;
        let mut bytes = text.len().min(room);
        while !text.is_char_boundary(bytes) {
            bytes -= 1;
        }
        self.bytes[self.len..self.len + bytes].copy_from_slice(&text.as_bytes()[..bytes]);
        self.len += bytes;
        Ok(())
    }
}
