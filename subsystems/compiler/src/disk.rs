//! What a compile does to the data folder.

use std::fs::File;
use std::io::{self, Write as _};

use crate::guarded_folder::GuardedFolder;

/// The five things that change a data folder, but for an empty file `lock`, which changes nothing.
/// A compile does nothing else to it, so that a test can end the world between any two, and within
/// each.
///
/// Folders are open and names are single steps, so that nothing is reached through a link.
pub trait Disk: Sync {
    /// Makes a folder in a folder; one that is there stays.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn create_folder(&self, at: &GuardedFolder, name: &str) -> io::Result<()>;

    /// Writes to an open file.
    ///
    /// # Errors
    ///
    /// What the system says; some of the bytes may be there.
    fn fill(&self, file: &File, bytes: &[u8]) -> io::Result<()>;

    /// Writes a new file.
    ///
    /// # Errors
    ///
    /// What the system says, also if there is one of that name; some of the bytes may be there.
    fn write(&self, at: &GuardedFolder, name: &str, bytes: &[u8]) -> io::Result<()>;

    /// Moves a file to another folder and name, in place of the file that had it.
    ///
    /// # Errors
    ///
    /// What the system says; both are as they were.
    fn rename(&self, from: (&GuardedFolder, &str), to: (&GuardedFolder, &str)) -> io::Result<()>;

    /// Takes a file away.
    ///
    /// # Errors
    ///
    /// What the system says.
    fn remove(&self, at: &GuardedFolder, name: &str) -> io::Result<()>;
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_folder(&self, at: &GuardedFolder, name: &str) -> io::Result<()> {
        Ok(at.create_folder(name)?)
    }

    fn fill(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn write(&self, at: &GuardedFolder, name: &str, bytes: &[u8]) -> io::Result<()> {
        at.create_file(name)?.write_all(bytes)
    }

    fn rename(&self, from: (&GuardedFolder, &str), to: (&GuardedFolder, &str)) -> io::Result<()> {
        Ok(from.0.rename(from.1, to.0, to.1)?)
    }

    fn remove(&self, at: &GuardedFolder, name: &str) -> io::Result<()> {
        Ok(at.remove_file(name)?)
    }
}
