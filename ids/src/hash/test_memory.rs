//! Memory for tests, all of which must come back.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use loligo_allocators::{Allocator, HeapAllocator, ProxyAllocator};

/// Runs a test with at most `bytes` bytes of memory.
pub(super) fn with_bytes(bytes: usize, test: impl FnOnce(&dyn Allocator)) {
    let mut region = std::vec![MaybeUninit::uninit(); 16 << 20];
    let heap = HeapAllocator::from_region("heap", &mut region);
    let proxy = ProxyAllocator::new_in("tested", &heap).with_budget(bytes);
    test(&proxy);
    assert_eq!(proxy.stats().live, 0, "memory is kept");
}

/// Runs a test with enough memory.
pub(super) fn with_memory(test: impl FnOnce(&dyn Allocator)) {
    with_bytes(usize::MAX, test);
}
