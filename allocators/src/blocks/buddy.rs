//! The buddy allocator: blocks of powers of two, split in halves and merged again.
//!
//! After Niklas Frykholm, "Allocation Adventures 3: The Buddy Allocator" (2015). Changes:
//!
//! - One used bit a block instead of an XOR bit a pair and a split bit a block: a block with a set
//!   bit is split if a half has a set bit, else allocated; one with a clear bit is free or absent.
//!   It is as much memory, and double, foreign, interior and wrong-size frees are found with it.
//! - The bits are in address order, all heights mixed, so a block, its halves, its buddy and its
//!   parent usually share a word, and a part of the tree needs a part of the bits.
//! - The grid of leaves is at multiples of the leaf in the address space: a block is aligned to its
//!   own length at any buffer address. Parts of the tree before and after the buffer can be
//!   missing.
//! - The metadata is in the missing front part, not a set of allocated blocks.
//! - Freed blocks wait in a small cache (a front) for each size and are merged later: when the
//!   front overflows, when a request could not be served otherwise, and before the tree is
//!   inspected.
//! - Everything is an index or an offset, so the buffer can be copied, mapped or sent, and opened.
//!
//! `docs/decisions/0002-buddy-bit.md` lists the alternatives. The layout of the buffer:
//!
//! ```text
//! | header | list heads | fronts | bits | .. | leaf | leaf | leaf | leaf | leaf | leaf | .. |
//!                                            ^ a multiple of the leaf            less than one leaf
//! ```

mod calls;
mod check;
mod error;
mod memory;
mod meta;
mod node;
mod open;
mod shape;
mod tree;

#[cfg(test)]
pub(crate) mod tests;

use core::alloc::Layout;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::panic::Location;
use core::ptr::NonNull;

