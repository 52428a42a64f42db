//! A compile, from the sources to the data folder.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use loligo_resources::ContentHash;

use crate::context::Shared;
use crate::dependency::Dependency;
use crate::error::{BuildError, CompileError, ResourceError};
use crate::executor::Executor;
use crate::folder::{Blobs, DataFolder};
use crate::index::{Entry, FileRecord, Index};
use crate::project::Project;
use crate::report::Report;
use crate::resource_name::ResourceName;
use crate::select::{Wanted, select};
use crate::tree::{SourceTree, Stamp};
use crate::walk::Walk;

mod compile;
mod look;
mod named;
mod state;
mod tables;

use compile::Work;
use look::{LOOK, Look, look};
use named::compile_named;
use state::State;

impl Project<'_> {
    /// Compiles what has changed since the last compile into the data folder.
    ///
    /// A resource that fails keeps what it last became, and is tried again each time. All others
    /// are compiled. The process may be killed at any moment: the folder then holds what it held
    /// before or what it was to hold, and the next compile goes on from there.
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
        if !self.folder.is_dir() {
            let why = "there is no such folder; name the folder of the project's sources";
            return Err(BuildError::new(&self.folder, "cannot be compiled", why));
        }
        let data = DataFolder::open(&self.folder, &self.data, self.disk)?;
        let now = (self.clock)();
        let (tree, blobs) = self.look_around(&data, executor)?;
        let seen = look(self, &tree, &blobs, &data, now)?;
        if let Some(last) = seen.and_then(|seen| Look::read_last(&data, seen)) {
            return Ok(Report { fresh: last.fresh as usize, ..Report::default() });
        }
        let mut report = Report::default();
        let read = data.index()?;
        let has_index = matches!(read, Some(Ok(_)));
        let old = match read {
            Some(Ok(index)) => index,
            None => Index::default(),
            Some(Err(error)) => {
                let folder = self.data.display();
                report
                    .notes
                    .push(format!("{folder}/index is no index: {error}; everything is recompiled"));
                Index::default()
            }
        };
        report.errors.clone_from(&tree.errors);
        let (wanted, errors) = select(&tree, self.compilers, &self.target);
        report.errors.extend(errors);
        let (project, target, options) = (&*self.folder, &self.target, &self.options);
        let shared = Shared { project, tree: &tree, types: self.compilers, target, options };
        let state = State::find(shared, &old, now, executor);
        let work = Work { project: self, shared, executor, data: &data, old: &old };
        let plan = |wanted: &[Wanted]| self.plan(wanted, &old, &state, &blobs);
        let (wanted, entries) = compile_named(&work, wanted, plan, &mut report)?;
        let index = Index { files: self.files(&entries, &tree, &state, now), entries };
        find_missing(&index, &wanted, &mut report);
        tables::write(self, &index, &data, &mut report)?;
        if !has_index || index != old {
            data.put("index", &index.to_bytes())?;
        }
        let used: HashSet<ContentHash> =
            index.entries.iter().filter_map(|entry| Some(entry.output?.file)).collect();
        // Those that were there before: no new one is unused.
        for file in blobs.iter().map(|(file, _)| file).filter(|file| !used.contains(file)) {
            data.remove_blob(file)?;
        }
        tell_changes(&old, &index, &mut report);
        name_built_in(&tree, &mut report);
        report.errors.sort_by(|a, b| place(&a.error).cmp(&place(&b.error)));
        // Whatever was written just now has another stamp than was seen, so this look can then
        // never be had again.
        if let Some(seen) = seen.filter(|_| report.errors.is_empty() && report.compiled == 0) {
            data.put_changed(LOOK, &Look::new(seen, report.fresh as u64).to_bytes())?;
        }
        Ok(report)
    }

    /// Looks at the sources and at the blobs, at the same time where it can.
    fn look_around(
        &self,
        data: &DataFolder<'_>,
        executor: &dyn Executor,
    ) -> Result<(SourceTree, Blobs), BuildError> {
        let (tree, blobs) = (OnceLock::new(), OnceLock::new());
        executor.run(2, &|turn| {
            // Each is called once.
            let _ = match turn {
                0 => tree.set(self.scan()).is_ok(),
                _ => blobs.set(data.blobs()).is_ok(),
            };
        });
        // An executor that leaves a turn out leaves it to the caller.
        let tree = tree.into_inner();
        let tree = tree.unwrap_or_else(|| self.scan())?;
        Ok((tree, blobs.into_inner().unwrap_or_else(|| data.blobs())?))
    }

    /// Returns for each resource whether it must be compiled, and then its recipe.
    fn plan(
        &self,
        wanted: &[Wanted],
        old: &Index,
        state: &State,
        blobs: &Blobs,
    ) -> Vec<Option<ContentHash>> {
        let walk = Walk::new(&old.entries);
        let stale = |one: &Wanted| {
            let recipe = compile::recipe(self, one);
            let known = walk.find(|entry| entry.name.cmp(&one.name));
            let is_fresh = known.is_some_and(|entry| {
                let is_there = entry
                    .output
                    .is_some_and(|output| blobs.bytes_of(output.file) == Some(output.bytes));
                !entry.is_failed && is_there && entry.recipe == recipe && state.has(entry)
            });
            (!is_fresh).then_some(recipe)
        };
        wanted.iter().map(stale).collect()
    }

    /// Returns the records of all files that resources were made of.
    fn files(
        &self,
        entries: &[Entry],
        tree: &SourceTree,
        state: &State,
        now: u64,
    ) -> Vec<FileRecord> {
        let mut files: HashMap<Arc<str>, ContentHash> = HashMap::new();
        for dependency in entries.iter().flat_map(|entry| &entry.dependencies) {
            if let Dependency::File { path, hash: Some(hash) } = dependency {
                // A compile may have read newer contents than those that were known before it. In
                // that case the file's stamp differs at the next build.
                let known = state.file(path).unwrap_or(*hash);
                files.insert(path.clone(), known);
            }
        }
        // The tree is in the order of the paths, and so are the records.
        let record = |(path, stamp): &(Arc<str>, Stamp)| {
            let (hash, path, stamp) = (*files.get(path)?, path.clone(), *stamp);
            Some(FileRecord { path, is_settled: stamp.is_settled(now), stamp, hash })
        };
        tree.files().iter().filter_map(record).collect()
    }
}

/// Reports resources that are named and are not there.
fn find_missing(index: &Index, wanted: &[Wanted], report: &mut Report) {
    let known: HashSet<(&str, &str)> =
        wanted.iter().map(|one| (&*one.name.type_name, &*one.name.name)).collect();
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
