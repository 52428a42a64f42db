//! A region: one contiguous piece of memory with its own tables at its start.
//!
//! ```text
//!  memory                                                                memory + memory_bytes
//!  | Region | sl words | bins | starts   | descs   | units  | kinds | ages  |pad| page 0 | ...
//!    128 B    u32 x 32 a level  u64 x 4 P  16 x P    8 x P    1 x P   P / 4     ^ base, 4 096-aligned
//! ```
//!
//! The tables take 57 bytes and a quarter a page (1.4 %). Only the entries of pages that were ever used are
//! touched:
//!
//! - `starts`: one bit for each granule of 16 bytes, set if a live block starts there. A free tests
//!   this one bit, so double, foreign and interior frees are detected exactly, before anything is
//!   changed.
//! - `kinds`: one byte for each page: 0 for the core, 1 to 24 for a slab page of that class, 25 to
//!   90 for a page of a slab of a middle size, 255 for a mixed page.
//! - `units`: for a mixed page, the class of each 512-byte unit; for a page of a slab of a middle
//!   size its distance to the slab's first page, and in those of the first page the free slots.
//! - `descs`: for a slab or mixed page, its list links and its number of used slots; for a slab of
//!   a middle size those of its first page.
//! - `ages`: for each 16 KiB, how long what was freed in them has been free (`ages.rs`).
//!
//! Where other threads free blocks they read `starts`, `units` and `kinds`, and the sizes of core
//! blocks. The kind of a page is written last. That of a live block changes only from a slab page's
//! to a mixed page's, and from a slab's of a middle size to the core's, after what the new kind
//! needs was written; a reader that finds another kind afterwards reads again.
//!
//! # Invariants
//!
//! 1. All pointers are derived from one allocation, which covers the whole region and lives as long
//!    as the region.
//! 2. `kinds`, `starts` and `ages` are initialised for the pages below `initialised`. That number is above
//!    the page of every granule ever handed out, and above the page of the granule after it.
//! 3. The core blocks tile the granules without gaps. Each has its header in the 8 bytes before it.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::ages::AGE_PAGES;
use super::table_word::{publish, write_bits};
use crate::bookkeeping::mark;
use crate::heaps::size_classes::{CLASSES_MAX, GRANULE, PAGE, PAGE_GRANULES};

#[cfg(test)]
mod tests;

/// The most granules that a region can have: the size in a header has 28 bits, so 4 GiB.
pub(super) const GRANULES_MAX: usize = (1 << 28) - PAGE_GRANULES as usize;
/// The largest block that is served from a shared region; a larger one gets a region to itself.
pub(super) const CORE_BYTES_MAX: usize = 1 << 30;
/// The kind of a page that belongs to the core.
pub(super) const KIND_CORE: u8 = 0;
/// The kind of a page in which each unit has its own class.
pub(super) const KIND_MIXED: u8 = 255;
/// The kind of a page of a slab of the first class of middle sizes. All kinds but the core's and
/// that of mixed pages are a class and one.
pub(super) const KIND_MEDIUM: u8 = CLASSES_MAX as u8 + 1;
/// Bytes and granules of a unit of a mixed page.
pub(super) const UNIT: usize = 512;
pub(super) const UNIT_GRANULES: u32 = (UNIT / GRANULE) as u32;
/// The id that means "no page" or "no block".
pub(super) const NIL: u32 = u32::MAX;

/// Most bytes before the tables of a region: itself, aligned.
const HEAD_BYTES_MAX: usize = size_of::<Region>() + align_of::<Region>();

/// Bytes of table entries for each page.
const TABLE_BYTES: usize = 4 * 8 + size_of::<PageDesc>() + 8 + 1;

/// The descriptor of a slab or mixed page.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct PageDesc {
    /// Ids of the next and the previous page in the circular list that the page is in.
    pub(super) next: u32,
    pub(super) prev: u32,
    /// Slots that are live, in a front, or about to be handed out.
    pub(super) used: u16,
    /// Class of a slab page.
    pub(super) class: u8,
    pub(super) state: PageState,
    /// The page's own id.
    pub(super) id: u32,
}

const _: () = assert!(size_of::<PageDesc>() == 16, "a page's descriptor is 16 bytes");

