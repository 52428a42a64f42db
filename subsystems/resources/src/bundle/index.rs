//! The index of a bundle in memory: what is in it, and where.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use loligo_ids::IdString64;

use super::format::{
    BLOCK, BLOCK_ALIGN, BlockRange, BundleHeader, FILE, FILE_ALIGN, FileRange, HEADER, Order,
    PROPERTY, VARIANT,
};
use crate::bundle_error::BundleErrorKind;
use crate::content_hash::ContentHash;
use crate::key::ResourceKey;
use crate::table::{Table, TableEntry};

/// What is in a bundle.
///
/// # Invariants
///
/// 1. Files are in ascending order of their hashes, none twice, each within the blocks.
/// 2. Blocks are in ascending order and do not overlap. All but the last have the size of the
///    header when they are decompressed, and none has more bytes in the bundle.
/// 3. A variant whose file is in the bundle has as many bytes as that.
pub(super) struct Index<'a, A: Allocator + ?Sized> {
    pub(super) variants: Table<'a, A>,
    pub(super) files: Array<'a, FileRange, A>,
    pub(super) blocks: Array<'a, BlockRange, A>,
}

impl<'a, A: Allocator + ?Sized> Index<'a, A> {
    /// Reads an index, as long as the header says, and checks it.
    pub(super) fn try_read_in(
        header: &BundleHeader,
        bytes: &[u8],
        memory: &'a A,
    ) -> Result<Self, BundleErrorKind> {
        let order = Order(header.endian);
        let [variants, properties, files, _] = header.counts.map(|count| count as usize);
        let (variants, rest) = bytes.split_at(variants * VARIANT);
        let (properties, rest) = rest.split_at(properties * PROPERTY);
        let (files, blocks) = rest.split_at(files * FILE);
        let index = Self {
            variants: read_variants(order, variants, properties, memory)?,
            files: read_all(files, memory, |of: &[u8; FILE]| FileRange {
                hash: hash_at(of, 0),
                start: order.u64_at(of, 32),
                bytes: order.u64_at(of, 40),
            })?,
            blocks: read_all(blocks, memory, |of: &[u8; BLOCK]| BlockRange {
                start: order.u64_at(of, 0),
                stored: order.u32_at(of, 8),
                bytes: order.u32_at(of, 12),
                checksum: order.u64_at(of, 16),
            })?,
        };
        index.validate(header).map_err(|what| BundleErrorKind::Part { what })?;
        Ok(index)
    }

    /// Returns a file by its hash. O(log files).
    pub(super) fn file(&self, hash: ContentHash) -> Option<FileRange> {
        let at = self.files.binary_search_by(|file| file.hash.cmp(&hash.0)).ok()?;
        Some(self.files[at])
    }

    /// Checks the invariants.
    pub(super) fn validate(&self, header: &BundleHeader) -> Result<(), &'static str> {
        self.variants.validate()?;
        let mut end = HEADER as u64 + header.index_bytes();
        let last = self.blocks.len().saturating_sub(1);
        for (index, block) in self.blocks.iter().enumerate() {
            let is_whole = block.bytes == header.block_bytes;
            let is_end = index == last && (1..=header.block_bytes).contains(&block.bytes);
            if !(is_whole || is_end) || block.stored > block.bytes || block.stored == 0 {
                return Err("a block has a size that cannot be");
            }
            if block.start < end || !block.start.is_multiple_of(BLOCK_ALIGN) {
                return Err("a block is where none can be");
            }
            end = block.end().ok_or("a block is where none can be")?;
        }
        if header.bytes != end {
            return Err("it is not as long as its header says");
        }
        let data: u64 = self.blocks.iter().map(|block| u64::from(block.bytes)).sum();
        for file in &self.files {
            let is_within = file.start.checked_add(file.bytes).is_some_and(|end| end <= data);
            if !is_within || file.bytes == 0 || !file.start.is_multiple_of(FILE_ALIGN) {
                return Err("a file is where none can be");
            }
        }
        if !self.files.is_sorted_by(|a, b| a.hash < b.hash) {
            return Err("the files are not in order, or one is there twice");
        }
        for entry in self.variants.entries() {
            match self.file(entry.file) {
                Some(file) if file.bytes != entry.bytes => {
                    return Err("a resource has another length than its file");
                }
                None if entry.bytes == 0 && entry.file != ContentHash::default() => {
                    return Err("a resource that is removed has a file");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn read_variants<'a, A: Allocator + ?Sized>(
    order: Order,
    variants: &[u8],
    properties: &[u8],
    memory: &'a A,
) -> Result<Table<'a, A>, BundleErrorKind> {
    let entries = read_all(variants, memory, |of: &[u8; VARIANT]| {
        let hash = |at| IdString64::from_hash(order.u64_at(of, at));
        let key = ResourceKey { type_hash: hash(0), name: hash(8) };
        let properties = [order.u32_at(of, 56), order.u32_at(of, 60)];
        TableEntry::new(key, (ContentHash(hash_at(of, 24)), order.u64_at(of, 16)), properties)
    })?;
    let properties = read_all(properties, memory, |of: &[u8; PROPERTY]| {
        IdString64::from_hash(order.u64_at(of, 0))
    })?;
    Ok(Table::of_parts(entries, properties))
}

/// Reads records of one size.
fn read_all<'a, T, A: Allocator + ?Sized, const N: usize>(
    bytes: &[u8],
    memory: &'a A,
    read: impl Fn(&[u8; N]) -> T,
) -> Result<Array<'a, T, A>, BundleErrorKind> {
    let records = bytes.as_chunks::<N>().0;
    let mut all = Array::try_with_capacity_in(records.len(), memory)?;
    all.try_extend(records.iter().map(read))?;
    Ok(all)
}

fn hash_at(bytes: &[u8], at: usize) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(&bytes[at..at + 32]);
    hash
}
