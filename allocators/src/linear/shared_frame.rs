//! Memory for blocks that are freed together, for any thread: an atomic cursor that moves up
//! through a region.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where the frame allocator too
//! knows the size of each block. Changes: the cursor is moved by compare-exchange, so any thread
//! allocates without a lock; the start and end of each block are kept in bits separate from the
//! blocks, so a wrong free is found.
//!
//! # Memory
//!
//! ```text
//! memory                    cursor       bits
//! | block | gap | block     | free ..    | 2 for each 8 bytes: s, a live block |
//!  s.....e       s.........e              | starts here; e, it ends here        |
//! ```
//!
//! Blocks have their size rounded up to 8, and no header: the bits take 8 bytes for every 256, 3 %
//! of the region. A header of 8 bytes before each block would be smaller only for blocks above 256
//! bytes, and after an overflow, or in a user's bytes, a forged header could pass for a real one.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::threads::sync::shared::{AtomicUsize, Ordering};

mod bits;
mod counters;
mod inspect;

#[cfg(test)]
mod tests;

use bits::{Bits, GRAIN};
use counters::Counters;

/// A [`FrameAllocator`](crate::FrameAllocator) for several threads.
///
/// Freeing the last block returns its memory at once, if no other thread has allocated after it;
/// the memory of other blocks is recovered only by [`reset`](Self::reset). So, unlike in a
/// `FrameAllocator`, a block that is freed out of order keeps the room of the blocks before it
/// unusable. The last block also changes its size in place.
///
/// Blocks are granted in multiples of 8 bytes, and live `requested` is counted as granted (`exact`
/// is false); the totals are as requested. Bytes skipped by alignments above 8 count only as
/// reserved.
///
/// A double free, a foreign free, an interior free and a wrong size are found and reported through
/// [`misuse`](crate::misuse()): of two threads that free one block at once, exactly one is
/// reported. A double free is found until a block is allocated at the same address again.
///
/// Dropping a frame silently releases remaining blocks; [`assert_empty`](Self::assert_empty) panics
/// if there are any. Resetting needs `&mut`, so no block that borrows the frame can be alive, in
/// any thread.
///
/// # Statistics
///
/// `requested <= granted <= reserved` holds in every result: the first two are one number, and a
/// block is counted after it was taken and until it is given up. The counters are exact while no
/// other thread works; otherwise calls in progress are not yet counted, or no longer.
///
/// # Complexity
///
/// Allocating: O(1), lock-free: a compare-exchange, repeated if another thread was first. Freeing:
/// O(bytes of the block / 256), to find its end, lock-free. Four atomic read-modify-write
/// operations each (166 instructions a pair), one more if the block's bits are in two words, and
/// one for a request that was rounded up. Creating a frame and resetting it: O(bytes in use / 256),
/// to clear the bits; no block is touched.
///
/// All threads move one cursor, so they share its cache line. If that is too much, let each thread
/// take a larger block and divide it with its own `FrameAllocator`.
///
/// # Memory
///
/// 3 % of the region for bits, which are separate from the blocks, and up to 7 bytes a block, and
/// the bytes skipped by alignments above 8. Freed memory, except that of the last block, is unused
/// until the frame is reset: in the worst case the whole region. The frame itself has 192 bytes,
/// three cache lines.
///
/// # Threads
///
/// `Send` and `Sync`. Threads share the cache line of the cursor, and never wait for one another.
///
/// # When not to use it
///
/// For a single thread: [`FrameAllocator`](crate::FrameAllocator) needs no atomic operations,
/// recovers memory in any order of frees, and has scopes. For blocks that are not freed together: a
/// pool or a heap.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{Allocator, SharedFrame};
///
/// let mut memory = [MaybeUninit::uninit(); 4096];
/// let mut frame = SharedFrame::from_region("frame", &mut memory);
/// for _ in 0..100 {
///     std::thread::scope(|scope| {
///         for _ in 0..2 {
///             scope.spawn(|| {
///                 let visible = frame.allocate(Layout::new::<[u32; 100]>()).expect("room for two");
///                 assert_eq!(visible.len(), 400);
///             });
///         }
///     });
///     frame.reset();
/// }
/// assert_eq!((frame.stats().live, frame.stats().peak_granted), (0, 800));
/// ```
///
/// While any borrow of the frame exists, it cannot be reset:
///
/// ```compile_fail,E0502
/// # use core::{alloc::Layout, mem::MaybeUninit};
/// # use loligo_allocators::{Allocator, SharedFrame};
/// # let mut memory = [MaybeUninit::uninit(); 1024];
/// let mut frame = SharedFrame::from_region("frame", &mut memory);
/// let user: &dyn Allocator = &frame;
/// frame.reset(); // while `user` still borrows it
/// let _ = user.allocate(Layout::new::<u8>());
/// ```
///
/// # Invariants
///
/// 1. `memory` is aligned to 8, valid for `room` bytes, a multiple of 8, and used by this frame
///    alone; `bits` has two bits for each 8 of them.
/// 2. The cursor is a multiple of 8, at most `room`. Every live block is below it.
/// 3. A live block has the bit of its start set and the bit of its end, and no bit between them. No
///    other bits are set, except by calls in progress.
pub struct SharedFrame<'a, B: Allocator + Sync + ?Sized = dyn Allocator + Sync + 'a> {
    counters: Counters,
    memory: NonNull<u8>,
    room: usize,
    bits: Bits,
    bytes: usize,
    name: &'a str,
    /// The backing that owns the memory, and its start and layout.
    backing: Option<(&'a B, NonNull<u8>, Layout)>,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

// SAFETY: the raw pointers point into the region that only this frame uses, and the backing, which
// is shared, may be used from another thread as it is `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized> Send for SharedFrame<'_, B> {}

// SAFETY: everything that changes through a shared reference is atomic: the cursor, the bits and
// the counters. Only the owners of blocks touch the region's bytes.
unsafe impl<B: Allocator + Sync + ?Sized> Sync for SharedFrame<'_, B> {}

impl<'a> SharedFrame<'a> {
    /// Creates a frame of `bytes` bytes, bits included, allocated from `backing`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing refuses, or `bytes` is too large for a layout.
    pub fn new(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + Sync + ?Sized> SharedFrame<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn new_in(name: &'a str, bytes: usize, backing: &'a B) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, align_of::<u128>()).map_err(|_| AllocError)?;
        let memory = backing.allocate(layout)?.cast();
        // SAFETY: the block was just taken, has this many bytes and belongs to the frame alone.
        Ok(unsafe { Self::over(name, memory, bytes, Some((backing, memory, layout))) })
    }

    /// Frees everything at once.
    ///
    /// # Complexity
    ///
    /// O(bytes in use / 256).
    pub fn reset(&mut self) {
        self.counters.count_reset();
        // Relaxed: no other thread uses the frame.
        let used = self.counters.cursor.load(Ordering::Relaxed);
        self.bits.clear_below(used / GRAIN);
        mark::no_access(self.memory, used);
        self.counters.cursor.store(0, Ordering::Relaxed);
    }

    /// Returns how many bytes follow the last block.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.room - self.cursor()
    }

