//! The heaps that suites are run over: ours and peers.

use std::alloc::System;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator, ThreadHeap};
use loligo_replay::suites::Timing;
use mimalloc::MiMalloc;

use crate::absent::absent;
use crate::suites::Suite;

/// Runs a suite over a heap with a number of threads; the last number multiplies the work. Fails as
/// [`Suite::run`].
type Run = fn(Suite, u32, u32) -> Result<Timing, String>;

/// A heap that suites can be run over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The name on the command line and in the table.
    pub(crate) name: &'static str,
    /// Whether it is ours: each of ours is compared with all heaps.
    pub(crate) is_ours: bool,
    /// Runs a suite.
    pub(crate) run: Run,
}

/// The heaps that are compiled in.
pub(crate) const PEERS: &[Peer] = &[
    ours("threads", |suite, threads, times| suite.run(&THREADS, threads, times)),
    ours("locked", |suite, threads, times| suite.run(&LOCKED, threads, times)),
    peer("glibc", |suite, threads, times| suite.run(&System, threads, times)),
    peer("mimalloc", |suite, threads, times| suite.run(&MiMalloc, threads, times)),
    #[cfg(feature = "peers-all")]
    peer("jemalloc", |suite, threads, times| {
        suite.run(&tikv_jemallocator::Jemalloc, threads, times)
    }),
    #[cfg(feature = "peers-all")]
    peer("snmalloc", |suite, threads, times| suite.run(&snmalloc_rs::SnMalloc, threads, times)),
];

/// Pages for our heaps.
static PAGES: PageAllocator = PageAllocator::new("suites");

/// A heap for each thread.
static THREADS: ThreadHeap<'static> = ThreadHeap::new("suites, threads", &PAGES);

/// The heap for one thread, in a lock.
static LOCKED: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("suites, locked", &PAGES));

/// Returns the heap of this name.
///
/// # Errors
///
/// A sentence with the names that there are.
pub(crate) fn named(name: &str) -> Result<Peer, String> {
    let found = PEERS.iter().find(|peer| peer.name == name);
    found.copied().ok_or_else(|| {
        let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        format!("no heap `{name}`; there are {}", names.join(", "))
    })
}

const fn ours(name: &'static str, run: Run) -> Peer {
    Peer { name, is_ours: true, run }
}

const fn peer(name: &'static str, run: Run) -> Peer {
    Peer { name, is_ours: false, run }
}

/// Says which heaps are not compiled in.
pub(super) fn warn_of_absent_heaps() {
    let missing = absent(&["jemalloc", "snmalloc"]);
    if !missing.is_empty() {
        eprintln!("without {}: build with the feature peers-all", missing.join(" and "));
    }
}
