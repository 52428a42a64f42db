//! The size-class heap of the heap and the slab: size classes over pages over regions.
//!
//! ```text
//!  request <= 8 192 bytes      front of the class    LIFO of up to 14 free slots, no memory touched
//!        |  empty                                    but its own
//!        |
//!        |-- 497 and more:     slab of the class, where it is busy
//!        |        |  no slab
//!        |        v
//!        |   larger request    core blocks of the region (two-level segregated fit)
//!        v
//!  current page of the class   a bitmap of slots still to hand out
//!        |  used up
//!        v
//!  partial page of the class -> free unit of a mixed page -> page of the core -> new memory
//! ```
//!
//! Free memory inside slab pages is never written: which slots are free is in the region's
//! `starts` bits. See `docs/decisions/0001-heap.md` for the count of branches and cache lines.

mod ages;
mod block_size;
mod check;
mod core_blocks;
mod free_runs;
mod growing_heap;
mod large;
mod medium;
mod mixed;
mod page_id;
mod region;
mod region_table;
#[cfg(all(feature = "std", not(all(test, loom))))]
mod shared_tables;
mod small;
mod table_word;
#[cfg(test)]
mod tests;

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

pub(crate) use self::check::WalkState;
use self::core_blocks::Fault;
pub(crate) use self::free_runs::{FreeRuns, LookBudget};
pub(crate) use self::growing_heap::{GrowingHeap, report};
use self::medium::Medium;
use self::region::{NIL, PageState, Region};
use self::region_table::RegionTable;
#[cfg(all(feature = "std", not(all(test, loom))))]
pub(crate) use self::shared_tables::SharedTables;
use self::small::{Class, Front, Item};
use self::table_word::write_bits;
use crate::bookkeeping::mark;
use crate::contract::allocator::Damage;
use crate::contract::misuse::Misuse;
use crate::contract::stats::Stats;
use crate::heaps::size_classes::{ALL_CLASSES, CLASSES_MAX, GRANULE, PAGE_GRANULES, SizeClasses};

/// Why a request was not served or a free not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is no room; with one more region there may be.
    NoRoom,
    /// The caller or a stray write did something wrong, at this address.
    Wrong(Misuse, *const u8),
}

/// Region, offset in granules.
#[derive(Clone, Copy, Debug)]
struct Place {
    region: usize,
    granule: u32,
}

/// A granule of an initialised page of the cached region, and the kind of that page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedPlace {
    granule: u32,
    kind: u8,
}

impl CachedPlace {
    /// Whether the page belongs to the core.
    #[inline(always)]
    pub(crate) fn is_core(self) -> bool {
        self.kind == region::KIND_CORE
    }
}

/// A live slot of the cached region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CachedSlot {
    granule: usize,
    class: usize,
}

impl CachedSlot {
    /// Whether the slot is in a page of its class alone, and not in a slab of a middle size.
    #[inline(always)]
    pub(crate) fn is_in_page(self) -> bool {
        self.class < CLASSES_MAX
    }
}