    /// Checks that no block is left.
    ///
    /// # Panics
    ///
    /// If there are live blocks, with a list of the first 16.
    pub fn assert_empty(&self) {
        leak::assert_none(self);
    }

    /// # Safety
    ///
    /// `memory` is valid for `bytes` bytes for as long as the frame exists, and used by no other
    /// code.
    unsafe fn over(
        name: &'a str,
        memory: NonNull<u8>,
        bytes: usize,
        backing: Option<(&'a B, NonNull<u8>, Layout)>,
    ) -> Self {
        let skipped = memory.align_offset(align_of::<AtomicUsize>().max(GRAIN)).min(bytes);
        let room = Bits::room_in(bytes - skipped);
        // SAFETY: no more is skipped than there is.
        let memory = unsafe { memory.add(skipped) };
        // SAFETY: `room_in` says no more than there is.
        let behind = unsafe { memory.add(room) };
        // SAFETY: it leaves enough for the bits of `room` after it, aligned as `memory` is.
        let bits = unsafe { Bits::new(behind, room / GRAIN) };
        mark::no_access(memory, room);
        Self {
            counters: Counters::new(),
            memory,
            room,
            bits,
            bytes,
            name,
            backing,
            region: PhantomData,
        }
    }

    #[inline]
    fn cursor(&self) -> usize {
        // Relaxed: a hint, or a number for display.
        self.counters.cursor.load(Ordering::Relaxed)
    }

    /// Takes `bytes` bytes, a multiple of 8, aligned to `align`; returns their offset.
    #[inline]
    fn bump(&self, bytes: usize, align: usize) -> Option<usize> {
        let base = self.memory.addr().get();
        let mut cursor = self.cursor();
        loop {
            // The cursor is within the memory, so only the gap can exceed the address space.
            let gap = (base + cursor).wrapping_neg() & (align - 1);
            if gap > self.room - cursor || bytes > self.room - cursor - gap {
                return None;
            }
            let start = cursor + gap;
            let cell = &self.counters.cursor;
            // Acquire pairs with the Release in `give_up`: the last owner's writes to these bytes,
            // and the clearing of its bits, happen before this allocation.
            match cell.compare_exchange(cursor, start + bytes, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return Some(start),
                Err(now) => cursor = now,
            }
        }
    }

    /// Moves the cursor from the end of a block back to `start`, if it is there; the block's bits
    /// are already cleared.
    #[inline]
    fn give_up(&self, start: usize, end: usize) -> bool {
        let cell = &self.counters.cursor;
        // Release pairs with the Acquire in `bump`. The cursor may have moved and come back (ABA),
        // which is harmless: all memory after it is free whenever it is at this value.
        cell.compare_exchange(end, start, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// Frees a block, with the size `asked` if the caller passed one, or reports the misuse.
    fn free(&self, block: NonNull<u8>, asked: Option<usize>) -> Result<(), Misuse> {
        let start = self.find(block)?;
        if let Some(asked) = asked
            && stride(asked) != self.size_at(start)
        {
            // A block that another thread is freeing may have lost its end.
            self.find(block)?;
            return Err(Misuse::WrongSize);
        }
        let Some(end) = self.bits.claim(start / GRAIN) else {
            return Err(self.stray(start));
        };
        // No other thread gets these bytes before they are given up.
        let end = end * GRAIN;
        mark::no_access(self.at(start), end - start);
        self.counters.count_free(end - start);
        if self.cursor() == end {
            self.give_up(start, end);
        }
        Ok(())
    }

    /// Returns the offset of a live block.
    #[inline]
    fn find(&self, block: NonNull<u8>) -> Result<usize, Misuse> {
        let offset = block.addr().get().wrapping_sub(self.memory.addr().get());
        if offset < self.room && offset.is_multiple_of(GRAIN) && self.bits.starts(offset / GRAIN) {
            return Ok(offset);
        }
        Err(self.stray(offset))
    }

    /// Returns the misuse of freeing an address at which no live block starts.
    #[cold]
    fn stray(&self, offset: usize) -> Misuse {
        if offset >= self.room {
            Misuse::ForeignFree
        } else if self.bits.is_within(offset / GRAIN) || !offset.is_multiple_of(GRAIN) {
            Misuse::InteriorFree
        } else {
            Misuse::DoubleFree
        }
    }

    /// Returns the bytes of the live block at `start`.
    fn size_at(&self, start: usize) -> usize {
        self.bits.end_of(start / GRAIN).map_or(0, |end| end * GRAIN - start)
    }

    #[inline]
    fn at(&self, offset: usize) -> NonNull<u8> {
        // SAFETY: callers pass offsets below `room` (invariant 1).
        unsafe { self.memory.add(offset) }
    }

    /// Resizes the last block, which starts at `start`.
    fn resize_last(&self, start: usize, before: usize, after: usize) -> Result<(), AllocError> {
        let (end, new_end) = (start + before, start + after);
        if after > before {
            let room = self.room - end >= after - before;
            let cell = &self.counters.cursor;
            // Acquire, as in `bump`.
            let moved = room
                && cell
                    .compare_exchange(end, new_end, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok();
            if !moved {
                return Err(AllocError);
            }
            self.bits.move_end(end / GRAIN, new_end / GRAIN);
            return Ok(());
        }
        if self.cursor() != end {
            return Err(AllocError);
        }
        self.bits.move_end(end / GRAIN, new_end / GRAIN);
        if !self.give_up(new_end, end) {
            // Another thread has allocated after the block in the meantime.
            self.bits.move_end(new_end / GRAIN, end / GRAIN);
            return Err(AllocError);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn wrong(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        wrong_free(what, self.name, block, bytes, site)
    }
}

impl<'a> SharedFrame<'a, dyn Allocator + Sync + 'a> {
    /// Creates a frame over `region`, its bits included.
    #[must_use]
    pub fn from_region(name: &'a str, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let bytes = region.len();
        let memory = NonNull::from(region).cast();
        // SAFETY: the region is borrowed mutably for as long as the frame lives.
        unsafe { Self::over(name, memory, bytes, None) }
    }
}

/// Returns the stride of a block of `bytes` bytes.
#[inline]
const fn stride(bytes: usize) -> usize {
    // `bytes` is at most `isize::MAX`, as a layout's size is.
    let bytes = if bytes == 0 { 1 } else { bytes };
    (bytes + GRAIN - 1) & !(GRAIN - 1)
}

// SAFETY: a block is between the cursor's old and new place, and belongs to the one thread whose
// exchange moved it, so it overlaps no other; only the free of a block that ends at the cursor, or
// a reset, bring the cursor back. Nothing is changed before the exchange, the one step that can
// fail.
unsafe impl<B: Allocator + Sync + ?Sized> Allocator for SharedFrame<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let bytes = stride(layout.size());
        let start = self.bump(bytes, layout.align()).ok_or(AllocError)?;
        self.bits.set(start / GRAIN, (start + bytes) / GRAIN);
        self.counters.count_allocation(layout.size(), bytes);
        let block = self.at(start);
        mark::undefined(block, bytes);
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        if let Err(what) = self.free(block, None) {
            self.wrong(what, block, None, Location::caller());
        }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        if let Err(what) = self.free(block, Some(layout.size())) {
            self.wrong(what, block, Some(layout.size()), Location::caller());
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let start = match self.find(block) {
            Ok(start) => start,
            Err(what) => self.wrong(what, block, Some(old.size()), Location::caller()),
        };
        let (before, after) = (self.size_at(start), stride(new.size()));
        // Before any refusal: a caller that then moves the block copies the size in `old`.
        if stride(old.size()) != before {
            self.wrong(Misuse::WrongSize, block, Some(old.size()), Location::caller());
        }
        if after != before {
            self.resize_last(start, before, after)?;
            self.counters.count_resize(old.size(), new.size(), before, after);
            if after > before {
                mark::undefined(self.at(start + before), after - before);
            }
        }
        // The pointer passed in may have provenance over less than the block, so the frame's own is
        // returned.
        Ok(NonNull::slice_from_raw_parts(self.at(start), after))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.find(block).map_or(0, |start| self.size_at(start))
    }

    fn stats(&self) -> Stats {
        self.counters.stats(self.bytes)
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as an unsized backing type has no other conversion to a trait
        // object.
        self.backing.as_ref().map(|(backing, ..)| backing as &dyn Allocator)
    }

    fn owns(&self, address: *const u8) -> bool {
        address.addr().wrapping_sub(self.memory.addr().get()) < self.room
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_blocks(visit);
    }

    /// Checks the invariants that hold at every moment, also while other threads work: the place of
    /// the cursor and the order of the counters.
    fn verify(&self) -> Result<(), Damage> {
        self.verify_all()
    }
}

impl<B: Allocator + Sync + ?Sized> Drop for SharedFrame<'_, B> {
    fn drop(&mut self) {
        // The backing may touch freed memory.
        mark::undefined(self.memory, self.room);
        if let Some((backing, memory, layout)) = self.backing {
            // SAFETY: the memory was taken from this backing with this layout, and every block in
            // it ends with the frame.
            unsafe { backing.deallocate_sized(memory, layout) };
        }
    }
}
