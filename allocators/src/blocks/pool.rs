//! Blocks of one size.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where a pool is one of the
//! allocators with the common interface. Changes: blocks contain no metadata, not even the list of
//! free ones, so neither an overflow nor a write after free can corrupt the pool; one bit a block
//! distinguishes live from free, so every wrong free is found and every leak is listed.
//!
//! # Memory
//!
//! Blocks come in chunks. The address space is divided into windows of a power of two (at most the
//! size of 64 blocks and 16 KiB, for blocks of up to that size), and the blocks that start in one
//! window form a group of 32 bytes: a word with the bits of blocks that are not live, the first
//! block, a word with the bits of blocks that were never allocated, a link. A table of pointers
//! leads from a window to its group.
//!
//! ```text
//! address --shift, mask--> table --> group { idle, first, fresh, next }
//!
//! chunk   | block 0 | block 1 | .. | block n-1 | head | group 0 | group 1 | ..
//! ```
//!
//! A group costs 32 bytes and two to four pointers of the table, so 0.75 to 1 byte a block if 64 of
//! them share one. One multiplication and one rotation find the block of the group at an address:
//! the quotient is exact or larger than any index, so one comparison detects addresses outside
//! and inside; the bit detects those that are free or were never allocated.
//!
//! A block that is freed while none is held becomes the held block: its bit stays clear until it is
//! allocated again or the pool shrinks. Alternating frees and allocations therefore only read the
//! bits.
//!
//! Free blocks are used before fresh ones, so the number of blocks allocated at least once is the
//! peak, which therefore costs nothing to maintain.
//!
//! `docs/decisions/0003-pool-live-bits.md` lists the alternatives.

