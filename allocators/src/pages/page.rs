//! Virtual memory: whole pages from the system.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where a page allocator is below
//! all others. Changes: sizes and addresses are in a table separate from the pages, so a page holds
//! only the caller's bytes and a wrong free is found; address space can be reserved and committed
//! in parts; the kernel's refusals are errors.

mod closed;
mod entry;
mod mapping;
mod page_map;
mod reservation;
mod resize;
mod state;
#[cfg(not(test))]
pub(crate) mod system;
// The same calls, which tests can make fail.
#[cfg(test)]
#[path = "page/watched_system.rs"]
pub(crate) mod system;
mod table;

// They look at the mappings of the process as Linux shows them; `system/tests.rs` runs everywhere.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use core::alloc::Layout;
use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use self::entry::{Entry, Kind, requested};
use self::mapping::{Refused, fresh};
pub use self::reservation::Reservation;
use self::state::{HUGE_BYTES, Request, State};
use self::system::Access;
use crate::bookkeeping::mark;
use crate::bookkeeping::sites::{NoSites, Site, SiteBook, with_sites};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::threads::sync::SpinCell;

/// Allocates whole pages of virtual memory, each block a mapping of the kernel.
///
/// Linux, other Unix systems such as macOS, and Windows; elsewhere the type does not exist, and the
/// compiler reports that it was configured out. [`FromGlobal`](crate::FromGlobal) is a backing for
/// the rest.
///
/// What Linux alone has is done without elsewhere: a block that grows is copied, huge pages are not
/// requested, and on Windows a block that shrinks stays whole.
///
/// 4 096 bytes take exactly one page of 4 KiB: there is no header. Fresh pages read as zero, so
/// [`allocate_zeroed`](Allocator::allocate_zeroed) costs nothing more. A block moves only on
/// request; [`reallocate`](Allocator::reallocate) moves it by its page tables, without copying.
/// Freed pages go back to the kernel at once. Any thread may call it; a spin lock guards the table,
/// never a system call that may take long.
///
/// Every refusal of the kernel is returned as [`AllocError`]: memory that runs out, and also its
/// limit of mappings (`vm.max_map_count`, 65 530 by default), which blocks with gaps between them
/// use up. At that limit it also refuses to unmap pages in the middle of a mapping; then their
/// memory is released, the addresses are kept for later blocks, and they count as reserved until
/// they can be unmapped.
///
/// `resize_in_place` and `reallocate` count as a block freed and a block allocated in the totals.
///
/// # Misuse
///
/// A free of an address that is not a live block is always found, and so is a wrong size or
/// alignment. A double free is distinguished from a foreign one by the last 64 freed addresses; an
/// older one is reported as foreign. Through `allocator-api2` and `GlobalAlloc` the site in a
/// report is a line of that library.
///
/// # Complexity
///
/// Of n blocks: O(log n) and moving at most one page of table entries, in addition to the system
/// calls: one for allocating and one for freeing up to page alignment, at most 6 for allocating at
/// a greater one, and one to ask for huge pages.
///
/// # Memory
///
/// Whole pages: a block wastes less than a page, at most 4 095 bytes (a block of one byte), and
/// nothing at a multiple of a page; an alignment above a page costs no memory. The allocator itself
/// is about 700 bytes. Its table takes 16 to 64 bytes a block in separate pages, which
/// [`overhead_bytes`](Self::overhead_bytes) counts and [`Stats::reserved`] does not.
///
/// # Threads
///
/// `Send` and `Sync`; with [`Sites`](crate::Sites) where the allocator for books is. Threads wait
/// for one another only while one of them reads or changes the table, O(log n), and not during a
/// system call that may take long.
///
/// # When not to use it
///
/// For small blocks: one byte takes a page and two system calls, where a
/// [`HeapAllocator`](crate::HeapAllocator) over the pages takes 16 bytes and no system call. For
/// very many live blocks, which reach the kernel's limit of mappings.
///
/// # Panics
///
/// Dropping it with live blocks or forgotten reservations.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, PageAllocator};
///
/// static PAGES: PageAllocator = PageAllocator::new("pages");
///
/// let layout = Layout::from_size_align(100_000, 8).unwrap();
/// let block = PAGES.allocate(layout)?;
/// assert_eq!(block.len() % PageAllocator::page_size(), 0);
/// assert_eq!(PAGES.stats().requested, 100_000);
/// // SAFETY: the block was just allocated with this layout and is freed once.
/// unsafe { PAGES.deallocate_sized(block.cast(), layout) };
/// assert_eq!(PAGES.stats().reserved, 0);
/// # Ok::<(), AllocError>(())
/// ```
pub struct PageAllocator<S: SiteBook = NoSites> {
    pages: Pages,
    /// Under a separate lock, which is never held together with that of the pages: it is held while
    /// the books are called, and they may call the system.
    sites: SpinCell<S>,
}

