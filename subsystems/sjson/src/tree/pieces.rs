//! All of a text, piece by piece.

use loligo_allocators::Allocator;

use crate::gap::{GapKind, gap};
use crate::tree::SyntaxTree;
use crate::tree::node::Node;

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// Space, and a byte order mark.
    Space,
    /// A comment, without the newline after it.
    Comment,
    /// A comma.
    Comma,
    /// `=` or `:` after a key.
    Separator,
    /// A key, quotes included.
    Key,
    /// A value that holds no others, quotes included.
    Value,
    /// `{` or `[`.
    Open,
    /// `}` or `]`.
    Close,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'t> {
    /// What it is.
    pub kind: PieceKind,
    /// Its bytes.
    pub text: &'t str,
}

impl<'t, A: Allocator + ?Sized> SyntaxTree<'t, '_, A> {
    /// Returns the pieces of the text, in order. Together they are the text, byte for byte.
    ///
    /// # Complexity
    ///
    /// O(bytes) for all.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'t>> {
        let text = self.text();
        let mut done = 0;
        Tokens { nodes: self.nodes(), at: 0, end: text.len(), is_in_value: false, text }.flat_map(
            move |(kind, start, end)| {
                let between = &text[done..start];
                done = end;
                let piece = Piece { kind, text: &text[start..end] };
                // At the end of the text there is a piece of nothing.
                let piece = Some(piece).filter(|piece| !piece.text.is_empty());
                gap(between).flat_map(ends_apart).chain(piece)
            },
        )
    }
}

/// Makes pieces of the text between keys and values, which includes the closing brackets.
fn ends_apart((kind, text): (GapKind, &str)) -> impl Iterator<Item = Piece<'_>> {
    let kind = match kind {
        GapKind::Space => PieceKind::Space,
        GapKind::Comment => PieceKind::Comment,
        GapKind::Comma => PieceKind::Comma,
        GapKind::Separator => PieceKind::Separator,
    };
    let mut rest = text;
    core::iter::from_fn(move || {
        let is_close = |char: char| matches!(char, '}' | ']');
        let len = match kind {
            PieceKind::Space if rest.starts_with(is_close) => {
                let (text, behind) = rest.split_at(1);
                rest = behind;
                return Some(Piece { kind: PieceKind::Close, text });
            }
            PieceKind::Space => rest.find(is_close).unwrap_or(rest.len()),
            _ => rest.len(),
        };
        let (text, behind) = rest.split_at(len);
        rest = behind;
        (!text.is_empty()).then_some(Piece { kind, text })
    })
}

/// Walks keys, values and opening brackets, and at last the end of the text.
struct Tokens<'n> {
    nodes: &'n [Node],
    at: usize,
    end: usize,
    /// Whether the key of the node has been handed out, or it has none.
    is_in_value: bool,
    text: &'n str,
}

impl Iterator for Tokens<'_> {
    type Item = (PieceKind, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let Some(node) = self.nodes.get(self.at) else {
            self.at = self.nodes.len() + 1;
            let end = core::mem::replace(&mut self.end, usize::MAX);
            return (end != usize::MAX).then_some((PieceKind::Space, end, end));
        };
        if !node.key.is_none() && !self.is_in_value {
            self.is_in_value = true;
            let key = node.key.range();
            return Some((PieceKind::Key, key.start, key.end));
        }
        self.is_in_value = false;
        self.at += 1;
        let place = node.place.range();
        if !node.kind.is_nest() {
            return Some((PieceKind::Value, place.start, place.end));
        }
        // The root has no bracket where it begins with a key, or is empty.
        let has_bracket = self.text[place.start..place.end].starts_with(['{', '[']);
        let end = place.start + usize::from(has_bracket);
        Some((PieceKind::Open, place.start, end))
    }
}
