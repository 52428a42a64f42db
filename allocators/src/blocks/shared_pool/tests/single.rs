//! One thread: the bits and levels, growth, refusals, wrong frees, a model.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeSet;
use std::println;
use std::vec;
use std::vec::Vec;

use crate::blocks::shared_pool::SharedPool;
use crate::blocks::shared_pool::bits::BITS;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};
use crate::threads::sync::shared::Ordering;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(pool: &dyn Allocator, size: usize) -> NonNull<u8> {
    pool.allocate(layout(size, 1)).expect("there is memory").cast()
}

const fn assert_shared<T: Send + Sync>() {}
const _: () = {
    assert_shared::<SharedPool<'static>>();
    assert_shared::<SharedPool<'static, SharedRef<'static>>>();
    assert_shared::<SharedPool<'static, TestBacking>>();
};

#[test]
fn blocks_come_and_go_in_a_region() {
    let mut memory = vec![MaybeUninit::uninit(); 100_000];
    for (size, align) in [(1, 1), (8, 8), (24, 8), (100, 4), (64, 64), (5000, 8), (16, 4096)] {
        let block = layout(size, align);
        let pool = SharedPool::from_region("pool", block, &mut memory[3..]);
        let bytes = pool.block_layout().size();
        assert_eq!(pool.block_layout(), block.pad_to_align());
        let mut blocks = BTreeSet::new();
        while let Ok(block) = pool.allocate(block) {
            assert_eq!(block.len(), bytes);
            assert!(block.cast::<u8>().addr().get().is_multiple_of(align), "{block:?}");
            assert!(blocks.insert(block.cast::<u8>()), "given out twice");
        }
        assert_eq!(blocks.len(), pool.capacity());
        let wasted = 99_997 - blocks.len() * bytes;
        assert!(wasted <= bytes + align + 300 + blocks.len() / 7, "{size}: {wasted} bytes wasted");
        pool.validate();
        let mut listed = Vec::new();
        pool.walk(&mut |block| listed.push(block.address));
        assert!(listed.iter().eq(blocks.iter()), "every block is listed, in order");
        let stats = pool.stats();
        assert_eq!((stats.live, stats.granted), (blocks.len(), blocks.len() * bytes));
        assert_eq!((stats.reserved, stats.exact), (99_997, false));
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { pool.deallocate(block) };
        }
        pool.validate();
        assert_eq!(pool.stats().live, 0);
    }
}

#[test]
fn a_region_without_room_serves_nothing() {
    for bytes in [0, 1, 60, 100] {
        let mut memory = vec![MaybeUninit::uninit(); bytes];
        let pool = SharedPool::from_region("small", layout(64, 8), &mut memory);
        assert_eq!(pool.allocate(layout(64, 8)), Err(AllocError));
        assert_eq!((pool.capacity(), pool.stats().reserved), (0, bytes));
        pool.validate();
    }
}

#[test]
fn a_region_of_more_than_a_chunk_is_filled() {
    // One chunk has 262 144 blocks of a byte, or 32 768 with 32 bits; its bits take an eighth of
    // that.
    let most = BITS.pow(3);
    let mut memory = vec![MaybeUninit::uninit(); most * 8 / 3];
    let pool = SharedPool::from_region("bytes", layout(1, 1), &mut memory);
    assert_eq!(pool.count(), 3);
    assert!(pool.capacity() > most * 7 / 3, "{}", pool.capacity());
    let blocks: Vec<_> = (0..pool.capacity()).map(|_| take(&pool, 1)).collect();
    assert_eq!(pool.allocate(layout(1, 1)), Err(AllocError));
    pool.validate();
    // Nearly full, the one free block is found wherever it is.
    for &block in blocks.iter().step_by(9973) {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block) };
        assert_eq!(take(&pool, 1), block);
    }
    pool.validate();
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { pool.deallocate_sized(block, layout(1, 1)) };
    }
    pool.validate();
}

