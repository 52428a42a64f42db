//! A bundle: many files of resources in one, compressed in blocks.
//!
//! After Niklas Frykholm, "The Blob and I" (2010): what is read in one piece loads fast. Changes:
//! files are known by the hashes of their contents as in a data folder, so that a patch has only
//! what is new; blocks are compressed, and each has a checksum.

use core::fmt;
use std::fs::File;
use std::io;

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};

use crate::bundle_error::{BlockError, BundleError, BundleErrorKind};
use crate::content_hash::ContentHash;
use crate::debug_name::DebugName;
use crate::key::ResourceKey;
use crate::table::Table;

mod block_cache;
mod format;
mod index;
mod storage;
mod write;

pub use format::{BLOCK_BYTES, BUNDLE_FORMAT, BundleHeader};
pub use write::{BundleSource, BundleWriteError, write_bundle};

use block_cache::{BlockCache, Slot, first_bytes};
use format::{BlockRange, FileRange, HEADER, checksum};
use index::Index;
use storage::Storage;

/// A bundle that is open. Its index is in memory, and its blocks are read when a file is.
///
/// # Complexity
///
/// Opening is O(index). Reading is O(log files + blocks of the file): all bytes of a block are read
/// for any part of it, except that a file longer than a block is decompressed into its place.
///
/// # Memory
///
/// 64 bytes a variant, 8 a property, 48 a file and 24 a block, while it is opened twice that. Up to
/// 8 decompressed blocks, each with room for its compressed bytes.
///
/// # Threads
///
/// `Sync` where the allocator is: any threads read at the same time, and wait for each other only
/// where they want the same block.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_containers::Endian;
/// use loligo_resources::{
///     BLOCK_BYTES, Bundle, BundleSource, ContentHash, ResourceKey, TableSource, write_bundle,
/// };
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("bundles", &pages);
/// // A compiler would have computed the hash of the file.
/// let file = ContentHash([7; 32]);
/// let key = ResourceKey::new("text", "signs/exit");
/// let source = BundleSource {
///     platform: "linux",
///     endian: Endian::NATIVE,
///     layer: 0,
///     below: 0,
///     block_bytes: BLOCK_BYTES,
///     variants: &[TableSource { key, properties: &[], file, bytes: 4 }],
///     files: &[(file, 4)],
/// };
/// let mut out = std::io::Cursor::new(Vec::new());
/// let mut read = |_: ContentHash, into: &mut [u8]| {
///     into.copy_from_slice(b"EXIT");
///     Ok(())
/// };
/// write_bundle(&source, &mut read, &mut out, &heap)?;
///
/// let bytes = out.into_inner();
/// let bundle = Bundle::try_from_bytes("signs.bundle", &bytes, &heap)?;
/// let mut sign = [0; 4];
/// bundle.read(file, 0, &mut sign)?;
/// assert_eq!(&sign, b"EXIT");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bundle<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    name: DebugName,
    header: BundleHeader,
    index: Index<'a, A>,
    storage: Storage<'a>,
    cache: BlockCache<'a, A>,
}

/// A block that cannot be used, found by [`Bundle::verify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleDamage {
    /// Which block.
    pub block: u32,
    /// What is wrong with it.
    pub error: BlockError,
    /// A resource that is in it; there is a damage for each of them, and one without where there are
    /// none.
    pub resource: Option<ResourceKey>,
}

impl<'a> Bundle<'a> {
    /// Opens a bundle in a file. `name` is what errors call it.
    ///
    /// # Errors
    ///
    /// [`BundleError`] if the file cannot be read, or its header or index is not right. Blocks are not
    /// looked at.
    pub fn try_open(
        name: &str,
        file: File,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, BundleError> {
        Self::try_open_in(name, file, memory)
    }

    /// Opens a bundle that is in memory already.
    ///
    /// # Errors
    ///
    /// As [`try_open`](Self::try_open).
    pub fn try_from_bytes(
        name: &str,
        bytes: &'a [u8],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, BundleError> {
        Self::try_from_bytes_in(name, bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> Bundle<'a, A> {
    /// As [`try_open`](Bundle::try_open), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_open_in(name: &str, file: File, memory: &'a A) -> Result<Self, BundleError> {
        let name = DebugName::new(name);
        Self::read_in(name, Storage::File(file), memory).map_err(|kind| kind.of(name))
    }

    /// As [`try_from_bytes`](Bundle::try_from_bytes), and keeps the type of the allocator, so that its
    /// calls are direct.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_from_bytes_in(
        name: &str,
        bytes: &'a [u8],
        memory: &'a A,
    ) -> Result<Self, BundleError> {
        let name = DebugName::new(name);
        Self::read_in(name, Storage::Bytes(bytes), memory).map_err(|kind| kind.of(name))
    }

    /// Returns the end of the name of its file.
    #[must_use]
    pub const fn name(&self) -> DebugName {
        self.name
    }

    /// Returns what its header says.
    #[must_use]
    pub const fn header(&self) -> &BundleHeader {
        &self.header
    }

    /// Returns what it has: variants of resources, and in a patch those without bytes, which are
    /// removed.
    #[must_use]
    pub const fn variants(&self) -> &Table<'a, A> {
        &self.index.variants
    }

