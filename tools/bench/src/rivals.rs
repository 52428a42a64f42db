//! What a person's allocator is compared with.

use std::alloc::System;

use loligo_allocators::{PageAllocator, ThreadHeap};
use loligo_replay::ours;
use loligo_replay::results::Kind;
use loligo_replay::rows::{self, Row};
use loligo_replay::suites::Timing;

use crate::as_global::AsGlobal;
use crate::suite::{Suite, Work};

/// The row that figures are divided by.
pub(crate) const BASELINE: &str = "heap";

/// Pages for our heaps.
static PAGES: PageAllocator = PageAllocator::new("bench pages");

/// Returns the rows for one thread: our heap, our heap for threads, and the peers.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ours().into_iter().filter(|row| row.name() == BASELINE).collect();
    rows.push(Row::allocator("thread-heap", Kind::Ours, || ThreadHeap::new("thread-heap", &PAGES)));
    rows.extend(rows::peers());
    rows
}

/// The rivals of an allocator that threads share, by name.
#[cfg(not(feature = "peers-all"))]
pub(crate) const SHARED: &[&str] = &["thread-heap", "system", "mimalloc"];

/// The rivals of an allocator that threads share, by name.
#[cfg(feature = "peers-all")]
pub(crate) const SHARED: &[&str] = &["thread-heap", "system", "mimalloc", "jemalloc", "snmalloc"];

/// Runs a suite over the rival of this name; `None` if there is none.
pub(crate) fn run(name: &str, suite: Suite, threads: u32, work: Work) -> Option<Timing> {
    static HEAP: AsGlobal<ThreadHeap<'static>> =
        AsGlobal(ThreadHeap::new("thread-heap, shared", &PAGES));
    Some(match name {
        "thread-heap" => suite.run(&HEAP, threads, work),
        "system" => suite.run(&System, threads, work),
        "mimalloc" => suite.run(&mimalloc::MiMalloc, threads, work),
        #[cfg(feature = "peers-all")]
        "jemalloc" => suite.run(&tikv_jemallocator::Jemalloc, threads, work),
        #[cfg(feature = "peers-all")]
        "snmalloc" => suite.run(&snmalloc_rs::SnMalloc, threads, work),
        _ => return None,
    })
}
