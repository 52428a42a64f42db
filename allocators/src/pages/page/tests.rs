//! The page allocator against the kernel, a model, threads and misuse.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the steps of a test share one argument: it owns the blocks it uses"
)]

// It counts the mappings and the address space of the process, of which the tools use a part.
mod advice;
mod closed;
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
mod discard;
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
mod given_back;
#[cfg(not(any(loligo_asan, feature = "valgrind")))]
mod limits;
mod misuse;
mod model;
mod parked;
mod refusals;
mod refused;
mod reservation;
mod resize;
mod sites;
mod structures;

use core::alloc::Layout;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;
use std::string::String;
use std::vec::Vec;
use std::{format, thread};

use super::PageAllocator;
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::{Misuse, Report, set_misuse_handler};
use crate::testing::test_child as child;
use crate::testing::test_random::Random;

/// Returns a generator and prints its seed.
fn seeded(seed: u64) -> Random {
    std::println!("seed {seed}");
    Random::new(seed)
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("the tests use valid layouts")
}

fn page() -> usize {
    PageAllocator::page_size()
}

/// Returns `true` if the page at `address` is mapped. A freed address may be reused by another
/// thread at once, so only a child process can check those.
fn is_mapped(address: NonNull<u8>) -> bool {
    let mut resident = 0_u8;
    // SAFETY: mincore reads no memory of the program but writes one byte for the one page asked.
    unsafe { libc::mincore(address.as_ptr().cast(), page(), &mut resident) == 0 }
}

/// Returns `true` if the page at `address` is resident in memory.
fn is_resident(address: NonNull<u8>) -> bool {
    let mut resident = 0_u8;
    // SAFETY: as in `is_mapped`.
    let result = unsafe { libc::mincore(address.as_ptr().cast(), page(), &mut resident) };
    result == 0 && resident & 1 == 1
}

/// Returns the kernel's flags of the mapping that contains `address`.
pub(super) fn flags(address: NonNull<u8>) -> String {
    let text = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut within = false;
    for line in text.lines() {
        let range = line.split(' ').next().and_then(|r| r.split_once('-'));
        let ends = range.map(|(a, b)| (usize::from_str_radix(a, 16), usize::from_str_radix(b, 16)));
        if let Some((Ok(start), Ok(end))) = ends {
            within = (start..end).contains(&address.addr().get());
        } else if within && line.starts_with("VmFlags:") {
            return line.into();
        }
    }
    String::new()
}

fn fill(block: NonNull<[u8]>, byte: u8) {
    // SAFETY: the tests fill live blocks that no other code reads.
    unsafe { block.cast::<u8>().write_bytes(byte, block.len()) };
}

fn bytes<'a>(block: NonNull<[u8]>) -> &'a [u8] {
    // SAFETY: the tests read live blocks whose bytes were written or are fresh pages.
    unsafe { &*block.as_ptr() }
}

fn free(pages: &PageAllocator, block: NonNull<[u8]>) {
    // SAFETY: the tests free live blocks, once.
    unsafe { pages.deallocate(block.cast()) };
}

/// The handler that the tests of this crate install.
fn panicking(report: &Report<'_>) -> ! {
    panic!("{report}");
}

/// Runs `work`, which must end in this misuse, and returns the report.
fn misused(what: Misuse, work: impl FnOnce()) -> String {
    set_misuse_handler(Some(panicking));
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("the misuse was not found");
    let report = *panic.downcast::<String>().expect("the handler panics with text");
    assert!(report.contains(what.describe()), "expected {what:?}, got: {report}");
    report
}

#[test]
fn a_page_is_a_page() {
    let pages = PageAllocator::new("pages");
    assert_eq!(pages.overhead_bytes(), 0, "a new allocator asks for nothing");
    let block = pages.allocate(layout(page(), 8)).unwrap();
    assert_eq!(block.len(), page(), "no header takes room");
    let stats = pages.stats();
    assert_eq!((stats.live, stats.requested), (1, page()), "{stats:?}");
    assert_eq!((stats.granted, stats.reserved), (page(), page()), "{stats:?}");
    assert!(stats.exact, "sizes are remembered");
    assert_eq!(pages.committed_bytes(), page(), "a block is committed");
    assert!(pages.overhead_bytes() <= 3 * page(), "leaf, spare, directory");
    free(&pages, block);
    assert_eq!(pages.stats().reserved, 0, "freed pages go back at once");
    assert_eq!(pages.committed_bytes(), 0, "nothing is left");
}

