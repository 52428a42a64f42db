//! Writing a bundle.

use core::error::Error;
use core::fmt;
use std::io::{self, Seek, SeekFrom, Write};

use loligo_allocators::Allocator;
use loligo_containers::{Array, Endian, GrowError};
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use super::format::{
    BLOCK, BLOCK_ALIGN, BLOCK_BYTES_MAX, BLOCK_BYTES_MIN, BlockRange, BundleHeader, FILE,
    FILE_ALIGN, FileRange, HEADER, Order, PLATFORM, PROPERTY, VARIANT, checksum,
};
use crate::content_hash::ContentHash;
use crate::table::TableSource;

/// A block is compressed where that makes it shorter by a sixteenth, and stored as it is where not:
/// then it can be read to where it is wanted.
const GAIN: usize = 16;

/// What is to be in a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleSource<'s> {
    /// The platform that it is for.
    pub platform: &'s str,
    /// The byte order of its machines.
    pub endian: Endian,
    /// 0 for a bundle of a game, n for its n-th patch.
    pub layer: u32,
    /// The state of the game that it is a patch of; 0 in layer 0.
    pub below: u64,
    /// The bytes of a block before compression: a power of two from 4 KiB to 16 MiB.
    pub block_bytes: u32,
    /// The variants, in ascending order of type, name and properties. One without bytes and with a
    /// hash of zeroes is removed.
    pub variants: &'s [TableSource<'s>],
    /// The files and their bytes, in the order in which they are put: those that are loaded together
    /// next to each other. None is there twice or empty.
    pub files: &'s [(ContentHash, u64)],
}

/// Writes a bundle: `read` puts the bytes of a file into its second argument, which has their length.
/// Returns the header.
///
/// # Complexity
///
/// O(bytes). The longest file is in memory, and three blocks.
///
/// # Errors
///
/// [`BundleWriteError`] if `source` is not as it says, if `read` or `out` fails, or there is no memory.
/// What was written up to then is not a bundle.
pub fn write_bundle<A: Allocator + ?Sized>(
    source: &BundleSource<'_>,
    read: &mut dyn FnMut(ContentHash, &mut [u8]) -> io::Result<()>,
    out: &mut (impl Write + Seek),
    memory: &A,
) -> Result<BundleHeader, BundleWriteError> {
    check(source)?;
    let (files, data) = lay_out(source, memory)?;
    let mut header = header(source, data)?;
    let front = HEADER as u64 + header.index_bytes();
    out.seek(SeekFrom::Start(0)).map_err(BundleWriteError::Write)?;
    let mut blocks = Blocks::try_new_in(source.block_bytes, out, memory)?;
    blocks.pad(front)?;
    let mut file: Array<'_, u8, A> = Array::new_in(memory);
    for range in &files {
        file.try_resize(usize::try_from(range.bytes).unwrap_or(usize::MAX), 0)?;
        read(ContentHash(range.hash), &mut file).map_err(BundleWriteError::Read)?;
        blocks.put_at(range.start, &file)?;
    }
    let (blocks, bytes) = blocks.finish()?;
    header.bytes = bytes.max(front);
    let index = index(source, files, &blocks, memory)?;
    header.id = checksum(&index);
    let mut write = |at, bytes: &[u8]| {
        out.seek(SeekFrom::Start(at))?;
        out.write_all(bytes)
    };
    write(0, &header.write()).map_err(BundleWriteError::Write)?;
    write(HEADER as u64, &index).map_err(BundleWriteError::Write)?;
    out.flush().map_err(BundleWriteError::Write)?;
    Ok(header)
}

/// Looks whether a source is as it says.
fn check(source: &BundleSource<'_>) -> Result<(), BundleWriteError> {
    let range = BLOCK_BYTES_MIN..=BLOCK_BYTES_MAX;
    if !source.block_bytes.is_power_of_two() || !range.contains(&source.block_bytes) {
        return Err(BundleWriteError::Source(
            "the size of a block is a power of two from 4 KiB to 16 MiB",
        ));
    }
    if source.platform.is_empty()
        || source.platform.len() > PLATFORM
        || source.platform.contains('\0')
    {
        return Err(BundleWriteError::Source("the name of a platform has 1 to 24 bytes"));
    }
    if (source.layer == 0) != (source.below == 0) {
        return Err(BundleWriteError::Source(
            "a patch has what it is a patch of, and nothing else has",
        ));
    }
    if !source.variants.is_sorted_by(|a, b| (a.key, a.properties) < (b.key, b.properties)) {
        return Err(BundleWriteError::Source(
            "the variants are not in order, or one is there twice",
        ));
    }
    Ok(())
}

