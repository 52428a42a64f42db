//! Real threads: races for a budget, and counters that are read while others work.

use core::alloc::Layout;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::vec::Vec;
use std::{println, thread};

use crate::contract::allocator::Allocator;
use crate::testing::test_backing::{Random, TestBacking};
use crate::wrappers::shared_proxy::SharedProxy;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(proxy: &dyn Allocator, size: usize) -> NonNull<u8> {
    let block = proxy.allocate(layout(size, 8)).expect("there is memory");
    block.cast()
}

#[test]
fn a_budget_holds_while_threads_race_for_it() {
    const BUDGET: usize = 1000;
    let backing = TestBacking::new();
    let proxy = SharedProxy::new_in("proxy", &backing).with_budget(BUDGET);
    let over = AtomicUsize::new(0);
    thread::scope(|scope| {
        for seed in 0..4 {
            let (proxy, over, backing) = (&proxy, &over, &backing);
            scope.spawn(move || {
                println!("seed {seed}");
                let mut random = Random::new(seed);
                let mut held: Vec<(NonNull<u8>, Layout)> = Vec::new();
                for _ in 0..3000 {
                    let request = layout(1 + random.below(300), 8);
                    if random.below(2) == 0 {
                        let block = proxy.allocate(request);
                        held.extend(block.map(|block| (block.cast(), request)));
                    } else if !held.is_empty() {
                        let (block, request) = held.swap_remove(random.below(held.len()));
                        // SAFETY: the block is live and has this layout.
                        unsafe { proxy.deallocate_sized(block, request) };
                    }
                    let stats = proxy.stats();
                    let kept = stats.granted <= BUDGET && stats.peak_granted <= BUDGET;
                    if !kept || backing.stats().granted > BUDGET {
                        over.fetch_add(1, Ordering::Relaxed);
                    }
                    proxy.verify().expect("sound");
                }
                for (block, request) in held {
                    // SAFETY: the block is live and has this layout.
                    unsafe { proxy.deallocate_sized(block, request) };
                }
            });
        }
    });
    assert_eq!(over.load(Ordering::Relaxed), 0, "the budget was exceeded");
    assert_eq!((proxy.stats().live, proxy.stats().granted), (0, 0));
}

#[test]
fn counters_keep_their_order_while_threads_work() {
    let backing = TestBacking::new();
    let proxy = SharedProxy::new_in("proxy", &backing);
    let running = AtomicUsize::new(3);
    thread::scope(|scope| {
        for size in [1, 70, 3000] {
            let (proxy, running) = (&proxy, &running);
            scope.spawn(move || {
                for _ in 0..3000 {
                    let block = take(proxy, size);
                    // SAFETY: the block is live.
                    unsafe { proxy.deallocate(block) };
                }
                running.fetch_sub(1, Ordering::Release);
            });
        }
        let mut last = proxy.stats();
        while running.load(Ordering::Acquire) != 0 {
            let stats = proxy.stats();
            assert!(stats.requested <= stats.granted && stats.granted <= stats.reserved);
            assert!(stats.granted <= stats.peak_granted, "{stats:?}");
            assert!(stats.requested_total <= stats.granted_total, "{stats:?}");
            assert!(stats.live as u64 <= stats.allocations_total, "{stats:?}");
            assert!(last.requested_total <= stats.requested_total, "it only grows");
            assert!(last.granted_total <= stats.granted_total, "it only grows");
            assert!(last.allocations_total <= stats.allocations_total, "it only grows");
            proxy.verify().expect("sound");
            last = stats;
        }
    });
    let stats = proxy.stats();
    assert_eq!((stats.live, stats.granted, stats.allocations_total), (0, 0, 9000));
    assert_eq!(stats.requested_total, 3000 * 3071);
}
