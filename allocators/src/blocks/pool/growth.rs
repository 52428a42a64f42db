//! Allocating and returning the chunks of a pool.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use super::PoolAllocator;
use super::chunk::{Chunk, Shape};
use super::group::NOWHERE;
use super::index;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};

/// The approximate size of the first chunk.
const FIRST_BYTES: usize = 4 << 10;
/// The approximate size of the largest chunk.
const LARGEST_BYTES: usize = 1 << 20;
/// The minimum number of blocks of a growing chunk.
const BLOCKS_MIN: usize = 4;
/// The minimum number of frees between two searches for empty chunks.
const LOOK_FREES_MIN: u64 = 64;

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    /// Returns the chunks without live blocks to the backing, and the number of their bytes.
    ///
    /// A pool in a region keeps its one chunk.
    ///
    /// # Complexity
    ///
    /// O(blocks / 64).
    pub fn shrink(&self) -> usize {
        if self.backing.is_none() {
            return 0;
        }
        self.peak_live.set(self.peak_live.get().max(self.carved.get()));
        self.mark_held();
        let before = self.reserved.get();
        self.release(Chunk::is_empty, false);
        before - self.reserved.get()
    }

    /// Returns chunks that have been empty since the last search, and parks those that are empty
    /// now.
    #[cold]
    #[inline(never)]
    pub(super) fn look(&self) {
        let blocks = self.blocks.get() as u64;
        let between = (blocks * u64::from(self.look_percent) / 100).max(LOOK_FREES_MIN);
        self.next_look.set(self.frees_total() + between);
        self.peak_live.set(self.peak_live.get().max(self.carved.get()));
        self.mark_held();
        self.release(|chunk| chunk.parked.get(), true);
    }

    /// Lists the blocks of the chunk that was parked last; `false` if none is parked.
    fn unpark(&self) -> bool {
        // SAFETY: invariant 6: null or an existing chunk.
        let Some(chunk) = (unsafe { self.parked.get().as_ref() }) else {
            return false;
        };
        self.parked.set(chunk.next_parked.get());
        chunk.parked.set(false);
        self.list_groups(chunk);
        true
    }

    /// Puts the groups of a chunk that have free blocks on the list.
    fn list_groups(&self, chunk: &Chunk) {
        for group in chunk.groups() {
            if group.free() != 0 {
                group.next.set(self.free_groups.replace(group));
            }
        }
    }

    /// Sets the bit of the held block.
    fn mark_held(&self) {
        let held = self.held.replace(ptr::null_mut()).addr();
        if let Ok((group, index)) = self.locate(held) {
            self.mark_free(group, index);
        }
    }

    /// Allocates a block of a parked chunk, or one that was never allocated, growing if there is
    /// none. No other block is free.
    #[inline(never)]
    pub(super) fn carve(&self) -> Result<NonNull<[u8]>, AllocError> {
        while self.unpark() {
            // A chunk may be parked before any of its blocks was allocated.
            if let Some(block) = self.take_listed() {
                return Ok(block);
            }
        }
        if self.uncarved.get() == 0 && !self.next_group() {
            self.grow()?;
        }
        // SAFETY: `uncarved` is not zero now, so invariant 3 says that this is a group.
        let group = unsafe { &*self.carving.get() };
        let fresh = group.fresh.get();
        let index = group.carved();
        // Without the lowest bit; the blocks are used in order (invariant 1 of `Group`).
        group.fresh.set(fresh & fresh.wrapping_sub(1));
        group.idle.set(group.idle.get() & !(1 << (index & 63)));
        self.uncarved.set(self.uncarved.get() - 1);
        self.carved.set(self.carved.get() + 1);
        self.carved_total.set(self.carved_total.get() + 1);
        let block = self.block_at(group, index);
        mark::undefined(block.cast(), self.size.bytes);
        Ok(block)
    }

    /// Advances to the next group of the newest chunk, if there is one.
    fn next_group(&self) -> bool {
        // SAFETY: invariant 1: null or an existing chunk.
        let Some(chunk) = (unsafe { self.youngest.get().as_ref() }) else {
            return false;
        };
        let last = &raw const chunk.groups()[chunk.group_count - 1];
        if self.carving.get().is_null() || self.carving.get() == last {
            return false;
        }
        // SAFETY: it is a group of the youngest chunk and not its last.
        self.carving.set(unsafe { self.carving.get().add(1) });
        self.open_group(chunk);
        true
    }

    /// Counts the blocks of the group that is carved next.
    fn open_group(&self, chunk: &Chunk) {
        // SAFETY: both point into the groups of one chunk.
        let g = unsafe { self.carving.get().offset_from_unsigned(chunk.groups) };
        let shape = self.shape();
        self.uncarved.set(chunk.first_index(g + 1, shape) - chunk.first_index(g, shape));
    }

    /// Returns the number of blocks for the next chunk, and whether it should start with a window.
    pub(super) fn blocks_wanted(&self) -> (usize, bool) {
        if self.blocks_per_chunk != 0 {
            return (self.blocks_per_chunk, true);
        }
        let first = (FIRST_BYTES / self.size.bytes).max(BLOCKS_MIN);
        let largest = (LARGEST_BYTES / self.size.bytes).max(BLOCKS_MIN);
        (self.blocks.get().clamp(first, largest), true)
    }

    /// Allocates one more chunk.
    #[cold]
    fn grow(&self) -> Result<(), AllocError> {
        let (blocks, windowed) = self.blocks_wanted();
        match self.take_chunk(blocks, windowed) {
            Err(AllocError) if self.blocks_per_chunk == 0 => self.take_chunk(BLOCKS_MIN, false),
            taken => taken,
        }
    }

    fn take_chunk(&self, blocks: usize, windowed: bool) -> Result<(), AllocError> {
        let backing = self.backing.ok_or(AllocError)?;
        let shape = self.shape();
        let layout = shape.layout(blocks, windowed).ok_or(AllocError)?;
        let index = self.index.grown_layout(shape.groups_at_most(blocks));
        let memory = backing.allocate(layout)?.cast::<u8>();
        if let Some((groups, index)) = index {
            let Ok(place) = backing.allocate(index) else {
                // SAFETY: the block was just taken with this layout and is not used.
                unsafe { backing.deallocate_sized(memory, layout) };
                return Err(AllocError);
            };
            // SAFETY: the memory is fresh and has the layout of an index for this many groups.
            let old = unsafe { self.index.move_to(place.cast(), groups, Some(index)) };
            self.count_reserved(index.size());
            self.give_back(old);
        }
        self.count_reserved(layout.size());
        // SAFETY: the memory is fresh and has this layout, and the index has room.
        unsafe { self.settle_at(memory.as_ptr(), blocks, Some((memory, layout))) };
        Ok(())
    }

    /// Creates a chunk in the memory at `first` and starts carving it.
    ///
    /// # Safety
    ///
    /// As [`Shape::write`], and the index has room for the chunk.
    unsafe fn settle_at(
        &self,
        first: *mut u8,
        blocks: usize,
        memory: Option<(NonNull<u8>, Layout)>,
    ) {
        // SAFETY: the caller's promise, passed on.
        let chunk = unsafe { self.shape().write(first, blocks, memory) };
        // SAFETY: the caller promises the room; the chunk exists until `release` removes it.
        unsafe { self.index.insert(chunk) };
        // SAFETY: invariant 1: null or an existing chunk.
        match unsafe { self.youngest.get().as_ref() } {
            Some(youngest) => youngest.younger.set(chunk.as_ptr()),
            None => self.oldest.set(chunk.as_ptr()),
        }
        self.youngest.set(chunk.as_ptr());
        self.blocks.set(self.blocks.get() + blocks);
        // SAFETY: it was just written.
        let chunk = unsafe { chunk.as_ref() };
        mark::no_access_at(first, blocks * self.size.bytes);
        self.carving.set(chunk.groups);
        self.open_group(chunk);
    }

    /// Creates the one chunk of a pool in a region, as large as fits.
    pub(super) fn settle_in(&self, region: &mut [MaybeUninit<u8>]) {
        let shape = self.shape();
        self.count_reserved(region.len());
        let start = region.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(shape.least_align());
        let Some(room) = region.len().checked_sub(skipped) else {
            return;
        };
        let blocks = most_blocks(shape, room);
        if blocks == 0 {
            return;
        }
        let groups = shape.groups_at_most(blocks);
        // SAFETY: `skipped` is at most the region's length.
        let first = unsafe { start.add(skipped) };
        let offset = region_bytes(shape, blocks).unwrap_or(room) - index::layout_for(groups).size();
        // SAFETY: `region_bytes` includes the index at the end.
        let place = unsafe { first.add(offset) };
        // SAFETY: it is within the region, so it is not null.
        let place = unsafe { NonNull::new_unchecked(place) };
        // SAFETY: the index follows the chunk, in memory that the region lends to the pool alone,
        // at a multiple of a word from a start that is aligned for a chunk.
        unsafe { self.index.move_to(place, groups, None) };
        // SAFETY: the chunk is before the index, and the index was made for its groups.
        unsafe { self.settle_at(first, blocks, None) };
    }

    /// Returns the chunks that `leaves` selects to the backing, and the index when none is left.
    /// Remaining empty chunks are parked if `parks` says so.
    pub(super) fn release(&self, leaves: impl Fn(&Chunk) -> bool, parks: bool) {
        self.index.remove(&leaves);
        self.free_groups.set(NOWHERE);
        self.parked.set(ptr::null());
        let mut at = self.oldest.replace(ptr::null());
        self.youngest.set(ptr::null());
        let carving = self.carving.replace(ptr::null());
        // SAFETY: invariant 1: null or an existing chunk; `at` advances before a chunk is freed.
        while let Some(chunk) = unsafe { at.as_ref() } {
            at = chunk.younger.replace(ptr::null());
            if leaves(chunk) {
                mark::undefined_at(chunk.first, chunk.blocks * self.size.bytes);
                self.carved.set(self.carved.get() - chunk.carved());
                self.marked_total.set(self.marked_total.get() - chunk.marked());
                self.blocks.set(self.blocks.get() - chunk.blocks);
                self.give_back(chunk.memory);
                continue;
            }
            // SAFETY: invariant 1, for the list that grows here.
            match unsafe { self.youngest.get().as_ref() } {
                Some(youngest) => youngest.younger.set(chunk),
                None => self.oldest.set(chunk),
            }
            self.youngest.set(chunk);
            if chunk.groups().iter().any(|group| ptr::eq(group, carving)) {
                self.carving.set(carving);
            }
            chunk.parked.set(parks && chunk.is_empty());
            if chunk.parked.get() {
                chunk.next_parked.set(self.parked.replace(chunk));
            } else {
                self.list_groups(chunk);
            }
        }
        if self.carving.get().is_null() {
            self.uncarved.set(0);
        }
        if self.oldest.get().is_null() {
            self.give_back(self.index.take_memory());
        }
    }

    fn count_reserved(&self, bytes: usize) {
        let reserved = self.reserved.get() + bytes;
        self.reserved.set(reserved);
        self.peak_reserved.set(self.peak_reserved.get().max(reserved));
    }

    fn give_back(&self, memory: Option<(NonNull<u8>, Layout)>) {
        let (Some((memory, layout)), Some(backing)) = (memory, self.backing) else {
            return;
        };
        self.reserved.set(self.reserved.get() - layout.size());
        // SAFETY: the block was taken from this backing with this layout, and its owner is gone.
        unsafe { backing.deallocate_sized(memory, layout) };
    }
}

/// Returns the size of `blocks` blocks in a region, including their index.
fn region_bytes(shape: Shape, blocks: usize) -> Option<usize> {
    let groups = shape.groups_at_most(blocks);
    let chunk = shape.layout(blocks, false)?;
    chunk.size().checked_add(index::layout_for(groups).size())
}

/// Returns the greatest number of blocks that fit into `room` bytes.
fn most_blocks(shape: Shape, room: usize) -> usize {
    let mut fits = 0;
    let mut above = room / shape.block_bytes + 1;
    while above - fits > 1 {
        let middle = fits + (above - fits) / 2;
        if region_bytes(shape, middle).is_some_and(|bytes| bytes <= room) {
            fits = middle;
        } else {
            above = middle;
        }
    }
    fits
}
