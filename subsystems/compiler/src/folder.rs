//! The data folder, held by one compile at a time.
//!
//! ```text
//! lock           held while a compile writes; its line says that this is a data folder
//! blobs/<hash>   a resource each, called after the hash of its bytes
//! resources      the table: which file holds which variant of which resource
//! names          from hashes to names
//! index          what each resource was made of
//! look           what a compile that had nothing to do looked at
//! partial/       files that are being written
//! ```
//!
//! A file is written in `partial` and then renamed, so that it is there whole or not at all. Blobs
//! come first, then the table, then the names, then the index; files that nothing refers to any
//! more are removed last. So at each moment the table refers to files that exist, and everything in
//! the index is true.
//!
//! A project may come from anywhere, and its data folder with it. So no step below the project may
//! be a link, a folder that is not empty must say in `lock` that it is a data folder, and nothing
//! is removed but regular files whose names only a compile gives.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _};
use std::path::Path;

use loligo_resources::ContentHash;

use crate::disk::Disk;
use crate::error::BuildError;
use crate::folder_error::{FolderError, FolderErrorKind};
use crate::guarded_folder::{EntryKind, GuardedFolder};
use crate::index::{Entry, Index, IndexError, Output};
use crate::tree::Stamp;

mod claim;

use claim::{MARK, check_entries, has_old_form, is_partial, reach};

/// The most bytes of a file of the folder that are read: the index of some millions of resources.
const READ_BYTES_MAX: u64 = 1 << 30;

/// The blobs that are there and their lengths, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blobs(Vec<(ContentHash, u64)>);

impl Blobs {
    /// Returns the length of a blob, if it is there. O(log blobs).
    pub(crate) fn bytes_of(&self, file: ContentHash) -> Option<u64> {
        let at = self.0.binary_search_by(|(other, _)| other.0.cmp(&file.0)).ok()?;
        self.0.get(at).map(|(_, bytes)| *bytes)
    }

    /// Adds a blob that was written.
    pub(crate) fn add(&mut self, output: Output) {
        if let Err(at) = self.0.binary_search_by(|(other, _)| other.0.cmp(&output.file.0)) {
            self.0.insert(at, (output.file, output.bytes));
        }
    }

    /// Removes a blob; returns whether it was there.
    pub(crate) fn remove(&mut self, file: ContentHash) -> bool {
        let at = self.0.binary_search_by(|(other, _)| other.0.cmp(&file.0));
        at.is_ok_and(|at| self.0.remove(at).0 == file)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ContentHash, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Returns those that are there after a compile that has removed all but the `used`.
    pub(crate) fn after(mut self, entries: &[Entry], used: &HashSet<ContentHash>) -> Self {
        self.0.retain(|(file, _)| used.contains(file));
        // What failed has an older output, whose file may be lost.
        let made = entries.iter().filter(|entry| !entry.is_failed);
        self.0.extend(made.filter_map(|entry| Some((entry.output?.file, entry.output?.bytes))));
        self.0.sort_unstable_by_key(|(file, _)| file.0);
        self.0.dedup();
        self
    }
}

/// The data folder of a compile, locked until it is dropped.
pub(crate) struct DataFolder<'d> {
    folder: GuardedFolder,
    blobs: GuardedFolder,
    partial: GuardedFolder,
    disk: &'d dyn Disk,
    /// Numbers files that are being written.
    next: AtomicU64,
    lock: File,
}

impl Drop for DataFolder<'_> {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that another thread is just starting has it open,
        // too, for a moment, and would hold the lock. Where it cannot be let go, it is released by
        // the last process that has it open.
        let _ = self.lock.unlock();
    }
}

impl<'d> DataFolder<'d> {
    /// Makes the folder where it is not there, takes hold of it, and takes away what a compile that
    /// was killed left half written. Links are followed up to the project, and up to the folder
    /// itself where it is not in the project.
    pub(crate) fn open(
        project: &Path,
        path: &Path,
        disk: &'d dyn Disk,
    ) -> Result<Self, BuildError> {
        let folder = reach(project, path, disk)?;
        let lock = take_hold(&folder, path, disk)?;
        check_entries(&folder)?;
        let fail = |error| BuildError::io(path, "cannot be written", error);
        let inner = |name: &str| {
            disk.create_folder(&folder, name).map_err(fail)?;
            folder.enter(name).map_err(BuildError::from)
        };
        let (blobs, partial) = (inner("blobs")?, inner("partial")?);
        let left = partial.names()?;
        // All are looked at before the first is removed.
        for name in &left {
            if !is_partial(name) || partial.kind(name)? != Some(EntryKind::File) {
                let path = partial.path().join(name);
                return Err(FolderError::new(&path, FolderErrorKind::Foreign).into());
            }
        }
        for name in left.iter().filter_map(|name| name.to_str()) {
            disk.remove(&partial, name).map_err(fail)?;
        }
        Ok(Self { folder, blobs, partial, disk, next: AtomicU64::new(0), lock })
    }

    /// Reads the index; `None` if there is no file.
    pub(crate) fn index(&self) -> Result<Option<Result<Index, IndexError>>, BuildError> {
        let bytes = self.folder.read("index", READ_BYTES_MAX)?;
        Ok(bytes.map(|bytes| Index::from_bytes(&bytes)))
    }

