//! Tests of the scratch ring: the places of blocks, recovered room, fallback, wrong frees, and a
//! naive model.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::vec::Vec;
use std::{println, vec};

use super::ScratchAllocator;
use super::ring::Ring;
use crate::contract::allocator::{AllocError, Allocator, Block, SharedRef};
use crate::contract::stats::Stats;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

/// 1 000 bytes: 50 grains of 16, 800 bytes for blocks.
const BYTES: usize = 1000;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(scratch: &dyn Allocator, size: usize) -> NonNull<u8> {
    let block = scratch.allocate(layout(size, 1)).expect("there is memory");
    assert_eq!(block.len(), size.max(1), "sizes are exact");
    block.cast()
}

fn free(scratch: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the block is live, or its free is the subject of a test.
    unsafe { scratch.deallocate(block) };
}

fn blocks_of(scratch: &dyn Allocator) -> Vec<Block> {
    let mut blocks = Vec::new();
    scratch.walk(&mut |block| blocks.push(block));
    blocks
}

fn memory(bytes: usize) -> Vec<MaybeUninit<u8>> {
    vec![MaybeUninit::new(7); bytes]
}

/// The state that a refused request must leave.
fn state(ring: &Ring<'_>) -> (usize, usize, usize, Stats) {
    (ring.head.get(), ring.tail.get(), ring.occupied.get(), ring.stats())
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<ScratchAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<ScratchAllocator<'static, SharedRef<'static>>>();
};

#[test]
fn blocks_go_around_the_ring() {
    let mut memory = memory(BYTES + 16);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    assert!(scratch.ring.capacity >= 800, "four fifths are for blocks");
    let first = take(&scratch, 300);
    let second = take(&scratch, 300);
    assert_eq!(second.addr().get() - first.addr().get(), 304);
    assert_eq!(scratch.allocate(layout(300, 1)), Err(AllocError), "no room after or before");
    free(&scratch, first);
    let third = take(&scratch, 300);
    assert_eq!(third, first, "it is around the end");
    assert_eq!(scratch.stats().requested, 600);
    scratch.verify().expect("sound");
    let order: Vec<_> = blocks_of(&scratch).iter().map(|block| block.address).collect();
    assert_eq!(order, [third, second], "by address");
    free(&scratch, second);
    scratch.verify().expect("sound");
    assert_eq!(scratch.ring.tail.get(), 0, "the tail goes over the gap at the end");
    free(&scratch, third);
    assert_eq!((scratch.ring.head.get(), scratch.ring.occupied.get()), (0, 0));
    scratch.assert_empty();
}

#[test]
fn room_comes_back_behind_the_oldest() {
    let mut memory = memory(BYTES);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let blocks: Vec<_> = (0..6).map(|_| take(&scratch, 100)).collect();
    for at in [2, 1, 4] {
        free(&scratch, blocks[at]);
        scratch.verify().expect("sound");
    }
    assert_eq!(scratch.ring.tail.get(), 0, "the oldest still lives");
    free(&scratch, blocks[0]);
    assert_eq!(scratch.ring.tail.get(), 3 * 112, "the tail goes over all that are freed");
    free(&scratch, blocks[5]);
    assert_eq!(scratch.ring.head.get(), 5 * 112, "the youngest's room comes back at once");
    free(&scratch, blocks[3]);
    assert_eq!(scratch.ring.occupied.get(), 0);
    scratch.assert_empty();
}

#[test]
fn a_full_ring_is_not_an_empty_one() {
    let mut memory = memory(BYTES);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let whole = scratch.ring.capacity;
    let block = take(&scratch, whole);
    assert_eq!(scratch.allocate(layout(1, 1)), Err(AllocError));
    free(&scratch, block);
    let [a, b] = [take(&scratch, whole - 32), take(&scratch, 32)];
    free(&scratch, a);
    let c = take(&scratch, whole - 32);
    assert_eq!(scratch.ring.head.get(), scratch.ring.tail.get());
    scratch.verify().expect("sound");
    assert_eq!(scratch.allocate(layout(1, 1)), Err(AllocError));
    assert_eq!(blocks_of(&scratch).len(), 2);
    free(&scratch, b);
    free(&scratch, c);
    scratch.assert_empty();
}

