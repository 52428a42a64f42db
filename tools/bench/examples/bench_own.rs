//! Your own allocator among all others. `cargo run --release -- --quick` shows that it works,
//! `cargo run --release` measures, `cargo run -- --help` lists what else there is.
#![expect(unsafe_code, reason = "an allocator is unsafe by contract")]

use core::alloc::{GlobalAlloc, Layout};
use std::alloc::System;
use std::process::ExitCode;

use loligo_bench::Bench;

/// Put your allocator in the place of this one, which passes everything on to the system's.
struct Mine;

// SAFETY: the system's allocator keeps the contract.
unsafe impl GlobalAlloc for Mine {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

fn main() -> ExitCode {
    // `api2` adds an allocator of allocator-api2 0.2, `ours` one of loligo-allocators.
    Bench::new().global("mine", || Mine).run()
}