use core::alloc::Layout;
use core::cell::Cell;
use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::bookkeeping::mark;
use crate::bookkeeping::sites::{NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::Misuse;
use crate::contract::stats::Stats;

mod chunk;
mod free;
mod group;
mod growth;
mod index;
mod inspect;
mod options;

#[cfg(test)]
mod tests;

use chunk::{Chunk, Shape, window_shift};
pub(crate) use group::BlockSize;
use group::{Group, NOWHERE};
use index::Index;

/// The alignment that a request may have and still be compared by its size alone.
const PLAIN_ALIGN: usize = align_of::<usize>();

/// An allocator of blocks of one size, which grows by chunks from its backing.
///
/// Serves any request that is not larger and not more aligned than its block; other requests are
/// refused with [`AllocError`]. Each block has the full size of the pool's block. Live `requested`
/// is counted as granted (`exact` is false); the totals are as requested.
///
/// A double free, a free of an address outside the pool or inside a block, and a free with a size
/// larger than the block are found and reported through [`misuse`](crate::misuse()). A double free
/// is found until the block is allocated again.
///
/// The first chunk holds at least 4 blocks and about 4 KiB; each further one as much as all before
/// it together, up to about 1 MiB. When the backing refuses such a chunk, a chunk of 4 blocks is
/// tried. [`with_blocks_per_chunk`](Self::with_blocks_per_chunk) fixes the number instead. Chunks
/// without live blocks are returned by [`shrink`](Self::shrink) and when the pool is dropped, and
/// automatically with [`with_give_back`](Self::with_give_back).
///
/// # Complexity
///
/// Allocating and freeing take O(1): no list is searched and nothing is divided. Growing takes
/// O(blocks of the new chunk / 64), and O(blocks / 64) when the table doubles. If windows of
/// different chunks share a slot of the table, freeing takes O(log chunks).
///
/// # Memory
///
/// Nothing is stored in a block or between two. Groups and the table that leads to them, after the
/// blocks of each chunk, take 0.75 to 1.1 bytes a block of up to 128 bytes, of which 64 share a
/// group; larger blocks take more, 6 bytes a block of 1 KiB. A request that is smaller than the
/// block wastes the rest of it.
///
/// A growing pool has at most about as many blocks unused as it had in use at its peak, or 1 MiB of
/// them, or the first chunk; one live block keeps its chunk. The object itself is 256 bytes or
/// fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`, as also over a region; not `Sync`: for several threads use
/// [`SharedPool`](crate::SharedPool), or [`Locked`](crate::Locked) around a pool.
///
/// # When not to use it
///
/// For blocks of many sizes, which would all take the largest: use a
/// [`HeapAllocator`](crate::HeapAllocator). For blocks that are freed together: a
/// [`FrameAllocator`](crate::FrameAllocator) frees them at once.
///
/// # Panics
///
/// When dropped with live blocks, with a list of the first 16.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, PoolAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 4096];
/// let particle = Layout::new::<[f32; 8]>();
/// let pool = PoolAllocator::from_region("particles", particle, &mut memory);
/// let block = pool.allocate(particle)?.cast::<u8>();
/// assert_eq!(pool.stats().granted, 32);
/// assert_eq!(pool.allocate(Layout::new::<[f32; 9]>()), Err(AllocError));
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { pool.deallocate_sized(block, particle) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. Every chunk is in the index and on the list from `oldest`, in the order they were allocated.
/// 2. `free_groups` leads over `next` to every group with a set bit once, except those of parked
///    chunks, and to no other group but the constant one at its end.
/// 3. Only the newest chunk has blocks that were never allocated: those from `carving` on,
///    `uncarved` of them in the group itself. They are used only while no block is free.
/// 4. `carved` blocks were allocated at least once; of these `marked_total - unmarked_total` have
///    their bit set. The others are live, except `held`.
/// 5. `held` is null or a free block whose bit is clear.
/// 6. `parked` leads over `next_parked` to every parked chunk once; all blocks of those are free.
pub struct PoolAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + Sync + 'a,
    S: SiteBook = NoSites,
> {
    size: BlockSize,
    align: usize,
    /// The size of requests that are served without further checks: a block's, if blocks are
    /// aligned for a word; else one that no request has.
    plain_bytes: usize,
    window_shift: u32,
    index: Index,
    /// A freed block that is allocated next, so that a free and a following allocation need not
    /// change the bits.
    held: Cell<*mut u8>,
    free_groups: Cell<*const Group>,
    /// Allocations of a held block, of one whose bit was set, and of one never allocated before.
    // The path counts, so that a free and the allocation after it count once in all.
    unheld_total: Cell<u64>,
    unmarked_total: Cell<u64>,
    carved_total: Cell<u64>,
    /// Frees that set a bit, less the set bits of chunks that were returned.
    marked_total: Cell<u64>,
    /// By how much all requests together were smaller than their blocks.
    shortfall_total: Cell<u64>,

    carving: Cell<*const Group>,
    uncarved: Cell<usize>,
    carved: Cell<usize>,
    oldest: Cell<*const Chunk>,
    youngest: Cell<*const Chunk>,
    blocks: Cell<usize>,
    /// Peak of live blocks before the last shrink.
    peak_live: Cell<usize>,
    reserved: Cell<usize>,
    peak_reserved: Cell<usize>,
    /// Zero if chunks grow.
    blocks_per_chunk: usize,
    /// The number of frees between searches for empty chunks, as a percentage of the blocks; zero
    /// for never.
    look_percent: u32,
    /// The count of frees at the next search.
    next_look: Cell<u64>,
    /// Empty chunks whose blocks are used when no other is free.
    parked: Cell<*const Chunk>,
    name: &'a str,
    backing: Option<&'a B>,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
    sites: S,
}

// SAFETY: the raw pointers point to chunks that only this pool owns (or to constants that are never
// written), and the backing, which is shared, may be used from another thread as it is `Sync`. The
// sites must be `Send` themselves.
unsafe impl<B: Allocator + Sync + ?Sized, S: SiteBook + Send> Send for PoolAllocator<'_, B, S> {}

impl<'a> PoolAllocator<'a> {
    /// Creates a pool of blocks that can hold `layout`. Allocates nothing yet.
    ///
    /// The block's size is that of `layout`, at least one byte, rounded up to its alignment.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{AllocError, Allocator, FrameAllocator, PoolAllocator};
    ///
    /// let mut memory = [MaybeUninit::uninit(); 16 << 10];
    /// let frame = FrameAllocator::from_region("level", &mut memory);
    /// let nodes = PoolAllocator::new_in("nodes", Layout::new::<[u64; 3]>(), &frame);
    /// assert_eq!(nodes.stats().reserved, 0);
    /// let node = nodes.allocate(Layout::new::<[u64; 3]>())?;
    /// assert_eq!(node.len(), 24);
    /// // SAFETY: the block is live and not used again.
    /// unsafe { nodes.deallocate(node.cast()) };
    /// # Ok::<(), AllocError>(())
    /// ```
    #[must_use]
    pub const fn new(
        name: &'a str,
        layout: Layout,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::new_in(name, layout, backing)
    }
}

impl<'a, B: Allocator + ?Sized> PoolAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, layout: Layout, backing: &'a B) -> Self {
        Self::with(layout, name, Some(backing))
    }

    /// Keeps the site of each block allocated from now on, with [`Sites`](crate::Sites).
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> PoolAllocator<'a, B, S> {
        with_sites!(
            self,
            sites,
            PoolAllocator {
                size,
                align,
                plain_bytes,
                window_shift,
                index,
                held,
                free_groups,
                unheld_total,
                unmarked_total,
                carved_total,
                marked_total,
                shortfall_total,
                carving,
                uncarved,
                carved,
                oldest,
                youngest,
                blocks,
                peak_live,
                reserved,
                peak_reserved,
                blocks_per_chunk,
                look_percent,
                next_look,
                parked,
                name,
                backing,
                region,
            }
        )
    }

    const fn with(layout: Layout, name: &'a str, backing: Option<&'a B>) -> Self {
        let bytes = if layout.size() == 0 { 1 } else { layout.size() };
        // A layout's size rounded up to its alignment does not overflow.
        let bytes = bytes.next_multiple_of(layout.align());
        Self {
            size: BlockSize::new(bytes),
            align: layout.align(),
            plain_bytes: if layout.align() < PLAIN_ALIGN { usize::MAX } else { bytes },
            window_shift: window_shift(bytes, 0),
            index: Index::new(),
            held: Cell::new(ptr::null_mut()),
            free_groups: Cell::new(NOWHERE),
            unheld_total: Cell::new(0),
            unmarked_total: Cell::new(0),
            carved_total: Cell::new(0),
            marked_total: Cell::new(0),
            shortfall_total: Cell::new(0),
            carving: Cell::new(ptr::null()),
            uncarved: Cell::new(0),
            carved: Cell::new(0),
            oldest: Cell::new(ptr::null()),
            youngest: Cell::new(ptr::null()),
            blocks: Cell::new(0),
            peak_live: Cell::new(0),
            reserved: Cell::new(0),
            peak_reserved: Cell::new(0),
            blocks_per_chunk: 0,
            look_percent: 0,
            next_look: Cell::new(u64::MAX),
            parked: Cell::new(ptr::null()),
            name,
            backing,
            region: PhantomData,
            sites: NoSites,
        }
    }
}

