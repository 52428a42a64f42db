//! The words around a single block, and reports about damage to several blocks.

use core::ptr::NonNull;
use std::format;
use std::vec::Vec;

use super::super::header::{HEADER, Header, TOTAL_MAX, header_of};
use super::{ignore, layout, memory, scribble, take};
use crate::contract::allocator::tests::Noting;
use crate::contract::allocator::{AllocError, Allocator, Damage};
use crate::contract::stats::Stats;
use crate::heaps::heap::HeapAllocator;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{TestBacking, misuse_of};
use crate::wrappers::canary::CanaryAllocator;

/// From the start of a header to its block.
const FRONT: usize = HEADER + 8;

#[test]
fn a_fresh_one_has_counted_nothing() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    assert_eq!(canary.stats(), Stats { exact: true, ..Stats::default() }, "nothing so far");
}

#[test]
fn the_sizes_are_those_of_the_picture() {
    for shift in 0..13 {
        let align = 1_usize << shift;
        for size in [1, 7, 8, 100] {
            let below = CanaryAllocator::layout_for(layout(size, align));
            let front = FRONT.next_multiple_of(align.max(8));
            assert_eq!(below, layout(front + size + 16, align.max(8)), "{size} at {align}");
        }
    }
    let largest = CanaryAllocator::layout_for(layout(TOTAL_MAX - FRONT - 16, 8));
    assert_eq!(largest, layout(TOTAL_MAX, 8), "the largest that exists");
    for align in [1, 8, 64, 4096] {
        let refused = CanaryAllocator::layout_for(layout(TOTAL_MAX, align));
        let greatest = layout(isize::MAX as usize - (align - 1), align);
        assert_eq!(refused, greatest, "every backing refuses it, at {align}");
    }
}

#[test]
fn memory_is_zeroed_by_the_backing_where_that_is_asked() {
    let noting = Noting::new();
    let canary = CanaryAllocator::new_in("canary", &noting);
    let plain = take(&canary, 10, 8);
    assert_eq!(noting.calls(), ["allocate"], "contents do not matter");
    let zeroed = canary.allocate_zeroed(layout(10, 8)).expect("there is memory").cast();
    assert_eq!(noting.calls(), ["allocate_zeroed"], "the backing may have zeroed memory");
    for block in [plain, zeroed] {
        // SAFETY: the block is live and freed once.
        unsafe { canary.deallocate(block) };
    }
}

#[test]
fn a_block_stays_where_it_can() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &frame);
    let block = take(&canary, 10, 8);
    // SAFETY: the block is live and of these layouts, one after the other.
    let grown = unsafe { canary.reallocate(block, layout(10, 8), layout(90, 8)) };
    assert_eq!(grown.expect("it is the last").cast(), block, "as aligned as before");
    // SAFETY: as above.
    unsafe { canary.deallocate(block) };

    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let block = take(&canary, 10, 8);
    // SAFETY: the block is live and of this layout.
    let same = unsafe { canary.resize_in_place(block, layout(10, 8), layout(10, 8)) };
    assert_eq!(same.expect("nothing is to be done").len(), 10, "the backing is not asked");
    // SAFETY: as above.
    let more = unsafe { canary.resize_in_place(block, layout(10, 8), layout(11, 8)) };
    assert_eq!(more, Err(AllocError), "the backing refuses any other size");
    // SAFETY: the block is live.
    unsafe { canary.deallocate(block) };
}

#[test]
fn a_wrong_size_beside_zero_and_one_is_told() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let [byte, long] = [1, 64].map(|size| take(&canary, size, 8));
    for (block, told) in [(byte, 3), (long, 0), (long, 1)] {
        // SAFETY: the block is live; the call reports and changes nothing.
        let report = misuse_of(|| unsafe { canary.deallocate_sized(block, layout(told, 8)) });
        assert!(report.contains("wrong size"), "{told}: {report}");
    }
    // A block of size zero is one byte long, and either size is right.
    // SAFETY: the blocks are live, and their sizes are right.
    unsafe { canary.deallocate_sized(byte, layout(0, 8)) };
    // SAFETY: as above.
    unsafe { canary.deallocate_sized(long, layout(64, 8)) };
}

#[test]
fn a_header_holds_where_it_was_written_alone() {
    for secret in [0, 1, 0x5555_5555_5555_5555, u64::MAX] {
        let mut places = [[0_u64; HEADER / 8]; 2];
        let [at, other] = places.each_mut().map(|place| NonNull::from(place).cast::<Header>());
        // SAFETY: the place is as long as a header.
        unsafe { Header::write_first(at, core::ptr::null_mut(), 0x642, secret) };
        // SAFETY: as above.
        let header = unsafe { Header::read(at) };
        assert!(header.is_sealed(at, secret), "{secret:x}");
        assert!(!header.is_sealed(other, secret), "{secret:x}: elsewhere");
        assert!(!header.is_sealed(at, secret ^ 1), "{secret:x}: another's");
        assert!(!header.is_dead(at, secret), "{secret:x}");
    }
}

