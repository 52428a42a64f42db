//! What keeps a game's data from being bundled.

use core::error::Error;
use core::fmt;
use std::path::PathBuf;

use loligo_containers::GrowError;
use loligo_resources::{BundleError, BundleWriteError};

use crate::error::BuildError;
use crate::folder_error::FolderError;

/// A game's data cannot be bundled, or bundles cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum BundlingError {
    /// A folder or a file of it cannot be used.
    Folder(BuildError),
    /// Bundles cannot be read: which, and why not.
    Bundle(PathBuf, BundleError),
    /// A bundle cannot be written: which, and why not.
    Write(PathBuf, BundleWriteError),
    /// There is neither a compiled folder nor a bundle.
    Nothing(PathBuf),
    /// A source is wrong, so that its resource is old or missing.
    Wrong(String),
    /// Two names differ by case only.
    Case(String, String),
    /// The files are for machines of another byte order than the platform's.
    Order(PathBuf),
    /// A patch is for another platform than what it is a patch of.
    Platform(String, String),
    /// Bundles are in the folder that would not fit to the new ones.
    Others(PathBuf, String),
    /// Nothing differs, so that there is nothing to patch.
    Same,
    /// There is no memory.
    Memory(GrowError),
}

impl From<BuildError> for BundlingError {
    fn from(error: BuildError) -> Self {
        Self::Folder(error)
    }
}

impl From<FolderError> for BundlingError {
    fn from(error: FolderError) -> Self {
        Self::Folder(error.into())
    }
}

impl From<GrowError> for BundlingError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for BundlingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(error) => error.fmt(f),
            Self::Bundle(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Write(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Nothing(path) => write!(
                f,
                "{}: there are no bundles and no compiled data; name the folder that `loligo compile` \
                 has written, or one of bundles",
                path.display()
            ),
            Self::Wrong(source) => {
                write!(
                    f,
                    "{source}: it is wrong or was not compiled; correct it and compile the project"
                )
            }
            Self::Case(one, other) => write!(
                f,
                "{other}: its name differs from `{one}` by case only, and other systems take them for one; \
                 rename one of them"
            ),
            Self::Order(path) => write!(
                f,
                "{}: its files are for machines of the other byte order; name its platform",
                path.display()
            ),
            Self::Platform(old, new) => write!(
                f,
                "the bundles are for {old} and the data is for {new}; compile the data for {old}"
            ),
            Self::Others(path, name) => write!(
                f,
                "{}: the bundle `{name}` is there and would not fit to the new ones; remove it, or name another folder",
                path.display()
            ),
            Self::Same => f.write_str("nothing differs; there is nothing to patch"),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for BundlingError {}
