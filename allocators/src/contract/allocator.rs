//! The contract that every allocator of this crate keeps.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010): allocators are objects, reached
//! through an interface, and a program has many of each kind. Changes: a block is freed with its
//! size if the caller knows it, exhaustion is an error, and each allocator can list and verify its
//! blocks.

use core::alloc::Layout;
use core::error::Error;
use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;

#[cfg(test)]
pub(crate) mod tests;

/// A reference to an allocator that can be sent to other threads.
pub type SharedRef<'a> = &'a (dyn Allocator + Sync);

/// A request that could not be served. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AllocError;

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the allocator has no memory left for this request; free blocks, or give it more",
        )
    }
}

impl Error for AllocError {}

/// One live block, as [`Allocator::walk`] visits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where the block starts.
    pub address: NonNull<u8>,
    /// Its size in bytes: as requested if the allocator records it, else as granted.
    pub bytes: usize,
    /// The site of the allocation, if the allocator keeps sites.
    pub site: Option<&'static Location<'static>>,
}

/// The damage that [`Allocator::verify`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The damage, in words.
    pub what: &'static str,
    /// The address nearest to the damage.
    pub address: *const u8,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:p}", self.what, self.address)
    }
}

impl Error for Damage {}

/// An object that hands out blocks of memory.
///
/// Any power-of-two alignment is served that the allocator's region can hold. A size of zero is
/// served as one byte: a real, distinct block that must be freed. Exhaustion is an error, never a
/// panic, and changes nothing. A free that is found to be wrong ends in
/// [`misuse`](crate::misuse()).
///
/// The methods that allocate or free a block have `#[track_caller]`, also through `&dyn Allocator`,
/// so that an allocator that keeps sites knows the caller.
///
/// # Safety
///
/// An implementation promises that
///
/// 1. a block it returns is valid for reads and writes of at least `layout.size()` bytes (the
///    slice's length, the granted size), is aligned to `layout.align()`, and overlaps no other live
///    block, until it is freed or the allocator is moved or dropped; only a method that is unsafe
///    or borrows the allocator mutably frees it;
/// 2. an `Err` leaves every block and the allocator as they were;
/// 3. the allocator calls nothing that can unwind between taking a block and returning it.
pub unsafe trait Allocator {
    /// Returns a block of at least `layout.size()` bytes, its contents undefined.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the memory is exhausted or the layout is more than the region can hold.
    #[track_caller]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError>;

