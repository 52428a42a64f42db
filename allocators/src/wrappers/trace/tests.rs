//! Tests of the tracing allocator: call sites, wrong frees, numbers, reports, and memory that runs
//! out.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod damage;
mod exact;
mod model;
mod recorded;
mod recording;
mod reentered;
#[cfg(feature = "stacks")]
mod stacks;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, vec};

use super::{TraceAllocator, WriteSink};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::{AllocError, Allocator, Block, SharedRef};
use crate::testing::test_backing::{TestBacking, misuse_of, panic_of};
use crate::threads::locked::Locked;

pub(super) fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

#[track_caller]
pub(super) fn take(allocator: &dyn Allocator, size: usize) -> NonNull<u8> {
    allocator.allocate(layout(size, 8)).expect("there is memory").cast()
}

/// Returns the line of its caller.
#[track_caller]
fn line() -> u32 {
    Location::caller().line()
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<TraceAllocator<'static, dyn Allocator + Sync, dyn Allocator + Sync>>();
    assert_send::<TraceAllocator<'static, SharedRef<'static>, SharedRef<'static>>>();
};
const fn assert_sync<T: Sync>() {}
const _: () =
    assert_sync::<Locked<TraceAllocator<'static, SharedRef<'static>, SharedRef<'static>>>>();
const _: () = assert!(
    TraceAllocator::layout_for(Layout::new::<u64>()).size() == 8,
    "known before any allocator exists"
);

#[test]
fn walk_shows_who_asked_for_how_much() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let trace: TraceAllocator<'_> = TraceAllocator::new_in("trace", &pool, &books);
    assert_eq!(
        (trace.books_bytes(), books.requests()),
        (0, 0),
        "nothing is taken before it is needed"
    );
    let (at, block) = (line(), take(&trace, 10));
    let mut shown = Vec::new();
    trace.walk(&mut |block: Block| shown.push(block));
    let [shown] = shown[..] else { panic!("one block lives: {shown:?}") };
    assert_eq!((shown.address, shown.bytes), (block, 10));
    let site = shown.site.expect("it keeps sites");
    assert!(site.file().ends_with("trace/tests.rs"), "{site}");
    assert_eq!(site.line(), at);
    let stats = trace.stats();
    assert!(stats.exact);
    assert_eq!((stats.live, stats.requested, stats.granted, stats.reserved), (1, 10, 64, 64));
    assert_eq!(trace.books_bytes(), books.stats().granted);
    // SAFETY: the block is live.
    unsafe {
        assert_eq!(trace.allocated_size(block), 64);
        trace.deallocate_sized(block, layout(33, 8));
    }
    let stats = trace.stats();
    assert_eq!((stats.live, stats.requested, stats.granted, stats.reserved), (0, 0, 0, 0));
    assert_eq!((stats.peak_requested, stats.peak_granted, stats.requested_total), (10, 64, 10));
    assert_eq!(trace.backing().map(Allocator::name), Some("pool"));
    assert_eq!(trace.layout_below(layout(3, 1)), layout(3, 1));
}

#[test]
fn a_leak_lists_the_sites_and_the_books_are_whole() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let mut block = NonNull::dangling();
    let at = line() + 3;
    let report = panic_of(|| {
        let trace = TraceAllocator::new_in("sound", &backing, &books);
        block = take(&trace, 100);
    });
    assert!(report.contains("`sound` was dropped with 1 live block of 100 bytes"), "{report}");
    assert!(report.contains(&format!("trace/tests.rs:{at}:")), "{report}");
    assert_eq!(books.stats().live, 0, "the tables were freed though it panicked");
    // SAFETY: the block is live still, in the backing.
    unsafe { backing.deallocate(block) };
}