impl<B: Allocator + ?Sized, S: SiteBook> PoolAllocator<'_, B, S> {
    /// Returns the layout of each block.
    #[must_use]
    pub const fn block_layout(&self) -> Layout {
        // SAFETY: `with` rounded a valid layout up to its alignment, which keeps it valid, and the
        // alignment is that layout's.
        unsafe { Layout::from_size_align_unchecked(self.size.bytes, self.align) }
    }

    /// Returns how many blocks the chunks have, live or not.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.blocks.get()
    }

    /// Returns the book of sites: with [`Sites`](crate::Sites) it knows each block's site.
    #[must_use]
    pub const fn sites(&self) -> &S {
        &self.sites
    }

    fn shape(&self) -> Shape {
        Shape {
            block_bytes: self.size.bytes,
            block_align: self.align,
            window_shift: self.window_shift,
        }
    }

    #[inline]
    fn fits(&self, layout: Layout) -> bool {
        layout.size() <= self.size.bytes && layout.align() <= self.align
    }

    #[inline]
    fn block_at(&self, group: &Group, index: usize) -> NonNull<[u8]> {
        // SAFETY: invariant 1 of `Group`: the block is within the chunk.
        let block = unsafe { group.first.add(index * self.size.bytes) };
        // SAFETY: it is within an allocation, so it is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        NonNull::slice_from_raw_parts(block, self.size.bytes)
    }

    /// Allocates a block.
    #[inline(always)]
    fn take(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let plain = layout.size() == self.plain_bytes && layout.align() <= PLAIN_ALIGN;
        // Zero for a plain request.
        let short = || (self.size.bytes - layout.size()) as u64;
        if !plain {
            if !self.fits(layout) {
                return Err(AllocError);
            }
            self.shortfall_total.set(self.shortfall_total.get() + short());
        }
        if let Some(held) = NonNull::new(self.held.replace(ptr::null_mut())) {
            self.unheld_total.set(self.unheld_total.get() + 1);
            mark::undefined(held, self.size.bytes);
            return Ok(NonNull::slice_from_raw_parts(held, self.size.bytes));
        }
        match self.take_listed() {
            Some(block) => Ok(block),
            None => self.carve().inspect_err(|_| {
                self.shortfall_total.set(self.shortfall_total.get() - short());
            }),
        }
    }

    /// Allocates a block whose bit is set, if there is one outside parked chunks.
    #[inline(always)]
    fn take_listed(&self) -> Option<NonNull<[u8]>> {
        // SAFETY: invariant 2: the constant group or one of an existing chunk.
        let group = unsafe { &*self.free_groups.get() };
        let (idle, fresh) = (group.idle.get(), group.fresh.get());
        if idle == fresh {
            return None;
        }
        // The lowest set bit is that of a free block, as the fresh ones are the highest.
        let rest = idle & idle.wrapping_sub(1);
        let next = group.next.get();
        // Without a branch, as in `mark_free`.
        self.free_groups.set(select_unpredictable(rest == fresh, next, ptr::from_ref(group)));
        group.idle.set(rest);
        self.unmarked_total.set(self.unmarked_total.get() + 1);
        let block = self.block_at(group, idle.trailing_zeros() as usize);
        mark::undefined(block.cast(), self.size.bytes);
        Some(block)
    }

    /// Returns how many free blocks have their bit set.
    fn marked(&self) -> usize {
        // This number of blocks is in memory, so the difference fits.
        (self.marked_total.get() - self.unmarked_total.get()) as usize
    }

    fn live(&self) -> usize {
        self.carved.get() - self.marked() - usize::from(!self.held.get().is_null())
    }

    fn allocations_total(&self) -> u64 {
        self.unheld_total.get() + self.unmarked_total.get() + self.carved_total.get()
    }

    fn frees_total(&self) -> u64 {
        self.allocations_total() - self.live() as u64
    }
}

