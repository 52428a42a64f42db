//! A compile, from the sources to the data folder.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use loligo_resources::ContentHash;

use crate::cache::{CacheClient, CacheReport};
use crate::context::Shared;
use crate::dependency::Dependency;
use crate::error::{BuildError, CompileError, ResourceError};
use crate::executor::Executor;
use crate::folder::{Blobs, DataFolder};
use crate::index::{Entry, FileRecord, Index};
use crate::project::Project;
use crate::report::Report;
use crate::resource_name::ResourceName;
use crate::select::Wanted;
use crate::tree::{SourceTree, Stamp};
use crate::walk::Walk;

mod changed;
mod compile;
mod kept;
mod look;
mod named;
mod selection;
mod state;
mod tables;

pub(crate) use changed::compile_changed;
use compile::Work;
pub(crate) use kept::Kept;
use look::{LOOK, Look, look};
use named::compile_named;
use selection::Selection;
use state::State;

impl Project<'_> {
    /// Compiles what has changed since the last compile into the data folder.
    ///
    /// A resource that fails keeps what it last became, and is tried again each time. All others
    /// are compiled. The process may be killed at any moment: the folder then holds what it held
    /// before or what it was to hold, and the next compile goes on from there.
    ///
    /// [`CompileSession`](crate::CompileSession) compiles again and again, and remembers.
    ///
    /// # Complexity
    ///
    /// A question to the file system for each file and each compiled file; reading what has
    /// changed; compiling what depends on it.
    ///
    /// # Errors
    ///
    /// [`BuildError`] if a folder cannot be read or written, or another compile is at work. What is
    /// wrong with resources is in the report.
    pub fn compile(&self, executor: &dyn Executor) -> Result<Report, BuildError> {
        compile(self, executor, None).map(|(report, _)| report)
    }
}

/// Compiles, and returns what spares the next compile some of the work; `kept` is from the last.
pub(crate) fn compile(
    project: &Project<'_>,
    executor: &dyn Executor,
    kept: Option<Kept>,
) -> Result<(Report, Option<Kept>), BuildError> {
    if !project.folder.is_dir() {
        let why = "there is no such folder; name the folder of the project's sources";
        return Err(BuildError::new(&project.folder, "cannot be compiled", why));
    }
    let data = DataFolder::open(&project.folder, &project.data, project.disk)?;
    let now = (project.clock)();
    let kept = kept.filter(|kept| kept.is_true(&data));
    let (tree, blobs) = match &kept {
        Some(kept) => (project.scan()?, kept.blobs.clone()),
        None => look_around(project, &data, executor)?,
    };
    let seen = tree.hash();
    let look = look(project, (&tree, seen), &blobs, &data, now)?;
    if let Some(last) = look.and_then(|look| Look::read_last(&data, look)) {
        let cache = project.cache.map(|_| CacheReport::default());
        let fresh = last.fresh as usize;
        let report = Report { seen, fresh, cache, ..Report::default() };
        return Ok((report, kept));
    }
    let mut report = Report { seen, ..Report::default() };
    let (old, selection, is_written) = remembered(project, &data, kept, &tree, &mut report)?;
    report.errors.extend(tree.errors.iter().chain(&selection.errors).cloned());
    let (folder, target, options) = (&*project.folder, &project.target, &project.options);
    let shared = Shared { project: folder, tree: &tree, types: project.compilers, target, options };
    let state = State::find(shared, &old, now, executor);
    let cache = project.cache.map(|cache| CacheClient::new(cache, shared));
    let work = Work {
        project,
        shared,
        executor,
        data: &data,
        old: &old,
        selection: &selection,
        cache: cache.as_ref(),
    };
    let plan = |wanted: &[usize]| plan(wanted, &selection, &old, &state, &blobs);
    let (wanted, entries) = compile_named(&work, plan, &mut report)?;
    if let Some(cache) = cache {
        let (did, notes) = cache.into_report();
        report.cache = Some(did);
        report.notes.extend(notes);
    }
    let index = Index { files: files(&entries, &tree, &state, now), entries };
    let named = wanted.iter().map(|at| &selection.wanted[*at]);
    match project.shard {
        None => find_missing(&index, named, &mut report),
        // Others compile what a shard does not.
        Some(_) => find_missing(&index, selection.wanted.iter(), &mut report),
    }
    let is_written = is_written && index == old;
    let used = write(project, &data, (&index, is_written), &blobs, &mut report)?;
    tell_changes(&old, &index, &mut report);
    name_built_in(&tree, &mut report);
    report.errors.sort_by(|a, b| place(&a.error).cmp(&place(&b.error)));
    // Whatever was written just now has another stamp than was seen, so this look can then never be
    // had again.
    if let Some(look) =
        look.filter(|_| report.errors.is_empty() && report.compiled + report.cached == 0)
    {
        data.put_changed(LOOK, &Look::new(look, report.fresh as u64).to_bytes())?;
    }
    let blobs = blobs.after(&index.entries, &used);
    let is_well = report.errors.is_empty();
    Ok((report, Kept::new(&data, tree, blobs, selection, (index, is_well))))
}

