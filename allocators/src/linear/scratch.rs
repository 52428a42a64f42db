//! A ring buffer for short-lived memory.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), and the foundation library of
//! BitSquid (2012), where scratch memory is a ring of blocks with headers that falls back to a
//! backing allocator when it is full. Changes: the records of the blocks are separate from them, so
//! a wrong free is found; sizes are exact; blocks that fell back are counted and released; the
//! newest block grows in place.
//!
//! # Memory
//!
//! ```text
//!            tail                            head
//! | free ... | block | freed | block | block | free ........ | entries |
//!
//!        head                    tail
//! | block | free ............... | block | freed | block | gap | entries |
//! ```
//!
//! Blocks start at multiples of 16 and take a multiple of 16. An entry of 4 bytes for each 16 bytes
//! of the ring, in a table after it (a fifth of the whole), holds the size of the block that starts
//! there. Bytes skipped by alignment and at the end of the ring are recorded as a freed block.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::linear::fall_back::FallBack;

mod ring;

#[cfg(test)]
mod tests;

use ring::Ring;

/// A ring for short-lived blocks, with a fallback to a backing allocator.
///
/// Each new block follows the newest one, around the end and over again. Blocks may be freed in any
/// order; the memory of one is recovered when all older ones are freed too, and that of the newest
/// at once. A request that the ring has no room for, since it is large or since an old block still
/// occupies the ring, goes to the backing: [`fell_back`](Self::fell_back) counts these.
///
/// Sizes are exact: in the ring `granted` equals `requested` (a size of zero counts as one), and
/// bytes skipped by rounding and alignment count only as reserved. A block that fell back is
/// counted as granted by the backing. A block that grows in place raises the totals by its growth.
/// The newest block grows in place while there is room; any block of the ring can shrink, and one
/// that fell back can change if the backing permits it.
///
/// A double free (until the memory is allocated again), a foreign free, an interior free and a
/// wrong size are found and reported through [`misuse`](crate::misuse()). A second free of a block
/// that fell back is reported as a foreign free, as it is no longer recorded.
///
/// Dropping the allocator silently releases remaining blocks, in the ring and in the backing, and
/// so does [`reset`](Self::reset); [`assert_empty`](Self::assert_empty) panics if there are any.
///
/// # Complexity
///
/// Allocating, freeing and resizing in the ring: O(1) amortised (a free may also release freed
/// blocks, each once), and nothing is searched. A block that falls back costs the backing's time
/// and O(1) amortised for its entry in a hash table. Creating the ring writes its table, a fifth of
/// it. The report of a wrong free searches backwards for the block around the address.
///
/// # Memory
///
/// 4 bytes for each 16 of the ring, so that four fifths of `bytes` are for blocks, at most 2 GiB;
/// up to 15 bytes a block are lost to rounding. While a long-lived block stays in the ring, no room
/// after it is recovered: up to the whole ring is then unused. A block that fell back costs 54 to
/// 107 additional bytes, in a table that starts at 2 560 bytes, shrinks only by a reset and is
/// counted as reserved.
///
/// # Threads
///
/// `Send` if the backing is `Sync`, as also over a region; not `Sync`: each thread has its own
/// scratch memory.
///
/// # When not to use it
///
/// For long-lived blocks: one old block stops the ring. For blocks that are all freed at one known
/// point: a [`FrameAllocator`](crate::FrameAllocator) frees them at once and has smaller tables.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, PageAllocator, ScratchAllocator};
///
/// let pages = PageAllocator::new("pages");
/// let scratch = ScratchAllocator::new("scratch", 64 << 10, &pages)?;
/// for path in 0..10_000 {
///     let layout = Layout::array::<u8>(20 + path % 200).expect("a short path");
///     let text = scratch.allocate(layout)?;
///     // SAFETY: the block is live, has this layout, and is not used again.
///     unsafe { scratch.deallocate_sized(text.cast(), layout) };
/// }
/// assert_eq!(scratch.fell_back().allocations_total, 0);
///
/// // More than the ring holds:
/// let image = scratch.allocate(Layout::new::<[u8; 100_000]>())?;
/// assert_eq!(scratch.fell_back().requested, 100_000);
/// // SAFETY: the block is live and is not used again.
/// unsafe { scratch.deallocate(image.cast()) };
/// scratch.assert_empty();
/// # Ok::<(), AllocError>(())
/// ```
pub struct ScratchAllocator<'a, B: Allocator + ?Sized = dyn Allocator + Sync + 'a> {
    ring: Ring<'a>,
    fall_back: FallBack<'a, B>,
    /// The backing that owns the ring's memory, and its start and layout.
    lent: Option<(&'a B, NonNull<u8>, Layout)>,
}

// SAFETY: only this object uses the memory of the ring, and the backing, which is shared, may be
// used from another thread as it is `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized> Send for ScratchAllocator<'_, B> {}

impl<'a> ScratchAllocator<'a> {
    /// Creates a ring of `bytes` bytes, its table included, allocated from `backing`.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    ///
    /// # Complexity
    ///
    /// O(`bytes`): the table, a fifth of them, is written.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing refuses, or `bytes` is too large for a layout.
    pub fn new(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> ScratchAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(name: &'a str, bytes: usize, backing: &'a B) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, ring::GRAIN).map_err(|_| AllocError)?;
        let memory = backing.allocate(layout)?.cast();
        Ok(Self {
            // SAFETY: the block was just taken, has this many bytes and belongs to the ring alone.
            ring: unsafe { Ring::over(name, memory, bytes) },
            fall_back: FallBack::new(Some(backing)),
            lent: Some((backing, memory, layout)),
        })
    }

