//! Keys and items that go.

use loligo_allocators::Allocator;

use crate::edits::{EditError, Edits, start_of};
use crate::gap::{GapKind, gap};
use crate::options::Dialect;
use crate::path::Path;

impl<A: Allocator + ?Sized> Edits<'_, '_, '_, A> {
    /// Removes the value that a path leads to, with its key, its comma, and its line where nothing
    /// else is on it. Comments stay.
    ///
    /// # Complexity
    ///
    /// That of [`set`](Self::set).
    ///
    /// # Errors
    ///
    /// [`EditError`]; the edits are as they were.
    pub fn remove<'p>(&mut self, path: Path<'p>) -> Result<(), EditError<'p>> {
        let (parent_path, _) = path.split_last().ok_or(EditError::BareRoot)?;
        let parent = self.tree.find(parent_path).map_err(EditError::Path)?;
        let node = self.tree.find(path).map_err(EditError::Path)?;
        let text = self.tree.text();
        let (mut start, mut end) = (start_of(&node), node.span().end);
        let siblings = || parent.children().map(|child| (start_of(&child), child.span().end));
        let next = siblings().map(|(from, _)| from).find(|&from| from >= end);
        let is_comma = |(kind, _): &(GapKind, &str)| *kind == GapKind::Comma;
        let limit = next.unwrap_or(text.len());
        let mut behind = end;
        let mut comma = None;
        for piece in gap(&text[end..limit]) {
            behind += piece.1.len();
            // After the last item the gap ends at the bracket that closes the parent.
            if piece.1.contains(['}', ']']) && piece.0 == GapKind::Space {
                break;
            }
            if is_comma(&piece) {
                comma = Some(behind);
                break;
            }
        }
        match comma {
            // A comment between the two stays, and so does the comma after it; it does no harm in
            // SJSON.
            Some(comma) if !text[end..comma].contains('/') => end = comma,
            _ if self.tree.dialect() == Dialect::Json => {
                // The last of several: the comma before it goes.
                let before = siblings().map(|(_, to)| to).take_while(|&to| to <= start).last();
                start = before.unwrap_or(start);
                return self.splice(start, end, &[]);
            }
            Some(comma) => {
                let between = &text[end..comma - 1];
                return self.splice(start, comma, &[between]);
            }
            None => {}
        }
        let line_start = text[..start].trim_end_matches([' ', '\t']).len();
        let line_end =
            end + (text[end..].len() - text[end..].trim_start_matches([' ', '\t', '\r']).len());
        let starts_line = line_start == 0 || text[..line_start].ends_with('\n');
        if starts_line && text[line_end..].starts_with('\n') {
            return self.splice(line_start, line_end + 1, &[]);
        }
        // The space after it is removed, or the space before it at the end of a line or of the
        // text.
        let ends_line = line_end == text.len() || text[line_end..].starts_with('\n');
        if ends_line && !starts_line {
            start = line_start;
        } else {
            end += text[end..].len() - text[end..].trim_start_matches(' ').len();
        }
        self.splice(start, end, &[])
    }
}
