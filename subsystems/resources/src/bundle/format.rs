//! The bytes of a bundle: header and records.
//!
//! ```text
//!   0  "lolibndl"                                        8 bytes
//!   8  1, in the byte order of all numbers that follow   u32
//!  12  version of this format, now 1                     u32
//!  16  layer: 0 of a game, n of its n-th patch           u32
//!  20  bytes of a block before compression, B            u32
//!  24  what it is a patch of; 0 in layer 0               u64
//!  32  variants, properties, files, blocks               4 u32
//!  48  bytes of the index                                u64
//!  56  checksum of the index: what the bundle is known by  u64
//!  64  the platform, then zeroes                         24 bytes
//!  88  bytes of the whole file                           u64
//!  96  zeroes                                            24 bytes
//! 120  checksum of the 120 bytes before it               u64
//! 128  the index: variants, properties, files, blocks
//!  ..  the blocks, each at a multiple of 4096, zeroes between them
//! ```
//!
//! ```text
//! a variant, sorted by type, name and properties    a file, sorted by hash
//!   0  hash of the type              u64              0  hash          32 bytes
//!   8  hash of the name              u64             32  where it is   u64
//!  16  bytes of its file             u64             40  its bytes     u64
//!  24  hash of its file         32 bytes            a block
//!  56  first of its properties       u32              0  where it is   u64
//!  60  how many there are            u32              8  its bytes     u32, in the bundle
//! a property                                         12  its bytes     u32, decompressed
//!   0  its hash                      u64             16  checksum of those in the bundle  u64
//! ```
//!
//! A variant with no bytes is removed. A file is a range of all blocks decompressed, one after the
//! other; it begins at a multiple of 16, and one that is longer than a block at the start of one. A
//! block with as many bytes in the bundle as decompressed is stored as it is, else by LZ4.

use loligo_containers::Endian;
use loligo_ids::murmur2_64a;

use crate::bundle_error::BundleErrorKind;

/// The version of the format of bundles.
pub const BUNDLE_FORMAT: u32 = 1;

/// Bytes of a block before compression, where nothing else is wanted.
pub const BLOCK_BYTES: u32 = 256 << 10;

pub(super) const HEADER: usize = 128;
pub(super) const VARIANT: usize = 64;
pub(super) const PROPERTY: usize = 8;
pub(super) const FILE: usize = 48;
pub(super) const BLOCK: usize = 24;

/// What a block begins at a multiple of, and a file within the blocks.
pub(super) const BLOCK_ALIGN: u64 = 4096;
pub(super) const FILE_ALIGN: u64 = 16;

/// The smallest and the largest block.
pub(super) const BLOCK_BYTES_MIN: u32 = 4096;
pub(super) const BLOCK_BYTES_MAX: u32 = 16 << 20;

/// The longest index: a header is not believed further.
const INDEX_BYTES_MAX: u64 = 1 << 30;

const MAGIC: [u8; 8] = *b"lolibndl";
/// What the checksum of the header is over, and where it is.
const SUMMED: usize = HEADER - 8;
/// The bytes of a platform's name.
pub(super) const PLATFORM: usize = 24;

/// What the header of a bundle says.
///
/// # Memory
///
/// 96 bytes at the most, plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleHeader {
    /// The byte order of the bundle and of all that is in it.
    pub endian: Endian,
    /// 0 for a bundle of a game, n for its n-th patch.
    pub layer: u32,
    /// The bytes of a block before compression.
    pub block_bytes: u32,
    /// The state of the game that it is a patch of: [`Bundles::state`](crate::Bundles::state).
    pub below: u64,
    /// What it is known by: the checksum of its index, which has the hashes of all in it.
    pub id: u64,
    /// The bytes of the whole file.
    pub bytes: u64,
    /// How many variants, properties, files and blocks there are.
    pub(super) counts: [u32; 4],
    pub(super) platform: [u8; PLATFORM],
}

impl BundleHeader {
    /// Returns the name of the platform that it is for.
    #[must_use]
    pub fn platform(&self) -> &str {
        let end = self.platform.iter().position(|byte| *byte == 0).unwrap_or(PLATFORM);
        core::str::from_utf8(&self.platform[..end]).unwrap_or_default()
    }

    /// Returns how many bytes the index has, by what is in it.
    pub(super) fn index_bytes(&self) -> u64 {
        let records = [VARIANT, PROPERTY, FILE, BLOCK];
        self.counts.iter().zip(records).map(|(count, bytes)| u64::from(*count) * bytes as u64).sum()
    }

    /// Writes the header.
    pub(super) fn write(&self) -> [u8; HEADER] {
        let order = Order(self.endian);
        let mut out = [0; HEADER];
        out[..8].copy_from_slice(&MAGIC);
        for (at, number) in [(8, 1), (12, BUNDLE_FORMAT), (16, self.layer), (20, self.block_bytes)]
        {
            out[at..at + 4].copy_from_slice(&order.u32(number));
        }
        for (index, count) in self.counts.into_iter().enumerate() {
            out[32 + index * 4..36 + index * 4].copy_from_slice(&order.u32(count));
        }
        for (at, number) in
            [(24, self.below), (48, self.index_bytes()), (56, self.id), (88, self.bytes)]
        {
            out[at..at + 8].copy_from_slice(&order.u64(number));
        }
        out[64..64 + PLATFORM].copy_from_slice(&self.platform);
        let checksum = checksum(&out[..SUMMED]);
        out[SUMMED..].copy_from_slice(&order.u64(checksum));
        out
    }

