//! Several threads: blocks that cross, threads that end, many threads.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::vec::Vec;

use super::{Filled, layout, small_heap};
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::Allocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::testing::test_backing::{Random, TestBacking};

/// Runs `work` in threads of which each is joined, so that its thread-local variables are gone.
fn in_threads(count: usize, work: impl Fn(usize) + Sync) {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..count).map(|n| scope.spawn(move || work(n))).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Each thread allocates, passes blocks to the next, and frees what it gets.
fn pass_round(heap: &ThreadHeap<'_>, threads: usize, steps: usize, seed: u64) {
    std::println!("seed {seed}");
    let (senders, receivers): (Vec<Sender<Filled>>, Vec<Receiver<Filled>>) =
        (0..threads).map(|_| channel()).unzip();
    let receivers: Vec<_> = receivers.into_iter().map(|of| Mutex::new(Some(of))).collect();
    let senders: Vec<_> = senders.into_iter().map(|of| Mutex::new(Some(of))).collect();
    in_threads(threads, |n| {
        let mut random = Random::new(seed + n as u64);
        let next = senders[(n + 1) % threads].lock().expect("no panic").take().expect("one each");
        let mine = receivers[n].lock().expect("no panic").take().expect("one each");
        let mut kept: Vec<Filled> = Vec::new();
        for step in 0..steps {
            let most = if random.below(50) == 0 { 200_000 } else { 1500 };
            let bytes = 1 + random.below(most);
            let filled = Filled::new(heap, layout(bytes), step as u8);
            if random.below(2) == 0 {
                next.send(filled).expect("the next thread waits for the end");
            } else {
                kept.push(filled);
            }
            if kept.len() > 50 {
                kept.swap_remove(random.below(kept.len())).free(heap);
            }
            mine.try_iter().take(3).for_each(|filled| filled.free(heap));
        }
        drop(next);
        mine.iter().for_each(|filled| filled.free(heap));
        kept.into_iter().for_each(|filled| filled.free(heap));
    });
}

#[test]
fn blocks_that_cross_threads_come_back() {
    let backing = TestBacking::new();
    for seed in 0..4 {
        let heap = small_heap(&backing);
        pass_round(&heap, 4, 3000, seed);
        heap.collect();
        heap.verify().expect("nothing is damaged");
        assert_eq!(heap.stats().live, 0, "all threads have ended, all blocks were freed");
        heap.walk(&mut |block| panic!("{block:?} was freed"));
    }
}

#[test]
fn counters_walks_and_checks_may_run_while_threads_work() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let looks = AtomicUsize::new(0);
    thread::scope(|scope| {
        let looker = scope.spawn(|| {
            while looks.load(Ordering::Relaxed) != usize::MAX {
                heap.walk(&mut |block| assert!(block.bytes > 0, "{block:?}"));
                let stats = heap.stats();
                assert!(stats.reserved <= stats.peak_reserved, "{stats:?}");
                heap.verify().expect("nothing is damaged");
                heap.shrink();
            }
        });
        pass_round(&heap, 3, 600, 77);
        looks.store(usize::MAX, Ordering::Relaxed);
        looker.join().expect("no panic");
    });
    heap.collect();
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn what_one_thread_allocates_another_frees_without_more_memory() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let (to, from) = channel::<Filled>();
    let (back, again) = channel::<()>();
    thread::scope(|scope| {
        let heap = &heap;
        scope.spawn(move || {
            for filled in from {
                filled.free(heap);
                back.send(()).expect("the first thread waits");
            }
        });
        let mut most = 0;
        for step in 0..60_000 {
            to.send(Filled::new(heap, layout(100), step as u8)).expect("the other waits");
            // Not more than 64 are on their way.
            if step >= 64 {
                again.recv().expect("the other answers");
            }
            if step == 10_000 {
                most = heap.stats().reserved;
            }
        }
        assert_eq!(heap.stats().reserved, most, "blocks come back to their owner");
        drop(to);
    });
}

#[test]
fn a_thread_that_ends_leaves_its_heap_to_the_next() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let left = Mutex::new(Vec::new());
    let mut most = 0;
    for round in 0..200_usize {
        in_threads(1, |_| {
            let mut left = left.lock().expect("no panic");
            for n in 0..40 {
                left.push(Filled::new(&heap, layout(1 + n * 37), round as u8));
            }
            // The blocks of threads that ended before are freed here.
            while left.len() > 120 {
                left.remove(0).free(&heap);
            }
        });
        if round == 20 {
            most = heap.stats().reserved;
        }
    }
    assert_eq!(heap.stats().live, 120);
    assert_eq!(heap.stats().reserved, most, "no thread needed more memory");
    left.into_inner().expect("no panic").into_iter().for_each(|filled| filled.free(&heap));
    heap.collect();
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn threads_at_the_same_time_have_a_heap_each() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let barrier = Barrier::new(8);
    let places = Mutex::new(Vec::new());
    in_threads(8, |_| {
        let filled = Filled::new(&heap, layout(64), 1);
        places.lock().expect("no panic").push(filled.block.addr().get() >> 20);
        barrier.wait();
        filled.free(&heap);
    });
    let mut places = places.into_inner().expect("no panic");
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 8, "each has a chunk to itself");
}

