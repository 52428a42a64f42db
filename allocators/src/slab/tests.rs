//! The slab over a heap: the model, own classes, large blocks passed on.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;

use super::SlabAllocator;
use crate::allocator::Allocator;
use crate::heap::HeapAllocator;
use crate::heap::tests::{misuse_of, run_model};
use crate::size_classes::{ClassTable, SizeClasses};

struct Few;

impl SizeClasses for Few {
    const TABLE: &'static ClassTable = &ClassTable::new(&[32, 96, 256]);
}

#[test]
fn a_slab_over_a_heap_agrees_with_the_model() {
    for seed in 60..=66 {
        let mut memory = vec![MaybeUninit::uninit(); 2 << 20];
        let below = HeapAllocator::from_region("below", &mut memory);
        {
            let slab: SlabAllocator<'_, _> =
                SlabAllocator::with_region_bytes("slab", &below, 64 << 10);
            run_small_and_large(&slab, seed);
            slab.shrink();
            assert_eq!(slab.stats().reserved, 0, "all regions went back");
        }
        assert_eq!(below.stats().live, 0, "nothing is left below");
    }
}

/// The model walks all blocks; a slab lists its own only, so the sizes stay below its largest class.
fn run_small_and_large(slab: &dyn Allocator, seed: u64) {
    run_model(&SmallOnly(slab), seed, 3000, 8, 1500);
}

/// Refuses what the slab would pass on.
struct SmallOnly<'a>(&'a dyn Allocator);

// SAFETY: everything is the inner allocator's, or refused.
unsafe impl Allocator for SmallOnly<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, crate::AllocError> {
        if layout.size() > 256 || layout.align() > 16 {
            return Err(crate::AllocError);
        }
        self.0.allocate(layout)
    }
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.deallocate(block) }
    }
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.deallocate_sized(block, layout) }
    }
    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.allocated_size(block) }
    }
    fn stats(&self) -> crate::Stats {
        self.0.stats()
    }
    fn name(&self) -> &str {
        self.0.name()
    }
    fn owns(&self, address: *const u8) -> bool {
        self.0.owns(address)
    }
    fn walk(&self, visit: &mut dyn FnMut(crate::Block)) {
        self.0.walk(visit);
    }
    fn verify(&self) -> Result<(), crate::Damage> {
        self.0.verify()
    }
}

#[test]
fn own_classes_are_used_and_larger_requests_passed_on() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let below = HeapAllocator::from_region("below", &mut memory);
    let slab: SlabAllocator<'_, _, Few> = SlabAllocator::with_region_bytes("few", &below, 64 << 10);
    let layouts = [
        Layout::new::<u8>(),
        Layout::new::<[u8; 97]>(),
        Layout::new::<[u8; 257]>(),
    ];
    let blocks = layouts.map(|l| slab.allocate(l).expect("room"));
    assert_eq!(
        [blocks[0].len(), blocks[1].len()],
        [32, 256],
        "classes of the table"
    );
    assert_eq!(below.stats().live, 2, "one region, one large block");
    assert_eq!(slab.stats().live, 3, "both kinds are counted");
    for (block, layout) in blocks.into_iter().zip(layouts) {
        // SAFETY: the block is live with this layout.
        unsafe { slab.deallocate_sized(block.cast(), layout) };
    }
    assert_eq!(
        slab.stats().granted,
        0,
        "each counter falls by what it rose"
    );
    assert_eq!(below.stats().live, 1, "the region alone");
}

#[test]
fn wrong_frees_are_reported_by_whoever_can_tell() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let below = HeapAllocator::from_region("below", &mut memory);
    let slab: SlabAllocator<'_, _> = SlabAllocator::with_region_bytes("slab", &below, 64 << 10);
    let block = slab
        .allocate(Layout::new::<u64>())
        .expect("room")
        .cast::<u8>();
    // SAFETY: the block is live.
    unsafe { slab.deallocate(block) };
    // SAFETY: none: the double free is the point.
    let double = misuse_of(|| unsafe { slab.deallocate(block) });
    assert!(
        double.contains("double free") && double.contains("`slab`"),
        "{double}"
    );
    let outside = NonNull::from(&mut 0_u64).cast();
    // SAFETY: none: the foreign free is the point.
    let foreign = misuse_of(|| unsafe { slab.deallocate(outside) });
    assert!(
        foreign.contains("foreign free") && foreign.contains("`below`"),
        "{foreign}"
    );
}
