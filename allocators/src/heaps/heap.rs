//! The general-purpose allocator.
//!
//! The article is Niklas Frykholm, "Custom Memory Allocation in C++" (2010), for its place among
//! the others; the inside is our own: `docs/decisions/0001-heap.md` says why it is as it is.

#[cfg(test)]
pub(crate) mod tests;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::sites::{self, NoSites, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;
use crate::heaps::size_class_heap::GrowingHeap;
use crate::heaps::size_classes::{HeapClasses, SizeClasses};

/// What a heap over a backing asks for first, by default.
const REGION_BYTES: usize = 64 << 20;

/// A general-purpose allocator: any size, any alignment, over one fixed region or growing from a
/// backing allocator.
///
/// Blocks up to 496 bytes are in pages of one size class, larger ones in a two-level segregated
/// fit; of these, blocks up to 8 KiB are in slabs of one class where many of a class come and go.
/// A slab that becomes sparse dissolves into blocks of the segregated fit where it is. A bit a
/// granule of 16 bytes, apart from the blocks, says what is live, so every double, foreign and
/// interior free is found until the block is given out again. Of the allocator's own words only the
/// 8-byte headers of pages and of blocks over 496 bytes are between blocks, and the links of free
/// ones in them; both are checked before they are believed: a header states its place as well as a
/// size.
///
/// # Complexity
///
/// Every operation is bounded by a constant, apart from what the backing does: a small block costs
/// a handful of instructions on three cache lines; refilling reads one page's 32 bytes of bits, and
/// at most 8 mixed and 8 sparse pages and one front before new memory is taken (64 sparse pages and
/// all fronts before a request is refused); a large one touches at most ten lines (itself, two
/// neighbours, two list heads, four list neighbours, the bits). A block of a slab of a middle size
/// costs about what a small one does; before new memory is taken, at most 8 slabs are looked at and
/// one is dissolved, which writes the headers of at most 31 blocks (64 slabs before a request is
/// refused). A block of another region than the last is looked for, by halves where there are more
/// than 16. The first use of a page clears its 33 bytes of tables.
///
/// # Memory
///
/// ```text
/// region  | blocks of 4 KiB pages and of the segregated fit, 8-byte headers between | tables, 1.4 % |
/// ```
///
/// A block of up to 496 bytes has nothing before it, a larger one 8 bytes. Small blocks are
/// rounded to the next of 23 classes, which wastes at most 15 bytes up to 240 and 47 above; at
/// an alignment of 32 to 128, to a class that is a multiple of it, which wastes at most 255. Large
/// ones are rounded to 16 bytes: at most 15, and the header. The classes are a type parameter: see
/// [`SizeClasses`](crate::SizeClasses). A page serves one class (or a few,
/// where they are sparse), so one live block can hold 4 KiB; fronts hold at most 8 KiB a class, and
/// 32 KiB where blocks are larger than 2 KiB. Tables take 1.4 % of the region, and of one of 64 KiB
/// an eighth. The object itself is about 30 KiB and allocates nothing until the first request.
///
/// In regions of 4 MiB and more, blocks of 497 to 8 192 bytes are rounded to the next of 66 classes
/// (at most a 16th) where a slab's worth of a class was freed while four slabs' worth is live.
/// A slab has 2 to 32 pages and 8 to 31 slots; a quarter of a class may be free slots when one
/// is opened, and slabs dissolve when more than a quarter of them all is free and new memory is
/// needed.
///
/// A heap over a backing takes regions of 64 MiB (half of what is refused, doubling afterwards),
/// which over a [`PageAllocator`](crate::PageAllocator) are address space until they are touched.
/// A region that becomes empty goes back at once if another is empty, and [`shrink`](Self::shrink)
/// gives all empty ones back, and with them the memory of long free runs in the others.
/// [`decay`](Self::decay) does the latter a little at a time, for what has been free for a while, and
/// so does the heap itself before it takes another region. A block of at least 16 MiB for which the regions have no room is the
/// backing's: it goes back when it is freed, grows as the backing lets it (pages without a copy),
/// and zeros that are fresh are not written again. There are at most 4 096 regions and such blocks
/// at a time; above 16 they take a table of at least 1 KiB from the backing, until few are left and
/// [`shrink`](Self::shrink) is called.
///
/// | memory that is free | goes back |
/// |---|---|
/// | a block of the backing | when it is freed |
/// | a region, while another is empty | when its last block is freed |
/// | the last empty region, the table of regions | by `shrink` |
/// | a run of 64 KiB and more, in pieces of 16 KiB | by `decay`, after 64 looks; before a new region |
/// | the whole of such a run, and half of its pages' tables | by `shrink` |
/// | slots in fronts, sparse slabs | by `shrink`, as parts of runs |
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`. To share it wrap it in
/// [`Locked`](crate::Locked), a few instructions more for each call and a wait where threads meet.
///
/// # When not to use it
///
/// For many blocks of one size a [`PoolAllocator`](crate::PoolAllocator) is leaner, for blocks that
/// die together a [`FrameAllocator`](crate::FrameAllocator) is faster.
///
/// # Panics
///
/// Dropping it with live blocks panics with their number, bytes and the first 16.
///
/// # Examples
///
/// ```
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{Allocator, HeapAllocator, Make};
///
/// let mut memory = vec![MaybeUninit::uninit(); 64 * 1024];
/// let heap = HeapAllocator::from_region("level", &mut memory);
/// let score = heap.create(42_u32)?;
/// assert_eq!(heap.stats().live, 1);
/// // SAFETY: `score` was just made and is deleted once.
/// unsafe { heap.destroy(score) };
/// assert_eq!(heap.stats().granted, 0);
/// # Ok::<(), loligo_allocators::AllocError>(())
/// ```
///
/// The backing cannot go first:
///
/// ```compile_fail,E0597
/// use core::mem::MaybeUninit;
/// use loligo_allocators::HeapAllocator;
///
/// let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
/// let above = {
///     let below = HeapAllocator::from_region("below", &mut memory);
///     HeapAllocator::with_region_bytes_in("above", 64 << 10, &below)
/// };
/// drop(above);
/// ```
pub struct HeapAllocator<
    'a,
    B: Allocator + ?Sized = dyn Allocator + Sync + 'a,
    S: SiteBook = NoSites,
    C: SizeClasses = HeapClasses,
> {
    growing: GrowingHeap<'a, B, C>,
    sites: S,
}

impl<'a> HeapAllocator<'a> {
    /// Makes a heap in a fixed region, which never grows.
    ///
    /// A region too small for one page with its tables (about 12 KiB) refuses every request.
    #[must_use]
    pub fn from_region(name: &'a str, region: &'a mut [MaybeUninit<u8>]) -> Self {
        let memory = NonNull::from(region);
        // SAFETY: the region is borrowed for as long as the heap lives.
        let growing = unsafe { GrowingHeap::fixed(name, memory.cast(), memory.len()) };
        Self { growing, sites: NoSites }
    }

