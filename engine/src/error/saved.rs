//! What keeps a game from being saved or loaded.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;
use loligo_entities::LoadError;
use loligo_interface::SubsystemError;

/// A game was not loaded. The world is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SavedGameError {
    /// There is no memory.
    Grow(GrowError),
    /// The bytes are not a whole saved game.
    File {
        /// What is wrong, and what to do.
        what: &'static str,
    },
    /// A section is not there that must be.
    Missing {
        /// Whose.
        section: &'static str,
    },
    /// A section is of another version.
    Version {
        /// Whose.
        section: &'static str,
        /// The version that was saved.
        saved: u32,
        /// The version that can be loaded.
        wanted: u32,
    },
    /// A manager of components cannot be loaded.
    Manager {
        /// Whose.
        section: &'static str,
        /// Why not.
        error: LoadError,
    },
    /// A subsystem cannot be loaded.
    Subsystem {
        /// Which.
        section: &'static str,
        /// Why not.
        error: SubsystemError,
    },
    /// The scripts' state cannot be saved or loaded; the log says why.
    Script,
}

impl fmt::Display for SavedGameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grow(error) => error.fmt(f),
            Self::File { what } => write!(f, "the saved game is not whole: {what}"),
            Self::Missing { section } => write!(
                f,
                "the saved game has nothing of `{section}`: it was saved without; leave it out with --without, or \
                 save again"
            ),
            Self::Version { section, saved, wanted } => write!(
                f,
                "the saved game has version {saved} of `{section}`, this program has {wanted}: load it with the \
                 program that saved it"
            ),
            Self::Manager { section, error } => {
                write!(f, "the saved game is damaged in `{section}`: {error}")
            }
            Self::Subsystem { section, error } => {
                write!(f, "the saved game cannot be loaded by `{section}`: {error}")
            }
            Self::Script => f.write_str("the scripts' state cannot be kept; the log says why"),
        }
    }
}

impl Error for SavedGameError {}

impl From<GrowError> for SavedGameError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}
