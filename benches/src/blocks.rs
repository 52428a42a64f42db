//! What a workload asks of an allocator, ours or a peer's. Each loop is compiled for each
//! allocator, so no side pays for a virtual call that another does not pay for.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use loligo_allocators::Allocator;
pub(crate) use loligo_replay::suites::{refused, words};

/// An allocator as the workloads drive it.
///
/// # Safety
///
/// A block is valid for reads and writes of `layout.size()` bytes and overlaps no other live block
/// until it is freed.
pub(crate) unsafe trait Blocks {
    /// Returns a block.
    ///
    /// # Panics
    ///
    /// If the request is refused; the workloads ask for no more than there is.
    fn allocate(&mut self, layout: Layout) -> NonNull<u8>;

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this allocator with this layout.
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout);

    /// Makes a block larger; its contents move along.
    ///
    /// # Safety
    ///
    /// As [`free`](Self::free) with the layout `old`; the sizes of `new` are not smaller.
    unsafe fn grow(&mut self, block: NonNull<u8>, old: Layout, new: Layout) -> NonNull<u8> {
        let moved = self.allocate(new);
        // SAFETY: both blocks are live and distinct, and each holds the old size.
        unsafe { moved.copy_from_nonoverlapping(block, old.size()) };
        // SAFETY: the block is live, has this layout and is not used again.
        unsafe { self.free(block, old) };
        moved
    }
}

/// One of ours.
pub(crate) struct Ours<A>(pub(crate) A);

// SAFETY: the contract of `Allocator` promises the same.
unsafe impl<A: Allocator> Blocks for Ours<A> {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        match self.0.allocate(layout) {
            Ok(block) => block.cast(),
            Err(_) => refused(layout),
        }
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.deallocate_sized(block, layout) }
    }

    #[inline]
    unsafe fn grow(&mut self, block: NonNull<u8>, old: Layout, new: Layout) -> NonNull<u8> {
        // SAFETY: the caller's promise, passed on.
        match unsafe { self.0.reallocate(block, old, new) } {
            Ok(block) => block.cast(),
            Err(_) => refused(new),
        }
    }
}

/// A peer that comes as a `GlobalAlloc`, called by name; it is never the global allocator here.
pub(crate) struct Global<G>(pub(crate) G);

// SAFETY: `GlobalAlloc` promises the same.
unsafe impl<G: GlobalAlloc> Blocks for Global<G> {
    #[inline(always)]
    fn allocate(&mut self, layout: Layout) -> NonNull<u8> {
        // SAFETY: no workload asks for blocks of size 0.
        match NonNull::new(unsafe { self.0.alloc(layout) }) {
            Some(block) => block,
            None => refused(layout),
        }
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.dealloc(block.as_ptr(), layout) }
    }
}

/// Writes the first word of a fresh block, as its owner would.
///
/// # Safety
///
/// The block is valid for writes of 8 bytes and aligned to 8.
#[inline(always)]
pub(crate) unsafe fn write_first(block: NonNull<u8>, word: u64) {
    // SAFETY: as the caller promises. Volatile, so that the write stays though nobody reads it.
    unsafe { block.cast::<u64>().write_volatile(word) }
}

/// Makes the compiler believe that something else looks at the allocator here, so that every call
/// is done in full. In a loop as tight as these it would else cancel a free and the allocation
/// after it, or keep counters in registers, which no program that does anything in between would
/// see. Costs no instruction.
#[inline(always)]
pub(crate) fn look_at<A>(allocator: &mut A) {
    let place: *mut A = allocator;
    // SAFETY: no instruction is executed.
    unsafe { core::arch::asm!("/* {0} */", in(reg) place, options(nostack, preserves_flags)) };
}
