//! Placement and refusal of requests: sizes, alignments, resizing, reserved ranges, leaks, the
//! backing.

use core::mem::MaybeUninit;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;

use crate::blocks::buddy::tests::{Random, Region, layout};
use crate::blocks::buddy::{BlockState, BuddyAllocator, BuddyError};
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::{TestBacking, panic_of};

fn take<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>, bytes: usize) -> NonNull<u8> {
    let block = buddy.allocate(layout(bytes, 1)).expect("there is room");
    block.cast()
}

fn free<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>, blocks: &[NonNull<u8>]) {
    for block in blocks {
        // SAFETY: the tests pass live blocks, each once.
        unsafe { buddy.deallocate(*block) };
    }
}

#[test]
fn the_granted_size_is_the_next_power_of_two_from_a_leaf_on() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("sizes", 64, region.get()).expect("it fits");
    let sizes = [(0, 64), (1, 64), (64, 64), (65, 128), (128, 128), (4097, 8192)];
    for (bytes, granted) in sizes {
        let block = buddy.allocate(layout(bytes, 1)).expect("there is room");
        assert_eq!(block.len(), granted);
        // SAFETY: the block is live.
        assert_eq!(unsafe { buddy.allocated_size(block.cast()) }, granted);
        let other = take(&buddy, bytes);
        assert_ne!(block.cast(), other, "a block of {bytes} bytes is a distinct one");
        // SAFETY: both are live and freed once, with their layout.
        unsafe { buddy.deallocate_sized(block.cast(), layout(bytes, 1)) };
        free(&buddy, &[other]);
    }
    let stats = buddy.stats();
    assert_eq!((stats.live, stats.granted, stats.exact), (0, 0, false));
    assert_eq!(stats.requested_total, 2 * (2 + 64 + 65 + 128 + 4097));
    assert_eq!((stats.reserved, stats.peak_reserved), (1 << 16, 1 << 16));
}

#[test]
fn sizes_near_the_greatest_are_refused_and_change_nothing() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("huge", 16, region.get()).expect("it fits");
    let before = buddy.stats();
    for bytes in
        [1 << 16, 1 << 17, 1 << (usize::BITS / 2), isize::MAX as usize - 4095, isize::MAX as usize]
    {
        assert_eq!(buddy.allocate(layout(bytes, 1)), Err(AllocError), "{bytes}");
    }
    for align in [1 << 21, 1 << (usize::BITS - 24), 1 << (usize::BITS - 2)] {
        // The region is at an odd multiple of 2^20 at least half of the time; the only guarantee is
        // that a returned block is aligned.
        if let Ok(block) = buddy.allocate(layout(1, align)) {
            assert_eq!(block.cast::<u8>().addr().get() % align, 0);
            free(&buddy, &[block.cast()]);
        }
    }
    let block = take(&buddy, 100);
    // SAFETY: the block is live and was asked so.
    let grown =
        unsafe { buddy.resize_in_place(block, layout(100, 1), layout(isize::MAX as usize, 1)) };
    assert_eq!(grown, Err(AllocError));
    free(&buddy, &[block]);
    assert_eq!(buddy.stats().granted, before.granted);
    buddy.verify().expect("the tree is sound");
}

#[test]
fn any_alignment_that_the_region_holds_is_served_wherever_it_starts() {
    for skew in [0, 1, 16, 24, 4096, 12_345, 300_000] {
        let mut region = Region::new(3 << 20, skew);
        for leaf in [16, 64, 4096] {
            let buddy =
                BuddyAllocator::from_region("aligned", leaf, region.get()).expect("it fits");
            let mut blocks = Vec::new();
            for shift in (0..=20).rev() {
                for bytes in [1, 100, 5000] {
                    let block = buddy.allocate(layout(bytes, 1 << shift)).expect("there is room");
                    assert_eq!(block.cast::<u8>().addr().get() % (1 << shift), 0);
                    blocks.push(block.cast());
                    // One large alignment at a time: a region of 3 MiB has room for two or three.
                    if shift > 16 {
                        free(&buddy, &[blocks.pop().expect("one was pushed")]);
                    }
                }
            }
            buddy.verify().expect("the tree is sound");
            free(&buddy, &blocks);
        }
    }
}

