//! Damage of each kind, planted into groups, chunks, lists and the index: each has a separate
//! message.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use std::vec;
use std::vec::Vec;

use super::{free, layout, said, take};
use crate::blocks::pool::PoolAllocator;
use crate::blocks::pool::chunk::Chunk;
use crate::blocks::pool::group::Group;
use crate::blocks::pool::index::layout_for;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::TestBacking;

type Pool<'a> = PoolAllocator<'a, TestBacking>;

/// A pool of blocks of 16 bytes, of which `live` were allocated.
fn pool(backing: &TestBacking, per_chunk: usize, live: usize) -> (Pool<'_>, Vec<NonNull<u8>>) {
    let pool =
        PoolAllocator::new_in("pool", layout(16, 8), backing).with_blocks_per_chunk(per_chunk);
    let blocks = (0..live).map(|_| take(&pool, layout(16, 8))).collect();
    (pool, blocks)
}

/// As [`said`], for a place that is not a cell.
///
/// # Safety
///
/// `place` is valid for reads and writes, and no reference to it exists.
unsafe fn said_at<T>(place: *mut T, wrong: T, pool: &Pool<'_>) -> &'static str {
    pool.verify().expect("sound before");
    // SAFETY: the caller's promise.
    let before = unsafe { place.replace(wrong) };
    let damage = pool.verify().expect_err("damage was planted");
    // SAFETY: the caller's promise.
    unsafe { place.write(before) };
    pool.verify().expect("sound again");
    damage.what
}

/// The chunks in the order they were allocated.
fn chunks<'p>(pool: &'p Pool<'_>) -> Vec<&'p Chunk> {
    let mut at = pool.oldest.get();
    let next = || {
        // SAFETY: null or an existing chunk.
        let chunk = unsafe { at.as_ref() }?;
        at = chunk.younger.get();
        Some(chunk)
    };
    core::iter::from_fn(next).collect()
}

#[test]
fn damage_of_a_group_is_told() {
    let backing = TestBacking::new();
    // Two groups of 64, of which the first ten blocks were allocated.
    let (pool, blocks) = pool(&backing, 128, 10);
    let chunk = pool.oldest.get().cast_mut();
    let more = "a group has given out more blocks than it has";
    for wrong in [64, 129] {
        // SAFETY: the chunk exists, and its numbers are only read in calls.
        let told = unsafe { said_at(&raw mut (*chunk).blocks, wrong, &pool) };
        assert_eq!(told, more, "the second group has {} blocks", wrong - 64);
    }
    // SAFETY: as above.
    let first = unsafe { (*chunk).first };
    // SAFETY: as above.
    let told = unsafe { said_at(&raw mut (*chunk).first, first.wrapping_add(16), &pool) };
    assert_eq!(told, "a group does not start where its window does", "the chunk is further on");
    // SAFETY: the group exists as long as its chunk does.
    let group = unsafe { &*pool.carving.get() };
    let fresh = "a block is free that was never given out";
    assert_eq!(said(&group.idle, group.idle.get() & !(1 << 10), &pool), fresh, "the eleventh");
    let below = "a block was given out before one below it";
    assert_eq!(said(&group.fresh, group.fresh.get() & !(1 << 11), &pool), below, "the twelfth");
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn damage_of_a_chunk_is_told() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 4, 5);
    let oldest = chunks(&pool)[0];
    let turn = "a group before the last has unused blocks";
    let group = &oldest.groups()[0];
    let fresh = "a block is free that was never given out";
    assert_eq!(said(&group.fresh, u64::MAX << 3, &pool), fresh, "the fourth is live");
    let more = "a group has given out more blocks than it has";
    assert_eq!(said(&group.fresh, u64::MAX << 5, &pool), more, "it has four");
    assert_eq!(said(&pool.youngest, ptr::from_ref(oldest), &pool), turn, "it is the other");
    let told = said(&oldest.parked, true, &pool);
    assert_eq!(told, "a parked chunk has a live block", "four of them");
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn damage_of_the_block_held_back_is_told() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 4, 3);
    let none = "the held block is not a free one or has its bit set";
    free(&pool, blocks[0]);
    free(&pool, blocks[1]);
    let first = pool.held.get();
    assert_eq!(first, blocks[0].as_ptr(), "the first is held back");
    assert_eq!(said(&pool.held, first.wrapping_add(16), &pool), none, "its bit is set");
    assert_eq!(said(&pool.held, first.wrapping_add(48), &pool), none, "it was never given out");
    assert_eq!(said(&pool.held, first.wrapping_add(64), &pool), none, "there is none");
    free(&pool, blocks[2]);
}

