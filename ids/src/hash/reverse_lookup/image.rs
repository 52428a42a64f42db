//! The bytes of a table: where everything is, how it is written, and how it is checked.
#![forbid(unsafe_code)]
#![expect(
    clippy::arithmetic_side_effects,
    reason = "the header's counts fit 32 bits and are multiplied in 64; behind that all is \
              below the length of the bytes"
)]

use super::error::DamagedLookup;
use crate::hash::id_string::IdString;
use crate::hash::murmur::murmur2_64a;

pub(super) const MAGIC: [u8; 8] = *b"lolnames";
pub(super) const VERSION: u32 = 1;

/// The offsets of the header's fields.
pub(super) const AT_VERSION: usize = 8;
pub(super) const AT_HASH_BYTES: usize = 12;
pub(super) const AT_BYTES: usize = 16;
pub(super) const AT_NAMES: usize = 24;
pub(super) const AT_TEXT_BYTES: usize = 28;
pub(super) const AT_SEED: usize = 32;
pub(super) const AT_CHECKSUM: usize = 40;
pub(super) const HEADER_BYTES: usize = 48;

/// Bytes of an offset.
pub(super) const OFFSET_BYTES: usize = 4;

/// Starts the checksum, so that it is not the hash of the same bytes.
const CHECKSUM_SEED: u64 = 0x6c6f_6c6e_616d_6573;

/// Returns the bytes of a table of the given number of names. It fits: the numbers are below 2^32.
pub(super) const fn image_bytes(hash_bytes: usize, names: u64, text_bytes: u64) -> u64 {
    let a_name = (hash_bytes + OFFSET_BYTES) as u64;
    (HEADER_BYTES + OFFSET_BYTES) as u64 + names * a_name + text_bytes
}

/// Returns the checksum of an image that is at least a header long: the hash of the bytes after the
/// header, whose seed is the hash of the header before the checksum.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let head = murmur2_64a(&bytes[..AT_CHECKSUM], CHECKSUM_SEED);
    murmur2_64a(&bytes[HEADER_BYTES..], head)
}

/// Returns the id at an index of the packed ids.
#[inline]
pub(super) fn id_at<I: IdString>(hashes: &[u8], index: usize) -> I {
    if I::BYTES == 4 {
        let (hashes, _) = hashes.as_chunks();
        I::from_u64(u32::from_le_bytes(hashes[index]).into())
    } else {
        let (hashes, _) = hashes.as_chunks();
        I::from_u64(u64::from_le_bytes(hashes[index]))
    }
}

/// Returns the offset at an index of the packed offsets.
#[inline]
pub(super) fn offset_at(offsets: &[u8], index: usize) -> usize {
    let (offsets, _) = offsets.as_chunks();
    u32::from_le_bytes(offsets[index]) as usize
}

/// The parts of an image whose lengths fit; the contents are not yet validated.
pub(super) struct Parts<'a> {
    bytes: &'a [u8],
    pub(super) hashes: &'a [u8],
    pub(super) offsets: &'a [u8],
    pub(super) seed: u64,
    text: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Reads the header and splits the rest by it.
    pub(super) fn split<I: IdString>(bytes: &'a [u8]) -> Result<Self, DamagedLookup> {
        if bytes.len() < HEADER_BYTES {
            return Err(DamagedLookup::new(bytes.len(), "the bytes end within the header"));
        }
        if bytes[..MAGIC.len()] != MAGIC {
            return Err(DamagedLookup::new(0, "the first eight bytes are not those of a table"));
        }
        if u32_at(bytes, AT_VERSION) != VERSION {
            return Err(DamagedLookup::new(AT_VERSION, "the version is not 1"));
        }
        if u32_at(bytes, AT_HASH_BYTES) as usize != I::BYTES {
            let reason = "the ids are not as wide as those that are asked for";
            return Err(DamagedLookup::new(AT_HASH_BYTES, reason));
        }
        let length = u64_at(bytes, AT_BYTES);
        if length > bytes.len() as u64 {
            return Err(DamagedLookup::new(bytes.len(), "the bytes end before the table does"));
        }
        if length < bytes.len() as u64 {
            return Err(DamagedLookup::new(AT_BYTES, "there are more bytes than the table has"));
        }
        let names = u32_at(bytes, AT_NAMES);
        let text_bytes = u32_at(bytes, AT_TEXT_BYTES);
        if image_bytes(I::BYTES, names.into(), text_bytes.into()) != length {
            let reason = "so many names and so much text make another length";
            return Err(DamagedLookup::new(AT_NAMES, reason));
        }
        let seed = u64_at(bytes, AT_SEED);
        if I::BYTES == 4 && seed > u32::MAX.into() {
            return Err(DamagedLookup::new(AT_SEED, "the seed is wider than the ids"));
        }
        // The length is that of the slice, so all that it is made of fits a usize.
        let names = names as usize;
        let (hashes, rest) = bytes[HEADER_BYTES..].split_at(names * I::BYTES);
        let (offsets, text) = rest.split_at((names + 1) * OFFSET_BYTES);
        Ok(Self { bytes, hashes, offsets, seed, text })
    }

    /// Checks the checksum and everything after the header, and returns the text.
    pub(super) fn checked<I: IdString>(&self) -> Result<&'a str, DamagedLookup> {
        // A fuzzer cannot guess a checksum, so under it each is taken and what follows is reached.
        if !cfg!(fuzzing) && u64_at(self.bytes, AT_CHECKSUM) != checksum(self.bytes) {
            return Err(DamagedLookup::new(AT_CHECKSUM, "the checksum is another"));
        }
        let text_at = self.bytes.len() - self.text.len();
        let text = str::from_utf8(self.text).map_err(|error| {
            DamagedLookup::new(text_at + error.valid_up_to(), "the text is not UTF-8")
        })?;
        let names = self.hashes.len() / I::BYTES;
        let offset_damage = |index: usize, reason| {
            let at = HEADER_BYTES + self.hashes.len() + index * OFFSET_BYTES;
            DamagedLookup::new(at, reason)
        };
        if offset_at(self.offsets, 0) != 0 {
            return Err(offset_damage(0, "the first name does not begin where the text does"));
        }
        if offset_at(self.offsets, names) != text.len() {
            return Err(offset_damage(names, "the last name does not end where the text does"));
        }
        let mut before = None;
        for index in 0..names {
            let end = offset_at(self.offsets, index + 1);
            let Some(name) = text.get(offset_at(self.offsets, index)..end) else {
                return Err(offset_damage(
                    index + 1,
                    "a name ends before it begins, or within a letter",
                ));
            };
            let id: I = id_at(self.hashes, index);
            let at = HEADER_BYTES + index * I::BYTES;
            if before.is_some_and(|before| before >= id) {
                return Err(DamagedLookup::new(at, "the hashes do not ascend"));
            }
            if I::with_seed(name, self.seed) != id {
                return Err(DamagedLookup::new(at, "the name does not have this hash"));
            }
            before = Some(id);
        }
        Ok(text)
    }
}

/// Reads a number from the header. The bytes are known to be there.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// As [`u32_at`].
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