#[test]
fn huge_blocks_belong_to_no_thread() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let (to, from) = channel::<Filled>();
    thread::scope(|scope| {
        let heap = &heap;
        scope.spawn(move || from.into_iter().for_each(|filled| filled.free(heap)));
        for n in 0..4 {
            to.send(Filled::new(heap, layout((16 << 20) + n), n as u8)).expect("it waits");
        }
        drop(to);
    });
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn blocks_of_another_thread_are_resized() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    for (from, to) in [(100, 20), (100, 5000), (3000, 3016), (3000, 100), (90_000, 200_000)] {
        let (sender, receiver) = channel::<Filled>();
        in_threads(1, |_| sender.send(Filled::new(&heap, layout(from), 9)).expect("it waits"));
        let other = receiver.recv().expect("it was sent");
        // So that this thread does not take over the heap of the one that ended.
        let mine = Filled::new(&heap, layout(8), 1);
        // SAFETY: it is live and has this layout.
        assert!(unsafe { heap.allocated_size(other.block) } >= from);
        // SAFETY: as above.
        let moved = unsafe { heap.reallocate(other.block, layout(from), layout(to)) };
        let block = moved.expect("there is memory").cast();
        Filled { block, layout: layout(from.min(to)), fill: 9 }.check();
        // SAFETY: it is live, has this layout, and is not used again.
        unsafe { heap.deallocate_sized(block, layout(to)) };
        mine.free(&heap);
    }
    heap.collect();
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn threads_beyond_the_last_heap_share_one() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    // As if all but number 0 were in use.
    Filled::new(&heap, layout(8), 1).free(&heap);
    let shared = heap.opened().expect("it is open");
    shared.forbid_more_slots();
    in_threads(4, |n| {
        let mut live = Vec::new();
        for step in 0..500 {
            live.push(Filled::new(&heap, layout(1 + step * 3), n as u8));
            if live.len() > 20 {
                live.remove(step % 20).free(&heap);
            }
        }
        live.into_iter().for_each(|filled| filled.free(&heap));
    });
    heap.collect();
    heap.verify().expect("nothing is damaged");
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn sites_of_blocks_that_are_not_counted_yet_are_no_damage() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let heap = ThreadHeap::new("heap", &backing).with_budget(64 << 20);
    let heap = heap.with_sites(Sites::new(&books));
    let steps = Barrier::new(2);
    in_threads(2, |n| {
        if n == 0 {
            let live: Vec<_> = (0..50).map(|at| Filled::new(&heap, layout(at), 1)).collect();
            steps.wait();
            steps.wait();
            live.into_iter().for_each(|filled| filled.free(&heap));
        } else {
            steps.wait();
            heap.verify().expect("the other thread's blocks are live");
            steps.wait();
        }
    });
    assert_eq!(heap.stats().live, 0);
    heap.verify().expect("nothing is damaged");
}

#[test]
fn blocks_freed_after_their_thread_ended_are_no_leak() {
    let backing = TestBacking::new();
    for threads in [1, 3] {
        let heap = small_heap(&backing);
        let left = Mutex::new(Vec::new());
        in_threads(threads, |_| {
            let made = (0..50).map(|n| Filled::new(&heap, layout(1 + n * 100), 1));
            left.lock().expect("no panic").extend(made);
        });
        left.into_inner().expect("no panic").into_iter().for_each(|filled| filled.free(&heap));
        // Dropping it reports no leak.
    }
}

#[test]
fn a_heap_may_end_before_a_thread_that_used_it() {
    let backing = TestBacking::new();
    let heap = Mutex::new(Some(small_heap(&backing)));
    let steps = Barrier::new(2);
    in_threads(2, |n| {
        if n == 0 {
            let of = heap.lock().expect("no panic");
            Filled::new(of.as_ref().expect("it is there"), layout(50), 1)
                .free(of.as_ref().expect("it is there"));
            drop(of);
            steps.wait();
            steps.wait();
            // The thread ends with a slot of a heap that is gone.
        } else {
            steps.wait();
            drop(heap.lock().expect("no panic").take());
            steps.wait();
        }
    });
}
