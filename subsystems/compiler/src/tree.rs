//! The project folder as it was at one moment: which files and folders are there, and when they
//! last changed.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use loligo_resources::ContentHash;

use crate::error::{BuildError, CompileError, ResourceError};
use crate::folder_error::{FolderError, FolderErrorKind};
use crate::hash::{PieceHasher, hash_of_pieces};
use crate::source_file::{leads_out, read_regular};

mod built_in;

/// How long after its last change a file may still change without its times showing it: file
/// systems count as coarsely as 2 s.
const SETTLING_SECONDS: u64 = 2;

/// A file or a folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// Its name, without the folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// What the system says about a file without opening it. Where it is as it was, the contents are as
/// they were.
///
/// On Unix the time of the last change of anything about the file is part of it, which no program
/// can set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes of the file.
    pub bytes: u64,
    /// The number of the file, where the system has one.
    pub inode: u64,
    /// When its contents changed, seconds since 1970.
    pub modified_seconds: u64,
    /// And nanoseconds.
    pub modified_nanoseconds: u64,
    /// When anything about it changed, where the system records that.
    pub changed_seconds: u64,
    /// And nanoseconds.
    pub changed_nanoseconds: u64,
}

impl Stamp {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: metadata.len(),
            inode: metadata.ino(),
            modified_seconds: metadata.mtime().cast_unsigned(),
            modified_nanoseconds: metadata.mtime_nsec().cast_unsigned(),
            changed_seconds: metadata.ctime().cast_unsigned(),
            changed_nanoseconds: metadata.ctime_nsec().cast_unsigned(),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().unwrap_or(SystemTime::now());
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            bytes: metadata.len(),
            modified_seconds: since.as_secs(),
            modified_nanoseconds: since.subsec_nanos().into(),
            ..Self::default()
        }
    }

    /// Returns all of it as numbers, to be hashed or written.
    pub(crate) const fn numbers(&self) -> [u64; 6] {
        [
            self.bytes,
            self.inode,
            self.modified_seconds,
            self.modified_nanoseconds,
            self.changed_seconds,
            self.changed_nanoseconds,
        ]
    }

    /// Returns `true` if the file's last change is so long ago that any later one would show.
    pub(crate) fn is_settled(&self, now_seconds: u64) -> bool {
        // On Unix nobody can set the second one; elsewhere it is 0 and the first must do.
        let newest = if cfg!(unix) { self.changed_seconds } else { self.modified_seconds };
        newest.saturating_add(SETTLING_SECONDS) < now_seconds
            && self.modified_seconds.saturating_add(SETTLING_SECONDS) < now_seconds
    }
}

/// Returns the time, in seconds since 1970.
pub(crate) fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Every file and folder of a project. What begins with a dot is not there, nor is the data folder;
/// links to files are followed, links to folders are not. A link to a file that is not in the
/// project, a pipe, a socket and a device are there and cannot be read. Sources that come with the
/// program are there where the project has nothing of their path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SourceTree {
    /// In order of the paths.
    files: Vec<(Arc<str>, Stamp)>,
    /// What is in each folder, in order of the names.
    folders: HashMap<Arc<str>, Vec<FolderEntry>>,
    /// Those of the files that may not be read.
    refused: BTreeMap<Arc<str>, FileError>,
    /// Those of the files that come with the program.
    built_in: BTreeMap<Arc<str>, &'static [u8]>,
    /// Files whose names are not UTF-8 or not printable.
    pub(crate) errors: Vec<ResourceError>,
}

