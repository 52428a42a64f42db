//! Tests of what is shown of an allocator whose backing shows nothing.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use std::format;

use crate::contract::allocator::{Allocator, SharedRef};
use crate::heaps::heap::HeapAllocator;
use crate::testing::test_backing::TestBacking;
use crate::wrappers::proxy::ProxyAllocator;

#[test]
fn name_and_counters_are_shown() {
    let mut memory = [MaybeUninit::uninit(); 32 << 10];
    let region = HeapAllocator::from_region("region", &mut memory);
    let block = region.allocate(Layout::new::<[u64; 4]>()).expect("there is memory");
    let shown = format!("{region:?}");
    assert!(shown.starts_with("HeapAllocator { name: \"region\""), "{shown}");
    assert!(shown.contains("live: 1") && shown.contains("granted: 32"), "{shown}");
    // SAFETY: the block is live and not used again.
    unsafe { region.deallocate(block.cast()) };

    let backing = TestBacking::new();
    let erased: SharedRef<'_> = &backing;
    let heap = HeapAllocator::new("growing", erased);
    let proxy = ProxyAllocator::new("proxy", erased);
    for (shown, begins) in [
        (format!("{heap:?}"), "HeapAllocator { name: \"growing\""),
        (format!("{proxy:?}"), "ProxyAllocator { name: \"proxy\""),
    ] {
        assert!(shown.starts_with(begins) && shown.contains("live: 0"), "{shown}");
    }
}