use crate::blocks::buddy::calls::Run;
use crate::blocks::buddy::memory::make;
use crate::bookkeeping::sites::{self, NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;

pub use crate::blocks::buddy::check::BlockState;
pub use crate::blocks::buddy::error::BuddyError;
pub(crate) use crate::blocks::buddy::memory::{Memory, write_meta};
pub(crate) use crate::blocks::buddy::meta::META_ALIGN;
pub(crate) use crate::blocks::buddy::shape::Shape;
pub(crate) use crate::blocks::buddy::tree::{Link, Parts, Tree};

/// Serves blocks of one leaf, two leaves, four leaves and so on from one buffer.
///
/// Suitable for buffers that double as they grow, for large blocks, and for memory that is moved,
/// mapped or sent as a whole.
///
/// # Complexity
///
/// Allocating and freeing a block of a recently freed size is O(1) and touches no block. Otherwise
/// O(levels): a split or a merge a level, and no list is searched. A front that overflows merges 8
/// blocks at once, and a request without a free block merges the blocks in the fronts, at most 15 a
/// level, before it fails; an alignment above the block's own checks at most 64 places. Growing in
/// place is O(levels), and searches the fronts if the buddy is split.
///
/// # Memory
///
/// A block is the next power of two of leaves, so almost half of it can be wasted: a block of n
/// bytes is shorter than 2 n, or one leaf. The rest after the last whole leaf of the buffer, less
/// than one leaf, is not used.
///
/// 1 bit a block (2 a leaf), 128 bytes, 4 a level, and 64 for each size of at most 64 KiB and a
/// 256th of the buffer, at the head of the buffer. Free blocks hold their links in their first 8
/// bytes; an allocated block holds only the user's bytes. Sizes are not recorded: `stats().exact`
/// is false. The object itself is 184 bytes or fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`, as also over a region; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// For small objects, or sizes just above a power of two: a [`SlabAllocator`](crate::SlabAllocator)
/// above it serves the former, a [`HeapAllocator`](crate::HeapAllocator) wastes at most 47 bytes on
/// the latter. For memory that grows: a buddy has the fixed size of its buffer.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{Allocator, BuddyAllocator};
///
/// let mut memory = vec![MaybeUninit::uninit(); 64 * 1024];
/// let buddy = BuddyAllocator::from_region("streams", 64, &mut memory)?;
/// let (small, large) = (Layout::new::<[u8; 1000]>(), Layout::new::<[u8; 2000]>());
/// let block = buddy.allocate(large)?.cast::<u8>();
/// // SAFETY: the block is live and of the layouts named; it is freed once.
/// unsafe {
///     // The upper half is freed, and while it is free the block can grow in place.
///     assert_eq!(buddy.resize_in_place(block, large, small)?.len(), 1024);
///     assert_eq!(buddy.resize_in_place(block, small, large)?.len(), 2048);
///     buddy.deallocate_sized(block, large);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. `memory` is valid for reads and writes, and reached only through this allocator and its live
///    blocks.
/// 2. The invariants of `Tree`, whose metadata and links are in `memory`.
/// 3. `base` is the header's address; `data` that of the first leaf.
pub struct BuddyAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + Sync + 'a,
    S: SiteBook = NoSites,
> {
    tree: Tree<'a>,
    /// The first present leaf.
    data: NonNull<u8>,
    /// Returned to the backing on drop, also after a leak report.
    memory: Memory<'a, B>,
    sites: S,
}

// SAFETY: the tree, its metadata and its free blocks are in memory that only the allocator reaches
// (invariant 1), so they move with it; `memory` refers to the backing, which threads may share. The
// sites must be `Send` themselves.
unsafe impl<B: Allocator + Sync + ?Sized, S: SiteBook + Send> Send for BuddyAllocator<'_, B, S> {}

impl<'a> BuddyAllocator<'a> {
    /// Creates an allocator over `region`, all of it free.
    ///
    /// # Complexity
    ///
    /// O(bytes of metadata).
    ///
    /// # Errors
    ///
    /// [`BuddyError`] if the leaf is not a power of two of at least 16 bytes, or the region holds
    /// no leaf or more than 32 levels.
    pub fn from_region(
        name: &'a str,
        leaf_bytes: usize,
        region: &'a mut [MaybeUninit<u8>],
    ) -> Result<Self, BuddyError> {
        make(name, Memory::of_region(region), leaf_bytes)
    }

    /// Opens the copy of an arena with all its live blocks.
    ///
    /// The region starts with the bytes of [`region`](Self::region), copied, mapped or sent; it may
    /// be longer. Its address differs from the old one by a multiple of the greatest alignment ever
    /// requested, at least 16. Everything in the header, the bits and the lists is validated, so
    /// bytes that are not an arena are refused. The name is not part of an arena.
    ///
    /// # Complexity
    ///
    /// O(blocks + bytes of metadata).
    ///
    /// # Errors
    ///
    /// A [`BuddyError`] with the violated condition.
    ///
    /// # Safety
    ///
    /// The bytes are initialised, or were copied from an arena, including uninitialised bytes
    /// inside its live blocks.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{Allocator, BuddyAllocator};
    ///
    /// let mut memory = vec![MaybeUninit::new(0); 64 * 1024];
    /// let buddy = BuddyAllocator::from_region("level", 64, &mut memory)?;
    /// let block = buddy.allocate(Layout::new::<u64>())?.cast::<u64>();
    /// // SAFETY: the block is fresh and fits the number.
    /// unsafe { block.write(7) };
    /// let offset = buddy.offset_of(block.cast()).expect("it is a block of this arena");
    ///
    /// // The blocks live on in the bytes. Here they only change owners; a file would work as well.
    /// let bytes = buddy.into_region();
    /// // SAFETY: all bytes were zero before the arena was made in them.
    /// let again = unsafe { BuddyAllocator::open("level", bytes) }?;
    /// let block = again.at_offset(offset).expect("the arena is as it was");
    /// // SAFETY: a number was written there, and the block is freed once.
    /// unsafe {
    ///     assert_eq!(block.cast::<u64>().read(), 7);
    ///     again.deallocate(block);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn open(
        name: &'a str,
        region: &'a mut [MaybeUninit<u8>],
    ) -> Result<Self, BuddyError> {
        // SAFETY: the caller's promise about the bytes, passed on.
        unsafe { open::open(name, Memory::of_region(region)) }
    }

    /// Creates an allocator over `bytes` bytes from `backing`, which are returned on drop. If the
    /// backing grants more than requested, all of it is used.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    ///
    /// # Complexity
    ///
    /// O(bytes of metadata), and one allocation of the backing.
    ///
    /// # Errors
    ///
    /// [`BuddyError`] as for [`from_region`](BuddyAllocator::from_region), or if the backing has no
    /// memory.
    pub fn new(
        name: &'a str,
        bytes: usize,
        leaf_bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, BuddyError> {
        Self::new_in(name, bytes, leaf_bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> BuddyAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(
        name: &'a str,
        bytes: usize,
        leaf_bytes: usize,
        backing: &'a B,
    ) -> Result<Self, BuddyError> {
        if !leaf_bytes.is_power_of_two() || leaf_bytes < META_ALIGN {
            return Err(BuddyError::BadLeaf { leaf_bytes });
        }
        // With the alignment of a cache line, the header's hot half is in one line; a page is the
        // most that most backings offer.
        let align = leaf_bytes.clamp(64, 4096);
        let memory = Memory::of_backing(bytes, align, backing)?;
        make(name, memory, leaf_bytes)
    }

    /// Keeps the site of each block allocated from now on, with [`Sites`](crate::Sites). Sites are
    /// not part of the arena: the blocks of an opened one have none.
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> BuddyAllocator<'a, B, S> {
        with_sites!(self, sites, BuddyAllocator { tree, data, memory })
    }
}

impl<'a, S: SiteBook> BuddyAllocator<'a, dyn Allocator + Sync + 'a, S> {
    /// Returns the region with the arena in it, ready to be copied, sent or opened again. Live
    /// blocks are not leaks: they live on in the bytes.
    #[must_use]
    pub fn into_region(self) -> &'a mut [MaybeUninit<u8>] {
        let mut region = self.into_memory().region();
        // SAFETY: the region was lent for `'a`, and the allocator that had it is gone. The blocks
        // are reached by the next owner of the region; the old pointers to them end here.
        unsafe { region.as_mut() }
    }
}

