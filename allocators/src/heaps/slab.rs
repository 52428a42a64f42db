//! Size classes in front of a large-object allocator of the caller's choice.
//!
//! After the slab idea of Jeff Bonwick, "The Slab Allocator: An Object-Caching Kernel Memory
//! Allocator" (1994), and Niklas Frykholm's advice in "Allocation Adventures 3: The Buddy
//! Allocator" (2015) to leave small blocks to a slab allocator. Changes: which slots are free is in
//! bits apart from them, and sparse pages are divided among classes; what is passed on to the
//! backing is remembered in a table. The same size-class heap serves the heap.

mod large;
mod passed;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use self::passed::Passed;
use crate::bookkeeping::sites::{NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::heaps::size_class_heap::{GrowingHeap, SizeClassHeap};
use crate::heaps::size_classes::{DefaultClasses, SizeClasses};

/// What a slab asks its backing for first, by default.
const REGION_BYTES: usize = 1 << 20;

/// Small blocks from pages of one size class each; larger requests go to the backing as they are.
///
/// Put it in front of a [`BuddyAllocator`](crate::BuddyAllocator) or any other allocator that is at
/// its best with large blocks. The classes are a type parameter: see [`SizeClasses`]. What they
/// serve up to, 496 bytes by default and 32 KiB at most, is small here.
///
/// # Misuse
///
/// A wrong free is found before the backing hears of it, also where the block is a sibling's from
/// the same backing. A double free of a large block is distinguished from a foreign one by the last
/// 16 addresses of large blocks freed; an older one is reported as foreign.
///
/// # Complexity
///
/// A small block costs a constant, as in [`HeapAllocator`](crate::HeapAllocator). A large one costs
/// what the backing takes and a search in a table of n large blocks: two slots or so as addresses
/// scatter, O(n) if all met in one slot. When an allocation fills half of the table, it is moved to
/// one twice as large: O(n) then, a constant over many. Freeing never moves it.
///
/// [`reallocate`](Allocator::reallocate) of a large block is the backing's, which may move pages
/// without copying; [`allocate_zeroed`](Allocator::allocate_zeroed) is, too. A large block that
/// becomes small is copied into a slot. [`allocated_size`](Allocator::allocated_size) does not ask
/// the backing. [`owns`](Allocator::owns) is O(table) for an address outside the regions.
///
/// [`walk`](Allocator::walk) shows the small blocks first, then the large ones, each a region of
/// its own, in no order.
///
/// # Memory
///
/// Small blocks are rounded up to their class, with nothing around them: with the default classes
/// at most 15 bytes are wasted up to 240 and 47 above, and one live block can hold a page of 4 KiB,
/// as in [`HeapAllocator`](crate::HeapAllocator). Tables take 1.4 % of a region. Regions of 1 MiB,
/// doubling, are taken from the backing (half of what it refuses, 64 KiB at the least). The object
/// itself is about 30 KiB.
///
/// Large blocks are as large as the backing makes them. Their table takes 32 to 64 bytes for each
/// of the most there were at a time, 256 at the least, from the first of them on until
/// [`shrink`](Self::shrink) or the end. It is taken from the backing and counts as reserved. A
/// large request is refused when the table cannot grow.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// Where the backing is a heap already: it has the same classes inside. For one size, a
/// [`PoolAllocator`](crate::PoolAllocator).
///
/// # Panics
///
/// Dropping it with live blocks panics with their number and bytes and the first 16 of them. Large
/// ones stay with the backing, which reports them as well when it is dropped.
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
/// let slab = SlabAllocator::with_region_bytes_in("small", 64 << 10, &large);
/// let node = Layout::new::<[u64; 4]>();
/// let block = slab.allocate(node)?;
/// assert_eq!(large.stats().live, 1, "one region for all nodes");
/// // SAFETY: the block is live and has this layout.
/// unsafe { slab.deallocate_sized(block.cast(), node) };
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
pub struct SlabAllocator<'a, B = dyn Allocator + Sync + 'a, C = DefaultClasses, S = NoSites>
where
    B: Allocator + ?Sized,
    C: SizeClasses,
    S: SiteBook,
{
    growing: GrowingHeap<'a, B, C>,
    backing: &'a B,
    passed: Passed,
    sites: S,
}

impl<'a> SlabAllocator<'a> {
    /// Makes a slab of the default classes that takes regions of 1 MiB from `backing`, and large
    /// blocks one by one. Takes nothing yet.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(name, backing)
    }

    /// Makes a slab of the default classes whose first region has about `bytes` bytes, 64 KiB at
    /// the least; each further one is twice as large.
    ///
    /// `backing` must be `Sync`; [`with_region_bytes_in`](Self::with_region_bytes_in) takes any allocator.
    #[must_use]
    pub const fn with_region_bytes(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::with_region_bytes_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> SlabAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self::with_region_bytes_in(name, REGION_BYTES, backing)
    }

    /// As [`with_region_bytes`](Self::with_region_bytes), and keeps the type of the allocator, so
    /// that its calls are direct.
    #[must_use]
    pub const fn with_region_bytes_in(name: &'a str, bytes: usize, backing: &'a B) -> Self {
        Self::with_classes_in(name, bytes, backing)
    }
}