/// Size classes over pages over regions, without a name or a backing of its own.
///
/// # Invariants
///
/// 1. A slot or block is live exactly if its start bit is set.
/// 2. A slot in a front has its bit clear, is counted in its page's `used`, is in a slab page of
///    the front's class, and is in no other front and in no current page's bitmap.
/// 3. A page that is not mixed holds slots of one class only; in a mixed page each slot has the
///    class of the unit that it starts in.
/// 4. `cached` is [`Region::NONE`], or the region `cached_number` of the table.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct SizeClassHeap<C> {
    // First, so that the address of a front is that of the heap and a shift.
    fronts: [Front; ALL_CLASSES],
    /// The region that was used last, which the fast paths look at, and its number.
    cached: *mut Region,
    cached_number: usize,
    granted: usize,
    peak_granted: usize,
    requested_total: u64,
    classes: [Class; CLASSES_MAX],
    /// Slabs of middle sizes.
    medium: Medium,
    /// Mixed pages that may have free units.
    mixed: u32,
    /// A region that became empty while another is kept, or a huge block that was freed; the
    /// growing heap may take it.
    emptied: Option<usize>,
    /// Damage that a fast path found and left to the slow path to report.
    damage: Option<Refusal>,
    regions: RegionTable,
    reserved: usize,
    peak_reserved: usize,
    large_total: u64,
    large_freed: u64,
    large_granted_total: u64,
    table: PhantomData<fn() -> C>,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    pub(crate) const fn new() -> Self {
        Self {
            cached: Region::NONE.cast_mut(),
            cached_number: 0,
            granted: 0,
            peak_granted: 0,
            requested_total: 0,
            fronts: small::fronts(C::TABLE),
            classes: [Class::NONE; CLASSES_MAX],
            medium: Medium::new(C::TABLE),
            mixed: NIL,
            emptied: None,
            damage: None,
            regions: RegionTable::new(),
            reserved: 0,
            peak_reserved: 0,
            large_total: 0,
            large_freed: 0,
            large_granted_total: 0,
            table: PhantomData,
        }
    }

    /// The class of a request without a special alignment, which its front may serve.
    #[inline]
    pub(crate) fn front_class(layout: Layout) -> Option<usize> {
        if layout.align() > GRANULE || layout.size() > C::TABLE.all_bytes_max() {
            return None;
        }
        Some(C::TABLE.class_of(layout.size()))
    }

    /// Serves a request of a class from its front. Calls nothing, so that it costs no register its
    /// saving.
    #[inline]
    pub(crate) fn allocate_front(&mut self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        let item = self.fronts[class].pop()?;
        Some(self.hand_out(item, class, bytes))
    }

    /// Serves a request of a class in pages whose front is empty from the current page.
    #[inline]
    pub(crate) fn allocate_current(&mut self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        let item = self.classes.get_mut(class)?.current.next()?;
        Some(self.hand_out(item, class, bytes))
    }

    /// The live slot of a slab of the cached region at which a block starts, if it does and if
    /// `bytes` are not more than the slot has. Changes and calls nothing.
    #[inline]
    pub(crate) fn cached_slot(&self, block: NonNull<u8>, bytes: usize) -> Option<CachedSlot> {
        let region = self.cached_region();
        let granule = region.granule_of(block);
        let page = granule / PAGE_GRANULES as usize;
        if page >= region.initialised as usize {
            return None;
        }
        // SAFETY: `kinds` has a byte for each initialised page.
        let kind = unsafe { region.kinds.wrapping_add(page).read() };
        let class = usize::from(kind).wrapping_sub(1);
        if class >= ALL_CLASSES {
            return None;
        }
        // SAFETY: the same; a bit a granule.
        let bits = unsafe { region.starts.wrapping_add(granule / 64).read() };
        if bits >> (granule % 64) & 1 == 0 || bytes > self.fronts[class].bytes as usize {
            return None;
        }
        Some(CachedSlot { granule, class })
    }

    /// The bytes of a slot.
    #[inline]
    pub(crate) fn slot_bytes(&self, slot: CachedSlot) -> usize {
        self.fronts[slot.class].bytes as usize
    }

    /// Takes a slot back into its front; `false` if that is full. Calls nothing.
    #[inline]
    pub(crate) fn deallocate_front(&mut self, slot: CachedSlot) -> bool {
        let CachedSlot { granule, class } = slot;
        let region = self.cached_region();
        let word = region.starts.wrapping_add(granule / 64);
        let start = region.base.wrapping_add(granule * GRANULE);
        let front = &mut self.fronts[class];
        if !front.has_room() {
            return false;
        }
        front.push(Item { start, word });
        self.granted -= front.bytes as usize;
        mark::no_access_at(start, front.bytes as usize);
        // SAFETY: the slot was found live in the cached region.
        let bits = unsafe { word.read() };
        // SAFETY: the same word, which the heap's owner alone writes.
        unsafe { write_bits(word, bits ^ 1 << (granule % 64)) };
        true
    }

    /// Takes a slot in a page whose front is full back into its page if nothing else changes with
    /// that.
    #[inline(always)]
    pub(crate) fn deallocate_to_page(&mut self, slot: CachedSlot) -> bool {
        let CachedSlot { granule, class } = slot;
        let desc = self.cached_region().descs.wrapping_add(granule / PAGE_GRANULES as usize);
        // SAFETY: the page is a slab page of the cached region, so its descriptor was written, and
        // no other reference to it is alive.
        let desc = unsafe { &mut *desc };
        let stays = match desc.state {
            PageState::Current => true,
            PageState::Partial => desc.used > 1,
            _ => false,
        };
        if stays {
            desc.used -= 1;
            self.classes[class].out -= 1;
            self.granted -= self.fronts[class].bytes as usize;
            let start = self.cached_region().base.wrapping_add(granule * GRANULE);
            mark::no_access_at(start, self.fronts[class].bytes as usize);
            let word = self.cached_region().starts.wrapping_add(granule / 64);
            // SAFETY: the slot was found live in the cached region.
            let bits = unsafe { word.read() };
            // SAFETY: the same word, which the heap's owner alone writes.
            unsafe { write_bits(word, bits ^ 1 << (granule % 64)) };
        }
        stays
    }

    /// Serves a request by any way but a new region.
    pub(crate) fn allocate(&mut self, layout: Layout) -> Result<NonNull<[u8]>, Refusal> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        match Self::class_for(layout) {
            Some(class) => self.allocate_slot(class, layout.size()),
            None => self.allocate_large(layout),
        }
    }

    /// Serves a request that was refused, by giving up what is kept for speed: fronts are emptied,
    /// sparse pages divided, and a slot of a larger class serves if nothing else is left.
    pub(crate) fn allocate_exhaustive(&mut self, layout: Layout) -> Result<NonNull<[u8]>, Refusal> {
        let given_up = self.drain().and_then(|()| self.dissolve_exhaustive());
        given_up.and_then(|()| match Self::class_for(layout) {
            Some(class) => self.allocate_slot_exhaustive(class, layout.size()),
            None => self.allocate_large(layout),
        })
    }

    /// Empties all fronts and retires all current pages.
    fn drain(&mut self) -> Result<(), Refusal> {
        for class in 0..C::TABLE.count() {
            self.drain_front(class)?;
            self.retire(class)?;
        }
        for medium in 0..C::TABLE.medium_count() {
            self.drain_front(CLASSES_MAX + medium)?;
        }
        Ok(())
    }

    /// Whether a class serves a layout, in pages or as a middle size.
    #[inline]
    pub(crate) fn has_class(layout: Layout) -> bool {
        Self::front_class(layout).is_some() || Self::class_for(layout).is_some()
    }

    /// The class with slots in pages that serves a layout, if one does.
    #[inline]
    pub(crate) fn class_for(layout: Layout) -> Option<usize> {
        if layout.size() > C::TABLE.bytes_max() {
            None
        } else if layout.align() <= GRANULE {
            Some(C::TABLE.class_of(layout.size()))
        } else {
            C::TABLE.class_of_aligned(layout.size(), layout.align())
        }
    }

    /// Takes a block back by whichever way it was served; `bytes` is at most its size, or 0.
    pub(crate) fn deallocate(&mut self, block: NonNull<u8>, bytes: usize) -> Result<(), Refusal> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        let place = self.locate(block)?;
        self.cache_region(place.region);
        if let Some(huge) = self.regions.huge(place.region) {
            return self.deallocate_huge(place.region, huge, bytes);
        }
        match self.slot_class(place) {
            Some(class) => self.deallocate_slot(place, class, bytes),
            None => self.deallocate_core(place, bytes),
        }
    }

    /// Adds a region that the growing heap took from somewhere; `false` if it cannot hold a page or
    /// there are too many.
    ///
    /// # Safety
    ///
    /// `memory` is valid for reads and writes of `layout.size()` bytes, belongs to the size-class
    /// heap alone until [`take_emptied`](Self::take_emptied) or [`take_any`](Self::take_any)
    /// returns it.
    pub(crate) unsafe fn add_region(&mut self, memory: NonNull<u8>, layout: Layout) -> bool {
        // SAFETY: the caller's promise.
        let Some(region) = (unsafe { Region::new(memory, layout) }) else { return false };
        // SAFETY: the region was just made.
        let Some(number) = (unsafe { self.regions.add(region) }) else { return false };
        self.count_reserved(layout.size());
        self.cache_region(number);
        true
    }

    /// The layout of the memory that the table of regions needs before one more is added; `None`
    /// if it needs none.
    pub(crate) fn table_wanted(&self) -> Option<Layout> {
        if self.regions.has_free_number() { None } else { self.regions.wider() }
    }

    /// Moves the table of regions into more memory; returns what it had.
    ///
    /// # Safety
    ///
    /// `memory` was asked with [`table_wanted`](Self::table_wanted), is valid for reads and writes,
    /// and belongs to the size-class heap alone until it is returned.
    pub(crate) unsafe fn widen_table(
        &mut self,
        memory: NonNull<[u8]>,
    ) -> Option<(NonNull<u8>, Layout)> {
        self.uncount_reserved(self.regions.memory_bytes());
        // SAFETY: the caller's promise.
        let old = unsafe { self.regions.widen(memory) };
        self.count_reserved(self.regions.memory_bytes());
        old
    }

    /// Returns the memory of the table of regions if the few that are left need none.
    pub(crate) fn take_table(&mut self) -> Option<(NonNull<u8>, Layout)> {
        let bytes = self.regions.memory_bytes();
        let memory = self.regions.take_memory()?;
        self.uncount_reserved(bytes);
        Some(memory)
    }

    /// Makes the region that holds an address the cached one; `true` if it was another before.
    #[inline]
    pub(crate) fn cache_region_of(&mut self, block: NonNull<u8>) -> bool {
        let region = self.cached_region();
        let offset = block.addr().get().wrapping_sub(region.base.addr());
        if offset < region.bytes || self.regions.count() < 2 {
            return false;
        }
        match self.find(block.as_ptr()) {
            Some((number, _)) => self.cache_region(number),
            None => false,
        }
    }

    /// Whether an address is in the cached region.
    #[inline]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn is_in_cached(&self, block: NonNull<u8>) -> bool {
        let region = self.cached_region();
        block.addr().get().wrapping_sub(region.base.addr()) < region.bytes
    }

    /// Whether a region waits to be given back.
    #[inline]
    pub(crate) fn has_emptied(&self) -> bool {
        self.emptied.is_some()
    }

    /// Returns the memory of a region that became empty while another one is kept.
    pub(crate) fn take_emptied(&mut self) -> Option<(NonNull<u8>, Layout)> {
        let number = self.emptied.take()?;
        let is_unused = self.regions.get(number).is_none_or(Region::is_unused);
        if is_unused { self.drop_region(number) } else { None }
    }

    /// Keeps a region that became empty.
    pub(crate) fn keep_emptied(&mut self) {
        self.emptied = None;
    }

    /// Returns the memory of any region without a live block, fronts emptied first.
    pub(crate) fn take_unused(&mut self) -> Result<Option<(NonNull<u8>, Layout)>, Refusal> {
        self.drain()?;
        let unused = self.regions.iter().find(|(_, region)| region.is_unused());
        let unused = unused.map(|(number, _)| number);
        Ok(unused.and_then(|number| self.drop_region(number)))
    }

    /// Returns the memory of any region, live blocks or not: the size-class heap is being dropped.
    pub(crate) fn take_any(&mut self) -> Option<(NonNull<u8>, Layout)> {
        (0..self.regions.len()).find_map(|number| self.drop_region(number))
    }

    fn drop_region(&mut self, number: usize) -> Option<(NonNull<u8>, Layout)> {
        let is_cached = self.regions.pointer(number).is_some_and(|at| at.as_ptr() == self.cached);
        let (memory, layout) = self.regions.remove(number)?;
        self.reserved -= layout.size();
        self.emptied = None;
        if is_cached {
            self.cached = Region::NONE.cast_mut();
            let other = self.regions.iter().next().map(|(number, _)| number);
            if let Some(other) = other {
                self.cache_region(other);
            }
        }
        Some((memory, layout))
    }

    /// Bytes of the live blocks.
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn granted(&self) -> usize {
        self.granted
    }

    /// The counters. `requested` is what was granted, as sizes are not remembered.
    pub(crate) fn stats(&self) -> Stats {
        let mut live = self.large_total - self.large_freed;
        let mut total = self.large_total;
        let mut granted_total = self.large_granted_total;
        for (class, front) in self.fronts.iter().enumerate() {
            live += self.live_slots(class);
            total += front.total;
            granted_total += front.total * u64::from(front.bytes);
        }
        Stats {
            live: live as usize,
            requested: self.granted,
            granted: self.granted,
            reserved: self.reserved,
            peak_requested: self.peak_granted,
            peak_granted: self.peak_granted,
            peak_reserved: self.peak_reserved,
            allocations_total: total,
            requested_total: self.requested_total,
            granted_total,
            exact: false,
        }
    }

    /// Live slots of a class: what is out of its pages or slabs less what waits to be handed out.
    fn live_slots(&self, class: usize) -> u64 {
        let waiting = self.fronts[class].items().len() as u64;
        match self.classes.get(class) {
            Some(of) => of.out + of.mixed - waiting - u64::from(of.current.left()),
            None => u64::from(self.medium.of(class).out) - waiting,
        }
    }

    #[inline]
    fn count(&mut self, requested: usize, granted: usize) {
        self.requested_total += requested as u64;
        self.granted += granted;
        if self.granted > self.peak_granted {
            self.peak_granted = self.granted;
        }
    }

    /// Makes a region the one that the fast paths look at; `false` if the number is that of a huge
    /// block.
    fn cache_region(&mut self, number: usize) -> bool {
        let region = self.regions.pointer(number);
        if let Some(region) = region {
            (self.cached, self.cached_number) = (region.as_ptr(), number);
        }
        region.is_some()
    }

    /// The region that was used last, or one without pages if there is none.
    #[inline(always)]
    fn cached_region(&self) -> &Region {
        // SAFETY: invariant 4, and invariant 1 of the table.
        unsafe { &*self.cached }
    }

    /// The region that was used last. There is one: the caller has found a page in it.
    #[inline(always)]
    fn cached_region_mut(&mut self) -> &mut Region {
        debug_assert!(!core::ptr::eq(self.cached, Region::NONE), "there is a region");
        // SAFETY: invariant 4, and invariant 1 of the table; this borrow of it is exclusive.
        unsafe { &mut *self.cached }
    }

    /// Where an address is in the cached region; `None` if it is not, or is inside a granule.
    #[inline(always)]
    pub(crate) fn cached_place(&self, block: NonNull<u8>) -> Option<CachedPlace> {
        let region = self.cached_region();
        let granule = region.granule_of(block);
        let page = granule / PAGE_GRANULES as usize;
        if page >= region.initialised as usize {
            return None;
        }
        // SAFETY: `kinds` has a byte for each initialised page.
        let kind = unsafe { region.kinds.wrapping_add(page).read() };
        Some(CachedPlace { granule: granule as u32, kind })
    }

    /// The region that holds an address, and where; only initialised pages count.
    fn find(&self, address: *const u8) -> Option<(usize, usize)> {
        let cached = self.cached_region();
        let offset = address.addr().wrapping_sub(cached.base.addr());
        if offset < cached.bytes {
            return Some((self.cached_number, offset));
        }
        self.regions.find(address)
    }

    /// Whether an address is in a region.
    pub(crate) fn owns(&self, address: *const u8) -> bool {
        self.find(address).is_some()
    }

    /// The class of the slot at a place, `None` for a core block.
    fn slot_class(&self, place: Place) -> Option<usize> {
        let region = &self.regions[place.region];
        match region.kind(place.granule / PAGE_GRANULES) {
            region::KIND_CORE => None,
            region::KIND_MIXED => Some(usize::from(region.unit_class(place.granule))),
            kind => Some(usize::from(kind) - 1),
        }
    }

    fn refusal(&self, region: usize, fault: Fault) -> Refusal {
        match fault {
            Fault::NoRoom => Refusal::NoRoom,
            Fault::Damaged(granule) => {
                Refusal::Wrong(Misuse::Damaged, self.regions[region].address(granule))
            }
        }
    }
}
