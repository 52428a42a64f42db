//! Tests of the pool: its bits, chunks and index, alone and against a naive model.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod damage;
mod growth;
mod looks;
mod small_world;

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;
use std::{format, println, vec};

use super::PoolAllocator;
use super::chunk::{WINDOW_MAX, window_shift};
use super::group::{BlockSize, Group, NOWHERE};
use crate::contract::allocator::{AllocError, Allocator, Block, SharedRef};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn blocks_of(pool: &dyn Allocator) -> Vec<Block> {
    let mut blocks = Vec::new();
    pool.walk(&mut |block| blocks.push(block));
    blocks
}

fn free(pool: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests that call this pass live blocks, or wrong ones that the pool reports.
    unsafe { pool.deallocate(block) };
}

fn take(pool: &dyn Allocator, layout: Layout) -> NonNull<u8> {
    pool.allocate(layout).expect("there is memory").cast()
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<PoolAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<PoolAllocator<'static, SharedRef<'static>>>();
    assert_send::<PoolAllocator<'static, TestBacking>>();
};

#[test]
fn the_index_of_an_offset_is_exact_or_out_of_reach() {
    for bytes in (1..200).chain([255, 256, 4095, 4096, 65_520, 1 << 20, 3 << (usize::BITS - 24)]) {
        let size = BlockSize::new(bytes);
        for offset in (0..bytes.min(300) * 3).chain([bytes * 63, bytes * 64, bytes * 1000]) {
            let index = size.index_of(offset);
            if offset % bytes == 0 {
                assert_eq!(index, offset / bytes, "{offset} of {bytes}");
            } else {
                assert!(index > usize::MAX / bytes, "{offset} of {bytes}");
            }
            let before = size.index_of(offset.wrapping_neg());
            assert!(offset == 0 || before > usize::MAX / bytes / 2, "-{offset} of {bytes}");
        }
    }
}

#[test]
fn no_window_has_more_than_64_block_starts_or_fewer_than_one() {
    for bytes in
        (1..3000).chain([WINDOW_MAX - 1, WINDOW_MAX, WINDOW_MAX + 1, 1 << (usize::BITS - 24)])
    {
        for blocks in [0, 1, 2, 3, 63, 64, 65, 1000] {
            let window = 1_usize << window_shift(bytes, blocks);
            assert!(window.div_ceil(bytes) <= 64, "{bytes} bytes, {blocks} blocks");
            assert!(window >= bytes, "{bytes} bytes, {blocks} blocks");
        }
    }
}

#[test]
fn blocks_are_distinct_aligned_and_of_the_full_size() {
    for (size, align) in [(1, 1), (7, 1), (24, 8), (48, 16), (64, 64), (100, 256), (20_000, 4)] {
        let backing = TestBacking::new();
        let pool = PoolAllocator::new_in("pool", layout(size, align), &backing);
        let bytes = size.next_multiple_of(align);
        assert_eq!(pool.block_layout(), layout(bytes, align));
        let mut starts = BTreeSet::new();
        for _ in 0..500 {
            let block = pool.allocate(layout(size, align)).expect("there is memory");
            assert_eq!(block.len(), bytes);
            let start = block.cast::<u8>().addr().get();
            assert_eq!(start % align, 0);
            let below = starts.range(..=start).next_back().copied();
            assert!(below.is_none_or(|below| below + bytes <= start), "blocks overlap");
            assert!(starts.insert(start), "a block was given out twice");
            // SAFETY: the block is live and this long.
            unsafe { block.cast::<u8>().write_bytes(0xff, bytes) };
        }
        pool.verify().expect("writing blocks damages nothing");
        let listed: BTreeSet<usize> =
            blocks_of(&pool).iter().map(|b| b.address.addr().get()).collect();
        assert_eq!(listed, starts);
        for block in blocks_of(&pool) {
            free(&pool, block.address);
        }
        pool.verify().expect("an empty pool is sound");
    }
}

