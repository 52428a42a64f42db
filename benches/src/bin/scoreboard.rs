//! `cargo xtask scoreboard`: our rows compared with their peers.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use loligo_allocators::{HeapAllocator, Locked, PageAllocator};

/// Pages for the program's own memory.
static PAGES: PageAllocator = PageAllocator::new("scoreboard");

/// The program's own memory. It lives on our heap and not on the C library's, which is the peer of
/// two rows and should be as a fresh process finds it: once a program has freed large blocks, the C
/// library keeps such blocks instead of asking the system for them, and is twice as fast.
#[global_allocator]
static MEMORY: Locked<HeapAllocator<'static, PageAllocator>> =
    Locked::new(HeapAllocator::new_in("scoreboard", &PAGES));

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    loligo_benches::scoreboard::run(&arguments)
}
