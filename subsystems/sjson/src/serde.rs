//! Types that derive serde's traits, read from SJSON or JSON and written to it.
//!
//! Structs and maps are objects, sequences and tuples arrays, options their value or `null`. Enums
//! are written as serde's other formats for people write them: a variant without data is its name,
//! one with data an object with that name as its key.
//!
//! # Examples
//!
//! ```
//! use loligo_allocators::StaticHeap;
//! use loligo_sjson::{Options, Style};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Door<'t> {
//!     name: &'t str,
//!     size: [f32; 2],
//! }
//!
//! static MEMORY: StaticHeap<4096> = StaticHeap::new("doc");
//! let text = b"name = \"gate\" size = [ 3.5 2 ] // metres";
//! let door: Door = loligo_sjson::serde::from_bytes_in(text, &Options::SJSON, &MEMORY)?;
//! assert_eq!(door, Door { name: "gate", size: [3.5, 2.0] });
//!
//! let mut written = String::new();
//! loligo_sjson::serde::write(&door, Style::SJSON, &mut written)?;
//! assert_eq!(written, "name = \"gate\"\nsize = [ 3.5 2.0 ]\n");
//! # Ok::<(), loligo_sjson::serde::SerdeError>(())
//! ```

use core::fmt;

use ::serde::{Deserialize, Serialize};
use loligo_allocators::Allocator;

use crate::options::Options;
use crate::style::Style;
use crate::writer::Writer;

mod error;
mod key;
mod reader;
#[cfg(test)]
mod tests;
mod writer;
mod writer_key;

pub use error::SerdeError;

/// Reads a value of a type.
///
/// # Complexity
///
/// O(bytes), and what the type does.
///
/// # Memory
///
/// The longest string with escapes, for as long as the type is read; strings without are borrowed
/// from the text. Types recurse as their data does, up to the depth of the options.
///
/// # Errors
///
/// [`SerdeError`] if the text is not what the options allow, not what the type wants, or there is
/// no memory.
pub fn from_bytes_in<'de, T: Deserialize<'de>, A: Allocator + ?Sized>(
    text: &'de [u8],
    options: &Options,
    memory: &A,
) -> Result<T, SerdeError> {
    reader::read(text, options, memory)
}

/// Writes a value of a type.
///
/// # Complexity
///
/// O(bytes), and what the type does. Nothing is allocated but by the sink.
///
/// # Errors
///
/// [`SerdeError`] if the sink refuses, a number is not finite, or a key cannot be written as one.
pub fn write<T: Serialize + ?Sized>(
    value: &T,
    style: Style,
    sink: &mut dyn fmt::Write,
) -> Result<(), SerdeError> {
    let mut writer = Writer::new(style, sink);
    value.serialize(writer::ValueWriter(&mut writer))?;
    Ok(writer.finish()?)
}
