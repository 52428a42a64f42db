//! The call site of each block: the records of an allocator built with [`Sites`].
//!
//! # Memory
//!
//! ```text
//! slot    | address, 48 bits | number of the site, 16 bits |      0 where it is empty
//! slots   | slot 0 | slot 1 | .. | slot n - 1 |                   at most 7/8 full
//! names   | site 1 | site 2 | .. |                                8 bytes a line that allocates
//! numbers | address of a site or 0 | its number |                 16 bytes, at most 3/4 full
//! ```
//!
//! A slot is 8 bytes. The table grows by half when it is 7/8 full, so a block costs 9.1 bytes when
//! it is fullest and 13.7 just after it has grown; it does not shrink before the allocator is
//! dropped. Sites are few, so their own cost is small. Call sites remain references; only the
//! addresses of blocks, which are compared and never followed, are truncated to 48 bits.
//!
//! `docs/decisions/0004-sites.md` lists the alternatives.

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator, Damage, move_block};
use crate::contract::misuse::{Misuse, Report, misuse, wrong_free};

mod names;
mod table;
#[cfg(test)]
mod tests;
mod with_sites;

use names::Names;
use table::Table;
pub(crate) use with_sites::with_sites;

/// The call site of a block's allocation.
pub(crate) type Site = &'static Location<'static>;

/// Whether an allocator keeps the site of each block: [`NoSites`] or [`Sites`].
///
/// The trait is sealed: only the allocators use its methods.
pub trait SiteBook: sealed::Book {}

/// Keeps no sites; the default of every allocator. It costs neither memory nor time: every call is
/// empty and inlined.
///
/// # Complexity
///
/// None.
///
/// # Memory
///
/// None: it has no size.
///
/// # Threads
///
/// `Send` and `Sync`.
///
/// # When not to use it
///
/// If a leak report must show call sites: use [`Sites`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSites;

/// Keeps the site of each live block, so that [`walk`](Allocator::walk) and leak reports show where
/// it was allocated.
///
/// An allocator gets it by its `with_sites`, which returns the same allocator with another type:
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, HeapAllocator, PageAllocator, Sites};
///
/// let pages = PageAllocator::new("pages");
/// let books = PageAllocator::new("books");
/// let heap = HeapAllocator::new("level", &pages).with_sites(Sites::new(&books));
/// let line = line!() + 1;
/// let block = heap.allocate(Layout::new::<u64>())?.cast::<u8>();
/// heap.walk(&mut |block| {
///     let site = block.site.expect("the heap keeps sites");
///     assert_eq!((site.file(), site.line()), (file!(), line));
/// });
/// // SAFETY: the block is live and not used again.
/// unsafe { heap.deallocate(block) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// [`HeapAllocator`](crate::HeapAllocator), [`SlabAllocator`](crate::SlabAllocator),
/// [`BuddyAllocator`](crate::BuddyAllocator), [`PoolAllocator`](crate::PoolAllocator),
/// [`FrameAllocator`](crate::FrameAllocator) and the page allocator can keep sites.
///
/// A block keeps the site of its allocation when it is resized, in place or by moving. The reports
/// of pools, frames and of a slab's large blocks name it if a wrong size or an address inside the
/// block is freed. Through `allocator-api2` and `GlobalAlloc` a site is a line of that library.
///
/// A request is refused, and changes nothing, when the table has to grow and the allocator for
/// books has no memory.
///
/// A block is shown without a site if it was allocated before the sites were added, if it is more
/// than 2^48 bytes from the others (which no current system does by itself), or if its site is a
/// new one after 65 535 others.
///
/// # Complexity
///
/// O(1) amortised for a block allocated, freed or moved: a search in a hash table, and one more if
/// the site differs from the last one. Operations that free many blocks at once visit each of them,
/// except [`FrameAllocator::reset`](crate::FrameAllocator::reset), which clears the table.
///
/// # Memory
///
/// 8 bytes a slot, 9.1 to 13.7 bytes for each of the most blocks that were live at once; 29 to 51
/// bytes a site. All of it comes from the allocator for books, is not in the statistics of the
/// allocator that keeps the sites ([`overhead_bytes`](Self::overhead_bytes) returns it), and is
/// freed when that is dropped.
///
/// # Threads
///
/// `Send` if the allocator for books is `Sync`, so an allocator with sites can be sent and put
/// behind a lock as before; not `Sync`.
///
/// ```compile_fail,E0277
/// use loligo_allocators::{ProxyAllocator, Sites};
///
/// fn crosses_threads<T: Send>() {}
/// crosses_threads::<Sites<'static, ProxyAllocator<'static>>>(); // a proxy is not `Sync`
/// ```
///
/// # When not to use it
///
/// If a `TraceAllocator` wraps the allocator anyway, or if about 110 more instructions for each
/// pair of free and allocation over a pool are too many, and more over others (some 400 for pages).
pub struct Sites<'a, K: Allocator + ?Sized = dyn Allocator + Sync + 'a> {
    table: Table,
    names: Names,
    last: Cell<Option<(Site, u16)>>,
    /// Blocks with a reserved slot that are not recorded yet.
    pledged: Cell<usize>,
    books: &'a K,
}

