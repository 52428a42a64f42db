//! A value of a syntax tree.

use core::ops::Range;

use crate::string::{Text, TextForm};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// Keys and values.
    Object,
    /// Values in order.
    Array,
}

impl NodeKind {
    pub(super) const fn is_nest(self) -> bool {
        matches!(self, Self::Object | Self::Array)
    }
}

/// A range of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Place {
    /// The place of what is not there.
    pub(super) const NONE: Self = Self { start: u32::MAX, end: u32::MAX };

    /// Texts are limited to 32 bits.
    pub(super) fn of(range: Range<usize>) -> Self {
        Self { start: range.start as u32, end: range.end as u32 }
    }

    pub(super) const fn is_none(self) -> bool {
        self.start == u32::MAX
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value as the tree holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(super) kind: NodeKind,
    /// The node after the subtree.
    pub(super) next: u32,
    pub(super) key: Place,
    pub(super) place: Place,
}

/// A value in a [`SyntaxTree`](crate::SyntaxTree), with its key if it has one.
///
/// # Memory
///
/// 40 bytes, borrowed from the tree.
#[derive(Clone, Copy)]
pub struct SyntaxNode<'s> {
    text: &'s str,
    nodes: &'s [Node],
    index: u32,
}

impl<'s> SyntaxNode<'s> {
    pub(super) const fn new(text: &'s str, nodes: &'s [Node], index: u32) -> Self {
        Self { text, nodes, index }
    }

    /// Returns what the value is.
    #[must_use]
    pub fn kind(&self) -> NodeKind {
        self.node().kind
    }

    /// Returns where the value is in the text, brackets and quotes included.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.node().place.range()
    }

    /// Returns the value as it is written.
    #[must_use]
    pub fn text(&self) -> &'s str {
        &self.text[self.span()]
    }

    /// Returns the key, in an object.
    #[must_use]
    pub fn key(&self) -> Option<Text<'s>> {
        let key = self.node().key;
        (!key.is_none()).then(|| text_at(self.text, key))
    }

    /// Returns where the key is in the text, in an object.
    #[must_use]
    pub fn key_span(&self) -> Option<Range<usize>> {
        let key = self.node().key;
        (!key.is_none()).then(|| key.range())
    }

    /// Returns the string, if the value is one.
    #[must_use]
    pub fn string(&self) -> Option<Text<'s>> {
        let node = self.node();
        (node.kind == NodeKind::String).then(|| text_at(self.text, node.place))
    }

    /// Returns the values of an object or an array, in order; nothing for other values.
    ///
    /// # Complexity
    ///
    /// O(1) for each.
    pub fn children(&self) -> impl Iterator<Item = Self> + use<'s> {
        let (text, nodes) = (self.text, self.nodes);
        let mut at = self.index + 1;
        let end = self.node().next;
        core::iter::from_fn(move || {
            let index = (at < end).then_some(at)?;
            at = nodes[index as usize].next;
            Some(Self { text, nodes, index })
        })
    }

    fn node(&self) -> &'s Node {
        &self.nodes[self.index as usize]
    }
}

/// Returns what is at a place, which was read as a key or a string.
fn text_at(text: &str, place: Place) -> Text<'_> {
    let written = &text[place.range()];
    let verbatim = written.strip_prefix("\"\"\"").and_then(|rest| rest.strip_suffix("\"\"\""));
    if let Some(raw) = verbatim {
        return Text::new(raw, TextForm::Verbatim, false);
    }
    match written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(raw) => Text::new(raw, TextForm::Quoted, raw.contains('\\')),
        None => Text::new(written, TextForm::Bare, false),
    }
}

impl core::fmt::Debug for SyntaxNode<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SyntaxNode")
            .field("kind", &self.kind())
            .field("key", &self.key())
            .field("text", &self.text())
            .finish()
    }
}
