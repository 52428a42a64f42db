//! The slab over a heap: the model, own classes, large blocks passed on and found again.

mod exact;
mod small_world;

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use super::SlabAllocator;
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::heap::HeapAllocator;
use crate::heaps::heap::tests::{misuse_of, run_model};
use crate::heaps::size_classes::{ClassTable, SizeClasses};
use crate::testing::test_backing::{TestBacking, panic_of};

const LARGE: Layout = Layout::new::<[u8; 5000]>();

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
            let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &below);
            run_model(&slab, seed, 3000, if seed % 2 == 0 { 8 } else { 14 }, 1500);
            slab.shrink();
            assert_eq!(slab.stats().reserved, 0, "all regions and the table went back");
        }
        assert_eq!(below.stats().live, 0, "nothing is left below");
    }
}

#[test]
fn own_classes_are_used_and_larger_requests_passed_on() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let below = HeapAllocator::from_region("below", &mut memory);
    let slab: SlabAllocator<'_, _, Few> = SlabAllocator::with_classes_in("few", 64 << 10, &below);
    let layouts = [Layout::new::<u8>(), Layout::new::<[u8; 97]>(), Layout::new::<[u8; 257]>()];
    let blocks = layouts.map(|l| slab.allocate(l).expect("room"));
    assert_eq!([blocks[0].len(), blocks[1].len()], [32, 256], "classes of the table");
    assert_eq!(below.stats().live, 3, "one region, one large block, its table");
    assert_eq!(slab.stats().live, 3, "both kinds are counted");
    for (block, layout) in blocks.into_iter().zip(layouts) {
        // SAFETY: the block is live with this layout.
        unsafe { slab.deallocate_sized(block.cast(), layout) };
    }
    assert_eq!(slab.stats().granted, 0, "each counter falls by what it rose");
    assert_eq!(below.stats().live, 2, "the region and the table");
}

#[test]
fn wrong_frees_are_reported_by_the_slab() {
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let below = HeapAllocator::from_region("below", &mut memory);
    let slab = SlabAllocator::with_region_bytes_in("slab", 64 << 10, &below);
    let block = slab.allocate(Layout::new::<u64>()).expect("room").cast::<u8>();
    // SAFETY: the block is live.
    unsafe { slab.deallocate(block) };
    // SAFETY: none: the double free is the point.
    let double = misuse_of(|| unsafe { slab.deallocate(block) });
    assert!(double.contains("double free") && double.contains("`slab`"), "{double}");
    let outside = NonNull::from(&mut 0_u64).cast();
    // SAFETY: none: the foreign free is the point.
    let foreign = misuse_of(|| unsafe { slab.deallocate(outside) });
    assert!(foreign.contains("foreign free") && foreign.contains("`slab`"), "{foreign}");
}

fn over(backing: &TestBacking) -> SlabAllocator<'_, TestBacking> {
    SlabAllocator::with_region_bytes_in("slab", 64 << 10, backing)
}

fn large(slab: &dyn Allocator) -> NonNull<u8> {
    slab.allocate(LARGE).expect("room").cast()
}

/// The blocks that a walk shows.
fn listed(slab: &dyn Allocator) -> Vec<(NonNull<u8>, usize)> {
    let mut blocks = Vec::new();
    slab.walk(&mut |block| blocks.push((block.address, block.bytes)));
    blocks
}

/// Expects a report of the slab, after which all counters are as before.
fn reports(slab: &dyn Allocator, what: &str, wrong: impl FnOnce()) {
    let before = (slab.stats(), listed(slab));
    let report = misuse_of(wrong);
    assert!(report.contains(what) && report.contains("`slab`"), "{report}");
    assert_eq!((slab.stats(), listed(slab)), before, "a report changes nothing");
    slab.verify().expect("sound");
}

