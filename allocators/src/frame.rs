//! Memory for what dies together: a cursor that moves up through a region.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), which asks that the frame
//! allocator too knows the size of each block. Changes: the sizes lie in a table apart from the
//! blocks, so a wrong free is found; the last block grows, shrinks and is freed in place; resetting and
//! scopes borrow the frame mutably, so the compiler keeps them from pulling memory away under a
//! container. Others call such an allocator linear, or a bump allocator.
//!
//! # Memory
//!
//! ```text
//! memory                          cursor         table                   end
//! | block 0 | block 1 | .. | block n | free .. | record n | .. | record 0 | ground |
//! ```
//!
//! A record takes 8 bytes: offset and size. Blocks are as long as asked (a size of zero is taken as
//! one) and lie as close as their alignment allows.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::allocator::{AllocError, Allocator, Block, Damage};
use crate::leak;
use crate::misuse::{Misuse, Report, misuse};
use crate::stats::Stats;

mod inspect;
mod record;
mod scope;

#[cfg(test)]
mod tests;

use record::Record;
pub use scope::{FrameMark, FrameScope};

/// The record under all others, for frames whose region is too small for one of their own.
static GROUND: Record = Record::GROUND;

/// An allocator that moves a cursor through a fixed region.
///
/// Freeing the last block gives its memory back at once, and with it that of the blocks before it
/// which were freed earlier. Freeing any other block marks it dead: its memory comes back when every
/// block behind it is freed, or by [`reset`](Self::reset). The last block also grows and shrinks in
/// place; any block shrinks in place.
///
/// Sizes are exact: `granted` equals `requested`, and what alignment skips counts as reserved alone.
///
/// A double free (of a dead block, or of an address behind the last block), a foreign free, an
/// interior free and a wrong size are found and reported through [`misuse`](crate::misuse()).
///
/// A frame uses at most 4 GiB less one byte of its region. Dropping it releases what is left without
/// complaint; [`assert_empty`](Self::assert_empty) complains.
///
/// # Complexity
///
/// Allocating, and freeing or resizing the last block: O(1) (freeing: amortised, as it takes the dead
/// before it along). Freeing or resizing another block: O(log blocks).
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, FrameAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 1024];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// for _ in 0..1000 {
///     let visible = frame.allocate(Layout::new::<[u32; 100]>())?;
///     assert_eq!(visible.len(), 400);
///     frame.reset();
/// }
/// assert_eq!(frame.stats().peak_granted, 400);
/// # Ok::<(), AllocError>(())
/// ```
///
/// While a container that borrows the frame is alive, the frame can be neither reset nor opened for
/// a scope, so such a container cannot grow inside a scope and be cut off at its end:
///
/// ```
/// # use core::{alloc::Layout, mem::MaybeUninit, ptr::NonNull};
/// # use loligo_allocators::{AllocError, Allocator, FrameAllocator};
/// # struct Bytes<'f> { frame: &'f dyn Allocator, block: NonNull<u8>, len: usize }
/// # impl<'f> Bytes<'f> {
/// #     fn new_in(frame: &'f dyn Allocator) -> Result<Self, AllocError> {
/// #         Ok(Self { frame, block: frame.allocate(Layout::new::<u8>())?.cast(), len: 1 })
/// #     }
/// #     fn grow(&mut self) -> Result<(), AllocError> {
/// #         let [old, new] = [self.len, self.len * 2].map(|len| Layout::array::<u8>(len).unwrap());
/// #         // SAFETY: the block is live and has the old layout.
/// #         self.block = unsafe { self.frame.reallocate(self.block, old, new)? }.cast();
/// #         self.len *= 2;
/// #         Ok(())
/// #     }
/// # }
/// # let mut memory = [MaybeUninit::uninit(); 1024];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let mut outer = Bytes::new_in(&frame)?;
/// outer.grow()?; // the last use of `outer`, so the scope may open
/// let scope = frame.scope();
/// let mut inner = Bytes::new_in(&*scope)?;
/// inner.grow()?;
/// # Ok::<(), AllocError>(())
/// ```
///
/// ```compile_fail,E0502
/// # use core::{alloc::Layout, mem::MaybeUninit, ptr::NonNull};
/// # use loligo_allocators::{AllocError, Allocator, FrameAllocator};
/// # struct Bytes<'f> { frame: &'f dyn Allocator, block: NonNull<u8>, len: usize }
/// # impl<'f> Bytes<'f> {
/// #     fn new_in(frame: &'f dyn Allocator) -> Result<Self, AllocError> {
/// #         Ok(Self { frame, block: frame.allocate(Layout::new::<u8>())?.cast(), len: 1 })
/// #     }
/// #     fn grow(&mut self) -> Result<(), AllocError> {
/// #         let [old, new] = [self.len, self.len * 2].map(|len| Layout::array::<u8>(len).unwrap());
/// #         // SAFETY: the block is live and has the old layout.
/// #         self.block = unsafe { self.frame.reallocate(self.block, old, new)? }.cast();
/// #         self.len *= 2;
/// #         Ok(())
/// #     }
/// # }
/// # let mut memory = [MaybeUninit::uninit(); 1024];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let mut outer = Bytes::new_in(&frame)?;
/// let scope = frame.scope();
/// outer.grow()?; // would lie in the scope and outlive it
/// # Ok::<(), AllocError>(())
/// ```
///
/// ```compile_fail,E0502
/// # use core::{alloc::Layout, mem::MaybeUninit};
/// # use loligo_allocators::{Allocator, FrameAllocator};
/// # let mut memory = [MaybeUninit::uninit(); 1024];
/// let mut frame = FrameAllocator::from_region("frame", &mut memory);
/// let user: &dyn Allocator = &frame;
/// frame.reset(); // while `user` still borrows it
/// let _ = user.allocate(Layout::new::<u8>());
/// ```
///
/// # Invariants
///
/// 1. `table` points to the record of the last block, or to the ground where there is none. Up from
///    it lie the records of ever older blocks and then the ground.
/// 2. Blocks lie one behind the other from `memory` on, in the order of their records, and end at or
///    before `cursor`, which is at or before `table`. `cursor` is the end of the last block.
/// 3. The last block is not dead. `dead` counts the dead ones.
/// 4. The live blocks have `allocated_total - freed_total` bytes.
pub struct FrameAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    memory: NonNull<u8>,
    cursor: Cell<NonNull<u8>>,
    table: Cell<*mut Record>,
    /// Bytes given out since the frame was made.
    allocated_total: Cell<u64>,
    /// Bytes taken back since.
    freed_total: Cell<u64>,
    peak_live_bytes: Cell<u64>,
    /// Blocks whose record is gone.
    retired: Cell<u64>,
    dead: Cell<usize>,

    ground: *mut Record,
    bytes: usize,
    name: &'a str,
    /// Who lent the memory, and its layout.
    backing: Option<(&'a B, Layout)>,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
}

