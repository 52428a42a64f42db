//! Compiling what depends on a few files that are known to have changed: the work is in proportion
//! to the change, but for the table, which is written whole.
//!
//! It is for what a person saves while a game runs: new contents of files that are there. All else
//! is left to a whole compile: files that come and go, resources that fail or name others than
//! before, compilers that ask for something else.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use loligo_resources::ContentHash;

use super::compile::{Made, Parts, find_or_compile};
use super::kept::{Kept, Users};
use super::tables;
use crate::cache::CacheClient;
use crate::context::Shared;
use crate::dependency::Dependency;
use crate::error::BuildError;
use crate::executor::Executor;
use crate::folder::DataFolder;
use crate::hash::hash_of;
use crate::index::{Entry, Output};
use crate::project::Project;
use crate::report::Report;
use crate::walk::Walk;

/// Compiles what depends on some files; nothing if a whole compile must do it. `kept` is true
/// afterwards.
pub(crate) fn compile_changed(
    project: &Project<'_>,
    executor: &dyn Executor,
    kept: &mut Kept,
    paths: &BTreeSet<String>,
) -> Result<Option<Report>, BuildError> {
    if !kept.is_well || !project.folder.is_dir() {
        return Ok(None);
    }
    let data = DataFolder::open(&project.folder, &project.data, project.disk)?;
    if !kept.is_true(&data) {
        return Ok(None);
    }
    let now = (project.clock)();
    let Some(hashes) = look_at(project, kept, paths, now) else { return Ok(None) };
    let stale = stale(kept, &hashes);
    let (folder, target, options) = (&*project.folder, &project.target, &project.options);
    let shared =
        Shared { project: folder, tree: &kept.tree, types: project.compilers, target, options };
    let cache = project.cache.map(|cache| CacheClient::new(cache, shared));
    let made = make(project, executor, kept, (shared, &data), (&stale, cache.as_ref()))?;
    let did = cache.map(CacheClient::into_report);
    let Some(made) = made else { return Ok(None) };
    let (mut report, old) = apply(kept, made, &hashes);
    if let Some((did, notes)) = did {
        (report.cache, report.notes) = (Some(did), notes);
    }
    if !report.changed.is_empty() {
        let variants = kept.variants.get_or_insert_with(|| tables::variants(&kept.index));
        tables::write_resources(project, variants, &data)?;
    }
    project.observer.inspect(|observer| observer.written());
    remove_unused(kept, &data, &old)?;
    report.seen = kept.tree.hash();
    kept.settle(&data);
    Ok(Some(report))
}

/// Looks at files that have changed, and returns the hashes of what is in them now; nothing if one
/// of them is not a file that was there before.
fn look_at(
    project: &Project<'_>,
    kept: &mut Kept,
    paths: &BTreeSet<String>,
    now: u64,
) -> Option<HashMap<Arc<str>, ContentHash>> {
    let mut hashes = HashMap::with_capacity(paths.len());
    for path in paths {
        let path = kept.tree.look_again(&project.folder, path)?;
        let Ok(record) = kept.index.files.binary_search_by(|file| file.path.cmp(&path)) else {
            // Nothing was made of it.
            continue;
        };
        // Its stamp may be older than its contents; then the next look finds another.
        let hash = hash_of(&kept.tree.read(&project.folder, &path).ok()?);
        let stamp = kept.tree.file(&path)?.1;
        let record = kept.index.files.get_mut(record)?;
        (record.stamp, record.is_settled, record.hash) = (stamp, stamp.is_settled(now), hash);
        hashes.insert(path, hash);
    }
    Some(hashes)
}

/// Returns the places in the index of resources that were made of something else.
fn stale(kept: &mut Kept, hashes: &HashMap<Arc<str>, ContentHash>) -> Vec<usize> {
    let Kept { users, index, .. } = kept;
    let users = users.get_or_insert_with(|| users_of(&index.entries));
    let of_file = hashes.keys().filter_map(|path| users.get(path)).flatten();
    let is_stale = |at: &usize| {
        index.entries[*at].dependencies.iter().any(|made_of| match made_of {
            Dependency::File { path, hash } => {
                hashes.get(path).is_some_and(|now| *hash != Some(*now))
            }
            _ => false,
        })
    };
    let all: BTreeSet<usize> = of_file.map(|at| *at as usize).collect();
    all.into_iter().filter(is_stale).collect()
}

