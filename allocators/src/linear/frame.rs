//! Memory for blocks that are freed together: a cursor that moves up through a region.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where the frame allocator too
//! knows the size of each block. Changes: the sizes are in a table separate from the blocks, so a
//! wrong free is found; the last block grows, shrinks and is freed in place; resetting and scopes
//! borrow the frame mutably, so the compiler ensures that no container is in use; a frame can grow
//! by chunks, which it keeps; values that are never freed singly have no records. Such an allocator
//! is also called a linear or bump allocator, or an arena.
//!
//! # Memory
//!
//! ```text
//! memory                     cursor      table                       ground
//! | block | block | gap | block | free .. | record n | .. | record 0 | ground | dead bits |
//! ```
//!
//! Blocks have their requested size, rounded up to 8. A record of 8 bytes, start and size,
//! describes a run of adjacent blocks of one size, so a million equal blocks need one, and a block
//! of another size than the previous one costs 8 bytes. If an alignment above 8 skips bytes, the
//! gap gets a record too, so that freeing recovers them. The dead bits, one for each 8 bytes of the
//! region (1/64 of it), are touched only when a block is freed out of order.
//!
//! Values of [`Arena`](crate::Arena) that follow one another are a span: one block with one record,
//! which ends where the next record starts.
//!
//! A growing frame has such a region in each chunk, after a header. The state of the chunk in use
//! is in the frame itself, so that a frame that grows allocates by the same instructions as one
//! that does not.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::bookkeeping::sites::{self, NoSites, SiteBook, with_sites, wrong_free_beside};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::Misuse;
use crate::contract::stats::Stats;

mod chunk;
mod cursor;
mod growing;
mod growth;
mod inspect;
mod record;
mod scope;
mod span;

#[cfg(test)]
mod tests;

use chunk::Chunk;
use growth::Growth;
use record::Record;
pub use scope::{FrameMark, FrameScope};
use span::{CLOSED, NOWHERE};

/// An allocator that moves a cursor through a region: one of a fixed size, or
/// [growing](Self::growing) chunks.
///
/// Freeing the last block returns its memory at once, together with that of already freed blocks
/// just before it. Freeing any other block marks it dead: its memory is recovered when every later
/// block is freed, or by [`reset`](Self::reset). Only the last block changes its size in place.
///
/// The methods of [`Arena`](crate::Arena) put values and slices into the frame and return plain
/// references to them, without unsafe code. Values, texts and copied slices that follow one another
/// are one block to [`stats`](Allocator::stats) and [`walk`](Allocator::walk), which grows in place
/// by each of them and by the bytes between them; it is no block to free.
///
/// All blocks are aligned to `MIN_ALIGN`, which is 8 unless
/// [`with_min_align`](Self::with_min_align) raises it.
///
/// Sizes are exact: `granted` equals `requested` (a size of zero counts as one), and bytes skipped
/// by rounding and alignment count only as reserved. A block that grows in place raises the totals
/// by its growth.
///
/// A double free (of a dead block, or of an address after the last block), a foreign free, an
/// interior free and a wrong size are found and reported through [`misuse`](crate::misuse()).
///
/// A frame uses at most 4 GiB less one byte of a region or chunk. Dropping it silently releases
/// remaining blocks; [`assert_empty`](Self::assert_empty) panics if there are any.
///
/// # Complexity
///
/// Allocating, and freeing or resizing the last block: O(1) (freeing: amortised, as it also
/// releases the dead blocks before it). Freeing another block: O(chunks + log runs). A further
/// chunk is a call of the backing, the first time that it is needed; the number of chunks is
/// logarithmic up to 64 MiB each.
///
/// # Memory
///
/// Up to 7 bytes a block are lost to rounding, plus the bytes that an alignment above 8 skips.
/// Records at the region's end take 8 bytes for each run of blocks of one size (8 a block in the
/// worst case, if no two neighbours have equal sizes), and the dead bits after them 1/64 of the
/// region. Memory freed out of order is recovered with the blocks after it: one live block holds
/// all memory freed below it, in the worst case the whole region. A growing frame loses what is
/// left of a chunk when a block does not fit, and the header: 80 bytes, 160 in the first chunk. The
/// object itself is 200 bytes or fewer.
///
/// # Threads
///
/// `Send` if the backing is `Sync`, as also over a region; not `Sync`. Each thread has its own, or
/// all share a [`SharedFrame`](crate::SharedFrame).
///
/// # When not to use it
///
/// For blocks that outlive the others: they hold the memory freed below them. If blocks are freed
/// in the order of their allocation, a [`ScratchAllocator`](crate::ScratchAllocator) reuses their
/// memory; if in any order, a [`HeapAllocator`](crate::HeapAllocator).
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
/// While a container that borrows the frame exists, the frame can neither be reset nor open a
/// scope, so such a container cannot grow inside a scope and lose that memory at its end:
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
/// outer.grow()?; // would be in the scope and outlive it
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
/// 1. Of each chunk: `table` points to the newest record, or to the ground if there is none. After
///    it are the records of ever older runs and gaps and then the ground.
/// 2. Runs and gaps are contiguous, from `memory` to `cursor`, in the order of their records;
///    `cursor` is at or before `table`, and both are multiples of 8.
/// 3. A run has at least one block, a span at least one value. The newest record is not a gap, and
///    the last block is not dead.
/// 4. `odd` counts the gaps and the dead blocks; each dead block's bit is set and no other bit.
/// 5. While no span is open, `allocations_total - frees_total` blocks are live and have
///    `allocated_total - freed_total` bytes, which were never more than `peak` before the last
///    free.
/// 6. `quick` is the address `peak` bytes after the start of the chunk in use, less the bytes that
///    older chunks used, if `odd` is zero and no span is open; else zero. (Live bytes are at most
///    the bytes below the cursor, so below `quick` there can be no new peak.)
/// 7. `span_end` is `CLOSED` and `span` is `NOWHERE`, or the span is open: `span` is after at least
///    one value and at most at `span_end`, the table, and `cursor` is at the table. Then invariant
///    2 holds with `span` for `cursor`, and the bytes from `span_from` to `span` are not counted
///    yet.
/// 8. `growth` is null, or the backing's block begins with a `Growth` and is the first chunk.
pub struct FrameAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + Sync + 'a,
    S: SiteBook = NoSites,
    const MIN_ALIGN: usize = 8,
