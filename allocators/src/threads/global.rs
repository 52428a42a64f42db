//! An allocator as `#[global_allocator]`: what is the same for all that threads may share.

use core::alloc::Layout;
use core::mem;
use core::ptr::{self, NonNull};

use crate::contract::allocator::{AllocError, Allocator};
#[cfg(all(feature = "stacks", unix))]
use crate::contract::last_memory;

/// As `GlobalAlloc::alloc`.
#[inline]
pub(crate) fn alloc(allocator: &impl Allocator, layout: Layout) -> *mut u8 {
    #[cfg(all(feature = "stacks", unix))]
    if let Some(block) = last_memory::allocate(layout) {
        return block;
    }
    no_unwind(|| address(allocator.allocate(layout)))
}

/// As `GlobalAlloc::alloc_zeroed`.
#[inline]
pub(crate) fn alloc_zeroed(allocator: &impl Allocator, layout: Layout) -> *mut u8 {
    #[cfg(all(feature = "stacks", unix))]
    if let Some(block) = last_memory::allocate(layout) {
        return block;
    }
    no_unwind(|| address(allocator.allocate_zeroed(layout)))
}

/// As `GlobalAlloc::dealloc`.
///
/// # Safety
///
/// `block` is a live block of the allocator's, and `layout` its layout.
#[inline]
pub(crate) unsafe fn dealloc(allocator: &impl Allocator, block: *mut u8, layout: Layout) {
    #[cfg(all(feature = "stacks", unix))]
    if last_memory::serves() {
        return;
    }
    // SAFETY: the caller promises a block that was allocated, so it is not null.
    let block = unsafe { NonNull::new_unchecked(block) };
    no_unwind(|| {
        // SAFETY: the caller promises that the block is live and that this is its layout.
        unsafe { allocator.deallocate_sized(block, layout) }
    });
}

/// As `GlobalAlloc::realloc`: null leaves the block unchanged.
///
/// # Safety
///
/// As [`dealloc`].
#[inline]
pub(crate) unsafe fn realloc(
    allocator: &impl Allocator,
    block: *mut u8,
    layout: Layout,
    bytes: usize,
) -> *mut u8 {
    let Ok(new) = Layout::from_size_align(bytes, layout.align()) else {
        return ptr::null_mut();
    };
    #[cfg(all(feature = "stacks", unix))]
    if let Some(moved) = last_memory::allocate(new) {
        if !moved.is_null() {
            let kept = layout.size().min(bytes);
            // SAFETY: both blocks are live, distinct and hold the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, kept) };
        }
        return moved;
    }
    // SAFETY: the caller promises a block that was allocated, so it is not null.
    let block = unsafe { NonNull::new_unchecked(block) };
    no_unwind(|| {
        // SAFETY: the caller promises that the block is live and that this is its layout.
        address(unsafe { allocator.reallocate(block, layout, new) })
    })
}

/// Runs `work` and ends the program if it unwinds, which a global allocator must not.
#[inline]
pub(crate) fn no_unwind<R>(work: impl FnOnce() -> R) -> R {
    let stop = Stop;
    let result = work();
    mem::forget(stop);
    result
}

/// The address of a block, or null.
#[inline]
pub(crate) fn address(block: Result<NonNull<[u8]>, AllocError>) -> *mut u8 {
    block.map_or(ptr::null_mut(), |block| block.as_ptr().cast())
}

/// Dropped only by unwinding, and a panic during a panic aborts.
struct Stop;

impl Drop for Stop {
    #[cold]
    fn drop(&mut self) {
        panic!("an allocator panicked below `#[global_allocator]`");
    }
}
