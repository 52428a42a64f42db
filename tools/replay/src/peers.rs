//! Other people's allocators, each as a [`Subject`].
//!
//! None of them replaces the `malloc` of this process: they are called by name.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};

use crate::mapped::Arena;
use crate::subject::{Subject, resized};

/// The C library's `malloc`, as a C program would call it.
pub(crate) struct System;

impl System {
    /// The alignment that `malloc` gives unasked.
    const MALLOC_ALIGN: usize = 2 * size_of::<usize>();
}

// SAFETY: the C library keeps the promise for `malloc` and its kin.
unsafe impl Subject for System {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        if layout.align() <= Self::MALLOC_ALIGN {
            // SAFETY: malloc takes any size.
            return unsafe { libc::malloc(layout.size()) }.cast();
        }
        // C asks for a size that is a multiple of the alignment; a layout's rounded size is valid.
        let bytes = layout.pad_to_align().size();
        // SAFETY: the alignment is a power of two and the size a multiple of it.
        unsafe { libc::aligned_alloc(layout.align(), bytes) }.cast()
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        if layout.align() <= Self::MALLOC_ALIGN {
            // SAFETY: calloc takes any size.
            return unsafe { libc::calloc(1, layout.size()) }.cast();
        }
        let block = self.allocate(layout);
        if !block.is_null() {
            // SAFETY: the block was just handed out and holds the layout's size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, _: Layout) {
        // SAFETY: the block came from malloc, calloc, realloc or aligned_alloc and is live.
        unsafe { libc::free(block.cast()) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        if old.align() <= Self::MALLOC_ALIGN {
            // SAFETY: the block came from malloc and is live.
            return unsafe { libc::realloc(block.cast(), bytes) }.cast();
        }
        // SAFETY: the sizes of a replay are at most 2^47.
        let moved = self.allocate(unsafe { resized(old, bytes) });
        if !moved.is_null() {
            // SAFETY: both blocks are live and distinct, and each holds the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, old.size().min(bytes)) };
            // SAFETY: the old block is live and is not used again.
            unsafe { self.deallocate(block, old) };
        }
        moved
    }
}

/// An allocator that comes as a `GlobalAlloc`, called directly.
pub(crate) struct Global<G>(pub(crate) G);

// SAFETY: `GlobalAlloc` promises the same.
unsafe impl<G: GlobalAlloc> Subject for Global<G> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: traces have no blocks of size 0.
        unsafe { self.0.alloc(layout) }
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: traces have no blocks of size 0.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.0.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.0.realloc(block, old, bytes) }
    }
}

/// dlmalloc, which takes its memory from the system by itself.
pub(crate) struct DlMalloc(dlmalloc::Dlmalloc);

impl DlMalloc {
    pub(crate) fn new() -> Self {
        Self(dlmalloc::Dlmalloc::new())
    }
}

// SAFETY: dlmalloc promises the same.
unsafe impl Subject for DlMalloc {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: the size is not 0 and the alignment is a power of two.
        unsafe { self.0.malloc(layout.size(), layout.align()) }
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `allocate`.
        unsafe { self.0.calloc(layout.size(), layout.align()) }
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is live and has this layout.
        unsafe { self.0.free(block, layout.size(), layout.align()) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the block is live and has the layout `old`.
        unsafe { self.0.realloc(block, old.size(), old.align(), bytes) }
    }
}

/// talc in one fixed region, without a lock.
pub(crate) type Talc = Global<talc::TalcCell<talc::source::Manual>>;

/// Returns talc on an arena.
///
/// # Safety
///
/// The arena is used by nothing else while the subject exists.
pub(crate) unsafe fn talc(arena: Arena) -> Talc {
    let talc = talc::TalcCell::new(talc::source::Manual);
    // SAFETY: the arena is valid for reads and writes and ours alone by the caller's promise. An
    // arena that is too small is not claimed, and every request is then refused.
    let _ = unsafe { talc.claim(arena.start().as_ptr(), arena.bytes()) };
    Global(talc)
}