#[test]
fn requests_that_do_not_fit_are_refused_and_smaller_ones_served() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(48, 16), &backing);
    for wrong in [layout(49, 1), layout(8, 32), layout(usize::MAX / 2, 1)] {
        assert_eq!(pool.allocate(wrong), Err(AllocError));
    }
    assert_eq!(backing.requests(), 0, "a refused request takes no memory");
    for small in [layout(0, 1), layout(1, 1), layout(0, 16), layout(48, 2)] {
        let block = pool.allocate(small).expect("there is memory");
        assert_eq!(block.len(), 48);
        // SAFETY: the block is live, and this is the layout it was asked with.
        unsafe { pool.deallocate_sized(block.cast(), small) };
    }
    assert_eq!(pool.stats().requested_total, 49);
    assert_eq!(pool.stats().granted_total, 4 * 48);
}

#[test]
fn zeroed_blocks_are_zero_over_their_whole_length() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(40, 8), &backing);
    let block = pool.allocate_zeroed(layout(3, 1)).expect("there is memory");
    // SAFETY: the block is live and this long, and its bytes were written.
    assert_eq!(unsafe { block.as_ref() }, [0; 40]);
    free(&pool, block.cast());
}

#[test]
fn resizing_works_within_the_block() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let block = take(&pool, layout(10, 1));
    let before = pool.stats();
    // SAFETY: the block is live and `old` is its layout, in each call.
    unsafe {
        let old = layout(10, 1);
        let grown = pool.resize_in_place(block, old, layout(64, 1)).expect("it fits");
        assert_eq!((grown.cast(), grown.len()), (block, 64));
        assert_eq!(pool.resize_in_place(block, old, layout(65, 1)), Err(AllocError));
        let realigned = pool.reallocate(block, old, layout(64, 8)).expect("it fits");
        assert_eq!(realigned.cast(), block);
        assert_eq!(pool.reallocate(block, old, layout(65, 8)), Err(AllocError));
        assert_eq!(pool.allocated_size(block), 64);
    }
    assert_eq!(pool.stats(), before);
    free(&pool, block);
}

#[test]
fn chunks_double_and_are_given_back() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let mut live: Vec<NonNull<u8>> = (0..20_000).map(|_| take(&pool, layout(64, 8))).collect();
    assert!(backing.stats().live <= 12, "few chunks hold many blocks");
    assert_eq!(pool.stats().reserved, backing.stats().granted);
    assert!(pool.capacity() >= 20_000 && pool.capacity() <= 40_000);
    assert_eq!(pool.stats().peak_granted, 20_000 * 64);
    for block in live.drain(100..) {
        free(&pool, block);
    }
    let given_back = pool.shrink();
    assert!(given_back > 19_000 * 64);
    pool.verify().expect("the rest is sound");
    assert_eq!(pool.stats().reserved, backing.stats().granted);
    assert_eq!(pool.stats().peak_granted, 20_000 * 64);
    assert_eq!(blocks_of(&pool).len(), 100);
    let more: Vec<NonNull<u8>> = (0..5000).map(|_| take(&pool, layout(64, 8))).collect();
    pool.verify().expect("it grows again");
    for block in live.into_iter().chain(more) {
        free(&pool, block);
    }
    pool.shrink();
    assert_eq!(backing.stats().live, 0);
    assert_eq!(pool.stats().reserved, 0);
    let again = take(&pool, layout(64, 8));
    free(&pool, again);
    assert_eq!(pool.stats().peak_granted, 20_000 * 64);
}

#[test]
fn the_number_of_blocks_in_a_chunk_can_be_fixed() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing).with_blocks_per_chunk(10);
    let live: Vec<NonNull<u8>> = (0..95).map(|_| take(&pool, layout(64, 8))).collect();
    assert_eq!(pool.capacity(), 100);
    assert!(pool.layout_below(layout(64, 8)).size() >= 640);
    pool.verify().expect("ten chunks are sound");
    for block in live {
        free(&pool, block);
    }
}

