//! Where the bytes of a bundle are: in a file, or in memory.

use std::fs::File;
use std::io;

/// A file that is read at any place by any thread, or bytes.
pub(super) enum Storage<'a> {
    File(File),
    Bytes(&'a [u8]),
}

impl Storage<'_> {
    /// Returns how many bytes there are.
    pub(super) fn bytes(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Reads as many bytes as `into` has, of which the first is at `start`.
    pub(super) fn read(&self, start: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File(file) => read_at(file, start, into),
            Self::Bytes(bytes) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                let found = rest.get(..into.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                into.copy_from_slice(found);
                Ok(())
            }
        }
    }
}

/// Reads without a cursor, so that threads do not wait for each other.
#[cfg(unix)]
fn read_at(file: &File, start: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, start)
}

#[cfg(windows)]
fn read_at(file: &File, mut start: u64, mut into: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !into.is_empty() {
        match file.seek_read(into, start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                into = &mut into[count..];
                start += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_at(_file: &File, _start: u64, _into: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
