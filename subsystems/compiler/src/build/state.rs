//! What resources were made of, as it is now.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use loligo_resources::ContentHash;

use crate::context::Shared;
use crate::dependency::Dependency;
use crate::executor::Executor;
use crate::hash::hash_of;
use crate::index::{Entry, Index};
use crate::walk::Walk;

/// The hashes of files and listings as they are now, of those that some resource was made of.
pub(super) struct State<'c> {
    files: HashMap<Arc<str>, Option<ContentHash>>,
    listings: HashMap<Arc<str>, Option<ContentHash>>,
    options: &'c BTreeMap<String, String>,
}

impl<'c> State<'c> {
    /// Finds them. A file whose stamp is as it was is not read.
    pub(super) fn find(shared: Shared<'c>, old: &Index, now: u64, executor: &dyn Executor) -> Self {
        let mut paths: Vec<&Arc<str>> = Vec::with_capacity(old.entries.len());
        let mut folders: HashSet<&Arc<str>> = HashSet::new();
        for dependency in old.entries.iter().flat_map(|entry| &entry.dependencies) {
            match dependency {
                Dependency::File { path, .. } => paths.push(path),
                Dependency::Listing { path, .. } => {
                    folders.insert(path);
                }
                Dependency::Option { .. } => {}
            }
        }
        // In the order of the tree and of the records, and each once. Those of a type are so already,
        // and a stable sort merges them.
        paths.sort();
        paths.dedup();
        let (in_tree, in_index) = (Walk::new(shared.tree.files()), Walk::new(&old.files));
        let mut files = HashMap::with_capacity(paths.len());
        let mut unknown = Vec::new();
        for path in paths {
            let Some((_, stamp)) = in_tree.find(|(other, _)| other.cmp(path)) else {
                files.insert(path.clone(), None);
                continue;
            };
            let known = in_index.find(|file| file.path.cmp(path));
            match known.filter(|file| file.stamp == *stamp && file.is_settled) {
                // The clock may have been put back since; then the file is read.
                Some(file) if stamp.is_settled(now) => {
                    files.insert(path.clone(), Some(file.hash));
                }
                _ => unknown.push((path.clone(), OnceLock::new())),
            }
        }
        executor.run(unknown.len(), &|at| {
            let (path, hash) = &unknown[at];
            let bytes = shared.tree.read(shared.project, path);
            // What cannot be read is as if it were not there; its compiler says why.
            let _ = hash.set(bytes.ok().map(|bytes| hash_of(&bytes)));
        });
        files.extend(
            unknown.into_iter().map(|(path, hash)| (path, hash.into_inner().unwrap_or_default())),
        );
        let listings = folders
            .into_iter()
            .map(|folder| (folder.clone(), shared.tree.listing_hash(folder)))
            .collect();
        Self { files, listings, options: shared.options }
    }

    /// Returns the hash of a file that some resource was made of.
    pub(super) fn file(&self, path: &str) -> Option<ContentHash> {
        self.files.get(path).copied().flatten()
    }

    /// Returns `true` if all that a resource was made of is as it was.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        entry.dependencies.iter().all(|dependency| match dependency {
            Dependency::File { path, hash } => self.files.get(path) == Some(hash),
            Dependency::Listing { path, hash } => self.listings.get(path) == Some(hash),
            Dependency::Option { name, value } => {
                self.options.get(&**name).map(String::as_str) == value.as_deref()
            }
        })
    }
}