impl SourceTree {
    /// Looks at a project, but not at `data`, and adds the sources that come with the program.
    /// Returns nothing as soon as `goes_on`, which is asked at each folder, returns `false`.
    pub(crate) fn scan_while(
        project: &Path,
        data: &Path,
        built_in: impl Iterator<Item = (&'static str, &'static [u8])>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, BuildError> {
        let mut tree = Self::default();
        // A folder that is not there cannot be met.
        let data = fs::canonicalize(data).ok();
        let mut waiting = vec![(PathBuf::from(project), String::new())];
        while let Some((folder, prefix)) = waiting.pop() {
            if !goes_on() {
                return Ok(None);
            }
            let Some(seen) = tree.look_into(project, &folder, &prefix)? else { continue };
            let (mut entries, mut inner) = (Vec::with_capacity(seen.len()), Vec::new());
            let mut path = prefix.clone();
            for (name, kind) in seen {
                path.truncate(prefix.len());
                path.push_str(&name);
                match kind {
                    Kind::File(stamp, refusal) => {
                        let path: Arc<str> = path.as_str().into();
                        tree.refused.extend(refusal.map(|refusal| (path.clone(), refusal)));
                        tree.files.push((path, stamp));
                        entries.push(FolderEntry { name, is_folder: false });
                    }
                    Kind::Folder => {
                        let place = folder.join(&name);
                        let is_data =
                            |data: &PathBuf| fs::canonicalize(&place).is_ok_and(|it| it == *data);
                        // Only a name that is the data folder's can be it.
                        let may_be = data.as_ref().filter(|data| data.ends_with(&name));
                        if may_be.is_some_and(is_data) {
                            continue;
                        }
                        entries.push(FolderEntry { name, is_folder: true });
                        inner.push((place, format!("{path}/")));
                    }
                    Kind::Other => {}
                }
            }
            // The first is the next one, so that the files are nearly in order.
            waiting.extend(inner.into_iter().rev());
            let own = prefix.strip_suffix('/').unwrap_or(&prefix);
            tree.folders.insert(own.into(), entries);
        }
        // Few runs are merged, where sorting would compare each path with many.
        tree.files.sort_by(|a, b| a.0.cmp(&b.0));
        tree.add_built_in(built_in);
        tree.errors.sort_unstable_by(|a, b| a.error.file.cmp(&b.error.file));
        Ok(Some(tree))
    }

    /// Looks into a folder, and returns what is in it in order of the names; nothing if it is gone.
    fn look_into(
        &mut self,
        project: &Path,
        folder: &Path,
        prefix: &str,
    ) -> Result<Option<Vec<(String, Kind)>>, BuildError> {
        let fail = |error| BuildError::io(folder, "cannot read the folder", error);
        let mut seen = Vec::new();
        let found = match fs::read_dir(folder) {
            // It was there a moment ago, when the folder that it is in was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !prefix.is_empty() => {
                return Ok(None);
            }
            found => found.map_err(fail)?,
        };
        for found in found {
            let found = found.map_err(fail)?;
            let name = match found.file_name().into_string() {
                Ok(name) => name,
                Err(raw) => {
                    self.errors.push(unnamed(&format!("{prefix}{}", raw.to_string_lossy())));
                    continue;
                }
            };
            if name.contains(char::is_control) {
                self.errors.push(unprintable(&format!("{prefix}{name}")));
                continue;
            }
            if !name.starts_with('.') {
                let kind = kind(project, &found).map_err(fail)?;
                seen.push((name, kind));
            }
        }
        seen.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(Some(seen))
    }

    /// Returns the files, in order of the paths.
    pub(crate) fn files(&self) -> &[(Arc<str>, Stamp)] {
        &self.files
    }

