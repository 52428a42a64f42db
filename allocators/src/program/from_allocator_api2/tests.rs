//! Tests over the global allocator of each line, and over a heap of this crate through the bridge,
//! whose counters show what reaches it.

macro_rules! tests_of_a_line {
    ($module:ident, $feature:literal, $library:ident) => {
        #[cfg(feature = $feature)]
        mod $module {
            use core::alloc::Layout;
            use core::ptr::NonNull;
            use std::boxed::Box;
            use std::format;
            use std::vec::Vec;

            use $library::alloc::Global;

            use crate::contract::allocator::{AllocError, Allocator};
            use crate::heaps::static_heap::StaticHeap;
            use crate::program::from_allocator_api2::$module::FromAllocatorApi2;
            use crate::testing::test_backing::{misuse_of, panic_of};

            const LAYOUT: Layout = Layout::new::<[u64; 4]>();

            #[test]
            fn blocks_are_counted_and_freed() {
                let allocator = FromAllocatorApi2::new("global", Global);
                let layouts = [(0, 1), (1, 1), (24, 8), (4096, 4096), (100_000, 64)];
                let layouts = layouts.map(|(size, align)| Layout::from_size_align(size, align));
                let blocks: Vec<_> = layouts
                    .into_iter()
                    .map(|layout| {
                        let layout = layout.expect("a layout");
                        (allocator.allocate_zeroed(layout).expect("memory"), layout)
                    })
                    .collect();
                let bytes = 1 + 1 + 24 + 4096 + 100_000;
                assert_eq!((allocator.stats().live, allocator.stats().requested), (5, bytes));
                for (block, layout) in blocks {
                    let address = block.cast::<u8>();
                    assert!(address.addr().get().is_multiple_of(layout.align()), "{layout:?}");
                    // SAFETY: the block is live and was zeroed.
                    let is_zero = unsafe { block.as_ref() }.iter().all(|byte| *byte == 0);
                    assert!(is_zero && allocator.owns(address.as_ptr()), "{layout:?}");
                    // SAFETY: the block is live, has this layout, and is not used again.
                    unsafe { allocator.deallocate_sized(address, layout) };
                }
                assert_eq!((allocator.stats().live, allocator.verify()), (0, Ok(())));
                let shown = format!("{allocator:?}");
                assert!(shown.starts_with("FromAllocatorApi2"), "{shown}");
            }

            #[test]
            fn blocks_and_table_are_the_sources() {
                let heap = Box::new(StaticHeap::<{ 256 << 10 }>::new("below"));
                let below: &StaticHeap<_> = &heap;
                let allocator = FromAllocatorApi2::new("above", below);
                let block = allocator.allocate(LAYOUT).expect("there is memory");
                assert!(below.owns(block.cast::<u8>().as_ptr()), "it came from there");
                assert_eq!(below.stats().live, 2, "a block and the table");
                assert!(allocator.overhead_bytes() > 0, "the table");
                assert!(core::ptr::eq(*allocator.source(), below), "the same one");
                let great = Layout::from_size_align(1 << 20, 8).expect("a layout");
                assert_eq!(allocator.allocate(great), Err(AllocError), "more than it has");
                // SAFETY: the block is live and not used again.
                unsafe { allocator.deallocate(block.cast()) };
                drop(allocator);
                assert_eq!(below.stats().live, 0, "the table went back");
            }

            #[test]
            fn misuse_and_leaks_are_reported() {
                let heap = Box::new(StaticHeap::<{ 256 << 10 }>::new("below"));
                let below: &StaticHeap<_> = &heap;
                let mut left = None;
                let said = panic_of(|| {
                    let allocator = FromAllocatorApi2::new("above", below);
                    let block: NonNull<u8> = allocator.allocate(LAYOUT).expect("memory").cast();
                    // SAFETY: the call finds that the size is wrong.
                    let wrong = || unsafe {
                        allocator.deallocate_sized(block, Layout::new::<u64>());
                    };
                    let said = misuse_of(wrong);
                    assert!(said.contains("`above`") && said.contains("wrong size"), "{said}");
                    left = Some(block);
                });
                assert!(said.contains("`above`") && said.contains("1 live block"), "{said}");
                let block = left.expect("there was memory");
                // SAFETY: only this test uses the block, which is live in the source.
                unsafe { Allocator::deallocate(below, block) };
            }
        }
    };
}

tests_of_a_line!(api2_02, "allocator-api2-02", allocator_api2_02);
tests_of_a_line!(api2_03, "allocator-api2-03", allocator_api2_03);
tests_of_a_line!(api2_04, "allocator-api2-04", allocator_api2_04);