/// Writes the tables, and the index if it is another than the last one, and removes blobs that are
/// not used. Returns those that are.
fn write(
    project: &Project<'_>,
    data: &DataFolder<'_>,
    (index, is_written): (&Index, bool),
    blobs: &Blobs,
    report: &mut Report,
) -> Result<HashSet<ContentHash>, BuildError> {
    tables::write(project, index, data, report)?;
    project.observer.inspect(|observer| observer.written());
    if !is_written {
        data.put("index", &index.to_bytes())?;
    }
    let used: HashSet<ContentHash> =
        index.entries.iter().filter_map(|entry| Some(entry.output?.file)).collect();
    // Those that were there before: no new one is unused.
    for file in blobs.iter().map(|(file, _)| file).filter(|file| !used.contains(file)) {
        data.remove_blob(file)?;
    }
    Ok(used)
}

/// Looks at the sources and at the blobs, at the same time where it can.
fn look_around(
    project: &Project<'_>,
    data: &DataFolder<'_>,
    executor: &dyn Executor,
) -> Result<(SourceTree, Blobs), BuildError> {
    let (tree, blobs) = (OnceLock::new(), OnceLock::new());
    executor.run(2, &|turn| {
        // Each is called once.
        let _ = match turn {
            0 => tree.set(project.scan()).is_ok(),
            _ => blobs.set(data.blobs()).is_ok(),
        };
    });
    // An executor that leaves a turn out leaves it to the caller.
    let tree = tree.into_inner();
    let tree = tree.unwrap_or_else(|| project.scan())?;
    Ok((tree, blobs.into_inner().unwrap_or_else(|| data.blobs())?))
}

/// Returns the index of the last compile, the selection of resources, and whether the file of the
/// index has all of it: from memory, or from the disk.
fn remembered(
    project: &Project<'_>,
    data: &DataFolder<'_>,
    kept: Option<Kept>,
    tree: &SourceTree,
    report: &mut Report,
) -> Result<(Index, Selection, bool), BuildError> {
    Ok(match kept {
        Some(kept) if kept.tree.has_the_files_of(tree) => {
            (kept.index, kept.selection, !kept.is_index_old)
        }
        Some(kept) => (kept.index, Selection::new(project, tree), !kept.is_index_old),
        None => {
            let (old, is_written) = last_index(project, data, report)?;
            (old, Selection::new(project, tree), is_written)
        }
    })
}

/// Reads what the last compile remembered, and returns whether it is there and right.
fn last_index(
    project: &Project<'_>,
    data: &DataFolder<'_>,
    report: &mut Report,
) -> Result<(Index, bool), BuildError> {
    Ok(match data.index()? {
        Some(Ok(index)) => (index, true),
        None => (Index::default(), false),
        Some(Err(error)) => {
            let folder = project.data.display();
            report
                .notes
                .push(format!("{folder}/index is no index: {error}; everything is recompiled"));
            (Index::default(), false)
        }
    })
}

