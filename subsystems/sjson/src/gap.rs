//! What is between two events of a text that was read: space, comments, commas and separators.

use crate::parser::comment_len;

/// A piece between two events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapKind {
    /// Space, and a mark at the start of the text.
    Space,
    /// A comment, without the newline after it.
    Comment,
    /// A comma.
    Comma,
    /// `=` or `:`.
    Separator,
}

/// Returns the pieces of what is between two events, in order, which together are all of it.
pub(crate) fn gap(text: &str) -> impl Iterator<Item = (GapKind, &str)> {
    let mut rest = text;
    core::iter::from_fn(move || {
        let (kind, len) = match rest.as_bytes().first()? {
            b',' => (GapKind::Comma, 1),
            b'=' | b':' => (GapKind::Separator, 1),
            // It has an end, as the parser saw.
            b'/' => (GapKind::Comment, comment_len(rest).unwrap_or(rest.len())),
            _ => {
                let end = rest.find([',', '=', ':', '/']);
                (GapKind::Space, end.unwrap_or(rest.len()))
            }
        };
        let (piece, behind) = rest.split_at(len);
        rest = behind;
        Some((kind, piece))
    })
}