#[test]
fn an_aligned_block_costs_no_more_than_its_size() {
    let mut region = Region::new(1 << 20, 0);
    let buddy = BuddyAllocator::from_region("aligned", 64, region.get()).expect("it fits");
    let block = buddy.allocate(layout(64, 1 << 16)).expect("there is room");
    assert_eq!((block.len(), buddy.stats().granted), (64, 64));
    // SAFETY: the block is live, was asked so, and is freed once.
    unsafe { buddy.deallocate_sized(block.cast(), layout(64, 1 << 16)) };
}

#[test]
fn a_block_grows_into_free_buddies_and_shrinks_by_halves() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("grow", 16, region.get()).expect("it fits");
    assert!(!buddy.tree.fronts().is_empty(), "freed leaves are held back here");
    let leaf = |at: usize| {
        let offset = (1 << 15) + 16 * at;
        buddy.reserve_range(offset, 16).expect("it is free");
        buddy.at_offset(offset).expect("it was just taken")
    };
    let (first, rest) = (leaf(0), [1, 2, 3, 4, 5, 6, 7].map(leaf));
    let resize = |from, to| {
        // SAFETY: `first` is live and of `from` bytes, as the calls below have it.
        unsafe { buddy.resize_in_place(first, layout(from, 16), layout(to, 16)) }
    };
    assert_eq!(resize(16, 32), Err(AllocError), "the right buddy is live");
    free(&buddy, &rest[..1]);
    assert_eq!(resize(16, 32).expect("the buddy waits in a front").len(), 32);
    assert_eq!(resize(32, 128), Err(AllocError));
    free(&buddy, &rest[1..]);
    assert_eq!(resize(32, 128).expect("all parts wait in fronts").len(), 128);
    buddy.verify().expect("the tree is sound");
    assert_eq!(resize(128, 20).expect("halves go back").len(), 32);
    assert_eq!(buddy.stats().granted, 32);
    assert_eq!(resize(20, 0).expect("a leaf is the least").len(), 16);
    // SAFETY: the block is live with this layout and freed once.
    unsafe { buddy.deallocate_sized(first, layout(0, 16)) };
    assert_eq!(buddy.stats().peak_granted, 128);
}

#[test]
fn what_the_fronts_hold_is_found_before_a_refusal() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("waiting", 16, region.get()).expect("it fits");
    let largest = layout(1 << 15, 1);
    let all: Vec<_> = core::iter::from_fn(|| buddy.allocate(layout(16, 1)).ok()).collect();
    for block in &all {
        // SAFETY: each block is live and freed once, with its layout.
        unsafe { buddy.deallocate_sized(block.cast(), layout(16, 1)) };
    }
    let block = buddy.allocate(largest).expect("all is free, so half of the tree is one block");
    // SAFETY: the block is live and freed once.
    unsafe { buddy.deallocate(block.cast()) };
    assert_eq!(buddy.block_state(1, 1), BlockState::Free);
}

#[test]
fn a_reserved_range_is_live_until_it_is_released() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("range", 64, region.get()).expect("it fits");
    let from = 32 << 10;
    buddy.reserve_range(from + 10, 300).expect("it is free");
    // Leaves 0 to 4 of the second half: one block of four and one of one.
    assert_eq!((buddy.stats().live, buddy.stats().granted), (2, 5 * 64));
    assert_eq!(buddy.reserve_range(from + 319, 1), Err(AllocError));
    assert_eq!(buddy.reserve_range(0, 1), Err(AllocError), "the metadata is there");
    assert_eq!(buddy.reserve_range(1 << 16, 1), Err(AllocError));
    assert_eq!(buddy.reserve_range(64, usize::MAX), Err(AllocError));
    let block = buddy.at_offset(from).expect("a block starts there");
    assert_eq!(buddy.offset_of(block), Some(from));
    assert_eq!(buddy.at_offset(from + 64), None, "inside a block");
    let served: usize = {
        let mut blocks = Vec::new();
        while let Ok(block) = buddy.allocate(layout(64, 1)) {
            let at = buddy.offset_of(block.cast()).expect("it is ours");
            assert!(at + 64 <= from || at >= from + 320, "{at} is reserved");
            blocks.push(block.cast());
        }
        free(&buddy, &blocks);
        blocks.len()
    };
    assert_eq!(served, ((1 << 16) - buddy.overhead_bytes()) / 64 - 5);
    // SAFETY: the range is not used.
    unsafe { buddy.release_range(from + 10, 300) };
    assert_eq!(buddy.stats().live, 0);
}

