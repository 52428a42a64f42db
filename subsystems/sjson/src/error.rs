//! What is wrong with a text, where, and what to do about it.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;

/// What was to be at a place, and what helps where something else does.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Why {
    expected: &'static str,
    remedy: &'static str,
}

impl Why {
    pub(crate) const fn new(expected: &'static str, remedy: &'static str) -> Self {
        Self { expected, remedy }
    }
}

/// A place that could not be read, on the way out of the parser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParseError {
    pub(crate) at: usize,
    pub(crate) why: &'static Why,
}

/// What was found where something else was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Found {
    End,
    Char(char),
    Byte(u8),
    Bytes(u32),
}

/// A text is not what its dialect allows.
///
/// It knows the place by line and column, both from 1 on, columns in characters; what was expected
/// there; what was found; and, where that is plain, what to do. [`in_file`](Self::in_file) puts the
/// file's name before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SjsonError {
    offset: u32,
    line: u32,
    column: u32,
    found: Found,
    why: &'static Why,
}

impl SjsonError {
    /// Looks an error up in its text.
    #[cold]
    pub(crate) fn new(text: &str, error: ParseError) -> Self {
        let at = text.floor_char_boundary(error.at);
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
        let column = 1 + before[line_start..].chars().count();
        Self {
            offset: saturated(at),
            line: saturated(line),
            column: saturated(column),
            found: text[at..].chars().next().map_or(Found::End, Found::Char),
            why: error.why,
        }
    }

    /// Returns the error of bytes that are not UTF-8 from `valid.len()` on.
    #[cold]
    pub(crate) fn of_bytes(valid: &str, byte: u8) -> Self {
        let found = Found::Byte(byte);
        Self { found, ..Self::new(valid, ParseError { at: valid.len(), why: &UTF8 }) }
    }

    /// Returns the error of a text of too many bytes.
    #[cold]
    pub(crate) fn of_len(bytes: usize, why: &'static Why) -> Self {
        let found = Found::Bytes(saturated(bytes));
        Self { found, ..Self::new("", ParseError { at: 0, why }) }
    }

    /// Returns which byte of the text could not be read.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns the line, from 1 on.
    #[must_use]
    pub const fn line(&self) -> u32 {
        self.line
    }

    /// Returns the column in characters, from 1 on.
    #[must_use]
    pub const fn column(&self) -> u32 {
        self.column
    }

    /// Returns what was expected there, in words.
    #[must_use]
    pub const fn expected(&self) -> &'static str {
        self.why.expected
    }

    /// Returns what to do about it, where that is plain.
    #[must_use]
    pub const fn remedy(&self) -> Option<&'static str> {
        if self.why.remedy.is_empty() { None } else { Some(self.why.remedy) }
    }

    /// Returns the error with the file's name before it, as editors like to find it:
    /// `file:line:column: ..`.
    #[must_use]
    pub const fn in_file<'f>(&self, file: &'f str) -> InFile<'f> {
        InFile { file, error: *self }
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl fmt::Display for SjsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: expected {}, found ", self.line, self.column, self.why.expected)?;
        match self.found {
            Found::End => f.write_str("the end of the text")?,
            Found::Char('\n' | '\r') => f.write_str("the end of the line")?,
            Found::Char(char) if char.is_control() || (char.is_whitespace() && char != ' ') => {
                write!(f, "U+{:04X}", u32::from(char))?;
            }
            Found::Char(char) => write!(f, "`{char}`")?,
            Found::Byte(byte) => write!(f, "the byte {byte:#04x}")?,
            Found::Bytes(bytes) => write!(f, "{bytes} bytes")?,
        }
        match self.remedy() {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl Error for SjsonError {}

/// An error with the name of the file that it is in.
#[derive(Clone, Copy, Debug)]
pub struct InFile<'f> {
    file: &'f str,
    error: SjsonError,
}

impl fmt::Display for InFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.error)
    }
}

/// A text could not be read into memory. What was there before is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadError {
    /// It is not what its dialect allows.
    Syntax(SjsonError),
    /// The allocator had no memory for it.
    Memory(GrowError),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for ReadError {}

impl From<SjsonError> for ReadError {
    fn from(error: SjsonError) -> Self {
        Self::Syntax(error)
    }
}

impl From<GrowError> for ReadError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

static UTF8: Why = Why::new("UTF-8", "save the file in that encoding");