fn users_of(entries: &[Entry]) -> Users {
    let mut users = Users::with_capacity(entries.len());
    for (at, entry) in (0_u32..).zip(entries) {
        for made_of in &entry.dependencies {
            if let Dependency::File { path, hash: Some(_) } = made_of {
                users.entry(path.clone()).or_default().push(at);
            }
        }
    }
    users
}

/// Compiles resources; nothing if one of them fails, or differs in more than its bytes.
fn make(
    project: &Project<'_>,
    executor: &dyn Executor,
    kept: &Kept,
    (shared, data): (Shared<'_>, &DataFolder<'_>),
    (stale, cache): (&[usize], Option<&CacheClient<'_>>),
) -> Result<Option<Vec<(usize, Made)>>, BuildError> {
    let (selection, entries) = (&kept.selection, &kept.index.entries);
    let walk = Walk::new(&selection.wanted);
    let mut wanted = Vec::with_capacity(stale.len());
    for at in stale {
        let name = &entries[*at].name;
        match walk.place(|one| one.name.cmp(name)) {
            Some(place) => wanted.push(place),
            None => return Ok(None),
        }
    }
    let parts = Parts { project, shared, data, selection, cache };
    let outcomes: Vec<OnceLock<_>> = wanted.iter().map(|_| OnceLock::new()).collect();
    executor.run(wanted.len(), &|turn| {
        let _ = outcomes[turn].set(find_or_compile(parts, wanted[turn]));
    });
    let mut made = Vec::with_capacity(wanted.len());
    for (at, outcome) in stale.iter().zip(outcomes) {
        match outcome.into_inner().transpose()? {
            Some(Ok(one)) if is_alike(&entries[*at], &one) => made.push((*at, one)),
            // A whole compile says what is wrong, and does what was left out.
            _ => return Ok(None),
        }
    }
    Ok(Some(made))
}

/// Returns whether a resource asks for the same things as before and names the same.
fn is_alike(old: &Entry, new: &Made) -> bool {
    let asked = &new.asked;
    let is_same_question = |(old, new): (&Dependency, &Dependency)| match (old, new) {
        (
            Dependency::File { path, hash: Some(_) },
            Dependency::File { path: new, hash: Some(_) },
        ) => path == new,
        (old, new) => old == new,
    };
    old.dependencies.len() == asked.dependencies.len()
        && old.dependencies.iter().zip(&asked.dependencies).all(is_same_question)
        && old.names == asked.names
        && old.references == asked.references
}

/// Puts resources into the index, and returns the report and the files that some of them were.
fn apply(
    kept: &mut Kept,
    made: Vec<(usize, Made)>,
    hashes: &HashMap<Arc<str>, ContentHash>,
) -> (Report, HashSet<ContentHash>) {
    let fresh = kept.index.entries.len() - made.len();
    let mut report = Report { fresh, ..Report::default() };
    let mut old = HashSet::new();
    for (at, Made { output, asked, is_from_cache }) in made {
        let entry = &mut kept.index.entries[at];
        report.compiled += usize::from(!is_from_cache);
        report.cached += usize::from(is_from_cache);
        // What a compiler read may be newer than what was hashed before it; the record of the file
        // is that of the hash, so the next look finds another stamp.
        entry.dependencies = asked.dependencies;
        if entry.output != Some(output) {
            old.extend(entry.output.map(|output| output.file));
            report.changed.push(entry.name.clone());
            entry.output = Some(output);
            if let Some(variants) = &mut kept.variants {
                tables::replace(variants, entry);
            }
            kept.blobs.add(output);
        }
    }
    kept.is_index_old |= !hashes.is_empty();
    (report, old)
}

/// Removes files that no resource is any more.
fn remove_unused(
    kept: &mut Kept,
    data: &DataFolder<'_>,
    old: &HashSet<ContentHash>,
) -> Result<(), BuildError> {
    if old.is_empty() {
        return Ok(());
    }
    let mut unused = old.clone();
    for Output { file, .. } in kept.index.entries.iter().filter_map(|entry| entry.output) {
        unused.remove(&file);
    }
    for file in unused {
        if kept.blobs.remove(file) {
            data.remove_blob(file)?;
        }
    }
    Ok(())
}
