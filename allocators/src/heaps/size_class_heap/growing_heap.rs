//! A size-class heap with a name and a place to take regions from: what the heap and the slab
//! share.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use self::exclusive::Exclusive;
use super::{CachedPlace, CachedSlot, FreeRuns, Refusal, SizeClassHeap, WalkState};
use crate::bookkeeping::mark;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;
use crate::heaps::size_classes::{GRANULE, SizeClasses};

mod exclusive;
mod huge;
#[cfg(test)]
mod tests;

/// The least that is asked for when the backing refuses more.
const REGION_BYTES_MIN: usize = 64 << 10;
/// Regions double up to this: 4 GiB, or 1 GiB where an address has 32 bits.
const REGION_BYTES_MAX: usize = if usize::BITS == 64 { 1 << (usize::BITS - 30) } else { 1 << 30 };

/// A size-class heap for one thread, over a fixed region or growing from a backing.
#[derive(Debug)]
pub(crate) struct GrowingHeap<'a, B: Allocator + ?Sized, C: SizeClasses> {
    inner: Exclusive<SizeClassHeap<C>>,
    name: &'a str,
    backing: Option<&'a B>,
    /// Bytes of the next region; 0 if there is to be none.
    next_region: Cell<usize>,
    /// Regions double up to this.
    region_bytes_max: usize,
}

// SAFETY: the size-class heap's pointers lead only into regions that belong to this object alone,
// so it may move to another thread; the backing is shared with others, so it must be `Sync`.
unsafe impl<B: Allocator + Sync + ?Sized, C: SizeClasses> Send for GrowingHeap<'_, B, C> {}

impl<'a, B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'a, B, C> {
    /// A growing heap that takes regions from `backing`, the first of about `bytes` bytes.
    pub(crate) const fn growing(name: &'a str, backing: &'a B, bytes: usize) -> Self {
        let first = if bytes < REGION_BYTES_MIN { REGION_BYTES_MIN } else { bytes };
        Self {
            inner: Exclusive::new(SizeClassHeap::new()),
            name,
            backing: Some(backing),
            next_region: Cell::new(first),
            region_bytes_max: REGION_BYTES_MAX,
        }
    }

