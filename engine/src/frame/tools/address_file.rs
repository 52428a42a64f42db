//! The file in which tools of the same user find the port and its token.

use core::net::SocketAddr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::tools::ToolToken;

/// Its name in the data folder.
pub(super) const ADDRESS_FILE: &str = "tools";

/// A file of one line, `ADDRESS/TOKEN`, that only its owner can read. It is removed when this is
/// dropped.
pub(super) struct AddressFile(PathBuf);

impl AddressFile {
    /// Writes the file into the data folder, in place of one that an engine before left.
    pub(super) fn write(data: &Path, address: SocketAddr, token: ToolToken) -> io::Result<Self> {
        let path = data.join(ADDRESS_FILE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        // A file that is there in spite of that, or a link, is not written to: others might read
        // it.
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        let kept = Self(path);
        writeln!(file, "{address}/{token}")?;
        Ok(kept)
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        // If it cannot be removed, it names a port without a server.
        let _ = fs::remove_file(&self.0);
    }
}