/// The state of a slab or mixed page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum PageState {
    /// All slots are used; in no list.
    Full,
    /// In its class's list of partial pages.
    Partial,
    /// Slots are being handed out from it; in no list.
    Current,
    /// A mixed page without known free units; in no list.
    Idle,
    /// In the list of mixed pages to search for free units.
    Listed,
}

/// Where the parts of a region are in its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    region: *mut Region,
    pub(super) base: *mut u8,
    pub(super) pages: usize,
    levels: usize,
    pub(super) starts: *mut u64,
    descs: *mut PageDesc,
    pub(super) units: *mut u8,
    pub(super) kinds: *mut u8,
    ages: *mut u8,
    bins: *mut u32,
}

impl Parts {
    /// The parts of the region that would be made in `memory`; `None` if it cannot hold one page.
    pub(super) fn of(memory: NonNull<u8>, layout: Layout) -> Option<Self> {
        let skip = memory.as_ptr().align_offset(align_of::<Region>());
        let head = skip.checked_add(size_of::<Region>())?;
        let address = memory.addr().get().checked_add(head)?;
        let plan = plan(address, layout.size().checked_sub(head)?)?;
        let start = memory.as_ptr().wrapping_add(head);
        let bins_at = address.next_multiple_of(8) - address;
        let bins_bytes = plan.levels * 33 * size_of::<u32>();
        let starts_at = bins_at + bins_bytes.next_multiple_of(8);
        let descs_at = starts_at + plan.pages * 32;
        let units_at = descs_at + plan.pages * size_of::<PageDesc>();
        let kinds_at = units_at + plan.pages * 8;
        Some(Self {
            region: memory.as_ptr().wrapping_add(skip).cast(),
            base: start.wrapping_add(plan.base),
            pages: plan.pages,
            levels: plan.levels,
            starts: start.wrapping_add(starts_at).cast(),
            descs: start.wrapping_add(descs_at).cast(),
            units: start.wrapping_add(units_at),
            kinds: start.wrapping_add(kinds_at),
            ages: start.wrapping_add(kinds_at + plan.pages),
            bins: start.wrapping_add(bins_at).cast::<u32>().wrapping_add(plan.levels),
        })
    }
}

/// The layout of a region in a given number of bytes.
#[derive(Clone, Copy, Debug)]
struct Plan {
    pages: usize,
    levels: usize,
    /// Offset of page 0 from the start of the memory.
    base: usize,
}

/// One region, in its own memory. The docs of the module describe its tables.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Region {
    // What the fast paths read is in the first cache line.
    /// The address of page 0. Null in `Region::NONE`.
    pub(super) base: *mut u8,
    /// Bytes from `base` on: a multiple of the page size.
    pub(super) bytes: usize,
    pub(super) starts: *mut u64,
    pub(super) kinds: *mut u8,
    pub(super) descs: *mut PageDesc,
    /// The heads of the bins; a word a level, which bins have any, is before them, backwards.
    pub(super) bins: *mut u32,
    /// Pages whose tables are initialised.
    pub(super) initialised: u32,
    pub(super) granules: u32,
    /// The end of the highest block ever handed out.
    pub(super) frontier: u32,
    /// Bit `l` is set if level `l` has a bin that is not empty.
    pub(super) level_bits: u32,
    pub(super) levels: u32,
    /// Granules of blocks and pages that are out of the core.
    pub(super) taken: u32,
    pub(super) units: *mut u8,
    pub(super) ages: *mut u8,
    /// Whether memory was taken that was never used, since that was last asked.
    pub(super) has_grown: bool,
    /// The memory as it was allocated, for its deallocation.
    pub(super) memory: NonNull<u8>,
    pub(super) layout: Layout,
}

// SAFETY: the pointers of this one lead nowhere, and it is only read.
unsafe impl Sync for NoRegion {}

/// The cached region of a heap without any.
struct NoRegion(Region);

static NO_REGION: NoRegion = NoRegion(Region::EMPTY);

impl Region {
    /// Without a page, so that no address is in it and no request fits. It is only read.
    pub(super) const NONE: *const Self = &raw const NO_REGION.0;

    const EMPTY: Self = Self {
        base: core::ptr::null_mut(),
        bytes: 0,
        starts: core::ptr::null_mut(),
        kinds: core::ptr::null_mut(),
        units: core::ptr::null_mut(),
        ages: core::ptr::null_mut(),
        descs: core::ptr::null_mut(),
        bins: core::ptr::null_mut(),
        level_bits: 0,
        levels: 0,
        granules: 0,
        initialised: 0,
        frontier: 0,
        taken: 0,
        has_grown: false,
        memory: NonNull::dangling(),
        layout: Layout::new::<u8>(),
    };

