//! What keeps a resource from being loaded.

use core::error::Error;
use core::fmt;
use std::io;

use loligo_containers::GrowError;
use loligo_ids::{IdString64, ReverseLookup};

use crate::bundle_error::{BundleError, BundleErrorKind};
use crate::header::HeaderError;
use crate::key::ResourceKey;
use crate::table::TableError;

/// A resource could not be loaded. Nothing has changed.
///
/// It is printed with the hashes of type and name; [`named`](Self::named) puts the names in their
/// place where a tool has the table of names.
#[derive(Debug)]
pub struct LoadError {
    /// The resource.
    pub key: ResourceKey,
    /// Why it could not.
    pub kind: LoadErrorKind,
}

/// Why a resource could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The table has no resource of that type and name.
    Unknown,
    /// The table has it, but each of its variants has a property that is not in the order of
    /// preference.
    NoVariant {
        /// How many variants there are.
        variants: usize,
    },
    /// The file that the table names is not there: the data was recompiled since the table was
    /// read.
    Missing,
    /// The system refused the file.
    Io(io::Error),
    /// The bundle that has the file is damaged there.
    Bundle(BundleError),
    /// The file's length is not the length in the table.
    OtherLength {
        /// The length in the table.
        told: u64,
        /// How long it is.
        bytes: u64,
    },
    /// The file is damaged, or for another kind of machine.
    Header(HeaderError),
    /// The file is of another resource.
    OtherResource {
        /// Of which.
        found: ResourceKey,
    },
    /// The file was made by another version of the type's compiler than the program reads.
    OtherVersion {
        /// By which.
        found: u32,
        /// What the program reads.
        wanted: u32,
    },
    /// A package's payload is not a list of resources.
    NoPackage(loligo_containers::BlobError),
    /// It was loaded four billion times and never unloaded.
    TooManyLoads,
    /// There is no memory.
    Memory(GrowError),
}

impl LoadErrorKind {
    pub(crate) fn of_io(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }

    pub(crate) const fn of(self, key: ResourceKey) -> LoadError {
        LoadError { key, kind: self }
    }
}

impl From<BundleError> for LoadErrorKind {
    fn from(error: BundleError) -> Self {
        match error.kind {
            BundleErrorKind::Memory(error) => Self::Memory(error),
            _ => Self::Bundle(error),
        }
    }
}

impl From<GrowError> for LoadErrorKind {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for LoadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                f.write_str("there is no such resource; compile it, or give the whole name")
            }
            Self::NoVariant { variants } => write!(
                f,
                "none of its {variants} variants does without a property that is not preferred; add \
                 one to the order of preference, or a variant without properties"
            ),
            Self::Missing => {
                f.write_str("its file is gone; reload the table if the data was recompiled")
            }
            Self::Io(error) => write!(f, "its file cannot be read: {error}"),
            Self::Bundle(error) => error.fmt(f),
            Self::OtherLength { told, bytes } => {
                write!(f, "its file has {bytes} bytes, not {told}; recompile the data")
            }
            Self::Header(error) => write!(f, "{error}; recompile the data"),
            Self::OtherResource { found } => {
                write!(f, "its file is that of {found}; recompile the data")
            }
            Self::OtherVersion { found, wanted } => write!(
                f,
                "it is in version {found} of its type, and this program reads {wanted}; compile the \
                 data with the tools of this program"
            ),
            Self::NoPackage(error) => write!(f, "it is no package: {error}; recompile it"),
            Self::TooManyLoads => f.write_str("it was loaded too often; unload it, too"),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resource {}: {}", self.key, self.kind)
    }
}

impl Error for LoadError {}

impl LoadError {
    /// Returns the error to be printed with names in place of hashes.
    #[must_use]
    pub const fn named<'e>(&'e self, names: ReverseLookup<'e, IdString64>) -> NamedLoadError<'e> {
        NamedLoadError { error: self, names }
    }
}

/// An error that is printed with the names that a tool knows.
pub struct NamedLoadError<'e> {
    error: &'e LoadError,
    names: ReverseLookup<'e, IdString64>,
}

impl fmt::Display for NamedLoadError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ResourceKey { type_hash, name } = self.error.key;
        let [type_name, name] = [type_hash, name].map(|id| self.names.show(id));
        write!(f, "resource {name}.{type_name}: {}", self.error.kind)
    }
}

impl fmt::Debug for NamedLoadError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A folder of data could not be opened.
#[derive(Debug)]
pub struct OpenError {
    what: &'static str,
    why: OpenErrorKind,
}

#[derive(Debug)]
enum OpenErrorKind {
    Words(&'static str),
    Load(LoadErrorKind),
    Table(TableError),
    Memory(GrowError),
}

impl OpenError {
    pub(crate) const fn new(what: &'static str, why: &'static str) -> Self {
        Self { what, why: OpenErrorKind::Words(why) }
    }

    pub(crate) const fn of_file(kind: LoadErrorKind) -> Self {
        Self { what: "the table `resources`", why: OpenErrorKind::Load(kind) }
    }

    pub(crate) const fn of_table(error: TableError) -> Self {
        Self { what: "the table `resources`", why: OpenErrorKind::Table(error) }
    }

    /// Returns `true` if memory was wanting, and it may go well at another time.
    #[must_use]
    pub const fn is_memory(&self) -> bool {
        matches!(
            self.why,
            OpenErrorKind::Memory(_)
                | OpenErrorKind::Load(LoadErrorKind::Memory(_))
                | OpenErrorKind::Table(TableError::Memory(_))
        )
    }
}

impl From<BundleError> for OpenError {
    fn from(error: BundleError) -> Self {
        Self { what: "the bundles", why: OpenErrorKind::Load(error.into()) }
    }
}

impl From<GrowError> for OpenError {
    fn from(error: GrowError) -> Self {
        Self { what: "what is loaded", why: OpenErrorKind::Memory(error) }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "data folder: {}: ", self.what)?;
        match &self.why {
            OpenErrorKind::Words(words) => f.write_str(words),
            OpenErrorKind::Load(LoadErrorKind::Missing) => {
                f.write_str("there is none; compile the project into this folder first")
            }
            OpenErrorKind::Load(kind) => kind.fmt(f),
            OpenErrorKind::Table(error @ TableError::Memory(_)) => error.fmt(f),
            OpenErrorKind::Table(error) => write!(f, "{error}; recompile the project"),
            OpenErrorKind::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}
