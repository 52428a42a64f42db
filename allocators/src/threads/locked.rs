//! An allocator with a lock, for any thread and for `#[global_allocator]`.

mod lock;
#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::{self, NonNull};

pub use self::lock::Lock;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::threads::global;
use crate::threads::sync::SpinLock;

/// Lets several threads use an allocator: each call takes a lock.
///
/// `Locked<A>` is `Sync` if `A` is `Send`. `L` is the lock: by default [`SpinLock`], or with the
/// feature `lock_api` any `lock_api::RawMutex`, such as `parking_lot::RawMutex`, or one that masks
/// interrupts if interrupt handlers allocate (a handler that interrupted the holder of a spin lock
/// would wait for it forever).
///
/// `Locked<A>` over the spin lock is a [`GlobalAlloc`]. Other locks are not allowed there: a
/// `#[global_allocator]` must neither allocate nor unwind, and a mutex that parks threads allocates
/// its queues. If the allocator unwinds nevertheless, the program is aborted. Misuse aborts as
/// well; a handler installed with [`set_misuse_handler`](crate::set_misuse_handler) that panics
/// needs memory for its message and so waits forever below the global allocator.
///
/// # Deadlock
///
/// The lock is held while the allocator works, while `visit` of [`walk`](Allocator::walk) runs and
/// while the closure of [`with`](Self::with) runs. Calling the same `Locked` from there waits
/// forever; if it is the `#[global_allocator]`, every allocation is such a call, printing included.
///
/// # What is not passed on
///
/// [`backing`](Allocator::backing) is `None`. The backing of an `A` that is not `Sync` may be a
/// part of `A`, such as a heap that it owns, and one thread could use a reference to it while
/// another holds the lock. It is available under the lock: `locked.with(|a| a.backing()...)`.
///
/// # Complexity
///
/// As `A`, plus taking and releasing the lock.
///
/// # Memory
///
/// As `A`: blocks are its own, with its waste and no additional bytes. The lock is one byte (the
/// spin lock) and its padding.
///
/// # Threads
///
/// `Sync` if `A` is `Send` and the lock `Sync`, `Send` if both are. All calls are serialised, and a
/// thread that finds the spin lock taken spins; the holder may have been interrupted.
///
/// # When not to use it
///
/// Around an allocator that is already `Sync`: [`PageAllocator`](crate::PageAllocator),
/// [`StaticHeap`](crate::StaticHeap), [`SharedPool`](crate::SharedPool) and the like lock less or
/// not at all. If many threads allocate at a high rate, an allocator for each thread shares
/// nothing.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, Locked, PageAllocator};
///
/// // A page allocator is itself `Sync`; any allocator that is `Send` can take its place.
/// static LOCKED: Locked<PageAllocator> = Locked::new(PageAllocator::new("pages"));
///
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let block = LOCKED.allocate(Layout::new::<u64>())?;
///             // SAFETY: the block was just allocated and is freed once.
///             unsafe { LOCKED.deallocate(block.cast()) };
///             Ok::<(), AllocError>(())
///         });
///     }
/// });
/// assert_eq!(LOCKED.stats().allocations_total, 2);
/// ```
///
/// An allocator that is not `Send` does not become `Sync`:
///
/// ```compile_fail,E0277
/// use loligo_allocators::{Allocator, Locked};
///
/// fn crosses_threads<T: Sync>() {}
/// crosses_threads::<Locked<&dyn Allocator>>();
/// ```
///
/// # Invariants
///
/// 1. `allocator` is touched only by the thread that holds `lock`, or through `&mut self`.
pub struct Locked<A, L: Lock = SpinLock> {
    lock: L,
    allocator: UnsafeCell<A>,
}

// SAFETY: one thread at a time reaches the allocator, by reference (invariant 1), so it passes from
// thread to thread like a sent value, which `A: Send` allows. The lock is shared itself, hence
// `L: Sync`.
unsafe impl<A: Send, L: Lock + Sync> Sync for Locked<A, L> {}

impl<A> Locked<A> {
    /// Wraps an allocator in a spin lock.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Allocator, Locked, PageAllocator};
    ///
    /// let locked = Locked::new(PageAllocator::new("pages"));
    /// assert_eq!(locked.name(), "pages");
    /// ```
    #[must_use]
    pub const fn new(allocator: A) -> Self {
        Self::with_lock(allocator)
    }
}

