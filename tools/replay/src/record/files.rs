//! Programs and libraries as files, mapped.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file for reading.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: it is read and nothing is concluded from reading it twice. Programs and libraries are
    // replaced by renaming, not written to while they may run; one that is cut all the same ends
    // this process by a signal.
    unsafe { Mmap::map(file) }
}