#[test]
fn chunks_are_as_large_as_told() {
    for size in [8, 24, 48, 64, 320, 1024, 5000, 40_000] {
        for bytes in [1, 1000, 4080, 16_368, 64 << 10] {
            let backing = TestBacking::new();
            let pool =
                PoolAllocator::new_in("pool", layout(size, 8), &backing).with_chunk_bytes(bytes);
            let chunk = pool.layout_below(layout(size, 8));
            let block = take(&pool, layout(size, 8));
            assert!(pool.capacity() == 1 || chunk.size() <= bytes, "{size}: {chunk:?} in {bytes}");
            let wasted = bytes.saturating_sub(pool.capacity() * size);
            assert!(wasted <= bytes / 10 + size + 512, "{wasted} of {bytes} for {size}");
            pool.verify().expect("one chunk is sound");
            free(&pool, block);
        }
    }
}

#[test]
fn chunks_that_stay_empty_go_back_by_themselves() {
    let backing = TestBacking::new();
    let of = layout(64, 8);
    let pool =
        PoolAllocator::new_in("pool", of, &backing).with_chunk_bytes(4 << 10).with_give_back(10);
    let mut level: Vec<NonNull<u8>> = (0..10_000).map(|_| take(&pool, of)).collect();
    let full = pool.stats().reserved;
    for block in level.drain(1..) {
        free(&pool, block);
    }
    pool.verify().expect("some chunks are parked");
    assert!(pool.stats().reserved < full / 4, "{} of {full}", pool.stats().reserved);
    assert_eq!(pool.stats().reserved, backing.stats().granted);
    assert_eq!(pool.stats().peak_granted, 10_000 * 64);
    let capacity = pool.capacity();
    let more: Vec<NonNull<u8>> = (1..capacity).map(|_| take(&pool, of)).collect();
    assert_eq!(pool.capacity(), capacity, "parked blocks are given out before it grows");
    assert_eq!(blocks_of(&pool).len(), capacity);
    pool.verify().expect("none is parked");
    for block in level.into_iter().chain(more) {
        free(&pool, block);
    }
    assert!(pool.shrink() > 0, "parked chunks are returned");
    assert_eq!(backing.stats().live, 0);
}

#[test]
fn a_second_free_into_a_parked_chunk_is_found() {
    let backing = TestBacking::new();
    let of = layout(64, 8);
    let pool =
        PoolAllocator::new_in("pool", of, &backing).with_blocks_per_chunk(8).with_give_back(100);
    let live: Vec<NonNull<u8>> = (0..320).map(|_| take(&pool, of)).collect();
    for block in &live[100..] {
        free(&pool, *block);
    }
    let parked = live[319];
    assert!(pool.owns(parked.as_ptr()), "the last chunk was not empty for long enough to go back");
    assert!(misuse_of(|| free(&pool, parked)).contains("double free"));
    for block in &live[..100] {
        free(&pool, *block);
    }
}

#[test]
fn a_region_is_filled_and_never_left() {
    for length in [0, 1, 100, 300, 1000, 4096, 100_000] {
        for skip in [0, 1, 9] {
            let mut memory = vec![MaybeUninit::new(7_u8); length + 20];
            let region = &mut memory[skip..skip + length];
            let range = region.as_ptr_range();
            let (start, end) = (range.start.addr(), range.end.addr());
            let pool = PoolAllocator::from_region("region", layout(24, 8), region);
            let mut live = Vec::new();
            while let Ok(block) = pool.allocate(layout(24, 8)) {
                let at = block.cast::<u8>().addr().get();
                assert!(at >= start && at + 24 <= end);
                // SAFETY: the block is live and this long.
                unsafe { block.cast::<u8>().write_bytes(9, 24) };
                live.push(block.cast::<u8>());
            }
            assert_eq!(live.len(), pool.capacity());
            assert!(
                length < 4096 || live.len() * 24 * 8 >= length * 7,
                "{} of {length}",
                live.len()
            );
            assert!(length < 300 || live.len() > 1);
            assert_eq!(pool.stats().reserved, length);
            pool.verify().expect("a full region is sound");
            for block in live {
                free(&pool, block);
            }
            assert_eq!(pool.shrink(), 0);
            pool.verify().expect("an empty region is sound");
            drop(pool);
            assert!(memory[..skip].iter().chain(&memory[skip + length..]).all(|byte| {
                // SAFETY: the bytes were initialised above.
                unsafe { byte.assume_init() == 7 }
            }));
        }
    }
}

