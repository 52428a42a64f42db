//! What is wrong with a source, where, and what to do about it.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_sjson::{ReadError, SjsonError};

/// A source was not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileError<'s> {
    /// The file, as it was called by the caller, or by what inherits it.
    pub file: &'s str,
    /// The line, from 1 on.
    pub line: u32,
    /// The column in characters, from 1 on.
    pub column: u32,
    /// What is wrong there.
    pub kind: CompileErrorKind<'s>,
}

/// What is wrong with a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileErrorKind<'s> {
    /// It is not SJSON.
    Syntax(SjsonError),
    /// Something else was expected here.
    Expected {
        /// What.
        what: &'static str,
        /// The text that was found; the beginning, if it is long.
        found: &'s str,
    },
    /// A key that means nothing here.
    Key {
        /// The key, as it is written.
        key: &'s str,
        /// The keys that do.
        known: &'static str,
    },
    /// A key is not there that must be.
    Missing {
        /// The key.
        key: &'static str,
    },
    /// A key that comes twice in one object.
    Twice {
        /// The key, as it is written.
        key: &'s str,
    },
    /// A component type that no compiler is for.
    Component {
        /// What it is called, as it is written.
        name: &'s str,
        /// A type with a name like it.
        like: Option<NameText>,
    },
    /// Something that the type of a component has to say.
    Told(&'static str),
    /// A source that is not there.
    NoSource {
        /// What it is called.
        name: &'s str,
    },
    /// A source that inherits itself, or contains itself.
    Ring {
        /// What it is called.
        name: &'s str,
    },
    /// Entities in entities, deeper than there may be.
    TooDeep,
    /// More entities than there may be.
    TooMany,
    /// There is no memory.
    Grow(GrowError),
}

/// A short name, kept in itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NameText {
    bytes: [u8; 32],
    len: u8,
}

impl NameText {
    /// Keeps a name, if it is short enough.
    pub(super) fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { bytes, len: name.len() as u8 })
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Debug for NameText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl<'s> CompileError<'s> {
    /// Returns the error of something that begins at a byte of a text.
    #[cold]
    pub(super) fn at(file: &'s str, text: &str, offset: usize, kind: CompileErrorKind<'s>) -> Self {
        let (line, column) = place_of(text, offset);
        Self { file, line, column, kind }
    }

    /// Returns the error of a source that could not be read.
    pub(super) fn of_read(file: &'s str, error: ReadError) -> Self {
        match error {
            ReadError::Syntax(error) => Self {
                file,
                line: error.line(),
                column: error.column(),
                kind: CompileErrorKind::Syntax(error),
            },
            ReadError::Memory(error) => Self { file, ..error.into() },
        }
    }
}

/// Returns line and column of a byte of a text.
pub(super) fn place_of(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u32;
    (line, 1 + before[line_start..].chars().count() as u32)
}

/// An error without a place in a source: there is no memory. It has line and column 1 and no file.
impl From<GrowError> for CompileError<'_> {
    fn from(error: GrowError) -> Self {
        Self { file: "", line: 1, column: 1, kind: CompileErrorKind::Grow(error) }
    }
}

impl fmt::Display for CompileError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let CompileErrorKind::Grow(error) = self.kind {
            return error.fmt(f);
        }
        if let CompileErrorKind::Syntax(error) = self.kind {
            // It knows its place.
            return write!(f, "{}:{error}", self.file);
        }
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.kind)
    }
}

impl Error for CompileError<'_> {}

impl fmt::Display for CompileErrorKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Expected { what, found } => write!(f, "expected {what}, found `{found}`"),
            Self::Key { key, known } => {
                write!(f, "the key `{key}` means nothing here; the keys are {known}")
            }
            Self::Missing { key } => write!(f, "there is no `{key}` here; add it"),
            Self::Twice { key } => {
                write!(f, "the key `{key}` comes twice in this object; remove one")
            }
            Self::Component { name, like } => {
                write!(f, "there is no component type `{name}`")?;
                match like {
                    Some(like) => write!(f, "; is `{}` meant?", like.as_str()),
                    None => f.write_str("; register a compiler for it"),
                }
            }
            Self::Told(what) => f.write_str(what),
            Self::NoSource { name } => {
                write!(f, "there is no source `{name}` to inherit; is the name right?")
            }
            Self::Ring { name } => {
                write!(f, "`{name}` would inherit or contain itself without end")
            }
            Self::TooDeep => write!(
                f,
                "entities in entities, more than {} deep; hang them on what is nearer to the root",
                super::DEPTH_MAX
            ),
            Self::TooMany => {
                write!(f, "more than {} entities; make several levels", crate::ENTITIES_MAX)
            }
            Self::Grow(error) => error.fmt(f),
        }
    }
}
