//! The paths of allocation and free, from the thread's own front to other threads' blocks.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering;

use super::ThreadHeap;
use super::record::Record;
use super::slot::{Heap, Slot};
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::heaps::size_classes::HeapClasses;
use crate::threads::hand_over::Posted;

impl<S: SiteBook> ThreadHeap<'_, S> {
    #[inline(always)]
    #[track_caller]
    pub(super) fn take(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        match self.take_at_once(layout) {
            Some(block) => Ok(block),
            None => self.take_further(layout),
        }
    }

    /// Serves a request from a front of the running thread. Calls nothing.
    #[inline(always)]
    pub(super) fn take_at_once(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        let slot = self.slot_at_once()?;
        slot.heap.allocate_front(Heap::front_class(layout)?, layout.size())
    }

    /// Serves a request that no front served.
    #[inline(never)]
    #[track_caller]
    pub(super) fn take_further(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(slot) = self.slot_at_once() else { return self.take_first(layout) };
        match Heap::front_class(layout) {
            Some(class) => self.take_in_page(slot, class, layout),
            None => self.take_larger(slot, layout),
        }
    }

    /// The second try for a small request.
    #[inline(never)]
    #[track_caller]
    fn take_in_page(
        &self,
        slot: &Slot,
        class: usize,
        layout: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        match slot.heap.allocate_in_page(class, layout.size()) {
            Some(block) => Ok(block),
            None => slot.allocate(layout),
        }
    }

    /// Serves a request for more than the classes of pages.
    #[inline(never)]
    #[track_caller]
    fn take_larger(&self, slot: &Slot, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if Heap::is_backings(layout) {
            return self.take_huge(layout, false);
        }
        slot.allocate_larger(layout)
    }

    /// Serves a request of a thread that has no slot, or has used other heaps since.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn take_first(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let shared = self.open()?;
        if Heap::is_backings(layout) {
            return self.take_huge(layout, false);
        }
        match self.slot() {
            Some(slot) => slot.allocate(layout),
            None => shared.with_zero(|slot| slot.allocate(layout)),
        }
    }

    /// Frees a block into a front of the running thread; `false` if it cannot. Calls nothing.
    #[inline(always)]
    pub(super) fn free_at_once(&self, block: NonNull<u8>, bytes: usize) -> bool {
        self.slot_at_once().is_some_and(|slot| slot.heap.deallocate_front(block, bytes))
    }

    /// Frees a block; `bytes` is at most its size, or 0.
    #[inline(always)]
    #[track_caller]
    pub(super) fn free(&self, block: NonNull<u8>, bytes: usize) {
        let is_done =
            self.slot_at_once().is_some_and(|slot| slot.heap.deallocate_at_once(block, bytes));
        if !is_done {
            self.free_other(block, bytes, Location::caller());
        }
    }

    /// The second try for what is no slot of a page of the region that the running thread used
    /// last.
    #[inline(never)]
    fn free_other(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        match self.slot_at_once().filter(|slot| slot.heap.is_in_cached(block)) {
            Some(slot) => slot.heap.deallocate_other(block, bytes, site),
            None => self.free_further(block, bytes, site),
        }
    }

    /// Frees what no front took: the same as [`free`](Self::free), with the region looked at first.
    #[inline(always)]
    #[track_caller]
    pub(super) fn free_at_last(&self, block: NonNull<u8>, bytes: usize) {
        match self.slot_at_once() {
            Some(slot) if slot.heap.is_in_cached(block) => self.free(block, bytes),
            _ => self.free_further(block, bytes, Location::caller()),
        }
    }

    /// Frees what is not in the region that the running thread used last.
    #[inline(never)]
    fn free_further(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        let Some(record) = self.opened().and_then(|shared| shared.directory().find(block.as_ptr()))
        else {
            self.wrong(Misuse::ForeignFree, block, site);
        };
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if self.slot_at_once().is_some_and(|slot| ptr::eq(slot, owner)) {
            return slot_of(owner).heap.deallocate_elsewhere(block, bytes, site);
        }
        self.free_of_others(record, block, bytes, site);
    }

    /// Frees a block that is not the running thread's own, or that was its own before it used other
    /// heaps.
    #[inline(never)]
    fn free_of_others(
        &self,
        record: &Record,
        block: NonNull<u8>,
        bytes: usize,
        site: &'static Location<'static>,
    ) {
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if owner.is_null() {
            return self.free_huge(record, block, bytes, site);
        }
        // The slot used last is the one that the thread has, and it is not the owner.
        if self.slot_at_once().is_none() {
            match self.held_slot() {
                Some(slot) if ptr::eq(slot, owner) => {
                    return slot.heap.deallocate_elsewhere(block, bytes, site);
                }
                None if record.slot_number == 0 => return self.free_of_zero(block, bytes, site),
                _ => {}
            }
        }
        let granule = record.tables.granule_at(block.as_ptr());
        if granule >= record.tables.granules() {
            let is_inside = record.tables.holds(block.as_ptr());
            let what = if is_inside { self.classify(record, block) } else { Misuse::ForeignFree };
            self.wrong(what, block, site);
        }
        match record.tables.live_bytes::<HeapClasses>(granule) {
            Ok(Some(granted)) if bytes <= granted => {}
            Ok(Some(_)) => self.wrong(Misuse::WrongSize, block, site),
            Ok(None) => self.wrong(self.classify(record, block), block, site),
            Err(damage) => self.wrong(damage, block, site),
        }
        match record.mail().post(granule) {
            Posted::Done => {}
            Posted::First => slot_of(owner).inbox.put(record),
            Posted::Twice => self.wrong(Misuse::DoubleFree, block, site),
        }
    }

    /// Frees a block of slot 0 for a thread without a slot.
    fn free_of_zero(&self, block: NonNull<u8>, bytes: usize, site: &'static Location<'static>) {
        if let Some(shared) = self.opened() {
            shared.with_zero(|slot| slot.heap.deallocate_elsewhere(block, bytes, site));
        }
    }

    #[cold]
    fn classify(&self, record: &Record, block: NonNull<u8>) -> Misuse {
        record.tables.classify::<HeapClasses>(block.as_ptr())
    }

    #[cold]
    pub(super) fn wrong(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        site: &'static Location<'static>,
    ) -> ! {
        misuse(&Report { site: Some(site), ..Report::new(what, self.name, block.as_ptr()) })
    }

    /// The record of a block that is in no region that the running thread owns, with its bytes.
    #[track_caller]
    pub(super) fn found(&self, block: NonNull<u8>) -> (&Record, usize) {
        let site = Location::caller();
        let Some(record) = self.opened().and_then(|shared| shared.directory().find(block.as_ptr()))
        else {
            self.wrong(Misuse::ForeignFree, block, site);
        };
        if record.slot.load(Ordering::Relaxed).is_null() {
            let bytes = record.huge_bytes.load(Ordering::Relaxed);
            if record.huge.load(Ordering::Relaxed) != block.as_ptr() {
                self.wrong(Misuse::InteriorFree, block, site);
            }
            return (record, bytes);
        }
        let granule = record.tables.granule_at(block.as_ptr());
        let bytes = if granule < record.tables.granules() {
            record.tables.live_bytes::<HeapClasses>(granule)
        } else {
            Ok(None)
        };
        match bytes {
            Ok(Some(bytes)) => (record, bytes),
            Ok(None) => self.wrong(self.classify(record, block), block, site),
            Err(damage) => self.wrong(damage, block, site),
        }
    }

    /// Changes the size of a block in place.
    #[track_caller]
    pub(super) fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if let Some(slot) = self.slot_at_once().filter(|slot| slot.heap.is_in_cached(block)) {
            return slot.heap.resize(block, old, new);
        }
        let (record, bytes) = self.found(block);
        let owner = record.slot.load(Ordering::Relaxed).cast_const();
        if self.held_slot().is_some_and(|slot| ptr::eq(slot, owner)) {
            return slot_of(owner).heap.resize(block, old, new);
        }
        if old.size() > bytes {
            self.wrong(Misuse::WrongSize, block, Location::caller());
        }
        if owner.is_null()
            && let Some(shared) = self.opened()
        {
            return shared.resize_huge(record, new, false);
        }
        let fits = new.size() <= bytes && block.addr().get().is_multiple_of(new.align());
        if fits { Ok(NonNull::slice_from_raw_parts(block, bytes)) } else { Err(AllocError) }
    }
}

/// A slot that a record leads to.
fn slot_of<'a>(slot: *const Slot) -> &'a Slot {
    // SAFETY: records lead to slots of their own heap, which stay as long as it is borrowed; what
    // is done with it is what its owner may do, or what all may.
    unsafe { &*slot }
}
