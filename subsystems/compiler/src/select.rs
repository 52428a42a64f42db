//! Which files of a project become which resources.
//!
//! After Niklas Frykholm, "Platform Specific Resources" (2011): platforms are resolved here, all
//! other properties when the program runs. Changes: a file may be for several platforms; languages
//! may be left out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use loligo_ids::IdString64;

use crate::error::{CompileError, ResourceError};
use crate::language::is_language;
use crate::platform::Platform;
use crate::resource_name::ResourceName;
use crate::target::Target;
use crate::tree::SourceTree;

#[cfg(test)]
mod tests;

/// Which files are sources of resources, by how their names end.
pub(crate) trait ResourceTypes: Sync {
    /// Returns the type of files that end so, if they are sources of resources.
    fn type_of_end<'e>(&'e self, end: &'e str) -> Option<&'e str>;
}

/// A resource that is to be there, and its source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    /// Without properties that are platforms.
    pub(crate) name: ResourceName,
    pub(crate) source: Arc<str>,
}

/// Returns the resources of a project in order, and errors for files that should be resources and
/// are not.
pub(crate) fn select(
    tree: &SourceTree,
    types: &dyn ResourceTypes,
    target: &Target,
) -> (Vec<Wanted>, Vec<ResourceError>) {
    let mut errors = Vec::new();
    let mut groups: BTreeMap<(String, String), Vec<Wanted>> = BTreeMap::new();
    for (path, _) in tree.files() {
        // The extension shows for most files that they are not resources, before the name is
        // parsed.
        let type_name = path.rsplit(['.', '/']).next().unwrap_or_default();
        let Some(type_name) = types.type_of_end(type_name) else { continue };
        match ResourceName::of_path(path) {
            Ok(Some(mut name)) => {
                type_name.clone_into(&mut name.type_name);
                let group = (name.type_name.clone(), name.name.clone());
                groups.entry(group).or_default().push(Wanted { name, source: path.clone() });
            }
            Ok(None) => {}
            Err(error) => errors.push(wrong(None, path, error.to_string(), "rename the file")),
        }
    }
    let mut wanted: Vec<Wanted> =
        groups.into_values().flat_map(|variants| resolve(variants, target)).collect();
    wanted.dedup_by(|second, first| {
        let is_same = first.name == second.name;
        if is_same {
            let reason = format!("`{}` is the same variant of the same resource", first.source);
            let remedy = "take one of them away, or give it another property";
            errors.push(wrong(Some(&second.name), &second.source, reason, remedy));
        }
        is_same
    });
    refuse_collisions(&mut wanted, &mut errors);
    (wanted, errors)
}

/// Returns the names of the resources of a type that files are for a target, in order, each once.
pub(crate) fn names_of_type(
    paths: impl Iterator<Item = String>,
    type_name: &str,
    types: &dyn ResourceTypes,
    target: &Target,
) -> Vec<String> {
    let mut groups: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
    for path in paths {
        // An invalid name is reported when the project is looked at.
        if let Ok(Some(name)) = ResourceName::of_path(&path)
            && types.type_of_end(&name.type_name) == Some(type_name)
        {
            let source = path.into();
            groups.entry(name.name.clone()).or_default().push(Wanted { name, source });
        }
    }
    let is_there =
        |(_, variants): &(String, Vec<Wanted>)| !resolve(variants.clone(), target).is_empty();
    groups.into_iter().filter(is_there).map(|(name, _)| name).collect()
}

/// Returns the source of a resource among files: that of the variant with most of some properties
/// and no others.
pub(crate) fn source_of(
    paths: impl Iterator<Item = String>,
    (type_name, name): (&str, &str),
    properties: &[String],
    types: &dyn ResourceTypes,
    target: &Target,
) -> Option<Arc<str>> {
    let mut variants = Vec::new();
    for path in paths {
        if let Ok(Some(found)) = ResourceName::of_path(&path)
            && found.name == name
            && types.type_of_end(&found.type_name) == Some(type_name)
        {
            let found = ResourceName { type_name: type_name.to_owned(), ..found };
            variants.push(Wanted { name: found, source: path.into() });
        }
    }
    let mut variants = resolve(variants, target);
    variants.retain(|variant| {
        variant.name.properties.iter().all(|property| properties.contains(property))
    });
    // Of several with as many the first in order.
    variants.reverse();
    variants.into_iter().max_by_key(|variant| variant.name.properties.len()).map(|one| one.source)
}

/// Picks the variants of one resource that a target has, in order, and takes the platforms out of
/// their properties.
fn resolve(mut variants: Vec<Wanted>, target: &Target) -> Vec<Wanted> {
    // What is of the type by its own end goes before what is taken for it.
    let is_own = |variant: &Wanted| {
        let end = variant.source.rsplit('.').next();
        end == Some(&*variant.name.type_name)
    };
    if variants.iter().any(is_own) {
        variants.retain(is_own);
    }
    if let Some(kept) = &target.languages {
        let is_kept = |property: &String| !is_language(property) || kept.contains(property);
        variants.retain(|variant| variant.name.properties.iter().all(is_kept));
    }
    let is_platform = |property: &String| Platform::find(property).is_some();
    let is_for = |variant: &Wanted| {
        variant.name.properties.iter().any(|property| property == target.source.name)
    };
    let is_for_all = |variant: &Wanted| !variant.name.properties.iter().any(is_platform);
    if variants.iter().any(is_for) {
        variants.retain(is_for);
    } else {
        variants.retain(is_for_all);
    }
    for variant in &mut variants {
        variant.name.properties.retain(|property| !is_platform(property));
    }
    variants.sort();
    variants
}

/// Removes resources with a name whose hash another name has: a program could not distinguish them.
fn refuse_collisions(wanted: &mut Vec<Wanted>, errors: &mut Vec<ResourceError>) {
    let mut known: HashMap<IdString64, String> = HashMap::new();
    wanted.retain(|one| {
        let names = [&one.name.type_name, &one.name.name].into_iter().chain(&one.name.properties);
        for name in names {
            let first = known.entry(IdString64::new(name)).or_insert_with(|| name.clone());
            if first != name {
                let reason = format!("`{name}` and `{first}` have one hash");
                errors.push(wrong(Some(&one.name), &one.source, reason, "rename one of them"));
                return false;
            }
        }
        true
    });
}

fn wrong(
    resource: Option<&ResourceName>,
    path: &str,
    reason: String,
    remedy: &str,
) -> ResourceError {
    let error = CompileError::new(reason, remedy).in_file(path);
    ResourceError { resource: resource.cloned(), error, is_kept: false }
}
