//! One thread: sizes, zeros, resizing, huge blocks, refusals, counters.

use core::alloc::{GlobalAlloc, Layout};
use std::vec::Vec;

use super::{Filled, layout, small_heap};
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::Allocator;
use crate::heaps::thread_heap::ThreadHeap;
use crate::testing::test_backing::{Random, TestBacking, panic_of};

#[test]
fn nothing_is_taken_before_the_first_request() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    assert_eq!(heap.stats().reserved, 0);
    assert!(!heap.owns(core::ptr::null()));
    heap.shrink();
    heap.collect();
    heap.verify().expect("nothing is damaged");
    heap.walk(&mut |block| panic!("{block:?} is no block"));
    assert_eq!(backing.requests(), 0);
}

#[test]
fn blocks_of_all_sizes_keep_what_is_in_them() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let mut random = Random::new(1);
    let mut live: Vec<Filled> = Vec::new();
    for step in 0..20_000 {
        if live.len() > 300 || (random.below(3) == 0 && !live.is_empty()) {
            live.swap_remove(random.below(live.len())).free(&heap);
            continue;
        }
        let bytes = 1 << random.below(if step % 50 == 0 { 20 } else { 12 });
        let align = 1 << random.below(if step % 20 == 0 { 13 } else { 5 });
        let bytes = bytes + random.below(bytes);
        let layout = Layout::from_size_align(bytes, align).expect("a layout");
        live.push(Filled::new(&heap, layout, step as u8));
        if step % 2000 == 0 {
            heap.verify().expect("nothing is damaged");
        }
    }
    let stats = heap.stats();
    assert_eq!(stats.live, live.len());
    let granted: usize = live
        .iter()
        // SAFETY: they are live.
        .map(|filled| unsafe { heap.allocated_size(filled.block) })
        .sum();
    assert_eq!(stats.granted, granted);
    let mut walked = Vec::new();
    heap.walk(&mut |block| walked.push(block.address));
    walked.sort_unstable();
    let mut blocks: Vec<_> = live.iter().map(|filled| filled.block).collect();
    blocks.sort_unstable();
    assert_eq!(walked, blocks, "a walk visits each live block once");
    assert!(live.iter().all(|filled| heap.owns(filled.block.as_ptr())));
    live.into_iter().for_each(|filled| filled.free(&heap));
    assert_eq!(heap.stats().live, 0);
    assert_eq!(heap.stats().granted, 0);
    assert!(heap.stats().peak_granted > 0);
    heap.verify().expect("nothing is damaged");
    heap.shrink();
    let kept = heap.stats().reserved;
    assert!(kept < 2 << 20, "{kept} bytes are kept without a block");
}

#[cfg(any(unix, windows))]
#[test]
fn old_free_memory_goes_back_from_the_heap_of_the_thread_that_asks() {
    use crate::pages::page::PageAllocator;

    let pages = PageAllocator::new("pages");
    let heap = ThreadHeap::new("threads", &pages);
    assert_eq!(heap.decay(), 0, "the thread has no heap yet");
    let stays = Filled::new(&heap, layout(100), 1);
    Filled::new(&heap, layout(1 << 20), 2).free(&heap);
    let given: usize = (0..64).map(|_| heap.decay()).sum();
    assert!(given >= (1 << 20) - (32 << 10), "{given} bytes went back");
    assert_eq!((0..200).map(|_| heap.decay()).sum::<usize>(), 0, "once");
    heap.verify().expect("nothing is damaged");
    stays.free(&heap);
}

#[test]
fn zeros_are_zeros_also_where_a_block_was_before() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    for bytes in [24, 1000, 100_000, 17 << 20] {
        Filled::new(&heap, layout(bytes), 0xee).free(&heap);
        let block = heap.allocate_zeroed(layout(bytes)).expect("there is memory").cast::<u8>();
        Filled { block, layout: layout(bytes), fill: 0 }.free(&heap);
    }
}

#[test]
fn blocks_are_resized_and_keep_what_is_in_them() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    for (from, to) in [
        (24, 32),
        (24, 2000),
        (5000, 30),
        (5000, 5008),
        (100_000, 300_000),
        (300_000, 17 << 20),
        (17 << 20, 40 << 20),
        (40 << 20, 20 << 20),
        (20 << 20, 64),
    ] {
        let Filled { block, fill, .. } = Filled::new(&heap, layout(from), 7);
        // SAFETY: it is live and has this layout.
        let moved = unsafe { heap.reallocate(block, layout(from), layout(to)) };
        let block = moved.expect("there is memory").cast::<u8>();
        let of = Filled { block, layout: layout(from.min(to)), fill };
        of.check();
        // SAFETY: it is live, has this layout, and is not used again.
        unsafe { heap.deallocate_sized(block, layout(to)) };
        heap.verify().expect("nothing is damaged");
    }
    assert_eq!(heap.stats().live, 0);
}