#[test]
fn it_grows_and_shrinks() {
    let backing = TestBacking::new();
    let mut pool = SharedPool::new_in("pool", layout(64, 8), &backing);
    assert_eq!(pool.stats().reserved, 0);
    let first = pool.layout_below(layout(64, 8));
    let blocks: Vec<_> = (0..5000).map(|_| take(&pool, 64)).collect();
    assert_eq!(backing.layout_at(pool.chunk(0).first.as_ptr()), Some(first));
    assert!(pool.count() <= 8, "each chunk doubles the pool: {}", pool.count());
    assert_eq!(pool.stats().reserved, backing.stats().granted);
    pool.validate();
    let (kept, rest) = blocks.split_at(10);
    for &block in rest {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block) };
    }
    let before = pool.stats().reserved;
    let freed = pool.shrink();
    assert!(freed > before / 2, "{freed} of {before}");
    let stats = pool.stats();
    assert_eq!((stats.reserved, stats.peak_reserved), (before - freed, before));
    assert_eq!((stats.live, stats.peak_granted), (10, 5000 * 64));
    assert_eq!(stats.reserved, backing.stats().granted);
    pool.validate();
    for &block in kept {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block) };
    }
    pool.shrink();
    assert_eq!((pool.stats().reserved, pool.count()), (0, 0));
    let block = take(&pool, 1);
    // SAFETY: the block is live.
    unsafe { pool.deallocate(block) };
}

#[test]
fn limits_of_blocks_are_kept() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", layout(64, 8), &backing).with_blocks_max(100);
    assert_eq!(pool.budget(), Some(6400));
    let blocks: Vec<_> = (0..100).map(|_| take(&pool, 64)).collect();
    assert_eq!(pool.allocate(layout(64, 8)), Err(AllocError));
    assert_eq!(pool.capacity(), 100);
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block) };
    }
    // The table of chunks is full after 32 of one block each.
    let pool = SharedPool::new_in("pool", layout(64, 8), &backing).with_blocks_per_chunk(1);
    let blocks: Vec<_> = (0..32).map(|_| take(&pool, 64)).collect();
    let asked = backing.requests();
    assert_eq!(pool.allocate(layout(64, 8)), Err(AllocError));
    assert_eq!(backing.requests(), asked, "no chunk is allocated without a slot");
    pool.validate();
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block) };
    }
}

#[test]
fn a_backing_that_refuses_changes_nothing() {
    let backing = TestBacking::new();
    for nth in 0..20 {
        let pool = SharedPool::new_in("pool", layout(64, 8), &backing);
        backing.refuse_from(nth);
        let mut blocks = Vec::new();
        loop {
            let before = (pool.stats(), backing.stats());
            match pool.allocate(layout(64, 8)) {
                Ok(block) => blocks.push(block.cast::<u8>()),
                Err(AllocError) => {
                    assert_eq!((pool.stats(), backing.stats()), before);
                    break;
                }
            }
            if blocks.len() > 20_000 {
                break;
            }
        }
        assert_eq!(nth == 0, blocks.is_empty());
        pool.validate();
        backing.refuse_none();
        blocks.push(take(&pool, 64));
        for block in blocks {
            // SAFETY: the block is live.
            unsafe { pool.deallocate(block) };
        }
    }
    // One refusal: half a chunk will do.
    let pool = SharedPool::new_in("pool", layout(64, 8), &backing);
    backing.refuse_nth(0);
    let block = take(&pool, 64);
    assert_eq!(pool.capacity(), 32);
    // SAFETY: the block is live.
    unsafe { pool.deallocate(block) };
}

#[test]
fn what_does_not_fit_is_refused() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", layout(24, 8), &backing);
    assert_eq!(pool.allocate(layout(25, 1)), Err(AllocError));
    assert_eq!(pool.allocate(layout(1, 16)), Err(AllocError));
    let block = take(&pool, 0);
    // SAFETY: the block is live and has this layout.
    unsafe {
        assert_eq!(pool.allocated_size(block), 24);
        let resized = pool.resize_in_place(block, layout(0, 1), layout(24, 8)).expect("it fits");
        assert_eq!((resized.cast(), resized.len()), (block, 24));
        let refused = pool.reallocate(block, layout(24, 8), layout(25, 8));
        assert_eq!(refused, Err(AllocError));
        pool.deallocate_sized(block, layout(24, 8));
    }
    let stats = pool.stats();
    assert_eq!((stats.allocations_total, stats.requested_total, stats.granted_total), (1, 0, 24));
}