    /// Returns a block whose bytes are all zero, the granted ones beyond `layout.size()` included.
    ///
    /// # Errors
    ///
    /// As [`allocate`](Self::allocate).
    #[track_caller]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.allocate(layout)?;
        // SAFETY: the block was just handed out to us and is valid for writes over its whole
        // length.
        unsafe { block.cast::<u8>().write_bytes(0, block.len()) };
        Ok(block)
    }

    /// Frees a block by its address alone.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this allocator, and is not used afterwards.
    #[track_caller]
    unsafe fn deallocate(&self, block: NonNull<u8>);

    /// Frees a block; faster than [`deallocate`](Self::deallocate) when the layout is known. The
    /// size is checked where that costs nothing.
    ///
    /// # Safety
    ///
    /// As [`deallocate`](Self::deallocate), and `layout` fits the block: its alignment is the one
    /// that the block was allocated with, its size is between the last requested and the last
    /// granted size.
    #[track_caller]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let _ = layout;
        // SAFETY: the caller's promise covers the weaker one asked here.
        unsafe { self.deallocate(block) }
    }

    /// Changes the size of a block without moving it. The alignment stays that of `old`; that of
    /// `new` must not be greater.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the block cannot get the new size in place. It is then unchanged.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this allocator and `old` fits it, as in
    /// [`deallocate_sized`](Self::deallocate_sized). On success the block has the layout `new`.
    #[track_caller]
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let _ = (block, old, new);
        Err(AllocError)
    }

    /// Changes the size of a block, moving it if it must. The contents are kept up to the lesser of
    /// both sizes; `new` may have another alignment.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory for the new size. The old block is then unchanged.
    ///
    /// # Safety
    ///
    /// As [`resize_in_place`](Self::resize_in_place). On success the old address is dead unless it
    /// is the one returned.
    #[track_caller]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.align() <= old.align() {
            // SAFETY: the caller's promise is the one asked here.
            if let Ok(resized) = unsafe { self.resize_in_place(block, old, new) } {
                return Ok(resized);
            }
        }
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    /// Returns how many bytes of the block can be used: the length of the slice that was returned
    /// when it was allocated or last resized.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this allocator.
    #[track_caller]
    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize;

    /// Gives the memory of a part of a live block back to the system and keeps its addresses;
    /// returns the bytes that were given back. The part stays allocated. What it contains
    /// afterwards is unspecified, but initialised where it was, and writing to it takes memory
    /// again.
    ///
    /// A [`PageAllocator`](crate::PageAllocator) gives back the whole pages of the part; wrappers
    /// ([`Locked`](crate::Locked) too), [`HeapAllocator`](crate::HeapAllocator) and
    /// [`SlabAllocator`](crate::SlabAllocator) pass the part to their backing. All others keep the
    /// memory and return 0.
    ///
    /// # Safety
    ///
    /// `part` is inside a live block of this allocator, and its contents are no longer needed.
    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        let _ = part;
        0
    }

    /// Returns the layout that this layer requests from the one below for a block of `layout`.
    fn layout_below(&self, layout: Layout) -> Layout {
        layout
    }

    /// Returns the current counters.
    fn stats(&self) -> Stats;

    /// Returns the name that reports and overviews show.
    fn name(&self) -> &str;

    /// Returns the allocator that this one takes its memory from, if there is one.
    fn backing(&self) -> Option<&dyn Allocator> {
        None
    }

    /// Returns an address that identifies this allocator among all live ones: its own, unless it
    /// represents another. Two allocators that are one inside the other (a lock and its contents)
    /// may share it.
    fn identity(&self) -> *const () {
        core::ptr::from_ref(self).cast()
    }

    /// Returns the [`identity`](Self::identity) of the allocator that this one takes its memory
    /// from, also if [`backing`](Self::backing) cannot return it (through a lock, for instance).
    fn backing_identity(&self) -> Option<*const ()> {
        self.backing().map(Allocator::identity)
    }

    /// Returns the most bytes that this allocator may have granted at once, if it has a limit.
    fn budget(&self) -> Option<usize> {
        None
    }

    /// Returns `true` if `address` is in the memory of this allocator.
    fn owns(&self, address: *const u8) -> bool;

    /// Visits every live block of this object: in address order within a region, regions in the
    /// order in which they were allocated. A wrapper, whose blocks are in the regions of another
    /// allocator, shows the blocks that it records in any order. `visit` must not call the
    /// allocator.
    fn walk(&self, visit: &mut dyn FnMut(Block));

    /// Checks the allocator's own structure, in release builds too. O(blocks). A wrapper checks its
    /// own blocks only.
    ///
    /// # Errors
    ///
    /// [`Damage`] describes the first fault found.
    fn verify(&self) -> Result<(), Damage>;
}

/// Moves a block into a new one of the same allocator, as [`Allocator::reallocate`] does if a block
/// cannot stay.
///
/// # Errors
///
/// [`AllocError`] if there is no memory for the new block. The old one is then unchanged.
///
/// An `old` size that is greater than the block is reported before anything past the block is read.
///
/// # Safety
///
/// As [`Allocator::reallocate`].
#[inline]
#[track_caller]
pub(crate) unsafe fn move_block<A: Allocator + ?Sized>(
    allocator: &A,
    block: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    // SAFETY: the caller promises that the block is live.
    let have = unsafe { allocator.allocated_size(block) };
    // For an address that is not a block, there is nothing to copy; the free below reports it.
    if old.size() > have && have != 0 {
        let (name, site) = (allocator.name(), Location::caller());
        wrong_free(Misuse::WrongSize, name, block, Some(old.size()), site);
    }
    let moved = allocator.allocate(new)?;
    let bytes = old.size().min(new.size());
    // SAFETY: both blocks are live, distinct and hold at least `bytes` bytes.
    unsafe { moved.cast::<u8>().copy_from_nonoverlapping(block, bytes) };
    // SAFETY: the old block is live, `old` fits it, and it is not used again.
    unsafe { allocator.deallocate_sized(block, old) };
    Ok(moved)
}

// SAFETY: every method forwards to the allocator referred to, which keeps the contract; a reference
// can be moved without moving what it refers to.
unsafe impl<A: Allocator + ?Sized> Allocator for &A {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        (**self).allocate(layout)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        (**self).allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).deallocate(block) }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).deallocate_sized(block, layout) }
    }

    #[inline]
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).resize_in_place(block, old, new) }
    }

    #[inline]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).reallocate(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).allocated_size(block) }
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { (**self).discard(part) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        (**self).layout_below(layout)
    }

    fn stats(&self) -> Stats {
        (**self).stats()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        (**self).backing()
    }

    fn identity(&self) -> *const () {
        (**self).identity()
    }

    fn backing_identity(&self) -> Option<*const ()> {
        (**self).backing_identity()
    }

    fn budget(&self) -> Option<usize> {
        (**self).budget()
    }

    fn owns(&self, address: *const u8) -> bool {
        (**self).owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        (**self).walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        (**self).verify()
    }
}
