//! Tests of the guard pages: the places of blocks, accessible bytes, detection, and the limit.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod model;
mod refusals;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use std::format;
use std::string::ToString;
use std::vec::Vec;

use super::shape::{Shape, requested};
use super::{GuardPageAllocator, GuardSide, GuardedPlace};
use crate::contract::allocator::{AllocError, Allocator};
use crate::pages::page::PageAllocator;
use crate::testing::test_backing::{misuse_of, panic_of};

const SIDES: [GuardSide; 2] = [GuardSide::Overrun, GuardSide::Underrun];

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn page() -> usize {
    PageAllocator::page_size()
}

fn take(allocator: &dyn Allocator, size: usize, align: usize) -> NonNull<u8> {
    let block = allocator.allocate(layout(size, align)).expect("there is memory");
    assert_eq!(block.len(), size.max(1), "exactly what was asked");
    block.cast()
}

fn free(allocator: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks, which they do not use again.
    unsafe { allocator.deallocate(block) }
}

/// Returns `true` if the kernel can read a byte, by writing it to a pipe.
fn is_readable(address: *const u8) -> bool {
    let mut ends = [0; 2];
    // SAFETY: the place for two numbers is passed, then the ends of a pipe; the kernel answers with
    // an error where the byte cannot be read.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0, "a pipe");
        let written = libc::write(ends[1], address.cast(), 1);
        libc::close(ends[0]);
        libc::close(ends[1]);
        written == 1
    }
}

const fn assert_shared<T: Send + Sync>() {}
const _: () = assert_shared::<GuardPageAllocator<'static>>();

/// The documented size of the table: 4/3 to 8/3 slots a block.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<super::state::Known>() + 8 == 88, "a slot of the table");

#[test]
fn blocks_lie_at_their_guard() {
    let sizes = [0, 1, 7, 8, 62, 64, 100, 4095, 4096, 4097, 9000, 20_000];
    for side in SIDES {
        for (size, align) in sizes.iter().flat_map(|&s| (0..16).map(move |a| (s, 1_usize << a))) {
            let shape = Shape::new(layout(size, align), side).expect("it is small");
            let span = shape.span().expect("it is small");
            let size = requested(layout(size, align));
            assert!(shape.data.is_multiple_of(page()) && shape.lead >= page());
            assert!(shape.offset + size <= shape.data && shape.data - size < page());
            assert_eq!(span.size(), shape.lead + shape.data + page());
            assert!(span.align() >= align && (shape.lead + shape.offset).is_multiple_of(align));
            match side {
                GuardSide::Underrun => assert_eq!(shape.offset, 0),
                GuardSide::Overrun => assert!(shape.data - shape.offset - size < align),
            }
        }
    }
    for size in [isize::MAX as usize, isize::MAX as usize - 2 * page()] {
        let shape = Shape::new(layout(size, 1), GuardSide::Overrun).and_then(Shape::span);
        assert_eq!(shape, Err(AllocError));
        assert_eq!(GuardPageAllocator::layout_for(layout(size, 1)), layout(size, 1));
    }
    assert_eq!(GuardPageAllocator::layout_for(layout(1, 1)), layout(3 * page(), page()));
}

#[test]
fn guards_cannot_be_touched() {
    for side in SIDES {
        let pages = PageAllocator::new("pages");
        let guards = GuardPageAllocator::new("guards", &pages).with_side(side);
        for (size, align) in [(64, 8), (1, 1), (4096, 4096), (5000, 8), (100, 8192)] {
            let block = take(&guards, size, align);
            assert!(block.addr().get().is_multiple_of(align));
            let start = block.as_ptr();
            // SAFETY: the block is live and this long.
            unsafe { block.write_bytes(1, size) };
            assert!(is_readable(start) && is_readable(start.wrapping_add(size - 1)));
            let (first, last) = match side {
                GuardSide::Overrun if align < page() => (size, size + page() - 1),
                _ => (size.next_multiple_of(page()), size.next_multiple_of(page()) + page() - 1),
            };
            assert!(!is_readable(start.wrapping_add(first)), "the guard after {size}");
            assert!(!is_readable(start.wrapping_add(last).wrapping_sub(page() / 2)));
            let before = if side == GuardSide::Underrun { 1 } else { page() };
            assert!(!is_readable(start.wrapping_sub(before)), "the guard before {size}");
            free(&guards, block);
            assert!(!is_readable(start), "freed");
        }
        let table = guards.overhead_bytes().next_multiple_of(page());
        assert_eq!(pages.committed_bytes(), table, "no more memory is held");
    }
}

