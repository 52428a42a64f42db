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
        let fill = |file: &mut dyn Write| file.write_all(contents);
        self.write_by(fill)?.map_err(|cause| OutputError { path: self.path.clone(), cause })
    }

    /// Writes the file as [`write`](Self::write) does, by a function that puts the contents into it. What
    /// that function returns comes back; if it is an error, no file is left.
    ///
    /// # Errors
    ///
    /// As there.
    pub(crate) fn write_by<T, E>(
        &self,
        fill: impl FnOnce(&mut dyn Write) -> Result<T, E>,
    ) -> Result<Result<T, E>, OutputError> {
        let fail = |cause| OutputError { path: self.path.clone(), cause };
        let Some(beside) = &self.beside else {
            let mut file = OpenOptions::new().write(true).open(&self.path).map_err(fail)?;
            return Ok(fill(&mut file));
        };
        let written = File::create(beside).and_then(|mut file| {
            let filled = fill(&mut file);
            if filled.is_ok() {
                file.sync_all()?;
                fs::rename(beside, &self.path)?;
            }
            Ok(filled)
        });
        if !matches!(written, Ok(Ok(_))) {
            // The first error is the one to tell; a part that cannot be removed either is no news.
            let _ = fs::remove_file(beside);
        }
        written.map_err(fail)
    }

    /// Returns where the file will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests;