#[test]
fn the_report_groups_by_site_the_largest_first() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("level", &backing, &backing);
    assert_eq!(trace.report().to_string(), "allocator `level`: no live blocks");
    let mut blocks = vec![take(&trace, 100)];
    let many = line() + 1;
    blocks.extend((0..12).map(|_| take(&trace, 1000)));
    // A site whose blocks are gone is not shown.
    let gone = take(&trace, 5000);
    // SAFETY: the block is live.
    unsafe { trace.deallocate(gone) };
    let report = trace.report().to_string();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines[0], "allocator `level`: 13 live blocks of 12100 bytes, from 2 sites");
    assert_eq!(lines[1], "  blocks  bytes  oldest  site");
    assert!(lines[2].starts_with("      12  12000      #2  "), "{report}");
    assert!(lines[2].contains(&format!("trace/tests.rs:{many}:")), "{report}");
    assert!(lines[3].starts_with("       1    100      #1  "), "{report}");
    assert_eq!(lines.len(), 4, "{report}");
    let mut usage = Vec::new();
    trace.walk_sites(&mut |site| usage.push((site.blocks, site.bytes, site.oldest)));
    assert_eq!(usage, [(12, 12000, 2), (1, 100, 1)]);
    assert_eq!(trace.allocation_number(blocks[3]), Some(4));
    assert_eq!(trace.allocation_number(gone), None);
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    let mut sites = 0;
    trace.walk_sites(&mut |_| sites += 1);
    assert_eq!(sites, 0);
}

#[test]
fn a_double_free_names_the_first() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let (asked, block) = (line(), take(&trace, 24));
    let freed = line() + 2;
    // SAFETY: the block is live.
    unsafe { trace.deallocate(block) };
    let again = line() + 2;
    // SAFETY: not kept; that is the misuse, which is reported and changes nothing.
    let report = misuse_of(|| unsafe { trace.deallocate(block) });
    for text in ["`trace`: double free", &format!("called from {}:{again}:", file!())] {
        assert!(report.contains(text), "{text}: {report}");
    }
    assert!(report.contains(&format!("tests.rs:{asked}:")), "{report}");
    assert!(report.contains(&format!("first freed from {}:{freed}:", file!())), "{report}");
    trace.verify().expect("nothing has changed");
    // After many other frees it is no longer recorded, and cannot be distinguished from a foreign
    // block.
    let others: Vec<_> = (0..40).map(|_| take(&backing, 24)).collect();
    let mine: Vec<_> = (0..40).map(|_| take(&trace, 24)).collect();
    if !mine.contains(&block) && !others.contains(&block) {
        for &block in &mine {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
        // SAFETY: none; that is the misuse.
        let report = misuse_of(|| unsafe { trace.deallocate(block) });
        assert!(report.contains("foreign free"), "{report}");
    } else {
        for &block in &mine {
            // SAFETY: the block is live.
            unsafe { trace.deallocate(block) };
        }
    }
    for block in others {
        // SAFETY: the block is live.
        unsafe { backing.deallocate(block) };
    }
}

#[test]
fn the_ring_of_freed_blocks_keeps_32() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let blocks: Vec<_> = (0..33).map(|_| take(&trace, 8)).collect();
    for &block in &blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
    for (&block, what) in blocks.iter().zip(["foreign free"].into_iter().chain([DOUBLE; 32])) {
        // SAFETY: none; that is the misuse.
        let report = misuse_of(|| unsafe { trace.deallocate(block) });
        assert!(report.contains(what), "{what}: {report}");
    }
}

const DOUBLE: &str = "double free";

