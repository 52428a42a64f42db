//! What is wrong with a frame's description.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_sjson::{ReadError, SjsonError};

/// A frame's description could not be read. It prints line, column, what is wrong and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError<'t> {
    /// The text is not SJSON.
    Syntax(SjsonError),
    /// It is, and says what no frame can be.
    Invalid {
        /// The line, from 1 on.
        line: u32,
        /// The column in characters, from 1 on.
        column: u32,
        /// The text that was found, without its quotes.
        found: &'t str,
        /// What is wrong with it.
        kind: FrameErrorKind,
    },
    /// The allocator had no memory for it.
    Memory(GrowError),
}

/// What is wrong with a part of a frame's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameErrorKind {
    /// Something else was expected there.
    Expected(&'static str),
    /// There is no such key.
    Key {
        /// What has none.
        of: &'static str,
        /// The keys that it has.
        keys: &'static str,
    },
    /// A key comes twice.
    KeyTwice,
    /// A key is not there that must be.
    Missing {
        /// What has none.
        of: &'static str,
        /// The key.
        key: &'static str,
    },
    /// The name has an escape in it, or is empty.
    NoName,
    /// Two have one name.
    NameTwice(&'static str),
    /// No target has this name.
    NoTarget,
    /// No view has this name.
    NoView,
    /// A target is listed twice in one pass.
    TargetTwice,
    /// Colors are drawn into a target for depths.
    IsDepth,
    /// A target for colors, or the window, is used for depths.
    IsColor,
    /// The targets of a pass differ in size.
    Sizes,
    /// The targets of a pass differ in the samples of a pixel.
    Samples,
    /// Depths are read of which a pixel has several.
    ReadSamples,
    /// A pass draws into nothing.
    NoColors,
    /// A pass reads what no pass before it has drawn.
    ReadTooEarly,
    /// A pass reads what it draws.
    ReadWhileDrawn,
    /// The window is read.
    ReadWindow,
    /// Something is cleared that the pass does not draw into.
    NothingToClear,
    /// There are more than can be.
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// The most.
        max: u32,
    },
}

impl fmt::Display for FrameError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Memory(error) => error.fmt(f),
            Self::Invalid { line, column, found, kind } => {
                write!(f, "{line}:{column}: ")?;
                kind.write(found, f)
            }
        }
    }
}

/// The most characters of a text that are shown.
const SHOWN: usize = 40;

impl FrameErrorKind {
    fn write(self, found: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = found.lines().next().unwrap_or_default();
        let shown = shown.char_indices().nth(SHOWN).map_or(shown, |(end, _)| &shown[..end]);
        match self {
            Self::Expected(what) => write!(f, "expected {what}, found `{shown}`"),
            Self::Key { of, keys } => write!(f, "{of} has no `{shown}`; it has {keys}"),
            Self::KeyTwice => write!(f, "`{shown}` comes twice; remove one"),
            Self::Missing { of, key } => write!(f, "{of} has no `{key}`; add one"),
            Self::NoName => {
                write!(f, "`{shown}` is no name; write some characters without a backslash")
            }
            Self::NameTwice(what) => write!(f, "two {what} are called `{shown}`; rename one"),
            Self::NoTarget => write!(f, "no target is called `{shown}`; add it to `targets`"),
            Self::NoView => write!(f, "no view is called `{shown}`; add it to `views`"),
            Self::TargetTwice => write!(f, "`{shown}` is there already; remove one"),
            Self::IsDepth => {
                write!(f, "`{shown}` holds depths; name it as `depth`, or change its format")
            }
            Self::IsColor => {
                write!(f, "`{shown}` holds colors; name a target whose format is `depth32f`")
            }
            Self::Sizes => {
                write!(f, "`{shown}` and the pass's first target differ in size; give both one")
            }
            Self::Samples => {
                write!(
                    f,
                    "`{shown}` and the pass's first target differ in samples; give both one number"
                )
            }
            Self::ReadSamples => {
                write!(
                    f,
                    "`{shown}` has several depths a pixel and cannot be read; leave out `samples`"
                )
            }
            Self::NoColors => write!(f, "the pass draws into nothing; add `color` or `depth`"),
            Self::ReadTooEarly => {
                write!(f, "no pass before this one draws into `{shown}`; move the one that does")
            }
            Self::ReadWhileDrawn => {
                write!(f, "the pass draws into `{shown}` itself; draw into another target")
            }
            Self::ReadWindow => {
                write!(f, "`{shown}` cannot be read; draw into another target and read that")
            }
            Self::NothingToClear => {
                write!(f, "the pass has no `{shown}` to clear; add it, or clear less")
            }
            Self::TooMany { what, max } => write!(f, "there are more than {max} {what}; use fewer"),
        }
    }
}

impl Error for FrameError<'_> {}

impl From<ReadError> for FrameError<'_> {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Syntax(error) => Self::Syntax(error),
            ReadError::Memory(error) => Self::Memory(error),
        }
    }
}

impl From<GrowError> for FrameError<'_> {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}
