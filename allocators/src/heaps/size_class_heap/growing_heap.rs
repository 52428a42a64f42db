//! A size-class heap with a name and a place to take regions from: what the heap and the slab
//! share.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use self::exclusive::Exclusive;
use super::{FreeRuns, Refusal, SizeClassHeap, WalkState};
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;
use crate::heaps::size_classes::{CLASSES_MAX, GRANULE, SizeClasses};

mod deallocate;
mod exclusive;
mod give_back;
mod grow;
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
    /// Where the next look at old free runs begins.
    decay_at: Cell<FreeRuns>,
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
            decay_at: Cell::new(FreeRuns::START),
        }
    }

    /// As this one, with regions that double up to `bytes`.
    #[cfg(all(feature = "std", not(all(test, loom))))]
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
            decay_at: Cell::new(FreeRuns::START),
        }
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
            return self.allocate_other(layout);
        };
        match self.inner.with(|heap| heap.allocate_front(class, layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_current(class, layout),
        }
    }

    /// The class of a request without a special alignment, if it has one.
    #[inline]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn front_class(layout: Layout) -> Option<usize> {
        SizeClassHeap::<C>::front_class(layout)
    }

    /// Serves a request of a class from its front alone.
    #[inline]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn allocate_front(&self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        self.inner.with(|heap| heap.allocate_front(class, bytes))
    }

    /// Serves a request of a class whose front is empty from its current page alone.
    #[inline]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn allocate_in_page(&self, class: usize, bytes: usize) -> Option<NonNull<[u8]>> {
        self.inner.with(|heap| heap.allocate_current(class, bytes))
    }

    /// The second try for a request with a class, apart from the first so that that one has little
    /// to save.
    #[inline(never)]
    #[track_caller]
    fn allocate_current(&self, class: usize, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if class >= CLASSES_MAX {
            return self.allocate_core(layout);
        }
        match self.inner.with(|heap| heap.allocate_current(class, layout.size())) {
            Some(block) => Ok(block),
            None => self.allocate_slow(layout),
        }
    }

    /// The first try for what has no class: a special alignment, a large block.
    #[inline(never)]
    #[track_caller]
    pub(crate) fn allocate_other(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.align() > GRANULE {
            self.allocate_aligned(layout)
        } else {
            self.allocate_core(layout)
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

    /// Whether an address is in the region used last.
    #[inline]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn is_in_cached(&self, block: NonNull<u8>) -> bool {
        self.inner.with(|heap| heap.is_in_cached(block))
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
    #[cfg(all(feature = "std", not(all(test, loom))))]
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