impl<'a, B: Allocator + ?Sized, S: SiteBook> BuddyAllocator<'a, B, S> {
    /// Returns the book of sites: with [`Sites`](crate::Sites) it knows each block's site.
    #[must_use]
    pub const fn sites(&self) -> &S {
        &self.sites
    }

    /// Marks the leaves that contain any of `bytes` bytes from `offset` as allocated. The offset
    /// counts from the start of the region.
    ///
    /// The range is covered by the fewest blocks that tile it. Each is then a live block: it is
    /// counted and shown, and it is freed like any other, or all of them by
    /// [`release_range`](Self::release_range).
    ///
    /// # Complexity
    ///
    /// O(levels) for each block in the range.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if any of the range is allocated or outside the leaves. Nothing has changed.
    #[track_caller]
    pub fn reserve_range(&self, offset: usize, bytes: usize) -> Result<(), AllocError> {
        let (from, to) = self.leaves_of(offset, bytes).ok_or(AllocError)?;
        let site = Location::caller();
        // The fewest blocks that tile a range are at most two of each height.
        self.sites.reserve(2 * self.levels() as usize, site)?;
        self.tree.reserve(from, to, |run| self.sites.note(self.block(run).cast(), site))
    }

    /// Frees every block of a range that [`reserve_range`](Self::reserve_range) reserved with the
    /// same numbers. A range that does not consist of whole live blocks is a misuse.
    ///
    /// # Complexity
    ///
    /// O(levels) for each block in the range.
    ///
    /// # Safety
    ///
    /// The range is not used afterwards, and none of its blocks was freed before.
    #[track_caller]
    pub unsafe fn release_range(&self, offset: usize, bytes: usize) {
        match self.leaves_of(offset, bytes) {
            Some((from, to)) => {
                self.tree.release_range(from, to, |run| self.sites.forget(self.block(run).cast()));
            }
            None => self.tree.wrong(u64::MAX, Some(bytes as u64)),
        }
    }

    /// Returns the leaves that contain any of a range, if they are present.
    fn leaves_of(&self, offset: usize, bytes: usize) -> Option<(u32, u32)> {
        let data = self.data.addr().get() - self.memory.start().addr().get();
        let from = offset.checked_sub(data)?;
        self.tree.leaves_of(from as u64, bytes as u64)
    }

    /// Returns the offset of a block from the start of the region, which stays valid in a copy.
    #[must_use]
    pub fn offset_of(&self, block: NonNull<u8>) -> Option<usize> {
        self.owns(block.as_ptr()).then(|| block.addr().get() - self.memory.start().addr().get())
    }

    /// Returns the live block that starts at `offset` from the start of the region.
    #[must_use]
    pub fn at_offset(&self, offset: usize) -> Option<NonNull<u8>> {
        let data = self.data.addr().get() - self.memory.start().addr().get();
        let run = self.tree.block_at(offset.checked_sub(data)? as u64)?;
        Some(self.block(run).cast())
    }

    /// Returns all bytes of the arena, to be copied, mapped or sent. They are a valid arena at any
    /// moment between two calls.
    #[must_use]
    pub fn region(&self) -> NonNull<[MaybeUninit<u8>]> {
        self.tree.open_for_good();
        self.memory.region()
    }