#[test]
fn a_leak_is_reported_with_its_blocks() {
    let mut region = Region::new(1 << 16, 0);
    let text = catch_unwind(AssertUnwindSafe(|| {
        let buddy = BuddyAllocator::from_region("leaky", 16, region.get()).expect("it fits");
        let blocks: Vec<_> = (0..20).map(|_| take(&buddy, 16)).collect();
        free(&buddy, &blocks[18..]);
    }))
    .expect_err("dropping it with live blocks panics");
    let text = text.downcast_ref::<String>().expect("the report is a text");
    assert!(text.contains("`leaky` was dropped with 18 live blocks of 288 bytes"), "{text}");
    assert!(text.contains("16 bytes\n  and 2 more"), "{text}");
}

#[test]
fn memory_from_a_backing_goes_back_even_after_a_leak() {
    let mut region = Region::new(1 << 18, 0);
    let backing = BuddyAllocator::from_region("backing", 64, region.get()).expect("it fits");
    let buddy = BuddyAllocator::new_in("inner", 100_000, 64, &backing).expect("it fits");
    assert_eq!(backing.stats().live, 1);
    assert_eq!(buddy.stats().reserved, 1 << 17, "granted memory is used");
    assert_eq!(buddy.backing().map(Allocator::name), Some("backing"));
    drop(buddy);
    assert_eq!(backing.stats().live, 0);
    let leaking = catch_unwind(AssertUnwindSafe(|| {
        let buddy = BuddyAllocator::new_in("inner", 100_000, 64, &backing).expect("it fits");
        take(&buddy, 1);
    }));
    assert!(leaking.is_err(), "a leak panics");
    assert_eq!(backing.stats().live, 0);
    let none = BuddyAllocator::new_in("inner", 1 << 20, 64, &backing);
    assert_eq!(none.err(), Some(BuddyError::NoMemory));
    let backing: &dyn Allocator = &backing;
    drop(BuddyAllocator::new_in("dynamic", 10_000, 64, backing).expect("it fits"));
}

#[test]
fn what_cannot_be_made_is_refused_with_the_reason() {
    let mut small = [MaybeUninit::uninit(); 200];
    for leaf_bytes in [0, 1, 8, 48, 100] {
        let made = BuddyAllocator::from_region("bad", leaf_bytes, &mut small);
        assert_eq!(made.err(), Some(BuddyError::BadLeaf { leaf_bytes }));
    }
    for bytes in 0..150 {
        let made = BuddyAllocator::from_region("small", 16, &mut small[..bytes]);
        assert_eq!(made.err(), Some(BuddyError::TooSmall { bytes }));
    }
    for leaf_bytes in [256, 1 << (usize::BITS - 24), 1 << (usize::BITS - 1)] {
        let made = BuddyAllocator::from_region("small", leaf_bytes, &mut small);
        assert_eq!(made.err(), Some(BuddyError::TooSmall { bytes: 200 }));
    }
    let made = BuddyAllocator::from_region("small", 16, &mut small).expect("a leaf fits");
    free(&made, &[take(&made, 1)]);
}

#[test]
fn a_wrong_leaf_is_refused_before_the_backing_is_asked() {
    let backing = TestBacking::new();
    for leaf_bytes in [0, 8, 48, 100, 4095, 5000] {
        let made = BuddyAllocator::new_in("bad", 1 << 16, leaf_bytes, &backing);
        assert_eq!(made.err(), Some(BuddyError::BadLeaf { leaf_bytes }));
    }
    assert_eq!(backing.requests(), 0, "nothing was requested");
}

