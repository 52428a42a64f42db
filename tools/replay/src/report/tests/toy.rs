//! A first-fit allocator over one region that is plain to see through.

use core::alloc::Layout;
use core::cell::RefCell;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::NonNull;
use std::collections::BTreeMap;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

/// Serves from the lowest gap that is wide enough. Blocks start at multiples of 16.
pub(in crate::report) struct Toy {
    base: NonNull<u8>,
    bytes: usize,
    /// Offset and size of each live block.
    live: RefCell<BTreeMap<usize, usize>>,
}

impl Toy {
    pub(in crate::report) fn new(bytes: usize) -> Self {
        let region = Box::leak(vec![MaybeUninit::<u128>::uninit(); bytes / 16].into_boxed_slice());
        Self { base: NonNull::from(region).cast(), bytes, live: RefCell::default() }
    }

    /// Returns the addresses that it serves from.
    pub(in crate::report) fn region(&self) -> Range<usize> {
        let start = self.base.addr().get();
        start..start + self.bytes
    }

    fn offset(&self, block: NonNull<u8>) -> usize {
        block.addr().get() - self.base.addr().get()
    }

    fn slice(&self, offset: usize, bytes: usize) -> NonNull<[u8]> {
        // SAFETY: the offset is in the region that was leaked for this.
        let start = unsafe { self.base.add(offset) };
        NonNull::slice_from_raw_parts(start, bytes)
    }
}

// SAFETY: blocks do not overlap, as the map says, in memory that is never given back.
unsafe impl Allocator for Toy {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let align = layout.align().max(16);
        assert!(align == 16, "the toy serves small alignments alone");
        let mut live = self.live.borrow_mut();
        let mut cursor = 0_usize;
        for (offset, bytes) in live.iter() {
            if cursor + layout.size() <= *offset {
                break;
            }
            cursor = (offset + bytes).next_multiple_of(16);
        }
        if cursor + layout.size() > self.bytes {
            return Err(AllocError);
        }
        live.insert(cursor, layout.size());
        Ok(self.slice(cursor, layout.size()))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let freed = self.live.borrow_mut().remove(&self.offset(block));
        assert!(freed.is_some(), "a block was freed that is not alive");
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let freed = self.live.borrow_mut().remove(&self.offset(block));
        assert_eq!(freed, Some(layout.size()), "a block was freed with a size not its own");
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let offset = self.offset(block);
        let mut live = self.live.borrow_mut();
        assert_eq!(live.get(&offset), Some(&old.size()), "the size is the block's");
        let end = live.range(offset + 1..).next().map_or(self.bytes, |(next, _)| *next);
        if offset + new.size() > end {
            return Err(AllocError);
        }
        live.insert(offset, new.size());
        Ok(self.slice(offset, new.size()))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.live.borrow()[&self.offset(block)]
    }

    fn stats(&self) -> Stats {
        let live = self.live.borrow();
        let requested = live.values().sum();
        let reserved = self.bytes;
        Stats { live: live.len(), requested, granted: requested, reserved, ..Stats::default() }
    }

    fn name(&self) -> &str {
        "toy"
    }

    fn owns(&self, address: *const u8) -> bool {
        self.region().contains(&address.addr())
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        for (offset, bytes) in self.live.borrow().iter() {
            let address = self.slice(*offset, *bytes).cast();
            visit(Block { address, bytes: *bytes, site: None });
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        Ok(())
    }
}