#[test]
fn alignment_is_kept_and_gaps_come_back() {
    let mut memory = memory(64 << 10);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let mut blocks = Vec::new();
    for align in [1, 64, 2, 4096, 16, 1024] {
        let block = scratch.allocate(layout(10, align)).expect("there is memory").cast::<u8>();
        assert_eq!(block.addr().get() % align, 0);
        blocks.push(block);
        scratch.verify().expect("sound");
    }
    blocks.swap(0, 4);
    for block in blocks {
        free(&scratch, block);
        scratch.verify().expect("sound");
    }
    assert_eq!(scratch.ring.occupied.get(), 0, "the gaps are free, too");
    let block = scratch.allocate(layout(10, 4096)).expect("there is memory").cast();
    assert_eq!(scratch.ring.occupied.get(), 16, "before the first nothing is occupied");
    free(&scratch, block);
}

#[test]
fn sizes_change_in_place() {
    let mut memory = memory(BYTES);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let [old, young] = [take(&scratch, 100), take(&scratch, 50)];
    let whole = scratch.ring.capacity;
    // SAFETY: the blocks are live and have these layouts.
    unsafe {
        let grown = scratch.resize_in_place(young, layout(50, 1), layout(whole - 112, 1));
        assert_eq!(grown.map(|block| block.len()), Ok(whole - 112));
        let over = scratch.resize_in_place(young, layout(whole - 112, 1), layout(whole - 111, 1));
        assert_eq!(over, Err(AllocError));
        assert_eq!(scratch.stats().requested_total, 100 + (whole - 112) as u64);
        let shrunk = scratch.resize_in_place(young, layout(whole - 112, 1), layout(20, 1));
        assert_eq!(shrunk.map(|block| block.len()), Ok(20));
        scratch.verify().expect("sound");
        let inner = scratch.resize_in_place(old, layout(100, 1), layout(20, 1));
        assert_eq!(inner.map(|block| block.len()), Ok(20), "any block shrinks");
        assert_eq!(scratch.allocated_size(old), 20);
        scratch.verify().expect("sound");
        let grown = scratch.resize_in_place(old, layout(20, 1), layout(33, 1));
        assert_eq!(grown, Err(AllocError), "and only the youngest grows");
        let within = scratch.resize_in_place(old, layout(20, 1), layout(32, 1));
        assert_eq!(within.map(|block| block.len()), Ok(32), "but within its last 16 bytes");
    }
    let wrong = misuse_of(|| {
        // SAFETY: the size is wrong on purpose; it is reported and nothing changes.
        unsafe { scratch.deallocate_sized(young, layout(21, 1)) }
    });
    assert!(wrong.contains("wrong size"), "{wrong}");
    free(&scratch, old);
    free(&scratch, young);
    scratch.assert_empty();
}

#[test]
fn wrong_frees_in_the_ring_are_found_and_change_nothing() {
    let mut memory = memory(BYTES);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let blocks: Vec<_> = (0..4).map(|_| take(&scratch, 40)).collect();
    free(&scratch, blocks[1]);
    let before = state(&scratch.ring);
    // SAFETY: both are within the third block.
    let [inside, odd] = unsafe { [blocks[2].add(16), blocks[2].add(1)] };
    // SAFETY: the table of entries follows the ring.
    let table = unsafe { blocks[0].add(scratch.ring.capacity) };
    // SAFETY: that is still within the ring.
    let unused = unsafe { blocks[0].add(400) };
    let mut foreign = 0_u8;
    for (address, word) in [
        (blocks[1], "double free"),
        (unused, "double free"),
        (inside, "interior free"),
        (odd, "interior free"),
        (table, "foreign free"),
        (NonNull::from(&mut foreign), "foreign free"),
    ] {
        let report = misuse_of(|| free(&scratch, address));
        assert!(report.contains(word) && report.contains("`scratch`"), "{report}");
        assert!(report.contains("scratch/tests.rs"), "the report names the caller: {report}");
    }
    assert_eq!(state(&scratch.ring), before);
    for at in [0, 2, 3] {
        free(&scratch, blocks[at]);
    }
    let late = misuse_of(|| free(&scratch, blocks[2]));
    assert!(late.contains("double free"), "also when the tail has gone over it: {late}");
}

