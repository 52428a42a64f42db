//! A word of bytecode: an operation and its data.

/// Returns the word of an operation.
pub(crate) const fn word(operation: u8, data: u32) -> u32 {
    (operation as u32) << 24 | data
}

/// Splits a word into operation and data.
#[inline(always)]
pub(crate) const fn split(word: u32) -> (u8, u32) {
    ((word >> 24) as u8, word & 0x00ff_ffff)
}
