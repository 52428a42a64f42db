//! The file that a crash report is written to: whole, or not there.

use core::fmt::{self, Write as _};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::fixed_text::FixedText;

/// How long the name of a report may be with its folders, in bytes.
pub(crate) const PATH_BYTES_MAX: usize = 1_000;

/// How long a report's name is at most, without the program's.
pub(crate) const NAME_BYTES_MAX: usize = 100;

/// What the name ends in while the report is being written.
const PARTIAL: &str = ".partial";

/// A report's path.
type ReportPath = FixedText<PATH_BYTES_MAX>;

/// A report that is being written under a temporary name, and gets its final name when it is whole.
///
/// What stops the program in the middle of it leaves the file with the first name. Nothing here
/// allocates, as far as paths of fewer than 384 bytes go; longer ones std copies to the heap.
pub(crate) struct ReportFile {
    path: ReportPath,
    partial: ReportPath,
    file: Option<File>,
    error: Option<io::Error>,
}

impl ReportFile {
    /// Creates the file.
    pub(crate) fn create(folder: &str, name: fmt::Arguments<'_>) -> Self {
        let mut path = ReportPath::new();
        let mut partial = ReportPath::new();
        let separator = if folder.is_empty() { "" } else { std::path::MAIN_SEPARATOR_STR };
        // Folders and names are bounded so that both fit; one that was cut is not created all the
        // same.
        let _ = write!(path, "{folder}{separator}{name}");
        let _ = write!(partial, "{}{PARTIAL}", path.as_str());
        let made = if partial.is_cut() {
            Err(io::ErrorKind::InvalidFilename.into())
        } else {
            OpenOptions::new().write(true).create_new(true).open(partial.as_str())
        };
        let (file, error) = match made {
            Ok(file) => (Some(file), None),
            Err(error) => (None, Some(error)),
        };
        Self { path, partial, file, error }
    }

    /// Writes a part. An error is returned by [`finish`](Self::finish).
    pub(crate) fn write(&mut self, part: &[u8]) {
        if self.error.is_none()
            && let Some(file) = &mut self.file
        {
            self.error = file.write_all(part).err();
        }
    }

    /// Gives the file its name and returns it.
    ///
    /// # Errors
    ///
    /// The first of what went wrong. Nothing has the final name then, and nothing is left of the
    /// file if it can be removed.
    pub(crate) fn finish(&mut self) -> Result<&Path, io::Error> {
        let Some(file) = self.file.take() else {
            // What bears the name now is another's.
            return Err(self.error.take().unwrap_or_else(|| io::ErrorKind::NotFound.into()));
        };
        let written = match self.error.take() {
            // The name is given after the bytes are on the disk, or a loss of power could leave an
            // empty report.
            None => {
                file.sync_all().and_then(|()| fs::rename(self.partial.as_str(), self.path.as_str()))
            }
            Some(error) => Err(error),
        };
        match written {
            Ok(()) => Ok(Path::new(self.path.as_str())),
            Err(error) => {
                // The error that is returned says more than one of removing it would.
                let _ = fs::remove_file(self.partial.as_str());
                Err(error)
            }
        }
    }

    /// Returns the name that it is to get.
    pub(crate) fn path(&self) -> &Path {
        Path::new(self.path.as_str())
    }
}

#[cfg(test)]
mod tests;