#[test]
fn damage_of_the_parked_chunks_is_told() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 4, 12);
    let pool = pool.with_give_back(100);
    for &block in &blocks[..8] {
        free(&pool, block);
    }
    let chunks = chunks(&pool);
    let parked: Vec<_> = chunks.iter().map(|chunk| chunk.parked.get()).collect();
    assert_eq!(parked, [true, true, false], "two of three are empty");
    let told = said(&pool.parked, ptr::null(), &pool);
    assert_eq!(told, "a parked chunk is not on its list", "none is");
    let told = said(&pool.parked, ptr::from_ref(chunks[2]), &pool);
    assert_eq!(told, "a chunk on the list of parked ones is not parked", "the third");
    let told = said(&chunks[0].next_parked, ptr::from_ref(chunks[1]), &pool);
    assert_eq!(told, "the list of parked chunks does not end", "round and round");
    for &block in &blocks[8..] {
        free(&pool, block);
    }
}

/// Moves the index of a pool into memory of the test, which may damage it, and back.
fn with_index_in(pool: &Pool<'_>, words: usize, groups: usize, test: impl FnOnce(NonNull<u8>)) {
    let mut memory = vec![MaybeUninit::<usize>::uninit(); words];
    let place = NonNull::from(&mut memory[..]).cast::<u8>();
    // SAFETY: the memory has room for the slots and for all chunks, and stays until the index is
    // back.
    let old = unsafe { pool.index.move_to(place, groups, None) };
    let (old, of) = old.expect("the backing gave the index its memory");
    test(place);
    let groups = (1..100).find(|&groups| layout_for(groups) == of).expect("it was for some number");
    // SAFETY: the memory is the one that the index had, with that layout.
    let none = unsafe { pool.index.move_to(old, groups, Some(of)) };
    assert!(none.is_none(), "the memory is the test's");
    pool.verify().expect("sound again");
}

#[test]
fn damage_of_the_order_of_chunks_is_told() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 4, 8);
    let order = "the chunks are not sorted by address";
    with_index_in(&pool, 24, 4, |place| {
        pool.verify().expect("sound in its new place");
        let slots = pool.index.table().len();
        // SAFETY: the chunks are after the slots, in the memory at the place.
        let lower = unsafe { place.cast::<NonNull<Chunk>>().add(slots) };
        // SAFETY: as above; there are two.
        let higher = unsafe { lower.add(1) };
        // SAFETY: as above.
        let [low, high] = [unsafe { lower.read() }, unsafe { higher.read() }];
        for (planted, above) in [([high, low], high), ([low, low], low), ([high, high], high)] {
            // SAFETY: as above.
            unsafe { lower.write(planted[0]) };
            // SAFETY: as above.
            unsafe { higher.write(planted[1]) };
            let damage = pool.verify().expect_err("damage was planted");
            // SAFETY: the chunk exists.
            let first = unsafe { above.as_ref() }.first.cast_const();
            assert_eq!((damage.what, damage.address), (order, first), "the first of the two");
        }
        // SAFETY: as above.
        unsafe { lower.write(low) };
        // SAFETY: as above.
        unsafe { higher.write(high) };
    });
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn damage_of_the_table_is_told() {
    let backing = TestBacking::new();
    let (pool, blocks) = pool(&backing, 4, 12);
    let count = "the index counts other groups than there are";
    // Four slots for three groups, though there is room for the chunks.
    with_index_in(&pool, 24, 1, |_| {
        assert_eq!(pool.verify().map_err(|damage| damage.what), Err(count), "too few slots");
    });
    let real = chunks(&pool)[2];
    let fake = Chunk {
        group_count: 0,
        memory: None,
        younger: Cell::new(ptr::null()),
        parked: Cell::new(false),
        next_parked: Cell::new(ptr::null()),
        ..*real
    };
    pool.index.remove(|chunk| ptr::eq(chunk, real));
    // SAFETY: there is room for as many chunks as there were, and this one exists until it is
    // removed.
    unsafe { pool.index.insert(NonNull::from(&fake)) };
    assert_eq!(pool.verify().map_err(|damage| damage.what), Err(count), "a group too few");
    pool.index.remove(|chunk| ptr::eq(chunk, &raw const fake));
    // SAFETY: as above.
    unsafe { pool.index.insert(NonNull::from(real)) };
    // A group in its slot, but not of any chunk.
    for (number, slot) in pool.index.table().iter().enumerate() {
        let stray = Group::new(ptr::without_provenance_mut(number << pool.window_shift));
        let told = said(slot, &raw const stray, &pool);
        assert_eq!(told, "a slot of the table leads to another window", "slot {number}");
    }
    blocks.into_iter().for_each(|block| free(&pool, block));
}
