//! Sources that come with the program: files of every project that has none of their path.

use std::sync::Arc;

use super::{FolderEntry, SourceTree, Stamp};
use crate::hash::hash_of;

impl SourceTree {
    /// Adds sources to the files of a project, which win: a file or a folder that is there stays.
    pub(super) fn add_built_in(
        &mut self,
        sources: impl Iterator<Item = (&'static str, &'static [u8])>,
    ) {
        let mut added = Vec::new();
        for (path, bytes) in sources {
            if self.file(path).is_none() && self.folder(path).is_none() {
                let path: Arc<str> = path.into();
                self.add_to_folders(&path);
                self.built_in.insert(path.clone(), bytes);
                added.push((path, stamp(bytes)));
            }
        }
        if !added.is_empty() {
            self.files.append(&mut added);
            self.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        }
    }

    /// Returns `true` if a file comes with the program.
    pub(crate) fn is_built_in(&self, path: &str) -> bool {
        self.built_in.contains_key(path)
    }

    /// Adds a path to the listing of its folder, and that to the listing of the one above.
    fn add_to_folders(&mut self, path: &str) {
        let (mut path, mut is_folder) = (path, false);
        loop {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entry = FolderEntry { name: name.to_owned(), is_folder };
            let entries = self.folders.entry(folder.into()).or_default();
            if let Err(at) = entries.binary_search(&entry) {
                entries.insert(at, entry);
            }
            if folder.is_empty() {
                return;
            }
            (path, is_folder) = (folder, true);
        }
    }
}

/// Returns a stamp that no file has, since it was last changed in 1970, and that is another for
/// other bytes: with another program a compile sees what has changed.
fn stamp(bytes: &[u8]) -> Stamp {
    let hash = hash_of(bytes).0;
    let first = hash.first_chunk::<8>().copied().unwrap_or_default();
    Stamp { bytes: bytes.len() as u64, inode: u64::from_le_bytes(first), ..Stamp::default() }
}
