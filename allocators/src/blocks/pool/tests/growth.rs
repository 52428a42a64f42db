//! The requests of a pool to its backing: the numbers of blocks and bytes, refusals, and the table
//! that leads to groups.

use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use std::vec;
use std::vec::Vec;

use super::{free, layout, take};
use crate::blocks::pool::PoolAllocator;
use crate::blocks::pool::chunk::{Chunk, window_shift};
use crate::blocks::pool::group::{Group, NOWHERE};
use crate::blocks::pool::index::layout_for;
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::stats::Stats;
use crate::testing::test_backing::TestBacking;

type Pool<'a> = PoolAllocator<'a, TestBacking>;

#[test]
fn a_fresh_pool_has_counted_nothing() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(16, 8), &backing);
    assert_eq!(pool.stats(), Stats::default(), "nothing, and sizes are not exact");
    assert!(pool.index.table().is_empty(), "there is no table");
    for window in 0..8 {
        assert!(ptr::eq(pool.index.guess(window), NOWHERE), "window {window} leads nowhere");
    }
}

#[test]
fn each_chunk_has_as_many_blocks_as_all_before_it_within_limits() {
    let backing = TestBacking::new();
    let wanted = |bytes, blocks| {
        let pool = PoolAllocator::new_in("pool", layout(bytes, 8), &backing);
        pool.blocks.set(blocks);
        let wanted = pool.blocks_wanted();
        pool.blocks.set(0);
        wanted
    };
    for (blocks, next) in [(0, 256), (257, 257), (65_536, 65_536), (65_537, 65_536)] {
        assert_eq!(wanted(16, blocks), (next, true), "4 KiB, twice as many, 1 MiB: {blocks}");
    }
    for (blocks, next) in [(0, 4), (4, 4), (8, 8), (9, 8), (100, 8)] {
        assert_eq!(wanted(128 << 10, blocks), (next, true), "four at least: {blocks}");
    }
    for blocks in [0, 4, 100] {
        assert_eq!(wanted(1 << 20, blocks), (4, true), "four, though they are more: {blocks}");
    }
}

#[test]
fn a_growing_pool_makes_do_with_four_blocks_and_a_fixed_one_does_not() {
    let backing = TestBacking::new();
    let of = layout(16, 8);
    let pool = PoolAllocator::new_in("pool", of, &backing);
    backing.refuse_nth(0);
    let block = take(&pool, of);
    assert_eq!(pool.capacity(), 4, "the least chunk");
    let chunk = backing.layout_at(block.as_ptr()).expect("it begins with its first block");
    assert_eq!(chunk.align(), align_of::<Chunk>(), "it may begin within a window");
    pool.verify().expect("sound");
    free(&pool, block);
    for per_chunk in [1, 2, 7] {
        let pool = PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(per_chunk);
        backing.refuse_nth(0);
        assert_eq!(pool.allocate(of), Err(AllocError), "this many or none: {per_chunk}");
        assert_eq!((pool.capacity(), pool.stats().reserved), (0, 0), "no chunk is left");
    }
}

#[test]
fn shrinking_tells_what_went_back() {
    let backing = TestBacking::new();
    let of = layout(16, 8);
    let pool = PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(64);
    let blocks: Vec<_> = (0..640).map(|_| take(&pool, of)).collect();
    let before = backing.stats().granted;
    blocks[64..].iter().for_each(|&block| free(&pool, block));
    let given_back = pool.shrink();
    assert_eq!(given_back, before - backing.stats().granted, "the bytes that the backing got back");
    assert_eq!(pool.capacity(), 64, "one chunk stays");
    blocks[..64].iter().for_each(|&block| free(&pool, block));
}

#[test]
fn chunks_use_all_that_is_allowed() {
    let backing = TestBacking::new();
    let kept = |groups| size_of::<Chunk>() + groups * size_of::<Group>() + align_of::<Chunk>();
    // Blocks of a byte, 64 to a window; then of 16, 1024 bytes to a window.
    for (size, bytes, groups) in [(1, 4096, 66), (1, 64_000, 1002), (16, 16_368, 17)] {
        let pool = PoolAllocator::new_in("pool", layout(size, 1), &backing).with_chunk_bytes(bytes);
        let blocks = (bytes - kept(groups)) / size;
        assert_eq!(pool.blocks_wanted(), (blocks, true), "{bytes} bytes of {size} each");
    }
}

/// Checks that the table leads to each group, except those that share a slot with another.
fn check_table(pool: &Pool<'_>) {
    let window = |group: &Group| group.first.addr() >> pool.window_shift;
    let mask = pool.index.table().len() - 1;
    for chunk in pool.index.sorted() {
        // SAFETY: the chunks of the index exist.
        for group in unsafe { chunk.as_ref() }.groups() {
            let there = pool.index.guess(window(group));
            assert!(!ptr::eq(there, NOWHERE), "a window with blocks leads to some");
            assert_eq!(window(there) & mask, window(group) & mask, "of the same slot");
            let is_own = ptr::eq(there, group);
            assert!(is_own || window(there) != window(group), "its own, if both are the same");
        }
    }
}

