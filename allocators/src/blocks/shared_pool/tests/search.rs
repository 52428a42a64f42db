//! The search for a block: the last used leaf, then onwards and around, then everywhere.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use crate::blocks::shared_pool::SharedPool;
use crate::blocks::shared_pool::bits::BITS;
use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{TestBacking, misuse_of};

const BYTE: Layout = Layout::new::<u8>();

/// Allocates all blocks; they are contiguous.
fn take_all(pool: &SharedPool<'_>) -> Vec<NonNull<u8>> {
    (0..pool.capacity()).map(|_| pool.allocate(BYTE).expect("there is room").cast()).collect()
}

fn free(pool: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks.
    unsafe { pool.deallocate(block) };
}

/// Runs a test well within the 64 KiB of stack by which a pool distinguishes threads, so that it
/// counts as one thread. Not under AddressSanitizer, which moves stack variables elsewhere.
#[cfg(not(loligo_asan))]
fn away_from_edges(test: &mut dyn FnMut()) {
    let here = [0_u8; 1024];
    let at = core::hint::black_box(&here).as_ptr().addr() % (64 << 10);
    if (16 << 10..48 << 10).contains(&at) {
        test();
    } else {
        away_from_edges(test);
    }
    core::hint::black_box(&here);
}

fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::uninit(); bytes]
}

