//! A global allocator that works before `main`.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose first allocator is in a
//! static buffer and serves until the others stand. Changes: it does so under
//! `#[global_allocator]`, where the first blocks cannot be taken down before the real allocator, so
//! they are taken back for as long as the program runs.

#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::contract::allocator::Allocator;
use crate::heaps::static_heap::StaticHeap;
use crate::threads::locked::no_unwind;

/// A global allocator that serves from `BYTES` bytes inside itself first and from `A` later.
///
/// All of it is built by the compiler, so it serves constructors that run before `main`. It hands
/// over to `A` when [`hand_over`](Self::hand_over) says so, or at the first request that the static
/// heap cannot serve, whichever comes first; from then on every new block is `A`'s. Blocks of the
/// static heap are known by their address and go back to it at any time. One that is resized after
/// the handing over moves to `A` (and stays if `A` has no memory), so the static heap empties.
///
/// It stays where it is, in a `static`: moving it ends the life of the early blocks.
///
/// `A` is any [`GlobalAlloc`]: a [`Locked`](crate::Locked) heap over a
/// [`PageAllocator`](crate::PageAllocator), or one of another crate.
///
/// # Complexity
///
/// As the [`StaticHeap`] or `A`: before them, an allocation reads one flag and a free compares the
/// address with the bounds of this object, which is 7 instructions together.
///
/// # Memory
///
/// A [`StaticHeap`] of `BYTES` bytes and 22 KiB of its own, with its waste, and `A`; all of it
/// together is rounded up to a multiple of 4 096. Of a buffer of 4 KiB nothing can be served,
/// so that the first request hands over. What the static heap has left after the handing over stays
/// unused.
///
/// # Threads
///
/// `Sync` where `A` is, `Send` where `A` is. Early requests wait for one another at the static
/// heap's spin lock.
///
/// # When not to use it
///
/// Where `A` is ready from the start, as a heap over pages is: then the early blocks gain nothing.
/// It is for an `A` that waits for something, or for a program whose start is to be kept apart.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Allocator, GlobalMemory, HeapAllocator, Locked, PageAllocator};
///
/// static PAGES: PageAllocator = PageAllocator::new("pages");
///
/// #[global_allocator]
/// static GLOBAL: GlobalMemory<{ 256 << 10 }, Locked<HeapAllocator<'static, PageAllocator>>> =
///     GlobalMemory::new("early", Locked::new(HeapAllocator::new("global", &PAGES)));
///
/// let mut early = String::from("made early");
/// assert!(GLOBAL.early().owns(early.as_ptr()));
/// GLOBAL.hand_over();
/// let late = String::from("made late");
/// assert!(GLOBAL.later().owns(late.as_ptr()));
/// // What grows moves over.
/// early.push_str(", grown late");
/// assert!(GLOBAL.later().owns(early.as_ptr()));
/// ```
pub struct GlobalMemory<const BYTES: usize, A> {
    early: StaticHeap<BYTES>,
    has_handed_over: AtomicBool,
    later: A,
}

impl<const BYTES: usize, A> GlobalMemory<BYTES, A> {
    /// Makes one whose static heap is called `name`. Nothing is touched before the first request.
    #[must_use]
    pub const fn new(name: &'static str, later: A) -> Self {
        Self { early: StaticHeap::new(name), has_handed_over: AtomicBool::new(false), later }
    }