    /// Returns how many bytes to request so that the tables and a block of `granules` granules fit.
    pub(super) fn bytes_for(granules: usize) -> usize {
        let pages = granules.div_ceil(PAGE_GRANULES as usize) + 2;
        let tables = pages * TABLE_BYTES + pages.div_ceil(AGE_PAGES as usize);
        pages * PAGE + tables + 2 * PAGE + 4096 + HEAD_BYTES_MAX
    }

    /// Creates a region in `memory`, at whose start it is itself; returns `None` if the memory
    /// cannot hold one page.
    ///
    /// # Safety
    ///
    /// `memory` is valid for reads and writes of `layout.size()` bytes, belongs to the region alone
    /// and outlives it.
    pub(super) unsafe fn new(memory: NonNull<u8>, layout: Layout) -> Option<NonNull<Self>> {
        let parts = Parts::of(memory, layout)?;
        let mut region = Self {
            base: parts.base,
            bytes: parts.pages * PAGE,
            starts: parts.starts,
            kinds: parts.kinds,
            units: parts.units,
            ages: parts.ages,
            descs: parts.descs,
            bins: parts.bins,
            level_bits: 0,
            levels: parts.levels as u32,
            granules: (parts.pages * PAGE / GRANULE) as u32,
            initialised: 0,
            frontier: 0,
            taken: 0,
            has_grown: false,
            memory,
            layout,
        };
        mark::no_access_at(region.base, region.bytes);
        region.open_core();
        // SAFETY: the caller's promise; the tables begin after it, and it is aligned.
        unsafe { parts.region.write(region) };
        NonNull::new(parts.region)
    }

    /// Pages of the region.
    pub(super) fn pages(&self) -> u32 {
        self.granules / PAGE_GRANULES
    }

    /// The granule at which a block starts; far more than any of the region for an address outside
    /// it, or inside a granule.
    #[inline(always)]
    pub(super) fn granule_of(&self, block: NonNull<u8>) -> usize {
        block.addr().get().wrapping_sub(self.base.addr()).rotate_right(GRANULE.ilog2())
    }

    /// The address of a granule.
    #[inline]
    pub(super) fn address(&self, granule: u32) -> *mut u8 {
        self.base.wrapping_add(granule as usize * GRANULE)
    }

