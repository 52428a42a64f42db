//! The buddy allocator over offsets, for memory that it must not or cannot touch.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015), with the changes
//! that [`BuddyAllocator`](crate::BuddyAllocator) lists, and one more: header, bits and the links
//! of free blocks are in a separate table, so it can divide the memory of a GPU, a file, or the
//! elements of an array that moves.
//!
//! ```text
//! table: | header | list heads | fronts | bits: 2 a leaf | links: 8 bytes a leaf |
//! arena: offsets 0 .. bytes, never touched
//! ```

#[cfg(test)]
mod tests;

use core::ptr;

use crate::blocks::buddy::{BlockState, BuddyError, Link, Memory, Parts, Shape, Tree, write_meta};
use crate::blocks::offset_leak::{self, OffsetBlocks};
use crate::contract::allocator::{AllocError, Allocator, Damage};
use crate::contract::stats::Stats;

/// Divides the offsets from 0 to a given number into blocks of a leaf, two leaves, four and so on.
///
/// A block is at a multiple of its own length. The memory that the offsets stand for is never
/// touched.
///
/// # Complexity
///
/// As [`BuddyAllocator`](crate::BuddyAllocator): O(1) for recently freed sizes, else O(levels).
///
/// # Memory
///
/// A block is the next power of two of leaves, so almost half of it can be wasted: a block of n
/// bytes is shorter than 2 n, or one leaf. The rest of the arena after the last whole leaf, less
/// than one leaf, is not used.
///
/// The table takes 8 bytes and 2 bits a leaf, 128 bytes, 4 a level, and 64 for each size of at most
/// 64 KiB and a 256th of the arena, all from the backing allocator at once and separate from the
/// arena. Sizes are not recorded: `stats().exact` is false, and `stats().reserved` is the arena.
/// The object itself is 184 bytes or fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`. As it returns offsets it is not an
/// [`Allocator`]; to share it, put it behind a lock of your program.
///
/// # When not to use it
///
/// For memory that the processor can access: [`BuddyAllocator`](crate::BuddyAllocator) keeps its
/// links in free blocks and takes 2 bits a leaf, not 66. For leaves of a few bytes: with 8 bytes
/// the table is larger than the arena.
///
/// # Examples
///
/// ```
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{BuddyAllocator, BuddyOffsets};
///
/// let mut memory = vec![MaybeUninit::uninit(); 128 * 1024];
/// let tables = BuddyAllocator::from_region("tables", 64, &mut memory)?;
/// // 256 MiB of another device, in leaves of 64 KiB.
/// let heap = BuddyOffsets::new("textures", 256 << 20, 64 << 10, &tables)?;
/// let texture = heap.allocate(3 << 20, 4096)?;
/// assert_eq!(heap.allocated_size(texture), 4 << 20);
/// heap.free(texture);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. `table` has the metadata of the tree and a link for each leaf, and is reached only through
///    this object.
/// 2. The invariants of `Tree`.
pub struct BuddyOffsets<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    tree: Tree<'a>,
    bytes: u64,
    /// Returned to the backing on drop, also after a leak report.
    table: Memory<'a, B>,
}

// SAFETY: the tree points into the table, which only this object reaches (invariant 1), so they
// move together; the table refers to the backing, which threads may share.
unsafe impl<B: Allocator + Sync + ?Sized> Send for BuddyOffsets<'_, B> {}

