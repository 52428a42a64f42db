//! Ways of a block back into a growing heap, from the shortest to the longest.

use core::panic::Location;
use core::ptr::NonNull;

use super::GrowingHeap;
use crate::contract::allocator::Allocator;
#[cfg(all(feature = "std", not(all(test, loom))))]
use crate::heaps::size_class_heap::Refusal;
use crate::heaps::size_class_heap::{CachedPlace, CachedSlot};
use crate::heaps::size_classes::SizeClasses;

impl<B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'_, B, C> {
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

    /// Frees a block if it is a slot of the region used last and its front has room; `false` if not.
    #[inline(always)]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn deallocate_front(&self, block: NonNull<u8>, bytes: usize) -> bool {
        self.inner.with(|heap| {
            heap.cached_slot(block, bytes).is_some_and(|slot| heap.deallocate_front(slot))
        })
    }

    /// Frees a block if it is a slot of the region used last; `false` if it is not.
    #[inline]
    #[track_caller]
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn deallocate_at_once(&self, block: NonNull<u8>, bytes: usize) -> bool {
        let Some(slot) = self.inner.with(|heap| heap.cached_slot(block, bytes)) else {
            return false;
        };
        if !self.inner.with(|heap| heap.deallocate_front(slot)) {
            self.deallocate_to_page(slot, block, Location::caller());
        }
        true
    }

    /// Frees a block that another thread handed back. No region goes back to the backing, not even
    /// an empty one, until [`give_emptied`](Self::give_emptied).
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn deallocate_kept(&self, block: NonNull<u8>) -> Result<(), Refusal> {
        self.inner.with(|heap| {
            heap.cache_region_of(block);
            let done = match heap.cached_slot(block, 0) {
                Some(slot) if heap.deallocate_front(slot) => true,
                Some(slot) if slot.is_in_page() => heap.deallocate_to_page(slot),
                Some(slot) => heap.deallocate_to_slab(slot),
                None => heap.deallocate_hot(block, 0),
            };
            if done { Ok(()) } else { heap.deallocate(block, 0) }
        })
    }

    /// Frees several blocks that another thread handed back, if they are small ones of one page: a
    /// bit for each granule from `first` on. `false`, with nothing changed, if they are not.
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn deallocate_kept_several(&self, first: NonNull<u8>, bits: usize) -> bool {
        self.inner.with(|heap| {
            heap.cache_region_of(first);
            heap.deallocate_several(first, bits)
        })
    }

    /// The second try for what is no slot of a slab of the cached region: finds where it belongs.
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
            _ => self.deallocate_elsewhere(block, bytes, site),
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

    /// The second try for a slot whose front is full.
    #[inline(never)]
    fn deallocate_to_page(
        &self,
        slot: CachedSlot,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        if !slot.is_in_page() {
            return self.deallocate_to_slab(slot, block, site);
        }
        if !self.inner.with(|heap| heap.deallocate_to_page(slot)) {
            self.deallocate_slow(block, 0, site);
        }
    }

    /// The same for one of a middle size.
    #[inline(never)]
    fn deallocate_to_slab(
        &self,
        slot: CachedSlot,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) {
        if !self.inner.with(|heap| heap.deallocate_to_slab(slot)) {
            self.deallocate_slow(block, 0, site);
        } else if self.inner.with(|heap| heap.has_emptied()) {
            self.give_emptied();
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

    #[cold]
    #[inline(never)]
    fn deallocate_slow(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        let freed = self.inner.with(|heap| heap.deallocate(block, bytes));
        if let Err(refusal) = freed {
            self.wrong(refusal, site);
        }
        self.give_emptied();
    }
}
