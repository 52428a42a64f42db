//! The writer: values in, text out, each in its one place.

use core::fmt::{self, Write};

use crate::class::is_identifier;
use crate::event::Nest;
use crate::number::Number;
use crate::options::{DEPTH_MAX, Dialect};
use crate::string::{Text, TextForm};
use crate::style::{Layout, Style};

mod escape;
mod flat;
mod line;
#[cfg(test)]
mod tests;

pub(crate) use escape::each_piece;

use flat::Flat;

/// Writes SJSON or JSON, value by value, in a [`Style`].
///
/// Space, commas, quotes and braces are put where they belong. That each start has its end, and
/// each value in an object its key, is up to the caller. A root that is an object has no braces in
/// SJSON, but in the compact layout.
///
/// # Complexity
///
/// O(bytes written) in all. The sink is called a few times for each value.
///
/// # Memory
///
/// About 600 bytes, in which an array waits until it is known to fit on a line. Nothing is
/// allocated here.
///
/// # Errors
///
/// Of every operation: what the sink refuses; [`fmt::Error`] also where more than [`DEPTH_MAX`]
/// objects and arrays are open, and for a number that is not finite. After an error the text is not
/// whole.
///
/// # Examples
///
/// ```
/// use loligo_sjson::{Nest, Style, Writer};
///
/// let mut text = String::new();
/// let mut writer = Writer::new(Style::SJSON, &mut text);
/// writer.start(Nest::Object)?;
/// writer.key("size")?;
/// writer.start(Nest::Array)?;
/// writer.i64(640)?;
/// writer.i64(480)?;
/// writer.end(Nest::Array)?;
/// writer.key("display name")?;
/// writer.string("F\u{f3}\t\u{1F991}")?;
/// writer.end(Nest::Object)?;
/// writer.finish()?;
/// assert_eq!(text, "size = [ 640 480 ]\n\"display name\" = \"F\u{f3}\\t\u{1F991}\"\n");
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub struct Writer<'w> {
    sink: &'w mut dyn Write,
    style: Style,
    depth: u32,
    /// Whether the outermost object has no braces.
    bare_root: bool,
    /// Whether the innermost of what is open has an item or a comment already.
    has_inside: bool,
    /// Whether it has an item.
    has_item: bool,
    /// Whether a key waits for its value.
    after_key: bool,
    /// Whether an empty line is to be before what comes next.
    wants_blank: bool,
    line: Line,
    column: u32,
    flat: Flat,
    /// A bit for each level that is open: 1 for an object.
    objects: [u64; DEPTH_MAX as usize / 64],
}

/// What is on the line that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Nothing has been written at all.
    None,
    /// Text that more text may follow.
    Text,
    /// A comment that goes to the end of the line.
    Comment,
}

impl<'w> Writer<'w> {
    /// Returns a writer to `sink`.
    pub fn new(style: Style, sink: &'w mut dyn Write) -> Self {
        Self {
            sink,
            style,
            depth: 0,
            bare_root: false,
            has_inside: false,
            has_item: false,
            after_key: false,
            wants_blank: false,
            line: Line::None,
            column: 0,
            flat: Flat::new(),
            objects: [0; DEPTH_MAX as usize / 64],
        }
    }

