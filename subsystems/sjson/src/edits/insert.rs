//! New keys and items.

use loligo_allocators::Allocator;

use crate::class::is_identifier;
use crate::edits::{EditError, Edits, is_bare, start_of};
use crate::gap::{GapKind, gap};
use crate::options::Dialect;
use crate::path::{Missing, Path, PathError, Step};
use crate::tree::{NodeKind, SyntaxNode};

/// The most bytes of a key that is put in, with its quotes and escapes.
const KEY_BYTES: usize = 256;

impl<A: Allocator + ?Sized> Edits<'_, '_, '_, A> {
    /// Adds a value: the path leads to an object and a key that it does not have, or to an array
    /// and the number of its items, or `-`. It becomes the last, laid out as the one before it. One
    /// value can be added to each object or array; write the edits out before another.
    ///
    /// # Complexity
    ///
    /// That of [`set`](Self::set), and O(items of the parent).
    ///
    /// # Errors
    ///
    /// [`EditError`]; the edits are as they were.
    pub fn insert<'p>(&mut self, path: Path<'p>, value: &str) -> Result<(), EditError<'p>> {
        let (parent_path, step) = path.split_last().ok_or(EditError::BareRoot)?;
        let parent = self.tree.find(parent_path).map_err(EditError::Path)?;
        let value = self.checked(value)?;
        let mut key = KeyText::new();
        match parent.kind() {
            NodeKind::Object => {
                if parent.children().any(|child| child.key().is_some_and(|key| step.is_text(key))) {
                    return Err(EditError::Exists);
                }
                if !key.fill(step, self.tree.dialect()) {
                    return Err(EditError::Path(PathError::at_step(path, step, Missing::Key)));
                }
            }
            NodeKind::Array => {
                let count = parent.children().count() as u32;
                if !step.is_end() && step.index() != Some(count) {
                    return Err(EditError::Path(PathError::at_step(
                        path,
                        step,
                        Missing::Item(count),
                    )));
                }
            }
            _ => return Err(EditError::Path(PathError::at_step(path, step, Missing::Nest))),
        }
        match parent.children().last() {
            Some(last) => self.behind(&parent, &last, &[key.as_str(), value]),
            None => self.put_first(&parent, &[key.as_str(), value]),
        }
    }

    /// Puts an item after the last, and after the comments that are on its line.
    fn behind<'p>(
        &mut self,
        parent: &SyntaxNode<'_>,
        last: &SyntaxNode<'_>,
        [key, value]: &[&str; 2],
    ) -> Result<(), EditError<'p>> {
        let text = self.tree.text();
        let last_end = last.span().end;
        let limit = if is_bare(parent) { text.len() } else { parent.span().end - 1 };
        let (mut at, mut behind_last) = (last_end, last_end);
        let mut has_comma = false;
        let mut in_comment = false;
        for (kind, piece) in gap(&text[last_end..limit]) {
            if kind == GapKind::Space && piece.contains('\n') {
                break;
            }
            at += piece.len();
            has_comma |= kind == GapKind::Comma;
            in_comment = kind == GapKind::Comment && piece.starts_with("//");
            if kind != GapKind::Space {
                behind_last = at;
            }
        }
        // The space before the last item is the space before the new one; it may hold a comment,
        // which is not.
        let before = text[..start_of(last)].trim_end_matches([' ', '\t']);
        let mut space = &text[before.len()..start_of(last)];
        let is_line = before.is_empty() || before.ends_with('\n');
        let (mut newline, comma) = ("", if has_comma { "" } else { "," });
        if is_line || in_comment {
            newline = if before.ends_with("\r\n") { "\r\n" } else { "\n" };
        } else if space.is_empty() {
            space = " ";
        }
        let comma = if self.has_commas(parent) { comma } else { "" };
        // A value that is left out at the end of the text is `null`; before a further key it must
        // be written.
        let null = match last.text() {
            "" if text[..last_end].ends_with([' ', '\t']) => "null",
            "" => " null",
            _ => "",
        };
        let at = behind_last;
        if null.is_empty() && comma.is_empty() {
            return self.splice(at, at, &[newline, space, key, value]);
        }
        // There may be a comment between the last item and the new one: the comma goes before it,
        // the rest after it.
        let between = &text[last_end..at];
        self.splice(last_end, at, &[null, comma, between, newline, space, key, value])
    }

    fn put_first<'p>(
        &mut self,
        parent: &SyntaxNode<'_>,
        [key, value]: &[&str; 2],
    ) -> Result<(), EditError<'p>> {
        if is_bare(parent) {
            let text = self.tree.text();
            let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            return self.splice(text.len(), text.len(), &[newline, key, value, "\n"]);
        }
        let span = parent.span();
        let inside = &self.tree.text()[span.start + 1..span.end - 1];
        let pads = self.tree.dialect() == Dialect::Sjson;
        // What is inside is space and comments; a new line ends the latter.
        let after_comment =
            if inside.contains("//") && !inside.ends_with('\n') { "\n" } else { "" };
        let before = if pads && inside.is_empty() { " " } else { after_comment };
        let end = span.end - 1;
        self.splice(end, end, &[before, key, value, if pads { " " } else { "" }])
    }
}

/// A key as it is put in, with the text between it and its value.
struct KeyText {
    bytes: [u8; KEY_BYTES],
    len: usize,
}

impl KeyText {
    const fn new() -> Self {
        Self { bytes: [0; KEY_BYTES], len: 0 }
    }

    /// Writes a key; returns false where it is too long.
    fn fill(&mut self, step: Step<'_>, dialect: Dialect) -> bool {
        let is_bare = dialect == Dialect::Sjson && {
            step.chars().all(|char| self.push(char));
            is_identifier(self.as_str())
        };
        if !is_bare {
            self.len = 0;
            let whole = self.push('"') && step.chars().all(|char| self.escaped(char));
            if !whole || !self.push('"') {
                return false;
            }
        }
        let between = if dialect == Dialect::Json { ": " } else { " = " };
        between.chars().all(|char| self.push(char))
    }

    fn escaped(&mut self, char: char) -> bool {
        match char {
            '"' | '\\' => self.push('\\') && self.push(char),
            '\0'..='\x1f' => {
                let digit = |number: u32| char::from_digit(number, 16).unwrap_or('0');
                let code = u32::from(char);
                let escape = ['\\', 'u', '0', '0', digit(code >> 4), digit(code & 15)];
                escape.into_iter().all(|char| self.push(char))
            }
            _ => self.push(char),
        }
    }

    fn push(&mut self, char: char) -> bool {
        let end = self.len + char.len_utf8();
        let Some(room) = self.bytes.get_mut(self.len..end) else {
            return false;
        };
        char.encode_utf8(room);
        self.len = end;
        true
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}
