//! talc asks the allocator below for a layout that no layout may be.

use core::alloc::{GlobalAlloc, Layout};

use talc::TalcCell;
use talc::source::GlobalAllocSource;

/// The system's allocator, which looks at what it is asked for.
#[derive(Debug)]
pub(crate) struct Strict;

// SAFETY: the blocks are the system's.
unsafe impl GlobalAlloc for Strict {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if Layout::from_size_align(layout.size(), layout.align()).is_err() {
            eprintln!("asked for {:#x} bytes, more than isize::MAX", layout.size());
            std::process::abort();
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { std::alloc::System.dealloc(block, layout) }
    }
}

pub(super) fn main() {
    let talc = TalcCell::new(GlobalAllocSource::new(Strict));
    let most = Layout::array::<u8>(isize::MAX as usize).expect("a layout may be as great");
    // SAFETY: the size is not 0.
    let refused = unsafe { talc.alloc(most) };
    assert!(refused.is_null(), "no address space has so many bytes");
}