/// rlsf in one fixed region.
pub(crate) struct Rlsf(rlsf::Tlsf<'static, u32, u32, 28, 32>);

impl Rlsf {
    /// Makes rlsf on an arena.
    ///
    /// # Safety
    ///
    /// As for [`talc`].
    pub(crate) unsafe fn new(arena: Arena) -> Self {
        let mut tlsf = rlsf::Tlsf::new();
        let block = NonNull::slice_from_raw_parts(arena.start(), arena.bytes());
        // SAFETY: the arena is valid and ours alone by the caller's promise.
        let _ = unsafe { tlsf.insert_free_block_ptr(block) };
        Self(tlsf)
    }
}

// SAFETY: rlsf promises the same.
unsafe impl Subject for Rlsf {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        self.0.allocate(layout).map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        zeroed(self.allocate(layout), layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: the block is live and has this alignment.
        unsafe { self.0.deallocate(block, layout.align()) }
    }

    #[inline]
    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the sizes of a replay are at most 2^47.
        let new = unsafe { resized(old, bytes) };
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: the block is live and has this alignment.
        unsafe { self.0.reallocate(block, new) }.map_or(null_mut(), NonNull::as_ptr)
    }
}

/// Zeroes a fresh block that is there.
fn zeroed(block: *mut u8, layout: Layout) -> *mut u8 {
    if !block.is_null() {
        // SAFETY: the block was just handed out and holds the layout's size.
        unsafe { block.write_bytes(0, layout.size()) };
    }
    block
}

/// An allocator that only allocates and frees; reallocation copies.
trait Plain {
    fn get(&mut self, layout: Layout) -> *mut u8;

    /// # Safety
    ///
    /// `block` is live and has this layout.
    unsafe fn put(&mut self, block: NonNull<u8>, layout: Layout);
}

/// A [`Plain`] allocator as a [`Subject`].
pub(crate) struct Copying<P>(P);

// SAFETY: the allocators below keep the promise.
unsafe impl<P: Plain> Subject for Copying<P> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> *mut u8 {
        self.0.get(layout)
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> *mut u8 {
        zeroed(self.0.get(layout), layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: *mut u8, layout: Layout) {
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.0.put(block, layout) }
    }

    unsafe fn reallocate(&mut self, block: *mut u8, old: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the sizes of a replay are at most 2^47.
        let moved = self.0.get(unsafe { resized(old, bytes) });
        if !moved.is_null() {
            // SAFETY: both blocks are live and distinct, and each holds the lesser size.
            unsafe { moved.copy_from_nonoverlapping(block, old.size().min(bytes)) };
            // SAFETY: the old block is live and is not used again.
            unsafe { self.deallocate(block, old) };
        }
        moved
    }
}

/// The orders of the buddy system: blocks up to 2^39 bytes.
type BuddySystem = buddy_system_allocator::Heap<40>;

impl Plain for BuddySystem {
    #[inline]
    fn get(&mut self, layout: Layout) -> *mut u8 {
        self.alloc(layout).map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn put(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.dealloc(block, layout) }
    }
}

/// Returns the buddy system on an arena.
///
/// # Safety
///
/// As for [`talc`].
pub(crate) unsafe fn buddy_system(arena: Arena) -> Copying<BuddySystem> {
    let mut heap = BuddySystem::new();
    // SAFETY: the arena is valid and ours alone by the caller's promise.
    unsafe { heap.init(arena.start().as_ptr().expose_provenance(), arena.bytes()) };
    Copying(heap)
}

impl Plain for linked_list_allocator::Heap {
    #[inline]
    fn get(&mut self, layout: Layout) -> *mut u8 {
        self.allocate_first_fit(layout).map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn put(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.deallocate(block, layout) }
    }
}

/// Returns the linked list on an arena.
///
/// # Safety
///
/// As for [`talc`].
pub(crate) unsafe fn linked_list(arena: Arena) -> Copying<linked_list_allocator::Heap> {
    // SAFETY: the arena is valid and ours alone by the caller's promise.
    Copying(unsafe { linked_list_allocator::Heap::new(arena.start().as_ptr(), arena.bytes()) })
}
