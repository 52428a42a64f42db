//! Wrong frees are reported and change nothing; a write after a free is found.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy::meta::NIL;
use crate::blocks::buddy::tests::{Bare, Region, layout, report_of};
use crate::contract::allocator::Allocator;

/// Frees at a wrong address, both ways, and asserts that `name` is reported each time and that the
/// report names this file.
fn assert_wrong<B: Allocator + ?Sized>(
    buddy: &BuddyAllocator<'_, B>,
    block: NonNull<u8>,
    as_if: Layout,
    name: &str,
) {
    let before = buddy.stats();
    let by_address = report_of(|| {
        // SAFETY: not kept, on purpose: the call must not act on a block that is not live.
        unsafe { buddy.deallocate(block) }
    });
    let by_size = report_of(|| {
        // SAFETY: as above.
        unsafe { buddy.deallocate_sized(block, as_if) }
    });
    for report in [by_address, by_size] {
        assert!(report.contains(name), "{name} expected: {report}");
        assert!(report.contains("wrong.rs"), "the caller is missing: {report}");
    }
    assert_eq!(buddy.stats(), before);
    buddy.verify().expect("nothing has changed");
}

/// An address `by` bytes away from a block.
fn near(block: NonNull<u8>, by: isize) -> NonNull<u8> {
    NonNull::new(block.as_ptr().wrapping_offset(by)).expect("it is not null")
}

#[test]
fn double_foreign_and_interior_frees_are_named() {
    // A small tree has no fronts, a large one has.
    for bytes in [2000, 1 << 16] {
        let mut region = Region::new(bytes, 0);
        let mut elsewhere = 0_u64;
        let buddy = BuddyAllocator::from_region("wrong", 16, region.get()).expect("it fits");
        let asked = layout(100, 1);
        let block = buddy.allocate(asked).expect("there is room").cast::<u8>();
        let other = buddy.allocate(asked).expect("there is room").cast::<u8>();
        assert_wrong(&buddy, near(block, 16), layout(16, 1), "interior free");
        assert_wrong(&buddy, near(block, 64), layout(64, 1), "interior free");
        assert_wrong(&buddy, near(block, 1), asked, "interior free");
        assert_wrong(&buddy, NonNull::from(&mut elsewhere).cast(), asked, "foreign free");
        assert_wrong(&buddy, buddy.region().cast(), asked, "foreign free");
        assert_wrong(&buddy, near(buddy.region().cast(), bytes as isize), asked, "foreign free");
        // SAFETY: the block is live and freed once.
        unsafe { buddy.deallocate_sized(block, asked) };
        assert_wrong(&buddy, block, asked, "double free");
        assert_wrong(&buddy, block, layout(16, 1), "double free");
        assert_wrong(&buddy, near(block, 32), layout(16, 1), "double free");
        buddy.settle();
        assert_wrong(&buddy, block, asked, "double free");
        // SAFETY: the block is live and freed once.
        unsafe { buddy.deallocate(other) };
        assert_wrong(&buddy, block, asked, "double free");
        buddy.settle();
        assert_wrong(&buddy, other, asked, "double free");
    }
}

#[test]
fn wrong_sizes_are_found_in_both_directions() {
    for bytes in [3000, 1 << 16] {
        let mut region = Region::new(bytes, 0);
        let buddy = BuddyAllocator::from_region("sizes", 16, region.get()).expect("it fits");
        let asked = layout(100, 1);
        let block = buddy.allocate(asked).expect("there is room").cast::<u8>();
        for wrong in [1, 16, 64, 129, 256, 1 << 15, 1 << (usize::BITS - 2)] {
            let report = report_of(|| {
                // SAFETY: not kept, on purpose: the size is wrong and must be found.
                unsafe { buddy.deallocate_sized(block, layout(wrong, 1)) }
            });
            assert!(report.contains("wrong size"), "{wrong}: {report}");
            let report = report_of(|| {
                // SAFETY: as above.
                let _ = unsafe { buddy.resize_in_place(block, layout(wrong, 1), asked) };
            });
            assert!(report.contains("wrong size"), "{wrong}: {report}");
        }
        // SAFETY: the block is live and freed once; any size from asked to granted is right.
        unsafe { buddy.deallocate_sized(block, layout(128, 1)) };
        buddy.verify().expect("the tree is sound");
    }
}

#[test]
fn a_dead_block_has_no_size_and_is_not_resized() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("dead", 16, region.get()).expect("it fits");
    let asked = layout(50, 1);
    let block = buddy.allocate(asked).expect("there is room").cast::<u8>();
    // SAFETY: the block is live and freed once.
    unsafe { buddy.deallocate(block) };
    let report = report_of(|| {
        // SAFETY: not kept, on purpose.
        let _ = unsafe { buddy.allocated_size(block) };
    });
    assert!(report.contains("double free"), "{report}");
    let report = report_of(|| {
        // SAFETY: not kept, on purpose.
        let _ = unsafe { buddy.resize_in_place(block, asked, asked) };
    });
    assert!(report.contains("double free"), "{report}");
}

