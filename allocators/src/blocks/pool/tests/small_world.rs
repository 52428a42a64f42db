//! Pools of up to eight blocks, in chunks of several lengths and in a region: every state and every
//! operation.

use core::mem::MaybeUninit;
use core::ptr;
use std::println;
use std::vec::Vec;

use super::layout;
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::panic_of;
use crate::testing::test_world::{Below, Explored, Inhabitant, Make, World};

type Pool<'a, B> = PoolAllocator<'a, B>;

/// The maximum number of blocks.
const BLOCKS: usize = 8;

/// The pool's full state: for each chunk, from the oldest on, the bits and counts of its groups;
/// the order of the groups with free blocks; the held block.
fn kept<B: Allocator + ?Sized>(pool: &PoolAllocator<'_, B>) -> Vec<usize> {
    let (mut all, mut groups) = (Vec::new(), Vec::new());
    let mut at = pool.oldest.get();
    // SAFETY: null or an existing chunk.
    while let Some(chunk) = unsafe { at.as_ref() } {
        all.push(usize::MAX);
        for group in chunk.groups() {
            all.extend([group.free() as usize, group.carved()]);
            groups.push(ptr::from_ref(group));
        }
        at = chunk.younger.get();
    }
    all.push(usize::MAX);
    let place = |group| groups.iter().position(|other| ptr::eq(*other, group));
    let mut free = pool.free_groups.get();
    while let Some(number) = place(free) {
        all.push(number);
        // SAFETY: it is a group of an existing chunk.
        free = unsafe { &*free }.next.get();
    }
    let held = pool.locate(pool.held.get().addr()).ok();
    all.extend([usize::MAX, pool.uncarved.get()]);
    all.extend(held.into_iter().flat_map(|(group, index)| [place(group).unwrap_or(9), index]));
    all
}

struct Growing<'a>(Pool<'a, Below<'a>>);

impl Inhabitant for Growing<'_> {
    fn allocator(&self) -> &dyn Allocator {
        &self.0
    }

    fn shrink(&self) {
        self.0.shrink();
    }

    fn grows(&self) -> bool {
        true
    }

    fn kept(&self) -> Vec<usize> {
        kept(&self.0)
    }

    fn free_blocks(&self) -> Option<usize> {
        Some(self.0.capacity() - self.0.stats().live)
    }
}

struct InRegion<'a>(PoolAllocator<'a>);

impl Inhabitant for InRegion<'_> {
    fn allocator(&self) -> &dyn Allocator {
        &self.0
    }

    fn shrink(&self) {
        self.0.shrink();
    }

    fn grows(&self) -> bool {
        false
    }

    fn kept(&self) -> Vec<usize> {
        kept(&self.0)
    }

    fn free_blocks(&self) -> Option<usize> {
        Some(self.0.capacity() - self.0.stats().live)
    }
}

/// A pool with a planted fault: it returns the first chunk although a block in it is live, if the
/// others are not.
struct Faulty<'a>(Growing<'a>);

impl Inhabitant for Faulty<'_> {
    fn allocator(&self) -> &dyn Allocator {
        self.0.allocator()
    }

    fn shrink(&self) {
        let mut live = Vec::new();
        self.0.0.walk(&mut |block| live.push(block.address));
        if live.len() == 1 && self.0.0.capacity() == BLOCKS {
            // SAFETY: the block is live, and that is the fault.
            unsafe { self.0.0.deallocate(live[0]) };
        }
        self.0.shrink();
    }

    fn grows(&self) -> bool {
        true
    }

    fn kept(&self) -> Vec<usize> {
        self.0.kept()
    }

    fn free_blocks(&self) -> Option<usize> {
        self.0.free_blocks()
    }
}

fn world(live_max: usize, make: &Make<'_>) -> Explored {
    let layouts = [layout(24, 8)];
    World { layouts: &layouts, live_max, probes: BLOCKS, start: &[], depth: None, make }.explore()
}

fn in_chunks(blocks: usize, live_max: usize) -> Explored {
    let explored = world(live_max, &|below, with| {
        let pool =
            PoolAllocator::new_in("pool", layout(24, 8), below).with_blocks_per_chunk(blocks);
        with(&Growing(pool));
    });
    println!(
        "small world: pool of up to {live_max} blocks in chunks of {blocks}: {} states, {} operations",
        explored.states, explored.operations
    );
    explored
}

#[test]
fn every_state_of_a_pool_in_one_chunk_of_eight() {
    assert_eq!(in_chunks(BLOCKS, BLOCKS).states, 3416);
}

#[test]
fn every_state_of_a_pool_in_two_chunks_of_four() {
    assert_eq!(in_chunks(4, BLOCKS).states, 13_861);
}

#[test]
fn every_state_of_a_pool_in_chunks_of_two() {
    assert_eq!(in_chunks(2, 6).states, 1960);
}

#[test]
fn every_state_of_a_pool_in_chunks_of_one() {
    // More states than in chunks of two, as the heap below has more places for each. With 32 bits a
    // chunk is smaller.
    let states = if usize::BITS == 64 { 13_884 } else { 2336 };
    assert_eq!(in_chunks(1, 5).states, states);
}

#[test]
fn every_state_of_a_pool_in_a_region_of_eight() {
    let explored = world(BLOCKS + 1, &|below, with| {
        // The size of eight blocks with their metadata.
        let bytes = layout(if usize::BITS == 64 { 392 } else { 320 }, 8);
        let memory = below.allocate(bytes).expect("there is memory").cast::<MaybeUninit<u8>>();
        // SAFETY: the block is live until it is freed below, and used by the pool alone.
        let region = unsafe { core::slice::from_raw_parts_mut(memory.as_ptr(), bytes.size()) };
        let pool = PoolAllocator::from_region("pool", layout(24, 8), region);
        assert_eq!(pool.capacity(), BLOCKS, "eight blocks fit");
        with(&InRegion(pool));
        // SAFETY: the block is live and the pool in it is gone.
        unsafe { below.deallocate(memory.cast()) };
    });
    println!(
        "small world: pool in a region of {BLOCKS} blocks: {} states, {} operations",
        explored.states, explored.operations
    );
    assert_eq!(explored.states, 2296);
}

#[test]
fn a_planted_fault_is_found_in_the_small_world() {
    let found = panic_of(|| {
        world(BLOCKS, &|below, with| {
            let pool = PoolAllocator::new_in("pool", layout(24, 8), below).with_blocks_per_chunk(4);
            with(&Faulty(Growing(pool)));
        });
    });
    assert!(found.contains("live blocks after"), "{found}");
}
