//! Files that are written under a temporary name and then renamed, so that no reader finds half of
//! one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is not finished; what is still there on drop is removed.
pub(crate) struct Unfinished {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
}

/// How many names of unfinished files are tried.
const TRIES: u32 = 64;

impl Unfinished {
    /// Makes a new file in `dir`, hidden and named after `name`: one that is there is another's, and
    /// may be a link.
    ///
    /// # Errors
    ///
    /// The system's own.
    pub(crate) fn create(dir: &Path, name: &str) -> io::Result<Self> {
        let mut tries = 0;
        loop {
            let path = dir.join(format!(".{name}.{}.{tries}.part", std::process::id()));
            match File::create_new(&path) {
                Ok(file) => return Ok(Self { path, file }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                    tries += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After a rename there is no such file; if it cannot be removed, there is no way to report
        // that.
        let _ = fs::remove_file(&self.path);
    }
}
