//! A cache in a folder that several processes and machines share.
//!
//! ```text
//! cache                     says that this is a cache, and of which version
//! records/3f/3f..           the records, by the first byte of their keys
//! blobs/a0/a0..             the compiled bytes
//! partial/                  entries that are being written
//! ```
//!
//! An entry is written in `partial` under a name that no other process has, then renamed: so it is
//! there whole or not at all, whatever ends the writer. What a killed process leaves in `partial`
//! is removed by [`DirectoryStore::remove_leftovers`] after an hour.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

use loligo_resources::ContentHash;

use super::key::{CacheKey, CacheKind};
use super::store::{CacheStore, StoreError, StoredEntry};
use crate::disk::{Disk, RealDisk};
use crate::folder_error::FolderError;
use crate::guarded_folder::{GuardedFolder, read_bounded};

/// What the file `cache` holds.
const MARK: &[u8] = b"loligo cache 1\n";

/// How often another name for an entry that is being written is tried.
const TRIES: u32 = 64;

/// An entry that is read is marked as used if it was not for this time.
const MARKED: Duration = Duration::from_secs(24 * 3_600);

/// After this time a file in `partial` is no longer being written.
const LEFT: Duration = Duration::from_secs(3_600);

/// A cache in a folder. Any number of processes can read and write it at the same time.
pub struct DirectoryStore {
    folder: GuardedFolder,
    disk: Box<dyn Disk + Send + Sync>,
    /// Whether entries are written and marked as used.
    may_write: bool,
}

impl DirectoryStore {
    /// Opens a cache to read from it. Nothing in it is changed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if there is no such folder, or it is not a cache.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let folder = GuardedFolder::open(path).map_err(failed)?;
        let store = Self { folder, disk: Box::new(RealDisk), may_write: false };
        match store.folder.read("cache", MARK.len() as u64).map_err(failed)? {
            Some(mark) if mark == MARK => Ok(store),
            _ => Err(not_a_cache(path)),
        }
    }

    /// Opens a cache to read and write, and makes it if the folder is not there or empty.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be made, or the folder has something else in it.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Self::create_on(path, Box::new(RealDisk))
    }

    /// As [`create`](Self::create), on a test's disk, which fails.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn create_on(path: &Path, disk: Box<dyn Disk + Send + Sync>) -> Result<Self, StoreError> {
        let shown = path.display();
        let fail = |error: io::Error| StoreError::Failed(format!("{shown}: {error}"));
        std::fs::create_dir_all(path).map_err(fail)?;
        let folder = GuardedFolder::open(path).map_err(failed)?;
        let store = Self { folder, disk, may_write: true };
        match store.folder.read("cache", MARK.len() as u64) {
            Ok(Some(mark)) if mark == MARK => return Ok(store),
            Ok(None) => {}
            _ => return Err(not_a_cache(path)),
        }
        // Another process may be making it at this moment, so its folders may be there.
        let ours = |name: &OsStr| name == "partial" || name == "cache";
        if !store.folder.names().map_err(failed)?.iter().all(|name| ours(name)) {
            return Err(not_a_cache(path));
        }
        store.disk.create_folder(&store.folder, "partial").map_err(fail)?;
        store.write(&store.folder, "cache", MARK)?;
        Ok(store)
    }

    /// Removes what processes that were killed have left half written, and returns how many files
    /// that were.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if they cannot be listed.
    pub fn remove_leftovers(&self) -> Result<usize, StoreError> {
        let Some(partial) = self.enter(&["partial"])? else { return Ok(0) };
        let mut removed = 0;
        for name in partial.names().map_err(failed)? {
            let Some(text) = name.to_str().filter(|name| is_partial(name)) else { continue };
            // One that is renamed at this moment is gone, and one of another kind is not ours.
            let Ok(Some(file)) = partial.open_file(text) else { continue };
            if age(&file).is_some_and(|age| age > LEFT) {
                removed += usize::from(self.disk.remove(&partial, text).is_ok());
            }
        }
        Ok(removed)
    }

    /// Opens a folder of the cache, if it is there.
    fn enter(&self, steps: &[&str]) -> Result<Option<GuardedFolder>, StoreError> {
        let mut at = None;
        for step in steps {
            let folder = at.as_ref().unwrap_or(&self.folder);
            at = match folder.enter(step) {
                Ok(inner) => Some(inner),
                Err(error) if error.io_kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
        }
        Ok(at)
    }

    /// Opens the folder of an entry, and makes those on the way to it that are not there.
    fn make(&self, key: CacheKey) -> Result<GuardedFolder, StoreError> {
        let group = key.group();
        if let Some(folder) = self.enter(&[key.kind.folder(), &group])? {
            return Ok(folder);
        }
        let made = |folder: &GuardedFolder, name: &str| {
            self.disk.create_folder(folder, name).map_err(|error| self.io(error))?;
            folder.enter(name).map_err(failed)
        };
        made(&made(&self.folder, key.kind.folder())?, &group)
    }

    /// Writes a file under a name that no other process has, then renames it.
    fn write(&self, folder: &GuardedFolder, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let partial = self.folder.enter("partial").map_err(failed)?;
        let mut tries = 0;
        let number = loop {
            let number = partial_name();
            match self.disk.write(&partial, &number, bytes) {
                Ok(()) => break number,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                    tries += 1;
                }
                Err(error) => {
                    // Half a file may be there; the first error is the one to report.
                    let _ = self.disk.remove(&partial, &number);
                    return Err(self.io(error));
                }
            }
        };
        self.disk.rename((&partial, &number), (folder, name)).map_err(|error| self.io(error))
    }

    fn list_kind(&self, kind: CacheKind, entries: &mut Vec<StoredEntry>) -> Result<(), StoreError> {
        let Some(folder) = self.enter(&[kind.folder()])? else { return Ok(()) };
        for group in folder.names().map_err(failed)? {
            // What is not a folder is not ours.
            let Ok(inner) = folder.enter(&group) else { continue };
            for name in inner.names().map_err(failed)? {
                let Some(hash) = ContentHash::from_hex(name.as_encoded_bytes()) else { continue };
                let key = CacheKey { kind, hash };
                // Another process may remove it meanwhile.
                let Ok(Some(file)) = inner.open_file(&name) else { continue };
                let Ok(found) = file.metadata() else { continue };
                if group.as_encoded_bytes() == key.group().as_bytes() {
                    let used_seconds = found.modified().map_or(0, seconds);
                    entries.push(StoredEntry { key, bytes: found.len(), used_seconds });
                }
            }
        }
        Ok(())
    }

    fn io(&self, error: io::Error) -> StoreError {
        StoreError::Failed(format!("{}: {error}", self.folder.path().display()))
    }
}