#[test]
fn what_was_freed_is_known_after_a_move() {
    let mut memory = memory(16 << 10);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &frame);
    // The frame overwrites nothing, and this block keeps the freed memory below it from being
    // reused.
    let dead = take(&canary, 64, 8);
    let above = frame.allocate(layout(8, 8)).expect("there is room").cast();
    // SAFETY: the block is live.
    unsafe { canary.deallocate(dead) };
    let moved = std::boxed::Box::new(canary);
    let other = take(&*moved, 200, 8);
    // SAFETY: the block is live.
    unsafe { moved.deallocate(other) };
    // SAFETY: not kept, on purpose; the call reports and changes nothing.
    let report = misuse_of(|| unsafe { moved.deallocate(dead) });
    assert!(report.contains("double free"), "{report}");
    // SAFETY: the block is live.
    unsafe { frame.deallocate(above) };
}

#[test]
fn the_address_behind_a_block_is_outside() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &frame);
    let block = take(&canary, 64, 8);
    for (offset, name) in [(64 + 15, "interior free"), (64 + 16, "foreign free")] {
        let wrong = NonNull::new(block.as_ptr().wrapping_add(offset)).expect("not null");
        // SAFETY: not kept, on purpose; the call reports and changes nothing.
        let report = misuse_of(|| unsafe { canary.deallocate(wrong) });
        assert!(report.contains(name), "{offset}: {report}");
    }
    // SAFETY: the block is live.
    unsafe { canary.deallocate(block) };
}

#[test]
fn damage_on_the_way_is_told_apart_from_what_is_foreign() {
    let mut memory = memory(16 << 10);
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &heap);
    let blocks = [(); 3].map(|()| take(&canary, 64, 8));
    let bare = take(&heap, 400, 16);
    let mut elsewhere = [0_u64; 16];
    let elsewhere = NonNull::from(&mut elsewhere[8]).cast::<u8>();
    // The size in the newest block's header, through which the others are reached.
    scribble(blocks[2], -24, 3, || {
        let mut seen = Vec::new();
        canary.walk(&mut |block| seen.push(block.address));
        assert!(seen.is_empty(), "blocks after a damaged header are not shown");
        // SAFETY: not kept, on purpose; the calls report and change nothing.
        let inside = misuse_of(|| unsafe { canary.deallocate(bare.add(200)) });
        let words = "it is unknown whether this is a block";
        assert!(inside.contains("damage") && inside.contains(words), "{inside}");
        assert!(inside.contains(&format!("{:p}", blocks[2])), "{inside}");
        // SAFETY: as above.
        let foreign = misuse_of(|| ignore(unsafe { canary.allocated_size(elsewhere) }));
        assert!(foreign.contains("foreign free"), "no memory of the backing: {foreign}");
    });
    scribble(blocks[1], -24, 3, || {
        let mut seen = Vec::new();
        canary.walk(&mut |block| seen.push(block.address));
        assert_eq!(seen, [blocks[2]], "up to the damaged one");
    });
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { canary.deallocate(block) };
    }
    // SAFETY: the block is live.
    unsafe { heap.deallocate(bare) };
}

#[test]
fn links_and_counters_that_disagree_are_told() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let [older, younger] = [(); 2].map(|()| take(&canary, 24, 8));
    // SAFETY: both blocks are live.
    let [at, first] = [older, younger].map(|block| unsafe { header_of(block) });
    // With an adjusted check word, so that the header is valid and still wrong.
    // SAFETY: it is the header of a live block, which leads back to the younger one.
    unsafe { Header::lead_back(at, first.as_ptr(), at.as_ptr()) };
    let what = "a back link in the list of live blocks is wrong";
    let address = at.as_ptr().cast_const().cast();
    assert_eq!(canary.verify(), Err(Damage { what, address }), "the older one's");
    // SAFETY: as above; it is put back.
    unsafe { Header::lead_back(at, at.as_ptr(), first.as_ptr()) };
    let what = "the counters and the list of live blocks differ";
    let address = core::ptr::from_ref(&canary).cast();
    let counts = &canary.allocations_total;
    counts.set(counts.get() + 1);
    assert_eq!(canary.verify(), Err(Damage { what, address }), "a block too many");
    counts.set(counts.get() - 1);
    canary.reserved.set(canary.reserved.get() + 1);
    assert_eq!(canary.verify(), Err(Damage { what, address }), "a byte too many");
    canary.reserved.set(canary.reserved.get() - 1);
    assert_eq!(canary.verify(), Ok(()), "as it was");
    for block in [older, younger] {
        // SAFETY: the block is live.
        unsafe { canary.deallocate(block) };
    }
}
