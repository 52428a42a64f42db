//! The recordings of a fleet: files and folders, in an order that all processes agree on.

use core::error::Error;
use core::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::kept::RecordingFile;
use crate::trace::trace_name;

/// A recording by its name, which is that of its file without `.altrace` and `.zst`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recording {
    /// The name.
    pub name: String,
    /// The file.
    pub path: PathBuf,
}

/// Returns the recordings that are named, and those directly in the folders that are named, sorted
/// by name: processes that find the same files at other places have the same list.
///
/// # Errors
///
/// [`RecordingsError`] if a folder cannot be read, if there is no recording, or if two have the same
/// name, since their results would be one file.
pub fn recordings(paths: &[PathBuf]) -> Result<Vec<Recording>, RecordingsError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(in_folder(path)?);
        } else {
            files.push(path.clone());
        }
    }
    let mut found: Vec<Recording> =
        files.into_iter().map(|path| Recording { name: trace_name(&path), path }).collect();
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(RecordingsError::None(paths.to_vec()));
    }
    let same = found.windows(2).find(|pair| pair[0].name == pair[1].name);
    if let Some([first, second]) = same {
        let (first, second) = (first.path.clone(), second.path.clone());
        return Err(RecordingsError::SameName(first, second));
    }
    Ok(found)
}

/// Returns the files of a folder that are recordings by their names.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, RecordingsError> {
    let fail = |error| RecordingsError::Folder(folder.to_owned(), error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_recording = name.ends_with(".altrace") || name.ends_with(".altrace.zst");
        if is_recording && !name.starts_with('.') && path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

impl Recording {
    /// Returns the name of the file of its result.
    #[must_use]
    pub fn result_name(&self) -> String {
        format!("{}.json", self.name)
    }

    /// Returns what identifies its contents.
    ///
    /// # Errors
    ///
    /// [`RecordingsError`] if the file cannot be read.
    pub fn file(&self) -> Result<RecordingFile, RecordingsError> {
        let fail = |error| RecordingsError::File(self.path.clone(), error);
        let mut file = File::open(&self.path).map_err(fail)?;
        let mut fingerprint = Fingerprint::new();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    fingerprint.add(&buffer[..count]);
                    bytes += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        }
        Ok(RecordingFile { name: self.name.clone(), bytes, fingerprint: fingerprint.to_text() })
    }
}

/// FNV-1a of 64 bits: finds files that differ by accident, and is no defence against forgery.
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub(super) fn to_text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Why there is no list of recordings.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordingsError {
    /// A folder cannot be read.
    Folder(PathBuf, io::Error),
    /// A recording cannot be read.
    File(PathBuf, io::Error),
    /// Nothing that was named is a recording.
    None(Vec<PathBuf>),
    /// Two recordings have the same name.
    SameName(PathBuf, PathBuf),
}

impl fmt::Display for RecordingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path, error) => {
                write!(f, "{}: cannot read the folder: {error}", path.display())
            }
            Self::File(path, error) => write!(f, "{}: cannot read: {error}", path.display()),
            Self::None(paths) if paths.is_empty() => {
                f.write_str("no recording is named; name files, or folders of .altrace files")
            }
            Self::None(paths) => {
                let paths: Vec<String> =
                    paths.iter().map(|path| path.display().to_string()).collect();
                write!(
                    f,
                    "{}: no file there ends in .altrace or .altrace.zst; name files or folders \
                     that have some",
                    paths.join(", ")
                )
            }
            Self::SameName(first, second) => write!(
                f,
                "{} and {} have the same name, and so would their results; rename one",
                first.display(),
                second.display()
            ),
        }
    }
}

impl Error for RecordingsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Folder(_, error) | Self::File(_, error) => Some(error),
            Self::None(_) | Self::SameName(..) => None,
        }
    }
}
