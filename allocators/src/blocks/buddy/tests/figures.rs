//! The documented figures: blocks served, bytes of metadata.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use crate::blocks::buddy::meta::{FRONT_BLOCKS, Head};
use crate::blocks::buddy::shape::{Placed, Shape};
use crate::blocks::buddy::tests::{Region, layout};
use crate::blocks::buddy::{BlockState, BuddyAllocator};
use crate::contract::allocator::Allocator;

/// Allocates blocks of `bytes` until refused, frees them, and returns their number.
fn served(region: &mut [MaybeUninit<u8>], leaf_bytes: usize, bytes: usize) -> usize {
    let buddy = BuddyAllocator::from_region("served", leaf_bytes, region).expect("it fits");
    let mut blocks: Vec<NonNull<u8>> = Vec::new();
    while let Ok(block) = buddy.allocate(layout(bytes, 1)) {
        blocks.push(block.cast());
    }
    buddy.verify().expect("a full tree is sound");
    for block in &blocks {
        // SAFETY: each block is live and freed once.
        unsafe { buddy.deallocate(*block) };
    }
    assert_eq!(buddy.stats().live, 0);
    blocks.len()
}

#[test]
fn four_hundred_kib_serve_399_blocks_of_1_kib() {
    let mut region = Region::new(400 << 10, 0);
    assert_eq!(served(region.get(), 1024, 1024), 399);
}

#[test]
fn half_a_mib_serves_31_blocks_of_16_kib() {
    let mut region = Region::new(512 << 10, 0);
    assert_eq!(served(region.get(), 16 << 10, 16 << 10), 31);
    assert_eq!(served(region.get(), 16 << 10, 1), 31);
    assert_eq!(served(region.get(), 16 << 10, 256 << 10), 1);
}

#[test]
fn the_same_is_served_where_a_large_vector_lies() {
    // The system's malloc places large blocks 16 bytes into a page.
    let mut region = Region::new(400 << 10, 16);
    assert_eq!(served(region.get(), 1024, 1024), 399);
    let mut region = Region::new(512 << 10, 16);
    assert_eq!(served(region.get(), 16 << 10, 16 << 10), 31);
}

#[test]
fn any_start_loses_at_most_the_metadata_and_one_leaf() {
    for skew in [0, 1, 8, 16, 100, 1000, 1023, 4096, 70_001] {
        for len in [5000, 9999, 64 << 10, 100_000, (1 << 20) - 1] {
            for leaf in [16, 64, 256, 1024] {
                let mut region = Region::new(len, skew);
                let bits = len / leaf * 2 / 8;
                let rest = len - bits - 2 * leaf - size_of::<Head>() - 31 * 4 - 13 * 64 - 48;
                assert!(served(region.get(), leaf, leaf) >= rest / leaf, "{skew} {len} {leaf}");
            }
        }
    }
}

#[test]
fn metadata_is_two_bits_a_leaf_and_a_header() {
    let base = 1 << (usize::BITS - 2).min(40);
    for shift in 10..30 {
        for leaf_shift in [4, 7, 9] {
            let placed = Placed::at(base, 1 << shift, 1 << leaf_shift).expect("it fits");
            let shape = placed.shape;
            let header = size_of::<Head>() + 4 * (shape.top as usize + 1) + 12;
            let fronts = shape.fronts() as usize * 4 * (FRONT_BLOCKS + 1);
            let bits = shape.leaves() as usize * 2 / 8;
            // The bits are in words, of which the first and the last can be partly used.
            assert!(shape.meta_bytes() <= header + fronts + bits + 16, "{shape:?}");
            // A tree with one leaf more would not fit its metadata.
            let shift = 1 << shape.top;
            let more = Shape { first: shape.first + shift - 1, end: shape.end + shift, ..shape };
            assert!(placed.data - (1 << leaf_shift) < more.meta_bytes(), "{placed:?}");
        }
    }
}

/// 32 bits have no room for this many levels of 16 bytes.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_tree_may_have_32_levels_and_no_more() {
    let bytes = 16 << 31_usize;
    let placed = Placed::at(1 << 45, bytes, 16).expect("32 levels are possible");
    assert_eq!(placed.shape.top, 31);
    assert!(Placed::at(1 << 45, bytes + (64 << 20), 16).is_err());
}

#[test]
fn the_fresh_tree_is_that_of_the_article() {
    let mut region = Region::new(512 << 10, 0);
    let buddy = BuddyAllocator::from_region("article", 16 << 10, region.get()).expect("it fits");
    assert_eq!((buddy.levels(), buddy.leaf_bytes()), (6, 16 << 10));
    assert_eq!(buddy.overhead_bytes(), 16 << 10);
    assert_eq!(buddy.block_state(5, 0), BlockState::Allocated);
    for level in 0..5 {
        assert_eq!(buddy.level_bytes(level), 512 << 10 >> level);
        assert_eq!(buddy.block_state(level, 0), BlockState::Split);
        assert_eq!(buddy.block_state(level + 1, 1), BlockState::Free);
        let mut list = Vec::new();
        buddy.free_list(level + 1, &mut |index| list.push(index));
        assert_eq!(list, [1]);
    }
    assert_eq!(buddy.block_state(2, 3), BlockState::Absent);
}
