//! A global allocator that works before `main`.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose first allocator is in a
//! static buffer and serves until the others exist. Changes: it is the `#[global_allocator]`, whose
//! first blocks can outlive the switch to the real allocator, so it accepts their frees as long as
//! the program runs.

#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::contract::allocator::Allocator;
use crate::heaps::static_heap::StaticHeap;
use crate::threads::global::no_unwind;

/// A global allocator that first serves from `BYTES` bytes inside itself and later from `A`.
///
/// It is const-initialised, so it serves constructors that run before `main`. It switches to `A`
/// when [`hand_over`](Self::hand_over) is called, or at the first request that the static heap
/// cannot serve, whichever comes first; from then on every new block is from `A`. Blocks of the
/// static heap are recognised by their address and can be freed at any time. A block that is
/// resized after the switch moves to `A` (and stays if `A` has no memory), so the static heap
/// empties.
///
/// It must stay in place, in a `static`: moving it invalidates the early blocks.
///
/// `A` is any [`GlobalAlloc`]: a [`Locked`](crate::Locked) heap over a
/// [`PageAllocator`](crate::PageAllocator), or one of another crate.
///
/// # Complexity
///
/// As the [`StaticHeap`] or `A`; in addition, an allocation reads one flag and a free compares the
/// address with the bounds of this object, 7 instructions in total.
///
/// # Memory
///
/// A [`StaticHeap`] of `BYTES` bytes with 30 KiB of tables and its waste, and `A`; the total is
/// rounded up to a multiple of 4 096. A buffer of 4 KiB serves nothing, so the first request
/// switches to `A`. Memory left in the static heap after the switch stays unused.
///
/// # Threads
///
/// `Sync` if `A` is, `Send` if `A` is. Early requests wait for one another at the static heap's
/// spin lock.
///
/// # When not to use it
///
/// If `A` is ready from the start, as a heap over pages is: then the early blocks gain nothing. Use
/// it if `A` depends on something else, or to keep the memory of a program's start separate.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Allocator, GlobalMemory, HeapAllocator, Locked, PageAllocator};
///
/// static PAGES: PageAllocator = PageAllocator::new("pages");
///
/// #[global_allocator]
/// static GLOBAL: GlobalMemory<{ 256 << 10 }, Locked<HeapAllocator<'static>>> =
///     GlobalMemory::new("early", Locked::new(HeapAllocator::new("global", &PAGES)));
///
/// let mut early = String::from("made early");
/// assert!(GLOBAL.early().owns(early.as_ptr()));
/// GLOBAL.hand_over();
/// let late = String::from("made late");
/// assert!(GLOBAL.later().owns(late.as_ptr()));
/// // Blocks that grow move to `A`.
/// early.push_str(", grown late");
/// assert!(GLOBAL.later().owns(early.as_ptr()));
/// ```
pub struct GlobalMemory<const BYTES: usize, A> {
    early: StaticHeap<BYTES>,
    has_handed_over: AtomicBool,
    later: A,
}

impl<const BYTES: usize, A> GlobalMemory<BYTES, A> {
    /// Creates one whose static heap is called `name`. No memory is touched before the first
    /// request.
    #[must_use]
    pub const fn new(name: &'static str, later: A) -> Self {
        Self { early: StaticHeap::new(name), has_handed_over: AtomicBool::new(false), later }
    }

    /// Serves every further request from the later allocator. A request in progress on another
    /// thread may still be served early.
    pub fn hand_over(&self) {
        // Relaxed: the flag only chooses where the next block comes from. The owner of a block is
        // found by its address.
        self.has_handed_over.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if it has switched to `A`, by itself or by a call.
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

    /// Returns `true` if the block is the static heap's. Only the buffer in this object holds
    /// blocks, and the later allocator returns no address in this object, so the bounds decide.
    #[inline]
    fn is_early(&self, block: *mut u8) -> bool {
        let offset = block.addr().wrapping_sub((&raw const self.early).addr());
        offset < size_of::<StaticHeap<BYTES>>()
    }
}

impl<const BYTES: usize, A: GlobalAlloc> GlobalMemory<BYTES, A> {
    /// Allocates from the static heap, or switches and returns `None`.
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

    /// Resizes a block of the static heap, in place or into the later allocator.
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
        // SAFETY: both blocks are live, apart from each other, and have at least this many bytes.
        unsafe { moved.copy_from_nonoverlapping(block, bytes) };
        // SAFETY: the block is live, has this layout, and is not used again.
        no_unwind(|| unsafe { self.early.deallocate_sized(block, old) });
        moved.as_ptr()
    }
}

// SAFETY: each block is that of one of two allocators that keep the contract, and goes back to the
// one whose address range it is in. A failed `realloc` leaves the block as it was. The static heap
// never allocates, and `no_unwind` stops a panic there; the later allocator promises both.
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
            // SAFETY: the caller's promise, passed on: `dealloc` of the static heap, chosen by
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