/// Gives each file its place. Returns them, and the bytes of all with what is between them.
fn lay_out<'a, A: Allocator + ?Sized>(
    source: &BundleSource<'_>,
    memory: &'a A,
) -> Result<(Array<'a, FileRange, A>, u64), BundleWriteError> {
    let size = u64::from(source.block_bytes);
    let too_long = || BundleWriteError::Source("a file is longer than a bundle can be");
    let mut files = Array::try_with_capacity_in(source.files.len(), memory)?;
    let mut end = 0_u64;
    for (hash, bytes) in source.files {
        let mut start = end.next_multiple_of(FILE_ALIGN);
        // What fits into a block is in one.
        if *bytes == 0 {
            return Err(BundleWriteError::Source("a file is empty"));
        }
        if start % size + bytes.min(&size) > size {
            start = start.next_multiple_of(size);
        }
        end = start.checked_add(*bytes).filter(|end| *end < 1 << 48).ok_or_else(too_long)?;
        files.try_push(FileRange { hash: hash.0, start, bytes: *bytes })?;
    }
    Ok((files, end))
}

fn header(source: &BundleSource<'_>, data: u64) -> Result<BundleHeader, BundleWriteError> {
    let properties = source.variants.iter().map(|variant| variant.properties.len() as u64).sum();
    let blocks = data.div_ceil(u64::from(source.block_bytes));
    let counts = [source.variants.len() as u64, properties, source.files.len() as u64, blocks];
    let mut header = BundleHeader {
        endian: source.endian,
        layer: source.layer,
        block_bytes: source.block_bytes,
        below: source.below,
        id: 0,
        bytes: 0,
        counts: [0; 4],
        platform: [0; PLATFORM],
    };
    for (place, count) in header.counts.iter_mut().zip(counts) {
        *place = u32::try_from(count)
            .map_err(|_| BundleWriteError::Source("there are 4 billion of something"))?;
    }
    header.platform[..source.platform.len()].copy_from_slice(source.platform.as_bytes());
    Ok(header)
}

/// Returns the bytes of the index.
fn index<'a, A: Allocator + ?Sized>(
    source: &BundleSource<'_>,
    mut files: Array<'a, FileRange, A>,
    blocks: &[BlockRange],
    memory: &'a A,
) -> Result<Array<'a, u8, A>, BundleWriteError> {
    files.sort_unstable_by_key(|file| file.hash);
    if !files.is_sorted_by(|a, b| a.hash < b.hash) {
        return Err(BundleWriteError::Source("a file is there twice"));
    }
    let order = Order(source.endian);
    let mut out = Array::new_in(memory);
    let mut properties = 0_u32;
    for variant in source.variants {
        let count = variant.properties.len() as u32;
        let mut record = [0; VARIANT];
        record[..8].copy_from_slice(&order.u64(variant.key.type_hash.hash()));
        record[8..16].copy_from_slice(&order.u64(variant.key.name.hash()));
        record[16..24].copy_from_slice(&order.u64(variant.bytes));
        record[24..56].copy_from_slice(&variant.file.0);
        record[56..60].copy_from_slice(&order.u32(properties));
        record[60..].copy_from_slice(&order.u32(count));
        properties += count;
        out.try_extend_from_slice(&record)?;
    }
    for property in source.variants.iter().flat_map(|variant| variant.properties) {
        let record: [u8; PROPERTY] = order.u64(property.hash());
        out.try_extend_from_slice(&record)?;
    }
    for file in &files {
        let mut record = [0; FILE];
        record[..32].copy_from_slice(&file.hash);
        record[32..40].copy_from_slice(&order.u64(file.start));
        record[40..].copy_from_slice(&order.u64(file.bytes));
        out.try_extend_from_slice(&record)?;
    }
    for block in blocks {
        let mut record = [0; BLOCK];
        record[..8].copy_from_slice(&order.u64(block.start));
        record[8..12].copy_from_slice(&order.u32(block.stored));
        record[12..16].copy_from_slice(&order.u32(block.bytes));
        record[16..].copy_from_slice(&order.u64(block.checksum));
        out.try_extend_from_slice(&record)?;
    }
    Ok(out)
}