// SAFETY: both tables own their memory and are reached only through this object; the allocator for
// books, which is shared, may be used from another thread as it is `Sync`.
unsafe impl<K: Allocator + Sync + ?Sized> Send for Sites<'_, K> {}

impl<'a> Sites<'a> {
    /// Creates an empty table that takes its memory from `books`, from the first block on.
    ///
    /// `books` must be `Sync`; [`new_in`](Self::new_in) takes any allocator.
    ///
    /// # Examples
    ///
    /// Over allocators that are `static`, everything is created at compile time:
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, Locked, PageAllocator, Sites};
    ///
    /// type Shared = HeapAllocator<'static, PageAllocator, Sites<'static, PageAllocator>>;
    ///
    /// static PAGES: PageAllocator = PageAllocator::new("pages");
    /// static BOOKS: PageAllocator = PageAllocator::new("books");
    /// static HEAP: Locked<Shared> =
    ///     Locked::new(HeapAllocator::new_in("shared", &PAGES).with_sites(Sites::new_in(&BOOKS)));
    /// ```
    #[must_use]
    pub const fn new(books: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(books)
    }
}

impl<'a, K: Allocator + ?Sized> Sites<'a, K> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(books: &'a K) -> Self {
        Self {
            table: Table::new(),
            names: Names::new(),
            last: Cell::new(None),
            pledged: Cell::new(0),
            books,
        }
    }

    /// Returns the call site of the block at `address`, if a recorded block starts there.
    #[must_use]
    pub fn site_of(&self, address: NonNull<u8>) -> Option<&'static Location<'static>> {
        self.table.get(address).map(|number| self.names.site(number))
    }

    /// Returns how many blocks have a site.
    #[must_use]
    pub fn count(&self) -> usize {
        self.table.len()
    }

    /// Returns the bytes allocated from the allocator for books.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.table.bytes() + self.names.bytes()
    }

    /// Returns the number of a site, 0 if it has none.
    fn number_of(&self, site: Site) -> u16 {
        if let Some((last, number)) = self.last.get()
            && core::ptr::eq(last, site)
        {
            return number;
        }
        let number = self.names.number(site).unwrap_or(0);
        self.last.set(Some((site, number)));
        number
    }
}

impl<K: Allocator + ?Sized> Drop for Sites<'_, K> {
    fn drop(&mut self) {
        self.table.release(self.books);
        self.names.release(self.books);
    }
}

impl<K: Allocator + ?Sized> fmt::Debug for Sites<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sites")
            .field("blocks", &self.count())
            .field("bytes", &self.overhead_bytes())
            .finish_non_exhaustive()
    }
}

impl SiteBook for NoSites {}
impl<K: Allocator + ?Sized> SiteBook for Sites<'_, K> {}

/// Private, so that other crates can neither implement [`SiteBook`] nor call its methods.
mod sealed {
    use super::{AllocError, Damage, NonNull, Site};

    /// The operations of an allocator on its sites.
    pub trait Book {
        /// Whether it keeps sites.
        const KEEPS: bool;

        /// Reserves room for `blocks` more blocks from `site`, so that recording them cannot fail.
        fn reserve(&self, blocks: usize, site: Site) -> Result<(), AllocError>;

        /// Records an allocated block, for which room was reserved.
        fn note(&self, block: NonNull<u8>, site: Site);

        /// Reserves room for one more block, separately from other callers, until it is used by
        /// [`commit`](Self::commit) or released by [`cancel`](Self::cancel). For allocators that
        /// several threads call.
        fn reserve_slot(&self, site: Site) -> Result<(), AllocError>;

        /// Removes a block that is about to move, if it is recorded, and keeps its room.
        fn take(&self, block: NonNull<u8>) -> Option<Site>;

        /// Records a block for which room is kept.
        fn commit(&self, block: NonNull<u8>, site: Site);

        /// Releases room that was kept.
        fn cancel(&self);

        /// Removes a block that was freed, if it is recorded.
        fn forget(&self, block: NonNull<u8>);

        /// Records the site of `old`, read with [`site`](Self::site) before, for its new block.
        fn moved(&self, old: NonNull<u8>, new: NonNull<u8>, site: Option<Site>);

        /// Removes all blocks.
        fn clear(&self);

        /// Returns the site of the block at `address`.
        fn site(&self, address: NonNull<u8>) -> Option<Site>;

        /// Returns the site of the block that starts nearest below or at `address`.
        fn site_around(&self, address: NonNull<u8>) -> Option<Site>;

        /// Checks the tables, which have at most `live` blocks.
        fn verify(&self, live: usize) -> Result<(), Damage>;
    }
}

impl sealed::Book for NoSites {
    const KEEPS: bool = false;

    #[inline(always)]
    fn reserve(&self, _: usize, _: Site) -> Result<(), AllocError> {
        Ok(())
    }

    #[inline(always)]
    fn note(&self, _: NonNull<u8>, _: Site) {}