    /// Begins an object or an array.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn start(&mut self, nest: Nest) -> fmt::Result {
        self.spread_flat()?;
        if self.depth == DEPTH_MAX {
            return Err(fmt::Error);
        }
        let is_root = self.depth == 0;
        let is_bare = is_root && nest == Nest::Object && self.takes_lines();
        if !is_bare {
            self.before_value()?;
        }
        if nest == Nest::Array && self.style.layout != Layout::Compact {
            self.flat.begin();
        } else if !is_bare {
            self.out(if nest == Nest::Object { "{" } else { "[" })?;
        }
        let (word, bit) = (self.depth as usize / 64, 1 << (self.depth % 64));
        match nest {
            Nest::Object => self.objects[word] |= bit,
            Nest::Array => self.objects[word] &= !bit,
        }
        self.bare_root |= is_bare;
        self.depth += 1;
        self.has_inside = false;
        self.has_item = false;
        Ok(())
    }

    /// Ends the object or the array that was begun last.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn end(&mut self, nest: Nest) -> fmt::Result {
        self.wants_blank = false;
        self.depth = self.depth.saturating_sub(1);
        if self.flat.is_waiting() {
            self.write_flat()?;
        } else if self.bare_root && self.depth == 0 {
            self.bare_root = false;
        } else {
            if self.has_inside {
                self.new_line(0)?;
            }
            self.out(if nest == Nest::Object { "}" } else { "]" })?;
        }
        self.has_inside = true;
        self.has_item = true;
        Ok(())
    }

    /// Writes the key of the value that comes next.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn key(&mut self, key: &str) -> fmt::Result {
        self.before_item()?;
        if self.style.dialect == Dialect::Sjson && is_identifier(key) {
            self.out(key)?;
        } else {
            self.out("\"")?;
            self.escaped(key)?;
            self.out("\"")?;
        }
        self.behind_key()
    }

    /// Writes a key as it was read: in SJSON without quotes where it can be, with its escapes as
    /// they were.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn key_text(&mut self, key: Text<'_>) -> fmt::Result {
        self.before_item()?;
        let is_sjson = self.style.dialect == Dialect::Sjson;
        let is_bare = key.form() == TextForm::Bare || key.plain().is_some_and(is_identifier);
        if is_sjson && is_bare {
            self.out(key.raw())?;
        } else {
            self.quoted_text(key)?;
        }
        self.behind_key()
    }

    /// Writes a string: on one line, with escapes where there must be some; in SJSON text of many
    /// lines between `"""` if it can be.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn string(&mut self, string: &str) -> fmt::Result {
        if self.takes_lines() && escape::wants_verbatim(string) {
            return self.verbatim(string);
        }
        self.before_scalar()?;
        self.put("\"")?;
        self.escaped(string)?;
        self.put("\"")?;
        self.behind_scalar();
        Ok(())
    }

    /// Writes a string as it was read: in SJSON between the same quotes, with its escapes as they
    /// were.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn string_text(&mut self, string: Text<'_>) -> fmt::Result {
        if self.takes_lines() && string.form() == TextForm::Verbatim {
            return self.verbatim(string.raw());
        }
        self.before_scalar()?;
        self.quoted_text(string)?;
        self.behind_scalar();
        Ok(())
    }

    /// Writes a number as it was read.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn number(&mut self, number: Number<'_>) -> fmt::Result {
        self.word(number.as_str())
    }

    /// Writes `null`.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn null(&mut self) -> fmt::Result {
        self.word("null")
    }

    /// Writes `true` or `false`.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn bool(&mut self, value: bool) -> fmt::Result {
        self.word(if value { "true" } else { "false" })
    }

    /// Writes an integer.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn i64(&mut self, value: i64) -> fmt::Result {
        self.formatted(format_args!("{value}"))
    }

    /// Writes an integer.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn u64(&mut self, value: u64) -> fmt::Result {
        self.formatted(format_args!("{value}"))
    }

    /// Writes a number with as few digits as lead back to it, never without a point or an exponent.
    ///
    /// # Errors
    ///
    /// As the type says: neither dialect has a word for a number that is not finite.
    pub fn f64(&mut self, value: f64) -> fmt::Result {
        if !value.is_finite() {
            return Err(fmt::Error);
        }
        self.formatted(format_args!("{value:?}"))
    }

    /// Writes a number as [`f64`](Self::f64) does, with the digits that lead back to one of 32
    /// bits.
    ///
    /// # Errors
    ///
    /// As those of [`f64`](Self::f64).
    pub fn f32(&mut self, value: f32) -> fmt::Result {
        if !value.is_finite() {
            return Err(fmt::Error);
        }
        self.formatted(format_args!("{value:?}"))
    }

    /// Ends the text, with a newline where there is any text.
    ///
    /// # Errors
    ///
    /// As the type says.
    pub fn finish(mut self) -> fmt::Result {
        self.spread_flat()?;
        if self.line == Line::None { Ok(()) } else { self.out("\n") }
    }

    /// Writes a number or a word.
    fn word(&mut self, word: &str) -> fmt::Result {
        self.before_scalar()?;
        self.put(word)?;
        self.behind_scalar();
        Ok(())
    }

    fn formatted(&mut self, arguments: fmt::Arguments<'_>) -> fmt::Result {
        self.before_scalar()?;
        Put(self).write_fmt(arguments)?;
        self.behind_scalar();
        Ok(())
    }

    /// Writes a string as it formats itself, on one line.
    #[cfg(feature = "serde")]
    pub(crate) fn displayed(&mut self, value: &(impl fmt::Display + ?Sized)) -> fmt::Result {
        self.before_scalar()?;
        self.put("\"")?;
        escape::Escaped(self).write_fmt(format_args!("{value}"))?;
        self.put("\"")?;
        self.behind_scalar();
        Ok(())
    }

    fn verbatim(&mut self, raw: &str) -> fmt::Result {
        // A string of several lines is not put in line with others.
        if raw.contains('\n') {
            self.spread_flat()?;
        }
        self.before_scalar()?;
        self.put("\"\"\"")?;
        self.put(raw)?;
        self.put("\"\"\"")?;
        self.behind_scalar();
        Ok(())
    }

    fn behind_key(&mut self) -> fmt::Result {
        self.after_key = true;
        self.out(match (self.style.dialect, self.style.layout) {
            (Dialect::Sjson, Layout::Compact) => "=",
            (Dialect::Sjson, _) => " = ",
            (Dialect::Json, Layout::Compact) => ":",
            (Dialect::Json, _) => ": ",
        })
    }

    fn before_scalar(&mut self) -> fmt::Result {
        if self.flat.is_waiting() {
            self.flat.begin_item();
            return Ok(());
        }
        self.before_value()
    }

    fn behind_scalar(&mut self) {
        self.flat.end_item();
    }

    /// Returns `true` if braces around all, and quotes around lines, are as SJSON likes them.
    fn takes_lines(&self) -> bool {
        self.style.dialect == Dialect::Sjson && self.style.layout != Layout::Compact
    }
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("style", &self.style).finish_non_exhaustive()
    }
}

/// What is formatted into a scalar.
struct Put<'p, 'w>(&'p mut Writer<'w>);

impl Write for Put<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.put(piece)
    }
}
