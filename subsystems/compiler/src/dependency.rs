//! What a resource was made of.

use std::sync::Arc;

use loligo_resources::ContentHash;

/// Something that a compiler asked for, and what it got. When it would get something else, the
/// resource is recompiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependency {
    /// A file.
    File {
        /// Its path in the project.
        path: Arc<str>,
        /// The hash of its bytes; none where there was no such file.
        hash: Option<ContentHash>,
    },
    /// What is in a folder.
    Listing {
        /// Its path in the project; empty for the project itself.
        path: Arc<str>,
        /// The hash of the names in it; none where there was no such folder.
        hash: Option<ContentHash>,
    },
    /// An option of the compile.
    Option {
        /// What it is called.
        name: Arc<str>,
        /// What it was; none where it was not given.
        value: Option<Arc<str>>,
    },
}
