//! Fixed-size blocks that any thread allocates and frees without a lock, with one bit for each.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where every allocator finds
//! leaks and wrong frees. Changes: the free blocks are not a list but bits separate from the
//! blocks, which several threads change by one atomic operation each, and whose former value
//! reveals a double free.
//!
//! # Memory
//!
//! A chunk is one block of the backing. Each bit of a leaf is a block, set while it is free and was
//! allocated before. A set bit of a middle word means that its leaf may have a set bit, a set bit
//! of the root that its middle word may.
//!
//! ```text
//! | block 0 | block 1 | .. | gap | header    | middle words      | leaves        |
//!                                | with root | 1 bit for a leaf  | 1 bit a block |
//! ```
//!
//! `docs/decisions/0005-shared-pool.md` lists the alternatives.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::{self, NonNull};

use crate::blocks::pool::BlockSize;
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::threads::sync::shared::{AtomicPtr, AtomicUsize, Ordering, Turn};

mod bits;
mod chunk;
mod grow;
mod inspect;
mod place;

#[cfg(test)]
mod tests;

use bits::BITS;
use chunk::Chunk;
use place::{CHUNKS_MAX, Place, Places};

/// A pool of blocks of one size for several threads; it takes a lock only to grow.
///
/// Serves any request that is not larger and not more aligned than its block; other requests are
/// refused with [`AllocError`]. Each block has the full size of the pool's block. Live `requested`
/// is counted as granted (`exact` is false); the totals are as requested. A block may be freed by
/// another thread than allocated it.
///
/// A double free, a free of an address outside the pool or inside a block, and a free with a size
/// larger than the block are found and reported through [`misuse`](crate::misuse()): of two threads
/// that free one block at once, exactly one is reported. A double free is found until the block is
/// allocated again. The pool never touches the blocks themselves.
///
/// # Growth
///
/// The first chunk has about 4 KiB (at least 4 blocks), each further one as many blocks as all
/// before it, up to about 1 MiB at first and more as the table of 32 chunks fills;
/// [`with_blocks_per_chunk`](Self::with_blocks_per_chunk) fixes the number. When the backing
/// refuses a chunk, half of it is tried, down to 4 blocks. No chunk has more than 64 * 64 * 64
/// blocks, so a pool has at most 8 388 608 (fewer on machines of 32 bits). Growing takes a spin
/// lock, so that one thread grows while others that find no block wait for the new chunk; all other
/// threads can allocate and free meanwhile. Chunks are returned by [`shrink`](Self::shrink) and
/// when the pool is dropped.
///
/// A thread that dies or is stopped during a call blocks no other thread, unless it was growing the
/// pool.
///
/// # Refusals
///
/// A request is refused when no block stays free during the search and the pool cannot grow. A
/// block that a thread has freed before its own request is found, whatever calls of other threads
/// are in progress.
///
/// # Statistics
///
/// `requested <= granted <= reserved` holds in every result: the first two are one number. Live
/// blocks are not counted; they are the blocks that were ever allocated minus the set bits, so the
/// number is exact while no other thread works; otherwise it is off by at most the calls made
/// during the read. Blocks that were allocated before are reused first, so the number of blocks
/// ever allocated is the peak; it is too high by at most the greatest number of simultaneous calls.
///
/// # Complexity
///
/// Allocating: O(1), at most 4 levels of words and 32 chunks are read, and repeated only if other
/// threads took the block that was found, or if a search meets a word that has become empty, to
/// which it is not led again (lock-free). If nothing was found, every leaf is read before the pool
/// grows or refuses: O(blocks / 64). Freeing: O(1), repeated only if other threads change the bits
/// of the same leaf; the chunks are searched from the newest, at most 32. An allocation takes two
/// atomic read-modify-write operations (the bit and a counter of its thread's), a free one. Growing
/// takes O(blocks of the chunk / 64), and so do [`stats`](Allocator::stats) for all chunks.
///
/// A thread first checks the leaf that it used last, by allocating or freeing, and counts in one of
/// several cache lines, chosen by the address of its stack. Threads share the leaves: one cache
/// line has the bits of 512 blocks.
///
/// # Memory
///
/// Nothing is stored in a block or between two. 1 bit a block and 1/64 of that, and 80 bytes a
/// chunk, separate from the blocks: 1.7 % of blocks of 8 bytes, 0.2 % of 64 bytes. A request that
/// is smaller than the block wastes the rest of it. A growing pool has at most about as many blocks
/// unused as it had in use at its peak, or one chunk's. The pool itself has 896 bytes.
///
/// # Threads
///
/// `Send` and `Sync`. Threads whose stacks select the same line of counters share it, and so do
/// those that allocate or free blocks of one leaf; they wait for one another only to grow.
///
/// # When not to use it
///
/// For a single thread: [`PoolAllocator`](crate::PoolAllocator) does the same without atomic
/// operations, in less than half the instructions. If threads seldom contend and a short wait is
/// acceptable, [`Locked`](crate::Locked)`<PoolAllocator>` is faster: the advantage here is that no
/// thread waits for another, nor for one that was interrupted. For blocks of many sizes: `Locked`
/// over a heap.
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
/// use loligo_allocators::{AllocError, Allocator, SharedPool};
///
/// let mut memory = [MaybeUninit::uninit(); 4096];
/// let job = Layout::new::<[u64; 4]>();
/// let jobs = SharedPool::from_region("jobs", job, &mut memory);
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let block = jobs.allocate(job)?.cast::<u8>();
///             // SAFETY: the block is live, has this layout, and is not used again.
///             unsafe { jobs.deallocate_sized(block, job) };
///             Ok::<(), AllocError>(())
///         });
///     }
/// });
/// assert_eq!((jobs.stats().live, jobs.stats().allocations_total), (0, 2));
/// ```
///
/// # Invariants
///
/// 1. The first `count` entries of `chunks` point to chunks that exist while the pool is not
///    borrowed mutably; they do not change meanwhile. `count` and entries are written by the thread
///    that holds the growth lock, or through `&mut self`.
/// 2. A block whose bit is clear was never allocated, is live, or is being allocated or freed by
///    one thread. Fresh blocks are allocated in order, by a count of the chunk that only grows.
/// 3. `reserved` is the bytes of all chunks, or of the region.
pub struct SharedPool<'a, B: Allocator + Sync + ?Sized = dyn Allocator + Sync + 'a> {
    chunks: [AtomicPtr<Chunk>; CHUNKS_MAX],
    count: AtomicUsize,
    reserved: AtomicUsize,
    peak_reserved: AtomicUsize,
    capacity: AtomicUsize,
    size: BlockSize,
    align: usize,
    blocks_max: usize,
    /// Zero if chunks grow.
    blocks_per_chunk: usize,
    name: &'a str,
    backing: Option<&'a B>,
    region: PhantomData<&'a mut [MaybeUninit<u8>]>,
    growing: Turn,
    /// The most live blocks before the last shrink.
    peak_live: AtomicUsize,
    places: Places,
}

