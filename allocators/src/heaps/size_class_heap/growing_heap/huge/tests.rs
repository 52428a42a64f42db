//! Blocks of the backing: their contents while they grow, what they count, and wrong sizes.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::vec::Vec;

use super::{GrowingHeap, HUGE_BYTES_MIN};
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::size_classes::DefaultClasses;
use crate::testing::test_backing::{TestBacking, misuse_of};
use crate::testing::test_random::Random;

type Growing<'a> = GrowingHeap<'a, TestBacking, DefaultClasses>;

const MIB: usize = 1 << 20;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 64).expect("a valid layout")
}

fn mark(block: NonNull<u8>, bytes: usize, value: u8) {
    for at in [0, bytes / 2, bytes - 1] {
        // SAFETY: the block is ours and has as many bytes.
        unsafe { block.as_ptr().wrapping_add(at).write(value) };
    }
}

fn is_marked(block: NonNull<u8>, bytes: usize, value: u8) -> bool {
    // SAFETY: the block is ours and has as many bytes, which were written.
    [0, bytes / 2].iter().all(|&at| unsafe { block.as_ptr().wrapping_add(at).read() } == value)
}

#[test]
fn blocks_without_room_in_a_region_come_from_the_backing_and_go_back() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 0);
    let small = growing.allocate(layout(100)).expect("there is memory");
    let before = backing.stats();
    let below = growing.allocate(layout(HUGE_BYTES_MIN - 1)).expect("there is memory");
    assert!(backing.stats().granted > before.granted + HUGE_BYTES_MIN, "a region");
    growing.deallocate(below.cast(), HUGE_BYTES_MIN - 1);
    growing.shrink();
    assert_eq!(backing.stats().granted, before.granted, "the region went back");
    let block = growing.allocate(layout(HUGE_BYTES_MIN)).expect("there is memory");
    assert_eq!(backing.stats().granted, before.granted + HUGE_BYTES_MIN, "the block itself");
    assert_eq!(growing.stats().granted, 128 + HUGE_BYTES_MIN, "both");
    growing.verify().expect("sound");
    growing.deallocate(block.cast(), HUGE_BYTES_MIN);
    assert_eq!(backing.stats().granted, before.granted, "it went back");
    growing.deallocate(small.cast(), 100);
    assert_eq!(growing.stats().live, 0, "all are freed");
    growing.give_all();
    assert_eq!(backing.stats().live, 0, "all went back");
}

#[test]
fn a_block_fits_into_a_region_that_has_room() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 64 * MIB);
    let small = growing.allocate(layout(100)).expect("there is memory");
    let requests = backing.requests();
    let block = growing.allocate(layout(HUGE_BYTES_MIN)).expect("there is memory");
    assert_eq!(backing.requests(), requests, "the region has room");
    assert!(growing.resize_huge(block.cast(), layout(HUGE_BYTES_MIN), layout(1), true).is_none());
    growing.deallocate(block.cast(), HUGE_BYTES_MIN);
    growing.deallocate(small.cast(), 100);
    growing.give_all();
}

#[test]
fn huge_blocks_agree_with_a_list_while_they_change_their_sizes() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 0);
    let mut random = Random::new(11);
    let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
    for step in 0..200_u8 {
        let bytes = HUGE_BYTES_MIN + random.below(MIB);
        let roll = random.below(4);
        if live.is_empty() || (roll == 0 && live.len() < 24) {
            let block = growing.allocate(layout(bytes)).expect("there is memory").cast();
            mark(block, HUGE_BYTES_MIN, step);
            live.push((block, bytes, step));
        } else if roll == 1 {
            let (block, had, value) = live.swap_remove(random.below(live.len()));
            assert!(is_marked(block, HUGE_BYTES_MIN, value), "step {step}");
            growing.deallocate(block, had);
        } else {
            let nth = random.below(live.len());
            let (block, had, value) = live[nth];
            let moved = growing.resize_huge(block, layout(had), layout(bytes), roll == 2);
            if let Some(moved) = moved {
                assert_eq!(moved.len(), bytes, "step {step}");
                live[nth] = (moved.cast(), bytes, value);
            } else {
                assert_eq!(roll, 3, "this backing resizes nothing in place, step {step}");
            }
            assert!(is_marked(live[nth].0, HUGE_BYTES_MIN, value), "step {step}");
        }
        let granted: usize = live.iter().map(|&(_, bytes, _)| bytes).sum();
        let stats = growing.stats();
        assert_eq!((stats.live, stats.granted), (live.len(), granted), "step {step}");
        assert_eq!(stats.reserved, backing.stats().granted, "step {step}");
        growing.verify().expect("sound");
    }
    for (block, bytes, _) in live {
        growing.deallocate(block, bytes);
    }
    growing.shrink();
    assert_eq!((backing.stats().live, growing.stats().granted), (0, 0), "all went back");
}