#[test]
fn what_does_not_fit_falls_back() {
    let backing = TestBacking::new();
    {
        let scratch =
            ScratchAllocator::new_in("scratch", BYTES, &backing).expect("there is memory");
        assert_eq!(scratch.stats().reserved, BYTES);
        let small = take(&scratch, 100);
        let large = take(&scratch, 5000);
        assert!(scratch.owns(large.as_ptr()) && scratch.owns(small.as_ptr()));
        let own = scratch.fell_back();
        assert_eq!((own.live, own.requested, own.granted), (1, 5000, 5000));
        let stats = scratch.stats();
        assert_eq!((stats.live, stats.requested, stats.granted), (2, 5100, 5100));
        assert_eq!(stats.reserved, backing.stats().granted, "all that the backing gave, counted");
        assert_eq!(blocks_of(&scratch).len(), 2);
        let zeroed = scratch.allocate_zeroed(layout(2000, 8)).expect("there is memory");
        // SAFETY: the block is live and zeroed.
        assert!(unsafe { zeroed.as_ref() }.iter().all(|&byte| byte == 0));
        let wrong = misuse_of(|| {
            // SAFETY: the size is wrong on purpose; it is reported and nothing changes.
            unsafe { scratch.deallocate_sized(large, layout(4999, 1)) }
        });
        assert!(wrong.contains("wrong size"), "{wrong}");
        // SAFETY: it is within the block.
        let inside = unsafe { large.add(16) };
        assert!(misuse_of(|| free(&scratch, inside)).contains("foreign free"));
        free(&scratch, large);
        let twice = misuse_of(|| free(&scratch, large));
        assert!(twice.contains("double free") && twice.contains("scratch/tests.rs"), "{twice}");
        assert_eq!(scratch.stats().peak_requested, 7100);
        let report = panic_of(|| scratch.assert_empty());
        assert!(report.contains("2 live blocks of 2100 bytes"), "{report}");
        scratch.verify().expect("sound");
    }
    assert_eq!(backing.stats().live, 0, "a drop gives everything back");
}

#[test]
fn a_refusal_changes_nothing() {
    let backing = TestBacking::new();
    backing.refuse_nth(0);
    assert!(ScratchAllocator::new_in("scratch", BYTES, &backing).is_err());
    assert!(ScratchAllocator::new_in("scratch", usize::MAX, &backing).is_err());
    let scratch = ScratchAllocator::new_in("scratch", BYTES, &backing).expect("there is memory");
    // The block itself, then the table for it.
    for nth in [0, 1] {
        let before = (scratch.stats(), backing.stats().live);
        backing.refuse_nth(nth);
        assert_eq!(scratch.allocate(layout(5000, 1)), Err(AllocError), "request {nth}");
        assert_eq!((scratch.stats(), backing.stats().live), before);
        scratch.verify().expect("sound");
    }
    backing.refuse_from(0);
    let block = take(&scratch, 500);
    assert_eq!(scratch.allocate(layout(500, 1)), Err(AllocError), "the ring is full");
    backing.refuse_none();
    free(&scratch, block);
}

