//! A few bytes in place, for memory of one function.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), and the foundation library of
//! BitSquid (2012), where a temporary allocator contains a buffer, on the stack, and uses a backing
//! allocator when that is full. Changes: the buffer is a frame, so sizes are recorded and wrong
//! frees found; blocks that fell back are counted; nothing is constructed before the first block.
//!
//! # Memory
//!
//! ```text
//! | counters | name | frame's counters | N bytes: block | block | free .. | records | dead bits |
//! ```
//!
//! See [`FrameAllocator`](crate::FrameAllocator) for the layout of the `N` bytes.

use core::alloc::Layout;
use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomPinned;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::linear::fall_back::FallBack;
use crate::linear::frame::FrameAllocator;

#[cfg(test)]
mod tests;

/// An allocator with `N` bytes inside itself, and a backing for blocks that do not fit.
///
/// Made for the stack: a function that needs a few strings or a small array creates one, and
/// allocates elsewhere only if it needs more than usual. A request takes the next bytes of the `N`;
/// freeing the last block returns them, and only the last one grows or shrinks, as in a
/// [`FrameAllocator`]. Blocks that do not fit go to the backing, and [`fell_back`](Self::fell_back)
/// counts them.
///
/// Sizes are exact, and a double free, a foreign free, an interior free and a wrong size are found
/// and reported through [`misuse`](crate::misuse()), as the frame does. A second free of a block
/// that fell back is reported as a foreign free, as it is no longer recorded.
///
/// Dropping the allocator silently releases everything, and so does [`reset`](Self::reset);
/// [`assert_empty`](Self::assert_empty) panics if there are live blocks.
///
/// # Moving
///
/// As with every allocator, a block is valid until the allocator is moved or dropped. After a move
/// the `N` bytes are at another address: the allocator detects this, forgets the blocks in them,
/// counters included, and starts again; the free of an old block is then a foreign free. Blocks
/// that fell back stay in place, to be freed as before or released by the drop.
///
/// # Complexity
///
/// As the frame: O(1) for allocating and for freeing or resizing the last block, O(log runs) for
/// freeing another. A block that falls back costs the backing's time and O(1) amortised for its
/// entry in a hash table.
///
/// # Memory
///
/// `N` bytes, in which the frame keeps 8 bytes for each run of blocks of one size, `N / 64` bytes
/// (at least 8) for dead bits and 8 for the end of the table; and 368 bytes for the object itself.
/// At most 7 bytes a block are lost to rounding. Memory freed out of order is recovered with the
/// blocks after it. With `N` below 32 no block fits. A block that fell back costs 54 to 107
/// additional bytes, in a table that starts at 2 560 bytes and is counted as reserved. The `N`
/// bytes are counted as reserved too, though they are not the backing's.
///
/// # Threads
///
/// `Send` where the backing is `Sync`, not `Sync`.
///
/// # When not to use it
///
/// For more than the stack should hold, some kilobytes: use a
/// [`ScratchAllocator`](crate::ScratchAllocator) shared by all functions of a thread. For blocks
/// that outlive the function.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{AllocError, Allocator, Arena, PageAllocator, TempAllocator};
///
/// fn median_line(text: &str, backing: &dyn Allocator) -> Result<usize, AllocError> {
///     let temp = TempAllocator::<1024>::new("median line", backing);
///     let lengths = temp.try_alloc_slice_fill_iter(text.lines().map(str::len))?;
///     lengths.sort_unstable();
///     Ok(lengths.get(lengths.len() / 2).copied().unwrap_or(0))
/// } // everything is released here
///
/// let pages = PageAllocator::new("pages");
/// assert_eq!(median_line("a\nlonger\nline", &pages)?, 4);
/// assert_eq!(pages.stats().allocations_total, 0, "all of it is on the stack");
/// assert_eq!(median_line(&"line\n".repeat(1000), &pages)?, 4);
/// assert_eq!(pages.stats().live, 0, "what fell back was released");
/// # Ok::<(), AllocError>(())
/// ```
///
/// A block cannot be obtained through a reference that outlives the allocator:
///
/// ```compile_fail,E0505
/// # use loligo_allocators::{Allocator, PageAllocator, TempAllocator};
/// # let pages = PageAllocator::new("pages");
/// let temp = TempAllocator::<64>::new("temp", &pages);
/// let user: &dyn Allocator = &temp;
/// let moved = temp; // while `user` still borrows it
/// let _ = user.stats();
/// ```
///
/// # Invariants
///
/// 1. If `opened_at` is the address of `buffer`, `frame` is a frame over it that was created since
///    the allocator came to this address, and no other code uses the buffer. Else `frame` is not
///    used.
pub struct TempAllocator<'a, const N: usize, B: Allocator + ?Sized = dyn Allocator + 'a> {
    /// The address of the buffer when the frame was created.
    opened_at: Cell<*const u8>,
    frame: UnsafeCell<MaybeUninit<FrameAllocator<'a, B>>>,
    fall_back: FallBack<'a, B>,
    name: &'a str,
    /// The allocator stores pointers into its buffer, so a unique reference to it, which ends no
    /// block, must not be assumed to be the only access to it.
    _pinned: PhantomPinned,
    buffer: UnsafeCell<Buffer<N>>,
}