    /// Returns a file's stamp, and its path to be shared.
    pub(crate) fn file(&self, path: &str) -> Option<&(Arc<str>, Stamp)> {
        let at = self.files.binary_search_by(|(file, _)| (**file).cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Reads one of the files.
    pub(crate) fn read(&self, project: &Path, path: &str) -> Result<Vec<u8>, FolderError> {
        if let Some(bytes) = self.built_in.get(path) {
            return Ok(bytes.to_vec());
        }
        let place = project.join(path);
        match self.refused.get(path) {
            Some(FileError::Outside) => Err(FolderError::new(&place, FolderErrorKind::Outside)),
            Some(FileError::NotAFile) => Err(FolderError::new(&place, FolderErrorKind::NotAFile)),
            None => read_regular(&place),
        }
    }

    /// Looks again at a file, and returns its path; nothing if it was not there, is not a regular file
    /// any more, or may not be read.
    pub(crate) fn look_again(&mut self, project: &Path, path: &str) -> Option<Arc<str>> {
        if self.refused.contains_key(path) || self.built_in.contains_key(path) {
            return None;
        }
        let at = self.files.binary_search_by(|(file, _)| (**file).cmp(path)).ok()?;
        let place = project.join(path);
        // A folder on the way may be a link now, which is not followed.
        let is_there = fs::canonicalize(&place).ok()? == fs::canonicalize(project).ok()?.join(path);
        let found =
            fs::symlink_metadata(&place).ok().filter(|found| is_there && found.is_file())?;
        let (path, stamp) = self.files.get_mut(at)?;
        *stamp = Stamp::of(&found);
        Some(path.clone())
    }

    /// Returns what is in a folder.
    pub(crate) fn folder(&self, path: &str) -> Option<&[FolderEntry]> {
        self.folders.get(path).map(Vec::as_slice)
    }

    /// Returns the paths of all folders, in order.
    pub(crate) fn folders_in_order(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.folders.keys().map(|path| &**path).collect();
        folders.sort_unstable();
        folders
    }

    /// Returns the hash of all that was seen.
    pub(crate) fn hash(&self) -> ContentHash {
        let mut hasher = PieceHasher::default();
        for (path, stamp) in &self.files {
            hasher.bytes(path.as_bytes());
            hasher.numbers(stamp.numbers());
        }
        // A folder without a file in it is in no path, and may be listed.
        for folder in self.folders_in_order() {
            hasher.bytes(folder.as_bytes());
        }
        for path in self.refused.keys() {
            hasher.bytes(path.as_bytes());
        }
        for error in &self.errors {
            hasher.bytes(error.error.file.as_bytes());
        }
        hasher.numbers([self.files.len(), self.folders.len(), self.errors.len()].map(|n| n as u64));
        hasher.finish()
    }

    /// Returns whether the same files are there as in another, of whichever contents.
    pub(crate) fn has_the_files_of(&self, other: &Self) -> bool {
        let paths = self.files.iter().map(|(path, _)| path);
        self.files.len() == other.files.len()
            && self.built_in.len() == other.built_in.len()
            && paths.eq(other.files.iter().map(|(path, _)| path))
            && self.built_in.keys().eq(other.built_in.keys())
    }

    /// Returns the hash of the names in a folder.
    pub(crate) fn listing_hash(&self, path: &str) -> Option<ContentHash> {
        let entries = self.folder(path)?;
        let pieces = entries.iter().flat_map(|entry| {
            let kind: &[u8] = if entry.is_folder { b"folder" } else { b"file" };
            [kind, entry.name.as_bytes()]
        });
        Some(hash_of_pieces(&pieces.collect::<Vec<_>>()))
    }
}

/// Why a file of the project may not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileError {
    /// It is a link to a file that is not in the project.
    Outside,
    /// It is a pipe, a socket or a device, or a link to one.
    NotAFile,
}

enum Kind {
    File(Stamp, Option<FileError>),
    Folder,
    /// Nothing that a project is made of, or gone meanwhile.
    Other,
}

fn kind(project: &Path, found: &fs::DirEntry) -> io::Result<Kind> {
    let gone = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Ok(Kind::Other),
        _ => Err(error),
    };
    let own = match found.metadata() {
        Ok(own) => own,
        Err(error) => return gone(error),
    };
    if own.is_dir() {
        return Ok(Kind::Folder);
    }
    if !own.is_symlink() {
        let refusal = (!own.is_file()).then_some(FileError::NotAFile);
        return Ok(Kind::File(Stamp::of(&own), refusal));
    }
    // Of a file that may not be read only the link's own stamp is recorded.
    let refused = |refusal| Ok(Kind::File(Stamp::of(&own), Some(refusal)));
    match fs::metadata(found.path()) {
        Ok(target) if target.is_dir() => Ok(Kind::Other),
        Ok(target) if !target.is_file() => refused(FileError::NotAFile),
        Ok(target) => match leads_out(project, &found.path()) {
            Ok(false) => Ok(Kind::File(Stamp::of(&target), None)),
            Ok(true) => refused(FileError::Outside),
            Err(error) => gone(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kind::Other),
        // It leads in a circle, or where this user may not look.
        Err(_) => refused(FileError::Outside),
    }
}

fn unnamed(path: &str) -> ResourceError {
    wrong_name(path, "the name is not UTF-8")
}

fn unprintable(path: &str) -> ResourceError {
    wrong_name(path, "the name has a control character")
}

fn wrong_name(path: &str, reason: &str) -> ResourceError {
    // Printed as it is, such a name could be read as two, or as a command for a terminal.
    let mut shown = String::new();
    for char in path.chars() {
        match char.is_control() {
            true => shown.extend(char.escape_default()),
            false => shown.push(char),
        }
    }
    let error = CompileError::new(reason, "rename the file").in_file(shown);
    ResourceError { resource: None, error, is_kept: false }
}