    #[inline(always)]
    fn reserve_slot(&self, _: Site) -> Result<(), AllocError> {
        Ok(())
    }

    #[inline(always)]
    fn take(&self, _: NonNull<u8>) -> Option<Site> {
        None
    }

    #[inline(always)]
    fn commit(&self, _: NonNull<u8>, _: Site) {}

    #[inline(always)]
    fn cancel(&self) {}

    #[inline(always)]
    fn forget(&self, _: NonNull<u8>) {}

    #[inline(always)]
    fn moved(&self, _: NonNull<u8>, _: NonNull<u8>, _: Option<Site>) {}

    #[inline(always)]
    fn clear(&self) {}

    #[inline(always)]
    fn site(&self, _: NonNull<u8>) -> Option<Site> {
        None
    }

    #[inline(always)]
    fn site_around(&self, _: NonNull<u8>) -> Option<Site> {
        None
    }

    #[inline(always)]
    fn verify(&self, _: usize) -> Result<(), Damage> {
        Ok(())
    }
}

impl<K: Allocator + ?Sized> sealed::Book for Sites<'_, K> {
    const KEEPS: bool = true;

    #[inline]
    fn reserve(&self, blocks: usize, site: Site) -> Result<(), AllocError> {
        self.table.reserve(blocks, self.books)?;
        if self.number_of(site) == 0
            && let Some(number) = self.names.enter(site, self.books)?
        {
            self.last.set(Some((site, number)));
        }
        Ok(())
    }

    #[inline]
    fn note(&self, block: NonNull<u8>, site: Site) {
        let number = self.number_of(site);
        if number != 0 {
            self.table.insert(block, number);
        }
    }

    fn reserve_slot(&self, site: Site) -> Result<(), AllocError> {
        self.reserve(self.pledged.get() + 1, site)?;
        self.pledged.set(self.pledged.get() + 1);
        Ok(())
    }

    fn take(&self, block: NonNull<u8>) -> Option<Site> {
        let site = self.site_of(block)?;
        self.forget(block);
        self.pledged.set(self.pledged.get() + 1);
        Some(site)
    }

    fn commit(&self, block: NonNull<u8>, site: Site) {
        self.note(block, site);
        self.cancel();
    }

    fn cancel(&self) {
        self.pledged.set(self.pledged.get() - 1);
    }

    #[inline]
    fn forget(&self, block: NonNull<u8>) {
        self.table.remove(block);
    }

    fn moved(&self, old: NonNull<u8>, new: NonNull<u8>, site: Option<Site>) {
        if old == new {
            return;
        }
        // The old block is removed first, which makes room for the new one if that is not yet
        // recorded.
        self.forget(old);
        match site {
            Some(site) => self.note(new, site),
            None => self.forget(new),
        }
    }

    fn clear(&self) {
        self.table.clear();
    }

    fn site(&self, address: NonNull<u8>) -> Option<Site> {
        self.site_of(address)
    }

    fn site_around(&self, address: NonNull<u8>) -> Option<Site> {
        self.table.at_or_below(address).map(|number| self.names.site(number))
    }

    fn verify(&self, live: usize) -> Result<(), Damage> {
        let checked = self.table.validate(self.names.count()).and_then(|()| self.names.validate());
        let checked = if self.count() > live {
            Err("more blocks have a site than are live")
        } else {
            checked
        };
        checked.map_err(|what| Damage { what, address: self.table.address() })
    }
}

/// Changes the size of a block as [`Allocator::reallocate`] does by default, and moves its site.
///
/// # Safety
///
/// As [`Allocator::reallocate`] of `allocator`, whose book is `sites`.
#[inline]
#[track_caller]
pub(crate) unsafe fn reallocate<A: Allocator, S: SiteBook>(
    allocator: &A,
    sites: &S,
    block: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if new.align() <= old.align() {
        // SAFETY: the caller's promise is the one asked here.
        if let Ok(resized) = unsafe { allocator.resize_in_place(block, old, new) } {
            return Ok(resized);
        }
    }
    let site = sites.site(block);
    // SAFETY: the caller's promise is the one asked here.
    let moved = unsafe { move_block(allocator, block, old, new)? };
    sites.moved(block, moved.cast(), site);
    Ok(moved)
}

/// Reports a wrong free or resize, with the site of the block if its size is wrong or the address
/// is inside it.
#[cold]
#[inline(never)]
pub(crate) fn wrong_free_beside<S: SiteBook>(
    sites: &S,
    what: Misuse,
    allocator: &str,
    block: NonNull<u8>,
    bytes: Option<usize>,
    site: Site,
) -> ! {
    let own = match what {
        Misuse::WrongSize | Misuse::InteriorFree => sites.site_around(block),
        _ => None,
    };
    let Some(own) = own else { wrong_free(what, allocator, block, bytes, site) };
    let report = Report::new(what, allocator, block.as_ptr()).with_site(site);
    let detail = format_args!("the block was allocated at {own}");
    misuse(&Report { bytes, ..report.with_detail(detail) })
}
