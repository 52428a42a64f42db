//! A write past a block of the global allocator, and the function that the report names.
//!
//! Run it with `cargo run -p loligo-allocators --example global_overrun --all-features`. It runs itself
//! again, as what finds the write ends the program. Without the feature `stacks` the report has only a
//! line of this library, as the global allocator does not know its callers.
#![expect(unsafe_code, reason = "the mistake is a write that safe code does not allow")]

use core::hint::black_box;
use std::process::Command;

use loligo_allocators::{CanaryAllocator, HeapAllocator, Locked, PageAllocator};

static PAGES: PageAllocator = PageAllocator::new("pages");

type Heap = Locked<HeapAllocator<'static, PageAllocator>>;

/// What serves the program.
static HEAP: Heap = Locked::new(HeapAllocator::new_in("heap", &PAGES));

/// The wrapper, which is taken out again by one line.
#[global_allocator]
static GLOBAL: Locked<CanaryAllocator<'static, Heap>> =
    Locked::new(CanaryAllocator::new_in("global", &HEAP));

/// Ends a text with a zero that it has no room for, as C wants it.
#[inline(never)]
fn end_with_zero(mut text: Vec<u8>) -> usize {
    text.shrink_to_fit();
    let letters = text.len();
    let end = text.as_mut_ptr().wrapping_add(letters);
    // SAFETY: it is not safe, which is the mistake: the byte after the text is not the text's.
    unsafe { end.write_volatile(0) };
    // The guard after the text is looked at here.
    drop(text);
    black_box(letters)
}

fn main() {
    if std::env::args().nth(1).is_some() {
        println!("{} letters", end_with_zero(b"seven".to_vec()));
        return;
    }
    let own = std::env::current_exe().expect("a path");
    let output = Command::new(own).arg("child").output().expect("it runs again");
    let said = String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    assert!(!output.status.success(), "the free of the text ends the program");
    assert!(said.contains("allocator `global`: overrun"), "what has happened");
    #[cfg(all(feature = "stacks", unix))]
    assert!(said.contains("end_with_zero"), "whose text it was");
}
