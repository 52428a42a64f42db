//! Allocators that are wrong on purpose, and some that are right, for the tests.
#![expect(unsafe_code, reason = "allocators are unsafe by contract")]

use core::alloc::{GlobalAlloc, Layout};
use std::alloc::System;
use std::process::ExitCode;

use allocator_api2_02::alloc::Global;
use loligo_bench::{Bench, Limits};
use loligo_tests::models::NaiveAllocator;

/// Does not clear what it is asked to clear.
struct Unclean;

// SAFETY: what it breaks is what is tested; its blocks are the system's.
unsafe impl GlobalAlloc for Unclean {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            // SAFETY: the block is fresh and this long.
            unsafe { block.write_bytes(0xa5, layout.size()) };
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Ends the process where a block is to be resized.
struct Abrupt;

// SAFETY: what it breaks is what is tested; its blocks are the system's.
unsafe impl GlobalAlloc for Abrupt {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, _: *mut u8, _: Layout, _: usize) -> *mut u8 {
        eprintln!("abrupt: cannot resize");
        std::process::abort()
    }
}

fn main() -> ExitCode {
    Bench::new()
        .global("unclean", || Unclean)
        .global("abrupt", || Abrupt)
        .api2("theirs", || Global)
        .ours("naive", || NaiveAllocator::new("naive", 64 << 10))
        .limits(Limits::region(64 << 10))
        .run()
}
