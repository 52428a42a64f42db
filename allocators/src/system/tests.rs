//! What the table knows of the system's blocks.

use std::vec::Vec;

use super::*;
use crate::test_backing::{misuse_of, panic_of};

#[test]
fn blocks_are_the_systems_and_are_counted() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    assert_eq!((system.overhead_bytes(), system.stats().live), (0, 0), "nothing is taken yet");
    let layouts = [(0, 1), (1, 1), (24, 8), (4096, 4096), (100_000, 64)];
    let layouts = layouts.map(|(size, align)| Layout::from_size_align(size, align).expect("one"));
    let blocks: Vec<_> = layouts
        .iter()
        .map(|layout| (system.allocate_zeroed(*layout).expect("memory"), *layout))
        .collect();
    let bytes = 1 + 1 + 24 + 4096 + 100_000;
    let stats = system.stats();
    assert_eq!(
        (stats.live, stats.requested, stats.granted, stats.reserved),
        (5, bytes, bytes, bytes)
    );
    let mut shown = 0;
    system.walk(&mut |block| {
        shown += 1;
        assert!(block.site.is_some_and(|site| site.file().ends_with("tests.rs")), "{block:?}");
    });
    assert_eq!((shown, system.verify()), (5, Ok(())));
    for (block, layout) in blocks {
        assert!(block.cast::<u8>().addr().get().is_multiple_of(layout.align()), "{layout:?}");
        // SAFETY: the block is live, and all of it was zeroed.
        let is_zero = unsafe { block.as_ref() }.iter().all(|byte| *byte == 0);
        assert!(is_zero && system.owns(block.cast::<u8>().as_ptr()), "{layout:?}");
        // SAFETY: the block is live, has this layout, and is not used again.
        unsafe { system.deallocate_sized(block.cast(), layout) };
    }
    assert_eq!((system.stats().live, system.stats().reserved), (0, 0));
}

#[test]
fn what_is_freed_wrongly_never_reaches_the_system() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let layout = Layout::new::<[u64; 4]>();
    let block: NonNull<u8> = system.allocate(layout).expect("memory").cast();
    // SAFETY: the block has 32 bytes.
    let within = unsafe { block.add(8) };
    // SAFETY: it is found that the address lies inside of the block.
    let inside = || unsafe { system.deallocate(within) };
    let said = |wrong: &dyn Fn(), what: &str| {
        let said = misuse_of(wrong);
        assert!(said.starts_with("allocator `system`: ") && said.contains(what), "{said}");
    };
    said(&inside, "interior free");
    let foreign = NonNull::from(&layout).cast();
    // SAFETY: it is found that the address is no block's.
    said(&|| unsafe { system.deallocate(foreign) }, "foreign free");
    let other = Layout::new::<[u64; 5]>();
    // SAFETY: it is found that the layout is another.
    let wrong = || unsafe { system.deallocate_sized(block, other) };
    said(&wrong, "wrong size");
    // SAFETY: the block is live, and not used again.
    unsafe { system.deallocate(block) };
    // SAFETY: it is found that the block was freed before.
    said(&|| unsafe { system.deallocate(block) }, "double free");
    assert_eq!((system.stats().live, system.verify()), (0, Ok(())));
}

#[test]
fn a_block_that_is_left_is_told_with_who_asked_for_it() {
    let pages = PageAllocator::new("pages");
    let mut left = None;
    let said = panic_of(|| {
        let system = SystemAllocator::new("system", &pages);
        left = system.allocate(Layout::new::<u64>()).ok();
    });
    assert!(said.contains("`system`") && said.contains("tests.rs"), "{said}");
    assert_eq!(pages.stats().reserved, 0, "the table was given back");
    let block: NonNull<u8> = left.expect("memory").cast();
    // SAFETY: nobody knows the block any more but this test; the system's heap does.
    unsafe { System.dealloc(block.as_ptr(), Layout::new::<u64>()) };
}
