//! `fork` while other threads allocate.

use core::alloc::Layout;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::vec::Vec;

use super::{Filled, layout};
use crate::contract::allocator::Allocator;
use crate::heaps::heap::HeapAllocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::pages::page::PageAllocator;
use crate::testing::test_child;
use crate::threads::locked::Locked;

/// Children of each test.
const CHILDREN: usize = 40;

static PAGES: PageAllocator = PageAllocator::new("pages");
static THREADS: ThreadHeap<'static> = ThreadHeap::new("threads", &PAGES);
static LOCKED: Locked<HeapAllocator<'static>> = Locked::new(HeapAllocator::new("heap", &PAGES));

/// Allocates and frees until it is to stop.
fn work(heap: &dyn Allocator, is_over: &AtomicBool) {
    let mut live = Vec::new();
    for step in 0_usize.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        // Huge ones, for which the locks of what the threads share are taken.
        let bytes = if step % 10 == 0 { 17 << 20 } else { 1 + step * 37 % 6000 };
        live.push((heap.allocate(layout(bytes)).expect("there is memory").cast(), layout(bytes)));
        if live.len() > 30 {
            let (block, layout) = live.remove(step % 30);
            // SAFETY: it is live, and freed once.
            unsafe { heap.deallocate_sized(block, layout) };
        }
    }
    for (block, layout) in live {
        // SAFETY: as above.
        unsafe { heap.deallocate_sized(block, layout) };
    }
}

/// What the child does: allocates in all sizes, and frees what it got from before.
fn in_child(heap: &dyn Allocator, mine: Filled, others: Filled) -> u32 {
    mine.free(heap);
    others.free(heap);
    for step in 0..100 {
        Filled::new(heap, layout(1 + step * 40), step as u8).free(heap);
    }
    Filled::new(heap, layout(90_000), 1).free(heap);
    0
}

/// Ends the other threads, also where a child has failed: they are waited for before that is said.
struct Ending<'t>(&'t AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Forks while two threads allocate, many times.
fn survives(heap: &'static (dyn Allocator + Sync)) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let ending = Ending(&is_over);
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(|| work(heap, &is_over))).collect();
        let (to, from) = sync_channel::<Filled>(1);
        let is_over = &is_over;
        let giver = scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                if to.send(Filled::new(heap, layout(300), 5)).is_err() {
                    break;
                }
            }
        });
        for n in 0..CHILDREN {
            let mine = Filled::new(heap, Layout::new::<[u64; 9]>(), n as u8);
            let others = from.recv().expect("the other thread sends");
            let (mine_again, others_again) = (mine.copy(), others.copy());
            let status = test_child::run(move || in_child(heap, mine_again, others_again));
            assert_eq!(status, 0, "child {n} of {CHILDREN} ends well");
            mine.free(heap);
            others.free(heap);
        }
        drop(ending);
        // One may wait for room.
        from.into_iter().for_each(|filled| filled.free(heap));
        for thread in workers.into_iter().chain([giver]) {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn a_child_goes_on_with_a_heap_for_threads() {
    survives(&THREADS);
    THREADS.collect();
    THREADS.verify().expect("nothing is damaged");
    assert_eq!(THREADS.stats().live, 0);
}

#[test]
fn a_child_goes_on_with_a_heap_with_a_lock() {
    survives(&LOCKED);
    LOCKED.verify().expect("nothing is damaged");
    assert_eq!(LOCKED.stats().live, 0);
}
