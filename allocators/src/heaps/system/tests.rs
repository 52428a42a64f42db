//! Tests of the table of the system's blocks.

use std::vec::Vec;

use super::*;
use crate::contract::allocator::Damage;
use crate::pages::page::system::{MAP, during};
use crate::testing::test_backing::{misuse_of, panic_of};

pub(super) mod counted;

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
    // SAFETY: the call finds that the address is inside the block.
    let inside = || unsafe { system.deallocate(within) };
    let said = |wrong: &dyn Fn(), what: &str| {
        let said = misuse_of(wrong);
        assert!(said.starts_with("allocator `system`: ") && said.contains(what), "{said}");
    };
    said(&inside, "interior free");
    let foreign = NonNull::from(&layout).cast();
    // SAFETY: the call finds that the address is not a block's.
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
    assert_eq!(pages.stats().reserved, 0, "the table was freed");
    let block: NonNull<u8> = left.expect("memory").cast();
    // SAFETY: only this test uses the block; it is still live in the system's heap.
    unsafe { System.dealloc(block.as_ptr(), Layout::new::<u64>()) };
}

#[test]
fn the_table_is_what_is_taken_from_the_pages() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let layout = Layout::new::<[u64; 3]>();
    let blocks: Vec<NonNull<u8>> =
        (0..200).map(|_| system.allocate(layout).expect("memory").cast()).collect();
    let (taken, stats) = (system.overhead_bytes(), system.stats());
    // The same number of words with 32 bits.
    let each = taken / 200 * 8 / size_of::<usize>();
    assert!((53..=107).contains(&each), "as the documentation says: {taken}");
    assert_eq!(taken, pages.stats().requested, "nothing else is taken");
    assert_eq!((stats.live, stats.exact), (200, true), "every block is counted by itself");
    // SAFETY: the blocks are live, and not used again.
    blocks.into_iter().for_each(|block| unsafe { system.deallocate(block) });
}

#[test]
fn a_block_is_owned_up_to_its_end() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let block: NonNull<u8> = system.allocate(Layout::new::<[u8; 24]>()).expect("memory").cast();
    let owned = [0, 23, 24].map(|offset| system.owns(block.as_ptr().wrapping_add(offset)));
    assert_eq!(owned, [true, true, false], "24 bytes");
    assert!(!system.owns(block.as_ptr().wrapping_sub(1)), "nothing before it");
    // SAFETY: the block is live, and not used again.
    unsafe { system.deallocate(block) };
}

#[test]
fn a_block_of_the_same_size_stays() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let layout = Layout::new::<[u64; 4]>();
    let block = system.allocate(layout).expect("memory");
    // SAFETY: the block is live and has this layout.
    let same = unsafe { system.resize_in_place(block.cast(), layout, layout) };
    assert_eq!(same, Ok(block), "it has this size");
    // SAFETY: as above.
    let other = unsafe { system.resize_in_place(block.cast(), layout, Layout::new::<[u8; 33]>()) };
    assert_eq!(other, Err(AllocError), "a tool is to see the other size");
    // SAFETY: as above.
    let same = unsafe { system.reallocate(block.cast(), layout, layout) };
    assert_eq!((same, system.stats().allocations_total), (Ok(block), 1), "nothing is moved");
    // SAFETY: the block is live, and not used again.
    unsafe { system.deallocate(block.cast()) };
}

#[test]
fn damage_to_the_books_is_told() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let block: NonNull<u8> = system.allocate(Layout::new::<u64>()).expect("memory").cast();
    let said = || system.verify().map_err(|Damage { what, .. }| what);
    let sums = "the counters of the source's blocks are not the sums over the table";
    assert_eq!(said(), Ok(()), "sound");
    system.blocks.with_table(|table| table.counters.reserved(1));
    assert_eq!(said(), Err(sums), "a byte too many is reserved");
    system.blocks.with_table(|table| table.counters.released(1));
    system.blocks.with_table(|table| table.counters.allocated(0, 0));
    assert_eq!(said(), Err(sums), "a block too many is live");
    system.blocks.with_table(|table| table.counters.freed(0, 0));
    for (requested, granted) in [(1, 0), (0, 1)] {
        system.blocks.with_table(|table| table.counters.allocated(requested, granted));
        system.blocks.with_table(|table| table.counters.freed(0, 0));
        assert_eq!(said(), Err(sums), "a byte too many is live");
        system.blocks.with_table(|table| table.counters.allocated(0, 0));
        system.blocks.with_table(|table| table.counters.freed(requested, granted));
    }
    let used = system.blocks.with_table(|table| table.blocks.miscount(7));
    let told = said();
    system.blocks.with_table(|table| table.blocks.miscount(used));
    assert_eq!(told, Err("the table of addresses is miscounted"), "the table is looked at too");
    assert_eq!(said(), Ok(()), "mended");
    // SAFETY: the block is live, and not used again.
    unsafe { system.deallocate(block) };
}

#[test]
fn a_block_without_a_place_in_the_table_goes_back() {
    let pages = PageAllocator::new("pages");
    let system = SystemAllocator::new("system", &pages);
    let layout = Layout::from_size_align(1000, 8).expect("a layout");
    let (before, calls) = (counted::bytes(), counted::calls());
    let asked = during(MAP, 0..u32::MAX, || {
        assert_eq!(system.allocate(layout), Err(AllocError), "there is no table");
        assert_eq!(system.allocate_zeroed(layout), Err(AllocError), "so it is with zeroes");
    });
    assert!(asked > 0, "the pages were asked");
    assert_eq!(counted::calls(), calls + 2, "the heap was asked before");
    assert_eq!(counted::bytes(), before, "it is the heap's again");
    assert_eq!((system.stats().live, pages.stats().reserved), (0, 0), "nothing is left");
}