/// The allocator without its sites.
struct Pages {
    name: &'static str,
    huge: bool,
    state: SpinCell<State>,
}

impl PageAllocator {
    /// Creates an allocator; it allocates nothing yet.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let pages = Pages { name, huge: false, state: SpinCell::new(State::new()) };
        Self { pages, sites: SpinCell::new(NoSites) }
    }

    /// Returns the size of a page in bytes: 4 096 on most machines.
    #[must_use]
    pub fn page_size() -> usize {
        system::page_size()
    }

    /// Keeps the site of each block allocated from now on, with [`Sites`](crate::Sites).
    /// [`walk`](Allocator::walk) and leak reports show them. Their table has a separate lock;
    /// threads that allocate or free wait for it, also while it grows.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{PageAllocator, Sites};
    ///
    /// static BOOKS: PageAllocator = PageAllocator::new("books");
    /// static PAGES: PageAllocator<Sites<'static>> =
    ///     PageAllocator::new("pages").with_sites(Sites::new(&BOOKS));
    /// ```
    #[must_use]
    pub const fn with_sites<S: SiteBook>(self, sites: S) -> PageAllocator<S> {
        with_sites!(self, SpinCell::new(sites), PageAllocator { pages })
    }
}

impl<S: SiteBook> PageAllocator<S> {
    /// Requests huge pages: blocks and reservations of at least 2 MiB are aligned to 2 MiB and
    /// advised with `MADV_HUGEPAGE`. A kernel without them uses small pages.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::PageAllocator;
    ///
    /// static BIG: PageAllocator = PageAllocator::new("big").with_huge_pages();
    /// ```
    #[must_use]
    pub const fn with_huge_pages(self) -> Self {
        // Not `Self { huge: true, ..self }`: a const function cannot move fields out of a type with
        // a destructor.
        let mut this = self;
        this.pages.huge = true;
        this
    }

    /// Returns how many bytes are readable and writable now: the blocks, and the committed parts of
    /// reservations.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn committed_bytes(&self) -> usize {
        self.pages.committed_bytes()
    }

    /// Returns how many bytes the allocator has mapped for its own bookkeeping.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.pages.overhead_bytes()
    }

    /// Reserves address space without memory, at least `bytes` in whole pages, aligned to `align`.
    ///
    /// # Complexity
    ///
    /// As an allocation. 2 bits a page of bookkeeping, touched only where the range is.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no such range of addresses, or the kernel refuses.
    ///
    /// # Panics
    ///
    /// If `align` is not a power of two.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{AllocError, PageAllocator};
    ///
    /// let pages = PageAllocator::new("pages");
    /// // A gigabyte of addresses, of which the first 64 KiB become memory.
    /// let arena = pages.reserve(1 << 30, 4096)?;
    /// let start = arena.commit(0..64 << 10)?;
    /// assert_eq!(start.len(), 64 << 10);
    /// assert_eq!(pages.committed_bytes(), 64 << 10);
    /// drop(arena);
    /// assert_eq!(pages.stats().reserved, 0);
    /// # use loligo_allocators::Allocator;
    /// # Ok::<(), AllocError>(())
    /// ```
    pub fn reserve(&self, bytes: usize, align: usize) -> Result<Reservation<'_>, AllocError> {
        assert!(
            align.is_power_of_two(),
            "the alignment of a reservation is a power of two, not {align}"
        );
        let layout = Layout::from_size_align(bytes, align).map_err(|_| AllocError)?;
        Reservation::new(&self.pages, Request::new(layout, self.pages.huge)?)
    }

    /// Allocates a block and records its site.
    fn allocate_noting(&self, layout: Layout, site: Site) -> Result<NonNull<[u8]>, AllocError> {
        self.sites.with(|sites| sites.reserve_slot(site))?;
        let block = self.pages.allocate(layout);
        self.sites.with(|sites| match block {
            Ok(block) => sites.commit(block.cast(), site),
            Err(AllocError) => sites.cancel(),
        });
        block
    }

    /// Forgets the site of a block that is about to be freed: afterwards another thread may get its
    /// address.
    #[track_caller]
    fn forget(&self, block: NonNull<u8>, layout: Option<Layout>) {
        if S::KEEPS {
            self.pages.expect(block, layout);
            self.sites.with(|sites| sites.forget(block));
        }
    }
}