// SAFETY: the raw pointers lead into the region that this frame alone uses (or to a constant that is
// only read), and the backing, which is shared, may be used from another thread as it is `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized> Send for FrameAllocator<'_, B> {}

impl<'a, B: Allocator + ?Sized> FrameAllocator<'a, B> {
    /// Makes a frame of `bytes` bytes, its table included, taken from `backing`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing refuses, or `bytes` is too large for a layout.
    pub fn new(name: &'a str, bytes: usize, backing: &'a B) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, align_of::<u128>()).map_err(|_| AllocError)?;
        let memory = backing.allocate(layout)?.cast();
        // SAFETY: the block was just taken, has so many bytes and belongs to the frame alone.
        Ok(unsafe { Self::over(name, memory, bytes, Some((backing, layout))) })
    }

    /// Frees everything at once.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn reset(&mut self) {
        self.count_freed(self.live_bytes());
        self.retired.set(self.retired.get() + self.records() as u64);
        self.dead.set(0);
        self.table.set(self.ground);
        self.cursor.set(self.memory);
    }

    /// Returns how many bytes lie between the last block and the table.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.room()
    }

    /// Checks that nothing is left.
    ///
    /// # Panics
    ///
    /// If there are live blocks, with a list of the first 16.
    pub fn assert_empty(&self) {
        leak::assert_none(self);
    }

    /// # Safety
    ///
    /// `memory` is valid for `bytes` bytes for as long as the frame lives, and used by nobody else.
    unsafe fn over(
        name: &'a str,
        memory: NonNull<u8>,
        bytes: usize,
        backing: Option<(&'a B, Layout)>,
    ) -> Self {
        let used = bytes.min(u32::MAX as usize);
        // SAFETY: `used` is at most the length of the memory.
        let end = unsafe { memory.add(used) };
        let above = end.addr().get() % align_of::<Record>() + size_of::<Record>();
        let (memory, ground) = if above <= used {
            // SAFETY: `above` is at most `used`, so this lies within the memory.
            let ground = unsafe { end.sub(above) }.cast::<Record>();
            // SAFETY: a record fits between here and the end, and the address is a multiple of 8.
            unsafe { ground.write(Record::GROUND) };
            (memory, ground)
        } else {
            // Cursor and table at one address: no room for anything.
            let ground = NonNull::from(&GROUND);
            (ground.cast(), ground)
        };
        Self {
            memory,
            cursor: Cell::new(memory),
            table: Cell::new(ground.as_ptr()),
            allocated_total: Cell::new(0),
            freed_total: Cell::new(0),
            peak_live_bytes: Cell::new(0),
            retired: Cell::new(0),
            dead: Cell::new(0),
            ground: ground.as_ptr(),
            bytes,
            name,
            backing,
            region: PhantomData,
        }
    }

    #[inline]
    fn room(&self) -> usize {
        // Invariant 2: the cursor is not behind the table.
        self.table.get().addr() - self.cursor.get().addr().get()
    }

    /// Returns the number of records, dead ones included.
    fn records(&self) -> usize {
        (self.ground.addr() - self.table.get().addr()) / size_of::<Record>()
    }

    #[inline]
    fn last(&self) -> Record {
        // SAFETY: invariant 1: a record or the ground.
        unsafe { self.table.get().read() }
    }

    #[inline]
    fn offset_of(&self, block: NonNull<u8>) -> usize {
        block.addr().get().wrapping_sub(self.memory.addr().get())
    }

    #[inline]
    fn at(&self, offset: usize) -> NonNull<u8> {
        // SAFETY: callers pass offsets of records, which lie within the memory (invariant 2).
        unsafe { self.memory.add(offset) }
    }

    #[inline]
    fn live_bytes(&self) -> u64 {
        self.allocated_total.get() - self.freed_total.get()
    }

    #[inline]
    fn count_freed(&self, bytes: u64) {
        // The live bytes peak just before some are freed, so allocating need not look.
        let live = self.live_bytes();
        if live > self.peak_live_bytes.get() {
            self.peak_live_bytes.set(live);
        }
        self.freed_total.set(self.freed_total.get() + bytes);
    }

    /// Frees the last block, which is `record`.
    #[inline]
    fn pop(&self, record: Record) {
        self.count_freed(record.bytes() as u64);
        self.retired.set(self.retired.get() + 1);
        // SAFETY: invariant 1: above a record lies another or the ground.
        self.table.set(unsafe { self.table.get().add(1) });
        if self.last().is_dead() {
            self.pop_dead();
        }
        self.cursor.set(self.at(self.last().end()));
    }

    #[cold]
    #[inline(never)]
    fn pop_dead(&self) {
        while self.last().is_dead() {
            self.dead.set(self.dead.get() - 1);
            self.retired.set(self.retired.get() + 1);
            // SAFETY: the ground is not dead, so this was a record and another or the ground follows.
            self.table.set(unsafe { self.table.get().add(1) });
        }
    }

    /// Frees a block that is not the last, or says what is wrong.
    #[inline(never)]
    fn free_other(
        &self,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) {
        let (place, record) = match self.find(block) {
            Ok(found) => found,
            Err(what) => self.wrong(what, block, bytes, site),
        };
        if record.is_dead() {
            self.wrong(Misuse::DoubleFree, block, bytes, site);
        }
        if bytes.is_some_and(|bytes| bytes != record.bytes()) {
            self.wrong(Misuse::WrongSize, block, bytes, site);
        }
        if ptr::eq(place, self.table.get()) {
            return self.pop(record);
        }
        self.count_freed(record.bytes() as u64);
        self.dead.set(self.dead.get() + 1);
        // SAFETY: `find` returns the place of a record.
        unsafe { place.write(record.dead()) };
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
        misuse(&Report {
            misuse: what,
            allocator: self.name,
            address: block.as_ptr(),
            bytes,
            site: Some(site),
        })
    }
}

