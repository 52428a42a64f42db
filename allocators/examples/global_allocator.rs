//! A heap of ours as the global allocator of a program, which can then print its statistics.
//!
//! Run it with `cargo run -p loligo-allocators --example global_allocator`.

use std::collections::HashMap;
use std::thread;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator, Stats};

/// Both are const-initialised: they exist before `main` and before the first allocation.
static PAGES: PageAllocator = PageAllocator::new("pages");

/// A heap is for one thread, and a program has many, so it has a lock. Naming the type of its
/// backing avoids a virtual call.
#[global_allocator]
static HEAP: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("global", &PAGES));

/// Returns the heap's counters. While the closure runs the lock is held, so it must not allocate:
/// the counters are copied out and printed afterwards.
fn stats() -> Stats {
    HEAP.with(loligo_allocators::Allocator::stats)
}

fn main() {
    let before = stats();

    let mut squares = HashMap::new();
    for number in 0..10_000_u64 {
        squares.insert(number, number * number);
    }
    let during = stats();
    println!(
        "a map of {} squares: {} bytes more, in {} blocks",
        squares.len(),
        during.granted - before.granted,
        during.live - before.live
    );

    // Any thread may free what another has allocated.
    let words = thread::spawn(|| (0..1000).map(|n| format!("word {n}")).collect::<Vec<_>>());
    let words = words.join().expect("the thread only makes strings");
    println!("{} words from another thread: {} live blocks", words.len(), stats().live);
    assert!(stats().live >= words.len(), "each word is a block");

    drop(words);
    drop(squares);
    let after = stats();
    println!("afterwards: {} bytes more than before", after.granted - before.granted);
    assert!(after.granted < during.granted, "the map has been freed");
    assert!(
        after.requested <= after.granted && after.granted <= after.reserved,
        "the counters are consistent"
    );
}
