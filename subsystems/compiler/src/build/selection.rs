//! The resources that a project is to have, and how each is made.

use loligo_resources::{ContentHash, RESOURCE_FORMAT};

use crate::error::ResourceError;
use crate::hash::hash_of_pieces;
use crate::project::Project;
use crate::select::{Wanted, select};
use crate::tree::SourceTree;

/// The version of what is done to every resource, whatever its type.
pub(super) const RECIPE_VERSION: u32 = 1;

/// The resources that a project is to have. It is the same as long as its files have the same
/// names.
pub(crate) struct Selection {
    /// In order.
    pub(super) wanted: Vec<Wanted>,
    /// For each the hash of what it is made by, besides what its compiler asks for.
    pub(super) recipes: Vec<ContentHash>,
    /// What is wrong with names.
    pub(super) errors: Vec<ResourceError>,
}

impl Selection {
    /// Selects among the files of a project.
    pub(super) fn new(project: &Project<'_>, tree: &SourceTree) -> Self {
        let (wanted, errors) = select(tree, project.compilers, &project.target);
        let recipes = wanted.iter().map(|one| recipe(project, one)).collect();
        Self { wanted, recipes, errors }
    }
}

/// Returns the hash of what a resource is made by, besides what its compiler asks for.
fn recipe(project: &Project<'_>, one: &Wanted) -> ContentHash {
    let version = project.compilers.get(&one.name.type_name).map_or(0, |found| found.version());
    hash_of_pieces(&[
        &RECIPE_VERSION.to_le_bytes(),
        &RESOURCE_FORMAT.to_le_bytes(),
        &version.to_le_bytes(),
        format!("{:?}", project.target.destination.endian).as_bytes(),
        &[project.target.has_debug_names.into()],
        one.source.as_bytes(),
    ])
}
