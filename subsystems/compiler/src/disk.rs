//! What a compile does to the data folder.

use std::fs;
use std::io;
use std::path::Path;

/// The four things that change a data folder. A compile does nothing else to it, so that a test can end the world
/// between any two, and within each.
pub trait Disk: Sync {
    /// Makes a folder, and those that it is in.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Writes a new file, or over an old one.
    ///
    /// # Errors
    ///
    /// What the system says; some of the bytes may be there.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Gives a file another name, in place of the file that had it.
    ///
    /// # Errors
    ///
    /// What the system says; both are as they were.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Takes a file away.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(path, bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}
