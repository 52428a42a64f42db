//! Reading a source.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::folder_error::{FolderError, FolderErrorKind};
use crate::guarded_folder::read_bounded;

/// The most bytes that a source may have.
pub const SOURCE_BYTES_MAX: u64 = 1 << 30;

/// Reads a file of a project as a compiler would: a regular file of at most [`SOURCE_BYTES_MAX`]
/// bytes, reached by steps none of which begins with a dot. Links are followed where they stay in
/// the project. Nothing if there is no such file.
///
/// # Errors
///
/// [`FolderError`] if the path or a link leads out of the project, the file is not a regular file
/// or too long, or it cannot be read.
pub fn read_source(project: &Path, path: &str) -> Result<Option<Vec<u8>>, FolderError> {
    let place = project.join(path);
    if !is_source_path(path) {
        return Err(FolderError::new(&place, FolderErrorKind::Outside));
    }
    match leads_out(project, &place) {
        Ok(false) => read_regular(&place).map(Some),
        Ok(true) => Err(FolderError::new(&place, FolderErrorKind::Outside)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FolderError::io(&place, error)),
    }
}

/// Returns `true` if a path is that of a file of a project: of steps with `/` between, none of
/// which begins with a dot.
pub(crate) fn is_source_path(path: &str) -> bool {
    let is_step = |step: &str| !step.is_empty() && !step.starts_with('.') && !step.contains('\\');
    path.split('/').all(is_step)
        && Path::new(path).components().all(|step| matches!(step, Component::Normal(_)))
}

/// Returns `true` if a path leads out of a project once links are followed.
pub(crate) fn leads_out(project: &Path, path: &Path) -> io::Result<bool> {
    let project = if project.as_os_str().is_empty() { Path::new(".") } else { project };
    Ok(!fs::canonicalize(path)?.starts_with(fs::canonicalize(project)?))
}

/// Reads a regular file whose links were judged before. A pipe is refused, not waited for.
pub(crate) fn read_regular(path: &Path) -> Result<Vec<u8>, FolderError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = openat(CWD, path, flags, Mode::empty());
    let file = File::from(opened.map_err(|error| FolderError::io(path, error.into()))?);
    let about = file.metadata().map_err(|error| FolderError::io(path, error))?;
    if !about.is_file() {
        return Err(FolderError::new(path, FolderErrorKind::NotAFile));
    }
    read_bounded(file, path, SOURCE_BYTES_MAX)
}