/// Blocks that are written one after the other.
struct Blocks<'a, 'o, O: Write, A: Allocator + ?Sized> {
    out: &'o mut O,
    /// Where the next byte goes.
    at: u64,
    size: usize,
    /// Where the first byte of `data` is among all.
    start: u64,
    data: Array<'a, u8, A>,
    packed: Array<'a, u8, A>,
    blocks: Array<'a, BlockRange, A>,
    table: CompressTable,
}

impl<'a, 'o, O: Write, A: Allocator + ?Sized> Blocks<'a, 'o, O, A> {
    fn try_new_in(size: u32, out: &'o mut O, memory: &'a A) -> Result<Self, GrowError> {
        let size = size as usize;
        let mut packed = Array::new_in(memory);
        packed.try_resize(get_maximum_output_size(size), 0)?;
        Ok(Self {
            out,
            at: 0,
            size,
            start: 0,
            data: Array::try_with_capacity_in(size, memory)?,
            packed,
            blocks: Array::new_in(memory),
            table: CompressTable::large(),
        })
    }

    /// Puts bytes at a place that is not before the end of what was put; between them are zeroes.
    fn put_at(&mut self, place: u64, bytes: &[u8]) -> Result<(), BundleWriteError> {
        while self.start + (self.data.len() as u64) < place {
            let missing = place - self.start - self.data.len() as u64;
            let room = self.size - self.data.len();
            let count = usize::try_from(missing).unwrap_or(usize::MAX).min(room);
            self.data.try_resize(self.data.len() + count, 0)?;
            self.write_full()?;
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(self.size - self.data.len()));
            self.data.try_extend_from_slice(part)?;
            self.write_full()?;
            rest = after;
        }
        Ok(())
    }

    fn write_full(&mut self) -> Result<(), BundleWriteError> {
        if self.data.len() == self.size { self.write_block() } else { Ok(()) }
    }

    /// Writes what was put as a block.
    fn write_block(&mut self) -> Result<(), BundleWriteError> {
        self.pad(self.at.next_multiple_of(BLOCK_ALIGN))?;
        let bytes = self.data.len();
        let packed = compress_into_with_table(&self.data, &mut self.packed, &mut self.table);
        let stored = match packed {
            Ok(count) if count + bytes / GAIN < bytes => &self.packed[..count],
            _ => &self.data[..],
        };
        self.blocks.try_push(BlockRange {
            start: self.at,
            // A block is at most 16 MiB long.
            stored: stored.len() as u32,
            bytes: bytes as u32,
            checksum: checksum(stored),
        })?;
        self.out.write_all(stored).map_err(BundleWriteError::Write)?;
        self.at += stored.len() as u64;
        self.start += bytes as u64;
        self.data.clear();
        Ok(())
    }

    /// Writes zeroes up to a place in the bundle.
    fn pad(&mut self, place: u64) -> Result<(), BundleWriteError> {
        let zeroes = [0; 1024];
        while self.at < place {
            let count = (place - self.at).min(zeroes.len() as u64) as usize;
            self.out.write_all(&zeroes[..count]).map_err(BundleWriteError::Write)?;
            self.at += count as u64;
        }
        Ok(())
    }

    /// Writes the last block. Returns the blocks, and where the bundle ends.
    fn finish(mut self) -> Result<(Array<'a, BlockRange, A>, u64), BundleWriteError> {
        if !self.data.is_empty() {
            self.write_block()?;
        }
        Ok((self.blocks, self.at))
    }
}

/// A bundle could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum BundleWriteError {
    /// What is to be in it cannot be.
    Source(&'static str),
    /// A file that is to be in it cannot be read.
    Read(io::Error),
    /// The bundle's own file cannot be written.
    Write(io::Error),
    /// There is no memory.
    Memory(GrowError),
}

impl From<GrowError> for BundleWriteError {
    fn from(error: GrowError) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for BundleWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(what) => f.write_str(what),
            Self::Read(error) => {
                write!(f, "a file cannot be read: {error}; compile the data again")
            }
            Self::Write(error) => write!(f, "the bundle cannot be written: {error}"),
            Self::Memory(error) => error.fmt(f),
        }
    }
}

impl Error for BundleWriteError {}