#[test]
fn huge_blocks_go_back_when_they_are_freed() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    let small = Filled::new(&heap, layout(8), 1);
    let before = heap.stats();
    let blocks: Vec<_> = (16..20).map(|mib| Filled::new(&heap, layout(mib << 20), 2)).collect();
    let with = heap.stats();
    assert_eq!(with.live, before.live + 4);
    assert_eq!(with.granted, before.granted + (70 << 20));
    assert!(with.reserved >= before.reserved + (70 << 20));
    let inside = blocks[0].block.as_ptr().wrapping_add(15 << 20);
    assert!(heap.owns(inside), "an address inside belongs to it");
    blocks.into_iter().for_each(|block| block.free(&heap));
    let after = heap.stats();
    assert_eq!((after.live, after.granted), (before.live, before.granted));
    assert!(after.reserved < before.reserved + (1 << 20), "records alone are kept");
    assert!(after.peak_granted >= with.granted && after.peak_reserved >= with.reserved);
    assert!(!heap.owns(inside));
    small.free(&heap);
}

#[test]
fn a_budget_is_kept_and_running_out_is_an_error() {
    let backing = TestBacking::new();
    let heap = ThreadHeap::new("heap", &backing).with_budget(4 << 20);
    assert_eq!(heap.budget(), Some(4 << 20));
    let mut blocks = Vec::new();
    while let Ok(block) = heap.allocate(layout(3000)) {
        blocks.push(block.cast::<u8>());
        assert!(blocks.len() < 2000, "more than the budget");
    }
    assert!(blocks.len() > 900, "most of the budget is for blocks: {}", blocks.len());
    assert!(heap.allocate(layout(16 << 20)).is_err());
    assert!(heap.stats().reserved <= 4 << 20);
    assert!(heap.stats().peak_reserved <= 4 << 20);
    // SAFETY: they are live and freed once.
    blocks.into_iter().for_each(|block| unsafe { heap.deallocate(block) });
    heap.verify().expect("nothing is damaged");
}

#[test]
fn a_refusal_at_any_request_changes_nothing() {
    for n in 0..8 {
        let backing = TestBacking::new();
        let heap = small_heap(&backing);
        backing.refuse_nth(n);
        let mut refused = 0;
        for bytes in [100, 5000, 2 << 20, 17 << 20] {
            match heap.allocate(layout(bytes)) {
                // SAFETY: it is live and freed once.
                Ok(block) => unsafe { heap.deallocate(block.cast()) },
                Err(_) => refused += 1,
            }
        }
        assert!(refused <= 1, "request {n}");
        backing.refuse_none();
        Filled::new(&heap, layout(100), 3).free(&heap);
        heap.verify().expect("nothing is damaged");
        assert_eq!(heap.stats().live, 0);
    }
}

#[test]
fn a_heap_dropped_with_blocks_reports_them_with_their_sites() {
    let backing = TestBacking::new();
    let books = TestBacking::new();
    let heap =
        ThreadHeap::new("level", &backing).with_budget(128 << 20).with_sites(Sites::new(&books));
    let _leaked = heap.allocate(layout(40)).expect("there is memory");
    let _also = heap.allocate(layout(17 << 20)).expect("there is memory");
    Filled::new(&heap, layout(100), 3).free(&heap);
    let said = panic_of(|| drop(heap));
    assert!(said.contains("allocator `level` was dropped with 2 live blocks"), "{said}");
    assert!(said.contains("48 bytes, from ") || said.contains("40 bytes, from "), "{said}");
    assert_eq!(said.matches("thread_heap/tests/blocks.rs").count(), 2, "{said}");
}

#[test]
fn a_thread_may_use_many_heaps_in_turn() {
    let backing = TestBacking::new();
    let heaps: Vec<_> = (0..9).map(|_| small_heap(&backing)).collect();
    let mut live: Vec<(usize, Filled)> = Vec::new();
    for step in 0..400_usize {
        let at = step * 7 % heaps.len();
        live.push((at, Filled::new(&heaps[at], layout(1 + step), step as u8)));
        if step % 3 == 0 {
            let (at, filled) = live.swap_remove(step / 2 % live.len());
            filled.free(&heaps[at]);
        }
    }
    live.into_iter().for_each(|(at, filled)| filled.free(&heaps[at]));
    for heap in &heaps {
        heap.collect();
        heap.verify().expect("nothing is damaged");
        assert_eq!(heap.stats().live, 0);
    }
}

#[test]
fn it_serves_as_a_global_allocator_does() {
    let backing = TestBacking::new();
    let heap = small_heap(&backing);
    // SAFETY: each block is used within its bytes and freed once.
    unsafe {
        let block = heap.alloc(layout(10));
        block.write(5);
        let block = heap.realloc(block, layout(10), 1000);
        assert_eq!(block.read(), 5);
        heap.dealloc(block, layout(1000));
        let zeros = heap.alloc_zeroed(layout(64));
        assert!((0..64).all(|at| zeros.add(at).read() == 0));
        heap.dealloc(zeros, layout(64));
        backing.refuse_above(1 << 29);
        assert!(heap.alloc(layout(1 << 30)).is_null());
    }
}
