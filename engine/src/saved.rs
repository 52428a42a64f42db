//! The bytes of a saved game: a header with a checksum, and a section for each subsystem.
//!
//! ```text
//! header    "LOLIGOSV" | version: u32 | order: u32 | length of all: u64 | checksum of the sections: u64
//! section   name's hash: u32 | version: u32 | length: u64 | bytes | 0 to 7 zeros
//! ```

use loligo_containers::{Array, GrowError};
use loligo_ids::{IdString32, murmur2_64a};

use crate::error::SavedGameError;
use crate::memory::SharedAllocator;

mod request;

#[cfg(feature = "script")]
pub(crate) use request::NAMES;
pub use request::{SaveName, SaveRequest};

const MAGIC: &[u8; 8] = b"LOLIGOSV";
const VERSION: u32 = 1;

/// Reads as another number where bytes are of the other order.
const ORDER: u32 = 0x0102_0304;

const HEADER: usize = 32;
const SECTION: usize = 16;

/// Writes a saved game.
pub(crate) struct SaveWriter<'o, 'm> {
    pub(crate) out: &'o mut Array<'m, u8, SharedAllocator<'m>>,
    first: usize,
}

impl<'o, 'm> SaveWriter<'o, 'm> {
    pub(crate) fn try_new(
        out: &'o mut Array<'m, u8, SharedAllocator<'m>>,
    ) -> Result<Self, GrowError> {
        let first = out.len();
        out.try_resize(first + HEADER, 0)?;
        Ok(Self { out, first })
    }

    /// Appends a section, which `write` appends.
    pub(crate) fn section<E: From<GrowError>>(
        &mut self,
        name: &str,
        version: u32,
        write: impl FnOnce(&mut Array<'m, u8, SharedAllocator<'m>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let head = self.out.len();
        self.out.try_extend_from_slice(&IdString32::new(name).hash().to_ne_bytes())?;
        self.out.try_extend_from_slice(&version.to_ne_bytes())?;
        self.out.try_extend_from_slice(&[0; 8])?;
        let begin = self.out.len();
        write(self.out)?;
        let length = (self.out.len() - begin) as u64;
        self.out[head + 8..begin].copy_from_slice(&length.to_ne_bytes());
        let padded = (self.out.len() - self.first).next_multiple_of(8) + self.first;
        Ok(self.out.try_resize(padded, 0)?)
    }

    /// Writes the header.
    pub(crate) fn finish(self) {
        let bytes = &mut self.out[self.first..];
        let (length, sum) = (bytes.len() as u64, checksum(&bytes[HEADER..]));
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_ne_bytes());
        bytes[12..16].copy_from_slice(&ORDER.to_ne_bytes());
        bytes[16..24].copy_from_slice(&length.to_ne_bytes());
        bytes[24..HEADER].copy_from_slice(&sum.to_ne_bytes());
    }
}

/// A saved game whose header and checksum are right.
#[derive(Clone, Copy)]
pub(crate) struct SavedGame<'b> {
    sections: &'b [u8],
}

impl<'b> SavedGame<'b> {
    pub(crate) fn open(bytes: &'b [u8]) -> Result<Self, SavedGameError> {
        let wrong = |what| Err(SavedGameError::File { what });
        let Some((header, sections)) = bytes.split_at_checked(HEADER) else {
            return wrong("it ends within its header");
        };
        if header[..8] != *MAGIC {
            return wrong("it is no saved game; name a file of --save");
        }
        if number(header, 12) != ORDER {
            return wrong("it is of a machine of the other byte order");
        }
        if number(header, 8) != VERSION {
            return wrong("it has another version; load it with the program that saved it");
        }
        if long(header, 16) != bytes.len() as u64 {
            return wrong("it was cut off, or something was appended");
        }
        if long(header, 24) != checksum(sections) {
            return wrong("its checksum is another: it was changed");
        }
        let game = Self { sections };
        // That each section ends within the bytes, so that a search need not look.
        let mut left = sections;
        while !left.is_empty() {
            let Some((_, rest)) = split(left) else {
                return wrong("a section is longer than the bytes");
            };
            left = rest;
        }
        Ok(game)
    }

    /// Returns the bytes of a section of a version.
    pub(crate) fn section(
        &self,
        name: &'static str,
        version: u32,
    ) -> Result<&'b [u8], SavedGameError> {
        let (wanted, mut left) = (IdString32::new(name).hash(), self.sections);
        while let Some((section, rest)) = split(left) {
            left = rest;
            if number(section, 0) != wanted {
                continue;
            }
            let saved = number(section, 4);
            if saved != version {
                return Err(SavedGameError::Version { section: name, saved, wanted: version });
            }
            return Ok(&section[SECTION..]);
        }
        Err(SavedGameError::Missing { section: name })
    }
}

/// Splits the first section, with its head, from what comes after it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    if bytes.len() < SECTION {
        return None;
    }
    let length = usize::try_from(long(bytes, 8)).ok()?;
    let end = SECTION.checked_add(length)?;
    let padded = end.checked_next_multiple_of(8)?;
    Some((bytes.get(..end)?, bytes.get(padded..)?))
}

fn checksum(bytes: &[u8]) -> u64 {
    murmur2_64a(bytes, u64::from(VERSION))
}

pub(crate) fn number(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_ne_bytes(number)
}

pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_ne_bytes(number)
}