impl<'a> PoolAllocator<'a, dyn Allocator + Sync + 'a> {
    /// Creates a pool whose blocks and metadata are all in `region`; it never grows.
    ///
    /// It has as many blocks as fit: none if the region is too small for one.
    #[must_use]
    pub fn from_region(name: &'a str, layout: Layout, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let pool = Self::with(layout, name, None);
        pool.settle_in(region);
        pool
    }
}

// SAFETY: a free block is the held one or has its bit set, never both (invariants 4 and 5), and
// loses that mark when it is allocated, so no two live blocks are the same; blocks of one chunk are
// `size` apart (invariants 1 and 2 of `Group`). Blocks are aligned as the chunk is and `size` is a
// multiple of the alignment. Chunks exist as long as the pool, except those without live blocks.
// Nothing is changed before the last step that can fail.
unsafe impl<B: Allocator + ?Sized, S: SiteBook> Allocator for PoolAllocator<'_, B, S> {
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
        self.free(block, Location::caller());
        self.sites.forget(block);
    }

    // Always inlined, as a call from several places costs a fifth of the whole.
    #[inline(always)]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let site = Location::caller();
        if layout.size() > self.size.bytes {
            self.wrong(Misuse::WrongSize, block, Some(layout.size()), site);
        }
        self.free(block, site);
        self.sites.forget(block);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if old.size() > self.size.bytes {
            self.wrong(Misuse::WrongSize, block, Some(old.size()), Location::caller());
        }
        if !self.fits(new) {
            return Err(AllocError);
        }
        // The pointer passed in may have provenance over less than the block, so the pool's own is
        // returned.
        match self.locate(block.addr().get()) {
            Ok((group, index)) => Ok(self.block_at(group, index)),
            Err(what) => self.wrong(what, block, None, Location::caller()),
        }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // A block of the pool is aligned for every layout that fits; no other layout is served.
        // SAFETY: the caller's promise, passed on.
        unsafe { self.resize_in_place(block, old, new) }
    }

    unsafe fn allocated_size(&self, _block: NonNull<u8>) -> usize {
        self.size.bytes
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        let (blocks, windowed) = self.blocks_wanted();
        self.shape().layout(blocks, windowed).unwrap_or(layout)
    }

    fn stats(&self) -> Stats {
        let bytes = self.size.bytes;
        let live = self.live() * bytes;
        let peak = self.peak_live.get().max(self.carved.get()) * bytes;
        let granted_total = self.allocations_total() * bytes as u64;
        Stats {
            live: self.live(),
            requested: live,
            granted: live,
            reserved: self.reserved.get(),
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: self.peak_reserved.get(),
            allocations_total: self.allocations_total(),
            requested_total: granted_total - self.shortfall_total.get(),
            granted_total,
            exact: false,
        }
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as an unsized backing type has no other conversion to a trait
        // object.
        self.backing.as_ref().map(|backing| backing as &dyn Allocator)
    }

    fn owns(&self, address: *const u8) -> bool {
        self.index.chunk_of(address.addr(), self.shape()).is_some()
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_blocks(&mut |block| {
            visit(Block { site: self.sites.site(block.address), ..block });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.verify_all()?;
        self.sites.verify(self.live())
    }
}

impl<B: Allocator + ?Sized, S: SiteBook> Drop for PoolAllocator<'_, B, S> {
    fn drop(&mut self) {
        /// Frees the memory even if the leak report unwinds, so that the backing does not report
        /// the same leak again.
        struct Release<'p, 'a, B: Allocator + ?Sized, S: SiteBook>(&'p PoolAllocator<'a, B, S>);
        impl<B: Allocator + ?Sized, S: SiteBook> Drop for Release<'_, '_, B, S> {
            fn drop(&mut self) {
                self.0.release(|_| true, false);
            }
        }
        let release = Release(self);
        leak::assert_none(release.0);
    }
}
