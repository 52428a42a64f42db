//! A program whose global allocator has a heap for each thread: before `main`, in thread-local
//! destructors, over a `fork`, with many threads in turn.
#![expect(unsafe_code, reason = "it runs before main, and misuses a block on purpose")]

mod forks;
mod work;

use core::cell::RefCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::thread;

use loligo_allocators::{Allocator, PageAllocator, ThreadHeap};

static PAGES: PageAllocator = PageAllocator::new("pages");

#[global_allocator]
static GLOBAL: ThreadHeap<'static> = ThreadHeap::new("global-threads", &PAGES);

static EARLY: Mutex<Option<Vec<String>>> = Mutex::new(None);

extern "C" fn before_main() {
    if let Ok(mut early) = EARLY.lock() {
        *early = Some((0..10).map(|n| format!("word {n}")).collect());
    }
}

// SAFETY: the loader calls what this section lists, with the arguments of `main`, which a function
// of no arguments may ignore; it needs nothing that is not there yet.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

/// Texts that are freed, and others allocated, when a thread ends.
struct Last(Vec<String>);

static ENDED: AtomicUsize = AtomicUsize::new(0);

impl Drop for Last {
    fn drop(&mut self) {
        let longer: Vec<String> = self.0.drain(..).map(|text| text + ", at the end").collect();
        ENDED.fetch_add(longer.iter().map(String::len).sum(), Ordering::Relaxed);
    }
}

thread_local! {
    static FIRST: RefCell<Last> = RefCell::new(Last(vec![String::from("first")]));
    static SECOND: RefCell<Last> = const { RefCell::new(Last(Vec::new())) };
}

/// Threads whose thread-local variables allocate and free in their destructors, before and after
/// the thread has given up its heap.
fn check_destructors() {
    let before = ENDED.load(Ordering::Relaxed);
    for n in 0..20 {
        let thread = thread::spawn(move || {
            FIRST.with_borrow_mut(|last| last.0.push(format!("{n} of a thread")));
            SECOND.with_borrow_mut(|last| last.0.push("x".repeat(n * 100)));
        });
        thread.join().expect("a thread of a child ends well");
    }
    let after = ENDED.load(Ordering::Relaxed);
    assert!(after > before + 20 * 100, "the destructors ran: {before}, {after}");
}

/// Starts `count` threads in turn; memory stays flat.
fn check_threads(count: usize) {
    let run = |count| {
        for n in 0..count {
            let made = thread::spawn(move || vec![n as u8; 5000]).join();
            assert_eq!(made.expect("it only allocates").len(), 5000, "thread {n}");
        }
    };
    run(count / 10);
    let before = GLOBAL.stats().reserved;
    run(count);
    let after = GLOBAL.stats().reserved;
    assert!(after <= before, "{count} threads in turn: {before} bytes, then {after}");
}

fn number(at: usize) -> usize {
    std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("destructors") => check_destructors(),
        Some("threads") => check_threads(number(2)),
        Some("forks") => forks::check(number(2)),
        Some("double-free") => return work::run(),
        _ => {
            let early = EARLY.lock().expect("nobody has panicked").take();
            let early = early.expect("the constructor ran");
            assert!(GLOBAL.owns(early.as_ptr().cast()), "made before main");
            assert_eq!(early[9], "word 9", "kept");
            work::run();
            let stats = GLOBAL.stats();
            assert!(stats.allocations_total > 10_000, "the program's blocks: {stats:?}");
        }
    }
    GLOBAL.collect();
    GLOBAL.verify().expect("the heap is sound");
}
