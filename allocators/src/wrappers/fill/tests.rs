//! Tests of filling: the contents of fresh, grown, freed and abandoned memory.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::boxed::Box;
use std::println;
use std::vec;
use std::vec::Vec;

use super::{FillAllocator, FillPattern};
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::heaps::heap::HeapAllocator;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

/// A region whose bytes have a value, so that they may be read after a free.
fn memory(bytes: usize) -> Box<[MaybeUninit<u8>]> {
    vec![MaybeUninit::new(0x33); bytes].into_boxed_slice()
}

/// Returns the first `bytes` bytes at an address in a region.
fn read(start: NonNull<u8>, bytes: usize) -> Vec<u8> {
    // SAFETY: tests read memory of a region alone, all of whose bytes have a value.
    (0..bytes).map(|at| unsafe { start.add(at).read() }).collect()
}

/// Bytes `from..to` of a block that a word fills.
fn words(word: u32, from: usize, to: usize) -> Vec<u8> {
    (from..to).map(|at| word.to_ne_bytes()[at % 4]).collect()
}

const PATTERNS: [FillPattern; 5] = [
    FillPattern::Zeros,
    FillPattern::Ones,
    FillPattern::Known,
    FillPattern::Byte(0xab),
    FillPattern::Word(0x0102_0304),
];

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<FillAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<FillAllocator<'static, SharedRef<'static>>>();
};
const _: () =
    assert!(FillAllocator::layout_for(Layout::new::<u64>()).size() == 8, "known before any exists");

#[test]
fn patterns_are_what_they_say() {
    let words = PATTERNS.map(FillPattern::word);
    assert_eq!(words, [0, 0xffff_ffff, 0x1234_5678, 0xabab_abab, 0x0102_0304]);
}

#[test]
fn blocks_are_filled_when_given_out_and_when_freed() {
    for fresh in PATTERNS {
        for freed in PATTERNS {
            let mut memory = memory(4096);
            // The pool grants more than is requested, and stores nothing in its blocks.
            let pool = PoolAllocator::from_region("pool", layout(67, 1), &mut memory);
            let fill = FillAllocator::new_in("fill", &pool).with_fresh(fresh).with_freed(freed);
            for size in 0..=67 {
                let block = fill.allocate(layout(size, 1)).expect("there is memory");
                assert_eq!(block.len(), 67);
                let block = block.cast::<u8>();
                assert_eq!(read(block, 67), words(fresh.word(), 0, 67));
                // SAFETY: the block is live and this long.
                unsafe { block.write_bytes(0x77, 67) };
                // SAFETY: the block is live and has this layout.
                unsafe {
                    if size % 2 == 0 {
                        fill.deallocate(block);
                    } else {
                        fill.deallocate_sized(block, layout(size, 1));
                    }
                }
                assert_eq!(read(block, 67), words(freed.word(), 0, 67));
                let block = fill.allocate_zeroed(layout(size, 1)).expect("there is memory");
                assert_eq!(read(block.cast(), 67), [0; 67]);
                // SAFETY: the block is live.
                unsafe { fill.deallocate(block.cast()) };
            }
        }
    }
}

#[test]
fn defaults_are_the_known_word_and_dd() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let fill: FillAllocator<'_> = FillAllocator::new_in("fill", &frame);
    assert_eq!(fill.backing().map(Allocator::name), Some("frame"));
    assert_eq!(fill.layout_below(layout(3, 1)), layout(3, 1));
    let block = fill.allocate(layout(10, 4)).expect("there is memory").cast::<u8>();
    assert_eq!(read(block, 10), words(0x1234_5678, 0, 10));
    assert!(fill.owns(block.as_ptr()));
    // SAFETY: the block is live.
    unsafe { fill.deallocate(block) };
    assert_eq!(read(block, 10), [0xdd; 10]);
}

