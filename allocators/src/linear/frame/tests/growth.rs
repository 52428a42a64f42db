//! Growing frames: chunks taken, kept and given back, limits, and blocks of older chunks.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::println;
use std::vec::Vec;

use super::{blocks_of, free, layout, memory, run_program, take};
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::frame::FrameAllocator;
use crate::owners::arena::Arena;
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

/// Bytes of a first chunk.
const FIRST: usize = 1024;

fn growing(backing: &TestBacking) -> FrameAllocator<'_, TestBacking> {
    FrameAllocator::growing_in("growing", FIRST, backing).expect("there is memory")
}

/// Fills a frame with that many blocks of 100 bytes, each with its number.
fn fill(frame: &FrameAllocator<'_, TestBacking>, count: usize) -> Vec<NonNull<u8>> {
    (0..count)
        .map(|number| {
            let block = take(frame, 100, 4);
            // SAFETY: the block is live and this long.
            unsafe { block.write_bytes(number as u8, 100) };
            block
        })
        .collect()
}

fn check_contents(blocks: &[NonNull<u8>]) {
    for (number, block) in blocks.iter().enumerate() {
        // SAFETY: the block is live and this long, and was written.
        let bytes = unsafe { core::slice::from_raw_parts(block.as_ptr(), 100) };
        assert!(bytes.iter().all(|&byte| byte == number as u8), "block {number}");
    }
}

#[test]
fn chunks_double_and_are_kept_at_a_reset() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    assert_eq!((backing.stats().live, backing.stats().granted), (1, FIRST));
    let blocks = fill(&frame, 100);
    check_contents(&blocks);
    frame.verify().expect("sound");
    let taken = backing.stats();
    assert_eq!((taken.live, taken.granted), (4, 15 * FIRST), "1, 2, 4 and 8 KiB");
    assert_eq!((frame.stats().live, frame.stats().reserved), (100, taken.granted));
    assert_eq!(frame.stats().peak_reserved, taken.granted);
    for turn in 0..3 {
        frame.reset();
        frame.verify().expect("sound");
        assert_eq!((frame.stats().live, frame.stats().granted), (0, 0), "turn {turn}");
        assert_eq!(fill(&frame, 100), blocks, "turn {turn} is as the first one");
        assert_eq!(backing.stats(), taken, "turn {turn} takes nothing");
        assert_eq!(frame.stats().peak_granted, 10_000);
    }
    drop(frame);
    assert_eq!(backing.stats().live, 0, "all is given back");
}

#[test]
fn shrinking_gives_empty_chunks_back() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    fill(&frame, 100);
    frame.shrink();
    assert_eq!(backing.stats().live, 4, "all are used");
    frame.reset();
    frame.shrink();
    assert_eq!((backing.stats().live, frame.stats().reserved), (1, FIRST), "the first is left");
    assert_eq!(frame.stats().peak_reserved, 15 * FIRST);
    fill(&frame, 100);
    assert_eq!(backing.stats().live, 4, "it grows again");
    frame.verify().expect("sound");
}

#[test]
fn a_great_block_skips_a_chunk_and_the_first_is_never_lost() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    // The first chunk is empty, so it is kept rather than before this one.
    let great = take(&frame, 100_000, 8);
    assert_eq!(backing.stats().live, 2);
    frame.shrink();
    assert_eq!(backing.stats().live, 2, "the first is needed to the end");
    let next = take(&frame, 2000, 8);
    assert!(frame.owns(great.as_ptr()) && frame.owns(next.as_ptr()));
    assert_eq!(blocks_of(&frame).len(), 2);
    frame.verify().expect("sound");
    frame.reset();
    let chunks = backing.stats().live;
    take(&frame, 90_000, 8);
    take(&frame, 500, 8);
    assert_eq!(backing.stats().live, chunks, "nothing is taken");
    drop(frame);
    assert_eq!(backing.stats().live, 0, "all is given back");
}

