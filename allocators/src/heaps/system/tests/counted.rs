//! The system's heap, with a sum of each thread's bytes.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;

std::thread_local! {
    static BYTES: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Returns the bytes that this thread has allocated and not freed since it began.
pub(super) fn bytes() -> isize {
    BYTES.get()
}

/// Returns how many blocks this thread has allocated.
pub(super) fn calls() -> usize {
    CALLS.get()
}

/// Replaces [`std::alloc::System`] in tests.
pub(in crate::heaps::system) struct System;

// SAFETY: each call is the system's own, counted.
unsafe impl GlobalAlloc for System {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on; so below.
        count(unsafe { std::alloc::System.alloc(layout) }, layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see `alloc`.
        count(unsafe { std::alloc::System.alloc_zeroed(layout) }, layout)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get() - layout.size().cast_signed());
        // SAFETY: see `alloc`.
        unsafe { std::alloc::System.dealloc(block, layout) };
    }
}

fn count(block: *mut u8, layout: Layout) -> *mut u8 {
    if !block.is_null() {
        BYTES.set(BYTES.get() + layout.size().cast_signed());
        CALLS.set(CALLS.get() + 1);
    }
    block
}
