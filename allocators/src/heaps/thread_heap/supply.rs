//! The backing of one thread's heap: regions of the shared backing, with room to hand blocks back.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use super::record::Record;
use super::shared::Shared;
use super::slot::Slot;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;

/// What regions are aligned to for the heap; what it asks for with less is its own table.
const REGION_ALIGN: usize = 4096;

/// The supply of one slot. Only the slot's owner uses it.
pub(super) struct Supply {
    shared: NonNull<Shared>,
    slot: *const Slot,
    /// Records of this slot that have no region.
    unused: Cell<*const Record>,
}

impl Supply {
    pub(super) const fn new(shared: NonNull<Shared>, slot: *const Slot) -> Self {
        Self { shared, slot, unused: Cell::new(core::ptr::null()) }
    }

    pub(super) fn shared(&self) -> &Shared {
        // SAFETY: the shared state outlives its slots.
        unsafe { self.shared.as_ref() }
    }

    /// A record without a region.
    fn take_record(&self) -> Result<&Record, AllocError> {
        // SAFETY: records stay until the heap ends.
        if let Some(record) = unsafe { self.unused.get().as_ref() } {
            self.unused.set(record.next_unused.get());
            return Ok(record);
        }
        self.shared().new_record(self.slot)
    }

    fn keep_record(&self, record: &Record) {
        record.next_unused.set(self.unused.get());
        self.unused.set(record);
    }

    fn take_region(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let head = Record::head_bytes(layout.size());
        let bytes = layout.size().checked_add(head).ok_or(AllocError)?;
        let record = self.take_record()?;
        self.shared().take_chunk(bytes, record, |chunk| record.open(chunk, layout)).map_or_else(
            |refused| {
                self.keep_record(record);
                Err(refused)
            },
            |chunk| {
                // SAFETY: the chunk has the head and then the region.
                let region = unsafe { chunk.add(head) };
                Ok(NonNull::slice_from_raw_parts(region, layout.size()))
            },
        )
    }
}

// SAFETY: regions and tables are blocks of the shared backing, each of which goes back as it came.
unsafe impl Allocator for Supply {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.align() == REGION_ALIGN {
            return self.take_region(layout);
        }
        let table = self.shared().take_bytes(layout)?;
        self.shared().counts.report(layout.size());
        Ok(NonNull::slice_from_raw_parts(table, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on. The heap above gives everything back with its
        // layout, so nobody calls this.
        unsafe { self.shared().backing().deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        if layout.align() != REGION_ALIGN {
            return self.shared().give_bytes(block, layout);
        }
        if let Some(record) = self.shared().directory().find(block.as_ptr()) {
            self.shared().give_chunk(record);
            self.keep_record(record);
        }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on: a table's.
        unsafe { self.shared().backing().allocated_size(block) }
    }

    unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
        // SAFETY: the caller's promise: a part of a region, which is one of a block of the backing.
        unsafe { self.shared().backing().discard(part) }
    }

    fn stats(&self) -> Stats {
        self.shared().backing().stats()
    }

    fn name(&self) -> &str {
        self.shared().backing().name()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.shared().backing().owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.shared().backing().walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.shared().backing().verify()
    }
}