impl Pages {
    #[inline(always)]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let request = Request::new(layout, self.huge)?;
        self.state.with(|state| state.table.reserve_slot())?;
        let entry = match self.map(request, Access::ReadWrite) {
            Ok(address) => {
                let entry = Entry::block(address, layout);
                self.state.with(|state| state.enter(entry));
                entry
            }
            Err(AllocError) => self.allocate_anyway(layout, request)?,
        };
        Ok(entry.slice())
    }

    #[track_caller]
    fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let entry = self.expect(block, Some(old));
        if new.align() > old.align() {
            return Err(AllocError);
        }
        self.resize_here(entry, new)
    }

    /// Maps fresh pages with a reserved slot, which the caller keeps unless this fails.
    fn map(&self, request: Request, access: Access) -> Result<NonNull<u8>, AllocError> {
        match fresh(request, access) {
            Ok(address) => Ok(address),
            Err(refused) => {
                self.refused(refused);
                Err(AllocError)
            }
        }
    }

    #[cold]
    fn refused(&self, refused: Refused) {
        if let Refused::Stranded { address, bytes } = refused {
            self.state.with(|state| state.park(address, bytes));
        }
    }

    /// Serves a request that the kernel has refused from parked ranges, or unmaps those and retries
    /// once. Uses the reserved slot or cancels it.
    #[cold]
    fn allocate_anyway(&self, layout: Layout, request: Request) -> Result<Entry, AllocError> {
        let Request { bytes, grain, .. } = request;
        let (reused, swept) = self.state.with(|state| {
            let reused = state.reuse(layout, bytes, grain);
            (reused, reused.is_none() && state.sweep())
        });
        if let Some(entry) = reused {
            return Ok(entry);
        }
        let again = if swept { self.map(request, Access::ReadWrite) } else { Err(AllocError) };
        self.state.with(|state| match again {
            Ok(address) => {
                let entry = Entry::block(address, layout);
                state.enter(entry);
                Ok(entry)
            }
            Err(error) => {
                state.table.cancel();
                Err(error)
            }
        })
    }

    #[track_caller]
    fn free(&self, block: NonNull<u8>, layout: Option<Layout>) {
        let site = Location::caller();
        let taken = self.state.with(|state| state.take(block.addr().get(), layout));
        match taken {
            Ok((entry, sweep)) => {
                // Other mappings may be placed here, or a block that is cut from parked pages.
                let (address, bytes) = (entry.address(), entry.mapped());
                mark::defined(address, bytes);
                // SAFETY: the entry is out of the table, so this is the only one to unmap its
                // pages; the caller of the free promised that they are not used.
                unsafe { self.release(address, bytes) };
                if sweep {
                    self.state.with(|state| state.sweep());
                }
            }
            Err(what) => self.report(what, block, layout.map(|layout| layout.size()), site),
        }
    }

    /// Returns pages to the kernel, or parks them if it refuses.
    ///
    /// # Safety
    ///
    /// The pages are the allocator's, no longer in its table, and not used.
    unsafe fn release(&self, address: NonNull<u8>, bytes: usize) {
        // SAFETY: as promised by the caller.
        if unsafe { system::unmap(address, bytes) }.is_err() {
            // SAFETY: as promised by the caller.
            unsafe { self.park(address, bytes) };
        }
    }

    /// # Safety
    ///
    /// As [`release`](Self::release).
    #[cold]
    unsafe fn park(&self, address: NonNull<u8>, bytes: usize) {
        // SAFETY: as promised by the caller.
        let discarded = unsafe { system::discard(address, bytes, Access::None) };
        if discarded.is_err() {
            // The memory of locked pages cannot be released; a block cut from them later must read
            // as zero.
            // SAFETY: the pages are the allocator's and unused.
            let open = unsafe { system::protect(address, bytes, Access::ReadWrite) };
            if open.is_ok() {
                // SAFETY: they are writable now, and no other code reads them.
                unsafe { address.write_bytes(0, bytes) };
            }
        }
        self.state.with(|state| state.park(address, bytes));
    }

    /// # Safety
    ///
    /// As [`Allocator::discard`].
    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        let start = part.cast::<u8>().addr().get();
        // A huge page of which a part goes back is split, so only whole ones do.
        let grain = if self.huge { HUGE_BYTES } else { system::page_size() };
        let first = start.checked_next_multiple_of(grain).unwrap_or(usize::MAX);
        let end = start.saturating_add(part.len()) / grain * grain;
        if first >= end {
            return 0;
        }
        // SAFETY: the whole pages of the part are inside the caller's block.
        let pages = unsafe { part.cast::<u8>().add(first - start) };
        // SAFETY: the caller gives their contents up.
        match unsafe { system::discard(pages, end - first, Access::ReadWrite) } {
            Ok(()) => end - first,
            Err(AllocError) => 0,
        }
    }

    /// Returns the entry of a live block that `layout` fits; anything else is misuse.
    #[track_caller]
    fn expect(&self, block: NonNull<u8>, layout: Option<Layout>) -> Entry {
        let site = Location::caller();
        let found = self.state.with(|state| state.find(block.addr().get(), layout));
        match found {
            Ok((_, entry)) => entry,
            Err(what) => self.report(what, block, layout.map(|layout| layout.size()), site),
        }
    }

    fn stats(&self) -> Stats {
        self.state.with(|state| state.stats())
    }

    fn committed_bytes(&self) -> usize {
        self.state.with(|state| state.committed)
    }

    fn overhead_bytes(&self) -> usize {
        self.state.with(|state| state.overhead())
    }

    fn owns(&self, address: usize) -> bool {
        let below = self.state.with(|state| state.table.at_or_below(address));
        below.is_some_and(|(_, entry)| entry.kind() != Kind::Parked && address < entry.end())
    }

    /// Returns the first range that starts above an address.
    fn above(&self, address: usize) -> Option<Entry> {
        self.state.with(|state| state.table.above(address))
    }

    fn verify(&self) -> Result<(), Damage> {
        self.state.with(|state| state.validate())
    }

    /// Drops the allocator's state and returns how many reservations were forgotten.
    fn close(&mut self) -> usize {
        let state = self.state.get_mut();
        state.sweep();
        // A reservation borrows the allocator, so only one that was forgotten can be left.
        state.reservations
    }

    #[cold]
    #[inline(never)]
    fn report(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        wrong_free(what, self.name, block, bytes, site)
    }
}

