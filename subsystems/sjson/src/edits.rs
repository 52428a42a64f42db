//! Edits: a text with some values changed, and every other byte as it was.

use core::error::Error;
use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::class::{BARE, is};
use crate::error::SjsonError;
use crate::options::{Dialect, Options};
use crate::path::{Path, PathError};
use crate::tree::{NodeKind, SyntaxNode, SyntaxTree};

mod insert;
mod remove;
#[cfg(test)]
mod tests;
mod value_text;

/// Changes to a text, by path, to be written out together.
///
/// Each edit replaces a few bytes; all others are written as they were. All paths mean the text as
/// it was read, not as other edits leave it, and two edits of the same bytes are refused.
///
/// # Memory
///
/// Two blocks: 16 bytes for each edit, and the text that is put in. The tree is borrowed.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_sjson::{Edits, Options, SyntaxTree};
///
/// static MEMORY: StaticHeap<16384> = StaticHeap::new("doc");
/// let text = b"size = [ 640 480 ] // pixels";
/// let tree = SyntaxTree::try_parse(text, &Options::SJSON, &MEMORY).expect("good");
/// let mut edits = Edits::new(&tree);
/// edits.set("size/0".into(), "800").expect("it is there");
/// edits.insert("title".into(), "\"Door\"").expect("it is not there");
/// let mut edited = String::new();
/// edits.write(&mut edited).expect("a string takes all");
/// assert_eq!(edited, "size = [ 800 480 ] // pixels\ntitle = \"Door\"");
/// ```
pub struct Edits<'e, 't, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    tree: &'e SyntaxTree<'t, 'a, A>,
    /// In the order of the text.
    splices: Array<'a, Splice, A>,
    /// What is put in, one after the other.
    fresh: Array<'a, u8, A>,
}

/// Some bytes that are replaced by others.
#[derive(Clone, Copy, Debug)]
struct Splice {
    /// The bytes of the text that go.
    start: u32,
    end: u32,
    /// The bytes that come, among those put in.
    fresh_start: u32,
    fresh_end: u32,
}

impl<'e, 't, 'a, A: Allocator + ?Sized> Edits<'e, 't, 'a, A> {
    /// Returns no edits yet of the text of a tree, in memory of the tree's allocator.
    #[must_use]
    pub const fn new(tree: &'e SyntaxTree<'t, 'a, A>) -> Self {
        let memory = tree.memory();
        Self { tree, splices: Array::new_in(memory), fresh: Array::new_in(memory) }
    }