    /// Returns the hashes of its files and their bytes, in the order of the hashes.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (ContentHash, u64)> + '_ {
        self.index.files.iter().map(|file| (ContentHash(file.hash), file.bytes))
    }

    /// Returns the bytes of a file, if it is in this bundle. O(log files).
    #[must_use]
    pub fn bytes_of(&self, file: ContentHash) -> Option<u64> {
        Some(self.index.file(file)?.bytes)
    }

    /// Returns how many blocks there are.
    #[must_use]
    pub fn block_count(&self) -> u32 {
        // As many as a number of the header counts.
        self.index.blocks.len() as u32
    }

    /// Returns how many bytes the blocks have in the bundle, and decompressed.
    #[must_use]
    pub fn block_sizes(&self) -> [u64; 2] {
        let blocks = self.index.blocks.iter();
        blocks.fold([0, 0], |[stored, bytes], block| {
            [stored + u64::from(block.stored), bytes + u64::from(block.bytes)]
        })
    }

    /// Reads a part of a file: as many bytes as `into` has, from `from` on.
    ///
    /// # Errors
    ///
    /// [`BundleError`] if the bundle has no such file or part, if one of its blocks is damaged, or
    /// there is no memory.
    pub fn read(&self, file: ContentHash, from: u64, into: &mut [u8]) -> Result<(), BundleError> {
        let Some(range) = self.index.file(file) else {
            return Err(BundleErrorKind::NoFile.of(self.name));
        };
        let end = from.checked_add(into.len() as u64);
        if end.is_none_or(|end| end > range.bytes) {
            let what = "a part of a file was asked for that is past its end";
            return Err(BundleErrorKind::Part { what }.of(self.name));
        }
        self.read_data(range.start + from, into).map_err(|kind| kind.of(self.name))
    }

    /// Reads every block, and calls `damage` for each that cannot be used, with each resource that is
    /// in it. What is right can be read whatever else is damaged. Returns the number of blocks that
    /// cannot be used.
    ///
    /// # Complexity
    ///
    /// O(bytes of the bundle + blocks that are damaged * variants).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory.
    pub fn verify(&self, damage: &mut dyn FnMut(BundleDamage)) -> Result<u32, GrowError> {
        let mut damaged = 0;
        let mut end = HEADER as u64 + self.header.index_bytes();
        for (index, block) in (0..).zip(&self.index.blocks) {
            let mut slot = self.cache.slot(index);
            // What was read before does not count.
            slot.block = None;
            let loaded = self.load(index, &mut slot);
            drop(slot);
            let error = match loaded {
                Ok(()) => self.check_padding(end, block).err(),
                Err(BundleErrorKind::Block { error, .. }) => Some(error),
                Err(BundleErrorKind::Memory(error)) => return Err(error),
                Err(_) => Some(BlockError::Packed),
            };
            end = block.end().unwrap_or(u64::MAX);
            if let Some(error) = error {
                damaged += 1;
                self.report(index, error, damage);
            }
        }
        Ok(damaged)
    }

    /// Checks the structure, as when it was opened.
    ///
    /// # Errors
    ///
    /// What is wrong, in words.
    pub fn validate(&self) -> Result<(), &'static str> {
        self.index.validate(&self.header)
    }

    fn read_in(
        name: DebugName,
        storage: Storage<'a>,
        memory: &'a A,
    ) -> Result<Self, BundleErrorKind> {
        let bytes = storage.bytes()?;
        if bytes < HEADER as u64 {
            return Err(BundleErrorKind::Short { bytes, wanted: HEADER as u64 });
        }
        let mut header = [0; HEADER];
        storage.read(0, &mut header)?;
        // The index is within the file from here on.
        let header = BundleHeader::read(&header, bytes)?;
        let count = usize::try_from(header.index_bytes()).unwrap_or(usize::MAX);
        let mut index: Array<'_, u8, A> = Array::new_in(memory);
        index.try_resize(count, 0)?;
        storage.read(HEADER as u64, &mut index)?;
        if checksum(&index) != header.id && !cfg!(fuzzing) {
            return Err(BundleErrorKind::Checksum { part: "index" });
        }
        let index = Index::try_read_in(&header, &index, memory)?;
        let cache = BlockCache::try_new_in(index.blocks.len(), memory)?;
        Ok(Self { name, header, index, storage, cache })
    }

    /// Reads a range of all blocks decompressed, which is within them.
    fn read_data(&self, start: u64, into: &mut [u8]) -> Result<(), BundleErrorKind> {
        let size = u64::from(self.header.block_bytes);
        let mut at = start;
        let mut rest = into;
        while !rest.is_empty() {
            let index = (at / size) as u32;
            let within = (at % size) as usize;
            let block = self.index.blocks[index as usize];
            let count = rest.len().min(block.bytes as usize - within);
            let (part, after) = rest.split_at_mut(count);
            self.read_block((index, &block), within, part)?;
            at += count as u64;
            rest = after;
        }
        Ok(())
    }

    /// Reads a part of a block.
    fn read_block(
        &self,
        (index, block): (u32, &BlockRange),
        within: usize,
        into: &mut [u8],
    ) -> Result<(), BundleErrorKind> {
        let is_whole = into.len() == block.bytes as usize;
        if is_whole && !block.is_packed() {
            return self.read_stored((index, block), into);
        }
        let mut slot = self.cache.slot(index);
        if is_whole && slot.block != Some(index) {
            // It goes to its place directly, and the slot keeps the block that it has.
            let stored = self.read_packed((index, block), &mut slot.stored)?;
            return unpack(index, stored, into);
        }
        self.load(index, &mut slot)?;
        into.copy_from_slice(&slot.data[within..within + into.len()]);
        Ok(())
    }

    /// Puts a block into its slot, if it is not there.
    fn load(&self, index: u32, slot: &mut Slot<'a, A>) -> Result<(), BundleErrorKind> {
        if slot.block == Some(index) {
            return Ok(());
        }
        slot.block = None;
        let block = self.index.blocks[index as usize];
        let data = first_bytes(&mut slot.data, block.bytes)?;
        if block.is_packed() {
            let stored = self.read_packed((index, &block), &mut slot.stored)?;
            unpack(index, stored, data)?;
        } else {
            self.read_stored((index, &block), data)?;
        }
        slot.block = Some(index);
        Ok(())
    }

    /// Reads the bytes of a packed block into a buffer, and returns them.
    fn read_packed<'b>(
        &self,
        (index, block): (u32, &BlockRange),
        buffer: &'b mut Array<'a, u8, A>,
    ) -> Result<&'b [u8], BundleErrorKind> {
        let stored = first_bytes(buffer, block.stored)?;
        self.read_stored((index, block), stored)?;
        Ok(stored)
    }

    /// Reads the bytes of a block as they are in the bundle, and checks them.
    fn read_stored(
        &self,
        (block, range): (u32, &BlockRange),
        into: &mut [u8],
    ) -> Result<(), BundleErrorKind> {
        let fail = |error| Err(BundleErrorKind::Block { block, error });
        match self.storage.read(range.start, into) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => fail(BlockError::Cut),
            Err(error) => fail(BlockError::Unread(error.kind())),
            Ok(()) if checksum(into) != range.checksum && !cfg!(fuzzing) => {
                fail(BlockError::Checksum)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Looks whether all bytes before a block, from the end of what is before it, are zero.
    fn check_padding(&self, end: u64, block: &BlockRange) -> Result<(), BlockError> {
        let mut padding = [0; format::BLOCK_ALIGN as usize];
        let count = block.start - end;
        let Some(padding) = padding.get_mut(..usize::try_from(count).unwrap_or(usize::MAX)) else {
            return Err(BlockError::Padding);
        };
        match self.storage.read(end, padding) {
            Err(error) => Err(BlockError::Unread(error.kind())),
            Ok(()) if padding.iter().any(|byte| *byte != 0) => Err(BlockError::Padding),
            Ok(()) => Ok(()),
        }
    }

    /// Calls `damage` for each resource that is in a block.
    fn report(&self, block: u32, error: BlockError, damage: &mut dyn FnMut(BundleDamage)) {
        let size = u64::from(self.header.block_bytes);
        let start = u64::from(block) * size;
        let is_in = |file: &FileRange| file.start < start + size && file.start + file.bytes > start;
        let mut is_empty = true;
        for entry in self.index.variants.entries() {
            if self.index.file(entry.file).as_ref().is_some_and(is_in) {
                is_empty = false;
                damage(BundleDamage { block, error, resource: Some(entry.key) });
            }
        }
        if is_empty {
            damage(BundleDamage { block, error, resource: None });
        }
    }
}

/// Decompresses a block, which must become as long as `into`.
fn unpack(block: u32, stored: &[u8], into: &mut [u8]) -> Result<(), BundleErrorKind> {
    match lz4_flex::block::decompress_into(stored, into) {
        Ok(count) if count == into.len() => Ok(()),
        _ => Err(BundleErrorKind::Block { block, error: BlockError::Packed }),
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Bundle<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bundle")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}
