//! Both halves called directly: which one serves a request, before and after the switch.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;
use std::boxed::Box;
use std::thread;
use std::vec::Vec;

use super::GlobalMemory;
use crate::contract::allocator::{Allocator, SharedRef};
use crate::testing::test_backing::{Random, TestBacking};
use crate::threads::locked::Locked;
use crate::wrappers::proxy::ProxyAllocator;

const BYTES: usize = 64 << 10;

/// A later allocator that a test can make refuse.
type Later<'a> = Locked<ProxyAllocator<'a, dyn Allocator + Sync + 'a>>;

fn memory(backing: SharedRef<'_>) -> Box<GlobalMemory<BYTES, Later<'_>>> {
    let later = Locked::new(ProxyAllocator::new_in("later", backing));
    Box::new(GlobalMemory::new("early", later))
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).expect("a layout")
}

/// Allocates and fills.
fn take(memory: &impl GlobalAlloc, bytes: usize, fill: u8) -> NonNull<u8> {
    // SAFETY: the tests ask for no zero sizes.
    let block = unsafe { memory.alloc(layout(bytes)) };
    let block = NonNull::new(block).expect("there is memory");
    // SAFETY: the block is as long.
    unsafe { block.write_bytes(fill, bytes) };
    block
}

fn check(block: NonNull<u8>, bytes: usize, fill: u8) {
    // SAFETY: the block is live, and was filled over that length.
    let contents = unsafe { core::slice::from_raw_parts(block.as_ptr(), bytes) };
    assert!(contents.iter().all(|&byte| byte == fill), "contents are kept");
}

#[test]
fn early_blocks_are_taken_back_after_the_handing_over() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    let early = take(&*memory, 100, 1);
    assert!(memory.early().owns(early.as_ptr()), "served early");
    assert!(!memory.has_handed_over(), "nothing asked for it");
    memory.hand_over();
    let late = take(&*memory, 100, 2);
    assert!(memory.later().stats().live == 1 && memory.has_handed_over(), "served later");
    check(early, 100, 1);
    for block in [early, late] {
        // SAFETY: the block is live and has this layout.
        unsafe { memory.dealloc(block.as_ptr(), layout(100)) };
    }
    assert_eq!(memory.early().stats().live, 0);
    assert_eq!(memory.later().stats().live, 0);
}

#[test]
fn zeroed_blocks_come_from_where_others_do() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    for late in [false, true] {
        // SAFETY: the layout has a size.
        let block = unsafe { memory.alloc_zeroed(layout(100)) };
        let block = NonNull::new(block).expect("there is memory");
        check(block, 100, 0);
        assert_eq!(memory.early().owns(block.as_ptr()), !late, "handed over: {late}");
        // SAFETY: the block is live and has this layout.
        unsafe { memory.dealloc(block.as_ptr(), layout(100)) };
        memory.hand_over();
    }
}

#[test]
fn whose_a_block_is_its_address_tells() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    let start = (&raw const *memory.early()).cast::<u8>().cast_mut();
    let bytes = size_of_val(memory.early());
    for (offset, early) in [(-1, false), (0, true), (bytes as isize - 1, true)] {
        assert_eq!(memory.is_early(start.wrapping_offset(offset)), early, "at {offset}");
    }
    assert!(!memory.is_early(start.wrapping_add(bytes)), "right after it");
    assert!(!memory.is_early(core::ptr::null_mut()), "null");
}

#[test]
fn what_the_static_heap_cannot_serve_hands_over() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    // SAFETY: the layout has a size.
    let large = unsafe { memory.alloc_zeroed(layout(BYTES)) };
    let large = NonNull::new(large).expect("there is memory");
    check(large, BYTES, 0);
    assert!(memory.has_handed_over(), "by itself");
    assert_eq!((memory.early().stats().live, memory.later().stats().live), (0, 1));
    // SAFETY: the block is live and has this layout.
    unsafe { memory.dealloc(large.as_ptr(), layout(BYTES)) };
}

#[test]
fn a_growing_early_block_moves_over() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    let block = take(&*memory, 100, 7);
    // SAFETY: the block is live and has this layout.
    let grown = unsafe { memory.realloc(block.as_ptr(), layout(100), 1000) };
    let grown = NonNull::new(grown).expect("there is memory");
    assert!(memory.early().owns(grown.as_ptr()), "not handed over yet");
    // SAFETY: as above, with its new size.
    let moved = unsafe { memory.realloc(grown.as_ptr(), layout(1000), BYTES) };
    let moved = NonNull::new(moved).expect("there is memory");
    check(moved, 100, 7);
    assert!(memory.has_handed_over(), "it had no room for so much");
    assert_eq!((memory.early().stats().live, memory.later().stats().live), (0, 1));
    // SAFETY: as above.
    let shrunk = unsafe { memory.realloc(moved.as_ptr(), layout(BYTES), 100) };
    let shrunk = NonNull::new(shrunk).expect("a lesser size");
    check(shrunk, 100, 7);
    // SAFETY: as above.
    unsafe { memory.dealloc(shrunk.as_ptr(), layout(100)) };
}