    /// Serves every further request from the later allocator. A request that another thread has
    /// begun may still be served early.
    pub fn hand_over(&self) {
        // Relaxed: the flag only chooses where the next block comes from. Whose a block is, its
        // address tells.
        self.has_handed_over.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if it has handed over, by itself or when told.
    #[must_use]
    pub fn has_handed_over(&self) -> bool {
        // Relaxed: see `hand_over`.
        self.has_handed_over.load(Ordering::Relaxed)
    }

    /// Returns the static heap, for its counters and its walk.
    pub const fn early(&self) -> &StaticHeap<BYTES> {
        &self.early
    }

    /// Returns the later allocator.
    pub const fn later(&self) -> &A {
        &self.later
    }

    /// Returns `true` if the block is the static heap's. Its buffer is all in it that can hold a
    /// block, and the later allocator gives out no address in this object, so its bounds decide.
    #[inline]
    fn is_early(&self, block: *mut u8) -> bool {
        let offset = block.addr().wrapping_sub((&raw const self.early).addr());
        offset < size_of::<StaticHeap<BYTES>>()
    }
}

impl<const BYTES: usize, A: GlobalAlloc> GlobalMemory<BYTES, A> {
    /// Allocates from the static heap, or hands over and returns `None`.
    #[cold]
    #[inline(never)]
    fn take_early(&self, layout: Layout, is_zeroed: bool) -> Option<NonNull<u8>> {
        let taken = no_unwind(|| {
            if is_zeroed { self.early.allocate_zeroed(layout) } else { self.early.allocate(layout) }
        });
        if taken.is_err() {
            self.hand_over();
        }
        taken.ok().map(NonNull::cast)
    }

    /// Resizes a block of the static heap, where it is or into the later allocator.
    ///
    /// # Safety
    ///
    /// As for [`GlobalAlloc::realloc`], of a block of the static heap.
    #[cold]
    #[inline(never)]
    unsafe fn resize_early(&self, block: NonNull<u8>, old: Layout, new: Layout) -> *mut u8 {
        if !self.has_handed_over() {
            // SAFETY: the caller's promise: a live block of the static heap, and its layout.
            let resized = no_unwind(|| unsafe { self.early.reallocate(block, old, new) });
            if let Ok(resized) = resized {
                return resized.cast().as_ptr();
            }
            self.hand_over();
        }
        // SAFETY: the caller promises that the new size is not zero.
        let moved = unsafe { self.later.alloc(new) };
        let Some(moved) = NonNull::new(moved) else {
            // SAFETY: as above.
            let resized = no_unwind(|| unsafe { self.early.resize_in_place(block, old, new) });
            return resized.map_or(ptr::null_mut(), |block| block.cast().as_ptr());
        };
        let bytes = old.size().min(new.size());
        // SAFETY: both blocks are live, apart from each other, and have at least so many bytes.
        unsafe { moved.copy_from_nonoverlapping(block, bytes) };
        // SAFETY: the block is live, has this layout, and is not used again.
        no_unwind(|| unsafe { self.early.deallocate_sized(block, old) });
        moved.as_ptr()
    }
}

// SAFETY: each block is that of one of two allocators that keep the contract, and goes back to the
// one whose address range it is in. A failed `realloc` leaves the block as it was. The static
// heap never allocates, and what would unwind there is stopped by `no_unwind`; the later allocator
// promises both.
unsafe impl<const BYTES: usize, A: GlobalAlloc> GlobalAlloc for GlobalMemory<BYTES, A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !self.has_handed_over()
            && let Some(block) = self.take_early(layout, false)
        {
            return block.as_ptr();
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.later.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !self.has_handed_over()
            && let Some(block) = self.take_early(layout, true)
        {
            return block.as_ptr();
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.later.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.is_early(block) {
            // SAFETY: the caller's promise, passed on: `dealloc` of the static heap, told by
            // address.
            return no_unwind(|| unsafe { GlobalAlloc::dealloc(&self.early, block, layout) });
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.later.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.is_early(block) {
            let (Some(block), Ok(new)) =
                (NonNull::new(block), Layout::from_size_align(size, layout.align()))
            else {
                return ptr::null_mut();
            };
            // SAFETY: the caller's promise, passed on: the block is in the static heap.
            return unsafe { self.resize_early(block, layout, new) };
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.later.realloc(block, layout, size) }
    }
}

impl<const BYTES: usize, A> fmt::Debug for GlobalMemory<BYTES, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalMemory")
            .field("early", &self.early.stats())
            .field("has_handed_over", &self.has_handed_over())
            .finish_non_exhaustive()
    }
}