    /// Returns how many bytes at the start of the region are not in blocks: the metadata, rounded
    /// up to the first leaf.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.data.addr().get() - self.memory.start().addr().get()
    }

    /// Returns the number of levels. Level 0 is the whole tree, of which the region may be a part.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.tree.shape.top + 1
    }

    /// Returns the size of the smallest block.
    #[must_use]
    pub fn leaf_bytes(&self) -> usize {
        self.tree.bytes_at(0) as usize
    }

    /// Returns the size of the blocks of a level.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    #[must_use]
    pub fn level_bytes(&self, level: u32) -> usize {
        self.tree.bytes_at(self.tree.height_of_level(level)) as usize
    }

    /// Returns the state of the block at `index` of a level, after merging the blocks in the
    /// fronts.
    ///
    /// The metadata and missing parts of the tree show as the largest allocated blocks in them.
    ///
    /// # Complexity
    ///
    /// O(1) after the first call.
    ///
    /// # Panics
    ///
    /// If there is no such level, or no such index in it.
    #[must_use]
    pub fn block_state(&self, level: u32, index: usize) -> BlockState {
        self.tree.level_state(level, index as u64)
    }

    /// Visits the free blocks of a level by their indices in it, in the order of its list: the
    /// first one is allocated next. Merges the blocks in the fronts first. `visit` must not call
    /// the allocator.
    ///
    /// # Panics
    ///
    /// If there is no such level.
    pub fn free_list(&self, level: u32, visit: &mut dyn FnMut(usize)) {
        self.tree.level_free(level, &mut |index| visit(index as usize));
    }

    /// Merges the blocks in the fronts, so that every two free halves are one block.
    ///
    /// # Complexity
    ///
    /// O(levels) for each waiting block: at most 15 for each size of at most 64 KiB and a 256th of
    /// the region.
    pub fn settle(&self) {
        self.tree.settle();
    }

    /// Dismantles the allocator without a leak report.
    fn into_memory(self) -> Memory<'a, B> {
        let whole = ManuallyDrop::new(self);
        // SAFETY: the field is read once and the whole is never dropped.
        drop(unsafe { core::ptr::read(&whole.sites) });
        // SAFETY: as above.
        unsafe { core::ptr::read(&whole.memory) }
    }

    /// Returns the distance of an address from the first leaf; larger than any leaf's if it is
    /// before.
    #[inline]
    fn offset(&self, address: *const u8) -> u64 {
        address.addr().wrapping_sub(self.data.addr().get()) as u64
    }

    /// Returns the memory of a used and present block.
    #[inline]
    fn block(&self, run: Run) -> NonNull<[u8]> {
        let offset = self.tree.offset_of(run.leaf) as usize;
        // SAFETY: a present leaf is in the region (invariant 3), so the offset stays within it.
        let start = unsafe { self.data.add(offset) };
        NonNull::slice_from_raw_parts(start, self.tree.bytes_at(run.height) as usize)
    }
}

// SAFETY: a run that the tree returns is a present block whose bit was clear and is now set, or
// that was removed from a front; so it overlaps neither another block nor the metadata (invariant 2
// of this type, 3 and 5 of the tree), and is at a multiple of the alignment because
// `Tree::allocate` checks the address itself if the block's length is not sufficient alignment. A
// refused call returns before anything is set. Nothing is called that could unwind but a misuse.
unsafe impl<B: Allocator + ?Sized, S: SiteBook> Allocator for BuddyAllocator<'_, B, S> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let bytes = layout.size().max(1) as u64;
        let site = Location::caller();
        self.sites.reserve(1, site)?;
        match self.tree.allocate(bytes, layout.align() as u64) {
            Some(run) => {
                let block = self.block(run);
                self.sites.note(block.cast(), site);
                Ok(block)
            }
            None => Err(AllocError),
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.tree.free(self.offset(block.as_ptr()));
        self.sites.forget(block);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.tree.free_sized(self.offset(block.as_ptr()), layout.size() as u64);
        self.sites.forget(block);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // A request for zero bytes counts as one byte, as when it was allocated.
        let (from, to) = (old.size().max(1) as u64, new.size() as u64);
        let run = self.tree.resize(self.offset(block.as_ptr()), from, to)?;
        Ok(self.block(run))
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        unsafe { sites::reallocate(self, &self.sites, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        let offset = self.offset(block.as_ptr());
        match self.tree.block_at(offset) {
            Some(run) => self.tree.bytes_at(run.height) as usize,
            None => self.tree.wrong(offset, None),
        }
    }

    fn stats(&self) -> Stats {
        self.tree.stats(self.memory.region().len())
    }

    fn name(&self) -> &str {
        self.tree.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.memory.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.offset(address) >> self.tree.shape.leaf_shift < u64::from(self.tree.shape.leaves())
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.tree.each_live(&mut |leaf, height| {
            let block = self.block(Run { leaf, height });
            let site = self.sites.site(block.cast());
            visit(Block { address: block.cast(), bytes: block.len(), site });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.tree.verify()?;
        self.sites.verify(self.stats().live)
    }
}

impl<B: Allocator + ?Sized, S: SiteBook> Drop for BuddyAllocator<'_, B, S> {
    fn drop(&mut self) {
        leak::assert_none(self);
    }
}