#[test]
fn freed_addresses_wait_their_turn() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(3);
    let blocks: Vec<_> = (0..5).map(|_| take(&guards, 10, 1)).collect();
    let span = 3 * page();
    assert_eq!(guards.stats().reserved, 5 * span);
    for (freed, &block) in blocks.iter().enumerate() {
        free(&guards, block);
        let gone = freed.saturating_sub(2);
        assert_eq!(guards.waiting_blocks(), freed + 1 - gone);
        assert_eq!(guards.stats().reserved, (5 - gone) * span);
        for (index, block) in blocks.iter().enumerate() {
            let known = guards.describe(block.as_ptr());
            assert_eq!(known.is_some(), index >= gone, "{index} after {freed}");
            assert_eq!(known.is_some_and(|known| known.freed.is_none()), index > freed);
        }
        guards.verify().expect("sound");
    }
    guards.flush();
    assert_eq!((guards.waiting_blocks(), guards.stats().reserved), (0, 0));
    // One that waits.
    let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(1);
    for _ in 0..3 {
        let block = take(&guards, 10, 1);
        free(&guards, block);
        assert_eq!((guards.waiting_blocks(), guards.stats().reserved), (1, span), "the last one");
    }
    // One that does not wait.
    let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(0);
    let block = take(&guards, 10, 1);
    free(&guards, block);
    assert_eq!((guards.waiting_blocks(), guards.stats().reserved), (0, 0));
    assert!(misuse_of(|| free(&guards, block)).contains("double free"));
}

#[test]
fn stray_writes_beside_a_block_are_found() {
    let pages = PageAllocator::new("pages");
    let cases: [(GuardSide, isize, usize, &str, &str); 4] = [
        (
            GuardSide::Overrun,
            62,
            1,
            "overrun",
            "1 byte changed after the block, the nearest being number 1;",
        ),
        (
            GuardSide::Overrun,
            -3,
            2,
            "underrun",
            "2 bytes changed before the block, the nearest being number 2;",
        ),
        (
            GuardSide::Underrun,
            62,
            1,
            "overrun",
            "1 byte changed after the block, the nearest being number 1;",
        ),
        (
            GuardSide::Underrun,
            1000,
            7,
            "overrun",
            "7 bytes changed after the block, the nearest being number 939;",
        ),
    ];
    for (side, offset, bytes, what, detail) in cases {
        let guards = GuardPageAllocator::new("guards", &pages).with_side(side);
        let line = Location::caller().line() + 1;
        let block = guards.allocate(layout(62, 8)).expect("there is memory").cast::<u8>();
        guards.verify().expect("no byte was written");
        // SAFETY: the bytes are in the block's pages, next to it.
        unsafe { block.offset(offset).write_bytes(0, bytes) };
        let damage = guards.verify().expect_err("a byte was written");
        let nearest = if offset < 0 { offset + 1 } else { offset };
        assert_eq!(damage.address, block.as_ptr().wrapping_offset(nearest).cast_const());
        // SAFETY: the block is live; the calls are reported and change nothing.
        let reports = unsafe {
            [
                misuse_of(|| guards.deallocate(block)),
                misuse_of(|| guards.deallocate_sized(block, layout(62, 8))),
                misuse_of(|| {
                    let _ = guards.resize_in_place(block, layout(62, 8), layout(61, 8));
                }),
            ]
        };
        for report in reports {
            assert!(report.contains(&format!("`guards`: {what}")), "{report}");
            assert!(report.contains(detail), "{report}");
            let address = format!("; address {:p}, 62 bytes", damage.address);
            assert!(report.contains(&address), "{address}: {report}");
            assert!(report.contains(&format!("{}:{line}:", file!())), "{line}: {report}");
        }
        assert_eq!(guards.guarded_blocks(), 1, "it is live still");
        // SAFETY: as above; the fill byte is restored.
        unsafe { block.offset(offset).write_bytes(0xfd, bytes) };
        free(&guards, block);
    }
}

