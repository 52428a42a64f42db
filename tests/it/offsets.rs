//! Allocators of offsets as allocators over memory of the test's, so that every suite applies.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};
use loligo_tests::Region;
use loligo_tests::models::NaiveAllocator;

/// What divides offsets.
pub(crate) trait Offsets {
    fn allocate(&self, bytes: u64, align: u64) -> Result<u64, AllocError>;
    fn free(&self, offset: u64);
    fn free_sized(&self, offset: u64, bytes: u64);
    fn resize_in_place(&self, offset: u64, old: u64, new: u64) -> Result<(), AllocError>;
    fn allocated_size(&self, offset: u64) -> u64;
    fn stats(&self) -> Stats;
    fn name(&self) -> &str;
    fn walk(&self, visit: &mut dyn FnMut(u64, u64));
    fn verify(&self) -> Result<(), Damage>;
}

/// Blocks of a region, their places given out as offsets from its start, which is aligned as no
/// request asks.
struct InMemory<O> {
    offsets: O,
    base: NonNull<u8>,
    bytes: usize,
}

impl<O: Offsets> InMemory<O> {
    fn at(&self, offset: u64) -> NonNull<u8> {
        // SAFETY: offsets given out are within the region.
        unsafe { self.base.add(offset as usize) }
    }

    fn offset(&self, block: NonNull<u8>) -> u64 {
        (block.addr().get() - self.base.addr().get()) as u64
    }

    fn slice(&self, offset: u64) -> NonNull<[u8]> {
        let bytes = self.offsets.allocated_size(offset);
        NonNull::slice_from_raw_parts(self.at(offset), bytes as usize)
    }
}

// SAFETY: what the offsets guarantee for ranges holds for the memory at those offsets.
unsafe impl<O: Offsets> Allocator for InMemory<O> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let offset = self.offsets.allocate(layout.size() as u64, layout.align() as u64)?;
        Ok(self.slice(offset))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.offsets.free(self.offset(block));
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.offsets.free_sized(self.offset(block), layout.size() as u64);
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let offset = self.offset(block);
        self.offsets.resize_in_place(offset, old.size() as u64, new.size() as u64)?;
        Ok(self.slice(offset))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.offsets.allocated_size(self.offset(block)) as usize
    }

    fn stats(&self) -> Stats {
        self.offsets.stats()
    }

    fn name(&self) -> &str {
        self.offsets.name()
    }

    fn owns(&self, address: *const u8) -> bool {
        address.addr().wrapping_sub(self.base.addr().get()) < self.bytes
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.offsets.walk(&mut |offset, bytes| {
            visit(Block { address: self.at(offset), bytes: bytes as usize, site: None });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        self.offsets.verify()
    }
}

/// Runs a test over an allocator of offsets that `make` makes, with its table in memory that is
/// empty afterwards.
pub(crate) fn over<'t, O: Offsets>(
    bytes: usize,
    memory: &'t NaiveAllocator,
    make: impl FnOnce(&'t NaiveAllocator) -> O,
    test: &mut dyn FnMut(&dyn Allocator),
) {
    let mut region = Region::new(bytes, 4 << 20);
    {
        let base = NonNull::from(region.memory()).cast();
        let blocks = InMemory { offsets: make(memory), base, bytes };
        test(&blocks);
        assert_eq!(blocks.stats().live, 0, "offsets hold no memory whose leak would panic");
    }
    assert_eq!(memory.stats().live, 0, "the table goes back");
}
