//! The buddy over offsets: as an allocator over memory of the test's, so that every suite applies.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, BuddyOffsets, Damage, Stats};
use loligo_tests::models::NaiveAllocator;
use loligo_tests::programs::{Plan, Space};
use loligo_tests::{Limits, Region, conformance};

use crate::subject::Test;

/// Blocks of a region, their places given out as offsets from its start, which is aligned as no
/// request asks.
struct InMemory<'a> {
    offsets: BuddyOffsets<'a, NaiveAllocator>,
    base: NonNull<u8>,
    bytes: usize,
}

impl InMemory<'_> {
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
unsafe impl Allocator for InMemory<'_> {
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

fn over(bytes: usize, leaf_bytes: u64, test: Test<'_>) {
    let mut region = Region::new(bytes, 4 << 20);
    let memory = NaiveAllocator::new("memory", 4 << 20);
    {
        let offsets = BuddyOffsets::new_in("offsets", bytes as u64, leaf_bytes, &memory);
        let offsets = offsets.expect("the table has room");
        let base = NonNull::from(region.memory()).cast();
        let blocks = InMemory { offsets, base, bytes };
        test(&blocks);
        assert_eq!(blocks.stats().live, 0, "offsets hold no memory whose leak would panic");
    }
    assert_eq!(memory.stats().live, 0, "the table goes back");
}

/// The limits for a range of any length: a quarter of it is served surely.
fn limits(bytes: usize) -> Limits {
    let most = bytes.next_power_of_two() / 8;
    Limits { size_max: most, align_max: most, reports_leaks: false, ..Limits::region(bytes) }
}

#[test]
fn conforms() {
    for (bytes, leaf_bytes) in [(256 << 10, 64), (100_000, 1), (70_000, 1024), (4096, 4)] {
        conformance::allocator(&limits(bytes), |test| over(bytes, leaf_bytes, test));
    }
}

#[test]
fn runs_programs() {
    for (bytes, leaf_bytes) in [(64 << 10, 16), (50_001, 1), (5000, 2)] {
        let plan = Plan {
            cases: 100,
            space: Space { slots: 100, ..Space::past(&limits(bytes)) },
            regressions: Some("regressions/buddy-offsets.txt"),
            ..Plan::new(limits(bytes))
        };
        plan.check(|test| over(bytes, leaf_bytes, test));
    }
}

#[test]
fn serves_more_than_an_address_space_could_back() {
    let memory = NaiveAllocator::new("memory", 1 << 20);
    let leaf = 1 << 40;
    let offsets = BuddyOffsets::new_in("huge", 1000 << 40, leaf, &memory).expect("a small table");
    let mut taken = Vec::new();
    while let Ok(offset) = offsets.allocate(leaf, 1) {
        taken.push(offset);
    }
    taken.sort_unstable();
    assert!(taken.iter().copied().eq((0..1000).map(|index| index * leaf)), "each leaf once");
    taken.into_iter().for_each(|offset| offsets.free_sized(offset, leaf));
    offsets.verify().expect("all is free again");
    assert_eq!(offsets.stats().live, 0);
}