#[test]
fn what_fell_back_changes_as_the_backing_lets_it() {
    let mut memory = memory(64 << 10);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let scratch = ScratchAllocator::new_in("scratch", 160, &frame).expect("there is memory");
    take(&scratch, 1000);
    let block = take(&scratch, 1000);
    // SAFETY: the block is live and has these layouts.
    unsafe {
        let grown = scratch.resize_in_place(block, layout(1000, 1), layout(3000, 1));
        assert_eq!(grown.map(|block| block.len()), Ok(3000), "it is the frame's last");
        assert_eq!(scratch.fell_back().requested_total, 4000);
        let shrunk = scratch.resize_in_place(block, layout(3000, 1), layout(10, 1));
        assert_eq!(shrunk.map(|block| block.len()), Ok(10));
        let stats = scratch.stats();
        assert_eq!((stats.requested, stats.peak_requested), (1010, 4000));
        scratch.verify().expect("sound");
        scratch.deallocate_sized(block, layout(10, 1));
    }
}

#[test]
fn regions_of_any_length_and_address() {
    let mut memory = memory(200);
    for bytes in 0..150 {
        for skip in [0, 1, 9] {
            memory.fill(MaybeUninit::new(7));
            let region = &mut memory[skip..skip + bytes];
            let scratch = ScratchAllocator::from_region("scratch", region);
            let whole = scratch.ring.capacity;
            assert!(whole + 35 >= bytes * 4 / 5, "{whole} of {bytes}");
            if whole != 0 {
                let block = take(&scratch, whole);
                // SAFETY: the block is live and this long.
                unsafe { block.write_bytes(9, whole) };
            }
            assert_eq!(scratch.allocate(layout(1, 1)), Err(AllocError));
            scratch.verify().expect("sound");
            drop(scratch);
            for byte in memory[..skip].iter().chain(&memory[skip + bytes..]) {
                // SAFETY: all were written.
                assert_eq!(unsafe { byte.assume_init() }, 7, "nothing outside is touched");
            }
        }
    }
}

#[test]
fn each_kind_of_damage_is_told() {
    let mut memory = memory(BYTES);
    let scratch = ScratchAllocator::from_region("scratch", &mut memory);
    let ring = &scratch.ring;
    let said = |cell: &Cell<usize>, wrong: usize| {
        scratch.verify().expect("sound before");
        let before = cell.replace(wrong);
        let damage = scratch.verify().expect_err("damage was planted");
        cell.set(before);
        scratch.verify().expect("sound again");
        (damage.what, damage.address.addr())
    };
    let over = "an empty ring does not start over";
    let (what, at) = said(&ring.head, 16);
    assert_eq!((what, said(&ring.tail, 32).0), (over, over), "head and tail");
    let [first, second] = [100, 20].map(|size| take(&scratch, size));
    let start = first.addr().get();
    assert_eq!(at, start + 16, "where the head was");
    assert_eq!(said(&ring.tail, 16), ("an entry of the ring is broken", start + 16));
    let filled = "the blocks do not fill the ring from tail to head";
    assert_eq!(said(&ring.occupied, 128), (filled, start), "the count of bytes");
    let counts = "the blocks and their counts differ";
    assert_eq!(said(&ring.requested, 119), (counts, start), "the bytes asked for");
    assert_eq!(said(&ring.occupied, 0).0, over, "an empty ring has its head at the start");
    // Something starts between the head and the tail.
    let (head, occupied) = (ring.head.replace(112), ring.occupied.replace(112));
    let damage = scratch.verify().expect_err("the second is after the head");
    assert_eq!(damage.what, "an entry is where nothing starts", "{damage}");
    ring.head.set(head);
    ring.occupied.set(occupied);
    free(&scratch, second);
    free(&scratch, first);
    scratch.verify().expect("sound");
}