impl CacheStore for DirectoryStore {
    fn place(&self) -> String {
        self.folder.path().display().to_string()
    }

    fn get(&self, key: CacheKey, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(folder) = self.enter(&[key.kind.folder(), &key.group()])? else {
            return Ok(None);
        };
        let name = key.hash.to_string();
        let Some(file) = folder.open_file(&name).map_err(failed)? else { return Ok(None) };
        if self.may_write && age(&file).is_some_and(|age| age > MARKED) {
            // That it was used decides only what is removed first.
            let _ = file.set_modified(SystemTime::now());
        }
        match file.metadata() {
            Ok(found) if found.len() > bytes_max => Err(StoreError::TooLong { bytes_max }),
            Ok(_) => {
                let path = folder.path().join(&name);
                read_bounded(file, &path, bytes_max).map(Some).map_err(failed)
            }
            Err(error) => Err(self.io(error)),
        }
    }

    fn put(&self, key: CacheKey, bytes: &[u8]) -> Result<(), StoreError> {
        let folder = self.make(key)?;
        self.write(&folder, &key.hash.to_string(), bytes)
    }

    fn list(&self) -> Result<Vec<StoredEntry>, StoreError> {
        let mut entries = Vec::new();
        for kind in CacheKind::ALL {
            self.list_kind(kind, &mut entries)?;
        }
        Ok(entries)
    }

    fn remove(&self, key: CacheKey) -> Result<(), StoreError> {
        let Some(folder) = self.enter(&[key.kind.folder(), &key.group()])? else { return Ok(()) };
        match self.disk.remove(&folder, &key.hash.to_string()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io(error)),
            _ => Ok(()),
        }
    }
}

/// Returns a name that no other process on any machine should have: one that has, by the flag that
/// a file must be new, is an error and another is tried.
fn partial_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{number}", now.as_nanos(), process::id())
}

fn is_partial(name: &str) -> bool {
    name.split('-').count() == 3 && name.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

fn age(file: &File) -> Option<Duration> {
    SystemTime::now().duration_since(file.metadata().ok()?.modified().ok()?).ok()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn failed(error: FolderError) -> StoreError {
    StoreError::Failed(error.to_string())
}

fn not_a_cache(path: &Path) -> StoreError {
    let path = path.display();
    StoreError::Failed(format!(
        "{path}: it is not a cache; name one, or with `--cache-mode write` an empty folder or a new one"
    ))
}
