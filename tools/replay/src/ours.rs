//! Loligo's own allocators as [`Subject`]s.

use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::{NonNull, null_mut};

use loligo_allocators::{AllocError, Allocator, BuddyAllocator, HeapAllocator, PageAllocator};

use crate::mapped::Arena;
use crate::subject::{Subject, resized};

/// Where the growing rows take their memory from.
pub(crate) static PAGES: PageAllocator = PageAllocator::new("pages");

/// The leaf of the buddy rows: 16 bytes, so that small blocks are rounded as little as may be.
const LEAF_BYTES: usize = 16;

/// A heap that grows from the pages of the system.
pub(crate) fn heap() -> HeapAllocator<'static, PageAllocator> {
    HeapAllocator::new_in("heap", &PAGES)
}

/// A heap in a fixed region.
///
/// # Safety
///
/// The heap is dropped before the arena ends, and nothing else uses the arena meanwhile.
pub(crate) unsafe fn heap_in(arena: Arena) -> HeapAllocator<'static> {
    // SAFETY: the caller's promise, passed on.
    HeapAllocator::from_region("heap-region", unsafe { arena.as_region() })
}

/// A buddy allocator in a fixed region.
///
/// # Safety
///
/// As for [`heap_in`].
pub(crate) unsafe fn buddy(arena: Arena) -> Buddy {
    // SAFETY: the caller's promise, passed on.
    unsafe { buddy_in(arena, LEAF_BYTES) }
}

/// A buddy allocator in a region.
pub(crate) type Buddy = BuddyAllocator<'static, dyn Allocator + Sync + 'static>;

/// A buddy allocator with leaves of `leaf_bytes` bytes in a fixed region.
///
/// # Safety
///
/// As for [`heap_in`].
pub(crate) unsafe fn buddy_in(arena: Arena, leaf_bytes: usize) -> Buddy {
    // SAFETY: the caller's promise, passed on.
    let region = unsafe { arena.as_region() };
    BuddyAllocator::from_region("buddy", leaf_bytes, region)
        .expect("an arena holds at least one leaf and at most 2^32 of them")
}

/// One of our allocators.
pub(crate) struct Ours<A>(pub(crate) A);

// SAFETY: the contract of `Allocator` is the same.
unsafe impl<A: Allocator> Subject for Ours<A> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate(layout))
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.allocate_zeroed(layout))
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { free(&self.0, block, layout) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { reallocate(&self.0, block, old, bytes) }
    }

    fn check(&self) -> Result<(), String> {
        check(&self.0)
    }
}

/// Returns the address of a block, or null for a refusal.
#[inline(always)]
pub(crate) fn address(block: Result<NonNull<[u8]>, AllocError>) -> *mut u8 {
    block.map_or(null_mut(), |block| block.cast().as_ptr())
}

/// Frees a block that is not null.
///
/// # Safety
///
/// `block` is a live block of `allocator` with this layout.
#[inline(always)]
pub(crate) unsafe fn free(allocator: &impl Allocator, block: *mut u8, layout: Layout) {
    // SAFETY: a live block is not null.
    let block = unsafe { NonNull::new_unchecked(block) };
    // SAFETY: the caller's promise is the one asked here.
    unsafe { allocator.deallocate_sized(block, layout) }
}

/// Resizes a block that is not null.
///
/// # Safety
///
/// `block` is a live block of `allocator` with the layout `old`.
#[inline(always)]
pub(crate) unsafe fn reallocate(
    allocator: &impl Allocator,
    block: *mut u8,
    old: Layout,
    bytes: usize,
) -> *mut u8 {
    // SAFETY: the sizes of a replay are at most 2^47.
    let new = unsafe { resized(old, bytes) };
    // SAFETY: a live block is not null.
    let block = unsafe { NonNull::new_unchecked(block) };
    // SAFETY: the caller's promise is the one asked here.
    address(unsafe { allocator.reallocate(block, old, new) })
}

/// Checks an allocator from which all blocks are gone.
pub(crate) fn check(allocator: &impl Allocator) -> Result<(), String> {
    allocator.verify().map_err(|damage| damage.to_string())?;
    match allocator.stats().live {
        0 => Ok(()),
        live => Err(format!("{live} blocks count as live after the last free")),
    }
}

/// An allocator that takes its memory from another, and the other, in one value.
///
/// # Invariants
///
/// 1. `base` came from a box and is freed by this value alone, after `front`.
/// 2. `front` may refer to `base`, which does not move when this value does.
pub(crate) struct Over<F, B> {
    front: ManuallyDrop<F>,
    base: NonNull<B>,
}

impl<F, B: 'static> Over<F, B> {
    /// Makes the front over the base.
    pub(crate) fn new(base: B, make: impl FnOnce(&'static B) -> F) -> Self {
        let base = NonNull::from(Box::leak(Box::new(base)));
        // SAFETY: the base stays where it is until this value has dropped the front (1), and the
        // reference does not leave this value: `front` is only lent for as long as `self` is.
        let front = make(unsafe { base.as_ref() });
        Self { front: ManuallyDrop::new(front), base }
    }

    /// Returns the front.
    #[inline(always)]
    pub(crate) fn front(&self) -> &F {
        &self.front
    }

    /// Returns the base.
    #[inline(always)]
    pub(crate) fn base(&self) -> &B {
        // SAFETY: the base lives as long as this value (1).
        unsafe { self.base.as_ref() }
    }
}

impl<F, B> Drop for Over<F, B> {
    fn drop(&mut self) {
        // SAFETY: the front is dropped here alone and not used again.
        unsafe { ManuallyDrop::drop(&mut self.front) };
        // SAFETY: the base came from a box, and nothing refers to it any more (1, 2).
        drop(unsafe { Box::from_raw(self.base.as_ptr()) });
    }
}

/// One of our allocators on a separate base.
pub(crate) struct OursOn<F, B>(pub(crate) Over<F, B>);

// SAFETY: the contract of `Allocator` is the same.
unsafe impl<F: Allocator, B: Allocator + 'static> Subject for OursOn<F, B> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.front().allocate(layout))
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        address(self.0.front().allocate_zeroed(layout))
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { free(self.0.front(), block, layout) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { reallocate(self.0.front(), block, old, bytes) }
    }

    fn check(&self) -> Result<(), String> {
        check(self.0.front())?;
        // Regions that the front keeps count as live in the base.
        self.0.base().verify().map_err(|damage| damage.to_string())
    }
}
