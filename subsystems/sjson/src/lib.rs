//! Simplified JSON.
#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod class;
mod decimal;
mod edits;
mod error;
mod event;
mod format;
mod gap;
mod number;
mod options;
mod parser;
mod path;
#[cfg(feature = "serde")]
pub mod serde;
mod string;
mod style;
#[cfg(test)]
mod test_drawn;
#[cfg(test)]
#[expect(dead_code, unused_imports, reason = "the tests of the containers use more of it")]
#[path = "../../../containers/src/testing/test_memory.rs"]
mod test_memory;
#[cfg(test)]
mod tests;
mod tree;
mod value;
mod writer;

pub use edits::{EditError, Edits};
pub use error::{InFile, ReadError, SjsonError};
pub use event::{Event, Nest};
pub use format::{FormatError, format};
pub use number::Number;
pub use options::{DEPTH_MAX, Dialect, Options};
pub use parser::Parser;
pub use path::{Path, PathError};
pub use string::{Text, TextForm};
pub use style::{Layout, Style};
pub use tree::{NodeKind, Piece, PieceKind, SyntaxNode, SyntaxTree};
pub use value::{Items, Members, Value, ValueBuilder, ValueKind, ValueRef};
pub use writer::Writer;