> {
    /// The chunk in use; the only one if the frame does not grow.
    chunk: Chunk<MIN_ALIGN>,
    /// While the cursor's address is not above this, freeing the last block only moves it back.
    quick: Cell<usize>,
    /// Where the next value of the open span is placed, and the address at which the room ends.
    span: Cell<NonNull<u8>>,
    span_end: Cell<usize>,
    /// The cursor when the span was opened.
    span_from: Cell<NonNull<u8>>,
    /// Bytes allocated since the frame was created.
    allocated_total: Cell<u64>,
    /// Bytes freed since then.
    freed_total: Cell<u64>,
    allocations_total: Cell<u64>,
    frees_total: Cell<u64>,

    /// The most bytes that were live before a free.
    peak: Cell<u64>,
    /// Null if the frame does not grow.
    growth: *const Growth<MIN_ALIGN>,
    bytes: usize,
    name: &'a str,
    /// The backing that owns the memory, and its start and layout.
    backing: Option<(&'a B, NonNull<u8>, Layout)>,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
    sites: S,
}

// SAFETY: the raw pointers point into the region that only this frame uses (or to a constant that
// is only read), and the backing, which is shared, may be used from another thread as it is `Sync`.
// The sites must be `Send` themselves.
unsafe impl<B: Allocator + Sync + ?Sized, S: SiteBook + Send, const MIN_ALIGN: usize> Send
    for FrameAllocator<'_, B, S, MIN_ALIGN>
{
}

impl<'a> FrameAllocator<'a> {
    /// Creates a frame of `bytes` bytes, table and dead bits included, allocated from `backing`.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
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

impl<'a, B: Allocator + ?Sized> FrameAllocator<'a, B> {
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
}

impl<'a, B: Allocator + ?Sized, const MIN_ALIGN: usize> FrameAllocator<'a, B, NoSites, MIN_ALIGN> {
    /// Keeps the site of each block allocated from now on, with [`Sites`](crate::Sites).
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> FrameAllocator<'a, B, S, MIN_ALIGN> {
        with_sites!(
            self,
            sites,
            FrameAllocator {
                chunk,
                quick,
                span,
                span_end,
                span_from,
                allocated_total,
                freed_total,
                allocations_total,
                frees_total,
                peak,
                growth,
                bytes,
                name,
                backing,
                region,
            }
        )
    }

    /// # Safety
    ///
    /// `memory` is valid for `bytes` bytes for as long as the frame exists, and used by no other
    /// code.
    pub(crate) unsafe fn over(
        name: &'a str,
        memory: NonNull<u8>,
        bytes: usize,
        backing: Option<(&'a B, NonNull<u8>, Layout)>,
    ) -> Self {
        // SAFETY: the caller's promise, passed on.
        let chunk = unsafe { Chunk::over(memory, bytes) };
        let memory = chunk.memory.get();
        Self {
            chunk,
            quick: Cell::new(memory.addr().get()),
            span: Cell::new(NOWHERE),
            span_end: Cell::new(CLOSED),
            span_from: Cell::new(memory),
            allocated_total: Cell::new(0),
            freed_total: Cell::new(0),
            allocations_total: Cell::new(0),
            frees_total: Cell::new(0),
            peak: Cell::new(0),
            growth: ptr::null(),
            bytes,
            name,
            backing,
            region: PhantomData,
            sites: NoSites,
        }
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize>
    FrameAllocator<'_, B, S, MIN_ALIGN>
{
    /// Returns the book of sites: with [`Sites`](crate::Sites) it knows each block's site.
    #[must_use]
    pub const fn sites(&self) -> &S {
        &self.sites
    }

    /// Frees everything at once. A growing frame keeps its chunks.
    ///
    /// # Complexity
    ///
    /// O(1) and O(chunks used), and a pass over the table of sites if they are kept.
    pub fn reset(&mut self) {
        self.close_span();
        while self.step_back() {}
        self.chunk.clear();
        self.count_freed(self.live_bytes());
        self.frees_total.set(self.allocations_total.get());
        self.sites.clear();
    }

    /// Returns how many bytes are between the last block and the table. A block of another size
    /// than the last takes 8 of them for its record. A growing frame has more.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.close_span();
        self.chunk.room()
    }

    /// Checks that no block is left.
    ///
    /// # Panics
    ///
    /// If there are live blocks, with a list of the first 16.
    pub fn assert_empty(&self) {
        leak::assert_none(self);
    }

    /// Returns the chunk that owns a block, or else the one in use. Closes the span.
    fn chunk_with(&self, block: NonNull<u8>) -> &Chunk<MIN_ALIGN> {
        self.close_span();
        self.older_with(block).unwrap_or(&self.chunk)
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
        wrong_free_beside(&self.sites, what, self.name, block, bytes, site)
    }
}

impl<'a> FrameAllocator<'a, dyn Allocator + Sync + 'a> {
    /// Creates a frame over `region`, including its table.
    #[must_use]
    pub fn from_region(name: &'a str, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let bytes = region.len();
        let memory = NonNull::from(region).cast();
        // SAFETY: the region is borrowed mutably for as long as the frame lives.
        unsafe { Self::over(name, memory, bytes, None) }
    }
}

// SAFETY: a block is between the cursor and the table, and the cursor moves past it, so it overlaps
// no other; only frees of the last block, a reset, or a rewind by its contract bring the cursor
// back. Nothing is changed before the one check that can fail.
unsafe impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize> Allocator
    for FrameAllocator<'_, B, S, MIN_ALIGN>
{
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            let site = Location::caller();
            self.sites.reserve(1, site)?;
            let block = self.take(layout)?;
            self.sites.note(block.cast(), site);
            return Ok(block);
        }
        self.take(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.free(block, None, Location::caller());
        self.sites.forget(block);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.free(block, Some(layout.size()), Location::caller());
        self.sites.forget(block);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (before, bytes) = (old.size().max(1), new.size().max(1));
        let chunk = self.chunk_with(block);
        let found = match chunk.find(block) {
            Ok(found) => found,
            Err(what) => {
                self.wrong(self.seen(what, block), block, Some(before), Location::caller());
            }
        };
        // Before any refusal: a caller that then moves the block copies the size in `old`.
        if before != found.bytes() {
            self.wrong(Misuse::WrongSize, block, Some(before), Location::caller());
        }
        if bytes != found.bytes() {
            if !ptr::eq(chunk, &raw const self.chunk) {
                return Err(AllocError);
            }
            self.resize_last(block, found, bytes)?;
        }
        // The pointer passed in may have provenance over less than the block, so the frame's own is
        // returned.
        let block = chunk.at(chunk.offset_of(block));
        Ok(NonNull::slice_from_raw_parts(block, bytes))
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        unsafe { sites::reallocate(self, &self.sites, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.chunk_with(block).find(block).map_or(0, Record::bytes)
    }

    fn stats(&self) -> Stats {
        self.close_span();
        let growth = self.growth();
        let live = self.live_bytes() as usize;
        let peak = self.peak.get().max(self.live_bytes()) as usize;
        Stats {
            live: (self.allocations_total.get() - self.frees_total.get()) as usize,
            requested: live,
            granted: live,
            reserved: growth.map_or(self.bytes, Growth::reserved),
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: growth.map_or(self.bytes, Growth::peak_reserved),
            allocations_total: self.allocations_total.get(),
            requested_total: self.allocated_total.get(),
            granted_total: self.allocated_total.get(),
            exact: true,
        }
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
        self.chunk.owns(address) || self.other_owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_blocks(&mut |block| {
            visit(Block { site: self.sites.site(block.address), ..block });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.verify_all()?;
        self.sites.verify(self.stats().live)
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, const MIN_ALIGN: usize> Drop
    for FrameAllocator<'_, B, S, MIN_ALIGN>
{
    fn drop(&mut self) {
        self.release_all();
    }
}