#[test]
fn chunks_that_share_windows_are_told_apart() {
    // One block a chunk and blocks aligned only to 8: neighbours share windows and slots.
    let mut memory = vec![MaybeUninit::uninit(); 1 << 20];
    let frame = crate::linear::frame::FrameAllocator::from_region("frame", &mut memory);
    let pool = PoolAllocator::new_in("pool", layout(24, 8), &frame).with_blocks_per_chunk(3);
    let mut random = Random::new(11);
    let mut live: Vec<NonNull<u8>> = (0..600).map(|_| take(&pool, layout(24, 8))).collect();
    for _ in 0..5000 {
        let at = random.below(live.len());
        free(&pool, live.swap_remove(at));
        if random.below(3) == 0 {
            let at = random.below(live.len());
            free(&pool, live.swap_remove(at));
            live.push(take(&pool, layout(24, 8)));
        }
        live.push(take(&pool, layout(24, 8)));
        pool.verify().expect("sound after each step");
    }
    for block in live {
        free(&pool, block);
    }
}

#[test]
fn wrong_frees_are_found_and_change_nothing() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("nodes", layout(48, 16), &backing);
    let [a, b, c] = [0; 3].map(|_| take(&pool, layout(48, 16)));
    free(&pool, a);
    let held = misuse_of(|| free(&pool, a));
    assert!(held.contains("double free") && held.contains("`nodes`"), "{held}");
    assert!(held.contains("tests.rs"), "the report names the caller: {held}");
    free(&pool, b);
    assert!(misuse_of(|| free(&pool, b)).contains("double free"));
    assert!(misuse_of(|| free(&pool, a)).contains("double free"));
    for offset in [1, 8, 16, 47] {
        // SAFETY: the offset is within the block.
        let inside = unsafe { c.add(offset) };
        assert!(misuse_of(|| free(&pool, inside)).contains("interior free"));
    }
    // SAFETY: the next block is in the same chunk.
    let never = unsafe { c.add(48) };
    assert!(misuse_of(|| free(&pool, never)).contains("foreign free"));
    let mut outside = 0_u8;
    let outside = NonNull::from(&mut outside);
    assert!(misuse_of(|| free(&pool, outside)).contains("foreign free"));
    assert!(misuse_of(|| free(&pool, NonNull::dangling())).contains("foreign free"));
    // SAFETY: the size is wrong on purpose; the pool reports it and changes nothing.
    let size = misuse_of(|| unsafe { pool.deallocate_sized(c, layout(49, 1)) });
    assert!(size.contains("wrong size") && size.contains("49 bytes"), "{size}");
    pool.verify().expect("reports change nothing");
    assert_eq!(pool.stats().live, 1);
    free(&pool, c);
    let empty = PoolAllocator::new_in("empty", layout(48, 16), &backing);
    assert!(misuse_of(|| free(&empty, c)).contains("foreign free"));
}

#[test]
fn the_tail_of_the_last_block_is_inside_it() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(3000, 1), &backing).with_blocks_per_chunk(1);
    for _ in 0..20 {
        let block = take(&pool, layout(3000, 1));
        for offset in 1..3000 {
            // SAFETY: the offset is within the block.
            let inside = unsafe { block.add(offset) };
            if offset % 97 == 0 || offset > 2997 {
                assert!(misuse_of(|| free(&pool, inside)).contains("interior free"));
            }
            assert!(pool.owns(inside.as_ptr()));
        }
        // SAFETY: a pointer one past the end of a block is valid.
        assert!(!pool.owns(unsafe { block.add(3000) }.as_ptr()));
    }
    for block in blocks_of(&pool) {
        free(&pool, block.address);
    }
}