#[test]
fn any_alignment_and_size_fits_in_a_new_chunk() {
    let backing = TestBacking::new();
    for align in [1, 8, 16, 64, 4096, 1 << 16] {
        for size in [1, 7, 504, 1000, 1016, 8000, 70_000] {
            let frame = growing(&backing);
            for _ in 0..3 {
                let block = take(&frame, size, align);
                // SAFETY: the block is live and this long.
                unsafe { block.write_bytes(1, size) };
                frame.verify().expect("sound");
            }
        }
    }
    let frame = growing(&backing);
    let too_large = Layout::from_size_align(isize::MAX as usize - 15, 16).expect("it is valid");
    assert_eq!(frame.allocate(too_large), Err(AllocError), "no chunk can hold it");
    // With 32 bits the greatest alignment is a quarter of the addresses, which may be had.
    if usize::BITS == 64 {
        let too_aligned = layout(1, 1 << (usize::BITS - 2));
        assert_eq!(frame.allocate(too_aligned), Err(AllocError), "no chunk can hold it");
    }
    assert_eq!((frame.stats().live, frame.stats().reserved), (0, FIRST));
}

#[test]
fn a_limit_holds_and_may_change() {
    let backing = TestBacking::new();
    let frame = growing(&backing);
    assert_eq!(frame.limit(), None);
    frame.set_limit(Some(4000));
    assert_eq!(frame.limit(), Some(4000));
    while frame.allocate(layout(100, 4)).is_ok() {}
    // Twice the second chunk would exceed the limit, so the third one is smaller.
    assert_eq!((backing.stats().live, backing.stats().granted), (3, 4000));
    let before = (frame.stats(), backing.stats());
    assert_eq!(frame.allocate(layout(1000, 4)), Err(AllocError), "the limit is reached");
    assert_eq!((frame.stats(), backing.stats()), before, "nothing has changed");
    let report = panic_of(|| _ = frame.alloc([0_u8; 2000]));
    for part in ["`growing`", "2000 bytes", "limit of 4000 bytes"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    frame.set_limit(Some(0));
    assert_eq!(frame.allocate(layout(1000, 4)), Err(AllocError), "it is lower than what it has");
    frame.set_limit(None);
    take(&frame, 100_000, 4);
    frame.verify().expect("sound");
}

#[test]
fn a_smaller_chunk_is_tried_when_the_backing_refuses() {
    for nth in 0..6 {
        let backing = TestBacking::new();
        let frame = growing(&backing);
        fill(&frame, 5);
        backing.refuse_nth(nth);
        let blocks = fill(&frame, 60);
        check_contents(&blocks);
        frame.verify().expect("sound");
    }
    let backing = TestBacking::new();
    let frame = growing(&backing);
    backing.refuse_from(0);
    let before = frame.stats();
    assert_eq!(frame.allocate(layout(2000, 8)), Err(AllocError), "none is left");
    assert_eq!(frame.try_alloc([0_u8; 2000]).err(), Some(AllocError), "none is left");
    assert_eq!(frame.stats(), before, "nothing has changed");
    assert_eq!(FrameAllocator::growing_in("none", 1, &backing).err(), Some(AllocError));
    assert_eq!(FrameAllocator::growing_in("none", usize::MAX, &backing).err(), Some(AllocError));
}

#[test]
fn freeing_in_reverse_goes_back_through_the_chunks() {
    let backing = TestBacking::new();
    let frame = growing(&backing);
    let room = frame.remaining();
    for turn in 0..3 {
        let mut blocks = fill(&frame, 100);
        while let Some(block) = blocks.pop() {
            // SAFETY: the block is live and has this layout.
            unsafe { frame.deallocate_sized(block, layout(100, 4)) };
            check_contents(&blocks);
            frame.verify().expect("sound");
            assert_eq!(frame.stats().live, blocks.len(), "turn {turn}");
        }
        assert_eq!(frame.remaining(), room, "the first chunk is in use again");
        assert_eq!(backing.stats().live, 4, "all are kept");
        assert_eq!(frame.stats().peak_granted, 10_000);
    }
}

#[test]
fn blocks_of_older_chunks_are_known_and_freed_in_any_order() {
    let backing = TestBacking::new();
    let frame = growing(&backing);
    let mut blocks = fill(&frame, 100);
    for &block in &blocks {
        // SAFETY: the block is live.
        assert_eq!(unsafe { frame.allocated_size(block) }, 100);
        assert!(frame.owns(block.as_ptr()), "it is the frame's");
    }
    let (first, last) = (blocks[0], blocks[99]);
    let [same, longer] = [layout(100, 1), layout(104, 4)];
    // SAFETY: the blocks are live and have that layout.
    unsafe {
        assert!(frame.resize_in_place(first, layout(100, 4), same).is_ok());
        assert_eq!(frame.resize_in_place(first, layout(100, 4), longer), Err(AllocError));
        assert!(frame.resize_in_place(last, layout(100, 4), longer).is_ok(), "it is the last");
        assert!(frame.resize_in_place(last, longer, layout(100, 4)).is_ok());
    }
    let mut random = Random::new(7);
    while !blocks.is_empty() {
        let block = blocks.swap_remove(random.below(blocks.len()));
        free(&frame, block);
        assert!(misuse_of(|| free(&frame, block)).contains("double free"));
        frame.verify().expect("sound");
        assert_eq!(frame.stats().live, blocks.len());
    }
    frame.assert_empty();
    take(&frame, 100, 4);
    frame.verify().expect("sound");
}

#[test]
fn wrong_frees_are_found_in_every_chunk() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    let blocks = fill(&frame, 100);
    for block in [blocks[0], blocks[50], blocks[99]] {
        // SAFETY: the offset is within the block.
        let inside = unsafe { block.add(8) };
        assert!(misuse_of(|| free(&frame, inside)).contains("interior free"));
        // SAFETY: the size is wrong on purpose; the frame reports it and changes nothing.
        let report = misuse_of(|| unsafe { frame.deallocate_sized(block, layout(99, 4)) });
        assert!(report.contains("wrong size") && report.contains("`growing`"), "{report}");
    }
    let outside = NonNull::from(&mut 0_u8);
    assert!(misuse_of(|| free(&frame, outside)).contains("foreign free"));
    frame.verify().expect("reports change nothing");
    frame.reset();
    for block in [blocks[0], blocks[50], blocks[99]] {
        assert!(misuse_of(|| free(&frame, block)).contains("double free"), "it was a block's");
        // SAFETY: the address is in the frame, and there is no block.
        assert_eq!(unsafe { frame.allocated_size(block) }, 0);
    }
}

