//! Values in memory: a document read once, to be looked into.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::error::ReadError;
use crate::event::{Event, Nest};
use crate::options::Options;
use crate::parser::Parser;
use crate::style::Style;
use crate::writer::Writer;

mod builder;
mod read;
#[cfg(test)]
mod tests;
mod view;

pub use builder::ValueBuilder;
pub use view::{Items, Members, ValueKind, ValueRef};

/// A document in memory: its values one after the other, and all its text.
///
/// ```text
/// a = [ 1 "x" ]    values  | Object 1 | Key | Array 2 | I64 1 | Str | End | End |      16 bytes each
///                  text    | a x |
/// ```
///
/// There is one block for the values and one for the text, however many there are, so that reading
/// takes few blocks, dropping two frees, and walking goes straight ahead. It does not change once
/// it is read or built.
///
/// Numbers are `i64` where they are written without fraction and exponent and fit, else `u64` where
/// they fit, else `f64`; those too large for that are refused. Keys keep their order; of a key that
/// comes twice both values are there, and [`get`](ValueRef::get) finds the last.
///
/// # Memory
///
/// 16 bytes for each value, each key, and each end of an object or array; the bytes of keys and
/// strings, escapes replaced; and room for as much again while they grow, which
/// [`try_shrink_to_fit`](Self::try_shrink_to_fit) gives back. The object itself is 48 bytes, 64
/// with `dyn Allocator`.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_sjson::{Options, Value};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let text = br#"name = "door" size = { width = 90 height = 2.1e2 }"#;
/// let value = Value::try_parse(text, &Options::SJSON, &MEMORY)?;
/// let root = value.root();
/// assert_eq!(root.get("name").and_then(|name| name.as_str()), Some("door"));
/// assert_eq!(root.find("size/height".into()).ok().and_then(|size| size.as_f64()), Some(210.0));
/// # Ok::<(), loligo_sjson::ReadError>(())
/// ```
///
/// # Invariants
///
/// 1. There is a value at least. Each start has its end, which it names and which names it; in an
///    object keys and values take turns.
/// 2. The places of keys and strings are within the text, each of them UTF-8.
pub struct Value<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    nodes: Array<'a, Node, A>,
    text: Array<'a, u8, A>,
}

/// A value, a key or an end.
#[derive(Clone, Copy, Debug)]
enum Node {
    Null,
    Bool(bool),
    I64(i64),
    /// Integers that do not fit an `i64`.
    U64(u64),
    F64(f64),
    String(Piece),
    Key(Piece),
    /// The number of items, and where the end is.
    Object(u32, u32),
    Array(u32, u32),
    /// Where the start is.
    End(Nest, u32),
}

/// Some of the text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u32,
    len: u32,
}

impl<'a> Value<'a> {
    /// Reads a text.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the text is not what the options allow, a number is too large for 64 bits
    /// of float, or there is no memory.
    pub fn try_parse(
        text: &[u8],
        options: &Options,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, ReadError> {
        Self::try_parse_in(text, options, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Value<'a, A> {
    /// As [`try_parse`](Self::try_parse), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_parse`](Self::try_parse).
    pub fn try_parse_in(text: &[u8], options: &Options, memory: &'a A) -> Result<Self, ReadError> {
        let mut builder = ValueBuilder::new_in(memory);
        let mut parser = Parser::new(text, options);
        read::read(&mut parser, &mut builder)?;
        Ok(builder.into_value())
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> ValueRef<'_> {
        ValueRef::new(&self.nodes, &self.text, 0)
    }

    /// Writes the document.
    ///
    /// # Complexity
    ///
    /// O(bytes). Nothing is allocated but by the sink.
    ///
    /// # Errors
    ///
    /// What the sink refuses; [`fmt::Error`] also where more than [`DEPTH_MAX`](crate::DEPTH_MAX)
    /// objects and arrays are within each other.
    pub fn write(&self, style: Style, sink: &mut dyn fmt::Write) -> fmt::Result {
        let mut writer = Writer::new(style, sink);
        for node in &*self.nodes {
            match *node {
                Node::Null => writer.null()?,
                Node::Bool(value) => writer.bool(value)?,
                Node::I64(number) => writer.i64(number)?,
                Node::U64(number) => writer.u64(number)?,
                Node::F64(number) => writer.f64(number)?,
                Node::String(piece) => writer.string(piece.of(&self.text))?,
                Node::Key(piece) => writer.key(piece.of(&self.text))?,
                Node::Object(..) => writer.start(Nest::Object)?,
                Node::Array(..) => writer.start(Nest::Array)?,
                Node::End(nest, _) => writer.end(nest)?,
            }
        }
        writer.finish()
    }

    /// Gives back the room that is not used.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if the allocator refuses the smaller block; the value is as it was.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), GrowError> {
        self.nodes.try_shrink_to_fit()?;
        self.text.try_shrink_to_fit()
    }

    /// Returns how many bytes the values and their text take, room that is not used included.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.text.capacity()
    }

    /// Checks the value's own structure.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        for (index, node) in self.nodes.iter().enumerate() {
            let index = index as u32;
            let mate = |at: u32| self.nodes.get(at as usize);
            let fits = match *node {
                Node::Object(_, end) => {
                    matches!(mate(end), Some(Node::End(Nest::Object, start)) if *start == index)
                }
                Node::Array(_, end) => {
                    matches!(mate(end), Some(Node::End(Nest::Array, start)) if *start == index)
                }
                Node::End(..) => index > 0,
                Node::Key(piece) | Node::String(piece) => {
                    let bytes = self.text.get(piece.range());
                    bytes.is_some_and(|bytes| core::str::from_utf8(bytes).is_ok())
                }
                Node::F64(number) => number.is_finite(),
                _ => true,
            };
            if !fits {
                return Err("a value does not lead where it should");
            }
        }
        if self.nodes.is_empty() { Err("there is no root") } else { Ok(()) }
    }
}

impl Piece {
    fn range(self) -> core::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// Returns the piece of `text`, which was put in as text.
    fn of(self, text: &[u8]) -> &str {
        core::str::from_utf8(&text[self.range()]).unwrap_or_default()
    }
}

/// Equal where the values are, keys in the same order. An integer is not equal to a float.
impl<A: Allocator + ?Sized, B: Allocator + ?Sized> PartialEq<Value<'_, B>> for Value<'_, A> {
    fn eq(&self, other: &Value<'_, B>) -> bool {
        self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&*other.nodes).all(|(a, b)| match (*a, *b) {
                (Node::Null, Node::Null) => true,
                (Node::Bool(a), Node::Bool(b)) => a == b,
                (Node::I64(a), Node::I64(b)) => a == b,
                (Node::U64(a), Node::U64(b)) => a == b,
                (Node::F64(a), Node::F64(b)) => a.to_bits() == b.to_bits(),
                (Node::String(a), Node::String(b)) | (Node::Key(a), Node::Key(b)) => {
                    self.text[a.range()] == other.text[b.range()]
                }
                (Node::Object(a, _), Node::Object(b, _)) => a == b,
                (Node::Array(a, _), Node::Array(b, _)) => a == b,
                (Node::End(a, _), Node::End(b, _)) => a == b,
                _ => false,
            })
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Value<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(Style::SJSON_COMPACT, f)
    }
}

const _: () = assert!(size_of::<Node>() == 16, "the doc of values states it");
const _: () = assert!(size_of::<Event<'_>>() == 32, "the doc of events states it");
