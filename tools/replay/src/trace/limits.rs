//! How much a compressed file may become.

use core::error::Error;
use core::fmt;
use std::io::{self, Read};

/// What a reader of files accepts.
///
/// A compressed file of a megabyte can expand to gigabytes, so that its own length bounds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that a compressed file may become: 1 GiB unless set, 33 million events of
    /// version 2.
    pub unpacked_bytes: u64,
}

impl Limits {
    /// Returns limits with as many bytes.
    #[must_use]
    pub const fn unpacked(unpacked_bytes: u64) -> Self {
        Self { unpacked_bytes }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::unpacked(1 << 30)
    }
}

/// A reader that refuses to give out more than the limit.
pub(crate) struct Bounded<R> {
    input: R,
    left: u64,
    limits: Limits,
}

/// The error of a [`Bounded`] reader.
#[derive(Debug)]
struct TooMuch(u64);

impl fmt::Display for TooMuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it unpacks to more than {} bytes", self.0)
    }
}

impl Error for TooMuch {}

/// Returns the limit, where that is what an error is about.
pub(crate) fn exceeded(error: &io::Error) -> Option<u64> {
    error.get_ref()?.downcast_ref::<TooMuch>().map(|too_much| too_much.0)
}

impl<R: Read> Bounded<R> {
    pub(crate) const fn new(input: R, limits: Limits) -> Self {
        Self { input, left: limits.unpacked_bytes, limits }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            // A file of exactly the limit is right, and whether it has more bytes shows only here.
            return match self.input.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(TooMuch(self.limits.unpacked_bytes))),
            };
        }
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.input.read(&mut buffer[..wanted])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// Adds to an array, where there is memory.
pub(crate) fn try_push<T>(array: &mut Vec<T>, item: T) -> Result<(), NoMemory> {
    if array.len() == array.capacity() {
        array.try_reserve(1).map_err(|_| NoMemory)?;
    }
    array.push(item);
    Ok(())
}

/// Sets the length of an array, where there is memory.
pub(crate) fn try_resize<T: Clone>(
    array: &mut Vec<T>,
    length: usize,
    item: T,
) -> Result<(), NoMemory> {
    array.try_reserve(length.saturating_sub(array.len())).map_err(|_| NoMemory)?;
    array.resize(length, item);
    Ok(())
}

/// There is no memory for what a file holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoMemory;

#[cfg(test)]
mod tests;
