//! Memory that goes back: empty regions to the backing, and long free runs to the system.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use super::GrowingHeap;
use crate::bookkeeping::mark;
use crate::contract::allocator::Allocator;
use crate::heaps::size_class_heap::{FreeRuns, LookBudget};
use crate::heaps::size_classes::SizeClasses;

#[cfg(test)]
mod tests;

/// What a call of `decay` may do: 64 runs, which are as many cache misses or two, and 4 MiB, whose
/// thousand pages the system takes back in about a third of a millisecond.
const DECAY_BUDGET: LookBudget = LookBudget { runs: 64, bytes: 4 << 20 };

impl<B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'_, B, C> {
    /// Returns a region that has just become empty to the backing, where another one is empty too.
    /// A heap without a backing keeps its regions.
    #[cold]
    pub(crate) fn give_emptied(&self) {
        if self.backing.is_none() {
            self.inner.with(|heap| heap.keep_emptied());
            return;
        }
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

    /// Looks at free runs, and gives back to the system what 64 looks found free; returns its bytes.
    #[track_caller]
    pub(crate) fn decay(&self) -> usize {
        let Some(backing) = self.backing else { return 0 };
        let (mut state, mut budget) = (self.decay_at.get(), DECAY_BUDGET);
        let mut bytes = 0;
        loop {
            match self.inner.with(|heap| heap.next_aged_run(&mut state, &mut budget)) {
                Ok(Some(part)) => {
                    // SAFETY: the part is inside a region, which is a live block of the backing,
                    // and holds nothing.
                    bytes += unsafe { backing.discard(part) };
                }
                Ok(None) => break,
                Err(refusal) => self.wrong(refusal, Location::caller()),
            }
        }
        self.decay_at.set(state.resumed());
        bytes
    }

    /// Gives memory of free runs back to the system before a region is taken for a block of
    /// `wanted` bytes: as much in multiples of 4 MiB, and 4 MiB at the least, of the first 64 runs.
    /// That costs about a quarter of what the first writes to as much new memory do.
    #[track_caller]
    pub(super) fn discard_before_growth(&self, wanted: usize) {
        let Some(backing) = self.backing else { return };
        let (mut state, mut budget) = (FreeRuns::START, DECAY_BUDGET);
        budget.bytes *= (wanted / budget.bytes).max(1);
        loop {
            match self.inner.with(|heap| heap.next_dirty_run(&mut state, &mut budget)) {
                Ok(Some(part)) => {
                    // SAFETY: as in `decay`.
                    let _bytes = unsafe { backing.discard(part) };
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
        let mut state = FreeRuns::START;
        loop {
            match self.inner.with(|heap| heap.next_free_run(&mut state)) {
                Ok(Some(parts)) => {
                    for part in parts {
                        // SAFETY: the part is inside a region, which is a live block of the
                        // backing, and nothing reads it before it is written again.
                        let _bytes = unsafe { backing.discard(part) };
                    }
                }
                Ok(None) => return,
                Err(refusal) => self.wrong(refusal, Location::caller()),
            }
        }
    }

    /// Gives the memory of the table of regions back if the few that are left need none.
    fn give_table(&self) {
        let table = self.inner.with(|heap| heap.take_table());
        if let Some((memory, layout)) = table {
            self.give_region(memory, layout);
        }
    }
}
