//! Lines: where each thing begins.

use core::fmt;

use crate::options::Dialect;
use crate::style::Layout;
use crate::writer::{Line, Writer};

/// What a tab counts.
const TAB: u32 = 4;

impl Writer<'_> {
    /// Asks for an empty line before what comes next, where items of the same object or array come
    /// before it.
    pub(crate) fn blank_line(&mut self) -> fmt::Result {
        let is_first = self.flat.is_waiting() && self.flat.is_empty();
        if self.after_key || is_first || self.style.dialect == Dialect::Json {
            return Ok(());
        }
        // An array with gaps is meant to be seen line by line.
        self.spread_flat()?;
        self.wants_blank = if self.depth == 0 { self.line != Line::None } else { self.has_inside };
        Ok(())
    }

    /// Writes a comment: on the current line, after its text, if it was there when it was read.
    pub(crate) fn comment(&mut self, comment: &str, was_behind: bool) -> fmt::Result {
        if self.style.dialect == Dialect::Json || self.style.layout == Layout::Compact {
            return Ok(());
        }
        self.spread_flat()?;
        let is_line = comment.starts_with("//");
        let comment = if is_line { comment.trim_end() } else { comment };
        if self.after_key {
            if self.line == Line::Comment {
                self.new_line(1)?;
            }
            self.out(comment)?;
            if !is_line {
                self.out(" ")?;
            }
        } else if was_behind && self.line == Line::Text {
            self.out(" ")?;
            self.out(comment)?;
        } else {
            if self.line != Line::None {
                self.new_line(0)?;
            }
            self.out(comment)?;
        }
        self.has_inside = true;
        self.line = if is_line { Line::Comment } else { Line::Text };
        Ok(())
    }

    /// Goes to where a value belongs.
    pub(super) fn before_value(&mut self) -> fmt::Result {
        if !self.after_key {
            return self.before_item();
        }
        self.after_key = false;
        if self.line == Line::Comment { self.new_line(1) } else { Ok(()) }
    }

    /// Goes to where an item of what is open belongs, or the root.
    pub(super) fn before_item(&mut self) -> fmt::Result {
        let is_compact = self.style.layout == Layout::Compact;
        if self.has_item && self.depth > 0 {
            match (self.style.dialect, is_compact) {
                (Dialect::Json, _) => self.out(",")?,
                (Dialect::Sjson, true) => self.out(" ")?,
                (Dialect::Sjson, false) => {}
            }
        }
        if self.line != Line::None && !is_compact {
            self.new_line(0)?;
        }
        self.has_inside = true;
        self.has_item = true;
        Ok(())
    }

    /// Begins a line, `deeper` levels further in than the current nesting.
    pub(super) fn new_line(&mut self, deeper: u32) -> fmt::Result {
        let (step, indent) = match self.style.layout {
            Layout::Compact => return Ok(()),
            Layout::Tabs => ("\t", 1),
            Layout::Spaces(spaces) => (" ", u32::from(spaces)),
        };
        let blank = core::mem::take(&mut self.wants_blank);
        self.out(if blank { "\n\n" } else { "\n" })?;
        let levels = (self.depth + deeper).saturating_sub(u32::from(self.bare_root));
        for _ in 0..levels * indent {
            self.out(step)?;
        }
        Ok(())
    }

    /// Writes to the sink.
    pub(super) fn out(&mut self, piece: &str) -> fmt::Result {
        let line = match piece.rfind('\n') {
            Some(newline) => {
                self.column = 0;
                &piece[newline + 1..]
            }
            None => piece,
        };
        let wider = |byte: u8| match byte {
            b'\t' => TAB,
            0x80..0xc0 => 0,
            _ => 1,
        };
        self.column = line.bytes().fold(self.column, |column, byte| {
            // Further out than this there is no array on one line.
            (column + wider(byte)).min(1 << 16)
        });
        if !piece.is_empty() {
            self.line = Line::Text;
        }
        self.sink.write_str(piece)
    }
}