    /// Returns the hash that the header of the index has, if there is one.
    pub(crate) fn index_hash(&self) -> Option<ContentHash> {
        let mut header = [0; Index::HEADER_BYTES];
        self.folder.open_file("index").ok()??.read_exact(&mut header).ok()?;
        Index::hash_in(&header)
    }

    /// Returns the stamp of the folder of the blobs, which changes when one comes or goes.
    pub(crate) fn blobs_stamp(&self) -> Option<Stamp> {
        self.blobs.metadata().ok().map(|found| Stamp::of(&found))
    }

    /// Reads a file of the folder, if there is one that can be read.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.folder.read(name, READ_BYTES_MAX).ok().flatten()
    }

    /// Returns the stamp of a file of the folder, if it is there.
    pub(crate) fn stamp(&self, name: &str) -> Result<Option<Stamp>, BuildError> {
        let Some(file) = self.folder.open_file(name)? else { return Ok(None) };
        let fail = |error| BuildError::io(&self.folder.path().join(name), "cannot be read", error);
        Ok(Some(Stamp::of(&file.metadata().map_err(fail)?)))
    }

    /// Returns the blobs that are there. What has no blob's name is left alone.
    pub(crate) fn blobs(&self) -> Result<Blobs, BuildError> {
        let mut blobs = self.blobs.lengths(ContentHash::from_hex)?;
        blobs.sort_unstable_by_key(|(file, _)| file.0);
        Ok(Blobs(blobs))
    }

    /// Writes a blob, and returns what it is called.
    pub(crate) fn put_blob(&self, bytes: &[u8]) -> Result<Output, BuildError> {
        let file = crate::hash::hash_of(bytes);
        self.put_in(&self.blobs, &file.to_string(), bytes)?;
        Ok(Output { file, bytes: bytes.len() as u64 })
    }

    /// Takes a blob away.
    pub(crate) fn remove_blob(&self, file: ContentHash) -> Result<(), BuildError> {
        let name = file.to_string();
        let path = self.blobs.path().join(&name);
        let removed = self.disk.remove(&self.blobs, &name);
        removed.map_err(|error| BuildError::io(&path, "cannot be removed", error))
    }

    /// Writes a file of the folder, unless it is so already.
    pub(crate) fn put_changed(&self, name: &str, bytes: &[u8]) -> Result<(), BuildError> {
        match self.folder.read(name, bytes.len() as u64) {
            Ok(Some(found)) if found == bytes => Ok(()),
            _ => self.put(name, bytes),
        }
    }

    /// Writes a file of the folder: under a temporary name, then renamed.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BuildError> {
        self.put_in(&self.folder, name, bytes)
    }

    fn put_in(&self, folder: &GuardedFolder, name: &str, bytes: &[u8]) -> Result<(), BuildError> {
        // Each file has its own number, which has no other meaning.
        let number = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let path = folder.path().join(name);
        let written = self.disk.write(&self.partial, &number, bytes);
        written
            .and_then(|()| self.disk.rename((&self.partial, &number), (folder, name)))
            .map_err(|error| BuildError::io(&path, "cannot be written", error))
    }
}

/// Locks a folder that is a data folder or may become one, and marks it as such.
fn take_hold(folder: &GuardedFolder, path: &Path, disk: &dyn Disk) -> Result<File, BuildError> {
    let fail = |error| BuildError::io(path, "cannot be written", error);
    let refused = |why| Err(BuildError::new(path, "cannot be compiled into", why));
    let names = folder.names()?;
    if !names.is_empty() && !names.iter().any(|name| name == "lock") {
        return refused(
            "there are files in it, and it is no data folder; name an empty folder or a new one",
        );
    }
    let mut lock = folder.open_or_create("lock")?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return refused(
                "another compile writes to it; wait for it, or compile into another folder",
            );
        }
        Err(TryLockError::Error(error)) => return Err(fail(error)),
    }
    let mut mark = Vec::new();
    (&lock).take(MARK.len() as u64 + 1).read_to_end(&mut mark).map_err(fail)?;
    if mark == MARK {
        return Ok(lock);
    }
    // A compile that was killed has marked it in part, and older versions left the file empty.
    if MARK.starts_with(&mark) && has_old_form(folder)? {
        lock.rewind().map_err(fail)?;
        disk.fill(&lock, MARK).map_err(fail)?;
        return Ok(lock);
    }
    refused(
        "its file `lock` is not that of a data folder; name an empty folder or a new one, or delete this one",
    )
}

#[cfg(test)]
mod tests {
    use super::DataFolder;
    use crate::disk::RealDisk;

    /// As a child of another thread has the file open between its fork and its program.
    #[test]
    fn a_folder_is_let_go_though_the_lock_is_open_elsewhere() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let (project, data) = (place.path(), place.path().join("data"));
        let first = DataFolder::open(project, &data, &RealDisk).expect("it is empty");
        assert!(DataFolder::open(project, &data, &RealDisk).is_err(), "the first has it");
        let elsewhere = first.lock.try_clone().expect("a second handle");
        drop(first);
        assert!(DataFolder::open(project, &data, &RealDisk).is_ok(), "the first let it go");
        drop(elsewhere);
    }
}
