//! Growth: the size of requests, unchanged chunks, and the table of chunks after shrinking.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use core::slice;
use std::vec;
use std::vec::Vec;

use crate::blocks::shared_pool::SharedPool;
use crate::blocks::shared_pool::chunk::{BLOCKS_MAX, Chunk, Plan};
use crate::blocks::shared_pool::place::CHUNKS_MAX;
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::TestBacking;
use crate::threads::sync::shared::Ordering;

const WORD: Layout = Layout::new::<u64>();

fn take(pool: &dyn Allocator) -> NonNull<u8> {
    pool.allocate(WORD).expect("there is memory").cast()
}

fn free(pool: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks.
    unsafe { pool.deallocate(block) };
}

#[test]
fn a_chunk_has_blocks_and_not_too_many() {
    for (blocks, is_planned) in
        [(0, false), (1, true), (BLOCKS_MAX, true), (BLOCKS_MAX + 1, false), (usize::MAX, false)]
    {
        assert_eq!(Plan::new(1, 1, blocks).is_some(), is_planned, "{blocks} blocks");
    }
}

#[test]
fn chunks_grow_with_the_pool_up_to_a_size_that_doubles_in_the_end() {
    let backing = TestBacking::new();
    for bytes in [1, 8, 64, 4096, 1 << 20, 1 << 22] {
        let layout = Layout::from_size_align(bytes, 1).expect("a layout");
        let pool = SharedPool::new_in("pool", layout, &backing);
        for count in 0..CHUNKS_MAX {
            let doubled = count.saturating_sub(16);
            let large = ((1_u64 << 20) / bytes as u64).max(4) << doubled;
            let large = large.min(BLOCKS_MAX as u64) as usize;
            let first = (4096 / bytes).max(4);
            for capacity in [0, 1, first, first + 1, 5000, usize::MAX] {
                pool.capacity.store(capacity, Ordering::Relaxed);
                let wanted = capacity.max(first).min(large);
                let asked = pool.blocks_wanted(count);
                assert_eq!(asked, wanted, "{bytes} bytes, after {count} chunks of {capacity}");
            }
        }
        pool.capacity.store(0, Ordering::Relaxed);
    }
}

#[test]
fn nothing_grows_that_another_thread_has_grown() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", WORD, &backing);
    let block = take(&pool);
    let asked = backing.requests();
    assert_eq!(pool.grow(0), Ok(()), "another has brought a chunk since");
    assert_eq!((pool.count(), backing.requests()), (1, asked), "that one is enough");
    assert_eq!(pool.grow(1), Ok(()), "there is memory");
    assert_eq!((pool.count(), backing.requests()), (2, asked + 1), "no other thread has");
    free(&pool, block);
}

#[test]
fn a_chunk_of_a_fixed_number_of_blocks_is_not_halved() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", WORD, &backing).with_blocks_per_chunk(16);
    backing.refuse_nth(0);
    assert_eq!(pool.allocate(WORD), Err(AllocError), "refused");
    assert_eq!((pool.capacity(), backing.requests()), (0, 1), "asked once");
}

#[test]
fn nothing_is_asked_for_blocks_that_are_not_allowed() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", WORD, &backing).with_blocks_max(3);
    let blocks: Vec<_> = (0..3).map(|_| take(&pool)).collect();
    assert_eq!(pool.allocate(WORD), Err(AllocError), "all that are allowed are live");
    assert_eq!((pool.count(), backing.requests()), (1, 1), "no chunk without blocks");
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn a_region_is_kept() {
    let mut memory = vec![MaybeUninit::uninit(); 1000];
    let mut pool = SharedPool::from_region("pool", WORD, &mut memory);
    let before = (pool.count(), pool.capacity(), pool.stats());
    assert_eq!(pool.shrink(), 0, "nothing goes back");
    assert_eq!((pool.count(), pool.capacity(), pool.stats()), before, "nothing has changed");
}

#[test]
fn chunks_that_are_kept_move_up_in_the_table() {
    let backing = TestBacking::new();
    let mut pool = SharedPool::new_in("pool", WORD, &backing).with_blocks_per_chunk(2);
    let blocks: Vec<_> = (0..10).map(|_| take(&pool)).collect();
    let entries = |pool: &SharedPool<'_, TestBacking>| -> Vec<*mut Chunk> {
        pool.chunks.iter().map(|chunk| chunk.load(Ordering::Relaxed)).collect()
    };
    let before = entries(&pool);
    let is_kept = |block: &NonNull<u8>| {
        let found = pool.locate(block.addr().get()).expect("it is the pool's");
        [1, 3].contains(&found.0)
    };
    let (kept, rest): (Vec<_>, Vec<_>) = blocks.into_iter().partition(is_kept);
    assert_eq!((kept.len(), rest.len()), (4, 6), "two in each chunk");
    rest.into_iter().for_each(|block| free(&pool, block));
    let chunk_bytes = pool.chunk(0).layout.size();
    assert_eq!(pool.shrink(), 3 * chunk_bytes, "the bytes of three chunks");
    let mut expected = vec![before[1], before[3]];
    expected.resize(CHUNKS_MAX, ptr::null_mut());
    assert_eq!((entries(&pool), pool.count(), pool.capacity()), (expected, 2, 4), "two are left");
    kept.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn a_region_that_just_fits_is_used_to_the_last_byte() {
    for blocks in [1, 2, 10, 64, 65, 200] {
        let bytes = Plan::new(8, 8, blocks).expect("a plan").layout.size();
        let mut memory = vec![MaybeUninit::<u64>::uninit(); bytes.div_ceil(8)];
        for (bytes, is_full) in [(bytes, true), (bytes - 1, false)] {
            let start = memory.as_mut_ptr().cast::<MaybeUninit<u8>>();
            // SAFETY: the words have this many bytes, and no other reference to them is used
            // meanwhile.
            let region = unsafe { slice::from_raw_parts_mut(start, bytes) };
            let pool = SharedPool::from_region("exact", WORD, region);
            assert_eq!(pool.capacity() == blocks, is_full, "{blocks} blocks in {bytes} bytes");
        }
    }
}

#[test]
fn the_first_chunk_of_a_large_region_is_full() {
    let mut memory = vec![MaybeUninit::uninit(); 2 * BLOCKS_MAX];
    let pool = SharedPool::from_region("bytes", Layout::new::<u8>(), &mut memory);
    assert_eq!(
        (pool.count(), pool.chunk(0).blocks),
        (2, BLOCKS_MAX),
        "as many as a chunk can have"
    );
}