impl<'a> BuddyOffsets<'a> {
    /// Creates an allocator of the offsets `0..bytes`, all free, with a table from `backing`. The
    /// rest of `bytes` after the last whole leaf is not used.
    ///
    /// # Complexity
    ///
    /// O(leaves / 32), and one allocation of the backing.
    ///
    /// # Errors
    ///
    /// [`BuddyError`] if the leaf is not a power of two, if there is no leaf or more than 32 levels
    /// of them, or if the backing has no memory.
    pub fn new(
        name: &'a str,
        bytes: u64,
        leaf_bytes: u64,
        backing: &'a (dyn Allocator + 'a),
    ) -> Result<Self, BuddyError> {
        Self::new_in(name, bytes, leaf_bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> BuddyOffsets<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(
        name: &'a str,
        bytes: u64,
        leaf_bytes: u64,
        backing: &'a B,
    ) -> Result<Self, BuddyError> {
        let told = usize::try_from(bytes).unwrap_or(usize::MAX);
        if !leaf_bytes.is_power_of_two() {
            let leaf_bytes = usize::try_from(leaf_bytes).unwrap_or(usize::MAX);
            return Err(BuddyError::BadLeaf { leaf_bytes });
        }
        if bytes < leaf_bytes {
            return Err(BuddyError::TooSmall { bytes: told });
        }
        let too_many = BuddyError::TooManyLevels { bytes: told };
        let shape = Shape::of_offsets(bytes, leaf_bytes.ilog2()).ok_or(too_many)?;
        let meta_bytes = shape.meta_bytes();
        let links = (shape.leaves() as usize).checked_mul(size_of::<Link>());
        let table_bytes = links.and_then(|links| links.checked_add(meta_bytes));
        let table = Memory::of_backing(table_bytes.ok_or(too_many)?, 64, backing)?;
        let head = table.start();
        // SAFETY: the table is aligned to 64 and holds the metadata first.
        unsafe { write_meta(head, &shape, 0, 0) };
        // SAFETY: the links are in the table after the metadata, whose length is a multiple of 8.
        let links = unsafe { head.add(meta_bytes) };
        let parts = Parts {
            head,
            links,
            link_shift: size_of::<Link>().ilog2(),
            origin: ptr::null(),
            home: 0,
        };
        // SAFETY: the metadata was just written, in memory that only this object reaches; each leaf
        // has a separate link, which is written before it is read.
        let tree = unsafe { Tree::over(name, shape, parts) };
        tree.plant();
        Ok(Self { tree, bytes, table })
    }

    /// Returns the offset of a block of at least `bytes`, which is a multiple of `align`. Zero
    /// bytes are served as one.
    ///
    /// # Complexity
    ///
    /// O(1) if a block of the size was freed recently, else O(levels).
    ///
    /// # Errors
    ///
    /// [`AllocError`] if no free block is large enough. Nothing has changed.
    ///
    /// # Panics
    ///
    /// If `align` is not a power of two.
    #[inline]
    #[track_caller]
    pub fn allocate(&self, bytes: u64, align: u64) -> Result<u64, AllocError> {
        assert!(align.is_power_of_two(), "alignment {align} is not a power of two");
        match self.tree.allocate(bytes.max(1), align) {
            Some(run) => Ok(self.tree.offset_of(run.leaf)),
            None => Err(AllocError),
        }
    }

    /// Frees a block by its offset alone. An offset at which no live block starts is a misuse.
    ///
    /// # Complexity
    ///
    /// O(levels).
    #[inline]
    #[track_caller]
    pub fn free(&self, offset: u64) {
        self.tree.free(offset);
    }

    /// Frees a block that was allocated, or last resized, with `bytes`. Another size, or an offset
    /// at which no live block starts, is a misuse.
    ///
    /// # Complexity
    ///
    /// O(1) plus merges.
    #[inline]
    #[track_caller]
    pub fn free_sized(&self, offset: u64, bytes: u64) {
        self.tree.free_sized(offset, bytes);
    }

    /// Changes the size of a block in place and returns its new size: grows into free buddies to
    /// the right, or frees upper halves.
    ///
    /// # Complexity
    ///
    /// O(levels), and up to 15 blocks for each front if parts of a buddy may wait in them.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the blocks to the right are not free. The block is unchanged.
    #[track_caller]
    pub fn resize_in_place(&self, offset: u64, old: u64, new: u64) -> Result<u64, AllocError> {
        let run = self.tree.resize(offset, old.max(1), new)?;
        Ok(self.tree.bytes_at(run.height))
    }

    /// Returns the size of a block; at least the requested one.
    ///
    /// # Complexity
    ///
    /// O(levels).
    #[must_use]
    #[track_caller]
    pub fn allocated_size(&self, offset: u64) -> u64 {
        match self.tree.block_at(offset) {
            Some(run) => self.tree.bytes_at(run.height),
            None => self.tree.wrong(offset, None),
        }
    }

    /// Marks the leaves that contain any of `bytes` bytes from `offset` as allocated. Each of the
    /// fewest blocks that tile them is then a live block.
    ///
    /// # Complexity
    ///
    /// O(levels) for each block in the range.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if any of the range is allocated or outside the arena. Nothing has changed.
    pub fn reserve_range(&self, offset: u64, bytes: u64) -> Result<(), AllocError> {
        let (from, to) = self.tree.leaves_of(offset, bytes).ok_or(AllocError)?;
        self.tree.reserve(from, to, |_| ())
    }

    /// Frees every block of a range that [`reserve_range`](Self::reserve_range) reserved with the
    /// same numbers. A range that does not consist of whole live blocks is a misuse.
    ///
    /// # Complexity
    ///
    /// O(levels) for each block in the range.
    #[track_caller]
    pub fn release_range(&self, offset: u64, bytes: u64) {
        match self.tree.leaves_of(offset, bytes) {
            Some((from, to)) => self.tree.release_range(from, to, |_| ()),
            None => self.tree.wrong(offset, Some(bytes)),
        }
    }

    /// Returns the current counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.tree.stats(usize::try_from(self.bytes).unwrap_or(usize::MAX))
    }

    /// Returns the name that reports show.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tree.name
    }

    /// Returns the allocator that the table comes from.
    #[must_use]
    pub fn backing(&self) -> Option<&dyn Allocator> {
        self.table.backing()
    }

    /// Returns the size of the table in bytes.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.table.region().len()
    }

    /// Visits offset and size of every live block in the order of offsets. `visit` must not call
    /// the allocator.
    pub fn walk(&self, visit: &mut dyn FnMut(u64, u64)) {
        self.tree.each_live(&mut |leaf, height| {
            visit(self.tree.offset_of(leaf), self.tree.bytes_at(height));
        });
    }

    /// Checks the allocator's own structure. O(blocks). The address of a [`Damage`] is the offset.
    ///
    /// # Errors
    ///
    /// [`Damage`] describes the first fault found.
    pub fn verify(&self) -> Result<(), Damage> {
        self.tree.verify()
    }

    /// Returns the number of levels. Level 0 is the whole tree, of which the arena may be a part.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.tree.shape.top + 1
    }

    /// Returns the size of the smallest block.
    #[must_use]
    pub fn leaf_bytes(&self) -> u64 {
        self.tree.bytes_at(0)
    }

    /// Returns the size of the blocks of a level.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    #[must_use]
    pub fn level_bytes(&self, level: u32) -> u64 {
        self.tree.bytes_at(self.tree.height_of_level(level))
    }

    /// Returns the state of the block at `index` of a level, after merging the blocks in the
    /// fronts. Missing parts of the tree show as the largest allocated blocks in them.
    ///
    /// # Panics
    ///
    /// If there is no such level, or no such index in it.
    #[must_use]
    pub fn block_state(&self, level: u32, index: u64) -> BlockState {
        self.tree.level_state(level, index)
    }

    /// Visits the free blocks of a level by their indices in it, in the order of its list: the
    /// first one is allocated next. Merges the blocks in the fronts first. `visit` must not call
    /// the allocator.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub fn free_list(&self, level: u32, visit: &mut dyn FnMut(u64)) {
        self.tree.level_free(level, visit);
    }

    /// Merges the blocks in the fronts, so that every two free halves are one block.
    pub fn settle(&self) {
        self.tree.settle();
    }
}

impl<B: Allocator + ?Sized> Drop for BuddyOffsets<'_, B> {
    fn drop(&mut self) {
        offset_leak::assert_none(&self.tree);
    }
}

impl OffsetBlocks for Tree<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn live(&self) -> (usize, usize) {
        let stats = self.stats(0);
        (stats.live, stats.granted)
    }

    fn unit(&self) -> &'static str {
        "bytes"
    }

    fn each_live(&self, visit: &mut dyn FnMut(u64, u64)) {
        Tree::each_live(self, &mut |leaf, height| {
            visit(self.offset_of(leaf), self.bytes_at(height));
        });
    }
}
