//! Text in an array of bytes.
//!
//! After Niklas Frykholm, "Strings Redux" (2011): text is UTF-8 everywhere, what does not change is
//! a `&str`, and what grows is an array of bytes with functions for it, not a class. Changes:
//!
//! - What goes in is `&str`, `char` or what can be formatted, so an array that only these functions
//!   fill is UTF-8 at all times. As nothing keeps others from pushing bytes, a caller that wants a
//!   `&str` back has it checked, by [`view`].
//! - A walk takes damage as it comes: each byte that belongs to no character is
//!   [`char::REPLACEMENT_CHARACTER`], and walking back meets the same characters as walking on.
//!
//! ```text
//! text      | 68 | c3 a9 | e2 82 ac | 21 |      "hé€!"
//! boundary    ^    ^       ^          ^    ^    0 1 3 6 7
//! ```
//!
//! # Memory
//!
//! The array's alone: there is nothing else, not even a terminating zero.
//!
//! # When not to use it
//!
//! For names of resources, parameters and the like, which games want to compare and not to read:
//! those are hashed ([`IdString64`](loligo_ids::IdString64)).
//!
//! # Examples
//!
//! ```
//! use loligo_allocators::StaticHeap;
//! use loligo_containers::{Array, text};
//!
//! static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
//! let mut line: Array<u8> = Array::new(&MEMORY);
//! text::append(&mut line, "Sauk\u{fd}: ");
//! text::try_format(&mut line, format_args!("{:.1} km", 12.345))?;
//! assert_eq!(text::view(&line), Ok("Sauk\u{fd}: 12.3 km"));
//!
//! // Cut where a display ends, but never through a character.
//! text::truncate(&mut line, 5);
//! assert_eq!(text::view(&line), Ok("Sauk"));
//! # Ok::<(), text::FormatError>(())
//! ```

use core::error::Error;
use core::fmt;
use core::str::Utf8Error;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};

#[cfg(test)]
mod tests;
mod walk;
mod writer;

pub use walk::{
    Chars, chars, is_boundary, next_boundary, next_char, previous_boundary, previous_char,
};
pub use writer::Writer;

/// Appends a piece of text.
///
/// # Complexity
///
/// O(piece) amortised; the array may grow.
///
/// # Errors
///
/// [`GrowError`] if there is no memory; nothing has changed.
#[inline]
pub fn try_append<A: Allocator + ?Sized>(
    text: &mut Array<'_, u8, A>,
    piece: &str,
) -> Result<(), GrowError> {
    text.try_extend_from_slice(piece.as_bytes())
}

/// Appends a piece of text as [`try_append`] does.
///
/// # Complexity
///
/// As that of [`try_append`].
///
/// # Panics
///
/// If there is no memory.
#[inline]
pub fn append<A: Allocator + ?Sized>(text: &mut Array<'_, u8, A>, piece: &str) {
    or_panic(try_append(text, piece));
}

/// Appends a character.
///
/// # Complexity
///
/// O(1) amortised; the array may grow.
///
/// # Errors
///
/// [`GrowError`] if there is no memory; nothing has changed.
#[inline]
pub fn try_push<A: Allocator + ?Sized>(
    text: &mut Array<'_, u8, A>,
    character: char,
) -> Result<(), GrowError> {
    try_append(text, character.encode_utf8(&mut [0; 4]))
}

/// Appends a character as [`try_push`] does.
///
/// # Complexity
///
/// As that of [`try_push`].
///
/// # Panics
///
/// If there is no memory.
#[inline]
pub fn push<A: Allocator + ?Sized>(text: &mut Array<'_, u8, A>, character: char) {
    or_panic(try_push(text, character));
}

/// Appends what `format_args!` describes.
///
/// # Complexity
///
/// O(text appended) amortised, and what the values take to format themselves; the array may grow.
///
/// # Errors
///
/// [`FormatError`] if there is no memory, or a value refuses to be formatted. The text is as it
/// was; so it is where a value panics.
pub fn try_format<A: Allocator + ?Sized>(
    text: &mut Array<'_, u8, A>,
    arguments: fmt::Arguments<'_>,
) -> Result<(), FormatError> {
    if let Some(piece) = arguments.as_str() {
        return try_append(text, piece).map_err(FormatError::Memory);
    }
    let mut undo = Undo { len: text.len(), text };
    let mut writer = Writer::new(&mut *undo.text);
    let written = fmt::Write::write_fmt(&mut writer, arguments);
    // A value may pass over what was refused to it, and the text would lack a piece.
    if let Some(refusal) = writer.refusal() {
        return Err(FormatError::Memory(refusal));
    }
    if written.is_err() {
        return Err(FormatError::Value);
    }
    undo.len = usize::MAX;
    Ok(())
}

/// Appends what `format_args!` describes, as [`try_format`] does.
///
/// # Complexity
///
/// As that of [`try_format`].
///
/// # Panics
///
/// If there is no memory, or a value refuses to be formatted.
pub fn format<A: Allocator + ?Sized>(text: &mut Array<'_, u8, A>, arguments: fmt::Arguments<'_>) {
    or_panic(try_format(text, arguments));
}

/// Takes the last character off and returns it, or `None` where there is no text.
///
/// # Complexity
///
/// O(1).
pub fn pop<A: Allocator + ?Sized>(text: &mut Array<'_, u8, A>) -> Option<char> {
    let (character, start) = previous_char(text, text.len())?;
    text.truncate(start);
    Some(character)
}

/// Cuts the text to `len` bytes, or to the few less that end with a whole character.
///
/// # Complexity
///
/// O(1) for text that is UTF-8.
pub fn truncate<A: Allocator + ?Sized>(text: &mut Array<'_, u8, A>, len: usize) {
    if len < text.len() {
        let len = if is_boundary(text, len) { len } else { previous_boundary(text, len) };
        text.truncate(len);
    }
}

/// Returns the bytes as a `&str`.
///
/// # Complexity
///
/// O(bytes): they are checked.
///
/// # Errors
///
/// Where they are not UTF-8; [`Utf8Error::valid_up_to`] says from which byte on.
#[inline]
pub const fn view(text: &[u8]) -> Result<&str, Utf8Error> {
    core::str::from_utf8(text)
}

/// Returns the last characters of a text that fit `bytes_max` bytes: what stays legible of a path
/// in a field of fixed size.
///
/// # Complexity
///
/// O(1).
///
/// # Examples
///
/// ```
/// # use loligo_containers::text;
/// assert_eq!(text::tail("vegetation/trees/larch_3.mesh", 12), "larch_3.mesh");
/// ```
#[must_use]
pub fn tail(text: &str, bytes_max: usize) -> &str {
    let from = text.len().saturating_sub(bytes_max);
    &text[text.ceil_char_boundary(from)..]
}

/// Text could not be formatted into an array, which is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatError {
    /// There was no memory.
    Memory(GrowError),
    /// A value returned an error from its `fmt`.
    Value,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(error) => error.fmt(f),
            Self::Value => f.write_str("a value to be formatted returned an error"),
        }
    }
}

impl Error for FormatError {}

impl From<GrowError> for FormatError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

/// Cuts a text to `len` when dropped.
struct Undo<'t, 'a, A: Allocator + ?Sized> {
    text: &'t mut Array<'a, u8, A>,
    len: usize,
}

impl<A: Allocator + ?Sized> Drop for Undo<'_, '_, A> {
    fn drop(&mut self) {
        self.text.truncate(self.len);
    }
}
