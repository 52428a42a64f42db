//! Files that are there whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that will be written at the end, and could be when it was prepared.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    /// Where it is written before it is renamed; none where the path is a device or a pipe, which is
    /// written to and never replaced.
    beside: Option<PathBuf>,
}

/// A file that cannot be written.
#[derive(Debug)]
pub(crate) struct OutputError {
    path: PathBuf,
    cause: io::Error,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: cannot write: {}; name a file in a folder that may be written",
            self.path.display(),
            self.cause
        )
    }
}

impl Output {
    /// Makes sure that a file can be written at `path`, and leaves nothing there.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if it cannot.
    pub(crate) fn prepare(path: &Path) -> Result<Self, OutputError> {
        let fail = |cause| OutputError { path: path.to_owned(), cause };
        // A link is followed, so that what it points to is replaced and not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        if path.exists() && !path.is_file() {
            OpenOptions::new().write(true).open(&path).map_err(fail)?;
            return Ok(Self { path, beside: None });
        }
        let name = path.file_name().ok_or_else(|| fail(io::ErrorKind::InvalidInput.into()))?;
        let hidden = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let beside = path.with_file_name(hidden);
        File::create_new(&beside).map_err(fail)?;
        fs::remove_file(&beside).map_err(fail)?;
        Ok(Self { path, beside: Some(beside) })
    }

    /// Writes the file: beside its place, then renamed to it.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if the system refuses; the old file, if there was one, is then as it was.
    pub(crate) fn write(&self, contents: &[u8]) -> Result<(), OutputError> {
        let fail = |cause| OutputError { path: self.path.clone(), cause };
        let Some(beside) = &self.beside else {
            let mut file = OpenOptions::new().write(true).open(&self.path).map_err(fail)?;
            return file.write_all(contents).map_err(fail);
        };
        let written = write_whole(beside, contents)
            .and_then(|()| match fs::metadata(&self.path) {
                // What replaces a file may be read and written by whom the file was.
                Ok(old) => fs::set_permissions(beside, old.permissions()),
                Err(_) => Ok(()),
            })
            .and_then(|()| fs::rename(beside, &self.path))
            .map_err(fail);
        if written.is_err() {
            // The first error is the one to tell; a part that cannot be removed either is no news.
            let _ = fs::remove_file(beside);
        }
        written
    }
}

fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(contents)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
