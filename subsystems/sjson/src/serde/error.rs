//! What goes wrong between types and text.

use core::error::Error;
use core::fmt::{self, Display, Write};

use loligo_containers::GrowError;

use crate::error::SjsonError;

/// The bytes of a message that are kept.
const BYTES: usize = 112;

/// A type could not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SerdeError {
    /// The text is not what its dialect allows.
    Syntax(SjsonError),
    /// It is not what the type wants.
    Data {
        /// The line, from 1 on; 0 where it is not known, as when writing.
        line: u32,
        /// The column, from 1 on.
        column: u32,
        /// What the type says.
        message: Message,
    },
    /// The allocator had no memory.
    Memory(GrowError),
    /// The sink refused, or a number is not finite.
    Sink,
}

/// What a type says that does not like its data, cut where it is long. It is held in place: no
/// memory is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Message {
    len: u8,
    bytes: [u8; BYTES],
}

impl Message {
    fn new(message: impl Display) -> Self {
        let mut text = Self { len: 0, bytes: [0; BYTES] };
        // What does not fit is cut.
        let _ = write!(text, "{message}");
        text
    }

    /// Returns the words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl Write for Message {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let start = usize::from(self.len);
        let fits = piece.floor_char_boundary(piece.len().min(BYTES - start));
        self.bytes[start..start + fits].copy_from_slice(&piece.as_bytes()[..fits]);
        self.len = (start + fits) as u8;
        if fits == piece.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl SerdeError {
    pub(super) fn data(message: impl Display) -> Self {
        Self::Data { line: 0, column: 0, message: Message::new(message) }
    }

    /// Puts the place to an error that has none yet.
    pub(super) fn at(self, place: &SjsonError) -> Self {
        match self {
            Self::Data { line: 0, message, .. } => {
                Self::Data { line: place.line(), column: place.column(), message }
            }
            other => other,
        }
    }
}

impl Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Data { line: 0, message, .. } => message.fmt(f),
            Self::Data { line, column, message } => write!(f, "{line}:{column}: {message}"),
            Self::Memory(error) => error.fmt(f),
            Self::Sink => f.write_str("what was to be written was refused, or is not finite"),
        }
    }
}

impl Error for SerdeError {}

impl ::serde::de::Error for SerdeError {
    fn custom<T: Display>(message: T) -> Self {
        Self::data(message)
    }
}

impl ::serde::ser::Error for SerdeError {
    fn custom<T: Display>(message: T) -> Self {
        Self::data(message)
    }
}

impl From<SjsonError> for SerdeError {
    fn from(error: SjsonError) -> Self {
        Self::Syntax(error)
    }
}

impl From<GrowError> for SerdeError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl From<fmt::Error> for SerdeError {
    fn from(_: fmt::Error) -> Self {
        Self::Sink
    }
}
