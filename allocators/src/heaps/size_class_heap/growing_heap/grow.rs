//! Regions that a growing heap takes from its backing.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::{GrowingHeap, REGION_BYTES_MIN};
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::size_class_heap::SizeClassHeap;
use crate::heaps::size_classes::SizeClasses;

impl<B: Allocator + ?Sized, C: SizeClasses> GrowingHeap<'_, B, C> {
    /// Takes one region of `bytes` bytes from the backing now and never another.
    pub(crate) fn take_only(&self, bytes: usize) -> Result<(), AllocError> {
        self.next_region.set(0);
        let layout = Layout::from_size_align(bytes, 4096).map_err(|_| AllocError)?;
        self.take_region(layout)
    }

    /// Takes a region in which `layout` fits; asks for less when the backing refuses.
    pub(super) fn grow(&self, layout: Layout) -> Result<(), AllocError> {
        let wanted = self.next_region.get();
        // Rounded here, or the loop below would never come down to it.
        let least = SizeClassHeap::<C>::region_bytes_for(layout)
            .max(REGION_BYTES_MIN)
            .next_multiple_of(4096);
        if wanted == 0 {
            return Err(AllocError);
        }
        let mut bytes = wanted.max(least).next_multiple_of(4096);
        self.discard_before_growth(layout.size());
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

    /// Adds a region to those of a heap without a backing. A wider table of regions is at its start
    /// if one is needed; the memory of the one before stays unused.
    ///
    /// # Safety
    ///
    /// As [`GrowingHeap::fixed`].
    pub(crate) unsafe fn lend(&self, memory: NonNull<u8>, bytes: usize) -> Result<(), AllocError> {
        if self.backing.is_some() {
            return Err(AllocError);
        }
        let (mut start, mut left) = (memory, bytes);
        if let Some(table) = self.inner.with(|heap| heap.table_wanted()) {
            let skip = memory.align_offset(table.align());
            let before = skip.checked_add(table.size()).ok_or(AllocError)?;
            left = bytes.checked_sub(before).ok_or(AllocError)?;
            // SAFETY: that many bytes are before the end of the memory.
            let wider = unsafe { memory.add(skip) };
            // SAFETY: the same, with those of the table.
            start = unsafe { memory.add(before) };
            let wider = NonNull::slice_from_raw_parts(wider, table.size());
            // SAFETY: the caller's promise, for the part before the region.
            let _unused = self.inner.with(|heap| unsafe { heap.widen_table(wider) });
        }
        let layout = Layout::from_size_align(left, 1).map_err(|_| AllocError)?;
        // SAFETY: the caller's promise.
        let is_added = self.inner.with(|heap| unsafe { heap.add_region(start, layout) });
        if is_added { Ok(()) } else { Err(AllocError) }
    }

    /// Takes memory for a wider table of regions if the next one needs it.
    pub(super) fn widen_table(&self, backing: &B) -> Result<(), AllocError> {
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
}
