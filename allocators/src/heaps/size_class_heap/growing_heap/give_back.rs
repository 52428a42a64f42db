//! Memory that goes back: empty regions to the backing, and long free runs to the system.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::GrowingHeap;
use crate::bookkeeping::mark;
use crate::contract::allocator::Allocator;
use crate::heaps::size_class_heap::FreeRuns;
use crate::heaps::size_classes::SizeClasses;

impl<B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'_, B, C> {
    /// Returns a region that has just become empty to the backing, where another one is empty too.
    #[cold]
    pub(crate) fn give_emptied(&self) {
        let emptied = self.inner.with(|heap| heap.take_emptied());
        if let Some((memory, layout)) = emptied {
            self.give_region(memory, layout);
        }
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

    pub(super) fn give_region(&self, memory: NonNull<u8>, layout: Layout) {
        mark::undefined(memory, layout.size());
        if let Some(backing) = self.backing {
            // SAFETY: the region came from the backing with this layout and nothing uses it.
            unsafe { backing.deallocate_sized(memory, layout) };
        }
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

    /// Gives the table of regions back if there are none.
    fn give_table(&self) {
        let table = self.inner.with(|heap| heap.take_table());
        if let Some((memory, layout)) = table {
            self.give_region(memory, layout);
        }
    }
}
