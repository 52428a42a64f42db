//! A heap for each thread as the global allocator of a program, which prints at its end what is
//! left.
//!
//! Run it with `cargo run -p loligo-allocators --example global_threads`.

use std::collections::BTreeMap;
use std::thread;

use loligo_allocators::{Allocator, PageAllocator, ThreadHeap};

static PAGES: PageAllocator = PageAllocator::new("pages");

/// The one line that switches a program over.
#[global_allocator]
static GLOBAL: ThreadHeap<'static> = ThreadHeap::new("global", &PAGES);

fn main() {
    let threads: Vec<_> = (0..4_u32)
        .map(|n| {
            thread::spawn(move || {
                // Short-lived blocks, of which no other thread sees any.
                let words: BTreeMap<_, _> = (0..1000).map(|at| (at, format!("{n}.{at}"))).collect();
                // What other threads are to have.
                words.into_values().filter(|word| word.ends_with("99")).collect::<Vec<_>>()
            })
        })
        .collect();
    let words: Vec<_> = threads.into_iter().flat_map(|of| of.join().unwrap_or_default()).collect();
    println!("{} words of four threads, the last is {}", words.len(), words[words.len() - 1]);
    // Each is freed by another thread than the one that allocated it.
    drop(words);

    // Formatted without a block, so the report does not count itself.
    println!("{}", GLOBAL.report());
    let stats = GLOBAL.stats();
    assert!(stats.allocations_total > 4000, "the blocks were from here");
}
