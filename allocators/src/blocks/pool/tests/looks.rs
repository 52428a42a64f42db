//! When a pool searches for empty chunks, and which it then parks.

use core::ptr::NonNull;
use std::vec::Vec;

use super::{free, layout, take};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;

type Pool<'a> = PoolAllocator<'a, TestBacking>;

/// The number of blocks in a group: those of one window, which is a chunk here.
const GROUP: usize = 64;

fn pool(backing: &TestBacking, percent: u32, live: usize) -> (Pool<'_>, Vec<NonNull<u8>>) {
    let pool = PoolAllocator::new_in("pool", layout(16, 8), backing)
        .with_blocks_per_chunk(GROUP)
        .with_give_back(percent);
    let blocks = (0..live).map(|_| take(&pool, layout(16, 8))).collect();
    (pool, blocks)
}

fn parked(pool: &Pool<'_>) -> usize {
    let mut count = 0;
    let mut at = pool.parked.get();
    // SAFETY: null or an existing chunk.
    while let Some(chunk) = unsafe { at.as_ref() } {
        count += 1;
        at = chunk.next_parked.get();
    }
    count
}

#[test]
fn it_looks_when_the_last_block_of_a_group_is_freed() {
    let backing = TestBacking::new();
    for count in 1..=GROUP {
        let (pool, blocks) = pool(&backing, 100, GROUP + count);
        // Held, so that its bit stays clear.
        free(&pool, blocks[0]);
        for &block in &blocks[GROUP..] {
            assert_eq!(pool.next_look.get(), 0, "some of {count} are live");
            free(&pool, block);
        }
        let now = count as u64 + 1;
        assert_eq!(pool.next_look.get(), now + 128, "after as many frees as there are blocks");
        assert!(pool.held.get().is_null(), "nothing is held back while it looks");
        assert_eq!(parked(&pool), 1, "the chunk of the {count}");
        pool.verify().expect("sound");
        blocks[1..GROUP].iter().for_each(|&block| free(&pool, block));
    }
}

#[test]
fn the_block_held_back_keeps_no_chunk() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 100, 3 * GROUP);
    // The first is held, so its group is full only when the search has set its bit.
    blocks[..2 * GROUP].iter().for_each(|&block| free(&pool, block));
    assert_eq!(parked(&pool), 2, "both that are empty");
    pool.verify().expect("sound");
    blocks[2 * GROUP..].iter().for_each(|&block| free(&pool, block));
}

#[test]
fn the_time_between_two_looks_follows_the_percentage() {
    let backing = TestBacking::new();
    for (percent, between) in [(1, 64), (12, 64), (13, 66), (50, 256), (100, 512), (1000, 5120)] {
        let (pool, blocks) = pool(&backing, percent, 8 * GROUP);
        free(&pool, blocks[0]);
        blocks[GROUP..2 * GROUP].iter().for_each(|&block| free(&pool, block));
        assert_eq!(pool.next_look.get(), 65 + between, "{percent} hundredths of 512 blocks");
        for (number, &block) in blocks.iter().enumerate().skip(1) {
            if !(GROUP..2 * GROUP).contains(&number) {
                free(&pool, block);
            }
        }
    }
    let (pool, blocks) = pool(&backing, 0, 4 * GROUP);
    for round in 0..4 {
        for &block in &blocks {
            free(&pool, block);
        }
        assert_eq!((pool.next_look.get(), parked(&pool)), (u64::MAX, 0), "it never looks: {round}");
        assert_eq!(pool.capacity(), 4 * GROUP, "nothing goes back");
        let again: Vec<_> = (0..blocks.len()).map(|_| take(&pool, layout(16, 8))).collect();
        assert_eq!(again.len(), blocks.len(), "the same are given out again");
    }
    blocks.iter().for_each(|&block| free(&pool, block));
}

#[test]
fn a_look_is_due_from_its_number_of_frees_on() {
    let backing = TestBacking::new();
    for (turns, next) in [(62, 129), (63, 193), (64, 194)] {
        let (pool, blocks) = pool(&backing, 1, 2 * GROUP + 1);
        free(&pool, blocks[0]);
        blocks[GROUP..2 * GROUP].iter().for_each(|&block| free(&pool, block));
        assert_eq!((pool.next_look.get(), pool.frees_total()), (129, 65), "the first look");
        // Held and allocated again, which sets no bit.
        for _ in 0..turns {
            free(&pool, take(&pool, layout(16, 8)));
        }
        // The only one of its group.
        free(&pool, blocks[2 * GROUP]);
        assert_eq!(pool.next_look.get(), next, "after {} frees", 65 + turns);
        pool.verify().expect("sound");
        blocks[1..GROUP].iter().for_each(|&block| free(&pool, block));
    }
}
