//! What a compile did.

use loligo_resources::ContentHash;

use crate::cache::CacheReport;
use crate::error::ResourceError;
use crate::resource_name::ResourceName;

/// What a compile did. It went well if there are no errors.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The hash of the names, lengths and times of all sources, as the compile saw them.
    pub seen: ContentHash,
    /// How many resources were compiled.
    pub compiled: usize,
    /// How many came from a cache, where another machine had compiled them.
    pub cached: usize,
    /// How many were as they should be.
    pub fresh: usize,
    /// How many are not there any more.
    pub removed: usize,
    /// Those whose file is another than before, in order: what a running program is to reload.
    pub changed: Vec<ResourceName>,
    /// What is wrong, in the order of the files. The rest was compiled.
    pub errors: Vec<ResourceError>,
    /// What the user should know, though nothing is wrong with the sources.
    pub notes: Vec<String>,
    /// What the cache did, where there is one.
    pub cache: Option<CacheReport>,
}
