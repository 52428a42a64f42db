//! The file of a recording, written without allocating.

use std::io;

use crate::wrappers::trace::SinkError;

#[cfg(test)]
mod tests;

/// The longest path, with the zero that ends it.
const PATH_BYTES_MAX: usize = 4096;

/// A file of the process that created it. It is closed with the process.
pub(super) struct File {
    descriptor: libc::c_int,
    process: libc::pid_t,
}

impl File {
    /// Creates a file, or truncates an existing one.
    pub(super) fn create(path: &str) -> Result<Self, SinkError> {
        let mut bytes = [0; PATH_BYTES_MAX];
        if path.len() >= PATH_BYTES_MAX || path.as_bytes().contains(&0) {
            return Err(SinkError::new("its path is too long, or has a zero in it"));
        }
        bytes[..path.len()].copy_from_slice(path.as_bytes());
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
        // SAFETY: the path is on the stack and ends with a zero.
        let descriptor = unsafe { libc::open(bytes.as_ptr().cast(), flags, 0o666) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error().into());
        }
        // SAFETY: it only asks.
        let process = unsafe { libc::getpid() };
        Ok(Self { descriptor, process })
    }

    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// The system's error, or `None` in another process, which must not touch the file.
    pub(super) fn write(&self, mut bytes: &[u8]) -> Result<(), Option<SinkError>> {
        // SAFETY: it only asks.
        if self.process != unsafe { libc::getpid() } {
            return Err(None);
        }
        while !bytes.is_empty() {
            // SAFETY: the pointer and length are those of a live slice.
            let written =
                unsafe { libc::write(self.descriptor, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(Some(error.into()));
                    }
                }
            }
        }
        Ok(())
    }
}
