//! Size classes in front of a large-object allocator of the caller's choice.
//!
//! After the slab idea of Jeff Bonwick, "The Slab Allocator: An Object-Caching Kernel Memory
//! Allocator" (1994), and Niklas Frykholm's advice in "Allocation Adventures 3: The Buddy Allocator"
//! (2015) to leave small blocks to a slab allocator. Changes: which slots are free stands in bits
//! apart from them, and sparse pages are divided among classes. The same engine serves the heap.

#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::allocator::{AllocError, Allocator, Block, Damage};
use crate::engine::{Engine, Owner};
use crate::leak;
use crate::size_classes::{DefaultClasses, SizeClasses};
use crate::stats::Stats;

/// What a slab asks its backing for first, unless told otherwise.
const REGION_BYTES: usize = 1 << 20;

/// Small blocks from pages of one size class each; larger requests go to the backing as they are.
///
/// Put it in front of a [`BuddyAllocator`](crate::BuddyAllocator) or any other allocator that is at
/// its best with large blocks. The classes are a type parameter: see [`SizeClasses`].
///
/// # Complexity
///
/// A small block costs a constant, as in [`HeapAllocator`](crate::HeapAllocator); a large one what
/// the backing takes, and one look at the regions' table.
///
/// # Memory
///
/// Small blocks are rounded up to their class; 1.4 % of a region for tables. Regions of 1 MiB,
/// doubling, are taken from the backing (half of what it refuses, 64 KiB at the least).
///
/// # When not to use it
///
/// Where the backing is a heap already: it has the same classes inside. For one size, a
/// [`PoolAllocator`](crate::PoolAllocator).
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{Allocator, HeapAllocator, SlabAllocator};
///
/// let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
/// let large = HeapAllocator::from_region("large", &mut memory);
/// let slab: SlabAllocator<'_, _> = SlabAllocator::with_region_bytes("small", &large, 64 << 10);
/// let node = Layout::new::<[u64; 4]>();
/// let block = slab.allocate(node)?;
/// assert_eq!(large.stats().live, 1, "one region for all nodes");
/// // SAFETY: the block is live and has this layout.
/// unsafe { slab.deallocate_sized(block.cast(), node) };
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// # Panics
///
/// Dropping it with live blocks panics with their number and bytes and the first 16 small ones; the
/// large ones are listed by the backing.
#[derive(Debug)]
pub struct SlabAllocator<'a, B, C = DefaultClasses>
where
    B: Allocator + ?Sized,
    C: SizeClasses,
{
    owner: Owner<'a, B, C>,
    backing: &'a B,
}

impl<'a, B: Allocator + ?Sized, C: SizeClasses> SlabAllocator<'a, B, C> {
    /// Makes a slab that takes regions of 1 MiB from `backing`, and large blocks one by one. Takes
    /// nothing yet.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a B) -> Self {
        Self::with_region_bytes(name, backing, REGION_BYTES)
    }

    /// Makes a slab whose first region has about `bytes` bytes, 64 KiB at the least; each further one
    /// is twice as large.
    #[must_use]
    pub const fn with_region_bytes(name: &'a str, backing: &'a B, bytes: usize) -> Self {
        Self {
            owner: Owner::growing(name, backing, bytes),
            backing,
        }
    }

    /// Gives every region without a live block back to the backing.
    ///
    /// # Complexity
    ///
    /// O(classes + regions given back).
    pub fn shrink(&self) {
        self.owner.shrink();
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn allocate_large(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.backing.allocate(layout)?;
        // SAFETY: the block was just handed out.
        let bytes = unsafe { self.backing.allocated_size(block.cast()) };
        self.owner.count_passed_on(layout.size(), bytes);
        Ok(block)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn deallocate_large(&self, block: NonNull<u8>, layout: Option<Layout>) {
        // SAFETY: by the caller's promise the block is one of ours, and none of our regions holds it,
        // so the backing served it; a backing that does not know it reports that itself.
        let bytes = unsafe { self.backing.allocated_size(block) };
        match layout {
            // SAFETY: as above, and the layout is the block's.
            Some(layout) => unsafe { self.backing.deallocate_sized(block, layout) },
            // SAFETY: as above.
            None => unsafe { self.backing.deallocate(block) },
        }
        self.owner.uncount_passed_on(bytes);
    }
}

// SAFETY: small blocks are slots of our regions, which the engine's invariants keep apart; large ones
// are the backing's, which keeps the contract itself.
unsafe impl<B: Allocator + ?Sized, C: SizeClasses> Allocator for SlabAllocator<'_, B, C> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if Engine::<C>::class_for(layout).is_some() {
            self.owner.allocate(layout)
        } else {
            self.allocate_large(layout)
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        if !self.owner.deallocate_owned(block, 0) {
            self.deallocate_large(block, None);
        }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        if !self.owner.deallocate_owned(block, layout.size()) {
            self.deallocate_large(block, Some(layout));
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if self.owner.owns(block.as_ptr()) {
            return self.owner.resize(block, old, new);
        }
        // SAFETY: the block is the backing's, as in `deallocate_large`; the promise is passed on.
        let before = unsafe { self.backing.allocated_size(block) };
        // SAFETY: the same.
        let resized = unsafe { self.backing.resize_in_place(block, old, new)? };
        // SAFETY: the block is still live.
        let after = unsafe { self.backing.allocated_size(block) };
        self.owner.recount_passed_on(before, after);
        Ok(resized)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        if self.owner.owns(block.as_ptr()) {
            return self.owner.allocated_size(block);
        }
        // SAFETY: the block is the backing's.
        unsafe { self.backing.allocated_size(block) }
    }

    fn stats(&self) -> Stats {
        self.owner.stats()
    }

    fn name(&self) -> &str {
        self.owner.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.owner.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.owner.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.owner.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.owner.verify()
    }
}

impl<B: Allocator + ?Sized, C: SizeClasses> Drop for SlabAllocator<'_, B, C> {
    fn drop(&mut self) {
        struct GiveBack<'s, 'a, B: Allocator + ?Sized, C: SizeClasses>(&'s SlabAllocator<'a, B, C>);
        impl<B: Allocator + ?Sized, C: SizeClasses> Drop for GiveBack<'_, '_, B, C> {
            fn drop(&mut self) {
                self.0.owner.give_all();
            }
        }
        let slab = &*self;
        // The regions go back also when the report panics.
        let _give_back = GiveBack(slab);
        leak::assert_none(slab);
    }
}
