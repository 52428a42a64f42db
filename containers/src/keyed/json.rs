//! A reader and a writer of JSON that take no memory.
//!
//! After Niklas Frykholm, "JSON configuration data" (2009): generic data is JSON where people and
//! tools see it, and something quicker where the game runs. This is what turns the one into the
//! other. The article names no rules of reading; here they are those of RFC 8259, and bytes that
//! break them are refused with the offset and the reason.
//!
//! ```text
//! { "a" : [ 1 , true ] }      Start(Object) Key("a") Start(Array) Number(1) Bool(true) End(Array) End(Object)
//! ```
//!
//! The reader hands out one token at a time, cut from the text it reads. It does not recurse and
//! keeps one bit for each open object or array, of which there may be [`reader::DEPTH_MAX`].

mod error;
mod number;
mod reader;
mod string;
#[cfg(test)]
mod tests;
mod writer;

pub use error::JsonError;

pub(crate) use number::JsonNumber;
#[cfg(test)]
pub(crate) use reader::DEPTH_MAX;
pub(crate) use reader::{JsonReader, Nest, Token};
pub(crate) use string::JsonString;
pub(crate) use writer::JsonWriter;