#[test]
fn scopes_and_marks_go_back_over_chunks() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    let outer = fill(&frame, 12);
    let (room, stats) = (frame.remaining(), frame.stats());
    for _ in 0..3 {
        let mut scope = frame.scope();
        fill(&scope, 50);
        {
            let inner = scope.scope();
            fill(&inner, 100);
            free(&*inner, take(&*inner, 8, 512));
        }
        scope.verify().expect("sound");
        assert_eq!(scope.stats().live, 62);
        scope.reset();
        assert_eq!((scope.stats().live, scope.remaining()), (12, room));
        fill(&scope, 1);
    }
    // SAFETY: the mark is used once, with this frame, and what came after it is not used again.
    unsafe {
        let mark = frame.mark();
        fill(&frame, 70);
        frame.rewind(mark);
    }
    frame.verify().expect("sound");
    assert_eq!((frame.stats().live, frame.remaining()), (stats.live, room));
    check_contents(&outer);
    let chunks = backing.stats().live;
    {
        // Frees blocks from before it, back to the first chunk: what is before its start stays.
        let scope = frame.scope();
        outer.into_iter().rev().for_each(|block| free(&*scope, block));
        take(&*scope, 16, 8);
    }
    frame.verify().expect("sound");
    assert_eq!((frame.stats().live, backing.stats().live), (1, chunks));
    frame.reset();
    frame.assert_empty();
}

#[test]
fn used_bytes_are_those_of_the_blocks() {
    let backing = TestBacking::new();
    let mut frame = growing(&backing);
    assert_eq!(frame.used().flatten().count(), 0);
    for _ in 0..40 {
        frame.alloc_slice_copy(&[7_u8; 96]);
    }
    let bytes = frame.used().map(|bytes| {
        // SAFETY: all of them were written.
        assert!(bytes.iter().all(|byte| unsafe { byte.assume_init() } == 7), "as written");
        bytes.len()
    });
    let bytes: Vec<usize> = bytes.collect();
    assert_eq!((bytes.len(), bytes.iter().sum::<usize>()), (3, 40 * 96));
    assert!(bytes[0] < bytes[1] && bytes[2] < bytes[1], "from the newest: {bytes:?}");
}

#[test]
fn sites_are_kept_over_chunks() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let mut frame = growing(&backing).with_sites(Sites::new_in(&books));
    let blocks: Vec<_> = (0..100).map(|_| take(&frame, 100, 4)).collect();
    frame.alloc([0_u64; 9]);
    frame.verify().expect("sound");
    assert_eq!(frame.sites().count(), 101);
    free(&frame, blocks[0]);
    let scope = frame.scope();
    (0..100).for_each(|_| _ = take(&*scope, 100, 4));
    assert_eq!(scope.sites().count(), 200);
    drop(scope);
    assert_eq!(frame.sites().count(), 100);
    frame.verify().expect("sound");
}