#[test]
fn a_chunk_is_searched_from_a_leaf_on_and_round() {
    // Four middle words, the last one partly used.
    let mut memory = memory(18_000);
    let pool = SharedPool::from_region("bytes", BYTE, &mut memory);
    let blocks = take_all(&pool);
    let chunk = pool.chunk(0);
    assert!(chunk.middles() > 3, "{} middle words", chunk.middles());
    // Two leaves with a free block, the leaf where the search begins, and which of the two is
    // found: within one middle word the first leaf from there on, of two the first word.
    let (one, two) = (BITS, 2 * BITS);
    for (leaves, start, found) in [
        ([3, 9], 0, 3),
        ([3, 9], 3, 3),
        ([3, 9], 4, 9),
        ([3, 9], 9, 9),
        ([3, 9], 10, 3),
        ([one + 3, one + 9], one + 4, one + 9),
        ([one + 3, one + 9], one + 10, one + 3),
        ([one + 3, one + 9], 5, one + 9),
        ([one + 3, one + 9], two + 2, one + 3),
        ([5, two + 7], 0, 5),
        ([5, two + 7], one, two + 7),
        ([5, two + 7], two, two + 7),
        ([5, two + 7], two + 8, two + 7),
        ([5, two + 7], two + one, 5),
        ([0, one], 0, 0),
        ([0, one], one, one),
        ([0, one], two, 0),
    ] {
        for leaf in leaves {
            free(&pool, blocks[leaf * BITS + leaf % 7]);
        }
        pool.validate();
        let [first, second] = [chunk.take(start), chunk.take(start)];
        let other = leaves[0] + leaves[1] - found;
        let block = |leaf: usize| Some(leaf * BITS + leaf % 7);
        assert_eq!([first, second], [found, other].map(block), "{leaves:?} from {start} on");
        assert_eq!(chunk.take(start), None, "there were two");
        pool.validate();
    }
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[cfg(not(loligo_asan))]
#[test]
fn the_leaf_that_was_used_last_is_remembered() {
    let mut memory = memory(1000);
    let pool = SharedPool::from_region("bytes", BYTE, &mut memory);
    let mut blocks = Vec::new();
    away_from_edges(&mut || {
        let near = || pool.places.own().near();
        assert_eq!(near(), None, "nothing was used");
        for number in 0..3 * BITS {
            blocks.push(pool.allocate(BYTE).expect("there is room").cast::<u8>());
            assert_eq!(near(), Some((0, number / BITS)), "block {number} was given out");
        }
        for number in [0, 2 * BITS, BITS] {
            free(&pool, blocks[number]);
            assert_eq!(near(), Some((0, number / BITS)), "block {number} was given back");
        }
        // The block freed last is allocated first, then those after it, then around.
        for number in [BITS, 2 * BITS, 0] {
            let block = pool.allocate(BYTE).expect("there is room").cast::<u8>();
            assert_eq!(block, blocks[number], "from the last leaf on and round");
            assert_eq!(near(), Some((0, number / BITS)), "block {number} was given out again");
        }
    });
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[cfg(not(loligo_asan))]
#[test]
fn other_chunks_are_searched_from_their_first_leaf_on_the_youngest_first() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("bytes", BYTE, &backing).with_blocks_per_chunk(4 * BITS);
    let count = 12 * BITS;
    let blocks: Vec<NonNull<u8>> =
        (0..count).map(|_| pool.allocate(BYTE).expect("there is memory").cast()).collect();
    // The numbers of blocks in the first two chunks, in the order in which they are found.
    let order = [4 * BITS + 1, 6 * BITS + 1, 1, 2 * BITS + 1];
    for number in order {
        free(&pool, blocks[number]);
    }
    pool.validate();
    away_from_edges(&mut || {
        for number in order {
            // As if the last call had been in the third.
            pool.places.own().remember(2, 3);
            let block = pool.allocate(BYTE).expect("one is free").cast::<u8>();
            assert_eq!(block, blocks[number], "block {number}");
        }
    });
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[cfg(not(loligo_asan))]
#[test]
fn a_block_that_the_upper_words_hide_is_found() {
    let mut memory = memory(1000);
    let pool = SharedPool::from_region("bytes", BYTE, &mut memory);
    let blocks = take_all(&pool);
    away_from_edges(&mut || {
        for number in [0, 1, BITS - 1, BITS, 3 * BITS + 5] {
            // As another thread leaves it in the middle of a free: the bits above are not set yet.
            let leaf = pool.chunk(0).leaf(number / BITS);
            leaf.fetch_or(1 << (number % BITS), crate::threads::sync::shared::Ordering::Relaxed);
            pool.places.own().remember(0, 5);
            let block = pool.allocate(BYTE).map(NonNull::cast::<u8>);
            assert_eq!(block, Ok(blocks[number]), "block {number}");
            assert_eq!(pool.allocate(BYTE), Err(crate::AllocError), "there was one");
        }
    });
    blocks.into_iter().for_each(|block| free(&pool, block));
    pool.validate();
}

#[test]
fn wrong_addresses_are_told_apart_in_every_chunk() {
    let backing = TestBacking::new();
    let of = Layout::new::<[u64; 3]>();
    let pool = SharedPool::new_in("pool", of, &backing).with_blocks_per_chunk(8);
    // The last chunk has two blocks that were never allocated.
    let blocks: Vec<NonNull<u8>> =
        (0..22).map(|_| pool.allocate(of).expect("there is memory").cast()).collect();
    let report = |address: *mut u8| {
        let address = NonNull::new(address).expect("it is in a chunk or just after it");
        // SAFETY: no block starts there; the call reports that and changes nothing.
        misuse_of(|| unsafe { pool.deallocate(address) })
    };
    for block in [0, 7, 8, 15, 16, 21].map(|number: usize| blocks[number]) {
        for inside in [1, 8, 23] {
            let report = report(block.as_ptr().wrapping_add(inside));
            assert!(report.contains("interior free"), "{inside}: {report}");
        }
    }
    let fresh = report(blocks[21].as_ptr().wrapping_add(24));
    assert!(fresh.contains("foreign free"), "the next was never given out: {fresh}");
    for chunk in 0..3 {
        let first = pool.chunk(chunk).first.as_ptr();
        let owned = [0, 191, 192].map(|offset| pool.owns(first.wrapping_add(offset)));
        assert_eq!(owned, [true, true, false], "up to the last block's end");
        assert!(!pool.owns(first.wrapping_sub(1)), "nothing before the first");
    }
    pool.validate();
    blocks.into_iter().for_each(|block| free(&pool, block));
}