impl<'a, C: SizeClasses> SlabAllocator<'a, dyn Allocator + Sync + 'a, C> {
    /// Makes a slab of the classes `C`, its first region as in
    /// [`with_region_bytes`](SlabAllocator::with_region_bytes).
    ///
    /// `backing` must be `Sync`; [`with_classes_in`](Self::with_classes_in) takes any allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{ClassTable, HeapAllocator, SizeClasses, SlabAllocator};
    ///
    /// struct Nodes;
    ///
    /// impl SizeClasses for Nodes {
    ///     const TABLE: &'static ClassTable = &ClassTable::new(&[32, 96]);
    /// }
    ///
    /// let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    /// let large = HeapAllocator::from_region("large", &mut memory);
    /// let slab: SlabAllocator<'_, _, Nodes> =
    ///     SlabAllocator::with_classes_in("nodes", 64 << 10, &large);
    /// ```
    #[must_use]
    pub const fn with_classes(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::with_classes_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized, C: SizeClasses> SlabAllocator<'a, B, C> {
    /// As [`with_classes`](Self::with_classes), and keeps the type of the allocator, so that its
    /// calls are direct.
    #[must_use]
    pub const fn with_classes_in(name: &'a str, bytes: usize, backing: &'a B) -> Self {
        Self {
            growing: GrowingHeap::growing(name, backing, bytes),
            backing,
            passed: Passed::new(),
            sites: NoSites,
        }
    }

    /// Keeps the site of each block handed out from now on, with [`Sites`](crate::Sites).
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> SlabAllocator<'a, B, C, S> {
        with_sites!(self, sites, SlabAllocator { growing, backing, passed })
    }
}