#[test]
fn what_a_block_grows_by_is_filled_and_what_it_leaves_is_cleared() {
    let mut memory = memory(8192);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let fill = FillAllocator::new_in("fill", &frame);
    let block = fill.allocate(layout(5, 8)).expect("there is memory").cast::<u8>();
    // SAFETY: the block is live and `old` is its layout, in each call.
    unsafe {
        block.write_bytes(1, 5);
        let grown = fill.resize_in_place(block, layout(5, 8), layout(43, 8)).expect("the last");
        assert_eq!(grown.cast(), block);
        let mut wanted = vec![1; 5];
        wanted.extend(words(0x1234_5678, 5, 43));
        assert_eq!(read(block, 43), wanted);
        // It cannot shrink in place.
        let refused = fill.resize_in_place(block, layout(43, 8), layout(42, 8));
        assert_eq!((refused, read(block, 43)), (Err(AllocError), wanted));
        // It can shrink by moving, and its old place is cleared.
        let moved = fill.reallocate(block, layout(43, 8), layout(3, 8)).expect("room").cast();
        assert_ne!(moved, block);
        assert_eq!((read(moved, 3), read(block, 43)), (vec![1; 3], vec![0xdd; 43]));
        // With another block after it, it must move to grow.
        let last = fill.allocate(layout(1, 1)).expect("there is memory").cast::<u8>();
        let grown = fill.reallocate(moved, layout(3, 8), layout(9, 8)).expect("room").cast();
        assert_ne!(grown, moved);
        let mut wanted = vec![1; 3];
        wanted.extend(words(0x1234_5678, 3, 9));
        assert_eq!((read(grown, 9), read(moved, 3)), (wanted, vec![0xdd; 3]));
        fill.deallocate(last);
        fill.deallocate(grown);
    }
    assert_eq!(fill.stats().live, 0);
}

#[test]
fn without_memory_a_block_can_still_be_made_smaller() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let fill = FillAllocator::new_in("fill", &frame);
    let mut size = 4096;
    let block = loop {
        match fill.allocate(layout(size, 1)) {
            Ok(block) => break block.cast::<u8>(),
            Err(AllocError) => size -= 1,
        }
    };
    // SAFETY: the block is live and has this layout.
    unsafe {
        block.write_bytes(1, size);
        let old = layout(size, 1);
        assert_eq!(fill.reallocate(block, old, layout(size + 1, 1)), Err(AllocError));
        let kept = fill.reallocate(block, old, layout(size - 1, 1)).expect("it is made smaller");
        assert_eq!(kept.cast(), block);
        assert_eq!(read(block, size - 1), vec![1; size - 1]);
        fill.deallocate_sized(block, layout(size - 1, 1));
    }
}

#[test]
fn refusals_change_nothing() {
    let backing = TestBacking::new();
    let fill = FillAllocator::new_in("fill", &backing);
    let block = fill.allocate(layout(10, 8)).expect("there is memory").cast::<u8>();
    for new in [layout(20, 8), layout(10, 16)] {
        let before = (fill.stats(), backing.stats());
        backing.refuse_from(0);
        assert_eq!(fill.allocate(new), Err(AllocError));
        assert_eq!(fill.allocate_zeroed(new), Err(AllocError));
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { fill.reallocate(block, layout(10, 8), new) };
        assert_eq!(moved, Err(AllocError));
        assert_eq!((fill.stats(), backing.stats()), before);
        assert_eq!(read(block, 10), words(0x1234_5678, 0, 10));
        backing.refuse_none();
    }
    // SAFETY: the block is live.
    unsafe { fill.deallocate(block) };
}