#[test]
fn the_table_grows_when_it_must_and_leads_to_every_group() {
    let backing = TestBacking::new();
    let of = layout(16, 8);
    // A chunk has one group, but could have three at another address.
    let pool = PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(4);
    let mut blocks = Vec::new();
    let mut grown = Vec::new();
    for chunk in 1..=20 {
        let before = backing.requests();
        blocks.extend((0..4).map(|_| take(&pool, of)));
        if backing.requests() - before == 2 {
            grown.push((chunk, pool.index.table().len()));
        }
        check_table(&pool);
        pool.verify().expect("sound");
    }
    assert_eq!(grown, [(1, 8), (3, 16), (7, 32), (15, 64)], "two slots a group that may come");
    // Every other chunk is removed.
    for chunk in blocks.chunks(8) {
        chunk[..4].iter().for_each(|&block| free(&pool, block));
    }
    pool.shrink();
    assert_eq!(pool.capacity(), 40, "the others stay");
    check_table(&pool);
    pool.verify().expect("sound");
    for chunk in blocks.chunks(8) {
        chunk[4..].iter().for_each(|&block| free(&pool, block));
    }
}

#[test]
fn a_free_that_the_table_does_not_lead_to_mends_it() {
    let backing = TestBacking::new();
    let of = layout(16, 8);
    let pool = PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(4);
    let blocks = [(); 3].map(|()| take(&pool, of));
    for block in blocks {
        pool.index.table().iter().for_each(|slot| slot.set(NOWHERE));
        free(&pool, block);
        check_table(&pool);
    }
    pool.verify().expect("sound");
}

#[test]
fn a_pool_that_gave_all_back_is_as_at_first() {
    let backing = TestBacking::new();
    let of = layout(16, 8);
    let pool = PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(4);
    for round in 0..3 {
        let blocks: Vec<_> = (0..40).map(|_| take(&pool, of)).collect();
        blocks.into_iter().for_each(|block| free(&pool, block));
        pool.shrink();
        assert_eq!((pool.capacity(), backing.stats().live), (0, 0), "round {round}");
        assert!(pool.index.table().is_empty(), "round {round}");
        for window in 0..64 {
            assert!(ptr::eq(pool.index.guess(window), NOWHERE), "round {round}, {window}");
        }
        pool.verify().expect("sound");
    }
}

#[test]
fn a_region_has_as_many_blocks_as_can_be() {
    let mut memory = vec![MaybeUninit::uninit(); 8192];
    for (size, align) in [(1, 1), (8, 8), (24, 8), (100, 4), (500, 8), (1000, 8), (3000, 8)] {
        for bytes in (0..8192).step_by(41) {
            let region = &mut memory[..bytes];
            let start = NonNull::from(&mut *region).cast::<u8>();
            let room = bytes.saturating_sub(start.align_offset(align_of::<Chunk>()));
            let pool = PoolAllocator::from_region("region", layout(size, align), region);
            let fits = |&blocks: &usize| {
                let chunk = pool.shape().layout(blocks, false).expect("a few blocks");
                chunk.size() + layout_for(pool.shape().groups_at_most(blocks)).size() <= room
            };
            let most = (1..=bytes).take_while(fits).last().unwrap_or(0);
            assert_eq!(pool.capacity(), most, "{size} in {bytes} bytes");
        }
    }
    // The product of the number of bytes and the block size would overflow.
    let pool = PoolAllocator::from_region("region", layout(1 << (usize::BITS - 4), 1), &mut memory);
    assert_eq!(pool.capacity(), 0, "nor is there memory for one");
}

#[test]
fn both_ways_of_freeing_forget_the_site() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let of = layout(16, 8);
    let pool = PoolAllocator::new_in("pool", of, &backing).with_sites(Sites::new_in(&books));
    let blocks = [(); 2].map(|()| take(&pool, of));
    assert_eq!(pool.sites().count(), 2, "each is known");
    free(&pool, blocks[0]);
    assert_eq!(pool.sites().count(), 1, "freed by its address");
    pool.verify().expect("sound");
    // SAFETY: the block is live and has this layout.
    unsafe { pool.deallocate_sized(blocks[1], of) };
    assert_eq!(pool.sites().count(), 0, "freed with its layout");
}

#[test]
fn chunks_that_stand_keep_their_windows() {
    // If the number of blocks is changed late, existing chunks keep the layout of the old windows.
    let of = layout(24, 8);
    let mut memory = vec![MaybeUninit::uninit(); 32 << 10];
    let pool = PoolAllocator::from_region("region", of, &mut memory).with_blocks_per_chunk(1);
    let mut blocks = Vec::new();
    while let Ok(block) = pool.allocate(of) {
        blocks.push(block.cast());
    }
    assert_eq!(blocks.len(), pool.capacity(), "all of them are given out");
    pool.verify().expect("sound");
    blocks.into_iter().for_each(|block| free(&pool, block));
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", of, &backing);
    let first = take(&pool, of);
    let pool = pool.with_blocks_per_chunk(3);
    let mut blocks: Vec<_> = (0..500).map(|_| take(&pool, of)).collect();
    pool.verify().expect("chunks of both kinds");
    blocks.push(first);
    blocks.into_iter().for_each(|block| free(&pool, block));
    pool.shrink();
    let pool = pool.with_blocks_per_chunk(5);
    assert_eq!(pool.window_shift, window_shift(24, 5), "no chunk exists any more");
}
