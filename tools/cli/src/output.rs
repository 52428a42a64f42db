//! Files that are there whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use loligo_compiler::GuardedFolder;

/// How many names of unfinished files are tried.
const TRIES: u32 = 64;

/// A file that will be written at the end, and could be when it was prepared.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    /// Where it is written before it is renamed; none where the path is a device or a pipe, which
    /// is written to and never replaced.
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
    /// Makes sure that a file that the user has named can be written at `path`, and leaves nothing
    /// there. A link is followed, so that what it points to is replaced and not the link.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if it cannot.
    pub(crate) fn prepare(path: &Path) -> Result<Self, OutputError> {
        let fail = |cause| OutputError { path: path.to_owned(), cause };
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() && !path.is_dir() {
            OpenOptions::new().write(true).open(&path).map_err(fail)?;
            return Ok(Self { path, beside: None });
        }
        Self::beside(path)
    }

    /// As [`prepare`](Self::prepare), for a file that has its name from the program. What is there
    /// may be another's, so that a link is replaced and not followed, and a pipe or a device is
    /// refused.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if it cannot.
    pub(crate) fn prepare_own(path: &Path) -> Result<Self, OutputError> {
        let fail = |cause| OutputError { path: path.to_owned(), cause };
        match fs::symlink_metadata(path) {
            Ok(old) if !old.is_file() && !old.is_symlink() && !old.is_dir() => {
                Err(fail(io::Error::other("it is a pipe, a socket or a device")))
            }
            _ => Self::beside(path.to_owned()),
        }
    }

    fn beside(path: PathBuf) -> Result<Self, OutputError> {
        let fail = |cause| OutputError { path: path.clone(), cause };
        if fs::symlink_metadata(&path).is_ok_and(|old| old.is_dir()) {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        let name = path.file_name().ok_or_else(|| fail(io::ErrorKind::InvalidInput.into()))?;
        let mut tries = 0;
        let beside = loop {
            let number = std::process::id();
            let hidden = format!(".{}.{number}.{tries}.part", name.to_string_lossy());
            let beside = path.with_file_name(hidden);
            match File::create_new(&beside) {
                Ok(_) => break beside,
                // Left over, or put there: it is not ours to write to.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(fail(error)),
            }
        };
        fs::remove_file(&beside).map_err(fail)?;
        Ok(Self { path, beside: Some(beside) })
    }

    /// Writes the file: under a temporary name, then renamed.
    ///
    /// # Errors
    ///
    /// [`OutputError`] if the system refuses; the old file, if there was one, is then as it was.
    pub(crate) fn write(&self, contents: &[u8]) -> Result<(), OutputError> {
        let fill = |file: &mut dyn Write| file.write_all(contents);
        self.write_by(fill)?.map_err(|cause| OutputError { path: self.path.clone(), cause })
    }

    /// Writes the file as [`write`](Self::write) does, by a function that puts the contents into
    /// it. What that function returns comes back; if it is an error, no file is left.
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
        // It must be new: another's link of that name would be written through.
        let mut file = File::create_new(beside).map_err(fail)?;
        let filled = fill(&mut file);
        let written = || {
            if filled.is_ok() {
                let old = fs::symlink_metadata(&self.path).ok().filter(|old| old.is_file());
                if let Some(old) = old {
                    // What replaces a file may be read and written by whom the file was.
                    file.set_permissions(old.permissions())?;
                }
                file.sync_all()?;
                fs::rename(beside, &self.path)?;
            }
            Ok(())
        };
        let written = written();
        if written.is_err() || filled.is_err() {
            // The first error is the one to report; an error of removing the part adds nothing.
            let _ = fs::remove_file(beside);
        }
        written.map(|()| filled).map_err(fail)
    }

    /// Returns where the file will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes a folder that has its name from the program, and those above it, from the folder that the
/// program runs in on; what is there may be another's, so that no link is followed.
///
/// # Errors
///
/// In words, if one of them is a link or not a folder, or cannot be made.
pub(crate) fn make_own_folder(path: &Path) -> Result<(), String> {
    let mut folder = GuardedFolder::open(Path::new(".")).map_err(|error| error.to_string())?;
    for step in path {
        let made = folder.create_folder(step).and_then(|()| folder.enter(step));
        folder = made.map_err(|error| format!("cannot make the folder: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