#[test]
fn wrong_frees_are_found() {
    let pages = PageAllocator::new("pages");
    // The last one is forwarded.
    let guards = GuardPageAllocator::new("guards", &pages).with_guarded_max(2).with_quarantine(2);
    let blocks = [64, 64, 64].map(|size| take(&guards, size, 8));
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (2, 1));
    let foreign = pages.allocate(layout(64, 8)).expect("there is memory").cast::<u8>();
    let before = guards.stats();
    let frees = |block: NonNull<u8>, wanted: &[&str]| {
        // SAFETY: each call is wrong on purpose, is reported, and changes nothing.
        let reports = unsafe {
            [
                misuse_of(|| guards.deallocate(block)),
                misuse_of(|| guards.deallocate_sized(block, layout(64, 8))),
                misuse_of(|| {
                    let _ = guards.allocated_size(block);
                }),
                misuse_of(|| {
                    let _ = guards.reallocate(block, layout(64, 8), layout(1000, 8));
                }),
                misuse_of(|| {
                    let _ = guards.resize_in_place(block, layout(64, 8), layout(1000, 8));
                }),
            ]
        };
        for report in reports {
            assert!(report.contains("`guards`: "), "{report}");
            assert!(report.contains("guard_page/tests.rs"), "{report}");
            assert!(wanted.iter().all(|wanted| report.contains(wanted)), "{wanted:?}: {report}");
        }
    };
    frees(foreign, &["foreign free"]);
    let at = |block: NonNull<u8>, offset: isize| {
        NonNull::new(block.as_ptr().wrapping_offset(offset)).expect("not null")
    };
    for block in blocks {
        frees(at(block, 16), &["interior free", "at offset 16 of the live block"]);
        // SAFETY: as above.
        unsafe {
            for wrong in [layout(65, 8), layout(63, 8), layout(64, 16)] {
                let report = misuse_of(|| guards.deallocate_sized(block, wrong));
                assert!(report.contains("wrong size"), "{report}");
            }
        }
    }
    frees(at(blocks[0], 64), &["foreign free", "1 past the end of the live block"]);
    frees(at(blocks[0], -1), &["foreign free", "1 before the start of the live block"]);
    assert_eq!(guards.stats(), before);
    guards.verify().expect("nothing has changed");
    let line = Location::caller().line() + 2;
    // SAFETY: the blocks are live.
    blocks.iter().for_each(|&block| unsafe { guards.deallocate(block) });
    let freed = format!("freed from {}:{line}:", file!());
    frees(blocks[0], &["double free", &freed]);
    frees(at(blocks[1], 16), &["interior free", "of the freed block"]);
    frees(blocks[2], &["double free"]);
    guards.flush();
    blocks.iter().for_each(|&block| frees(block, &["double free"]));
    free(&pages, foreign);
}

#[test]
fn beyond_the_budget_blocks_are_forwarded() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages).with_guarded_max(2);
    let mut blocks: Vec<_> = (0..5).map(|_| take(&guards, 100, 8)).collect();
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (2, 3));
    let stats = guards.stats();
    assert_eq!((stats.live, stats.requested, stats.granted), (5, 500, 500));
    assert_eq!(stats.reserved, (2 * 3 + 3) * page());
    guards.verify().expect("sound");
    // A freed block makes room for guards, of either kind.
    free(&guards, blocks.remove(0));
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (1, 3));
    blocks.push(take(&guards, 100, 8));
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (2, 3));
    let forwarded = blocks.remove(2);
    // SAFETY: the block is live and of this layout, then of the new one.
    unsafe {
        let grown = guards.resize_in_place(forwarded, layout(100, 8), layout(4000, 4));
        assert_eq!(grown.map(|grown| grown.len()), Ok(4000));
        assert_eq!(guards.allocated_size(forwarded), 4000);
        guards.deallocate_sized(forwarded, layout(4000, 4));
    }
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (2, 2));
    blocks.into_iter().for_each(|block| free(&guards, block));
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (0, 0));
    assert_eq!(pages.stats().live, 3 + 1, "three wait, and there is the table");
}

