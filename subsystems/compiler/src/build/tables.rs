//! The table that the program reads, and the one that leads from hashes to names.

use loligo_ids::{IdString64, ReverseLookupBuilder};
use loligo_resources::{ResourceKey, TableSource, write_table};

use crate::error::{BuildError, CompileError, ResourceError};
use crate::folder::DataFolder;
use crate::index::{Entry, Index, Output};
use crate::memory::{Heap, with_heap};
use crate::project::Project;
use crate::report::Report;

const NO_MEMORY: &str = "there is no memory; compile fewer resources into one folder";

/// Writes both tables.
pub(super) fn write(
    project: &Project<'_>,
    index: &Index,
    data: &DataFolder<'_>,
    report: &mut Report,
) -> Result<(), BuildError> {
    write_resources(project, &variants(index), data)?;
    with_heap(|heap| {
        let mut builder = ReverseLookupBuilder::<IdString64, _>::new_in(heap);
        for entry in &index.entries {
            name(&mut builder, entry, report);
        }
        let names = builder.save();
        let names = names
            .map_err(|_| BuildError::new(&project.data, "the names cannot be kept", NO_MEMORY))?;
        data.put_changed("names", &names)
    })
}

/// A variant of a resource, as it is in the table: its key, its properties, its file.
pub(super) type Variant = (ResourceKey, Vec<IdString64>, Output);

/// Returns the variants of all resources, in the order of the table.
pub(super) fn variants(index: &Index) -> Vec<Variant> {
    // With their keys, which are hashed once and not at each comparison.
    let mut variants: Vec<Variant> = index.entries.iter().filter_map(variant).collect();
    variants.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    variants
}

/// Puts what has become of a resource in the place of what it was.
pub(super) fn replace(variants: &mut [Variant], entry: &Entry) {
    let Some(new) = variant(entry) else { return };
    let found = variants.binary_search_by(|old| (old.0, &old.1).cmp(&(new.0, &new.1)));
    if let Some(old) = found.ok().and_then(|at| variants.get_mut(at)) {
        *old = new;
    }
}

fn variant(entry: &Entry) -> Option<Variant> {
    let hashed = entry.name.properties.iter().map(|property| IdString64::new(property));
    let mut properties: Vec<IdString64> = hashed.collect();
    properties.sort_unstable();
    Some((entry.name.key(), properties, entry.output?))
}

/// Writes the table that the program reads.
pub(super) fn write_resources(
    project: &Project<'_>,
    variants: &[Variant],
    data: &DataFolder<'_>,
) -> Result<(), BuildError> {
    let sources: Vec<TableSource<'_>> = variants
        .iter()
        .map(|(key, properties, output)| TableSource {
            key: *key,
            properties,
            file: output.file,
            bytes: output.bytes,
        })
        .collect();
    let destination = project.target.destination;
    let full = |_| BuildError::new(&project.data, "the tables cannot be made", NO_MEMORY);
    with_heap(|heap| {
        let table =
            write_table(destination.name, destination.endian, &sources, heap).map_err(full)?;
        data.put_changed("resources", &table)
    })
}

/// Adds the names of a resource, and reports names whose hash another name has.
fn name(
    builder: &mut ReverseLookupBuilder<'_, IdString64, Heap<'_>>,
    entry: &Entry,
    report: &mut Report,
) {
    let own = [&*entry.name.type_name, &*entry.name.name];
    let properties = entry.name.properties.iter().map(String::as_str);
    let inner = entry.names.iter().map(|name| &**name);
    for name in own.into_iter().chain(properties).chain(inner) {
        if let Err(error) = builder.insert(name) {
            let error = CompileError::new(error.to_string(), "rename one of them");
            report.errors.push(ResourceError {
                resource: Some(entry.name.clone()),
                error: error.in_file(&*entry.source),
                is_kept: false,
            });
        }
    }
}