#[test]
fn a_size_of_zero_is_a_block() {
    let pages = PageAllocator::new("pages");
    let zero = layout(0, 1);
    let (a, b) = (pages.allocate(zero).unwrap(), pages.allocate(zero).unwrap());
    assert_ne!(a.cast::<u8>(), b.cast::<u8>(), "two blocks");
    assert_eq!(pages.stats().requested, 2, "served as one byte each");
    // SAFETY: both blocks are live and have this layout.
    unsafe {
        pages.deallocate_sized(a.cast(), zero);
        pages.deallocate_sized(b.cast(), zero);
    }
    assert_eq!(pages.stats().live, 0, "both are gone");
}

#[test]
fn every_alignment_up_to_a_terabyte() {
    // With 32 bits, up to the available room.
    let most = if usize::BITS == 64 { 40 } else { 27 };
    let pages = PageAllocator::new("pages");
    let mut blocks = Vec::new();
    for shift in 0..=most {
        for bytes in [1, page(), 3 * page() + 1, 2 << 20] {
            let align = 1 << shift;
            let block = pages.allocate(layout(bytes, align)).unwrap();
            assert_eq!(block.addr().get() % align, 0, "aligned to 2^{shift}");
            assert_eq!(block.len(), bytes.next_multiple_of(page()), "no slack is kept");
            fill(block, shift as u8);
            blocks.push((block, layout(bytes, align), shift as u8));
        }
    }
    assert_eq!(pages.verify(), Ok(()), "whole");
    let stats = pages.stats();
    assert_eq!(stats.granted, stats.reserved, "the trimmed pages were unmapped");
    for (block, layout, byte) in blocks {
        assert!(bytes(block).iter().all(|&b| b == byte), "own bytes");
        // SAFETY: the block is live and has this layout.
        unsafe { pages.deallocate_sized(block.cast(), layout) };
    }
    assert_eq!(pages.stats().reserved, 0, "all went back");
}

#[test]
fn refusals_change_nothing() {
    let pages = PageAllocator::new("pages");
    let kept = pages.allocate(layout(100, 8)).unwrap();
    let before = pages.stats();
    let most = isize::MAX as usize;
    // With 32 bits the address space may have room for all but the first.
    let absurd = if usize::BITS == 64 { 4 } else { 1 };
    let (many, far) = (1 << (usize::BITS - 2), 1 << (usize::BITS - 24));
    let asked = [(most, 1), (most - 4095, 4096), (many, far), (1, many)];
    for (bytes, align) in asked.into_iter().take(absurd) {
        assert_eq!(pages.allocate(layout(bytes, align)), Err(AllocError), "{bytes}");
        assert!(pages.reserve(bytes, align).is_err(), "reserve {bytes}");
    }
    let old = layout(100, 8);
    // SAFETY: the block is live and has the layout `old`, also after each refusal.
    unsafe {
        let asked = [layout(most - 7, 8), layout(far << 6, 8), layout(100, many)];
        for new in asked.into_iter().take(absurd) {
            let block = kept.cast();
            assert_eq!(pages.reallocate(block, old, new), Err(AllocError), "{new:?}");
            assert_eq!(pages.resize_in_place(block, old, new), Err(AllocError), "{new:?}");
        }
    }
    assert_eq!(pages.stats(), before, "a refusal counts nothing");
    assert_eq!(pages.verify(), Ok(()), "whole");
    free(&pages, kept);
}

#[test]
fn fresh_pages_are_zero() {
    let pages = PageAllocator::new("pages");
    for _ in 0..20 {
        let block = pages.allocate_zeroed(layout(5 * page(), 8)).unwrap();
        assert!(!is_resident(block.cast()), "zeroing touches nothing");
        assert!(bytes(block).iter().all(|&b| b == 0), "zero");
        fill(block, 0xff);
        free(&pages, block);
    }
}