    /// Changes the value that a path leads to. `value` is a value as the dialect of the tree writes
    /// it: `12`, `"text"`, `[ 1 2 ]`; space around it does not count.
    ///
    /// # Complexity
    ///
    /// That of [`SyntaxTree::find`], O(bytes of the value), and O(edits after it).
    ///
    /// # Errors
    ///
    /// [`EditError`]; the edits are as they were.
    pub fn set<'p>(&mut self, path: Path<'p>, value: &str) -> Result<(), EditError<'p>> {
        let node = self.tree.find(path).map_err(EditError::Path)?;
        let value = self.checked(value)?;
        if path.as_str().is_empty() && self.tree.has_bare_root() {
            return Err(EditError::BareRoot);
        }
        let span = node.span();
        self.splice(span.start, span.end, &[value])
    }

    /// Returns how many edits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.splices.len()
    }

    /// Returns `true` if there are no edits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Writes the text with all edits made.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// What the sink refuses.
    pub fn write(&self, sink: &mut dyn fmt::Write) -> fmt::Result {
        let text = self.tree.text();
        let mut done = 0;
        for splice in &*self.splices {
            sink.write_str(&text[done..splice.start as usize])?;
            let fresh = &self.fresh[splice.fresh_start as usize..splice.fresh_end as usize];
            // Pieces of text alone were put in, each whole.
            sink.write_str(core::str::from_utf8(fresh).map_err(|_| fmt::Error)?)?;
            done = splice.end as usize;
        }
        sink.write_str(&text[done..])
    }

    /// Returns the text of one value, without the space around it.
    fn checked<'v, 'p>(&self, value: &'v str) -> Result<&'v str, EditError<'p>> {
        let options = Options { dialect: self.tree.dialect(), ..Options::default() };
        value_text::checked(value, &options).map_err(EditError::Value)
    }

    /// Notes that `start..end` of the text are replaced by some pieces.
    fn splice<'p>(
        &mut self,
        start: usize,
        end: usize,
        pieces: &[&str],
    ) -> Result<(), EditError<'p>> {
        let (start, end) = (start as u32, end as u32);
        let at = self.splices.partition_point(|splice| splice.end <= start);
        let behind = &self.splices[at..];
        let same_place = |other: &Splice| other.start == start && other.end == end;
        if behind.first().is_some_and(|next| next.start < end)
            || self.splices.iter().any(same_place)
        {
            return Err(EditError::Overlap);
        }
        let (lead, trail) = self.spaces(start, end, pieces);
        let fresh_start = self.fresh.len();
        let put_in: usize = pieces.iter().map(|piece| piece.len()).sum();
        self.fresh.try_reserve(put_in + 2).map_err(EditError::Memory)?;
        self.splices.try_reserve(1).map_err(EditError::Memory)?;
        for piece in [lead].iter().chain(pieces).chain(&[trail]) {
            self.fresh.try_extend_from_slice(piece.as_bytes()).map_err(EditError::Memory)?;
        }
        let fresh_end = self.fresh.len() as u32;
        let splice = Splice { start, end, fresh_start: fresh_start as u32, fresh_end };
        self.splices.try_insert(at, splice).map_err(EditError::Memory)
    }

    /// Returns the spaces needed before and after the inserted text, where it would run into its
    /// neighbours.
    fn spaces(&self, start: u32, end: u32, pieces: &[&str]) -> (&'static str, &'static str) {
        let text = self.tree.text().as_bytes();
        let before = text[..start as usize].last();
        let behind = text.get(end as usize);
        let first = pieces.iter().find_map(|piece| piece.as_bytes().first());
        let last = pieces.iter().rev().find_map(|piece| piece.as_bytes().last());
        let between = |left: Option<&u8>, right: Option<&u8>| {
            let joins =
                |byte: Option<&u8>| byte.is_some_and(|&byte| byte == b'"' || is(byte, BARE));
            if joins(left) && joins(right) { " " } else { "" }
        };
        match first {
            Some(_) => (between(before, first), between(last, behind)),
            None => (between(before, behind), ""),
        }
    }

    /// Returns `true` if the items of a node have commas between them.
    fn has_commas(&self, node: &SyntaxNode<'_>) -> bool {
        let mut end = None;
        self.tree.dialect() == Dialect::Json
            || node.children().any(|child| {
                let start = start_of(&child);
                let before = end.replace(child.span().end);
                before.is_some_and(|before| {
                    crate::gap::gap(&self.tree.text()[before..start])
                        .any(|(kind, _)| kind == crate::gap::GapKind::Comma)
                })
            })
    }
}

/// Returns where a value begins, its key included.
fn start_of(node: &SyntaxNode<'_>) -> usize {
    node.key_span().map_or(node.span().start, |key| key.start)
}

/// Returns `true` if `node` is a root without braces.
fn is_bare(node: &SyntaxNode<'_>) -> bool {
    node.kind() == NodeKind::Object && !node.text().starts_with('{')
}

impl<A: Allocator + ?Sized> fmt::Debug for Edits<'_, '_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edits").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A text could not be edited. The edits made before are as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError<'p> {
    /// The path leads nowhere.
    Path(PathError<'p>),
    /// What was to be put in is not a value; places count from its own start.
    Value(SjsonError),
    /// The root cannot be replaced or removed: an object without braces.
    BareRoot,
    /// There is such a key already.
    Exists,
    /// The same bytes have been edited already.
    Overlap,
    /// The allocator had no memory.
    Memory(GrowError),
}

impl fmt::Display for EditError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(error) => error.fmt(f),
            Self::Value(error) => write!(f, "the new value is none, at {error}"),
            Self::BareRoot => f.write_str("the root cannot be edited as a whole: name its keys"),
            Self::Exists => f.write_str("the key is there already: set its value"),
            Self::Overlap => f.write_str("the place is edited twice: write out the first edit"),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for EditError<'_> {}