    /// As this one, with regions that double up to `bytes`.
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) const fn up_to(mut self, bytes: usize) -> Self {
        self.region_bytes_max = bytes;
        self
    }

    /// A growing heap of one region that is not to be given back anywhere.
    ///
    /// # Safety
    ///
    /// `memory` is valid for reads and writes of `bytes` bytes and belongs to the growing heap
    /// alone for as long as it or a block of it is used.
    pub(crate) unsafe fn fixed(name: &'a str, memory: NonNull<u8>, bytes: usize) -> Self {
        let mut inner = SizeClassHeap::new();
        if let Ok(layout) = Layout::from_size_align(bytes, 1) {
            // SAFETY: the caller's promise. A region that holds no page stays unused.
            let _ = unsafe { inner.add_region(memory, layout) };
        }
        Self {
            inner: Exclusive::new(inner),
            name,
            backing: None,
            next_region: Cell::new(0),
            region_bytes_max: 0,
        }
    }

    /// Takes one region of `bytes` bytes from the backing now and never another.
    pub(crate) fn take_only(&self, bytes: usize) -> Result<(), AllocError> {
        self.next_region.set(0);
        let layout = Layout::from_size_align(bytes, 4096).map_err(|_| AllocError)?;
        self.take_region(layout)
    }

    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// The backing as the trait shows it. A reference to an allocator is one too, and unlike `B` it
    /// is sized.
    pub(crate) fn backing(&self) -> Option<&dyn Allocator> {
        self.backing.as_ref().map(|backing| backing as &dyn Allocator)
    }

    #[inline]
    #[track_caller]
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(class) = SizeClassHeap::<C>::front_class(layout) else {
            return self.allocate_medium(layout);
        };
        match self.inner.with(|heap| heap.allocate_front(class, layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_current(class, layout),
        }
    }

    /// The class of a small request without a special alignment.
    #[inline]
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn front_class(layout: Layout) -> Option<usize> {
        SizeClassHeap::<C>::front_class(layout)
    }

    /// Serves a request of a class from its front alone.
    #[inline]
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn allocate_front(&self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        self.inner.with(|heap| heap.allocate_front(class, bytes))
    }

    /// Serves a request of a class whose front is empty from its current page alone.
    #[inline]
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn allocate_in_page(&self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        self.inner.with(|heap| heap.allocate_current(class, bytes))
    }

    /// The second try for a small request, apart from the first so that that one has little to
    /// save.
    #[inline(never)]
    #[track_caller]
    fn allocate_current(&self, class: usize, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.inner.with(|heap| heap.allocate_current(class, layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_slow(layout),
        }
    }

    /// The first try for what is larger than the classes of pages: the front of a middle size.
    /// Apart from the next, so that it has little to save.
    #[inline(never)]
    #[track_caller]
    pub(crate) fn allocate_medium(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.align() > GRANULE {
            return self.allocate_aligned(layout);
        }
        match self.inner.with(|heap| heap.allocate_medium_front(layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_core(layout),
        }
    }

    /// The second try for what is larger than the classes of pages: a slot of a slab, a core block.
    #[inline(never)]
    #[track_caller]
    fn allocate_core(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.inner.with(|heap| heap.allocate_hot_core(layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_slow(layout),
        }
    }

    /// The first try for a special alignment: a slot of a class that is a multiple of it.
    #[inline(never)]
    #[track_caller]
    fn allocate_aligned(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(class) = SizeClassHeap::<C>::class_for(layout) else {
            return self.allocate_slow(layout);
        };
        match self.inner.with(|heap| heap.allocate_front(class, layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_current(class, layout),
        }
    }

    /// Frees a block; `bytes` is at most its size, or 0 where that is not known.
    #[inline]
    #[track_caller]
    pub(crate) fn deallocate(&self, block: NonNull<u8>, bytes: usize) {
        let Some(slot) = self.inner.with(|heap| heap.cached_slot(block, bytes)) else {
            return self.deallocate_other(block, bytes, Location::caller());
        };
        if !self.inner.with(|heap| heap.deallocate_front(slot)) {
            self.deallocate_to_page(slot, block, Location::caller());
        }
    }

    /// Frees a block if it is a slot of a page of the region used last; `false` if it is not.
    #[inline]
    #[track_caller]
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn deallocate_at_once(&self, block: NonNull<u8>, bytes: usize) -> bool {
        let Some(slot) = self.inner.with(|heap| heap.cached_slot(block, bytes)) else {
            return false;
        };
        if !self.inner.with(|heap| heap.deallocate_front(slot)) {
            self.deallocate_to_page(slot, block, Location::caller());
        }
        true
    }

    /// Whether an address is in the region used last.
    #[inline]
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn is_in_cached(&self, block: NonNull<u8>) -> bool {
        self.inner.with(|heap| heap.is_in_cached(block))
    }

    /// Frees a block that another thread handed back. No region goes back to the backing, not even
    /// an empty one, until [`give_emptied`](Self::give_emptied).
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn deallocate_kept(&self, block: NonNull<u8>) -> Result<(), Refusal> {
        self.inner.with(|heap| {
            heap.cache_region_of(block);
            let done = match heap.cached_slot(block, 0) {
                Some(slot) => heap.deallocate_front(slot) || heap.deallocate_to_page(slot),
                None => heap.deallocate_hot(block, 0),
            };
            if done { Ok(()) } else { heap.deallocate(block, 0) }
        })
    }

    /// The second try for a slot whose front is full.
    #[inline(never)]
    fn deallocate_to_page(
        &self,
        slot: CachedSlot,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        if !self.inner.with(|heap| heap.deallocate_to_page(slot)) {
            self.deallocate_slow(block, 0, site);
        }
    }

    /// The second try for what is no slot of a page of the cached region: finds where it belongs.
    /// Apart from what it calls, so that it has nothing to save.
    #[inline(never)]
    pub(crate) fn deallocate_other(
        &self,
        block: NonNull<u8>,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        match self.inner.with(|heap| heap.cached_place(block)) {
            Some(at) if at.is_core() => self.deallocate_core(block, at, bytes, site),
            Some(at) => self.deallocate_medium(block, at, bytes, site),
            None => self.deallocate_elsewhere(block, bytes, site),
        }
    }

    /// Frees what may be a slot of a middle size.
    #[inline(never)]
    fn deallocate_medium(
        &self,
        block: NonNull<u8>,
        at: CachedPlace,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        if !self.inner.with(|heap| heap.deallocate_medium_front(at, bytes)) {
            self.deallocate_elsewhere(block, bytes, site);
        }
    }

    /// The second try for a block in a page of the core of the cached region.
    #[inline(never)]
    fn deallocate_core(
        &self,
        block: NonNull<u8>,
        at: CachedPlace,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        if !self.inner.with(|heap| heap.deallocate_hot_core(at, bytes)) {
            self.deallocate_slow(block, bytes, site);
        } else if self.inner.with(|heap| heap.has_emptied()) {
            self.give_emptied();
        }
    }

    /// The second try for any other block: its region may not be the cached one, and its front may
    /// be full.
    #[inline(never)]
    pub(crate) fn deallocate_elsewhere(
        &self,
        block: NonNull<u8>,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        if self.inner.with(|heap| heap.cache_region_of(block))
            && let Some(slot) = self.inner.with(|heap| heap.cached_slot(block, bytes))
        {
            if !self.inner.with(|heap| heap.deallocate_front(slot)) {
                self.deallocate_to_page(slot, block, site);
            }
        } else if !self.inner.with(|heap| heap.deallocate_hot(block, bytes)) {
            self.deallocate_slow(block, bytes, site);
        } else if self.inner.with(|heap| heap.has_emptied()) {
            self.give_emptied();
        }
    }

    /// Returns a region that has just become empty to the backing, where another one is empty too.
    #[cold]
    pub(crate) fn give_emptied(&self) {
        let emptied = self.inner.with(|heap| heap.take_emptied());
        if let Some((memory, layout)) = emptied {
            self.give_region(memory, layout);
        }
    }

    /// Frees a block that is in this growing heap's regions; `false` if it does not.
    #[inline]
    #[track_caller]
    pub(crate) fn deallocate_owned(&self, block: NonNull<u8>, bytes: usize) -> bool {
        if let Some(slot) = self.inner.with(|heap| heap.cached_slot(block, bytes)) {
            if !self.inner.with(|heap| heap.deallocate_front(slot)) {
                self.deallocate_to_page(slot, block, Location::caller());
            }
            return true;
        }
        if !self.owns(block.as_ptr()) {
            return false;
        }
        self.deallocate_slow(block, bytes, Location::caller());
        true
    }

    #[track_caller]
    pub(crate) fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(resized) = self.resize_huge(block, old, new, false) {
            return Ok(resized);
        }
        match self.inner.with(|heap| heap.resize(block, old, new)) {
            Ok(resized) => Ok(resized),
            Err(Refusal::NoRoom) => Err(AllocError),
            Err(refusal) => self.wrong(refusal, Location::caller()),
        }
    }

    #[inline]
    #[track_caller]
    pub(crate) fn allocated_size(&self, block: NonNull<u8>) -> usize {
        let bytes = self.inner.with(|heap| heap.cached_slot(block, 0).map(|s| heap.slot_bytes(s)));
        match bytes {
            Some(bytes) => bytes,
            None => self.allocated_size_elsewhere(block),
        }
    }

    #[inline(never)]
    #[track_caller]
    fn allocated_size_elsewhere(&self, block: NonNull<u8>) -> usize {
        match self.inner.with(|heap| heap.allocated_size(block)) {
            Ok(bytes) => bytes,
            Err(refusal) => self.wrong(refusal, Location::caller()),
        }
    }

    /// Bytes of the live blocks.
    #[cfg(all(feature = "std", not(loom)))]
    pub(crate) fn granted(&self) -> usize {
        self.inner.with(|heap| heap.granted())
    }

    pub(crate) fn stats(&self) -> Stats {
        self.inner.with(|heap| heap.stats())
    }

    /// Counts a block that the backing serves in this growing heap's name.
    pub(crate) fn count_passed_on(&self, requested: usize, granted: usize) {
        self.inner.with(|heap| heap.count_passed_on(requested, granted));
    }

    /// Takes back what [`count_passed_on`](Self::count_passed_on) counted.
    pub(crate) fn uncount_passed_on(&self, granted: usize) {
        self.inner.with(|heap| heap.uncount_passed_on(granted));
    }

    /// Counts another size of a block that is passed on.
    pub(crate) fn recount_passed_on(&self, before: usize, after: usize, requested: usize) {
        self.inner.with(|heap| heap.recount_passed_on(before, after, requested));
    }

    /// Counts memory of the backing that holds a table outside the size-class heap.
    pub(crate) fn count_reserved(&self, bytes: usize) {
        self.inner.with(|heap| heap.count_reserved(bytes));
    }

    /// Takes back what [`count_reserved`](Self::count_reserved) counted.
    pub(crate) fn uncount_reserved(&self, bytes: usize) {
        self.inner.with(|heap| heap.uncount_reserved(bytes));
    }

    pub(crate) fn owns(&self, address: *const u8) -> bool {
        self.inner.with(|heap| heap.owns(address))
    }

    pub(crate) fn walk(&self, visit: &mut dyn FnMut(Block)) {
        let mut state = WalkState::default();
        loop {
            // The borrow ends before `visit` is called, which might call the allocator.
            let Some(block) = self.inner.with(|heap| heap.walk_next(&mut state)) else {
                return;
            };
            visit(block);
        }
    }

    pub(crate) fn verify(&self) -> Result<(), Damage> {
        self.inner.with(|heap| heap.verify())
    }

    /// Gives every region without a live block back to the backing.
    #[track_caller]
    pub(crate) fn shrink(&self) {
        if self.backing.is_none() {
            return;
        }
        loop {
            let unused = self.inner.with(|heap| heap.take_unused());
            match unused {
                Ok(Some((memory, layout))) => self.give_region(memory, layout),
                Ok(None) => break,
                Err(refusal) => self.wrong(refusal, Location::caller()),
            }
        }
        self.give_table();
        self.discard_free();
    }

    /// Gives the memory of long free runs back to the system.
    #[track_caller]
    fn discard_free(&self) {
        let Some(backing) = self.backing else { return };
        if let Err(refusal) = self.inner.with(|heap| heap.dissolve_sparse()) {
            self.wrong(refusal, Location::caller());
        }
        let mut state = FreeRuns::default();
        loop {
            match self.inner.with(|heap| heap.next_free_run(&mut state)) {
                Ok(Some(run)) => {
                    // SAFETY: the run is inside a region, which is a live block of the backing, and
                    // holds nothing.
                    let _bytes = unsafe { backing.discard(run) };
                }
                Ok(None) => return,
                Err(refusal) => self.wrong(refusal, Location::caller()),
            }
        }
    }

    /// Gives the memory of a part of a block back to the system, if the backing can.
    ///
    /// # Safety
    ///
    /// As [`Allocator::discard`].
    pub(crate) unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        let Some(backing) = self.backing else { return 0 };
        // SAFETY: a region is a live block of the backing, and the promise is the caller's.
        unsafe { backing.discard(part) }
    }

    /// Gives every region back, live blocks or not: for the end of the allocator.
    pub(crate) fn give_all(&self) {
        while let Some((memory, layout)) = self.inner.with(|heap| heap.take_any()) {
            self.give_region(memory, layout);
        }
        self.give_table();
    }

    /// Gives the table of regions back if there are none.
    fn give_table(&self) {
        let table = self.inner.with(|heap| heap.take_table());
        if let Some((memory, layout)) = table {
            self.give_region(memory, layout);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn allocate_slow(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        loop {
            match self.inner.with(|heap| heap.allocate(layout)) {
                Ok(block) => return Ok(block),
                Err(Refusal::NoRoom) => {}
                Err(refusal) => self.wrong(refusal, Location::caller()),
            }
            if Self::is_backings(layout) {
                if let Ok(block) = self.allocate_huge(layout, false) {
                    return Ok(block);
                }
                break;
            }
            if self.grow(layout).is_err() {
                break;
            }
        }
        match self.inner.with(|heap| heap.allocate_exhaustive(layout)) {
            Ok(block) => Ok(block),
            Err(Refusal::NoRoom) => Err(AllocError),
            Err(refusal) => self.wrong(refusal, Location::caller()),
        }
    }

    /// Takes a region in which `layout` fits; asks for less when the backing refuses.
    fn grow(&self, layout: Layout) -> Result<(), AllocError> {
        let wanted = self.next_region.get();
        // Rounded here, or the loop below would never come down to it.
        let least = SizeClassHeap::<C>::region_bytes_for(layout)
            .max(REGION_BYTES_MIN)
            .next_multiple_of(4096);
        if wanted == 0 {
            return Err(AllocError);
        }
        let mut bytes = wanted.max(least).next_multiple_of(4096);
        loop {
            let region = Layout::from_size_align(bytes, 4096).map_err(|_| AllocError)?;
            if self.take_region(region).is_ok() {
                self.next_region.set((bytes * 2).min(self.region_bytes_max));
                return Ok(());
            }
            if bytes <= least {
                return Err(AllocError);
            }
            bytes = (bytes / 2).max(least).next_multiple_of(4096);
        }
    }

    fn take_region(&self, layout: Layout) -> Result<(), AllocError> {
        let backing = self.backing.ok_or(AllocError)?;
        self.widen_table(backing)?;
        let memory = backing.allocate(layout)?.cast::<u8>();
        let is_added = self.inner.with(|heap| {
            // SAFETY: the block was just allocated for `layout` and is given back in `give_region`.
            unsafe { heap.add_region(memory, layout) }
        });
        if is_added {
            return Ok(());
        }
        self.give_region(memory, layout);
        Err(AllocError)
    }

    /// Takes memory for a wider table of regions if the next one needs it.
    fn widen_table(&self, backing: &B) -> Result<(), AllocError> {
        let Some(layout) = self.inner.with(|heap| heap.table_wanted()) else { return Ok(()) };
        let memory = backing.allocate(layout)?;
        let before = self.inner.with(|heap| {
            // SAFETY: the block was just allocated for this and is given back in `give_region`.
            unsafe { heap.widen_table(memory) }
        });
        if let Some((memory, layout)) = before {
            self.give_region(memory, layout);
        }
        Ok(())
    }

    fn give_region(&self, memory: NonNull<u8>, layout: Layout) {
        mark::undefined(memory, layout.size());
        if let Some(backing) = self.backing {
            // SAFETY: the region came from the backing with this layout and nothing uses it.
            unsafe { backing.deallocate_sized(memory, layout) };
        }
    }

    #[cold]
    #[inline(never)]
    fn deallocate_slow(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        let freed = self.inner.with(|heap| heap.deallocate(block, bytes));
        if let Err(refusal) = freed {
            self.wrong(refusal, site);
        }
        self.give_emptied();
    }

    #[cold]
    fn wrong(&self, refusal: Refusal, site: &'static Location<'static>) -> ! {
        report(self.name, refusal, Some(site))
    }
}

/// Ends in a report of what a refusal says.
#[cold]
pub(crate) fn report(name: &str, refusal: Refusal, site: Option<&'static Location<'static>>) -> ! {
    let (kind, address) = match refusal {
        Refusal::Wrong(kind, address) => (kind, address),
        // What needs no room was refused for want of it: a count was damaged.
        Refusal::NoRoom => (Misuse::Damaged, core::ptr::null()),
    };
    misuse(&Report { site, ..Report::new(kind, name, address) })
}
