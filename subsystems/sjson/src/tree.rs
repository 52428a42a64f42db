//! The syntax tree: where everything is in a text.

use loligo_allocators::Allocator;
use loligo_containers::Array;

use crate::error::ReadError;
use crate::event::{Event, Nest};
use crate::options::{Dialect, Options};
use crate::parser::Parser;
use crate::path::{Missing, Path, PathError};

mod node;
mod pieces;
#[cfg(test)]
mod tests;

pub use node::{NodeKind, SyntaxNode};
pub use pieces::{Piece, PieceKind};

use node::{Node, Place};

/// The syntax tree of a text: each value, with its key, and its place.
///
/// The tree refers to the text and covers all of it: [`pieces`](Self::pieces) are the whole text,
/// byte for byte, comments and space included. It is what tools edit through
/// ([`Edits`](crate::Edits)); a program that wants numbers and strings is better served by a
/// [`Value`](crate::Value).
///
/// ```text
/// text    name = "door"  size = [ 2 1 ]
/// nodes   Object  name: String  size: Array  Number  Number       in the order of the text
///         next 5                      next 5                      each knows where its subtree ends
/// ```
///
/// # Memory
///
/// One block: 24 bytes for each value, and room for as many again while it grows. The text is
/// borrowed.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_sjson::{Options, SyntaxTree};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let text = b"size = [ 640 480 ] // pixels\n";
/// let tree = SyntaxTree::try_parse(text, &Options::SJSON, &MEMORY)?;
/// let height = tree.find("size/1".into()).expect("it is there");
/// assert_eq!(height.text(), "480");
/// assert_eq!(tree.pieces().map(|piece| piece.text).collect::<String>().as_bytes(), text);
/// # Ok::<(), loligo_sjson::ReadError>(())
/// ```
///
/// # Invariants
///
/// 1. There is a node at least; the subtree of each follows it, up to its `next`.
/// 2. The places are within the text, each within that of its parent and after that of the node
///    before it.
pub struct SyntaxTree<'t, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    text: &'t str,
    dialect: Dialect,
    bare_root: bool,
    nodes: Array<'a, Node, A>,
}

impl<'t, 'a> SyntaxTree<'t, 'a> {
    /// Parses a text.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the text is not what the options allow, or there is no memory.
    pub fn try_parse(
        text: &'t [u8],
        options: &Options,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, ReadError> {
        Self::try_parse_in(text, options, memory)
    }
}

impl<'t, 'a, A: Allocator + ?Sized> SyntaxTree<'t, 'a, A> {
    /// As [`try_parse`](Self::try_parse), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`try_parse`](Self::try_parse).
    pub fn try_parse_in(
        text: &'t [u8],
        options: &Options,
        memory: &'a A,
    ) -> Result<Self, ReadError> {
        let mut parser = Parser::new(text, options);
        let mut nodes = Array::new_in(memory);
        let mut key = Place::NONE;
        // The innermost of what is open; the `next` of each leads to the one around it until it is
        // closed.
        let mut open = u32::MAX;
        let mut last_end = 0;
        while let Some(event) = parser.next_event()? {
            let place = Place::of(parser.span());
            let kind = match event {
                Event::Key(_) => {
                    key = place;
                    continue;
                }
                Event::End(_) => {
                    // An object without braces ends where its last value does.
                    last_end = if place.start == place.end { last_end } else { place.end };
                    open = close(&mut nodes, open, last_end);
                    continue;
                }
                Event::Null => NodeKind::Null,
                Event::Bool(_) => NodeKind::Bool,
                Event::Number(_) => NodeKind::Number,
                Event::String(_) => NodeKind::String,
                Event::Start(Nest::Object) => NodeKind::Object,
                Event::Start(Nest::Array) => NodeKind::Array,
            };
            last_end = place.end;
            let index = nodes.len() as u32;
            let mut next = index + 1;
            if let Event::Start(_) = event {
                next = core::mem::replace(&mut open, index);
            }
            nodes.try_push(Node { kind, next, key, place })?;
            key = Place::NONE;
        }
        Ok(Self {
            text: parser.text(),
            dialect: options.dialect,
            bare_root: parser.has_bare_root(),
            nodes,
        })
    }

    /// Returns the text.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns what the text was read as.
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns `true` if the root is an object without braces.
    #[must_use]
    pub const fn has_bare_root(&self) -> bool {
        self.bare_root
    }

    /// Returns the root.
    #[must_use]
    pub fn root(&self) -> SyntaxNode<'_> {
        SyntaxNode::new(self.text, &self.nodes, 0)
    }

    /// Returns the value that a path leads to.
    ///
    /// # Complexity
    ///
    /// O(items of the objects and arrays on the way).
    ///
    /// # Errors
    ///
    /// [`PathError`] says how far it leads.
    pub fn find<'p>(&self, path: Path<'p>) -> Result<SyntaxNode<'_>, PathError<'p>> {
        let mut node = self.root();
        for (start, step) in path.steps() {
            let why = match node.kind() {
                NodeKind::Object => {
                    let mut found = None;
                    for child in node.children() {
                        if child.key().is_some_and(|key| step.is_text(key)) {
                            found = Some(child);
                        }
                    }
                    match found {
                        Some(child) => {
                            node = child;
                            continue;
                        }
                        None => Missing::Key,
                    }
                }
                NodeKind::Array => {
                    let child = step.index().and_then(|at| node.children().nth(at as usize));
                    match child {
                        Some(child) => {
                            node = child;
                            continue;
                        }
                        None => Missing::Item(node.children().count() as u32),
                    }
                }
                _ => Missing::Nest,
            };
            return Err(PathError::new(path, start, why));
        }
        Ok(node)
    }

    /// Checks the tree's own structure.
    ///
    /// # Complexity
    ///
    /// O(values).
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        let count = self.nodes.len() as u32;
        let mut end = 0;
        for (index, node) in self.nodes.iter().enumerate() {
            let index = index as u32;
            if node.next <= index || node.next > count || (index == 0 && node.next != count) {
                return Err("a subtree ends where it cannot");
            }
            let begins = if node.key.is_none() { node.place.start } else { node.key.start };
            if begins < end || node.place.end < node.place.start {
                return Err("a value begins before the one in front of it ends");
            }
            if self.text.get(node.place.range()).is_none() {
                return Err("a value is outside of the text");
            }
            end = if node.kind.is_nest() { node.place.start } else { node.place.end };
        }
        if count == 0 { Err("there is no root") } else { Ok(()) }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the allocator that the memory is from.
    pub(crate) const fn memory(&self) -> &'a A {
        self.nodes.memory()
    }
}

/// Closes the node `open`, which ends at `end`, and returns the one around it.
fn close<A: Allocator + ?Sized>(nodes: &mut Array<'_, Node, A>, open: u32, end: u32) -> u32 {
    let next = nodes.len() as u32;
    let Some(node) = nodes.get_mut(open as usize) else {
        return u32::MAX;
    };
    node.place.end = end;
    core::mem::replace(&mut node.next, next)
}

impl<A: Allocator + ?Sized> core::fmt::Debug for SyntaxTree<'_, '_, A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SyntaxTree")
            .field("bytes", &self.text.len())
            .field("values", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

const _: () = assert!(size_of::<Node>() == 24, "the doc of the tree states it");
