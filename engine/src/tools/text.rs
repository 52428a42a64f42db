//! Text of bounded length in an allocator's memory.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;

/// Text that is written piece by piece. A piece that does not fit is refused.
pub(super) struct Text<'a> {
    bytes: Array<'a, u8>,
    bytes_max: usize,
}

impl<'a> Text<'a> {
    pub(super) const fn new_in(bytes_max: usize, memory: &'a dyn Allocator) -> Self {
        Self { bytes: Array::new_in(memory), bytes_max }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns all that was written, without the end of the last line.
    pub(super) fn as_str(&self) -> &str {
        // Whole pieces of text alone were put in.
        core::str::from_utf8(&self.bytes).unwrap_or_default().trim_end_matches('\n')
    }
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if piece.len() > self.bytes_max - self.bytes.len() {
            return Err(fmt::Error);
        }
        self.bytes.try_extend_from_slice(piece.as_bytes()).map_err(|_| fmt::Error)
    }
}