#[test]
fn a_wrong_free_clears_nothing() {
    let mut memory = memory(8192);
    let pool = PoolAllocator::from_region("pool", layout(64, 8), &mut memory);
    let fill = FillAllocator::new_in("fill", &pool);
    let foreign = pool.allocate(layout(64, 8)).expect("there is memory").cast::<u8>();
    // SAFETY: the block is live in the pool.
    unsafe { foreign.write_bytes(1, 64) };
    // SAFETY: the free is wrong on purpose; it is reported and changes nothing.
    let report = misuse_of(|| unsafe { fill.deallocate(foreign) });
    assert!(report.contains("foreign free") && report.contains("`fill`"), "{report}");
    assert!(report.contains("fill/tests.rs"), "{report}");
    assert_eq!(read(foreign, 64), [1; 64]);
    let own = fill.allocate(layout(64, 8)).expect("there is memory").cast::<u8>();
    let mut outside = [3_u64; 8];
    // SAFETY: the frees are wrong on purpose, but for the last two.
    unsafe {
        let stray = NonNull::from(&mut outside).cast();
        assert!(misuse_of(|| fill.deallocate(stray)).contains("foreign free"));
        assert_eq!(outside, [3; 8]);
        fill.deallocate(own);
        pool.deallocate(foreign);
    }
}

#[test]
fn a_heap_finds_wrong_frees_before_anything_is_cleared() {
    let mut memory = memory(32 << 10);
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let fill = FillAllocator::new_in("fill", &heap);
    let [own, second] = [(); 2].map(|()| fill.allocate(layout(64, 8)).expect("room").cast::<u8>());
    // SAFETY: the frees are wrong on purpose, but for two; the memory is the region's.
    unsafe {
        assert!(misuse_of(|| fill.deallocate(own.add(8))).contains("`heap`"));
        assert_eq!(read(own, 64), words(0x1234_5678, 0, 64));
        fill.deallocate(own);
        own.write_bytes(2, 64);
        assert!(misuse_of(|| fill.deallocate(own)).contains("double free"));
        assert_eq!(read(own, 64), [2; 64]);
        fill.deallocate(second);
    }
}

#[test]
fn a_leak_names_the_allocator() {
    let backing = TestBacking::new();
    let mut block = NonNull::dangling();
    let report = panic_of(|| {
        let fill = FillAllocator::new_in("textures", &backing);
        block = fill.allocate(layout(100, 8)).expect("there is memory").cast();
    });
    assert!(report.contains("`textures` was dropped with 1 live block of 100 bytes"), "{report}");
    // SAFETY: the block is live still, in the backing.
    unsafe { backing.deallocate(block) };
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..30 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut memory = memory(6000);
        let pool = PoolAllocator::from_region("pool", layout(96, 16), &mut memory);
        let fresh = PATTERNS[random.below(5)];
        let freed = PATTERNS[random.below(5)];
        let fill = FillAllocator::new_in("model", &pool).with_fresh(fresh).with_freed(freed);
        let mut live: Vec<(NonNull<u8>, Layout, u8)> = Vec::new();
        for step in 0..500 {
            let asked = layout(random.below(97), 1 << random.below(5));
            let mark = step as u8;
            if live.is_empty() || random.below(2) == 0 {
                let Ok(block) = fill.allocate(asked) else { continue };
                assert_eq!(read(block.cast(), 96), words(fresh.word(), 0, 96));
                // SAFETY: the block is live and this long.
                unsafe { block.cast::<u8>().write_bytes(mark, asked.size()) };
                live.push((block.cast(), asked, mark));
                continue;
            }
            let (block, old, mark) = live.swap_remove(random.below(live.len()));
            assert_eq!(read(block, old.size()), vec![mark; old.size()]);
            if random.below(2) == 0 {
                // SAFETY: the block is live and has this layout.
                unsafe { fill.deallocate_sized(block, old) };
                assert_eq!(read(block, 96), words(freed.word(), 0, 96));
                continue;
            }
            let kept = old.size().min(asked.size());
            // SAFETY: the block is live and has this layout.
            let Ok(moved) = (unsafe { fill.reallocate(block, old, asked) }) else {
                assert!(asked.align() > old.align(), "in place it fits");
                assert_eq!(read(block, old.size()), vec![mark; old.size()]);
                live.push((block, old, mark));
                continue;
            };
            assert_eq!(read(moved.cast(), kept), vec![mark; kept]);
            if moved.cast() != block {
                assert_eq!(read(block, 96), words(freed.word(), 0, 96));
                assert_eq!(read(moved.cast(), 96)[kept..], words(fresh.word(), kept, 96));
            }
            // SAFETY: the block is live and this long.
            unsafe { moved.cast::<u8>().write_bytes(mark, asked.size()) };
            live.push((moved.cast(), asked, mark));
        }
        for (block, old, mark) in live {
            assert_eq!(read(block, old.size()), vec![mark; old.size()]);
            // SAFETY: the block is live.
            unsafe { fill.deallocate(block) };
        }
        assert_eq!((fill.stats().live, pool.stats().live), (0, 0));
    }
}