    /// Makes a heap that takes regions from `backing` as it needs them, the first of 64 MiB or as
    /// much as it can get. Takes nothing yet.
    ///
    /// `backing` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(name, backing)
    }

    /// Makes a heap whose first region has about `bytes` bytes, 64 KiB at the least; each further
    /// one is twice as large.
    ///
    /// `backing` must be `Sync`; [`with_region_bytes_in`](Self::with_region_bytes_in) takes any allocator.
    #[must_use]
    pub const fn with_region_bytes(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::with_region_bytes_in(name, bytes, backing)
    }

    /// Makes a heap that takes one region of `bytes` bytes now and never another.
    ///
    /// `backing` must be `Sync`; [`fixed_in`](Self::fixed_in) takes any allocator.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the backing refuses it or it cannot hold one page.
    pub fn fixed(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Result<Self, AllocError> {
        Self::fixed_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized> HeapAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self::with_region_bytes_in(name, REGION_BYTES, backing)
    }

    /// As [`with_region_bytes`](Self::with_region_bytes), and keeps the type of the allocator, so
    /// that its calls are direct.
    #[must_use]
    pub const fn with_region_bytes_in(name: &'a str, bytes: usize, backing: &'a B) -> Self {
        Self::with_classes_in(name, bytes, backing)
    }

    /// As [`fixed`](Self::fixed), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`fixed`](Self::fixed).
    pub fn fixed_in(name: &'a str, bytes: usize, backing: &'a B) -> Result<Self, AllocError> {
        let heap = Self::with_region_bytes_in(name, bytes, backing);
        heap.growing.take_only(bytes)?;
        Ok(heap)
    }
}

impl<'a, C: SizeClasses> HeapAllocator<'a, dyn Allocator + Sync + 'a, NoSites, C> {
    /// Makes a heap of the classes `C`, its first region as in
    /// [`with_region_bytes`](HeapAllocator::with_region_bytes).
    ///
    /// `backing` must be `Sync`; [`with_classes_in`](Self::with_classes_in) takes any allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use loligo_allocators::{
    ///     Allocator, ClassTable, HeapAllocator, NoSites, PageAllocator, SizeClasses,
    /// };
    ///
    /// /// Nodes of two sizes, and buffers of up to 20 KiB that come and go.
    /// struct Few;
    ///
    /// impl SizeClasses for Few {
    ///     const TABLE: &'static ClassTable = &ClassTable::new(&[32, 96, 20 << 10]);
    /// }
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap: HeapAllocator<'_, _, NoSites, Few> =
    ///     HeapAllocator::with_classes("few", 8 << 20, &pages);
    /// let node = heap.allocate(Layout::new::<[u64; 5]>())?;
    /// assert_eq!(node.len(), 96);
    /// // SAFETY: the block is live.
    /// unsafe { heap.deallocate(node.cast()) };
    /// # Ok::<(), loligo_allocators::AllocError>(())
    /// ```
    #[must_use]
    pub const fn with_classes(
        name: &'a str,
        bytes: usize,
        backing: &'a (dyn Allocator + Sync + 'a),
    ) -> Self {
        Self::with_classes_in(name, bytes, backing)
    }
}

