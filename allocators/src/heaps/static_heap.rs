//! The first allocator: a heap in a `static` buffer, usable before `main`.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where the first allocator is
//! placed into a static buffer and all others are created in it. Changes: it is const-initialised
//! instead of placed at run time, and several threads can use it.

#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::marker::PhantomPinned;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::heaps::size_class_heap::{Refusal, SizeClassHeap, WalkState, report};
use crate::heaps::size_classes::HeapClasses;
use crate::threads::sync::SpinLock;

/// A heap over `BYTES` bytes inside itself, for a `static`.
///
/// It is a [`HeapAllocator`](crate::HeapAllocator) over one fixed region with a spin lock, so it
/// has its speed, its checks and its limits; it never grows. Moving it invalidates all its blocks:
/// it starts again at its new place.
///
/// # Complexity
///
/// As [`HeapAllocator`](crate::HeapAllocator), plus a spin lock: meant for data that is set up
/// once.
///
/// # Memory
///
/// `BYTES` and 30 KiB for the object, whose buffer begins at a multiple of 4 096. Blocks are
/// rounded as in a [`HeapAllocator`](crate::HeapAllocator): at most 15 bytes are wasted up to 240
/// and 47 above, 8 of a header and 15 over 496. Tables take 1.4 % of the buffer and up to 4 KiB,
/// and one live small block can hold a page of 4 KiB. A buffer of 4 KiB has no room for a block,
/// one of 8 KiB for 63 blocks of 64 bytes.
///
/// # Threads
///
/// `Send` and `Sync`: each call takes a spin lock, for which threads wait;
/// [`walk`](Allocator::walk) takes it separately for each block.
///
/// # When not to use it
///
/// For more than the start of a program: it cannot grow, and threads wait for one another. It has
/// no [`Sites`](crate::Sites), as it exists before any allocator that could provide their memory;
/// use a [`HeapAllocator`](crate::HeapAllocator) in [`Locked`](crate::Locked) for that.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{Allocator, Make, StaticHeap};
///
/// static BOOT: StaticHeap<65536> = StaticHeap::new("boot");
///
/// let first = BOOT.create([1_u8, 2, 3])?;
/// assert!(BOOT.owns(first.as_ptr().cast()));
/// // SAFETY: just made, deleted once.
/// unsafe { BOOT.destroy(first) };
/// assert_eq!(BOOT.stats().live, 0);
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
#[derive(Debug)]
pub struct StaticHeap<const BYTES: usize> {
    lock: SpinLock,
    inner: UnsafeCell<SizeClassHeap<HeapClasses>>,
    /// The address of the buffer when the size-class heap was opened over it.
    opened_at: UnsafeCell<*const u8>,
    name: &'static str,
    /// The heap stores pointers into its buffer, so a unique reference to it, which ends no block,
    /// must not be assumed to be the only access to it.
    _pinned: PhantomPinned,
    buffer: UnsafeCell<Buffer<BYTES>>,
}

#[derive(Debug)]
#[repr(C, align(4096))]
struct Buffer<const BYTES: usize>(MaybeUninit<[u8; BYTES]>);

// SAFETY: everything inside is reached only while `lock` is held.
unsafe impl<const BYTES: usize> Sync for StaticHeap<BYTES> {}
// SAFETY: the size-class heap's pointers lead into the buffer, which moves along; `with` opens the
// size-class heap again when it finds that the buffer has moved.
unsafe impl<const BYTES: usize> Send for StaticHeap<BYTES> {}