impl<B: Allocator + ?Sized, C: SizeClasses, S: SiteBook> SlabAllocator<'_, B, C, S> {
    /// Returns the book of sites: with [`Sites`](crate::Sites) it says who asked for a block.
    #[must_use]
    pub const fn sites(&self) -> &S {
        &self.sites
    }

    /// Gives every region without a live block back to the backing, and the table of large blocks
    /// if there are none; else the table moves to less memory if they need less than half of it.
    ///
    /// # Complexity
    ///
    /// O(classes + regions given back), and O(table) where that moves.
    #[track_caller]
    pub fn shrink(&self) {
        self.growing.shrink();
        self.shrink_table();
    }

    /// Gives old free memory of the regions back to the system, a little a call; returns its bytes.
    ///
    /// # Complexity
    ///
    /// As [`HeapAllocator::decay`](crate::HeapAllocator::decay).
    #[track_caller]
    pub fn decay(&self) -> usize {
        self.growing.decay()
    }

    #[inline(always)]
    #[track_caller]
    fn take(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if SizeClassHeap::<C>::has_class(layout) {
            self.growing.allocate(layout)
        } else {
            self.allocate_large(layout, false)
        }
    }

    #[inline(always)]
    #[track_caller]
    fn take_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if !SizeClassHeap::<C>::has_class(layout) {
            return self.allocate_large(layout, true);
        }
        let block = self.growing.allocate(layout)?;
        // SAFETY: the block was just handed out and is valid for writes over its whole length.
        unsafe { block.cast::<u8>().write_bytes(0, block.len()) };
        Ok(block)
    }

    /// # Safety
    ///
    /// As [`Allocator::reallocate`].
    #[inline(always)]
    #[track_caller]
    unsafe fn resize_any(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if !self.growing.owns(block.as_ptr()) {
            // SAFETY: the promise is passed on.
            return unsafe { self.reallocate_large(block, old, new) };
        }
        if new.align() <= old.align()
            && let Ok(resized) = self.growing.resize(block, old, new)
        {
            return Ok(resized);
        }
        // SAFETY: the promise is passed on.
        unsafe { move_block(self, block, old, new) }
    }
}

// SAFETY: small blocks are slots of our regions, which the size-class heap's invariants keep apart;
// large ones are the backing's, which keeps the contract itself, and are in the table while they
// are live.
unsafe impl<B: Allocator + ?Sized, C: SizeClasses, S: SiteBook> Allocator
    for SlabAllocator<'_, B, C, S>
{
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            let site = Location::caller();
            self.sites.reserve(1, site)?;
            let block = self.take(layout)?;
            self.sites.note(block.cast(), site);
            return Ok(block);
        }
        self.take(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            let site = Location::caller();
            self.sites.reserve(1, site)?;
            let block = self.take_zeroed(layout)?;
            self.sites.note(block.cast(), site);
            return Ok(block);
        }
        self.take_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        if !self.growing.deallocate_owned(block, 0) {
            self.deallocate_large(block, None);
        }
        self.sites.forget(block);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        if !self.growing.deallocate_owned(block, layout.size()) {
            self.deallocate_large(block, Some(layout));
        }
        self.sites.forget(block);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if self.growing.owns(block.as_ptr()) {
            return self.growing.resize(block, old, new);
        }
        // SAFETY: the promise is passed on.
        unsafe { self.resize_large(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = self.sites.site(block);
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.resize_any(block, old, new) };
        if let Ok(moved) = moved {
            self.sites.moved(block, moved.cast(), site);
        }
        moved
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.growing.discard(part) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        if self.growing.owns(block.as_ptr()) {
            return self.growing.allocated_size(block);
        }
        self.expect(block, None)
    }

    fn stats(&self) -> Stats {
        self.growing.stats()
    }

    fn name(&self) -> &str {
        self.growing.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.growing.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.growing.owns(address) || self.passed.holds(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut visit = |block: Block| {
            visit(Block { site: self.sites.site(block.address), ..block });
        };
        self.growing.walk(&mut visit);
        self.walk_large(&mut visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.growing.verify()?;
        self.verify_large()?;
        self.sites.verify(self.growing.stats().live)
    }
}

impl<B: Allocator + ?Sized, C: SizeClasses, S: SiteBook> Drop for SlabAllocator<'_, B, C, S> {
    fn drop(&mut self) {
        struct GiveBack<'s, 'a, B: Allocator + ?Sized, C: SizeClasses, S: SiteBook>(
            &'s SlabAllocator<'a, B, C, S>,
        );
        impl<B: Allocator + ?Sized, C: SizeClasses, S: SiteBook> Drop for GiveBack<'_, '_, B, C, S> {
            fn drop(&mut self) {
                self.0.growing.give_all();
                self.0.give_table(self.0.passed.take_memory());
            }
        }
        let slab = &*self;
        // The regions and the table go back also when the report panics.
        let _give_back = GiveBack(slab);
        leak::assert_none(slab);
    }
}