#[test]
fn resizes_where_the_guards_can_stay() {
    let pages = PageAllocator::new("pages");
    let over = GuardPageAllocator::new("over", &pages);
    let under = GuardPageAllocator::new("under", &pages).with_side(GuardSide::Underrun);
    // SAFETY: the blocks are live and have the layouts that were last asked, in each call.
    unsafe {
        let block = take(&over, 60, 8);
        assert_eq!(over.resize_in_place(block, layout(60, 8), layout(65, 8)), Err(AllocError));
        assert_eq!(over.resize_in_place(block, layout(60, 8), layout(56, 8)), Err(AllocError));
        let grown = over.resize_in_place(block, layout(60, 8), layout(64, 8));
        assert_eq!(grown.map(|grown| grown.len()), Ok(64));
        block.write_bytes(3, 64);
        let shrunk = over.reallocate(block, layout(64, 8), layout(57, 8)).expect("it stays");
        assert_eq!((shrunk.cast(), shrunk.len()), (block, 57));
        over.verify().expect("bytes that were given up are filled again");
        let moved = over.reallocate(block, layout(57, 8), layout(5000, 64)).expect("it moves");
        assert_ne!(moved.cast(), block);
        assert_eq!(moved.as_ref()[..57], [3; 57]);
        assert!(!is_readable(block.as_ptr()), "the old place is closed");
        assert_eq!((over.stats().live, over.stats().requested), (1, 5000));
        over.deallocate_sized(moved.cast(), layout(5000, 64));

        let block = take(&under, 60, 8);
        let grown = under.resize_in_place(block, layout(60, 8), layout(page(), 8));
        assert_eq!(grown.map(|grown| grown.len()), Ok(page()));
        let larger = layout(page() + 1, 8);
        assert_eq!(under.resize_in_place(block, layout(page(), 8), larger), Err(AllocError));
        under.deallocate_sized(block, layout(page(), 8));
    }
}

#[test]
fn addresses_are_described() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages);
    let line = Location::caller().line() + 1;
    let block = guards.allocate(layout(64, 8)).expect("there is memory").cast::<u8>();
    let at = |offset: isize| guards.describe(block.as_ptr().wrapping_offset(offset));
    let place = |offset| at(offset).map(|known| known.place);
    assert_eq!(place(0), Some(GuardedPlace::Inside(0)));
    assert_eq!(place(63), Some(GuardedPlace::Inside(63)));
    assert_eq!(place(64), Some(GuardedPlace::Behind(1)));
    assert_eq!(place(64 + page() as isize - 1), Some(GuardedPlace::Behind(page())));
    assert_eq!(place(-1), Some(GuardedPlace::Before(1)));
    assert_eq!(place(64 - 2 * page() as isize), Some(GuardedPlace::Before(2 * page() - 64)));
    assert_eq!(at(64 + page() as isize), None);
    let known = at(64).expect("it is the guard after");
    assert_eq!((known.block, known.bytes, known.freed), (block, 64, None));
    assert_eq!(known.allocated.line(), line);
    let sentence = format!(
        "the address {:p} is 1 past the end of the live block {block:p} of 64 bytes, allocated \
         from {}:{line}:",
        block.as_ptr().wrapping_add(64),
        file!()
    );
    assert!(known.to_string().starts_with(&sentence), "{known}");
    free(&guards, block);
    let known = at(3).expect("it waits");
    assert!(known.freed.is_some_and(|site| site.file() == file!()));
    assert!(known.to_string().contains("at offset 3 of the freed block"), "{known}");
    assert_eq!(guards.describe(core::ptr::null()), None);
}