#[test]
fn leaks_are_listed_and_the_memory_goes_back() {
    let backing = TestBacking::new();
    let mut blocks = Vec::new();
    let report = panic_of(|| {
        let pool = PoolAllocator::new_in("sounds", layout(32, 8), &backing);
        blocks.extend((0..20).map(|_| take(&pool, layout(32, 8))));
        free(&pool, blocks.remove(7));
    });
    assert!(report.contains("`sounds` was dropped with 19 live blocks of 608 bytes"), "{report}");
    for block in &blocks[..16] {
        assert!(report.contains(&format!("{:p}, 32 bytes", *block)), "{report}");
    }
    assert!(report.contains("and 3 more"), "{report}");
    assert_eq!(backing.stats().live, 0, "a leak of the pool is not one of its backing");
}

#[test]
fn every_refusal_of_the_backing_is_survived() {
    for sized in [0, 7] {
        for n in 0.. {
            let backing = TestBacking::new();
            let pool = PoolAllocator::new_in("pool", layout(512, 8), &backing)
                .with_blocks_per_chunk(sized);
            backing.refuse_nth(n);
            let mut live = Vec::new();
            let mut refused = 0;
            while live.len() < 300 {
                let (stats, taken) = (pool.stats(), backing.stats().granted);
                match pool.allocate(layout(512, 8)) {
                    Ok(block) => live.push(block.cast::<u8>()),
                    Err(AllocError) => {
                        refused += 1;
                        assert_eq!(pool.stats(), stats);
                        assert_eq!(backing.stats().granted, taken);
                    }
                }
                pool.verify().expect("a refusal damages nothing");
            }
            assert!(refused <= 1);
            for block in live {
                free(&pool, block);
            }
            if backing.requests() <= n {
                assert!(n > 5, "the loop has refused every request");
                break;
            }
        }
    }
}

#[test]
fn a_backing_with_nothing_left_is_an_error() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(16, 8), &backing);
    backing.refuse_from(0);
    assert_eq!(pool.allocate(layout(16, 8)), Err(AllocError));
    backing.refuse_none();
    let block = take(&pool, layout(16, 8));
    assert_eq!(pool.layout_below(layout(16, 8)).align(), 1024);
    assert!(backing.layout_at(block.as_ptr()).is_some());
    free(&pool, block);
    assert!(pool.backing().is_some_and(|backing| backing.name() == "test backing"));
}

#[test]
fn damage_is_found() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(16, 8), &backing);
    let [a, b] = [0; 2].map(|_| take(&pool, layout(16, 8)));
    free(&pool, a);
    // SAFETY: the group exists; the test restores what it damages.
    let group = unsafe { &*pool.carving.get() };
    for wrong in [1_u64, 2, 4, 1 << 63] {
        let before = group.idle.replace(group.fresh.get() ^ wrong);
        assert!(pool.verify().is_err(), "bits {wrong:x} are wrong");
        group.idle.set(before);
    }
    let before = group.fresh.replace(u64::MAX << 3);
    assert!(pool.verify().is_err(), "a block too many");
    group.fresh.set(before);
    let before = pool.held.replace(b.as_ptr().wrapping_add(1));
    assert!(pool.verify().is_err(), "the held address is not a block");
    pool.held.set(before);
    pool.verify().expect("restored");
    free(&pool, b);
}

#[test]
fn blocks_without_a_size_have_a_byte() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(0, 4), &backing);
    assert_eq!(pool.block_layout(), layout(4, 4), "as large as they are aligned");
    assert_eq!(PoolAllocator::new_in("pool", layout(0, 1), &backing).block_layout(), layout(1, 1));
    assert_eq!(PoolAllocator::new_in("pool", layout(1, 1), &backing).block_layout(), layout(1, 1));
    let blocks = [(); 2].map(|()| take(&pool, layout(0, 4)));
    assert_ne!(blocks[0], blocks[1], "each is a block");
    for block in blocks {
        free(&pool, block);
    }
}