#[repr(C, align(16))]
struct Buffer<const N: usize>(MaybeUninit<[u8; N]>);

// SAFETY: the frame's pointers point into the buffer, which moves along (`frame` creates a new one
// after a move); the backing, which is shared, may be used from another thread as it is `Sync`.
unsafe impl<const N: usize, B: Allocator + Sync + ?Sized> Send for TempAllocator<'_, N, B> {}

impl<'a, const N: usize> TempAllocator<'a, N> {
    /// Creates an allocator that falls back to `backing`. The buffer is not touched before the
    /// first request.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, const N: usize, B: Allocator + ?Sized> TempAllocator<'a, N, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self {
            opened_at: Cell::new(core::ptr::null()),
            frame: UnsafeCell::new(MaybeUninit::uninit()),
            fall_back: FallBack::new(Some(backing)),
            name,
            _pinned: PhantomPinned,
            buffer: UnsafeCell::new(Buffer(MaybeUninit::uninit())),
        }
    }

    /// Frees everything at once.
    ///
    /// # Complexity
    ///
    /// O(1), and O(blocks that fell back).
    pub fn reset(&mut self) {
        // Opens a new frame if the allocator was moved.
        self.frame();
        // SAFETY: the frame is initialised (invariant 1).
        let frame = unsafe { self.frame.get_mut().assume_init_mut() };
        self.fall_back.reset(frame);
        frame.reset();
    }

    /// Returns the counters of the live blocks that fell back; the totals count all that ever did.
    #[must_use]
    pub fn fell_back(&self) -> Stats {
        self.fall_back.own_stats()
    }

    /// Checks that no block is left.
    ///
    /// # Panics
    ///
    /// If there are live blocks, with a list of the first 16.
    pub fn assert_empty(&self) {
        leak::assert_none(self);
    }

    /// Returns the frame over the buffer, a new one if the allocator was moved.
    #[inline]
    fn frame(&self) -> &FrameAllocator<'a, B> {
        let buffer = NonNull::from(&self.buffer).cast::<u8>();
        if self.opened_at.get() != buffer.as_ptr().cast_const() {
            self.open(buffer);
        }
        // SAFETY: `opened_at` is the buffer's address, so the frame is there (invariant 1); it is
        // replaced only after a move, which no reference outlives.
        let frame = unsafe { &*self.frame.get() };
        // SAFETY: as above, it was written.
        unsafe { frame.assume_init_ref() }
    }

    #[cold]
    #[inline(never)]
    fn open(&self, buffer: NonNull<u8>) {
        mark::undefined(buffer, N);
        // SAFETY: the buffer has `N` bytes, is this object's alone, and the frame is not used once
        // the object has moved or is dropped.
        let frame = unsafe { FrameAllocator::over(self.name, buffer, N, None) };
        // SAFETY: no reference to the old frame is left, as none outlives a move. It has no
        // backing, so it need not be dropped.
        unsafe { self.frame.get().write(MaybeUninit::new(frame)) };
        self.opened_at.set(buffer.as_ptr());
    }
}

// SAFETY: a block is the frame's over the buffer, which keeps the contract while the allocator is
// not moved, or the backing's, which does, too.
unsafe impl<const N: usize, B: Allocator + ?Sized> Allocator for TempAllocator<'_, N, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.frame().allocate(layout) {
            Err(AllocError) => self.fall_back.allocate(layout, false),
            served => served,
        }
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.frame().allocate_zeroed(layout) {
            Err(AllocError) => self.fall_back.allocate(layout, true),
            served => served,
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.fall_back.free(self.frame(), block, None);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.fall_back.free(self.frame(), block, Some(layout));
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.fall_back.resize(self.frame(), block, old, new)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.fall_back.allocated_size(self.frame(), block)
    }

    fn stats(&self) -> Stats {
        self.fall_back.stats(self.frame())
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.fall_back.backing()
    }

    /// Returns `true` if `address` is in the buffer, or in a block that fell back: O(1) for the
    /// first, O(blocks that fell back) else.
    fn owns(&self, address: *const u8) -> bool {
        self.frame().owns(address) || self.fall_back.owns(address)
    }

    /// Visits the blocks of the buffer in address order, then those that fell back in any order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.frame().walk(visit);
        self.fall_back.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.frame().verify()?;
        self.fall_back.verify()
    }
}

impl<const N: usize, B: Allocator + ?Sized> Drop for TempAllocator<'_, N, B> {
    /// Releases the blocks that fell back (by the field's own drop); the buffer is part of this
    /// object.
    fn drop(&mut self) {
        mark::undefined(NonNull::from(self.buffer.get_mut()).cast(), N);
    }
}