/// Returns for each of some resources whether it must be compiled.
fn plan(
    wanted: &[usize],
    selection: &Selection,
    old: &Index,
    state: &State<'_>,
    blobs: &Blobs,
) -> Vec<bool> {
    let walk = Walk::new(&old.entries);
    let is_stale = |at: &usize| {
        let known = walk.find(|entry| entry.name.cmp(&selection.wanted[*at].name));
        !known.is_some_and(|entry| {
            let is_there = entry
                .output
                .is_some_and(|output| blobs.bytes_of(output.file) == Some(output.bytes));
            let is_so_made = entry.recipe == selection.recipes[*at];
            !entry.is_failed && is_there && is_so_made && state.has(entry)
        })
    };
    wanted.iter().map(is_stale).collect()
}

/// Returns the records of all files that resources were made of.
fn files(entries: &[Entry], tree: &SourceTree, state: &State<'_>, now: u64) -> Vec<FileRecord> {
    let mut files: HashMap<&Arc<str>, ContentHash> = HashMap::with_capacity(entries.len());
    for dependency in entries.iter().flat_map(|entry| &entry.dependencies) {
        if let Dependency::File { path, hash: Some(hash) } = dependency {
            // A compile may have read newer contents than those that were known before it. In that
            // case the file's stamp differs at the next build.
            files.insert(path, state.file(path).unwrap_or(*hash));
        }
    }
    // The tree is in the order of the paths, and so are the records.
    let record = |(path, stamp): &(Arc<str>, Stamp)| {
        let (hash, path, stamp) = (*files.get(path)?, path.clone(), *stamp);
        Some(FileRecord { path, is_settled: stamp.is_settled(now), stamp, hash })
    };
    tree.files().iter().filter_map(record).collect()
}

/// Reports resources that are named and are not there.
fn find_missing<'w>(index: &Index, wanted: impl Iterator<Item = &'w Wanted>, report: &mut Report) {
    let known: HashSet<(&str, &str)> =
        wanted.map(|one| (&*one.name.type_name, &*one.name.name)).collect();
    for entry in &index.entries {
        for reference in &entry.references {
            let (type_name, name) = (&*reference.type_name, &*reference.name);
            if !known.contains(&(type_name, name)) {
                let reason = format!("there is no resource `{name}` of type `{type_name}`");
                let error = CompileError::new(reason, "add its source, or name another")
                    .at(reference.line, reference.column)
                    .in_file(&*entry.source);
                let resource = Some(entry.name.clone());
                report.errors.push(ResourceError { resource, error, is_kept: false });
            }
        }
    }
}

/// Says of errors in sources that come with the program that they do: nobody finds their files in
/// the project.
fn name_built_in(tree: &SourceTree, report: &mut Report) {
    for ResourceError { error, .. } in &mut report.errors {
        if tree.is_built_in(&error.file) {
            error.file.push_str(" (built in)");
        }
    }
}

/// Counts what is gone, and lists what has another file than before.
fn tell_changes(old: &Index, new: &Index, report: &mut Report) {
    let walk = Walk::new(&new.entries);
    let is_gone = |entry: &&Entry| walk.find(|other| other.name.cmp(&entry.name)).is_none();
    report.removed = old.entries.iter().filter(is_gone).count();
    let walk = Walk::new(&old.entries);
    let changed = new.entries.iter().filter(|entry| {
        let before = walk.find(|other| other.name.cmp(&entry.name)).and_then(|entry| entry.output);
        entry.output.is_some() && entry.output != before
    });
    let changed = changed.map(|entry| &entry.name).cloned();
    report.changed = changed.collect::<Vec<ResourceName>>();
}

fn place(error: &CompileError) -> (&str, u32, u32, &str) {
    (&error.file, error.line, error.column, &error.reason)
}
