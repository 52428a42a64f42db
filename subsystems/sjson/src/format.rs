//! Whole texts, written again in a style.

use core::error::Error;
use core::fmt;

use crate::error::SjsonError;
use crate::event::Event;
use crate::gap::{GapKind, gap};
use crate::options::Options;
use crate::parser::Parser;
use crate::style::Style;
use crate::writer::Writer;

#[cfg(test)]
mod tests;

/// Writes a text again in another style or the other dialect.
///
/// Read as SJSON and written as SJSON this is a formatter: the same text comes out each time, and a
/// text that came out goes in and out unchanged. Numbers keep their digits, strings their quotes
/// and escapes, comments their words; keys lose the quotes that they do not need. Written as JSON,
/// comments are left out and strings between `"""` get escapes. What is read is read whole, so keys
/// that come twice come out twice.
///
/// # Complexity
///
/// O(bytes). Nothing is allocated but by the sink.
///
/// # Errors
///
/// [`FormatError`]; the sink then holds the beginning of a text.
///
/// # Examples
///
/// ```
/// use loligo_sjson::{Options, Style, format};
///
/// let mut text = String::new();
/// format(b"{\"pos\":[1,2,3],//here\n\"on\":true}", &Options::SJSON, Style::SJSON, &mut text)?;
/// assert_eq!(text, "pos = [ 1 2 3 ] //here\non = true\n");
///
/// let mut json = String::new();
/// format(text.as_bytes(), &Options::SJSON, Style::JSON_COMPACT, &mut json)?;
/// assert_eq!(json, "{\"pos\":[1,2,3],\"on\":true}\n");
/// # Ok::<(), loligo_sjson::FormatError>(())
/// ```
pub fn format(
    text: &[u8],
    options: &Options,
    style: Style,
    sink: &mut dyn fmt::Write,
) -> Result<(), FormatError> {
    let mut parser = Parser::new(text, options);
    let mut writer = Writer::new(style, sink);
    let mut done = 0;
    while let Some(event) = parser.next_event()? {
        let span = parser.span();
        let is_end = matches!(event, Event::End(_));
        between(&parser.text()[done..span.start], is_end, &mut writer)?;
        done = span.end;
        match event {
            Event::Null => writer.null()?,
            Event::Bool(value) => writer.bool(value)?,
            Event::Number(number) => writer.number(number)?,
            Event::String(string) => writer.string_text(string)?,
            Event::Key(key) => writer.key_text(key)?,
            Event::Start(nest) => writer.start(nest)?,
            Event::End(nest) => writer.end(nest)?,
        }
    }
    between(&parser.text()[done..], true, &mut writer)?;
    Ok(writer.finish()?)
}

/// Hands on what is between two events and is worth keeping: comments, and an empty line unless it
/// comes before an end.
fn between(text: &str, is_end: bool, writer: &mut Writer<'_>) -> fmt::Result {
    let mut newlines = 0;
    for (kind, piece) in gap(text) {
        if kind != GapKind::Comment {
            newlines += piece.bytes().filter(|&byte| byte == b'\n').count();
            continue;
        }
        if newlines > 1 {
            writer.blank_line()?;
        }
        writer.comment(piece, newlines == 0)?;
        newlines = 0;
    }
    if newlines > 1 && !is_end { writer.blank_line() } else { Ok(()) }
}

/// A text could not be written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// It is not what its dialect allows.
    Syntax(SjsonError),
    /// The sink refused.
    Sink,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Sink => f.write_str("what was to be written was refused"),
        }
    }
}

impl Error for FormatError {}

impl From<SjsonError> for FormatError {
    fn from(error: SjsonError) -> Self {
        Self::Syntax(error)
    }
}

impl From<fmt::Error> for FormatError {
    fn from(_: fmt::Error) -> Self {
        Self::Sink
    }
}