impl<'a> FrameAllocator<'a, dyn Allocator + Sync + 'a> {
    /// Makes a frame over `region`, its table included.
    #[must_use]
    pub fn from_region(name: &'a str, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let bytes = region.len();
        let memory = NonNull::from(region).cast();
        // SAFETY: the region is borrowed mutably for as long as the frame lives.
        unsafe { Self::over(name, memory, bytes, None) }
    }
}

// SAFETY: a block lies between the cursor and the table, and the cursor moves behind it, so it
// overlaps no other; only frees of the last block, a reset, or a rewind by its contract bring the
// cursor back. Nothing is changed before the one check that can fail.
unsafe impl<B: Allocator + ?Sized> Allocator for FrameAllocator<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let bytes = layout.size().max(1);
        let cursor = self.cursor.get();
        let padding = cursor.addr().get().wrapping_neg() & (layout.align() - 1);
        // A size rounded up to its alignment is at most `isize::MAX`, so the sum does not overflow.
        if padding + bytes + size_of::<Record>() > self.room() {
            return Err(AllocError);
        }
        // SAFETY: padding and size lie below the table, so within the memory.
        let block = unsafe { cursor.add(padding) };
        // SAFETY: there is room for the record too; see above.
        let table = unsafe { self.table.get().sub(1) };
        // SAFETY: as above, and the table is aligned.
        unsafe { table.write(Record::new(self.offset_of(block), bytes)) };
        self.table.set(table);
        // SAFETY: the block's end lies at or below the table.
        self.cursor.set(unsafe { block.add(bytes) });
        self.allocated_total
            .set(self.allocated_total.get() + bytes as u64);
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let last = self.last();
        if last.offset() == self.offset_of(block) {
            self.pop(last);
        } else {
            self.free_other(block, None, Location::caller());
        }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let bytes = layout.size().max(1);
        let last = self.last();
        if last.offset() == self.offset_of(block) && last.bytes() == bytes {
            self.pop(last);
        } else {
            self.free_other(block, Some(bytes), Location::caller());
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        _old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let bytes = new.size().max(1);
        let (place, record) = match self.find(block) {
            Ok((place, record)) if !record.is_dead() => (place, record),
            Ok(_) => self.wrong(Misuse::DoubleFree, block, None, Location::caller()),
            Err(what) => self.wrong(what, block, None, Location::caller()),
        };
        let is_last = ptr::eq(place, self.table.get());
        let most = if is_last {
            record.bytes() + self.room()
        } else {
            // SAFETY: it is not the last, so a younger record lies below.
            let younger = unsafe { place.sub(1).read() };
            younger.offset() - record.offset()
        };
        if bytes > most {
            return Err(AllocError);
        }
        if bytes > record.bytes() {
            let more = (bytes - record.bytes()) as u64;
            self.allocated_total.set(self.allocated_total.get() + more);
        } else {
            self.count_freed((record.bytes() - bytes) as u64);
        }
        let record = Record::new(record.offset(), bytes);
        // SAFETY: `find` returns the place of a record.
        unsafe { place.write(record) };
        if is_last {
            self.cursor.set(self.at(record.end()));
        }
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.find(block).map_or(0, |(_, record)| record.bytes())
    }

    fn stats(&self) -> Stats {
        let live = self.live_bytes() as usize;
        let peak = self.peak_live_bytes.get().max(self.live_bytes()) as usize;
        Stats {
            live: self.records() - self.dead.get(),
            requested: live,
            granted: live,
            reserved: self.bytes,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: self.bytes,
            allocations_total: self.retired.get() + self.records() as u64,
            requested_total: self.allocated_total.get(),
            granted_total: self.allocated_total.get(),
            exact: true,
        }
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as a backing type without a size has no other way to a trait object.
        self.backing
            .as_ref()
            .map(|(backing, _)| backing as &dyn Allocator)
    }

    fn owns(&self, address: *const u8) -> bool {
        let offset = address.addr().wrapping_sub(self.memory.addr().get());
        offset < self.ground.addr() - self.memory.addr().get()
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_blocks(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.verify_all()
    }
}

impl<B: Allocator + ?Sized> Drop for FrameAllocator<'_, B> {
    fn drop(&mut self) {
        if let Some((backing, layout)) = self.backing {
            // SAFETY: the memory was taken from this backing with this layout, and every block in it
            // ends with the frame.
            unsafe { backing.deallocate_sized(self.memory, layout) };
        }
    }
}
