//! Files that are there whole or not at all.

use core::sync::atomic::{AtomicU64, Ordering};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::process;

use super::{EntryKind, GuardedFolder};
use crate::folder_error::{FolderError, FolderErrorKind};

/// How many names of unfinished files are tried: only files that are left over, or were put there,
/// have one.
const TRIES: u32 = 64;

impl GuardedFolder {
    /// Writes a file by a function that gets it empty: under another name, which no entry had
    /// before, then renamed. A link of that name is replaced and not followed; what is neither a
    /// file nor a link is refused. What the function returns comes back; if it is an error, no file
    /// is left and the old one is as it was.
    ///
    /// # Errors
    ///
    /// [`FolderError`] if the system refuses, or a folder, a pipe or a device has the name.
    pub fn replace<T, E>(
        &self,
        name: impl AsRef<OsStr>,
        fill: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<Result<T, E>, FolderError> {
        let name = name.as_ref();
        if let Some(EntryKind::Folder | EntryKind::Special) = self.kind(name)? {
            return Err(FolderError::new(&self.path().join(name), FolderErrorKind::NotAFile));
        }
        let (partial, mut file) = self.create_unfinished(name)?;
        let filled = fill(&mut file);
        let renamed = match &filled {
            Ok(_) => self.rename(&*partial, self, name),
            Err(_) => Ok(()),
        };
        if filled.is_err() || renamed.is_err() {
            // The first error is the one to report.
            let _ = self.remove_file(&*partial);
        }
        renamed.map(|()| filled)
    }

    fn create_unfinished(&self, name: &OsStr) -> Result<(String, File), FolderError> {
        // Only so that no two threads try the same names.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut tries = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let partial = format!(".{}.{}.{number}.part", name.to_string_lossy(), process::id());
            match self.create_file(&partial) {
                Ok(file) => return Ok((partial, file)),
                Err(error) if error.io_kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
