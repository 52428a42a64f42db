//! In children, as the memory serves until the process ends.

use core::alloc::Layout;

use super::{allocate, begin, serves};
use crate::heaps::static_heap::StaticHeap;
use crate::testing::test_child::run;
use crate::threads::global;

/// Returns the line of the first check that fails.
fn check() -> u32 {
    let bytes = Layout::from_size_align(100, 1).expect("a layout");
    let page = Layout::from_size_align(10, 4096).expect("a layout");
    if serves() || allocate(bytes).is_some() {
        return line!();
    }
    static HEAP: StaticHeap<65536> = StaticHeap::new("own");
    let own = global::alloc(&HEAP, bytes);
    if own.is_null() || !begin() || begin() || !serves() {
        return line!();
    }
    let (one, other) = (global::alloc(&HEAP, bytes), global::alloc_zeroed(&HEAP, page));
    if one.is_null() || !other.addr().is_multiple_of(4096) || other.addr() - one.addr() < 100 {
        return line!();
    }
    // SAFETY: the block has 100 bytes.
    unsafe { own.write_bytes(7, 100) };
    // SAFETY: it is live, and has this layout.
    let moved = unsafe { global::realloc(&HEAP, own, bytes, 10_000) };
    // SAFETY: both blocks are live; what is freed stays, so it may be read after.
    unsafe { global::dealloc(&HEAP, moved, bytes) };
    // SAFETY: as above.
    if moved.is_null() || unsafe { moved.wrapping_add(99).read() } != 7 {
        return line!();
    }
    let greatest = Layout::from_size_align(isize::MAX as usize - 4095, 4096).expect("a layout");
    if allocate(greatest) != Some(core::ptr::null_mut()) {
        return line!();
    }
    0
}

#[test]
fn a_global_allocator_is_served_from_the_beginning_on() {
    assert_eq!(run(check), 0);
}