    /// Reads the header of a bundle of `bytes` bytes.
    pub(super) fn read(header: &[u8; HEADER], bytes: u64) -> Result<Self, BundleErrorKind> {
        if header[..8] != MAGIC {
            return Err(BundleErrorKind::NoBundle);
        }
        let endian = match [header[8], header[9], header[10], header[11]] {
            [1, 0, 0, 0] => Endian::Little,
            [0, 0, 0, 1] => Endian::Big,
            _ => return Err(BundleErrorKind::NoBundle),
        };
        let order = Order(endian);
        let found = order.u32_at(header, 12);
        if found != BUNDLE_FORMAT {
            return Err(BundleErrorKind::OtherFormat { found, wanted: BUNDLE_FORMAT });
        }
        // No fuzzer guesses a checksum; under one, what follows this is reached.
        if order.u64_at(header, SUMMED) != checksum(&header[..SUMMED]) && !cfg!(fuzzing) {
            return Err(BundleErrorKind::Checksum { part: "header" });
        }
        let mut platform = [0; PLATFORM];
        platform.copy_from_slice(&header[64..64 + PLATFORM]);
        let read = Self {
            endian,
            layer: order.u32_at(header, 16),
            block_bytes: order.u32_at(header, 20),
            below: order.u64_at(header, 24),
            id: order.u64_at(header, 56),
            bytes: order.u64_at(header, 88),
            counts: [32, 36, 40, 44].map(|at| order.u32_at(header, at)),
            platform,
        };
        read.check(order.u64_at(header, 48), &header[96..SUMMED])?;
        let wanted = HEADER as u64 + read.index_bytes();
        if bytes < wanted {
            return Err(BundleErrorKind::Short { bytes, wanted });
        }
        Ok(read)
    }

    /// Looks whether the numbers can be.
    fn check(&self, index_bytes: u64, zeroes: &[u8]) -> Result<(), BundleErrorKind> {
        let part = |what| Err(BundleErrorKind::Part { what });
        let range = BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX;
        if !self.block_bytes.is_power_of_two() || !range.contains(&self.block_bytes) {
            return part("the size of its blocks is none");
        }
        if index_bytes != self.index_bytes() || index_bytes > INDEX_BYTES_MAX {
            return part("its index is not as long as what is in it");
        }
        let name = self.platform();
        if name.is_empty() || self.platform[name.len()..].iter().any(|byte| *byte != 0) {
            return part("its platform has no name");
        }
        if (self.layer == 0) != (self.below == 0) || zeroes.iter().any(|byte| *byte != 0) {
            return part("its header is not that of a bundle");
        }
        Ok(())
    }
}

/// A file within the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileRange {
    pub(crate) hash: [u8; 32],
    pub(crate) start: u64,
    pub(crate) bytes: u64,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRange {
    pub(crate) start: u64,
    pub(crate) stored: u32,
    pub(crate) bytes: u32,
    pub(crate) checksum: u64,
}

impl BlockRange {
    pub(crate) const fn is_packed(&self) -> bool {
        self.stored != self.bytes
    }

    /// Returns where it ends in the bundle's file.
    pub(crate) const fn end(&self) -> Option<u64> {
        self.start.checked_add(self.stored as u64)
    }
}

/// Returns the checksum of bytes.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    murmur2_64a(bytes, u64::from(BUNDLE_FORMAT))
}

/// Numbers in a byte order.
#[derive(Clone, Copy)]
pub(super) struct Order(pub(super) Endian);

impl Order {
    pub(super) const fn u32(self, number: u32) -> [u8; 4] {
        match self.0 {
            Endian::Little => number.to_le_bytes(),
            Endian::Big => number.to_be_bytes(),
        }
    }

    pub(super) const fn u64(self, number: u64) -> [u8; 8] {
        match self.0 {
            Endian::Little => number.to_le_bytes(),
            Endian::Big => number.to_be_bytes(),
        }
    }

    pub(super) fn u32_at(self, bytes: &[u8], at: usize) -> u32 {
        let mut number = [0; 4];
        number.copy_from_slice(&bytes[at..at + 4]);
        match self.0 {
            Endian::Little => u32::from_le_bytes(number),
            Endian::Big => u32::from_be_bytes(number),
        }
    }

    pub(super) fn u64_at(self, bytes: &[u8], at: usize) -> u64 {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        match self.0 {
            Endian::Little => u64::from_le_bytes(number),
            Endian::Big => u64::from_be_bytes(number),
        }
    }
}

const _: () = assert!(size_of::<BundleHeader>() <= 96, "its doc states it");
