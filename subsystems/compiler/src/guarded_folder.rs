//! A folder whose contents are reached without following a link.
//!
//! A project is often cloned, so that its author is unknown, and a link in it can lead to any file
//! of the user. Every step below the folder is opened from the handle of the folder before, with
//! `O_NOFOLLOW`; nothing is opened by a path that the system walks on its own. Files are opened
//! with `O_NONBLOCK`, so that a pipe does not wait for its other end, and are refused unless they
//! are regular.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::folder_error::{FolderError, FolderErrorKind};

mod replace;
#[cfg(test)]
mod tests;

/// What an entry of a folder is. A link is a link, whatever it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

/// An open folder. Names of its entries are single steps: a name with a separator, `.` and `..` are
/// refused.
///
/// # Examples
///
/// ```
/// use loligo_compiler::GuardedFolder;
///
/// # let place = tempfile::tempdir()?;
/// # std::fs::create_dir(place.path().join("kept"))?;
/// # std::fs::write(place.path().join("kept/file"), "kept")?;
/// std::os::unix::fs::symlink("kept", place.path().join("link"))?;
/// let folder = GuardedFolder::open(place.path())?;
/// let error = folder.enter("link").expect_err("it is a link");
/// assert!(error.to_string().ends_with("is a link, and no link is followed here; remove it"));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GuardedFolder {
    handle: OwnedFd,
    path: PathBuf,
}