/// With 32 bits there may be room for any layout.
#[cfg(target_pointer_width = "64")]
#[test]
fn what_no_address_space_holds_is_refused() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages);
    let block = take(&guards, 10, 1);
    let waits = take(&guards, 10, 1);
    free(&guards, waits);
    let before = guards.stats();
    for refused in [layout(isize::MAX as usize, 1), layout(1 << 50, 1), layout(1, 1 << 60)] {
        assert_eq!(guards.allocate(refused), Err(AllocError));
        assert_eq!(guards.allocate_zeroed(refused), Err(AllocError));
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { guards.reallocate(block, layout(10, 1), refused) };
        assert_eq!(moved, Err(AllocError));
    }
    assert_eq!(guards.waiting_blocks(), 0, "they have left for it");
    let after = guards.stats();
    assert_eq!((after.live, after.reserved), (1, before.reserved / 2));
    assert_eq!((guards.guarded_blocks(), guards.forwarded_blocks()), (1, 0));
    guards.verify().expect("sound");
    free(&guards, block);
}

#[test]
fn a_leak_tells_who_allocated() {
    let pages = PageAllocator::new("pages");
    let mut block = NonNull::dangling();
    let report = panic_of(|| {
        let guards = GuardPageAllocator::new("suspect", &pages).with_guarded_max(1);
        free(&guards, take(&guards, 8, 8));
        let _guarded = take(&guards, 30, 1);
        block = take(&guards, 70, 1);
    });
    assert!(report.contains("`suspect` was dropped with 2 live blocks of 100 bytes"), "{report}");
    assert!(
        report.contains("30 bytes, from ") && report.contains("guard_page/tests.rs"),
        "{report}"
    );
    let mut left = Vec::new();
    pages.walk(&mut |block| left.push(block));
    assert_eq!(left.len(), 2, "the live ones alone are left in the pages");
    free(&pages, block);
    left.retain(|left| left.address != block);
    let span = NonNull::slice_from_raw_parts(left[0].address, left[0].bytes);
    // SAFETY: the span is that of the guarded block, of which a page is open.
    unsafe { pages.deallocate_closed(span, page()) };
}

#[test]
fn faults_are_reported_for_so_many_allocators() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages);
    fn nested(guards: &GuardPageAllocator<'_>, depth: usize) -> usize {
        guards.while_reporting_faults(|| nested(guards, depth + 1)).unwrap_or(depth)
    }
    for _ in 0..3 {
        assert_eq!(nested(&guards, 0), 16, "each leaves its place when it is done");
    }
    let report = panic_of(|| {
        let _ = guards.while_reporting_faults(|| panic!("out of the work"));
    });
    assert_eq!(report, "out of the work");
    assert_eq!(nested(&guards, 0), 16, "also where the work unwinds");
}

#[test]
fn a_report_by_a_move_leaves_no_second_block() {
    let pages = PageAllocator::new("pages");
    let guards = GuardPageAllocator::new("guards", &pages);
    let (old, new) = (layout(100, 1), layout(3 * page(), 1));
    let block = take(&guards, 100, 1);
    // SAFETY: the byte before the block is the allocator's, on its open page; the blocks are live,
    // and the first call reports and changes nothing.
    unsafe {
        let before = block.sub(1);
        let kept = before.read();
        before.write(!kept);
        let report = misuse_of(|| _ = guards.reallocate(block, old, new));
        assert!(report.contains("underrun"), "{report}");
        assert_eq!((guards.stats().live, guards.guarded_blocks()), (1, 1), "no new block is lost");
        before.write(kept);
        free(&guards, guards.reallocate(block, old, new).expect("there is memory").cast());
    }
}

#[test]
fn a_quarantine_of_one_keeps_one() {
    let pages = PageAllocator::new("pages");
    for most in [0, 1] {
        let guards = GuardPageAllocator::new("guards", &pages).with_quarantine(most);
        let block = take(&guards, 64, 8);
        free(&guards, block);
        let known = guards.describe(block.as_ptr());
        assert_eq!(known.and_then(|known| known.freed).is_some(), most == 1, "{most} may wait");
        guards.verify().expect("sound");
    }
    assert_eq!(pages.stats().granted, 0, "all went back");
}
