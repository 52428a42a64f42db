//! The lines of a text, one at a time.

use std::io::{BufRead, Read};

use super::ConvertErrorKind;

/// The longest line: names of C++ templates have some ten thousand characters.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Lines, and their places.
pub(super) struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    text: String,
    number: u64,
    /// The line is to be given out once more.
    again: bool,
    /// The line ends with the file and not with an end of line.
    is_cut: bool,
}

impl<R: BufRead> Lines<R> {
    /// Begins; the first line that is read is given out twice.
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
            again: true,
            is_cut: false,
        }
    }

    /// Reads the next line, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, ConvertErrorKind> {
        if self.again && self.number > 0 {
            self.again = false;
            return Ok(Some(&self.text));
        }
        self.bytes.clear();
        let read = (&mut self.input)
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut self.bytes)
            .map_err(ConvertErrorKind::Unreadable)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.is_cut = self.bytes.pop_if(|last| *last == b'\n').is_none();
        if read as u64 == LINE_BYTES_MAX && self.is_cut {
            return Err(ConvertErrorKind::LongLine);
        }
        self.text.clear();
        self.text.push_str(&String::from_utf8_lossy(&self.bytes));
        Ok(Some(&self.text))
    }

    /// Returns the number of the line that was read last, counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns `true` if the line that was read last has no end: its program may have been killed
    /// while it was written.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}