impl<A, L: Lock> Locked<A, L> {
    /// Wraps an allocator in a given lock.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Locked, PageAllocator, SpinLock};
    ///
    /// let locked: Locked<_, SpinLock> = Locked::with_lock(PageAllocator::new("pages"));
    /// # drop(locked);
    /// ```
    #[must_use]
    pub const fn with_lock(allocator: A) -> Self {
        Self { lock: L::OPEN, allocator: UnsafeCell::new(allocator) }
    }

    /// Runs `work` on the allocator while no other thread can reach it.
    ///
    /// `work` gets a shared reference: a unique one would let it replace an allocator that has live
    /// blocks. [`get_mut`](Self::get_mut) returns one if no borrow of this object exists.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Locked, PageAllocator};
    ///
    /// let locked = Locked::new(PageAllocator::new("pages"));
    /// assert_eq!(locked.with(|pages| pages.committed_bytes()), 0);
    /// ```
    pub fn with<R>(&self, work: impl FnOnce(&A) -> R) -> R {
        work(self.hold().allocator())
    }

    /// Returns the allocator; the unique borrow replaces the lock.
    pub fn get_mut(&mut self) -> &mut A {
        self.allocator.get_mut()
    }

    /// Returns the allocator without its lock.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Locked, PageAllocator};
    ///
    /// let pages = Locked::new(PageAllocator::new("pages")).into_inner();
    /// assert_eq!(pages.committed_bytes(), 0);
    /// ```
    pub fn into_inner(self) -> A {
        self.allocator.into_inner()
    }

    #[inline]
    fn hold(&self) -> Hold<'_, A, L> {
        Hold { locked: self, held: Some(self.lock.acquire()) }
    }
}

/// The held lock; released when dropped, also by unwinding.
struct Hold<'a, A, L: Lock> {
    locked: &'a Locked<A, L>,
    /// `None` only while it is dropped.
    held: Option<L::Held>,
}

impl<A, L: Lock> Hold<'_, A, L> {
    #[inline]
    fn allocator(&self) -> &A {
        // SAFETY: this guard holds the lock for as long as the reference lives, so no other thread
        // touches the allocator; on this thread there are shared references alone (invariant 1).
        unsafe { &*self.locked.allocator.get() }
    }
}

impl<A, L: Lock> Drop for Hold<'_, A, L> {
    #[inline]
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            // SAFETY: this guard took the lock and kept what that returned.
            unsafe { self.locked.lock.release(held) };
        }
    }
}

// SAFETY: every call goes to `A`, which keeps the contract, one at a time; moving this moves `A`.
// The guard is taken in the method itself, not in a closure, so that the caller's site is passed
// on.
unsafe impl<A: Allocator, L: Lock> Allocator for Locked<A, L> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.hold().allocator().allocate(layout)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.hold().allocator().allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().deallocate(block) }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().deallocate_sized(block, layout) }
    }

    #[inline]
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().resize_in_place(block, old, new) }
    }

    #[inline]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().reallocate(block, old, new) }
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().discard(part) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        let hold = self.hold();
        // SAFETY: the caller's promise, passed on.
        unsafe { hold.allocator().allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        self.hold().allocator().layout_below(layout)
    }

    fn stats(&self) -> Stats {
        self.hold().allocator().stats()
    }

    fn name(&self) -> &str {
        let hold = self.hold();
        let name = ptr::from_ref(hold.allocator().name());
        // SAFETY: `A::name` promises, by its signature, that the text stays valid and unchanged for
        // as long as the allocator is borrowed, whatever shared methods are called meanwhile; here
        // that borrow is `&self`, during which the allocator is neither moved nor borrowed
        // uniquely. It was read under the lock, and a `str` may be read by several threads at once.
        unsafe { &*name }
    }

    fn backing_identity(&self) -> Option<*const ()> {
        self.hold().allocator().backing_identity()
    }

    fn budget(&self) -> Option<usize> {
        self.hold().allocator().budget()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.hold().allocator().owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.hold().allocator().walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.hold().allocator().verify()
    }
}

// SAFETY: blocks are as the allocator's contract promises, aligned and as long as the layout says,
// null if there is no memory; a failed `realloc` leaves the block unchanged. Nothing unwinds:
// `global.rs` stops it. The spin lock does not allocate.
unsafe impl<A: Allocator> GlobalAlloc for Locked<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        global::alloc(self, layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        global::alloc_zeroed(self, layout)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller promises a live block of this layout.
        unsafe { global::dealloc(self, block, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { global::realloc(self, block, layout, bytes) }
    }
}

impl<A: Allocator, L: Lock> fmt::Debug for Locked<A, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locked")
            .field("name", &self.name())
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
