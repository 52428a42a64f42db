//! Values of an arena in a frame: one block as long as they follow one another.

use std::vec::Vec;
use std::{println, vec};

use super::{blocks_of, free, layout, memory, take};
use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::frame::FrameAllocator;
use crate::owners::arena::Arena;
use crate::testing::test_backing::{Random, TestBacking, misuse_of};

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct Line(u8);

#[test]
fn values_that_follow_one_another_share_a_block() {
    let mut memory = memory(2000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    let (a, b, c) = (frame.alloc(1_u8), frame.alloc(2_u64), frame.alloc_str("three"));
    assert_eq!(room - frame.remaining(), 8 + 24, "a record and three times eight bytes");
    let d = frame.alloc([4_u32; 4]);
    assert_eq!((*a, *b, &*c, *d), (1, 2, "three", [4; 4]), "as written");
    let stats = frame.stats();
    assert_eq!((stats.live, stats.requested, stats.granted), (1, 40, 40));
    assert_eq!((stats.allocations_total, stats.requested_total), (1, 40));
    let blocks = blocks_of(&frame);
    assert_eq!((blocks.len(), blocks[0].bytes), (1, 40));
    frame.verify().expect("sound");
    frame.reset();
    assert_eq!((frame.stats().live, frame.remaining()), (0, room));
    assert_eq!((frame.stats().peak_granted, frame.stats().granted_total), (40, 40));
}

#[test]
fn a_block_between_ends_the_span() {
    let mut memory = memory(2000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    frame.alloc([1_u64; 4]);
    let block = take(&frame, 32, 8);
    assert_eq!(frame.stats().live, 2);
    frame.alloc(2_u64);
    assert_eq!((frame.stats().live, frame.stats().granted), (3, 72));
    // SAFETY: the block is live.
    assert_eq!(unsafe { frame.allocated_size(block) }, 32);
    frame.verify().expect("sound");
    free(&frame, block);
    frame.verify().expect("sound");
    assert_eq!((frame.stats().live, frame.stats().granted), (2, 40), "the spans are left");
    // The second span is the last block again, and goes on.
    let used = frame.remaining();
    frame.alloc(3_u64);
    assert_eq!((used - frame.remaining(), frame.stats().live), (8, 2));
}

#[test]
fn a_free_finds_an_open_span() {
    let mut memory = memory(2000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let room = frame.remaining();
    let block = take(&frame, 32, 8);
    free(&frame, block);
    let block = take(&frame, 32, 8);
    let value = frame.alloc(7_u64);
    // SAFETY: the block is live and has this layout.
    unsafe { frame.deallocate_sized(block, layout(32, 8)) };
    assert_eq!((*value, frame.stats().live), (7, 1), "the value is left");
    frame.verify().expect("sound");
    let grown = take(&frame, 16, 8);
    frame.alloc(8_u64);
    // SAFETY: the block is live and has this layout.
    let resized = unsafe { frame.resize_in_place(grown, layout(16, 8), layout(24, 8)) };
    assert_eq!(resized, Err(AllocError), "a value follows it");
    assert!(frame.remaining() < room);
    frame.verify().expect("sound");
}

#[test]
fn a_value_is_not_freed_singly() {
    let mut memory = memory(2000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let values = [frame.alloc([1_u64; 2]), frame.alloc([2_u64; 2])];
    let values = values.map(|value| core::ptr::NonNull::from(value).cast::<u8>());
    for value in values {
        assert!(misuse_of(|| free(&frame, value)).contains("foreign free"));
        // SAFETY: the layout is that of the value; the frame reports the free.
        let report = misuse_of(|| unsafe { frame.deallocate_sized(value, layout(16, 8)) });
        assert!(report.contains("foreign free"), "{report}");
    }
    // At the end of a span there is no block either, though it has the size of the record.
    // SAFETY: the end is in the frame.
    let end = unsafe { values[1].add(16) };
    assert!(misuse_of(|| free(&frame, end)).contains("double free"));
    // SAFETY: a block of no bytes is wrong on purpose.
    let report = misuse_of(|| unsafe { frame.deallocate_sized(end, layout(0, 1)) });
    assert!(report.contains("double free"), "{report}");
    assert_eq!((frame.stats().live, frame.stats().granted), (1, 32), "nothing has changed");
    frame.verify().expect("sound");
}

#[test]
fn a_scope_cuts_a_span_of_before_it() {
    let mut memory = memory(2000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    frame.alloc([1_u64; 2]);
    let (room, stats) = (frame.remaining(), frame.stats());
    for turn in 1..4 {
        let scope = frame.scope();
        scope.alloc([2_u64; 3]);
        assert_eq!((scope.stats().live, scope.stats().granted), (1, 40), "the span goes on");
        drop(scope);
        frame.verify().expect("sound");
        assert_eq!((frame.remaining(), frame.stats().granted), (room, 16), "turn {turn}");
        assert_eq!(frame.stats().granted_total, stats.granted_total + 24 * turn);
    }
    {
        let scope = frame.scope();
        take(&*scope, 8, 8);
        scope.alloc(3_u64);
        assert_eq!(scope.stats().live, 3);
    }
    assert_eq!((frame.remaining(), frame.stats().live), (room, 1));
    frame.verify().expect("sound");
}

#[test]
fn alignments_are_kept_in_spans() {
    let mut memory = memory(20_000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let mut lines = Vec::new();
    for number in 0..20 {
        frame.alloc(number);
        lines.push(frame.alloc(Line(number)));
    }
    for (number, line) in lines.into_iter().enumerate() {
        assert!(core::ptr::from_ref(line).addr().is_multiple_of(64), "aligned");
        assert_eq!(*line, Line(number as u8), "as written");
    }
    assert_eq!(frame.stats().live, 1);
    frame.verify().expect("sound");
}

#[test]
fn a_span_takes_the_last_bytes_of_a_frame() {
    for bytes in 900..1000 {
        let mut memory = memory(bytes);
        let mut frame = FrameAllocator::from_region("frame", &mut memory);
        let room = frame.remaining();
        let mut values = 0;
        while frame.try_alloc(values).is_ok() {
            values += 1_u64;
        }
        assert_eq!((values as usize, frame.remaining()), ((room - 8) / 8, 0), "{bytes}");
        assert_eq!(frame.allocate(layout(1, 1)), Err(AllocError), "it is full");
        frame.verify().expect("sound");
        frame.reset();
        let most = frame.remaining() - 8;
        assert!(frame.try_alloc_slice_copy(&vec![0_u8; most + 1]).is_err(), "a byte too many");
        assert!(frame.try_alloc_slice_copy(&vec![0_u8; most]).is_ok(), "all that there is");
    }
}

#[test]
fn spans_go_on_in_further_chunks() {
    let backing = TestBacking::new();
    let mut frame = FrameAllocator::growing_in("frame", 512, &backing).expect("memory");
    for _ in 0..3 {
        let values: Vec<&mut u32> = (0..1000).map(|number| frame.alloc(number)).collect();
        assert!(values.iter().map(|value| **value).eq(0..1000), "as written");
        assert_eq!(frame.stats().granted, 8000);
        assert_eq!(frame.stats().live, backing.stats().live, "a span in each chunk");
        frame.verify().expect("sound");
        frame.reset();
    }
}

#[test]
fn values_among_blocks_keep_their_contents() {
    for seed in 0..40 {
        println!("seed {seed}");
        let backing = TestBacking::new();
        let mut random = Random::new(seed);
        let mut frame = FrameAllocator::growing_in("frame", 700, &backing).expect("memory");
        for _ in 0..4 {
            let mut blocks = Vec::new();
            let mut values = Vec::new();
            for number in 0..200_u32 {
                match random.below(6) {
                    0 => {
                        let block = take(&frame, 40, 8).cast::<[u32; 10]>();
                        // SAFETY: the block is live and has this size.
                        unsafe { block.write([number; 10]) };
                        blocks.push((block, number));
                    }
                    1 if !blocks.is_empty() => {
                        free(&frame, blocks.swap_remove(random.below(blocks.len())).0.cast());
                    }
                    2 => frame.verify().expect("sound"),
                    _ => values.push((frame.alloc([number; 3]), number)),
                }
            }
            frame.verify().expect("sound");
            assert!(values.iter().all(|(value, number)| **value == [*number; 3]), "as written");
            for (block, number) in &blocks {
                // SAFETY: the block is live and was written.
                assert_eq!(unsafe { block.read() }, [*number; 10], "as written");
            }
            frame.reset();
        }
    }
}