/// How folders are opened, all but the first one.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How files are opened, besides reading or writing.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl GuardedFolder {
    /// Opens a folder that the user has named. Links on the way to it are followed: they are the
    /// user's.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if there is no such folder, or it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let shown = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = fs::openat(CWD, shown, flags, Mode::empty())
            .map_err(|error| FolderError::io(path, error.into()))?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Opens a folder in it.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if it is a link or not a folder, or cannot be opened.
    pub fn enter(&self, name: impl AsRef<OsStr>) -> Result<Self, FolderError> {
        let name = self.step(name.as_ref())?;
        let path = self.path.join(name);
        match fs::openat(&self.handle, name, FOLDER, Mode::empty()) {
            Ok(handle) => Ok(Self { handle, path }),
            Err(error) => Err(self.refusal(name, error, FolderErrorKind::NotAFolder)),
        }
    }

    /// Makes a folder in it; one that is there stays. What else is there is found by
    /// [`enter`](Self::enter).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn create_folder(&self, name: impl AsRef<OsStr>) -> Result<(), FolderError> {
        let name = self.step(name.as_ref())?;
        match fs::mkdirat(&self.handle, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(FolderError::io(&self.path.join(name), error.into())),
        }
    }

    /// Returns what an entry is; `None` if there is no entry of this name.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn kind(&self, name: impl AsRef<OsStr>) -> Result<Option<EntryKind>, FolderError> {
        let name = self.step(name.as_ref())?;
        match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(kind_of(FileType::from_raw_mode(found.st_mode)))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(FolderError::io(&self.path.join(name), error.into())),
        }
    }

    /// Returns the names in it, in no order.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn names(&self) -> Result<Vec<OsString>, FolderError> {
        let fail = |error: Errno| FolderError::io(&self.path, error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Opens a regular file for reading; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if it is a link or not a regular file, or cannot be opened.
    pub fn open_file(&self, name: impl AsRef<OsStr>) -> Result<Option<File>, FolderError> {
        match self.open_regular(name.as_ref(), OFlags::RDONLY) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.io_kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a regular file of at most `bytes_max` bytes; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if it is a link, not a regular file or too long, or cannot be read.
    pub fn read(
        &self,
        name: impl AsRef<OsStr>,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, FolderError> {
        let name = name.as_ref();
        let Some(file) = self.open_file(name)? else { return Ok(None) };
        read_bounded(file, &self.path.join(name), bytes_max).map(Some)
    }

    /// Reads a regular file by a path of single steps, `a/b/c`; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read), and if one of the steps is a link, `.`, `..` or empty, or the path
    /// is absolute.
    pub fn read_below(&self, path: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, FolderError> {
        for step in path.split('/') {
            self.step(step.as_ref())?;
        }
        let Some((folder, rest)) = path.split_once('/') else { return self.read(path, bytes_max) };
        match self.kind(folder)? {
            None => Ok(None),
            Some(_) => self.enter(folder)?.read_below(rest, bytes_max),
        }
    }

    /// Returns what the system says of the folder itself.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        File::from(self.handle.try_clone()?).metadata()
    }

    /// Returns the regular files whose names `read` knows, and how many bytes each has.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if one of these is something else, and what the system says.
    pub(crate) fn lengths<T>(
        &self,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<(T, u64)>, FolderError> {
        let fail = |error: Errno| FolderError::io(&self.path, error.into());
        let mut lengths = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name();
            let Some(known) = read(name.to_bytes()) else { continue };
            // The name comes from the folder, so it is a single step.
            let found = match fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => found,
                // It was removed since it was listed.
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(fail(error)),
            };
            let wrong = match kind_of(FileType::from_raw_mode(found.st_mode)) {
                EntryKind::File => {
                    lengths.push((known, u64::try_from(found.st_size).unwrap_or_default()));
                    continue;
                }
                EntryKind::Link => FolderErrorKind::Link,
                _ => FolderErrorKind::NotAFile,
            };
            return Err(FolderError::new(
                &self.path.join(OsStr::from_bytes(name.to_bytes())),
                wrong,
            ));
        }
        Ok(lengths)
    }

    /// Opens a regular file for reading and writing, and creates it if it does not exist.
    pub(crate) fn open_or_create(&self, name: &str) -> Result<File, FolderError> {
        self.open_regular(name.as_ref(), OFlags::RDWR | OFlags::CREATE)
    }

    /// Makes a new file for writing.
    ///
    /// # Errors
    ///
    /// What the system says; also where there is an entry of that name, of whichever kind.
    pub fn create_file(&self, name: impl AsRef<OsStr>) -> Result<File, FolderError> {
        let name = self.step(name.as_ref())?;
        let flags = FILE | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        fs::openat(&self.handle, name, flags, Mode::from_raw_mode(0o666))
            .map(File::from)
            .map_err(|error| FolderError::io(&self.path.join(name), error.into()))
    }

    /// Gives a file another name, in place of what had it; a link is replaced and not followed.
    ///
    /// # Errors
    ///
    /// What the system says: a folder is not replaced.
    pub fn rename(
        &self,
        from: impl AsRef<OsStr>,
        folder: &Self,
        to: impl AsRef<OsStr>,
    ) -> Result<(), FolderError> {
        let (from, to) = (self.step(from.as_ref())?, folder.step(to.as_ref())?);
        fs::renameat(&self.handle, from, &folder.handle, to).map_err(|error| match error {
            Errno::ISDIR => FolderError::new(&folder.path.join(to), FolderErrorKind::NotAFile),
            error => FolderError::io(&folder.path.join(to), error.into()),
        })
    }

    /// Removes a file, or a link and not what it leads to.
    ///
    /// # Errors
    ///
    /// What the system says: a folder is not removed.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> Result<(), FolderError> {
        let name = self.step(name.as_ref())?;
        fs::unlinkat(&self.handle, name, AtFlags::empty())
            .map_err(|error| FolderError::io(&self.path.join(name), error.into()))
    }

    /// Returns where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open_regular(&self, name: &OsStr, flags: OFlags) -> Result<File, FolderError> {
        let name = self.step(name)?;
        let opened = fs::openat(&self.handle, name, FILE | flags, Mode::from_raw_mode(0o666));
        let file = opened.map(File::from);
        let file = file.map_err(|error| self.refusal(name, error, FolderErrorKind::NotAFile))?;
        let fail = |error| FolderError::io(&self.path.join(name), error);
        if file.metadata().map_err(fail)?.is_file() {
            Ok(file)
        } else {
            Err(FolderError::new(&self.path.join(name), FolderErrorKind::NotAFile))
        }
    }

    /// Says why an entry could not be opened: what it is, where that is the reason.
    fn refusal(&self, name: &OsStr, error: Errno, wanted: FolderErrorKind) -> FolderError {
        let path = self.path.join(name);
        let kind = self.kind(name).ok().flatten();
        match kind {
            Some(EntryKind::Link) => FolderError::new(&path, FolderErrorKind::Link),
            // A pipe without a reader, a socket, a folder that is to be written.
            Some(EntryKind::Special) => FolderError::new(&path, wanted),
            Some(EntryKind::Folder) if matches!(wanted, FolderErrorKind::NotAFile) => {
                FolderError::new(&path, wanted)
            }
            Some(EntryKind::File) if matches!(wanted, FolderErrorKind::NotAFolder) => {
                FolderError::new(&path, wanted)
            }
            _ => FolderError::io(&path, error.into()),
        }
    }

    /// Refuses what is not the name of an entry.
    fn step<'n>(&self, name: &'n OsStr) -> Result<&'n OsStr, FolderError> {
        let mut steps = Path::new(name).components();
        let is_step = matches!((steps.next(), steps.next()), (Some(Component::Normal(step)), None)
            if step == name);
        if is_step && !name.as_bytes().contains(&0) {
            Ok(name)
        } else {
            Err(FolderError::new(&self.path.join(name), FolderErrorKind::Name))
        }
    }
}

/// Reads a file to its end, but no more than `bytes_max` bytes of it.
pub(crate) fn read_bounded(
    file: File,
    path: &Path,
    bytes_max: u64,
) -> Result<Vec<u8>, FolderError> {
    let fail = |error| FolderError::io(path, error);
    let long = || FolderError::new(path, FolderErrorKind::TooLong { bytes_max });
    // What a file says of its length spares the reading; it may grow meanwhile.
    if file.metadata().map_err(fail)?.len() > bytes_max {
        return Err(long());
    }
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > bytes_max { Err(long()) } else { Ok(bytes) }
}

fn kind_of(kind: FileType) -> EntryKind {
    match kind {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    }
}
