//! Tests over a heap of this crate as a `GlobalAlloc`, whose counters show what reaches it.

use core::alloc::Layout;
use std::boxed::Box;
use std::format;

use super::*;
use crate::blocks::pool::PoolAllocator;
use crate::heaps::static_heap::StaticHeap;
use crate::testing::test_backing::{misuse_of, panic_of};

const LAYOUT: Layout = Layout::new::<[u64; 4]>();

fn heap() -> Box<StaticHeap<{ 256 << 10 }>> {
    Box::new(StaticHeap::new("below"))
}

#[test]
fn blocks_and_table_are_the_sources() {
    let source = heap();
    let allocator = FromGlobal::new("above", &*source);
    assert_eq!((source.stats().live, allocator.overhead_bytes()), (0, 0), "nothing is taken yet");
    let block = allocator.allocate_zeroed(LAYOUT).expect("there is memory");
    assert!(source.owns(block.cast::<u8>().as_ptr()) && allocator.owns(block.cast().as_ptr()));
    // SAFETY: the block is live and was zeroed.
    assert!(unsafe { block.as_ref() }.iter().all(|byte| *byte == 0), "zeroed");
    assert_eq!((source.stats().live, allocator.stats().live), (2, 1), "a block and the table");
    assert!(allocator.overhead_bytes() > 0, "the table");
    assert!(core::ptr::eq(allocator.source(), &*source), "the same one");
    let shown = format!("{allocator:?}");
    assert!(shown.starts_with("FromGlobal") && shown.contains("above"), "{shown}");
    // SAFETY: the block is live and not used again.
    unsafe { allocator.deallocate(block.cast()) };
    drop(allocator);
    assert_eq!(source.stats().live, 0, "the table went back");
}

#[test]
fn a_source_can_be_a_trait_object_and_a_backing() {
    let source = heap();
    let erased: &dyn GlobalAlloc = &*source;
    let backing = FromGlobal::new("backing", erased);
    let pool = PoolAllocator::new_in("pool", LAYOUT, &backing);
    let block = pool.allocate(LAYOUT).expect("there is memory");
    assert!(source.owns(block.cast::<u8>().as_ptr()) && backing.stats().live > 0);
    // SAFETY: the block is live and not used again.
    unsafe { pool.deallocate(block.cast()) };
    drop(pool);
    assert_eq!((backing.stats().live, backing.verify()), (0, Ok(())));
}

#[test]
fn exhaustion_is_an_error() {
    let source = heap();
    let allocator = FromGlobal::new("above", &*source);
    let great = Layout::from_size_align(1 << 20, 8).expect("a layout");
    assert_eq!(allocator.allocate(great), Err(AllocError), "more than the source has");
    assert_eq!(allocator.allocate_zeroed(great), Err(AllocError), "as above");
    assert_eq!((allocator.stats().live, source.stats().live), (0, 0), "nothing has changed");
}

#[test]
fn misuse_and_leaks_are_reported() {
    let source = heap();
    let mut left = None;
    let said = panic_of(|| {
        let allocator = FromGlobal::new("above", &*source);
        let block: NonNull<u8> = allocator.allocate(LAYOUT).expect("there is memory").cast();
        // SAFETY: the call finds that the size is wrong.
        let wrong = || unsafe { allocator.deallocate_sized(block, Layout::new::<u64>()) };
        let said = misuse_of(wrong);
        assert!(said.contains("`above`") && said.contains("wrong size"), "{said}");
        left = Some(block);
    });
    assert!(said.contains("`above`") && said.contains("from_global/tests.rs"), "{said}");
    assert_eq!(source.stats().live, 1, "the leaked block alone");
    let block = left.expect("there was memory");
    // SAFETY: only this test uses the block, which is live in the source.
    unsafe { Allocator::deallocate(&*source, block) };
}
