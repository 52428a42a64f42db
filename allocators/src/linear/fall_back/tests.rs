//! Tests of blocks that fall back: counters and tables, without a near allocator.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use super::FallBack;
use crate::contract::allocator::tests::Noting;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::stats::Stats;
use crate::heaps::heap::HeapAllocator;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{TestBacking, misuse_of};

#[test]
fn peaks_are_those_of_the_sum() {
    let backing = TestBacking::new();
    let mut memory = [MaybeUninit::uninit(); 4096];
    let near = FrameAllocator::from_region("near", &mut memory);
    let layout = Layout::new::<[u8; 1000]>();
    let fall_back = FallBack::new(Some(&backing));
    let first = near.allocate(layout).expect("there is room").cast();
    let second = fall_back.allocate(layout, false).expect("there is memory").cast();
    fall_back.free(&near, first, Some(layout));
    assert_eq!(fall_back.stats(&near).peak_requested, 2000, "while both lived");
    let third = fall_back.allocate(layout, true).expect("there is memory").cast();
    fall_back.free(&near, second, None);
    fall_back.free(&near, third, Some(layout));
    let stats = fall_back.stats(&near);
    assert_eq!((stats.live, stats.peak_requested, stats.requested_total), (0, 2000, 3000));
    assert_eq!(stats.reserved, 4096 + backing.stats().granted, "the books are still there");
    let own = fall_back.own_stats();
    assert_eq!((own.peak_requested, own.allocations_total), (2000, 2));
    drop(fall_back);
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn a_drop_releases_blocks_and_books() {
    let backing = TestBacking::new();
    let fall_back = FallBack::new(Some(&backing));
    let layout = Layout::new::<[u64; 9]>();
    let blocks: Vec<_> = (0..300).map(|_| fall_back.allocate(layout, false)).collect();
    assert!(blocks.iter().all(Result::is_ok), "there is memory for all");
    assert!(blocks.iter().flatten().all(|block| fall_back.owns(block.cast().as_ptr())));
    fall_back.verify().expect("sound");
    drop(fall_back);
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn without_a_backing_all_is_refused() {
    let fall_back: FallBack<'_, TestBacking> = FallBack::new(None);
    assert_eq!(fall_back.allocate(Layout::new::<u8>(), false), Err(AllocError));
    fall_back.verify().expect("sound");
}

#[test]
fn damage_is_told() {
    let backing = TestBacking::new();
    let fall_back = FallBack::new(Some(&backing));
    let layout = Layout::new::<[u8; 100]>();
    let block = fall_back.allocate(layout, false).expect("there is memory").cast::<u8>();
    let own = fall_back.own.get();
    for wrong in
        [Stats { live: 2, ..own }, Stats { requested: 99, ..own }, Stats { granted: 101, ..own }]
    {
        fall_back.own.set(wrong);
        let damage = fall_back.verify().expect_err("a count is wrong");
        assert_eq!(damage.what, "the blocks that fell back and their counts differ", "{wrong:?}");
    }
    fall_back.own.set(own);
    fall_back.verify().expect("as it was");
    let owned = [0, 99, 100].map(|offset| fall_back.owns(block.as_ptr().wrapping_add(offset)));
    assert_eq!(owned, [true, true, false], "its hundred bytes");
    assert!(!fall_back.owns(block.as_ptr().wrapping_sub(1)), "not the byte before");
}

#[test]
fn memory_is_zeroed_by_the_backing_where_that_is_asked() {
    let noting = Noting::new();
    let fall_back = FallBack::new(Some(&noting));
    let layout = Layout::new::<[u8; 100]>();
    // The table is allocated with the first block.
    fall_back.allocate(layout, false).expect("there is memory");
    noting.calls();
    for (zeroed, call) in [(false, "allocate"), (true, "allocate_zeroed")] {
        fall_back.allocate(layout, zeroed).expect("there is memory");
        assert_eq!(noting.calls(), [call], "zeroed: {zeroed}");
    }
}

#[test]
fn a_report_of_the_backing_finds_the_counts_right() {
    let (mut memory, mut more) = ([MaybeUninit::uninit(); 64], [MaybeUninit::uninit(); 64 << 10]);
    let near = FrameAllocator::from_region("near", &mut memory);
    let heap = HeapAllocator::from_region("heap", &mut more);
    let fall_back = FallBack::new(Some(&heap));
    let layout = Layout::new::<[u8; 100]>();
    let block = fall_back.allocate(layout, false).expect("there is memory").cast();
    // SAFETY: the block is live in the heap; freeing it there is wrong, which the test checks.
    unsafe { heap.deallocate(block) };
    let report = misuse_of(|| fall_back.free(&near, block, Some(layout)));
    assert!(report.contains("`heap`") && report.contains("double free"), "{report}");
    fall_back.verify().expect("the block is gone from table and counts alike");
    assert_eq!(fall_back.own_stats().live, 0);
}

#[test]
fn a_fresh_one_has_counted_nothing_and_knows_no_block() {
    let backing = TestBacking::new();
    let mut memory = [MaybeUninit::uninit(); 64];
    let near = FrameAllocator::from_region("near", &mut memory);
    let fall_back = FallBack::new(Some(&backing));
    assert_eq!(fall_back.own_stats(), Stats { exact: true, ..Stats::default() }, "nothing");
    let mut outside = 0_u64;
    let bytes = fall_back.allocated_size(&near, NonNull::from(&mut outside).cast());
    assert_eq!(bytes, 0, "an address that is not a block has no bytes");
}

#[test]
fn a_size_that_no_block_has_is_told() {
    let backing = TestBacking::new();
    let mut memory = [MaybeUninit::uninit(); 64];
    let near = FrameAllocator::from_region("near", &mut memory);
    let bytes = |size| Layout::array::<u8>(size).expect("a layout");
    let fall_back = FallBack::new(Some(&backing));
    let block = fall_back.allocate(bytes(40), false).expect("there is memory").cast();
    for wrong in [0, 39, 41, 1000] {
        let report = misuse_of(|| fall_back.free(&near, block, Some(bytes(wrong))));
        assert!(report.contains("wrong size"), "{wrong}: {report}");
    }
    assert_eq!(fall_back.own_stats().live, 1, "nothing has changed");
    fall_back.free(&near, block, Some(bytes(40)));
}

#[test]
fn a_resize_counts_what_it_adds() {
    let (mut memory, mut more) = ([MaybeUninit::uninit(); 64], [MaybeUninit::uninit(); 16 << 10]);
    let near = FrameAllocator::from_region("near", &mut memory);
    let frame = FrameAllocator::from_region("frame", &mut more);
    let fall_back = FallBack::new(Some(&frame));
    let bytes = |size| Layout::array::<u8>(size).expect("a layout");
    // The table is allocated with the first block, so that the second is the last of the frame.
    let first = fall_back.allocate(bytes(10), false).expect("there is room").cast();
    let block = fall_back.allocate(bytes(20), false).expect("there is room").cast();
    let mut old = 20;
    for (new, total, peak) in [(50, 60, 60), (30, 60, 60), (31, 61, 60), (90, 120, 100)] {
        let resized = fall_back.resize(&near, block, bytes(old), bytes(new));
        assert_eq!(resized.map(|block| block.len()), Ok(new), "in place");
        let stats = fall_back.own_stats();
        assert_eq!((stats.live, stats.requested, stats.granted), (2, 10 + new, 10 + new), "{old}");
        assert_eq!((stats.requested_total, stats.granted_total), (total, total), "from {old}");
        assert_eq!((stats.peak_requested, stats.peak_granted), (peak, peak), "from {old}");
        fall_back.verify().expect("sound");
        old = new;
    }
    fall_back.free(&near, block, Some(bytes(90)));
    fall_back.free(&near, first, Some(bytes(10)));
}