#[test]
fn a_range_that_is_not_live_is_not_released() {
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("range", 64, region.get()).expect("it fits");
    buddy.reserve_range(1 << 15, 256).expect("it is free");
    let half = 1 << 15;
    let wrong = [
        (half, 320, "double free"),
        (half, 64, "wrong size"),
        (half + 64, 64, "interior free"),
        (half + 64, 192, "interior free"),
        (1 << 14, 64, "double free"),
        (0, 64, "foreign free"),
    ];
    for (offset, bytes, name) in wrong {
        let report = report_of(|| {
            // SAFETY: not kept, on purpose.
            unsafe { buddy.release_range(offset, bytes) }
        });
        assert!(report.contains(name), "{offset} {bytes}: {report}");
        assert_eq!(buddy.stats().granted, 256);
    }
    // SAFETY: the range is not used.
    unsafe { buddy.release_range(1 << 15, 256) };
}

#[test]
fn a_free_leaf_as_long_as_the_range_is_not_released() {
    let bare = Bare::new(8, 0, 256);
    assert!(!bare.tree.fronts().is_empty(), "a freed leaf waits in a front");
    for leaf in [6, 7] {
        bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
    }
    bare.tree.free(7 << 4);
    for held in [true, false] {
        assert_eq!(bare.tree.is_held(7, 0), held, "in the front until it is settled");
        let mut shown = 0;
        for (from, to) in [(7, 8), (6, 8)] {
            let report = report_of(|| bare.tree.release_range(from, to, |_| shown += 1));
            assert!(report.contains("double free"), "{from}..{to}, held {held}: {report}");
        }
        assert_eq!(shown, 0, "no leaf of a wrong range is touched");
        assert_eq!(bare.tree.head().books.live.get(), 1, "leaf 6 lives on");
        bare.tree.check().expect("nothing has changed");
        bare.tree.settle();
    }
}

// The tools would report the planted write itself.
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
#[test]
fn a_write_after_a_free_is_found_before_it_is_followed() {
    for garbage in [0_u8, 0x11, 0x7f, 0xfe] {
        let mut region = Region::new(1 << 16, 0);
        let buddy = BuddyAllocator::from_region("written", 16, region.get()).expect("it fits");
        let blocks: [NonNull<u8>; 4] = core::array::from_fn(|_| {
            let block = buddy.allocate(layout(1000, 1)).expect("there is room");
            block.cast()
        });
        for block in [blocks[0], blocks[2]] {
            // SAFETY: the block is live and freed once.
            unsafe { buddy.deallocate(block) };
        }
        buddy.settle();
        // SAFETY: not kept, on purpose: this is the write after the free. The memory is the
        // region's, so no other memory is changed.
        unsafe { blocks[0].write_bytes(garbage, 8) };
        assert!(buddy.verify().is_err(), "verify sees the links");
        let report = report_of(|| {
            // SAFETY: the block is live; its buddy's links are damaged, which must be found.
            unsafe { buddy.deallocate(blocks[1]) };
            let _ = buddy.allocate(layout(1000, 1));
            let _ = buddy.allocate(layout(1000, 1));
        });
        assert!(report.contains("damage"), "{report}");
        core::mem::forget(buddy);
    }
}

/// A tree of 16 leaves whose list of leaves has 1, 3, 5 and so on, last freed first.
fn every_second_leaf_free() -> Bare {
    let bare = Bare::new(4, 0, 16);
    for leaf in 0..16 {
        bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
    }
    for leaf in (1..16).step_by(2) {
        bare.tree.free(leaf << 4);
    }
    bare.tree.check().expect("the tree is sound");
    bare
}

#[test]
fn links_that_name_another_block_of_the_list_are_not_believed() {
    for leaf in [1, 7, 13] {
        for other in [3, 5, 9, 11] {
            // Merging leaf - 1 with its buddy removes the buddy from the list.
            let bare = every_second_leaf_free();
            let link = bare.tree.link(leaf).expect("it is present");
            link.next.set(other);
            if bare.tree.link(other).expect("it is present").prev.get() != leaf {
                let report = report_of(|| bare.tree.free(u64::from(leaf - 1) << 4));
                assert!(report.contains("damage"), "next {leaf} {other}: {report}");
                bare.tree.check().expect_err("the list is broken");
            }
        }
        for other in [NIL, 3, 5, 9, 11] {
            let bare = every_second_leaf_free();
            let link = bare.tree.link(leaf).expect("it is present");
            if link.prev.replace(other) != other {
                let report = report_of(|| bare.tree.free(u64::from(leaf - 1) << 4));
                assert!(report.contains("damage"), "prev {leaf} {other}: {report}");
                bare.tree.check().expect_err("the list is broken");
            }
        }
    }
}

#[test]
fn a_list_or_front_that_agrees_with_the_counters_alone_is_found() {
    let bare = every_second_leaf_free();
    bare.tree.lists()[0].set(NIL);
    bare.tree.head().books.heights.set(0);
    let (what, _) = bare.tree.check().expect_err("free blocks are in no list");
    assert_eq!(what, "a free block is in no list");

    let bare = Bare::new(8, 0, 256);
    bare.tree.reserve(0, 1, |_| ()).expect("it is free");
    bare.tree.reserve(1, 2, |_| ()).expect("it is free");
    bare.tree.free(0);
    bare.tree.check().expect("the tree is sound");
    assert!(bare.tree.fronts()[0].push(0), "there is room");
    let books = &bare.tree.head().books;
    books.live.set(0);
    books.granted.set(0);
    let (what, _) = bare.tree.check().expect_err("the front holds a block twice");
    assert!(what.contains("twice"), "{what}");
}