#[test]
fn wrong_frees_of_large_blocks_change_nothing() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let sibling = backing.allocate(LARGE).expect("room").cast::<u8>();
    for _ in 0..2 {
        // SAFETY: none: the block is a sibling's. So in all calls that are reported here.
        reports(&slab, "foreign free", || unsafe { slab.deallocate(sibling) });
        // SAFETY: none.
        reports(&slab, "foreign free", || unsafe {
            slab.deallocate_sized(sibling, LARGE);
        });
        // SAFETY: none.
        reports(&slab, "foreign free", || unsafe {
            let _ = slab.reallocate(sibling, LARGE, Layout::new::<[u8; 6000]>());
        });
        // SAFETY: none.
        reports(&slab, "foreign free", || unsafe {
            let _ = slab.resize_in_place(sibling, LARGE, Layout::new::<[u8; 4000]>());
        });
        // SAFETY: none.
        reports(&slab, "foreign free", || unsafe {
            slab.allocated_size(sibling);
        });
        // The second time around there is a table.
        let own = large(&slab);
        // SAFETY: the block has 5000 bytes.
        let inside = unsafe { own.add(48) };
        // SAFETY: none.
        reports(&slab, "interior free", || unsafe { slab.deallocate(inside) });
        // SAFETY: none.
        reports(&slab, "wrong size", || unsafe {
            slab.deallocate_sized(own, Layout::new::<[u8; 5001]>());
        });
        // SAFETY: the block is live.
        unsafe { slab.deallocate(own) };
        // SAFETY: none.
        reports(&slab, "double free", || unsafe { slab.deallocate(own) });
    }
    // SAFETY: the block is the backing's and live.
    unsafe { backing.deallocate(sibling) };
}

#[test]
fn a_refused_table_refuses_the_request_and_nothing_changes() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let mut blocks = Vec::new();
    let mut refused = 0;
    for _ in 0..40 {
        // The block is served and the table refused; then the block is refused.
        for nth in [1, 0] {
            let (before, below) = (slab.stats(), backing.stats());
            let requests = backing.requests();
            backing.refuse_nth(nth);
            let served = slab.allocate(LARGE);
            backing.refuse_none();
            if backing.requests() == requests + nth {
                // No table was asked for: nothing was refused.
                blocks.push(served.expect("room").cast::<u8>());
                continue;
            }
            refused += 1;
            assert_eq!(served, Err(AllocError), "refused below");
            assert_eq!(slab.stats(), before, "a refusal changes nothing");
            let below = (below.live, below.granted);
            let now = backing.stats();
            assert_eq!((now.live, now.granted), below, "the block went back");
            slab.verify().expect("sound");
        }
        blocks.push(large(&slab));
    }
    assert!(refused > 40, "tables were refused too: {refused}");
    assert_eq!(listed(&slab).len(), blocks.len(), "each block is listed");
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { slab.deallocate_sized(block, LARGE) };
    }
    slab.verify().expect("sound");
    slab.shrink();
    assert_eq!(slab.stats().reserved, 0, "the table went back");
    assert_eq!(backing.stats().live, 0, "nothing is left below");
}

#[test]
fn a_table_that_has_become_too_large_shrinks_or_stays() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let blocks: Vec<_> = (0..100).map(|_| large(&slab)).collect();
    for &block in &blocks[3..] {
        // SAFETY: the block is live.
        unsafe { slab.deallocate(block) };
    }
    let table = |slab: &SlabAllocator<'_, TestBacking>| slab.stats().reserved - 3 * 5000;
    let full = table(&slab);
    assert_eq!(full, 256 * 2 * size_of::<usize>(), "100 blocks fill less than half");
    backing.refuse_from(0);
    slab.shrink();
    assert_eq!(table(&slab), full, "without memory the table stays");
    backing.refuse_none();
    slab.shrink();
    assert_eq!(table(&slab), 16 * 2 * size_of::<usize>(), "the least table");
    slab.verify().expect("sound");
    for &block in &blocks[..3] {
        // SAFETY: the block is live.
        unsafe { slab.deallocate(block) };
    }
}

#[test]
fn large_blocks_are_owned_listed_and_reported_as_leaks() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let small = slab.allocate(Layout::new::<u64>()).expect("room").cast();
    let block = large(&slab);
    assert_eq!(listed(&slab)[1], (block, 5000), "small ones first");
    // SAFETY: the block is live.
    assert_eq!(unsafe { slab.allocated_size(block) }, 5000, "as granted");
    assert!(slab.owns(block.as_ptr().wrapping_add(4999)), "its last byte");
    assert!(!slab.owns(block.as_ptr().wrapping_add(5000)), "past it");
    // SAFETY: the block is live.
    unsafe { slab.deallocate(small) };
    let leak = panic_of(|| drop(slab));
    assert!(
        leak.contains("1 live block of 5000 bytes") && leak.contains(&std::format!("{block:p}")),
        "{leak}"
    );
    // SAFETY: the slab is gone and the block still the backing's.
    unsafe { backing.deallocate(block) };
}

