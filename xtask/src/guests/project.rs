//! The copies of the crates, each a workspace by itself.

use std::fs;
use std::path::Path;

use super::remove;
use super::suite::Suite;
use crate::outcome::{Failure, Outcome};
use crate::packages;
use crate::registry::Sources;

/// Copies the crate of a suite, its manifest changed, over what an earlier run left.
///
/// # Errors
///
/// [`Failure::Unable`] if the disk does not allow it.
pub(super) fn copy(sources: &Sources, suite: &Suite, to: &Path) -> Outcome {
    let from = sources.folder(suite.name, suite.version)?;
    remove(to)?;
    packages::copy(&from, to, &|text| text)?;
    let manifest = to.join("Cargo.toml");
    let published = fs::read_to_string(&manifest)
        .map_err(|error| Failure::io("cannot read a manifest", &error))?;
    packages::write(&manifest, suite.manifest(&published).as_bytes())
}