// SAFETY: each block is a separate mapping of the kernel, or part of one that only this allocator
// holds: page-aligned, or as the layout requires, at least as large as requested, and separate from
// all others until it is unmapped, which only a free, a resize or a move of that block does; moving
// the allocator does not move the mappings. Every failing path undoes what it did before. Nothing
// unwinds but misuse handlers, which run before anything has changed and without the lock.
unsafe impl<S: SiteBook> Allocator for PageAllocator<S> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if S::KEEPS {
            return self.allocate_noting(layout, Location::caller());
        }
        self.pages.allocate(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        // Fresh pages are zero, and parked ones were emptied before they are used again.
        self.allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.forget(block, None);
        self.pages.free(block, None);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.forget(block, Some(layout));
        self.pages.free(block, Some(layout));
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.pages.resize_in_place(block, old, new)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = if S::KEEPS {
            self.pages.expect(block, Some(old));
            // Before the pages move: afterwards another thread may get the address.
            self.sites.with(|sites| sites.take(block))
        } else {
            None
        };
        // SAFETY: the caller's promise is the one asked here.
        let moved = unsafe { self.pages.resize_anyhow(block, old, new) };
        if let Some(site) = site {
            let now = moved.map_or(block, NonNull::cast);
            self.sites.with(|sites| sites.commit(now, site));
        }
        moved
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.pages.discard(part) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.pages.expect(block, None).mapped()
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        let page = system::page_size();
        system::whole_pages(requested(layout))
            .and_then(|bytes| Layout::from_size_align(bytes, layout.align().max(page)).ok())
            .unwrap_or(layout)
    }

    fn stats(&self) -> Stats {
        self.pages.stats()
    }

    fn name(&self) -> &str {
        self.pages.name
    }

    fn owns(&self, address: *const u8) -> bool {
        self.pages.owns(address.addr())
    }

    /// The lock is taken for each block and released while `visit` runs. Blocks that other threads
    /// allocate or free meanwhile may be shown or not.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut last = 0;
        while let Some(entry) = self.pages.above(last) {
            last = entry.start();
            if entry.kind() == Kind::Block {
                let address = entry.address();
                let site =
                    if S::KEEPS { self.sites.with(|sites| sites.site(address)) } else { None };
                visit(Block { address, bytes: entry.bytes(), site });
            }
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        self.pages.verify()?;
        if S::KEEPS {
            // Other threads may allocate or free between the two reads, so the counts may differ.
            return self.sites.with(|sites| sites.verify(usize::MAX));
        }
        Ok(())
    }
}

impl<S: SiteBook> Drop for PageAllocator<S> {
    fn drop(&mut self) {
        leak::assert_none(self);
        let name = self.pages.name;
        let left = self.pages.close();
        #[cfg(feature = "std")]
        let left = if std::thread::panicking() { 0 } else { left };
        assert!(
            left == 0,
            "page allocator `{name}` was dropped with {left} forgotten reservations"
        );
    }
}

impl<S: SiteBook> fmt::Debug for PageAllocator<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageAllocator")
            .field("name", &self.pages.name)
            .field("huge", &self.pages.huge)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
