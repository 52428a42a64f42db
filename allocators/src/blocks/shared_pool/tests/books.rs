//! The state of a pool: fresh, with free blocks, and damaged.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use crate::blocks::shared_pool::SharedPool;
use crate::blocks::shared_pool::bits::BITS;
use crate::contract::allocator::{Allocator, Damage};
use crate::contract::stats::Stats;
use crate::testing::test_backing::{TestBacking, misuse_of};
use crate::threads::sync::shared::{AtomicUsize, Ordering};

const BYTE: Layout = Layout::new::<u8>();

fn take(pool: &dyn Allocator) -> NonNull<u8> {
    pool.allocate(BYTE).expect("there is memory").cast()
}

fn free(pool: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks.
    unsafe { pool.deallocate(block) };
}

/// Returns the reported damage while a bit of a word is wrongly set.
fn said_of(pool: &SharedPool<'_>, word: &AtomicUsize, bit: usize) -> Result<(), &'static str> {
    word.fetch_or(1 << bit, Ordering::Relaxed);
    let said = pool.verify().map_err(|Damage { what, .. }| what);
    word.fetch_and(!(1 << bit), Ordering::Relaxed);
    assert_eq!(pool.verify(), Ok(()), "mended");
    said
}

#[test]
fn all_begins_at_zero() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", BYTE, &backing);
    assert_eq!(pool.stats(), Stats::default(), "nothing is taken yet");
    let mut memory = vec![MaybeUninit::uninit(); 6000];
    let pool = SharedPool::from_region("region", BYTE, &mut memory);
    let chunk = pool.chunk(0);
    let middles = (0..chunk.middles()).map(|index| chunk.middle(index));
    let leaves = (0..chunk.leaves()).map(|index| chunk.leaf(index));
    for word in [&chunk.root].into_iter().chain(middles).chain(leaves) {
        assert_eq!(word.load(Ordering::Relaxed), 0, "no block is free that was not given out");
    }
    assert_eq!(chunk.carved(), 0, "no block was given out");
}

#[test]
fn bits_beyond_the_words_are_told() {
    // One and a half times the blocks of one middle word.
    let mut memory = vec![MaybeUninit::uninit(); BITS * BITS * 3 / 2];
    let pool = SharedPool::from_region("pool", BYTE, &mut memory);
    let chunk = pool.chunk(0);
    let (middles, leaves) = (chunk.middles(), chunk.leaves());
    assert_eq!(middles, 2, "the second is a part of one");
    for bit in 0..BITS {
        let root = if bit < middles {
            Ok(())
        } else {
            Err("the root of a chunk has bits beyond its words")
        };
        assert_eq!(said_of(&pool, &chunk.root, bit), root, "bit {bit} of the root");
        for middle in 0..middles {
            let said = if middle * BITS + bit < leaves {
                Ok(())
            } else {
                Err("a middle word of a chunk has bits beyond its leaves")
            };
            let word = chunk.middle(middle);
            assert_eq!(said_of(&pool, word, bit), said, "bit {bit} of middle word {middle}");
        }
    }
}

#[test]
fn free_blocks_that_were_never_given_out_are_told() {
    let mut memory = vec![MaybeUninit::uninit(); 6000];
    let pool = SharedPool::from_region("pool", BYTE, &mut memory);
    let chunk = pool.chunk(0);
    let mut blocks = Vec::new();
    for count in [0, 3, BITS - 1, BITS, BITS + 3, 2 * BITS + 1] {
        blocks.extend((blocks.len()..count).map(|_| take(&pool)));
        for block in 0..4 * BITS {
            let said = if block < count {
                Ok(())
            } else {
                Err("a block is free that was never given out")
            };
            let found = said_of(&pool, chunk.leaf(block / BITS), block % BITS);
            assert_eq!(found, said, "block {block} of {count} that were given out");
        }
    }
    blocks.into_iter().for_each(|block| free(&pool, block));
}

#[test]
fn a_chunk_that_is_not_aligned_is_told() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let layout = Layout::from_size_align(64, 64).expect("a layout");
    let pool = SharedPool::from_region("pool", layout, &mut memory);
    assert_eq!(pool.verify(), Ok(()), "sound");
    let chunk = pool.chunks[0].load(Ordering::Relaxed);
    let first = pool.chunk(0).first;
    // SAFETY: the block has 64 bytes.
    let beside = unsafe { first.add(8) };
    let said = {
        // SAFETY: the chunk exists, and no other reference to it is used.
        unsafe { (*chunk).first = beside };
        pool.verify()
    };
    // SAFETY: as above.
    unsafe { (*chunk).first = first };
    let damage = Damage { what: "a chunk's first block is not aligned", address: beside.as_ptr() };
    assert_eq!(said, Err(damage), "reported, with its address");
    assert_eq!(pool.verify(), Ok(()), "mended");
}

#[test]
fn a_free_block_is_not_resized_wherever_its_bit_is() {
    let mut memory = vec![MaybeUninit::uninit(); 1000];
    let pool = SharedPool::from_region("pool", BYTE, &mut memory);
    let blocks: Vec<_> = (0..2 * BITS).map(|_| take(&pool)).collect();
    for number in [0, 1, 2, BITS - 1, BITS, BITS + 1, 2 * BITS - 1] {
        let block = blocks[number];
        // SAFETY: the block is live and has this layout.
        let resized = unsafe { pool.resize_in_place(block, BYTE, BYTE) };
        assert_eq!(resized.map(NonNull::cast), Ok(block), "block {number} is live");
        free(&pool, block);
        let said = misuse_of(|| {
            // SAFETY: the call finds that the block is free, and changes nothing.
            let _ = unsafe { pool.resize_in_place(block, BYTE, BYTE) };
        });
        assert!(said.contains("double free"), "block {number}: {said}");
        assert_eq!(take(&pool), block, "the only free one");
    }
    blocks.into_iter().for_each(|block| free(&pool, block));
}