#[test]
fn wrong_frees_are_found_before_the_backing_sees_them() {
    // The test backing panics about a wrong free itself, with another text than a report.
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let foreign = take(&backing, 100);
    let block = take(&trace, 40);
    // SAFETY: within the block.
    let inside = unsafe { block.add(39) };
    let wrong = |size, align| {
        // SAFETY: the layout does not fit, which is reported and changes nothing.
        misuse_of(|| unsafe { trace.deallocate_sized(block, layout(size, align)) })
    };
    let before = (trace.stats(), backing.stats());
    for report in [wrong(39, 8), wrong(41, 8), wrong(40, 16), wrong(40, 4)] {
        assert!(report.contains("wrong size") && report.contains("allocation #1 from"), "{report}");
    }
    // SAFETY: none of these calls is right, which is reported and changes nothing.
    unsafe {
        let report = misuse_of(|| trace.deallocate(inside));
        assert!(report.contains("interior free") && report.contains("39 bytes into"), "{report}");
        let report = misuse_of(|| trace.deallocate_sized(foreign, layout(100, 8)));
        assert!(report.contains("foreign free") && report.contains("100 bytes"), "{report}");
        let report = misuse_of(|| {
            let _ = trace.reallocate(block, layout(30, 8), layout(60, 8));
        });
        assert!(report.contains("wrong size"), "{report}");
        let report = misuse_of(|| {
            let _ = trace.resize_in_place(inside, layout(40, 8), layout(60, 8));
        });
        assert!(report.contains("interior free"), "{report}");
        let report = misuse_of(|| _ = trace.allocated_size(foreign));
        assert!(report.contains("foreign free"), "{report}");
    }
    assert_eq!((trace.stats(), backing.stats()), before);
    trace.verify().expect("nothing has changed");
    // SAFETY: the blocks are live, each in its allocator.
    unsafe {
        trace.deallocate_sized(block, layout(40, 8));
        backing.deallocate(foreign);
    }
}

#[test]
fn a_block_that_moves_keeps_number_and_site() {
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    let (at, block) = (line(), take(&trace, 40));
    let other = take(&trace, 8);
    // SAFETY: the block is live and has this layout, in each call.
    unsafe {
        let moved =
            trace.reallocate(block, layout(40, 8), layout(400, 64)).expect("there is memory");
        let moved = moved.cast::<u8>();
        assert_eq!(trace.allocation_number(moved), Some(1));
        let mut sites = Vec::new();
        trace.walk_sites(&mut |site| sites.push((site.bytes, site.site.line())));
        assert_eq!(sites[0], (400, at));
        assert_eq!(trace.stats().requested, 408);
        if moved != block {
            let report = misuse_of(|| trace.deallocate(block));
            assert!(report.contains(DOUBLE), "its old place is free: {report}");
        }
        trace.deallocate_sized(moved, layout(400, 64));
        trace.deallocate(other);
    }
}

#[test]
fn sites_of_equal_text_are_one_and_others_are_apart() {
    let books = TestBacking::new();
    let groups = super::groups::Groups::new();
    let sites = many_sites();
    for &site in &sites {
        let number = groups.of(site, None, &books).expect("the books have room");
        assert_eq!(groups.get(number).site, site);
        assert_eq!(groups.of(site, None, &books), Ok(number));
        groups.validate().expect("sound");
    }
    assert_eq!(groups.len(), sites.len());
    groups.release(&books);
}

/// Locations of which no two are equal: more than the first index and the first array hold.
pub(super) fn many_sites() -> Vec<&'static Location<'static>> {
    #[track_caller]
    fn here() -> &'static Location<'static> {
        Location::caller()
    }
    [
        [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()],
        [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()],
        [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()],
        [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()],
        [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()],
    ]
    .concat()
}

static BREAKS: AtomicU64 = AtomicU64::new(0);

#[test]
fn the_hook_is_called_once_at_its_number() {
    fn hook(number: u64, site: &'static Location<'static>) {
        assert!(site.file().ends_with("trace/tests.rs"), "{site}");
        BREAKS.fetch_add(number, Ordering::SeqCst);
    }
    let backing = TestBacking::new();
    let trace = TraceAllocator::new_in("trace", &backing, &backing);
    trace.break_at(3, hook);
    let mut blocks = vec![take(&trace, 1), take(&trace, 2)];
    assert_eq!(BREAKS.load(Ordering::SeqCst), 0);
    blocks.push(take(&trace, 3));
    assert_eq!(BREAKS.load(Ordering::SeqCst), 3);
    blocks.push(take(&trace, 4));
    assert_eq!(BREAKS.load(Ordering::SeqCst), 3);
    // A hook that panics has changed nothing.
    trace.break_at(5, |number, _| panic!("number {number}"));
    let before = trace.stats();
    assert_eq!(panic_of(|| _ = trace.allocate(layout(1, 1))), "number 5");
    assert_eq!(trace.stats(), before);
    blocks.push(take(&trace, 5));
    assert_eq!(trace.allocation_number(blocks[4]), Some(5));
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { trace.deallocate(block) };
    }
}