#[test]
fn a_large_block_becomes_small_in_a_slot_or_where_it_is() {
    let little = Layout::new::<[u8; 24]>();
    for (bytes, in_slot) in [(256 << 10, true), (60 << 10, false)] {
        let mut memory = vec![MaybeUninit::uninit(); bytes];
        let below = HeapAllocator::from_region("below", &mut memory);
        let slab = SlabAllocator::new_in("slab", &below);
        let block = large(&slab);
        // SAFETY: the block has 5000 bytes.
        unsafe { block.write_bytes(7, 24) };
        // SAFETY: the block is live with this layout.
        let now = unsafe { slab.reallocate(block, LARGE, little) }.expect("less room");
        assert_eq!(now.cast() == block, !in_slot, "no region, no slot");
        // SAFETY: the block is live.
        let bytes = unsafe { now.as_ref() };
        assert!(bytes[..24].iter().all(|&b| b == 7), "kept");
        slab.verify().expect("sound");
        // SAFETY: the block is live with this layout.
        let again = unsafe { slab.reallocate(now.cast(), little, LARGE) }.expect("room");
        // SAFETY: the block is live.
        let bytes = unsafe { again.as_ref() };
        assert!(bytes[..24].iter().all(|&b| b == 7), "kept");
        assert_eq!(slab.stats().live, 1, "one block all the time");
        // SAFETY: the block is live with this layout.
        unsafe { slab.deallocate_sized(again.cast(), LARGE) };
        assert_eq!(slab.stats().granted, 0, "each counter falls by what it rose");
    }
}

#[test]
fn verify_sees_a_large_block_in_a_region_of_small_ones() {
    let backing = TestBacking::new();
    let slab = over(&backing);
    let small = slab.allocate(Layout::new::<u64>()).expect("room").cast();
    let block = large(&slab);
    let planted = super::passed::PassedOn { address: small, bytes: 8 };
    assert!(slab.passed.insert(planted), "there is a slot");
    let damage = slab.verify().expect_err("planted");
    assert_eq!(damage.address, small.as_ptr().cast_const(), "{damage}");
    slab.passed.remove(small);
    for block in [small, block] {
        // SAFETY: the block is live.
        unsafe { slab.deallocate(block) };
    }
}

/// Classes with one of a middle size.
#[derive(Debug)]
struct WithBuffers;

impl SizeClasses for WithBuffers {
    const TABLE: &'static ClassTable = &ClassTable::new(&[64, 3000]);
}

#[test]
fn what_a_class_of_a_middle_size_serves_is_not_passed_on() {
    let mut memory = vec![MaybeUninit::uninit(); 16 << 20];
    let backing = HeapAllocator::from_region("below", &mut memory);
    let slab: SlabAllocator<'_, _, WithBuffers> =
        SlabAllocator::with_classes_in("slab", 8 << 20, &backing);
    let layout = |bytes| Layout::from_size_align(bytes, 8).expect("a layout");
    let mut live: Vec<_> = (0..400)
        .map(|nth| slab.allocate(layout(65 + nth * 7)).expect("room").cast::<u8>())
        .collect();
    assert_eq!(backing.stats().live, 1, "all are in one region");
    // As many come and go until they are in slabs, which have slots of one size.
    for turn in 0..4000 {
        let nth = turn * 7 % live.len();
        // SAFETY: the block is live and not used again.
        unsafe { slab.deallocate(live[nth]) };
        live[nth] = slab.allocate(layout(65 + turn % 2936)).expect("room").cast();
    }
    slab.verify().expect("sound");
    // SAFETY: the block is live.
    let largest = live.iter().map(|&block| unsafe { slab.allocated_size(block) }).max();
    assert_eq!(largest, Some(3000), "the class");
    let more = slab.allocate(layout(3001)).expect("room");
    assert_eq!(backing.stats().live, 3, "larger ones are the backing's, with a table of them");
    for block in live.into_iter().chain([more.cast()]) {
        // SAFETY: the block is live and not used again.
        unsafe { slab.deallocate(block) };
    }
}
