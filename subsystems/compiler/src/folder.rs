//! The data folder, held by one compile at a time.
//!
//! ```text
//! lock           held while a compile writes; that it is there says that this is a data folder
//! blobs/<hash>   a resource each, called after the hash of its bytes
//! resources      the table: which file holds which variant of which resource
//! names          from hashes to names
//! index          what each resource was made of
//! look           what a compile that had nothing to do looked at
//! partial/       files that are being written
//! ```
//!
//! A file is written in `partial` and then renamed, so that it is there whole or not at all. Blobs come first, then the
//! table, then the names, then the index; what nothing names any more goes last. So at each moment the table leads to
//! files that are there, and the index tells no more than what is true.

use core::sync::atomic::{AtomicU64, Ordering};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use loligo_resources::ContentHash;

use crate::disk::Disk;
use crate::error::BuildError;
use crate::index::{Index, IndexError, Output};
use crate::tree::Stamp;

/// The blobs that are there and their lengths, in order.
#[derive(Debug, Default)]
pub(crate) struct Blobs(Vec<(ContentHash, u64)>);

impl Blobs {
    /// Returns the length of a blob, if it is there. O(log blobs).
    pub(crate) fn bytes_of(&self, file: ContentHash) -> Option<u64> {
        let at = self.0.binary_search_by(|(other, _)| other.0.cmp(&file.0)).ok()?;
        self.0.get(at).map(|(_, bytes)| *bytes)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ContentHash, u64)> + '_ {
        self.0.iter().copied()
    }
}

/// The data folder of a compile, locked until it is dropped.
pub(crate) struct DataFolder<'d> {
    path: PathBuf,
    disk: &'d dyn Disk,
    /// Numbers files that are being written.
    next: AtomicU64,
    lock: File,
}

impl Drop for DataFolder<'_> {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that another thread is just starting has it open, too, for a moment,
        // and would hold the lock. Where it cannot be let go, it goes with the last who has it open.
        let _ = self.lock.unlock();
    }
}

impl<'d> DataFolder<'d> {
    /// Makes the folder where it is not there, takes hold of it, and takes away what a compile that was killed left half
    /// written.
    pub(crate) fn open(path: &Path, disk: &'d dyn Disk) -> Result<Self, BuildError> {
        let lock = path.join("lock");
        if !lock.exists() && path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            let why = "there are files in it, and it is no data folder; name an empty folder or a new one";
            return Err(BuildError::new(path, "cannot be compiled into", why));
        }
        let fail = |error| BuildError::io(path, "cannot be written", error);
        disk.create_folder(path).map_err(fail)?;
        if !lock.exists() {
            disk.write(&lock, b"").map_err(fail)?;
        }
        let file = File::open(&lock).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why =
                    "another compile writes to it; wait for it, or compile into another folder";
                return Err(BuildError::new(path, "cannot be compiled into", why));
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        let folder = Self { path: path.to_owned(), disk, next: AtomicU64::new(0), lock: file };
        for inner in ["blobs", "partial"] {
            disk.create_folder(&path.join(inner)).map_err(fail)?;
        }
        for left in path.join("partial").read_dir().map_err(fail)? {
            disk.remove(&left.map_err(fail)?.path()).map_err(fail)?;
        }
        Ok(folder)
    }

    /// Reads the index; none if there is none.
    pub(crate) fn index(&self) -> Result<Option<Result<Index, IndexError>>, BuildError> {
        let path = self.path.join("index");
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(Index::from_bytes(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BuildError::io(&path, "cannot be read", error)),
        }
    }

    /// Reads a file of the folder, if there is one that can be read.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path.join(name)).ok()
    }

    /// Returns the stamp of a file of the folder, if it is there.
    pub(crate) fn stamp(&self, name: &str) -> Result<Option<Stamp>, BuildError> {
        let path = self.path.join(name);
        match fs::metadata(&path) {
            Ok(metadata) => Ok(Some(Stamp::of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BuildError::io(&path, "cannot be read", error)),
        }
    }

    /// Returns the blobs that are there.
    pub(crate) fn blobs(&self) -> Result<Blobs, BuildError> {
        let path = self.path.join("blobs");
        let fail = |error| BuildError::io(&path, "cannot be read", error);
        let mut blobs = Vec::new();
        for entry in path.read_dir().map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let hash = ContentHash::from_hex(entry.file_name().as_encoded_bytes());
            if let Some(hash) = hash {
                blobs.push((hash, entry.metadata().map_err(fail)?.len()));
            }
        }
        blobs.sort_unstable_by_key(|(file, _)| file.0);
        Ok(Blobs(blobs))
    }

    /// Writes a blob, and returns what it is called.
    pub(crate) fn put_blob(&self, bytes: &[u8]) -> Result<Output, BuildError> {
        let file = crate::hash::hash_of(bytes);
        self.put(&format!("blobs/{file}"), bytes)?;
        Ok(Output { file, bytes: bytes.len() as u64 })
    }

    /// Takes a blob away.
    pub(crate) fn remove_blob(&self, file: ContentHash) -> Result<(), BuildError> {
        let path = self.path.join(format!("blobs/{file}"));
        self.disk.remove(&path).map_err(|error| BuildError::io(&path, "cannot be removed", error))
    }

    /// Writes a file of the folder, unless it is so already.
    pub(crate) fn put_changed(&self, name: &str, bytes: &[u8]) -> Result<(), BuildError> {
        match fs::read(self.path.join(name)) {
            Ok(found) if found == bytes => Ok(()),
            _ => self.put(name, bytes),
        }
    }

    /// Writes a file of the folder: beside its place, then renamed to it.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BuildError> {
        // Each file has a number of its own; nothing else hangs on it.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let partial = self.path.join(format!("partial/{number}"));
        let path = self.path.join(name);
        let written = self.disk.write(&partial, bytes);
        written
            .and_then(|()| self.disk.rename(&partial, &path))
            .map_err(|error| BuildError::io(&path, "cannot be written", error))
    }
}

#[cfg(test)]
mod tests {
    use super::DataFolder;
    use crate::disk::RealDisk;

    /// As a child of another thread has the file open between its fork and its program.
    #[test]
    fn a_folder_is_let_go_though_the_lock_is_open_elsewhere() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let first = DataFolder::open(place.path(), &RealDisk).expect("it is empty");
        assert!(DataFolder::open(place.path(), &RealDisk).is_err(), "the first has it");
        let elsewhere = first.lock.try_clone().expect("a second handle");
        drop(first);
        assert!(DataFolder::open(place.path(), &RealDisk).is_ok(), "the first let it go");
        drop(elsewhere);
    }
}