#[test]
fn a_single_byte_is_filled() {
    let mut memory = [0x33_u8; 8];
    let start = NonNull::from(&mut memory).cast();
    let pattern = FillPattern::Ones;
    // SAFETY: the bytes are those of the array.
    unsafe { pattern.fill(start, 3, 4) };
    // SAFETY: as above; nothing is filled.
    unsafe { pattern.fill(start, 6, 6) };
    assert_eq!(memory, [0x33, 0x33, 0x33, 0xff, 0x33, 0x33, 0x33, 0x33], "the fourth alone");
}

#[test]
fn a_greater_alignment_is_kept_though_the_backing_would_grow_the_block() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let fill = FillAllocator::new_in("fill", &frame);
    let mut block = fill.allocate(layout(8, 8)).expect("there is memory").cast::<u8>();
    let mut before = Vec::new();
    while block.addr().get().is_multiple_of(256) {
        before.push(block);
        block = fill.allocate(layout(8, 8)).expect("there is memory").cast();
    }
    // SAFETY: the block is live and has this layout.
    let moved = unsafe { fill.reallocate(block, layout(8, 8), layout(16, 256)) };
    let moved = moved.expect("there is room").cast::<u8>();
    assert!(moved.addr().get().is_multiple_of(256), "{moved:p} is aligned");
    // SAFETY: the block is live and has this layout.
    unsafe { fill.deallocate_sized(moved, layout(16, 256)) };
    for block in before {
        // SAFETY: the block is live.
        unsafe { fill.deallocate(block) };
    }
}

#[test]
fn a_refusal_is_no_second_chance_unless_a_block_is_made_smaller() {
    let backing = TestBacking::new();
    let fill = FillAllocator::new_in("fill", &backing);
    let block = fill.allocate(layout(10, 8)).expect("there is memory").cast::<u8>();
    let before = fill.stats();
    for new in [layout(10, 64), layout(11, 64), layout(11, 8)] {
        backing.refuse_nth(0);
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { fill.reallocate(block, layout(10, 8), new) };
        assert_eq!((moved, fill.stats()), (Err(AllocError), before), "{new:?}");
    }
    // SAFETY: the block is live.
    unsafe { fill.deallocate(block) };
}

#[test]
fn what_a_block_leaves_where_it_lies_is_cleared() {
    let mut memory = memory(300);
    let pool = PoolAllocator::from_region("pool", layout(64, 8), &mut memory);
    let fill = FillAllocator::new_in("fill", &pool);
    let blocks: Vec<_> = core::iter::from_fn(|| fill.allocate(layout(60, 8)).ok()).collect();
    let block = blocks.first().expect("a block fits").cast::<u8>();
    // SAFETY: the block is live and this long; with no block left it stays where it is.
    unsafe {
        block.write_bytes(1, 64);
        let kept = fill.reallocate(block, layout(60, 8), layout(10, 8)).expect("it has them");
        assert_eq!((kept.cast(), kept.len()), (block, 64), "no other was free");
    }
    assert_eq!((read(block, 10), read(block, 64)[10..].to_vec()), (vec![1; 10], vec![0xdd; 54]));
    for block in blocks {
        // SAFETY: the block is live.
        unsafe { fill.deallocate(block.cast()) };
    }
}
