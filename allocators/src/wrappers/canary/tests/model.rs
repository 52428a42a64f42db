//! Random programs with planted writes, against a model.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::println;
use std::vec::Vec;

use super::{CanaryAllocator, HEADER, layout, memory, scribble};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::heap::HeapAllocator;
use crate::testing::test_backing::{Random, misuse_of};

type Live = BTreeMap<NonNull<u8>, Layout>;

/// Compares the counters with the model.
fn assert_counted(canary: &dyn Allocator, live: &Live) {
    let stats = canary.stats();
    let bytes: usize = live.values().map(|asked| asked.size().max(1)).sum();
    let reserved: usize = live.values().map(|asked| canary.layout_below(*asked).size()).sum();
    let counted = (stats.live, stats.requested, stats.granted, stats.reserved);
    assert_eq!(counted, (live.len(), bytes, bytes, reserved));
    assert!(stats.peak_granted >= bytes && stats.peak_reserved >= reserved);
    let mut shown = Live::new();
    canary.walk(&mut |block| {
        let size = live[&block.address].size().max(1);
        assert_eq!(block.bytes, size);
        shown.insert(block.address, live[&block.address]);
    });
    assert_eq!(&shown, live);
}

/// Writes into a block's guards or header: `verify` and the block's free must find the write, and
/// accept the block once it is undone.
fn plant(random: &mut Random, canary: &dyn Allocator, block: NonNull<u8>, asked: Layout) {
    let size = asked.size().max(1);
    let over = random.below(2) == 0;
    let guard = if over { 16 } else { 8 + HEADER };
    let bytes = 1 + random.below(guard);
    let skipped = random.below(guard - bytes + 1);
    let from = if over { size + skipped } else { skipped + bytes };
    let from = if over { from as isize } else { -(from as isize) };
    // Past the guard of 8 bytes only the header is changed.
    let names: &[&str] = match over {
        true => &["overrun"],
        false if skipped >= 8 => &["damage"],
        false => &["underrun"],
    };
    scribble(block, from, bytes, || {
        assert!(canary.verify().is_err(), "{bytes} bytes at {from}");
        // SAFETY: the block is live; the call reports and changes nothing.
        let report = misuse_of(|| unsafe { canary.deallocate_sized(block, asked) });
        assert!(names.iter().any(|name| report.contains(name)), "{bytes} at {from}: {report}");
    });
}

fn program(random: &mut Random, canary: &dyn Allocator, size_max: usize, align_max: u32) {
    let mut live = Live::new();
    for _ in 0..600 {
        let asked = layout(random.below(size_max + 1), 1 << random.below(align_max as usize + 1));
        let drawn = live.iter().nth(random.below(live.len() + 1)).map(|(at, asked)| (*at, *asked));
        match (random.below(8), drawn) {
            (0..3, _) | (_, None) => {
                if let Ok(block) = canary.allocate(asked) {
                    assert_eq!(block.len(), asked.size().max(1));
                    // SAFETY: the block is live and this long: writing all of it is no misuse.
                    unsafe { block.cast::<u8>().write_bytes(0xff, block.len()) };
                    live.insert(block.cast(), asked);
                }
            }
            (3 | 4, Some((block, old))) => {
                live.remove(&block);
                // SAFETY: the block is live and has this layout.
                unsafe { canary.deallocate_sized(block, old) };
            }
            (5, Some((block, _))) => {
                live.remove(&block);
                // SAFETY: the block is live.
                unsafe { canary.deallocate(block) };
            }
            (6, Some((block, old))) => {
                // SAFETY: the block is live and has this layout.
                match unsafe { canary.reallocate(block, old, asked) } {
                    Ok(moved) => {
                        live.remove(&block);
                        // A block that has not moved keeps its original alignment.
                        let stayed = moved.cast() == block;
                        let align = if stayed { old.align() } else { asked.align() };
                        live.insert(moved.cast(), layout(asked.size(), align));
                    }
                    Err(AllocError) => assert!(live.contains_key(&block)),
                }
            }
            (_, Some((block, old))) => plant(random, canary, block, old),
        }
        canary.verify().expect("nothing is written around a block");
        assert_counted(canary, &live);
    }
    let rest: Vec<NonNull<u8>> = live.into_keys().collect();
    for block in rest {
        // SAFETY: the block is live.
        unsafe { canary.deallocate(block) };
    }
    assert_counted(canary, &Live::new());
}

#[test]
fn planted_writes_are_found_over_a_heap() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut memory = memory(24 << 10);
        let heap = HeapAllocator::from_region("heap", &mut memory);
        let canary = CanaryAllocator::new_in("model", &heap);
        program(&mut Random::new(seed), &canary, 300, 7);
        assert_eq!(heap.stats().live, 0);
        heap.verify().expect("the heap is sound");
    }
}

#[test]
fn planted_writes_are_found_over_a_pool() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut memory = memory(8 << 10);
        let block = CanaryAllocator::layout_for(layout(48, 16));
        let pool = PoolAllocator::from_region("pool", block, &mut memory);
        let canary = CanaryAllocator::new_in("model", &pool);
        program(&mut Random::new(seed), &canary, 48, 4);
        assert_eq!(pool.stats().live, 0);
        pool.verify().expect("the pool is sound");
    }
}