#[test]
fn wrong_frees_are_found() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("sound", layout(64, 8), &backing);
    let [one, two] = [take(&pool, 64), take(&pool, 64)];
    // SAFETY: the frees are wrong on purpose, but for the first; they are reported, and nothing
    // changes.
    unsafe {
        pool.deallocate(one);
        let before = pool.stats();
        let said = misuse_of(|| pool.deallocate(one));
        assert!(said.contains("double free") && said.contains("`sound`"), "{said}");
        assert!(said.contains("shared_pool/tests/single.rs"), "{said}");
        assert!(misuse_of(|| pool.deallocate_sized(one, layout(64, 8))).contains("double free"));
        assert!(misuse_of(|| pool.deallocate(two.add(1))).contains("interior free"));
        assert!(misuse_of(|| pool.deallocate(two.add(8))).contains("interior free"));
        let wrong_size = misuse_of(|| pool.deallocate_sized(two, layout(65, 1)));
        assert!(wrong_size.contains("wrong size"), "{wrong_size}");
        let fresh = pool.chunk(0).first.add(64 * (pool.capacity() - 1));
        assert!(misuse_of(|| pool.deallocate(fresh)).contains("foreign free"), "never given out");
        let mut foreign = 0_u64;
        let foreign = NonNull::from(&mut foreign).cast();
        assert!(misuse_of(|| pool.deallocate(foreign)).contains("foreign free"));
        let header = pool.chunk(0).first.add(64 * pool.capacity());
        assert!(misuse_of(|| pool.deallocate(header)).contains("foreign free"));
        let resized = misuse_of(|| {
            let _ = pool.resize_in_place(one, layout(64, 8), layout(8, 8));
        });
        assert!(resized.contains("double free"), "{resized}");
        assert_eq!(pool.stats(), before, "nothing has changed");
        pool.deallocate(two);
    }
    pool.validate();
}

#[test]
fn a_leak_is_listed_and_the_memory_goes_back() {
    let backing = TestBacking::new();
    let said = panic_of(|| {
        let pool = SharedPool::new_in("sound", layout(64, 8), &backing);
        let blocks: Vec<_> = (0..20).map(|_| take(&pool, 64)).collect();
        // SAFETY: the block is live.
        unsafe { pool.deallocate(blocks[7]) };
    });
    assert!(said.contains("`sound` was dropped with 19 live blocks of 1216 bytes"), "{said}");
    assert!(said.contains("and 3 more"), "{said}");
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn damage_is_found() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let pool = SharedPool::from_region("pool", layout(64, 8), &mut memory);
    let chunk = pool.chunk(0);
    assert!(chunk.blocks < 64, "the leaf has bits to spare");
    for word in [&chunk.root, chunk.middle(0), chunk.leaf(0)] {
        pool.verify().expect("sound");
        word.fetch_or(1 << (usize::BITS - 1), Ordering::Relaxed);
        assert!(pool.verify().is_err(), "a bit too many");
        word.fetch_and(!(1 << (usize::BITS - 1)), Ordering::Relaxed);
    }
    assert_eq!(chunk.carved(), 0);
    chunk.leaf(0).fetch_or(1, Ordering::Relaxed);
    assert!(pool.verify().is_err(), "a free block that was never given out");
    chunk.leaf(0).fetch_and(!1, Ordering::Relaxed);
    pool.verify().expect("sound");
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let backing = TestBacking::new();
        let per_chunk = [0, 1, 3, 64, 65][random.below(5)];
        let pool =
            SharedPool::new_in("m", layout(1 + random.below(100), 1 << random.below(5)), &backing)
                .with_blocks_per_chunk(per_chunk);
        let (block, bytes) = (pool.block_layout(), pool.block_layout().size());
        let mut live: Vec<NonNull<u8>> = Vec::new();
        let (mut peak, mut asked, mut total) = (0, 0, 0);
        // Phases of growing and of shrinking.
        for step in 0..3000 {
            if random.below(10) < if step / 500 % 2 == 0 { 7 } else { 3 } {
                let request = layout(random.below(bytes + 1), 1);
                let Ok(given) = pool.allocate(request) else {
                    assert_eq!(live.len(), 32 * per_chunk, "refused with room left");
                    continue;
                };
                assert!(!live.contains(&given.cast()), "given out twice");
                live.push(given.cast());
                (asked, total) = (asked + request.size() as u64, total + 1);
            } else if !live.is_empty() {
                let freed = live.swap_remove(random.below(live.len()));
                // SAFETY: the block is live.
                unsafe { pool.deallocate_sized(freed, block) };
            }
            peak = peak.max(live.len());
            let stats = pool.stats();
            assert_eq!((stats.live, stats.granted), (live.len(), live.len() * bytes));
            assert_eq!((stats.peak_granted, stats.requested_total), (peak * bytes, asked));
            assert_eq!((stats.allocations_total, stats.reserved), (total, backing.stats().granted));
            if step % 100 == 0 {
                pool.validate();
            }
        }
        for block in live {
            // SAFETY: the block is live.
            unsafe { pool.deallocate(block) };
        }
        pool.validate();
    }
}