#[test]
fn random_programs_agree_with_a_model_also_over_chunks() {
    for seed in 0..60 {
        println!("seed {seed}");
        let backing = TestBacking::new();
        let mut random = Random::new(seed);
        let bytes = random.below(2000);
        let mut frame =
            FrameAllocator::growing_in("model", bytes, &backing).expect("there is memory");
        if seed % 3 == 0 {
            frame.set_limit(Some(20_000));
        }
        run_program(&mut frame, &mut random);
        drop(frame);
        assert_eq!(backing.stats().live, 0, "all is given back");
    }
}

#[test]
fn a_least_alignment_holds_for_all_blocks() {
    fn check<const ALIGN: usize>(seed: u64) {
        println!("seed {seed}, alignment {ALIGN}");
        let backing = TestBacking::new();
        let mut random = Random::new(seed);
        let mut frame = growing(&backing);
        // A further chunk, so that the first one is not in use.
        take(&frame, 5000, 8);
        frame.reset();
        let mut frame = frame.with_min_align::<ALIGN>();
        assert_eq!((backing.stats().live, frame.stats().reserved), (1, FIRST), "all others went");
        run_program(&mut frame, &mut random);
        for size in [1, 8, 17, 300, 700] {
            take(&frame, size, ALIGN);
            let value = core::ptr::from_ref(frame.alloc(7_u8));
            assert!(value.addr().is_multiple_of(ALIGN), "a value is aligned, too");
        }
        frame.verify().expect("sound");
        assert!(backing.stats().live > 1, "it grows");
        drop(frame);
        assert_eq!(backing.stats().live, 0, "all is given back");
        let mut memory = memory(3000 + random.below(3000));
        let frame = FrameAllocator::from_region("region", &mut memory);
        let mut frame = frame.with_min_align::<ALIGN>();
        run_program(&mut frame, &mut random);
        take(&frame, 1, ALIGN);
        assert_eq!(frame.chunk.records(), 1, "no gap");
        let frame = FrameAllocator::new_in("fixed", 3000, &backing).expect("there is memory");
        run_program(&mut frame.with_min_align::<ALIGN>(), &mut random);
        assert_eq!(backing.stats().live, 0, "all is given back");
    }
    for seed in 0..8 {
        check::<8>(seed);
        check::<16>(seed);
        check::<64>(seed);
    }
}

#[test]
fn a_frame_without_room_may_be_aligned() {
    for bytes in 0..200 {
        let mut memory = memory(bytes);
        let frame = FrameAllocator::from_region("frame", &mut memory);
        let room = frame.remaining();
        let frame = frame.with_min_align::<32>();
        assert!(frame.remaining() <= room && frame.remaining() + 32 > room, "{bytes}");
        assert_eq!(frame.stats().reserved, bytes);
        frame.verify().expect("sound");
        while let Ok(block) = frame.allocate(layout(8, 8)) {
            // SAFETY: the block is live and this long.
            unsafe { block.cast::<u64>().write(7) };
        }
        frame.verify().expect("sound");
    }
    let mut memory = memory(500);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    take(&frame, 8, 8);
    let report = panic_of(|| _ = frame.with_min_align::<16>());
    assert!(report.contains("`frame`"), "it has a block: {report}");
}

#[test]
fn a_wrong_count_of_the_chunks_is_found() {
    let backing = TestBacking::new();
    let frame = growing(&backing);
    fill(&frame, 30);
    let growth = frame.growth().expect("it grows");
    growth.plant(1);
    let damage = frame.verify().expect_err("damage was planted");
    assert_eq!(damage.what, "the chunks and their counts differ");
    growth.plant(1_usize.wrapping_neg());
    frame.verify().expect("it is undone");
}

#[test]
fn a_frame_that_does_not_grow_has_the_limit_of_its_size() {
    let mut memory = [MaybeUninit::uninit(); 1000];
    let frame = FrameAllocator::from_region("frame", &mut memory);
    frame.set_limit(None);
    assert_eq!(frame.limit(), Some(1000));
    frame.shrink();
    let report = panic_of(|| _ = frame.alloc([0_u8; 2000]));
    assert!(report.contains("2000 bytes within its limit of 1000 bytes"), "{report}");
}