#[test]
fn a_window_has_up_to_64_blocks_and_a_limit() {
    let most = WINDOW_MAX.ilog2();
    assert_eq!(window_shift(1, 0), 6, "64 bytes");
    assert_eq!(window_shift(1, 200), 6, "64 bytes, however long the chunk");
    assert_eq!(window_shift(1, 8), 3, "as many as a chunk has");
    assert_eq!(window_shift(3, 4), 3, "12 bytes, rounded down");
    assert_eq!(window_shift(5, 1), 3, "a whole block at least");
    assert_eq!(window_shift(WINDOW_MAX / 2, 0), most, "no more than the limit");
    assert_eq!(window_shift(WINDOW_MAX, 0), most, "no more than the limit");
    assert_eq!(window_shift(WINDOW_MAX + 1, 0), most + 1, "but a whole block");
}

/// Returns the result of `verify` for a pool of three chunks with two live blocks, in which one
/// cell was changed; `cell` is restored afterwards.
fn said<T>(cell: &Cell<T>, wrong: T, pool: &PoolAllocator<'_, TestBacking>) -> &'static str {
    pool.verify().expect("sound before");
    let before = cell.replace(wrong);
    let damage = pool.verify().expect_err("damage was planted");
    cell.set(before);
    pool.verify().expect("sound again");
    damage.what
}

#[test]
fn each_kind_of_damage_is_told() {
    let backing = TestBacking::new();
    let pool = PoolAllocator::new_in("pool", layout(16, 8), &backing).with_blocks_per_chunk(4);
    let blocks: Vec<_> = (0..12).map(|_| take(&pool, layout(16, 8))).collect();
    // The last freed block is held, the others have their bits set.
    for &block in &blocks[2..] {
        free(&pool, block);
    }
    let chunks = pool.index.sorted();
    assert_eq!(chunks.len(), 3, "four blocks each");
    // SAFETY: the chunks of the index exist.
    let [oldest, youngest] = [&pool.oldest, &pool.youngest].map(|chunk| unsafe { &*chunk.get() });
    let told = said(&youngest.younger, ptr::from_ref(oldest), &pool);
    assert_eq!(told, "more chunks are listed than the index has", "round and round");
    let told = said(&oldest.younger, ptr::null(), &pool);
    assert_eq!(told, "fewer chunks are listed than the index has", "one of three");
    let counts = "the chunks and the counts of blocks differ";
    assert_eq!(said(&pool.blocks, 13, &pool), counts, "a block too many");
    assert_eq!(said(&pool.carved, 11, &pool), counts, "one was never given out");
    let live = "the free bits and the count of live blocks differ";
    assert_eq!(said(&pool.marked_total, 11, &pool), live, "freed once more");
    // SAFETY: the group exists as long as its chunk does.
    let group = unsafe { &*pool.free_groups.get() };
    let without = "a group without free blocks is on the list";
    let fresh = Group::new(group.first);
    fresh.next.set(group.next.get());
    assert_eq!(said(&pool.free_groups, &raw const fresh, &pool), without, "another group");
    let missing = "a group with free blocks is not on the list";
    assert_eq!(said(&pool.free_groups, NOWHERE, &pool), missing, "no group is");
    let mut last = group;
    while last.next.get() != NOWHERE {
        // SAFETY: the groups of the list exist.
        last = unsafe { &*last.next.get() };
    }
    let endless = "the list of groups with free blocks does not end";
    assert_eq!(said(&last.next, ptr::from_ref(group), &pool), endless, "round and round");
    let table = pool.index.table();
    let slot = table.iter().find(|slot| slot.get() != NOWHERE).expect("a block was freed");
    let empty = table.iter().find(|slot| slot.get() == NOWHERE).expect("half are empty");
    let told = said(empty, slot.get(), &pool);
    assert_eq!(told, "a slot of the table leads to another window", "the same in two");
    for &block in &blocks[..2] {
        free(&pool, block);
    }
}

/// A naive pool: the live blocks and their contents.
#[derive(Default)]
struct Model {
    live: BTreeMap<usize, (NonNull<u8>, usize, u8)>,
    requested_total: u64,
    allocations_total: u64,
    peak: usize,
}

impl Model {
    fn check(&self, pool: &dyn Allocator, block: usize) {
        let stats = pool.stats();
        assert_eq!(stats.live, self.live.len());
        assert_eq!(stats.granted, self.live.len() * block);
        assert_eq!(stats.requested, stats.granted);
        assert_eq!(stats.peak_granted, self.peak * block);
        assert_eq!(stats.allocations_total, self.allocations_total);
        assert_eq!(stats.requested_total, self.requested_total);
        assert_eq!(stats.granted_total, self.allocations_total * block as u64);
        assert!(stats.granted <= stats.reserved && stats.reserved <= stats.peak_reserved);
    }

    fn check_blocks(&self, pool: &dyn Allocator) {
        pool.verify().expect("sound");
        let listed: BTreeSet<usize> =
            blocks_of(pool).iter().map(|b| b.address.addr().get()).collect();
        assert!(listed.iter().eq(self.live.keys()), "walk shows the live blocks");
        assert_eq!(listed.len(), blocks_of(pool).len());
    }

    fn allocate(&mut self, pool: &dyn Allocator, random: &mut Random, block: Layout) {
        let asked = layout(
            random.below(block.size() + 1),
            1 << random.below(block.align().ilog2() as usize + 1),
        );
        let Ok(memory) = pool.allocate(asked) else {
            return;
        };
        assert_eq!(memory.len(), block.size());
        let start = memory.cast::<u8>();
        let fill = random.next() as u8;
        // SAFETY: the block is live and this long.
        unsafe { start.write_bytes(fill, block.size()) };
        assert!(self.live.insert(start.addr().get(), (start, asked.size(), fill)).is_none());
        self.allocations_total += 1;
        self.requested_total += asked.size() as u64;
        self.peak = self.peak.max(self.live.len());
    }

    fn free(&mut self, pool: &dyn Allocator, random: &mut Random, block: Layout) {
        if self.live.is_empty() {
            return;
        }
        let nth = random.below(self.live.len());
        let key = *self.live.keys().nth(nth).expect("it is below the length");
        let (start, asked, fill) = self.live.remove(&key).expect("the key was just read");
        // SAFETY: the block is live, this long, and was filled.
        let bytes = unsafe { core::slice::from_raw_parts(start.as_ptr(), block.size()) };
        assert!(bytes.iter().all(|&byte| byte == fill), "a block has changed");
        if random.below(2) == 0 {
            free(pool, start);
        } else {
            // SAFETY: the block is live and was asked with this size.
            unsafe { pool.deallocate_sized(start, layout(asked, 1)) };
        }
    }
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..60 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let align = 1 << random.below(7);
        let block = layout(1 + random.below(300), align).pad_to_align();
        let backing = TestBacking::new();
        let pool = PoolAllocator::new_in("model", block, &backing)
            .with_blocks_per_chunk(if seed % 3 == 0 { 1 + random.below(100) } else { 0 })
            .with_give_back([0, 0, 10, 100][seed as usize % 4]);
        let mut model = Model::default();
        for step in 0..2500 {
            let wanted = 300 + 300 * (step / 500 % 2);
            let grow = random.below(wanted) > model.live.len();
            if grow || random.below(8) == 0 {
                if random.below(40) == 0 {
                    backing.refuse_nth(random.below(2) as u64);
                }
                model.allocate(&pool, &mut random, block);
                backing.refuse_none();
            } else {
                model.free(&pool, &mut random, block);
            }
            if random.below(200) == 0 {
                pool.shrink();
            }
            model.check(&pool, block.size());
            if step % 16 == 0 {
                model.check_blocks(&pool);
                assert_eq!(pool.stats().reserved, backing.stats().granted);
            }
        }
        while !model.live.is_empty() {
            model.free(&pool, &mut random, block);
        }
        model.check_blocks(&pool);
        pool.shrink();
        assert_eq!(backing.stats().live, 0, "an empty pool shrinks to nothing");
    }
}