impl<const BYTES: usize> StaticHeap<BYTES> {
    /// Creates a heap. The buffer is not touched before the first request.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            lock: SpinLock::new(),
            inner: UnsafeCell::new(SizeClassHeap::new()),
            opened_at: UnsafeCell::new(core::ptr::null()),
            name,
            _pinned: PhantomPinned,
            buffer: UnsafeCell::new(Buffer(MaybeUninit::uninit())),
        }
    }

    /// Calls `act` with the size-class heap, under the lock.
    fn with<R>(&self, act: impl FnOnce(&mut SizeClassHeap<HeapClasses>) -> R) -> R {
        // Released also when a report unwinds.
        let _held = self.lock.hold();
        // SAFETY: the lock is held, so there is no other reference to the size-class heap.
        let inner = unsafe { &mut *self.inner.get() };
        let buffer = self.buffer.get().cast::<u8>();
        // SAFETY: the lock is held.
        let opened_at = unsafe { &mut *self.opened_at.get() };
        if *opened_at != buffer.cast_const() {
            *inner = SizeClassHeap::new();
            *opened_at = buffer;
            let whole = Layout::new::<[u8; BYTES]>();
            if let Some(memory) = NonNull::new(buffer) {
                // SAFETY: the buffer belongs to this heap and stays in place until the heap is
                // moved, which is detected above. Too small a buffer stays unused.
                let _ = unsafe { inner.add_region(memory, whole) };
            }
        }
        act(inner)
    }

    #[track_caller]
    fn finish<R>(&self, result: Result<R, Refusal>) -> Result<R, AllocError> {
        match result {
            Ok(value) => Ok(value),
            Err(Refusal::NoRoom) => Err(AllocError),
            Err(refusal) => report(self.name, refusal, Some(Location::caller())),
        }
    }

    #[track_caller]
    fn free(&self, block: NonNull<u8>, bytes: usize) {
        let freed = self.with(|inner| match inner.cached_slot(block, bytes) {
            Some(slot) if inner.deallocate_front(slot) => Ok(()),
            _ => inner.deallocate(block, bytes),
        });
        if let Err(refusal) = freed {
            report(self.name, refusal, Some(Location::caller()));
        }
    }
}

// SAFETY: blocks are those of the size-class heap over the heap's own buffer, and all calls are one
// after another under the lock.
unsafe impl<const BYTES: usize> Allocator for StaticHeap<BYTES> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let served = self.with(|inner| match inner.allocate(layout) {
            Err(Refusal::NoRoom) => inner.allocate_exhaustive(layout),
            served => served,
        });
        self.finish(served)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.free(block, 0);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.free(block, layout.size());
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let resized = self.with(|inner| inner.resize(block, old, new));
        self.finish(resized)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        match self.with(|inner| inner.allocated_size(block)) {
            Ok(bytes) => bytes,
            Err(refusal) => report(self.name, refusal, None),
        }
    }

    fn stats(&self) -> Stats {
        self.with(|inner| inner.stats())
    }

    fn name(&self) -> &str {
        self.name
    }

    fn owns(&self, address: *const u8) -> bool {
        self.with(|inner| inner.owns(address))
    }

    /// Takes the lock for each block, so that `visit` can read but must not free or allocate.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut state = WalkState::default();
        while let Some(block) = self.with(|inner| inner.walk_next(&mut state)) {
            visit(block);
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        self.with(|inner| inner.verify())
    }
}

// SAFETY: the calls go to the allocator above. Nothing there unwinds: misuse aborts (unless a test
// installed a handler), and refusals are null.
unsafe impl<const BYTES: usize> GlobalAlloc for StaticHeap<BYTES> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.allocate(layout).map_or(core::ptr::null_mut(), |block| block.cast().as_ptr())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.allocate_zeroed(layout).map_or(core::ptr::null_mut(), |block| block.cast().as_ptr())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.deallocate_sized(block, layout) };
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let (Some(block), Ok(new)) =
            (NonNull::new(block), Layout::from_size_align(size, layout.align()))
        else {
            return core::ptr::null_mut();
        };
        // SAFETY: the caller's promise, passed on.
        unsafe { self.reallocate(block, layout, new) }
            .map_or(core::ptr::null_mut(), |block| block.cast().as_ptr())
    }
}

impl<const BYTES: usize> Drop for StaticHeap<BYTES> {
    /// A `static` is never dropped; another one is checked like any heap.
    fn drop(&mut self) {
        /// Unpoisons the buffer's memory for its next use, also if the leak report unwinds.
        struct Open(*mut u8, usize);
        impl Drop for Open {
            fn drop(&mut self) {
                mark::undefined_at(self.0, self.1);
            }
        }
        let _open = Open(self.buffer.get().cast(), BYTES);
        leak::assert_none(self);
    }
}