#[test]
fn blocks_are_shown_by_address() {
    let pages = PageAllocator::new("pages");
    let mut random = seeded(11);
    let mut blocks: Vec<_> = (0..300)
        .map(|_| {
            let bytes = 1 + random.below(5 * page());
            (pages.allocate(layout(bytes, 1)).unwrap(), bytes)
        })
        .collect();
    for _ in 0..100 {
        let (block, _) = blocks.swap_remove(random.below(blocks.len()));
        free(&pages, block);
        assert!(!pages.owns(block.as_ptr().cast()), "freed");
    }
    blocks.sort_by_key(|(block, _)| block.addr());
    let mut shown = Vec::new();
    pages.walk(&mut |block| {
        assert!(pages.owns(block.address.as_ptr()), "the lock is free in here");
        shown.push((block.address, block.bytes));
    });
    let expected: Vec<_> = blocks.iter().map(|(b, bytes)| (b.cast(), *bytes)).collect();
    assert_eq!(shown, expected, "in address order, sizes as asked");
    for (block, _) in blocks {
        // SAFETY: the last byte of the block.
        let last = unsafe { block.cast::<u8>().add(block.len() - 1) };
        assert!(pages.owns(last.as_ptr()), "to the last byte");
        free(&pages, block);
    }
    assert!(!pages.owns(core::ptr::null()), "never null");
}

#[test]
fn layouts_below_are_whole_pages() {
    let pages = PageAllocator::new("pages");
    assert_eq!(pages.layout_below(layout(0, 1)), layout(page(), page()), "zero");
    assert_eq!(pages.layout_below(layout(page() + 1, 1 << 20)), layout(2 * page(), 1 << 20), "up");
    let most = layout(isize::MAX as usize, 1);
    assert_eq!(pages.layout_below(most), most, "an impossible layout has none below");
    assert_eq!(pages.name(), "pages", "name");
    assert!(pages.backing().is_none(), "the system is no allocator");
    assert!(format!("{pages:?}").contains("pages"), "debug");
}

#[test]
fn threads_share_it() {
    static PAGES: PageAllocator = PageAllocator::new("shared");
    static MOVED: std::sync::Mutex<Vec<(usize, usize)>> = std::sync::Mutex::new(Vec::new());
    let work = |seed| {
        let mut random = seeded(seed);
        let mut own: Vec<(NonNull<[u8]>, Layout, u8)> = Vec::new();
        for step in 0..3000 {
            let pick = random.below(10);
            if own.len() < 20 && pick < 5 {
                let layout = layout(1 + random.below(6 * page()), 1 << random.below(15));
                let block = PAGES.allocate(layout).unwrap();
                assert_eq!(bytes(block)[0], 0, "no other thread uses it");
                fill(block, seed as u8);
                own.push((block, layout, seed as u8));
            } else if let Some((block, old, byte)) = own.pop() {
                assert!(bytes(block)[..old.size()].iter().all(|&b| b == byte), "own bytes");
                if pick == 5 {
                    let new = layout(1 + random.below(9 * page()), old.align());
                    // SAFETY: the block is live and has the layout `old`.
                    let moved = unsafe { PAGES.reallocate(block.cast(), old, new) }.unwrap();
                    fill(moved, byte);
                    own.insert(0, (moved, new, byte));
                } else {
                    // SAFETY: the block is live and has the layout `old`.
                    unsafe { PAGES.deallocate_sized(block.cast(), old) };
                }
            }
            if step % 50 == 0 {
                let stats = PAGES.stats();
                assert!(stats.requested <= stats.granted, "{stats:?}");
                assert!(stats.granted <= stats.reserved, "{stats:?}");
                assert_eq!(PAGES.verify(), Ok(()), "whole at any moment");
                PAGES.walk(&mut |_| {});
            }
        }
        let mut moved = MOVED.lock().unwrap();
        for (block, layout, _) in own {
            // Only the address is sent to the thread that frees it.
            moved.push((block.as_ptr().cast::<u8>().expose_provenance(), layout.size()));
        }
    };
    thread::scope(|scope| {
        for seed in 1..=4 {
            scope.spawn(move || work(seed));
        }
    });
    for (address, size) in MOVED.lock().unwrap().drain(..) {
        let block = NonNull::new(core::ptr::with_exposed_provenance_mut::<u8>(address)).unwrap();
        // SAFETY: the block was left live by its thread, which is done.
        unsafe {
            assert!(PAGES.allocated_size(block) >= size, "as large as asked");
            PAGES.deallocate(block);
        }
    }
    let stats = PAGES.stats();
    assert_eq!((stats.live, stats.granted, stats.reserved), (0, 0, 0), "{stats:?}");
    assert_eq!(PAGES.committed_bytes(), 0, "all went back");
}