/// Runs random operations against a map of the live blocks.
fn run_model(scratch: &ScratchAllocator<'_, TestBacking>, seed: u64) {
    let mut random = Random::new(seed);
    let mut live: BTreeMap<usize, (NonNull<u8>, Layout)> = BTreeMap::new();
    let mut peak = 0;
    for step in 0..400 {
        let at = live.keys().copied().nth(random.below(live.len().max(1)));
        match (random.below(7), at) {
            (0..3, _) | (_, None) => {
                let most = if random.below(8) == 0 { 600 } else { 60 };
                let size = random.below(most);
                let layout = layout(size, 1 << random.below(7));
                let Ok(block) = scratch.allocate(layout) else { continue };
                let bytes = block.len();
                let block = block.cast::<u8>();
                let start = block.addr().get();
                assert_eq!(start % layout.align(), 0);
                let before = live.range(..start + bytes).next_back();
                assert!(before.is_none_or(|(&at, (_, old))| at + old.size().max(1) <= start));
                live.insert(start, (block, layout));
            }
            (3, Some(at)) => {
                let (block, old) = live[&at];
                let new = layout(random.below(100), old.align());
                // SAFETY: the block is live and has the old layout.
                if unsafe { scratch.resize_in_place(block, old, new) }.is_ok() {
                    live.insert(at, (block, new));
                }
            }
            (_, Some(at)) => {
                let (block, layout) = live.remove(&at).expect("it is live");
                // SAFETY: the block is live and has this layout.
                unsafe {
                    assert_eq!(scratch.allocated_size(block), layout.size().max(1));
                    scratch.deallocate_sized(block, layout);
                }
            }
        }
        let bytes: usize = live.values().map(|(_, layout)| layout.size().max(1)).sum();
        peak = peak.max(bytes);
        let stats = scratch.stats();
        assert_eq!((stats.live, stats.requested), (live.len(), bytes), "step {step}");
        assert_eq!((stats.peak_requested, stats.peak_granted), (peak, peak), "step {step}");
        assert!(stats.granted <= stats.reserved && stats.reserved <= stats.peak_reserved);
        assert_eq!(blocks_of(scratch).len(), live.len());
        scratch.verify().expect("sound");
    }
    for (block, layout) in live.into_values() {
        // SAFETY: the block is live and has this layout.
        unsafe { scratch.deallocate_sized(block, layout) };
    }
    scratch.assert_empty();
    assert_eq!(scratch.ring.occupied.get(), 0, "the whole ring is free again");
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..200 {
        println!("seed {seed}");
        let backing = TestBacking::new();
        let bytes = [0, 100, 1000, 4000][seed as usize % 4];
        let scratch =
            ScratchAllocator::new_in("scratch", bytes, &backing).expect("there is memory");
        match seed % 3 {
            0 => backing.refuse_from(40),
            1 => backing.refuse_nth(seed / 3),
            _ => {}
        }
        run_model(&scratch, seed);
        drop(scratch);
        assert_eq!(backing.stats().live, 0, "everything is freed");
    }
}

#[test]
fn a_reset_frees_the_ring_and_what_fell_back() {
    let backing = TestBacking::new();
    let mut scratch = ScratchAllocator::new_in("scratch", BYTES, &backing).expect("memory");
    scratch.reset();
    // Around the end, with freed room between: the ring's entries are in two parts.
    let blocks: Vec<_> = (0..10).map(|_| take(&scratch, 70)).collect();
    blocks[..4].iter().for_each(|&block| free(&scratch, block));
    free(&scratch, blocks[7]);
    [200, 900, 901].iter().for_each(|&size| _ = take(&scratch, size));
    assert_eq!(scratch.fell_back().live, 2, "900 bytes are more than the ring holds");
    let before = scratch.stats();
    scratch.reset();
    scratch.verify().expect("sound");
    scratch.assert_empty();
    assert_eq!(backing.stats().live, 1, "the memory of the ring");
    let after = scratch.stats();
    assert_eq!((after.requested, after.reserved), (0, BYTES), "as at first");
    assert_eq!(after.peak_requested, before.requested, "the peak is kept");
    assert_eq!(after.allocations_total, before.allocations_total, "and so are the totals");
    let most = take(&scratch, 800);
    assert!(scratch.ring.owns(most.as_ptr()), "the whole ring is free");
    let report = misuse_of(|| free(&scratch, blocks[9]));
    assert!(report.contains("interior free"), "{report}");
}