#[test]
fn refusals_change_nothing() {
    let backing = TestBacking::new();
    backing.refuse_from(0);
    let memory = memory(&backing);
    let block = take(&*memory, 1000, 3);
    // SAFETY: the block is live and has this layout; the size is not zero.
    let refused = unsafe { memory.realloc(block.as_ptr(), layout(1000), BYTES) };
    assert!(refused.is_null(), "neither has so much");
    check(block, 1000, 3);
    // SAFETY: as above.
    let refused = unsafe { memory.realloc(block.as_ptr(), layout(1000), usize::MAX / 2 + 2) };
    assert!(refused.is_null(), "no layout is as large");
    // SAFETY: the layout has a size.
    let refused = unsafe { memory.alloc(layout(8)) };
    assert!(refused.is_null(), "handed over, and the later one has nothing");
    // SAFETY: as above.
    let shrunk = unsafe { memory.realloc(block.as_ptr(), layout(1000), 200) };
    assert_eq!(shrunk, block.as_ptr(), "it shrinks in place");
    check(block, 200, 3);
    // SAFETY: as above.
    unsafe { memory.dealloc(shrunk, layout(200)) };
    assert_eq!(memory.early().stats().live, 0, "all freed");
}

#[test]
fn too_small_a_buffer_hands_over_at_once() {
    let memory = Box::new(GlobalMemory::<0, _>::new("none", std::alloc::System));
    let block = take(&*memory, 8, 1);
    assert!(memory.has_handed_over(), "nothing can be served from no bytes");
    // SAFETY: the block is live and has this layout.
    unsafe { memory.dealloc(block.as_ptr(), layout(8)) };
}

/// Allocates, resizes and frees at random across the switch, checking all contents.
fn run(memory: &impl GlobalAlloc, seed: u64, hand_over: impl Fn()) {
    let mut random = Random::new(seed);
    let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
    for step in 0..2000 {
        if step == 700 {
            hand_over();
        }
        let bytes = 1 + random.below(400);
        let fill = step as u8;
        if live.len() < 60 && random.below(2) == 0 {
            live.push((take(memory, bytes, fill), bytes, fill));
        } else if !live.is_empty() {
            let at = random.below(live.len());
            let (block, old, before) = live.swap_remove(at);
            check(block, old, before);
            if random.below(2) == 0 {
                // SAFETY: the block is live and has this layout.
                unsafe { memory.dealloc(block.as_ptr(), layout(old)) };
                continue;
            }
            // SAFETY: as above.
            let resized = unsafe { memory.realloc(block.as_ptr(), layout(old), bytes) };
            let resized = NonNull::new(resized).expect("there is memory");
            check(resized, old.min(bytes), before);
            // SAFETY: the block is as long now.
            unsafe { resized.write_bytes(fill, bytes) };
            live.push((resized, bytes, fill));
        }
    }
    for (block, bytes, fill) in live {
        check(block, bytes, fill);
        // SAFETY: the block is live and has this layout.
        unsafe { memory.dealloc(block.as_ptr(), layout(bytes)) };
    }
}

#[test]
fn random_programs_keep_their_contents() {
    for seed in 0..10 {
        std::println!("seed {seed}");
        let backing = TestBacking::new();
        let memory = memory(&backing);
        run(&*memory, seed, || memory.hand_over());
        memory.early().verify().expect("the static heap is whole");
        let live = (memory.early().stats().live, memory.later().stats().live);
        assert_eq!(live, (0, 0), "all freed, seed {seed}");
        assert!(memory.later().stats().allocations_total > 100, "seed {seed}");
    }
}

#[test]
fn threads_may_hand_over_beside_each_other() {
    static SHARED: GlobalMemory<{ 1 << 20 }, std::alloc::System> =
        GlobalMemory::new("shared", std::alloc::System);
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || run(&SHARED, seed, || SHARED.hand_over()));
        }
    });
    assert!(SHARED.has_handed_over(), "by the first caller");
    assert_eq!(SHARED.early().stats().live, 0, "all freed");
    SHARED.early().verify().expect("the static heap is whole");
}

#[test]
fn it_shows_both_halves() {
    let backing = TestBacking::new();
    let memory = memory(&backing);
    let shown = std::format!("{memory:?}");
    assert!(shown.starts_with("GlobalMemory { early: Stats"), "{shown}");
    assert!(shown.contains("has_handed_over: false"), "{shown}");
    memory.hand_over();
    let shown = std::format!("{memory:?}");
    assert!(shown.contains("has_handed_over: true"), "{shown}");
}