#[test]
fn the_backing_is_asked_for_the_alignment_of_a_leaf_within_limits() {
    let backing = TestBacking::new();
    for (leaf_bytes, align) in [(16, 64), (64, 64), (1024, 1024), (4096, 4096), (8192, 4096)] {
        let buddy =
            BuddyAllocator::new_in("aligned", 1 << 17, leaf_bytes, &backing).expect("it fits");
        let asked = backing.layout_at(buddy.region().cast::<u8>().as_ptr());
        assert_eq!(asked, Some(layout(1 << 17, align)), "leaves of {leaf_bytes} bytes");
        assert_eq!(buddy.leaf_bytes(), leaf_bytes, "as asked");
    }
}

#[test]
fn settling_merges_what_waits() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("settle", 16, region.get()).expect("it fits");
    let waiting = || buddy.tree.fronts().iter().map(|front| front.count()).sum::<usize>();
    let blocks = [take(&buddy, 16), take(&buddy, 16), take(&buddy, 32)];
    free(&buddy, &blocks);
    assert_eq!(waiting(), 3, "each waits in its front");
    buddy.settle();
    assert_eq!(waiting(), 0, "merged");
    buddy.verify().expect("the tree is sound");
}

#[test]
fn a_resize_counts_the_bytes_that_are_asked_more() {
    let mut region = Region::new(1 << 14, 0);
    let buddy = BuddyAllocator::from_region("counts", 64, region.get()).expect("it fits");
    // At a place where it can grow to 512 bytes.
    let block = buddy.allocate(layout(0, 512)).expect("there is room").cast();
    assert_eq!(buddy.stats().requested_total, 1, "zero bytes are served as one");
    let sizes = [(0, 5, 5), (5, 70, 70), (70, 3, 70), (3, 0, 70), (0, 0, 70), (0, 300, 369)];
    for (from, to, total) in sizes {
        // SAFETY: the block is live and of `from` bytes, as the sizes follow each other.
        let resized = unsafe { buddy.resize_in_place(block, layout(from, 1), layout(to, 1)) };
        let granted = to.next_power_of_two().max(64);
        assert_eq!(resized.expect("all else is free").len(), granted, "{from} to {to}");
        assert_eq!(buddy.stats().requested_total, total, "{from} to {to}");
    }
    free(&buddy, &[block]);
}

#[test]
fn a_panic_that_unwinds_is_not_replaced_by_the_report_of_a_leak() {
    let told = panic_of(|| {
        let mut region = Region::new(1 << 14, 0);
        let buddy = BuddyAllocator::from_region("leaky", 64, region.get()).expect("it fits");
        take(&buddy, 1);
        panic!("the first reason");
    });
    assert_eq!(told, "the first reason", "the leak is written, not thrown");
}

#[test]
fn a_buddy_may_cross_threads() {
    fn assert_send<T: Send>(_: &T) {}
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("sent", 64, region.get()).expect("it fits");
    assert_send(&buddy);
    std::thread::scope(|scope| {
        scope.spawn(move || free(&buddy, &[take(&buddy, 100)]));
    });
}

#[test]
fn blocks_are_where_the_allocator_says_it_owns_them() {
    let mut region = Region::new(10_000, 16);
    let mut random = Random::new(99);
    let buddy = BuddyAllocator::from_region("owner", 32, region.get()).expect("it fits");
    let start = buddy.region().cast::<u8>();
    let owned = |at: usize| buddy.owns(start.as_ptr().wrapping_add(at));
    assert!(!owned(0) && !owned(buddy.overhead_bytes() - 1) && !owned(10_000));
    assert!(owned(buddy.overhead_bytes()) && owned(9000));
    for _ in 0..100 {
        let block = take(&buddy, random.below(500));
        assert!(buddy.owns(block.as_ptr()));
        free(&buddy, &[block]);
    }
}