impl<'a, B: Allocator + ?Sized, C: SizeClasses> HeapAllocator<'a, B, NoSites, C> {
    /// As [`with_classes`](Self::with_classes), and keeps the type of the allocator, so that its
    /// calls are direct.
    #[must_use]
    pub const fn with_classes_in(name: &'a str, bytes: usize, backing: &'a B) -> Self {
        Self { growing: GrowingHeap::growing(name, backing, bytes), sites: NoSites }
    }

    /// Keeps the site of each block handed out from now on, with [`Sites`](crate::Sites).
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> HeapAllocator<'a, B, S, C> {
        with_sites!(self, sites, HeapAllocator { growing })
    }
}

impl<'a, B: Allocator + ?Sized, S: SiteBook, C: SizeClasses> HeapAllocator<'a, B, S, C> {
    /// Gives a heap that was made by [`from_region`](HeapAllocator::from_region) one more region,
    /// which need not be near the first: the memory that a boot loader lists, the rest of a level's
    /// file. A block is in one region, so none is larger than what the largest has free.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the heap takes its regions from a backing, if the region cannot hold one
    /// page with its tables (about 12 KiB), or if there are 4 096.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{Allocator, HeapAllocator};
    ///
    /// let mut low = vec![MaybeUninit::uninit(); 64 << 10];
    /// let mut high = vec![MaybeUninit::uninit(); 256 << 10];
    /// let heap = HeapAllocator::from_region("machine", &mut low);
    /// let large = Layout::new::<[u64; 20_000]>();
    /// assert!(heap.allocate(large).is_err());
    /// heap.add_region(&mut high)?;
    /// let block = heap.allocate(large)?;
    /// // SAFETY: the block is live.
    /// unsafe { heap.deallocate(block.cast()) };
    /// # Ok::<(), loligo_allocators::AllocError>(())
    /// ```
    pub fn add_region(&self, region: &'a mut [MaybeUninit<u8>]) -> Result<(), AllocError> {
        let memory = NonNull::from(region);
        // SAFETY: the region is borrowed for as long as the heap lives.
        unsafe { self.growing.lend(memory.cast(), memory.len()) }
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, C: SizeClasses> HeapAllocator<'_, B, S, C> {
    /// Returns the book of sites: with [`Sites`](crate::Sites) it says who asked for a block.
    #[must_use]
    pub const fn sites(&self) -> &S {
        &self.sites
    }

    /// Gives every region without a live block back to the backing, and of the other regions the
    /// memory of free runs of 64 KiB and more, by [`discard`](Allocator::discard). Empties the
    /// fronts and dissolves sparse slabs, so the next few requests are slower; the first writes to
    /// memory that went back take it from the system again.
    ///
    /// # Complexity
    ///
    /// O(classes + regions + sparse slabs + free runs of 64 KiB and more), and a call of the
    /// backing for each region and each run, also for a run that the last call gave back.
    pub fn shrink(&self) {
        self.growing.shrink();
    }

    /// Gives old free memory back to the system, a little a call; returns its bytes. For a call
    /// once a frame or tick.
    ///
    /// A call looks at free runs of 64 KiB and more, and gives their memory back by
    /// [`discard`](Allocator::discard), in pieces of 16 KiB, where 64 looks found it free and
    /// nothing in it was freed between them. So memory that is taken and freed each frame stays,
    /// and what went back is not given back again before it was used. A call looks at about 64
    /// runs; where there are more, the next call goes on with those after them, and 64 looks take
    /// more calls. It empties no front, dissolves no slab and gives no region back, as
    /// [`shrink`](Self::shrink) does.
    ///
    /// # Complexity
    ///
    /// At most 64 runs, and those of one bin (whose sizes differ by less than a 32nd) after them; a
    /// byte for each 16 KiB of these; and at most 4 MiB given back.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{Allocator, HeapAllocator, Make, PageAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new_in("level", &pages);
    /// let level = heap.create([1_u8; 1 << 20])?;
    /// // SAFETY: `level` was just made and is deleted once.
    /// unsafe { heap.destroy(level) };
    /// let bytes: usize = (0..64).map(|_frame| heap.decay()).sum();
    /// assert!(bytes > 900 << 10);
    /// # Ok::<(), loligo_allocators::AllocError>(())
    /// ```
    pub fn decay(&self) -> usize {
        self.growing.decay()
    }
}

// SAFETY: blocks are slots or core blocks of regions that belong to this heap; the size-class
// heap's invariants keep them apart, and an error changes nothing but what is kept for speed.
unsafe impl<B: Allocator + ?Sized, S: SiteBook, C: SizeClasses> Allocator
    for HeapAllocator<'_, B, S, C>
{
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            let site = Location::caller();
            self.sites.reserve(1, site)?;
            let block = self.growing.allocate(layout)?;
            self.sites.note(block.cast(), site);
            return Ok(block);
        }
        self.growing.allocate(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            let site = Location::caller();
            self.sites.reserve(1, site)?;
            let block = self.growing.allocate_zeroed(layout)?;
            self.sites.note(block.cast(), site);
            return Ok(block);
        }
        self.growing.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.growing.deallocate(block, 0);
        self.sites.forget(block);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.growing.deallocate(block, layout.size());
        self.sites.forget(block);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.growing.resize(block, old, new)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(moved) = self.growing.resize_huge(block, old, new, true) {
            let site = self.sites.site(block);
            self.sites.moved(block, moved.cast(), site);
            return Ok(moved);
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { sites::reallocate(self, &self.sites, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.growing.allocated_size(block)
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.growing.discard(part) }
    }

    fn stats(&self) -> Stats {
        self.growing.stats()
    }

    fn name(&self) -> &str {
        self.growing.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.growing.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.growing.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.growing.walk(&mut |block| {
            visit(Block { site: self.sites.site(block.address), ..block });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.growing.verify()?;
        self.sites.verify(self.growing.stats().live)
    }
}

impl<B: Allocator + ?Sized, S: SiteBook, C: SizeClasses> Drop for HeapAllocator<'_, B, S, C> {
    fn drop(&mut self) {
        struct GiveBack<'h, 'a, B: Allocator + ?Sized, S: SiteBook, C: SizeClasses>(
            &'h HeapAllocator<'a, B, S, C>,
        );
        impl<B: Allocator + ?Sized, S: SiteBook, C: SizeClasses> Drop for GiveBack<'_, '_, B, S, C> {
            fn drop(&mut self) {
                self.0.growing.give_all();
            }
        }
        let heap = &*self;
        // The regions go back also when the report panics.
        let _give_back = GiveBack(heap);
        leak::assert_none(heap);
    }
}