    /// Frees everything at once.
    ///
    /// # Complexity
    ///
    /// O(blocks and freed blocks that the ring still has, and blocks that fell back).
    pub fn reset(&mut self) {
        self.fall_back.reset(&self.ring);
        self.ring.reset();
    }

    /// Returns the counters of the live blocks that fell back; the totals count all that ever did.
    #[must_use]
    pub fn fell_back(&self) -> Stats {
        self.fall_back.own_stats()
    }

    /// Checks that no block is left.
    ///
    /// # Panics
    ///
    /// If there are live blocks, with a list of the first 16.
    pub fn assert_empty(&self) {
        leak::assert_none(self);
    }
}

impl<'a> ScratchAllocator<'a, dyn Allocator + Sync + 'a> {
    /// Creates a ring over `region`, its table included. Requests without room are refused, as
    /// there is no backing.
    ///
    /// # Complexity
    ///
    /// O(length of the region), as [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{AllocError, Allocator, ScratchAllocator};
    ///
    /// let mut memory = [MaybeUninit::uninit(); 1000];
    /// let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    /// let word = scratch.allocate(Layout::new::<u64>())?;
    /// assert_eq!(scratch.allocate(Layout::new::<[u8; 900]>()), Err(AllocError));
    /// # Ok::<(), AllocError>(())
    /// ```
    #[must_use]
    pub fn from_region(name: &'a str, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let bytes = region.len();
        let memory = NonNull::from(region).cast();
        Self {
            // SAFETY: the region is borrowed mutably for as long as the ring lives.
            ring: unsafe { Ring::over(name, memory, bytes) },
            fall_back: FallBack::new(None),
            lent: None,
        }
    }
}

// SAFETY: a block is the ring's, which keeps the contract, or the backing's, which does, too.
unsafe impl<B: Allocator + ?Sized> Allocator for ScratchAllocator<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.ring.allocate(layout) {
            Err(AllocError) => self.fall_back.allocate(layout, false),
            served => served,
        }
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.ring.allocate_zeroed(layout) {
            Err(AllocError) => self.fall_back.allocate(layout, true),
            served => served,
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.fall_back.free(&self.ring, block, None);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.fall_back.free(&self.ring, block, Some(layout));
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.fall_back.resize(&self.ring, block, old, new)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.fall_back.allocated_size(&self.ring, block)
    }

    fn stats(&self) -> Stats {
        self.fall_back.stats(&self.ring)
    }

    fn name(&self) -> &str {
        self.ring.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.fall_back.backing()
    }

    /// Returns `true` if `address` is in the ring, or in a block that fell back: O(1) for the
    /// first, O(blocks that fell back) else.
    fn owns(&self, address: *const u8) -> bool {
        self.ring.owns(address) || self.fall_back.owns(address)
    }

    /// Visits the blocks of the ring in address order, then those that fell back in any order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.ring.walk(visit);
        self.fall_back.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.ring.verify()?;
        self.fall_back.verify()
    }
}

impl<B: Allocator + ?Sized> Drop for ScratchAllocator<'_, B> {
    fn drop(&mut self) {
        // The backing may touch freed memory.
        self.ring.open_region(mark::undefined);
        if let Some((backing, memory, layout)) = self.lent {
            // SAFETY: the memory was taken from this backing with this layout, and every block in
            // it ends with the ring.
            unsafe { backing.deallocate_sized(memory, layout) };
        }
    }
}