impl<'a> SharedPool<'a> {
    /// Creates a pool of blocks that can hold `layout`. Allocates nothing yet.
    ///
    /// The block's size is that of `layout`, at least one byte, rounded up to its alignment.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use loligo_allocators::{AllocError, Allocator, PageAllocator, SharedPool};
    ///
    /// static PAGES: PageAllocator = PageAllocator::new("pages");
    /// static NODES: SharedPool = SharedPool::new("nodes", Layout::new::<[u64; 3]>(), &PAGES);
    /// let node = NODES.allocate(Layout::new::<[u64; 3]>())?;
    /// assert_eq!(node.len(), 24);
    /// // SAFETY: the block is live and not used again.
    /// unsafe { NODES.deallocate(node.cast()) };
    /// # Ok::<(), AllocError>(())
    /// ```
    #[cfg(not(all(test, loom)))]
    #[must_use]
    pub const fn new(
        name: &'a str,
        layout: Layout,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::new_in(name, layout, backing)
    }

    /// Creates a pool. The model checker's atomics have no `const` constructor.
    #[cfg(all(test, loom))]
    #[must_use]
    pub fn new(name: &'a str, layout: Layout, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(name, layout, backing)
    }
}

impl<'a, B: Allocator + Sync + ?Sized> SharedPool<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[cfg(not(all(test, loom)))]
    #[must_use]
    pub const fn new_in(name: &'a str, layout: Layout, backing: &'a B) -> Self {
        Self::with(layout, name, Some(backing))
    }

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[cfg(all(test, loom))]
    #[must_use]
    pub fn new_in(name: &'a str, layout: Layout, backing: &'a B) -> Self {
        Self::with(layout, name, Some(backing))
    }

    /// Fixes the number of blocks in each chunk, from 1 on; 0 means the default, growing chunks.
    /// The pool then has at most 32 times as many blocks.
    #[must_use]
    pub const fn with_blocks_per_chunk(mut self, blocks: usize) -> Self {
        self.blocks_per_chunk = blocks;
        self
    }

    /// Refuses to grow beyond `blocks` blocks in total.
    #[must_use]
    pub const fn with_blocks_max(mut self, blocks: usize) -> Self {
        self.blocks_max = blocks;
        self
    }

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
        // Relaxed: a number for display.
        self.capacity.load(Ordering::Relaxed)
    }

    #[cfg(not(all(test, loom)))]
    const fn with(layout: Layout, name: &'a str, backing: Option<&'a B>) -> Self {
        Self {
            chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS_MAX],
            count: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            capacity: AtomicUsize::new(0),
            size: block_size(layout),
            align: layout.align(),
            blocks_max: usize::MAX,
            blocks_per_chunk: 0,
            name,
            backing,
            region: PhantomData,
            growing: Turn::new(),
            peak_live: AtomicUsize::new(0),
            places: Places::new(),
        }
    }

    #[cfg(all(test, loom))]
    fn with(layout: Layout, name: &'a str, backing: Option<&'a B>) -> Self {
        Self {
            chunks: core::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            count: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            peak_reserved: AtomicUsize::new(0),
            capacity: AtomicUsize::new(0),
            size: block_size(layout),
            align: layout.align(),
            blocks_max: usize::MAX,
            blocks_per_chunk: 0,
            name,
            backing,
            region: PhantomData,
            growing: Turn::new(),
            peak_live: AtomicUsize::new(0),
            places: Places::new(),
        }
    }

    #[inline]
    fn fits(&self, layout: Layout) -> bool {
        layout.size() <= self.size.bytes && layout.align() <= self.align
    }

    /// Returns the number of chunks.
    #[inline]
    fn count(&self) -> usize {
        // Acquire pairs with the Release in `publish`: the entries and their chunks are visible.
        self.count.load(Ordering::Acquire)
    }

    /// Returns the chunk `index`, which is below a `count` that this thread has read, or from a
    /// place.
    #[inline]
    fn chunk(&self, index: usize) -> &Chunk {
        // Relaxed: written before either was (invariant 1).
        let chunk = self.chunks[index % CHUNKS_MAX].load(Ordering::Relaxed);
        // SAFETY: invariant 1: it exists while the pool is borrowed.
        unsafe { &*chunk }
    }

    /// Takes a free block of the leaf that this thread used last.
    #[inline]
    fn take_near(&self, place: &Place) -> Option<NonNull<u8>> {
        let (index, leaf) = place.near()?;
        // The place has made the chunk visible.
        let chunk = self.chunk(index);
        chunk.take_at(leaf).map(|found| self.block_at(chunk, found))
    }

    /// Takes a free block from anywhere, preferably one that was allocated before.
    #[inline(never)]
    fn take_far(&self, place: &Place) -> Option<NonNull<u8>> {
        let count = self.count();
        // The last used chunk, from its leaf on; then the newest ones, which are the largest.
        let (near, leaf) = place.near().unwrap_or((count, 0));
        let others = (0..count).rev().map(|index| (index, 0));
        let taken = (near < count)
            .then_some((near, leaf))
            .into_iter()
            .chain(others)
            .find_map(|(index, start)| Some((index, self.chunk(index).take(start)?)));
        // Fresh blocks last, so that the number of used blocks equals the peak of live ones.
        let carved =
            || (0..count).rev().find_map(|index| Some((index, self.chunk(index).carve()?)));
        // Calls in progress may hide free blocks from the upper levels, never from the leaves.
        let any = || (0..count).find_map(|index| Some((index, self.chunk(index).take_any()?)));
        let (index, found) = taken.or_else(carved).or_else(any)?;
        place.remember(index, found / BITS);
        Some(self.block_at(self.chunk(index), found))
    }

    #[inline]
    fn block_at(&self, chunk: &Chunk, index: usize) -> NonNull<u8> {
        // SAFETY: invariant 1 of `Chunk`: the block is within the chunk.
        unsafe { chunk.first.add(index * self.size.bytes) }
    }

    /// Counts an allocated block and returns it.
    #[inline]
    fn give_out(&self, place: &Place, block: NonNull<u8>, requested: usize) -> NonNull<[u8]> {
        place.count(requested, self.size.bytes);
        mark::undefined(block, self.size.bytes);
        NonNull::slice_from_raw_parts(block, self.size.bytes)
    }

    /// Returns the index of the chunk in which an already allocated block starts at `address`, the
    /// chunk, and the index of the block.
    #[inline]
    fn locate(&self, address: usize) -> Option<(usize, &Chunk, usize)> {
        (0..self.count()).rev().find_map(|number| {
            let chunk = self.chunk(number);
            let index = self.size.index_of(address.wrapping_sub(chunk.first.addr().get()));
            (index < chunk.carved()).then_some((number, chunk, index))
        })
    }

    /// Frees a block, or returns the misuse.
    #[inline]
    fn give_back(&self, block: NonNull<u8>) -> Result<(), Misuse> {
        let Some((number, chunk, index)) = self.locate(block.addr().get()) else {
            return Err(self.stray(block));
        };
        // Before the bit is set, as another thread may get the block right after. If it is already
        // free, this changes nothing.
        mark::no_access(self.block_at(chunk, index), self.size.bytes);
        if !chunk.put(index) {
            return Err(Misuse::DoubleFree);
        }
        // The thread's next block is then this one, or a neighbour.
        self.places.own().remember(number, index / BITS);
        Ok(())
    }

    /// Returns the misuse of an address at which no allocated block ever started.
    #[cold]
    fn stray(&self, block: NonNull<u8>) -> Misuse {
        let address = block.addr().get();
        let is_inside = (0..self.count()).map(|index| self.chunk(index)).any(|chunk| {
            let offset = address.wrapping_sub(chunk.first.addr().get());
            let in_blocks = offset < chunk.blocks * self.size.bytes;
            in_blocks && !offset.is_multiple_of(self.size.bytes)
        });
        if is_inside { Misuse::InteriorFree } else { Misuse::ForeignFree }
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

impl<'a> SharedPool<'a, dyn Allocator + Sync + 'a> {
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

const fn block_size(layout: Layout) -> BlockSize {
    let bytes = if layout.size() == 0 { 1 } else { layout.size() };
    // A layout's size rounded up to its alignment does not overflow.
    BlockSize::new(bytes.next_multiple_of(layout.align()))
}

// SAFETY: a block is returned by the one thread whose operation clears its bit, and not again until
// the bit is set (invariant 2), so no two live blocks are the same; blocks of one chunk are `size`
// apart. Blocks are aligned as the chunk is and `size` is a multiple of the alignment. Chunks exist
// while the pool is shared. Nothing is changed before the last step that can fail.
unsafe impl<B: Allocator + Sync + ?Sized> Allocator for SharedPool<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if !self.fits(layout) {
            return Err(AllocError);
        }
        let place = self.places.own();
        let block = match self.take_near(place) {
            Some(block) => block,
            None => self.take_or_grow(place)?,
        };
        Ok(self.give_out(place, block, layout.size()))
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        if let Err(what) = self.give_back(block) {
            self.wrong(what, block, None, Location::caller());
        }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > self.size.bytes {
            self.wrong(Misuse::WrongSize, block, Some(layout.size()), Location::caller());
        }
        if let Err(what) = self.give_back(block) {
            self.wrong(what, block, None, Location::caller());
        }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        if old.size() > self.size.bytes {
            self.wrong(Misuse::WrongSize, block, Some(old.size()), site);
        }
        if !self.fits(new) {
            return Err(AllocError);
        }
        let Some((_, chunk, index)) = self.locate(block.addr().get()) else {
            self.wrong(self.stray(block), block, None, site);
        };
        if chunk.is_free(index) {
            self.wrong(Misuse::DoubleFree, block, None, site);
        }
        // The pointer passed in may have provenance over less than the block, so the pool's own is
        // returned.
        Ok(NonNull::slice_from_raw_parts(self.block_at(chunk, index), self.size.bytes))
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
        self.chunk_layout().unwrap_or(layout)
    }

    fn stats(&self) -> Stats {
        self.counted()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        // Through a reference, as an unsized backing type has no other conversion to a trait
        // object.
        self.backing.as_ref().map(|backing| backing as &dyn Allocator)
    }

    fn budget(&self) -> Option<usize> {
        (self.blocks_max != usize::MAX).then(|| self.blocks_max.saturating_mul(self.size.bytes))
    }

    fn owns(&self, address: *const u8) -> bool {
        (0..self.count()).map(|index| self.chunk(index)).any(|chunk| {
            let offset = address.addr().wrapping_sub(chunk.first.addr().get());
            offset < chunk.blocks * self.size.bytes
        })
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.walk_blocks(visit);
    }

    /// Checks the invariants that hold at every moment, also while other threads work: the bits
    /// beyond the blocks, the places of the chunks, and the order of the counters.
    fn verify(&self) -> Result<(), Damage> {
        self.verify_all()
    }
}

impl<B: Allocator + Sync + ?Sized> Drop for SharedPool<'_, B> {
    fn drop(&mut self) {
        /// Frees the memory even if the leak report unwinds, so that the backing does not report
        /// the same leak again.
        struct Release<'p, 'a, B: Allocator + Sync + ?Sized>(&'p mut SharedPool<'a, B>);
        impl<B: Allocator + Sync + ?Sized> Drop for Release<'_, '_, B> {
            fn drop(&mut self) {
                // The backing may touch freed memory.
                for index in 0..self.0.count() {
                    self.0.chunk(index).open();
                }
                self.0.release(|_| true);
            }
        }
        let release = Release(self);
        leak::assert_none(&*release.0);
    }
}
