//! Real threads: blocks handed from one to another, races for the last block, and growth at once.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::vec::Vec;
use std::{println, thread, vec};

use crate::blocks::shared_pool::SharedPool;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::Misuse;
use crate::testing::test_backing::{Random, TestBacking};

/// The number of threads.
const THREADS: usize = 4;

/// A block that is sent from one thread to another.
struct Sent(NonNull<u64>);

// SAFETY: the sender keeps no use of the block.
unsafe impl Send for Sent {}

/// Allocates and frees at random, with the owner's number in each block.
fn hammer(pool: &dyn Allocator, seed: u64, steps: usize, most: usize) {
    println!("seed {seed}");
    let word = Layout::new::<u64>();
    let mut random = Random::new(seed);
    let mut held: Vec<(NonNull<u64>, u64)> = Vec::new();
    for step in 0..steps as u64 {
        if held.len() < most && random.below(2) == 0 {
            let Ok(block) = pool.allocate(word) else { continue };
            let (block, mark) = (block.cast::<u64>(), seed << 32 | step);
            // SAFETY: the block is this thread's alone.
            unsafe { block.write(mark) };
            held.push((block, mark));
        } else if !held.is_empty() {
            let (block, mark) = held.swap_remove(random.below(held.len()));
            // SAFETY: the block is this thread's and was written.
            assert_eq!(unsafe { block.read() }, mark, "another thread has the block as well");
            // SAFETY: the block is live and has this layout.
            unsafe { pool.deallocate_sized(block.cast(), word) };
        }
    }
    for (block, mark) in held {
        // SAFETY: the block is this thread's and was written.
        assert_eq!(unsafe { block.read() }, mark, "another thread has the block as well");
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block.cast()) };
    }
}

#[test]
fn no_block_has_two_owners() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    for bytes in [150, 700, 4096] {
        let pool = SharedPool::from_region("pool", Layout::new::<u64>(), &mut memory[..bytes]);
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for seed in 0..THREADS as u64 {
                let (pool, start) = (&pool, &start);
                scope.spawn(move || {
                    start.wait();
                    hammer(pool, seed, 20_000, pool.capacity() / 3 + 1);
                });
            }
        });
        pool.validate();
        assert_eq!(pool.stats().live, 0);
    }
}

#[test]
fn threads_that_grow_at_once_share_the_chunks() {
    for round in 0..20 {
        let backing = TestBacking::new();
        let pool =
            SharedPool::new_in("pool", Layout::new::<u64>(), &backing).with_blocks_per_chunk(64);
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for seed in 0..THREADS as u64 {
                let (pool, start) = (&pool, &start);
                scope.spawn(move || {
                    start.wait();
                    hammer(pool, round * 100 + seed, 1000, 200);
                });
            }
        });
        pool.validate();
        assert!(pool.count() <= THREADS * 200 / 64 + 2, "{} chunks", pool.count());
        assert_eq!(pool.stats().reserved, backing.stats().granted);
    }
}

#[test]
fn counters_keep_their_order_while_threads_work() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", Layout::new::<u64>(), &backing).with_blocks_per_chunk(16);
    let done = AtomicBool::new(false);
    let mut memory = vec![MaybeUninit::uninit(); 200];
    let tight = SharedPool::from_region("tight", Layout::new::<u64>(), &mut memory);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|seed| {
                let (pool, tight) = (&pool, &tight);
                scope.spawn(move || {
                    hammer(pool, seed, 5000, 100);
                    hammer(tight, seed, 20_000, 20);
                })
            })
            .collect();
        let done = &done;
        for pool in [&pool as &(dyn Allocator + Sync), &tight] {
            scope.spawn(move || {
                let mut last = pool.stats();
                while !done.load(Ordering::Acquire) {
                    let stats = pool.stats();
                    assert!(stats.requested <= stats.granted, "{stats:?}");
                    assert!(stats.granted <= stats.reserved, "{stats:?}");
                    assert!(stats.granted <= stats.peak_granted, "{stats:?}");
                    assert!(stats.peak_granted <= stats.peak_reserved, "{stats:?}");
                    assert!(stats.requested_total <= stats.granted_total, "{stats:?}");
                    assert!(last.allocations_total <= stats.allocations_total, "it only grows");
                    assert!(last.requested_total <= stats.requested_total, "it only grows");
                    pool.verify().expect("sound");
                    last = stats;
                }
            });
        }
        let ended: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        assert!(ended.iter().all(Result::is_ok), "a worker failed");
    });
    pool.validate();
    tight.validate();
}

#[test]
fn a_nearly_full_pool_serves_as_many_threads_as_it_has_blocks() {
    // All blocks except one for each thread are allocated; none of these may be lost, or a thread
    // waits forever.
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let pool = SharedPool::from_region("pool", Layout::new::<u64>(), &mut memory);
    let spare = pool.capacity() - THREADS;
    let others: Vec<_> =
        (0..spare).map(|_| pool.allocate(Layout::new::<u64>()).expect("there is room")).collect();
    let refused = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut block = pool.allocate(Layout::new::<u64>()).expect("one for each");
                for _ in 0..20_000 {
                    // SAFETY: the block is this thread's.
                    unsafe { pool.deallocate(block.cast()) };
                    loop {
                        match pool.allocate(Layout::new::<u64>()) {
                            Ok(next) => break block = next,
                            Err(AllocError) => refused.fetch_add(1, Ordering::Relaxed),
                        };
                    }
                }
                // SAFETY: the block is this thread's.
                unsafe { pool.deallocate(block.cast()) };
            });
        }
    });
    println!("{} refusals", refused.load(Ordering::Relaxed));
    assert_eq!(pool.stats().live, spare);
    for block in others {
        // SAFETY: the block is live.
        unsafe { pool.deallocate(block.cast()) };
    }
    pool.validate();
}

#[test]
fn blocks_are_freed_by_another_thread() {
    let backing = TestBacking::new();
    let pool = SharedPool::new_in("pool", Layout::new::<u64>(), &backing);
    let (sender, receiver) = mpsc::sync_channel::<Sent>(500);
    thread::scope(|scope| {
        let pool = &pool;
        scope.spawn(move || {
            for number in 0..20_000 {
                let block = pool.allocate(Layout::new::<u64>()).expect("there is memory").cast();
                // SAFETY: the block is this thread's alone.
                unsafe { block.write(number) };
                sender.send(Sent(block)).expect("the other thread listens");
            }
        });
        scope.spawn(move || {
            for (number, Sent(block)) in (0..).zip(receiver) {
                // SAFETY: the block was written before it was sent.
                assert_eq!(unsafe { block.read() }, number);
                // SAFETY: the block is live and only this thread's.
                unsafe { pool.deallocate(block.cast()) };
            }
        });
    });
    pool.validate();
    assert_eq!(pool.stats().live, 0);
}

#[test]
fn of_two_frees_of_a_block_one_is_told() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let pool = SharedPool::from_region("pool", Layout::new::<u64>(), &mut memory);
    let start = Barrier::new(2);
    for _ in 0..2000 {
        let block = Sent(pool.allocate(Layout::new::<u64>()).expect("there is room").cast());
        let told = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                let (pool, start, told, block) = (&pool, &start, &told, Sent(block.0));
                scope.spawn(move || {
                    let Sent(block) = { block };
                    start.wait();
                    match pool.give_back(block.cast()) {
                        Ok(()) => {}
                        Err(what) => {
                            assert_eq!(what, Misuse::DoubleFree);
                            told.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(told.load(Ordering::Relaxed), 1, "exactly one free is wrong");
        assert_eq!(pool.stats().live, 0);
    }
    pool.validate();
}
