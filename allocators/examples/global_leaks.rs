//! Which blocks of a program that only has the global allocator are left, and who asked for them.
//!
//! Run it with `cargo run -p loligo-allocators --example global_leaks --all-features`: without the
//! feature `stacks` every site is a line of this library, as the global allocator does not know its
//! callers.

use loligo_allocators::{HeapAllocator, Locked, PageAllocator, TraceAllocator};

static PAGES: PageAllocator = PageAllocator::new("pages");

/// What serves the program.
static HEAP: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("heap", &PAGES));

type Heap = Locked<HeapAllocator<'static, PageAllocator>>;

/// The wrapper, which is taken out again by one line. Its books are in pages, so that they are not
/// the program's own blocks.
#[cfg(feature = "stacks")]
#[global_allocator]
static GLOBAL: Locked<TraceAllocator<'static, Heap, PageAllocator>> =
    Locked::new(TraceAllocator::new_in("global", &HEAP, &PAGES).with_stacks());
#[cfg(not(feature = "stacks"))]
#[global_allocator]
static GLOBAL: Locked<TraceAllocator<'static, Heap, PageAllocator>> =
    Locked::new(TraceAllocator::new_in("global", &HEAP, &PAGES));

/// Loads a level and forgets one of its texts.
#[inline(never)]
fn load_level() -> usize {
    let texts: Vec<String> = (0..10).map(|at| format!("text {at}").repeat(40)).collect();
    let letters = texts.iter().map(String::len).sum();
    for (at, text) in texts.into_iter().enumerate() {
        if at == 7 {
            core::mem::forget(text);
        }
    }
    letters
}

fn main() {
    println!("a level of {} letters", load_level());

    // Names of frames are looked up with memory of the global heap, so the lock is released first.
    let left = GLOBAL.with(|trace| trace.snapshot(&PAGES));
    let report = left.expect("pages for the report").to_string();
    println!("{report}");
    assert!(report.starts_with("allocator `global`: "), "what is left");
    #[cfg(feature = "stacks")]
    assert!(report.contains("load_level"), "who asked for the text that was forgotten");
}