#[cfg(any(unix, windows))]
#[test]
fn pages_keep_what_is_in_them_where_they_move() {
    use crate::pages::page::PageAllocator;

    let pages = PageAllocator::new("pages");
    let growing = GrowingHeap::<_, DefaultClasses>::growing("growing", &pages, 0);
    let mut bytes = HUGE_BYTES_MIN;
    let mut block = growing.allocate(layout(bytes)).expect("there is memory").cast();
    mark(block, HUGE_BYTES_MIN, 7);
    // In the way of a growth in place.
    let wall = growing.allocate(layout(bytes)).expect("there is memory");
    for step in 0..12 {
        let more = if step % 4 == 3 { HUGE_BYTES_MIN } else { bytes * 2 };
        let resized = growing.resize_huge(block, layout(bytes), layout(more), step % 2 == 0);
        if let Some(resized) = resized {
            assert_eq!(resized.len(), more, "step {step}");
            (block, bytes) = (resized.cast(), more);
        }
        assert!(is_marked(block, HUGE_BYTES_MIN, 7), "step {step}");
        assert_eq!(growing.stats().granted, bytes + HUGE_BYTES_MIN, "step {step}");
        growing.verify().expect("sound");
    }
    growing.deallocate(block, bytes);
    growing.deallocate(wall.cast(), HUGE_BYTES_MIN);
    assert_eq!((pages.stats().live, growing.stats().live), (0, 0), "both went back");
}

#[test]
fn zeros_are_the_backings() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 0);
    for bytes in [100, HUGE_BYTES_MIN] {
        let block = growing.allocate_zeroed(layout(bytes)).expect("there is memory");
        // SAFETY: the block is ours and was written.
        assert!(unsafe { block.as_ref() }.iter().all(|&byte| byte == 0), "{bytes} bytes");
        growing.deallocate(block.cast(), bytes);
    }
    growing.give_all();
}

#[test]
fn a_heap_of_one_region_passes_nothing_on() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 0);
    growing.take_only(MIB).expect("there is memory");
    let requests = backing.requests();
    assert_eq!(growing.allocate(layout(HUGE_BYTES_MIN)), Err(AllocError), "there is no room");
    assert_eq!(growing.allocate_zeroed(layout(HUGE_BYTES_MIN)), Err(AllocError), "nor for zeros");
    assert_eq!(backing.requests(), requests, "the backing was not asked");
    growing.give_all();
}

#[test]
fn more_than_a_huge_block_has_is_reported() {
    let backing = TestBacking::new();
    let growing = Growing::growing("growing", &backing, 0);
    let block = growing.allocate(layout(HUGE_BYTES_MIN)).expect("there is memory").cast();
    let [had, new] = [HUGE_BYTES_MIN + 1, 2 * HUGE_BYTES_MIN].map(layout);
    let misuse = misuse_of(|| {
        growing.resize_huge(block, had, new, true);
    });
    assert!(misuse.contains("wrong size"), "a byte too many: {misuse}");
    let inside = NonNull::new(block.as_ptr().wrapping_add(16)).expect("not null");
    let had = layout(HUGE_BYTES_MIN);
    assert!(growing.resize_huge(inside, had, new, true).is_none(), "no block begins there");
    assert!(growing.resize_huge(block, had, layout(0), true).is_none(), "it would have no bytes");
    let aligned = Layout::from_size_align(HUGE_BYTES_MIN, 8192).expect("a valid layout");
    assert!(growing.resize_huge(block, had, aligned, true).is_none(), "it may not be aligned");
    growing.deallocate(block, HUGE_BYTES_MIN);
    growing.give_all();
}