#[test]
fn a_block_freed_behind_its_back_is_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let trace = TraceAllocator::new_in("trace", &backing, &books);
    let block = take(&trace, 10);
    trace.verify().expect("sound");
    // SAFETY: the block is live in the backing, though freeing it there is wrong.
    unsafe { backing.deallocate(block) };
    assert!(trace.verify().is_err(), "the backing has fewer blocks than are recorded");
    core::mem::forget(trace);
    // The tables stay allocated when the allocator is forgotten.
    core::mem::forget(books);
}

/// Makes every kind of request once and returns the refused ones; all blocks are freed.
fn every_request(trace: &TraceAllocator<'_>, sink: &'static WriteSink<Vec<u8>>) -> String {
    let mut refused = String::new();
    let mut note = |what: &str, is: bool| {
        if is {
            refused.push_str(what);
        }
    };
    let mut blocks = Vec::new();
    for index in 0..60 {
        let before = trace.stats();
        let block = if index % 2 == 0 {
            trace.allocate(layout(index, 8))
        } else {
            trace.allocate_zeroed(layout(index, 8))
        };
        match block {
            Ok(block) => blocks.push((block.cast::<u8>(), layout(index, 8))),
            Err(AllocError) => {
                note("a", true);
                assert_eq!(trace.stats(), before, "a refusal has changed the counters");
            }
        }
        if index == 20 {
            note("s", trace.start_recording(sink).is_err());
        }
        trace.verify().expect("sound");
    }
    for (block, old) in &mut blocks {
        let before = trace.stats();
        let new = layout(old.size() + 50, 16);
        // SAFETY: the block is live and has this layout.
        match unsafe { trace.reallocate(*block, *old, new) } {
            Ok(moved) => (*block, *old) = (moved.cast(), new),
            Err(AllocError) => {
                note("r", true);
                assert_eq!(trace.stats(), before, "a refusal has changed the counters");
            }
        }
        trace.verify().expect("sound");
    }
    for (block, layout) in blocks {
        // SAFETY: the block is live and has this layout.
        unsafe { trace.deallocate_sized(block, layout) };
    }
    trace.finish_recording().expect("a vector takes everything");
    refused
}

#[test]
fn memory_that_runs_out_at_any_point_changes_nothing() {
    // The sinks live to the end of the program, and so do the few bytes written to them.
    let sink = || -> &'static WriteSink<Vec<u8>> {
        std::boxed::Box::leak(std::boxed::Box::new(WriteSink::new(Vec::new())))
    };
    for of_books in [false, true] {
        for from_then_on in [false, true] {
            let mut seen = String::new();
            for nth in 0.. {
                let (backing, books) = (TestBacking::new(), TestBacking::new());
                let refusing = if of_books { &books } else { &backing };
                if from_then_on {
                    refusing.refuse_from(nth);
                } else {
                    refusing.refuse_nth(nth);
                }
                let trace: TraceAllocator<'_> = TraceAllocator::new_in("trace", &backing, &books);
                let refused = every_request(&trace, sink());
                drop(trace);
                assert_eq!((backing.stats().live, books.stats().live), (0, 0), "refused: {nth}");
                if refused.is_empty() {
                    break;
                }
                seen.push_str(&refused);
            }
            assert!(seen.contains('a'), "allocations were refused");
            assert!(seen.contains('r') != of_books || from_then_on, "reallocations were refused");
            assert_eq!(
                seen.contains('s'),
                of_books,
                "the start of a recording needs the books alone"
            );
        }
    }
}
