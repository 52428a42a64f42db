//! The recorder as programs use it: every call is forwarded and recorded. A process has one
//! recording, so each test runs in a child.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

use super::Recorder;
use crate::testing::test_child::{MemoryFile, check, run};

/// The system's allocator, with reallocations that can be refused.
struct Refusing(Cell<bool>);

// SAFETY: every call is passed on, or refused.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if self.0.get() {
            return core::ptr::null_mut();
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(block, layout, bytes) }
    }
}

#[test]
fn what_is_passed_on_is_recorded() {
    let memory = MemoryFile::new();
    let owned = std::boxed::Box::into_raw(memory.path().into_boxed_str());
    // SAFETY: the box lives until the child, which alone holds it for ever, has ended.
    let path: &'static str = unsafe { &*owned };
    let answer = run(|| {
        let recorder = Recorder::over(Refusing(Cell::new(true)), path);
        let layout = Layout::new::<[u64; 4]>();
        // SAFETY: the layout has a size.
        let block = unsafe { recorder.alloc_zeroed(layout) };
        check!(!block.is_null());
        // SAFETY: it has 32 bytes.
        check!(unsafe { block.cast::<[u64; 4]>().read() } == [0; 4]);
        // SAFETY: the block is live and has this layout.
        check!(unsafe { recorder.realloc(block, layout, 64) }.is_null());
        recorder.inner.0.set(false);
        // SAFETY: as above, as the first was refused.
        let block = unsafe { recorder.realloc(block, layout, 64) };
        check!(!block.is_null());
        recorder.frame_mark(9);
        let layout = Layout::new::<[u64; 8]>();
        // SAFETY: the block is live and has this layout.
        unsafe { recorder.dealloc(block, layout) };
        // SAFETY: the layout has a size.
        let block = unsafe { recorder.alloc(layout) };
        check!(!block.is_null());
        // SAFETY: the block is live and has this layout.
        unsafe { recorder.dealloc(block, layout) };
        check!(recorder.finish() == Ok(()));
        0
    });
    // SAFETY: it was made above, and the child has ended.
    drop(unsafe { std::boxed::Box::from_raw(owned) });
    assert_eq!(answer, 0, "the child's line is above");
    let bytes = memory.bytes();
    let kinds: std::vec::Vec<u8> = bytes[40..].chunks_exact(32).map(|unit| unit[0]).collect();
    assert_eq!(kinds, [4, 3, 5, 2, 1, 2, 8], "refused calls are not recorded");
}

#[test]
fn what_ends_a_recording_is_told_to_who_finishes_it() {
    let answer = run(|| {
        let recorder = Recorder::new("/dev/full");
        recorder.frame_mark(1);
        // The end is written now, which fails.
        let error = recorder.finish().err();
        check!(error.and_then(|error| error.kind()) == Some(std::io::ErrorKind::StorageFull));
        check!(recorder.finish() == Ok(()));
        0
    });
    assert_eq!(answer, 0, "the child's line is above");
}