    /// Initialises the tables up to and including the granule `end`, and raises `frontier` to at
    /// least `end`.
    #[inline]
    pub(super) fn reach(&mut self, end: u32) {
        if end > self.frontier {
            self.reach_further(end);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn reach_further(&mut self, end: u32) {
        self.frontier = end;
        self.has_grown = true;
        let pages = (end / PAGE_GRANULES + 1).min(self.pages());
        if pages > self.initialised {
            self.initialise(pages);
        }
    }

    fn initialise(&mut self, pages: u32) {
        let from = self.initialised as usize;
        let count = pages as usize - from;
        for word in from * 4..(from + count) * 4 {
            // SAFETY: `starts` holds four words for each page; `pages` is at most that many.
            unsafe { write_bits(self.starts.wrapping_add(word), 0) };
        }
        for page in from..from + count {
            // SAFETY: `kinds` holds a byte for each page of the region.
            unsafe { publish(self.kinds.wrapping_add(page), KIND_CORE) };
        }
        self.open_ages(self.initialised, pages);
        self.initialised = pages;
    }

    /// The word of `starts` that holds the granule's bit.
    #[inline]
    pub(super) fn starts_word(&self, granule: u32) -> *mut u64 {
        self.starts.wrapping_add(granule as usize / 64)
    }

    /// Whether a live block starts at the granule.
    #[inline]
    pub(super) fn is_start(&self, granule: u32) -> bool {
        debug_assert!(granule / PAGE_GRANULES < self.initialised, "invariant 2 at {granule}");
        // SAFETY: the granule is in an initialised page, by invariant 2.
        let word = unsafe { self.starts_word(granule).read() };
        word >> (granule % 64) & 1 != 0
    }

    #[inline]
    pub(super) fn set_start(&self, granule: u32) {
        debug_assert!(granule / PAGE_GRANULES < self.initialised, "invariant 2 at {granule}");
        let word = self.starts_word(granule);
        // SAFETY: the granule is in an initialised page, by invariant 2.
        let bits = unsafe { word.read() };
        // SAFETY: the same word, which the heap's owner alone writes.
        unsafe { write_bits(word, bits | 1 << (granule % 64)) };
    }

    #[inline]
    pub(super) fn clear_start(&self, granule: u32) {
        let word = self.starts_word(granule);
        // SAFETY: a live block started at the granule, so its page is initialised.
        let bits = unsafe { word.read() };
        // SAFETY: the same word, which the heap's owner alone writes.
        unsafe { write_bits(word, bits & !(1 << (granule % 64))) };
    }

    /// The four words of `starts` that belong to a page.
    pub(super) fn page_starts(&self, page: u32) -> [u64; 4] {
        let words = self.starts.wrapping_add(page as usize * 4);
        // SAFETY: callers only pass pages in use, which are initialised. A page has four words.
        unsafe { words.cast::<[u64; 4]>().read() }
    }

    /// The kind of an initialised page.
    #[inline]
    pub(super) fn kind(&self, page: u32) -> u8 {
        debug_assert!(page < self.initialised, "invariant 2 at page {page}");
        // SAFETY: callers only pass initialised pages.
        unsafe { self.kinds.wrapping_add(page as usize).read() }
    }

    pub(super) fn set_kind(&self, page: u32, kind: u8) {
        debug_assert!(page < self.initialised, "invariant 2 at page {page}");
        // SAFETY: `kinds` has a byte for each page, which the heap's owner alone writes.
        unsafe { publish(self.kinds.wrapping_add(page as usize), kind) };
    }

    /// The descriptor of a page. Only slab and mixed pages have one that can be read.
    pub(super) fn desc(&self, page: u32) -> *mut PageDesc {
        debug_assert!(page < self.pages(), "page {page} of {}", self.pages());
        self.descs.wrapping_add(page as usize)
    }

    /// The classes of a mixed page's units.
    pub(super) fn unit_classes(&self, page: u32) -> [u8; 8] {
        let units = self.units.wrapping_add(page as usize * 8);
        // SAFETY: eight bytes a page, written when the page became mixed.
        unsafe { units.cast::<[u8; 8]>().read() }
    }

    pub(super) fn set_unit_classes(&self, page: u32, classes: [u8; 8]) {
        let units = self.units.wrapping_add(page as usize * 8);
        // SAFETY: eight bytes a page, at a multiple of 8, which the heap's owner alone writes.
        unsafe { write_bits(units.cast(), u64::from_ne_bytes(classes)) };
    }

    /// The class of the unit that holds a granule of a mixed page.
    pub(super) fn unit_class(&self, granule: u32) -> u8 {
        let unit = self.units.wrapping_add((granule / UNIT_GRANULES) as usize);
        // SAFETY: eight bytes a page, written when the page became mixed.
        unsafe { unit.read() }
    }
}

/// A region in a slice, for tests.
#[cfg(test)]
pub(super) fn region_in(memory: &mut [core::mem::MaybeUninit<u8>]) -> Option<&mut Region> {
    let layout = Layout::from_size_align(memory.len(), 1).expect("a slice has a valid layout");
    // SAFETY: the slice is borrowed for as long as the region is.
    let region = unsafe { Region::new(NonNull::from(memory).cast(), layout) };
    // SAFETY: as above, and nothing else leads to it.
    region.map(|mut region| unsafe { region.as_mut() })
}

/// Finds the largest number of pages that fits together with its tables.
fn plan(address: usize, bytes: usize) -> Option<Plan> {
    let mut pages = (bytes / (PAGE + TABLE_BYTES)).min(GRANULES_MAX / PAGE_GRANULES as usize);
    while pages > 0 {
        let granules = (pages * PAGE_GRANULES as usize) as u32;
        let levels = super::block_size::bin_of(granules) as usize / 32 + 1;
        let ages = pages.div_ceil(AGE_PAGES as usize);
        let tables = levels * 33 * size_of::<u32>() + pages * TABLE_BYTES + ages + 24;
        let base = address.checked_add(tables)?.checked_next_multiple_of(PAGE)? - address;
        if base + pages * PAGE <= bytes {
            return Some(Plan { pages, levels, base });
        }
        pages -= 1;
    }
    None
}
