//! Blocks that change their size, and huge pages.

use super::{bytes, fill, flags, free, layout, page};
use crate::contract::allocator::Allocator;
use crate::pages::page::PageAllocator;
use crate::pages::page::state::HUGE_BYTES;

#[test]
fn resizing_keeps_the_contents() {
    let pages = PageAllocator::new("pages");
    let mut now = layout(10, 16);
    let mut block = pages.allocate(now).unwrap();
    fill(block, 1);
    let sizes = [page(), 1, 40 * page(), 3 * page() + 5, 2 << 20, 2 * page(), 0, 9 << 20];
    for (step, bytes) in sizes.into_iter().enumerate() {
        let new = layout(bytes, 16);
        let kept = now.size().min(bytes);
        // SAFETY: the block is live and has the layout `now`.
        block = unsafe { pages.reallocate(block.cast(), now, new) }.unwrap();
        let expected = step as u8 + 1;
        let slice = &super::bytes(block)[..kept];
        assert!(slice.iter().all(|&b| b == expected), "step {step} kept its bytes");
        assert_eq!(block.len(), bytes.max(1).next_multiple_of(page()), "whole pages");
        let stats = pages.stats();
        assert_eq!((stats.live, stats.requested), (1, bytes.max(1)), "step {step}");
        assert_eq!(stats.granted, stats.reserved, "step {step}");
        assert_eq!(pages.verify(), Ok(()), "step {step}");
        fill(block, step as u8 + 2);
        now = new;
    }
    let peak = pages.stats().peak_granted;
    assert!(peak <= (9 << 20) + page(), "moving by page tables holds no second copy");
    free(&pages, block);
}

#[test]
fn shrinking_in_place_gives_the_tail_back() {
    let pages = PageAllocator::new("pages");
    let (old, new) = (layout(10 * page(), 1), layout(3 * page() - 1, 1));
    let block = pages.allocate(old).unwrap();
    fill(block, 7);
    // SAFETY: the block is live and has the layout `old`.
    let shrunk = unsafe { pages.resize_in_place(block.cast(), old, new) }.unwrap();
    assert_eq!(shrunk.cast::<u8>(), block.cast(), "in place");
    assert_eq!(shrunk.len(), 3 * page(), "whole pages");
    // SAFETY: still an address of what was one block.
    let tail = unsafe { block.cast::<u8>().add(3 * page()) };
    assert!(!pages.owns(tail.as_ptr()), "the tail is not ours any more");
    assert_eq!(pages.stats().reserved, 3 * page(), "nor counted");
    // SAFETY: the block is live and has the layout `new`; growing back succeeds if the addresses
    // are still free, else it is refused.
    let grown = unsafe { pages.resize_in_place(shrunk.cast(), new, old) };
    if let Ok(grown) = grown {
        assert!(bytes(grown)[3 * page()..].iter().all(|&b| b == 0), "fresh pages");
    }
    // SAFETY: the block is live.
    let size = unsafe { pages.allocated_size(block.cast()) };
    let given = grown.map_or(3 * page(), |grown| grown.len());
    assert_eq!(size, given, "its last granted size");
    free(&pages, block);
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn reallocating_to_a_greater_alignment() {
    let pages = PageAllocator::new("pages");
    for (bytes, more) in [(page(), 9 * page()), (5 * page(), page()), (3, 3)] {
        let (old, new) = (layout(bytes, 8), layout(more, 1 << 20));
        let block = pages.allocate(old).unwrap();
        fill(block, 3);
        // SAFETY: the block is live and has the layout `old`.
        let moved = unsafe { pages.reallocate(block.cast(), old, new) }.unwrap();
        assert_eq!(moved.addr().get() % (1 << 20), 0, "aligned");
        let kept = bytes.min(more);
        assert!(super::bytes(moved)[..kept].iter().all(|&b| b == 3), "kept");
        assert_eq!(pages.verify(), Ok(()), "whole");
        // SAFETY: the block is live and has the layout `new`.
        unsafe { pages.deallocate_sized(moved.cast(), new) };
    }
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn huge_pages_are_aligned_and_asked_for() {
    let pages = PageAllocator::new("pages").with_huge_pages();
    let known = std::path::Path::new("/sys/kernel/mm/transparent_hugepage/enabled").exists();
    let small = pages.allocate(layout(HUGE_BYTES - page(), 8)).unwrap();
    for bytes in [HUGE_BYTES, 3 * HUGE_BYTES + 1, 5 * HUGE_BYTES] {
        let mut now = layout(bytes, 8);
        let mut block = pages.allocate(now).unwrap();
        for _ in 0..2 {
            assert_eq!(block.addr().get() % HUGE_BYTES, 0, "aligned to 2 MiB");
            assert_eq!(flags(block.cast()).contains(" hg"), known, "advised");
            fill(block, 9);
            let new = layout(now.size() * 2, 8);
            // SAFETY: the block is live and has the layout `now`.
            block = unsafe { pages.reallocate(block.cast(), now, new) }.unwrap();
            assert!(super::bytes(block)[..now.size()].iter().all(|&b| b == 9), "kept");
            now = new;
        }
        free(&pages, block);
    }
    // SAFETY: the block is live and has this layout.
    let grown = unsafe {
        let new = layout(2 * HUGE_BYTES, 8);
        pages.reallocate(small.cast(), layout(HUGE_BYTES - page(), 8), new)
    };
    let grown = grown.unwrap();
    assert_eq!(grown.addr().get() % HUGE_BYTES, 0, "a block that becomes huge is moved");
    assert_eq!(flags(grown.cast()).contains(" hg"), known, "and advised");
    free(&pages, grown);
    assert_eq!(pages.stats().reserved, 0, "all went back");
}
