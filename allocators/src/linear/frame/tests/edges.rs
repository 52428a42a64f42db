//! The last byte of a region, wrong frees of the last block, and marks in awkward places.

use core::ptr::NonNull;
use std::vec::Vec;

use super::{blocks_of, free, layout, memory, take};
use crate::bookkeeping::sites::Sites;
use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::frame::FrameAllocator;
use crate::linear::frame::record::Record;
use crate::testing::test_backing::{TestBacking, misuse_of};

#[test]
fn equal_blocks_fill_a_frame_to_its_last_byte() {
    for size in [8, 16, 24] {
        let mut memory = memory(1024);
        let frame = FrameAllocator::from_region("frame", &mut memory);
        let room = frame.remaining();
        while frame.allocate(layout(size, 8)).is_ok() {}
        // The run has one record.
        let left = (room - 8) % size;
        assert_eq!((frame.stats().live, frame.remaining()), ((room - 8) / size, left), "{size}");
        frame.verify().expect("sound");
    }
}

#[test]
fn a_padded_block_takes_all_that_is_left() {
    let mut memory = memory(4096);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let mut before = Vec::new();
    while frame.chunk.cursor.get().addr().get().is_multiple_of(64) {
        before.push(take(&frame, 8, 8));
    }
    let padding = frame.chunk.cursor.get().addr().get().wrapping_neg() % 64;
    // A record for the gap and one for the block.
    let most = frame.remaining() - padding - 16;
    assert_eq!(frame.allocate(layout(most + 1, 64)), Err(AllocError), "a byte too many");
    let block = take(&frame, most, 64);
    assert_eq!(frame.remaining(), 0, "nothing is left");
    frame.verify().expect("sound");
    free(&frame, block);
    before.into_iter().rev().for_each(|block| free(&frame, block));
    frame.assert_empty();
}

#[test]
fn a_wrong_size_is_found_where_frees_are_quick() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    // Once the peak is known, freeing the last block takes the fast path.
    free(&frame, take(&frame, 40, 8));
    let block = take(&frame, 40, 8);
    assert!(frame.chunk.cursor.get().addr().get() <= frame.quick.get(), "no new peak");
    for wrong in [0, 39, 41, 48] {
        // SAFETY: the size is wrong on purpose; the frame reports it and changes nothing.
        let report = misuse_of(|| unsafe { frame.deallocate_sized(block, layout(wrong, 8)) });
        assert!(report.contains("wrong size"), "{wrong}: {report}");
    }
    assert_eq!((frame.stats().live, frame.stats().granted), (1, 40), "nothing has changed");
    // SAFETY: the block is live and has this layout.
    unsafe { frame.deallocate_sized(block, layout(40, 8)) };
    frame.assert_empty();
    frame.verify().expect("sound");
}

#[test]
fn an_empty_frame_has_no_last_block() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    // The start of a last block if the ground were a record. With 32 bits it is after the cursor.
    let below = frame.chunk.memory.get().as_ptr().wrapping_sub(Record::GROUND.bytes());
    let below = NonNull::new(below).expect("the memory does not begin there");
    let said = if cfg!(target_pointer_width = "64") { "foreign free" } else { "double free" };
    assert!(misuse_of(|| free(&frame, below)).contains(said), "there is no block");
    assert_eq!((frame.stats().live, frame.remaining() > 900), (0, true), "nothing has changed");
    frame.verify().expect("sound");
}

/// With 32 bits the ground's blocks, rounded up, had a length of zero, so the cursor was the start
/// of the last.
#[test]
fn an_only_block_is_freed_once() {
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let block = take(&frame, 40, 8);
    free(&frame, block);
    assert!(misuse_of(|| free(&frame, block)).contains("double free"), "it is free");
    assert_eq!((frame.stats().live, frame.stats().granted), (0, 0), "nothing has changed");
    frame.verify().expect("sound");
}

/// Found under Valgrind, where memory is at such low addresses.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn an_empty_frame_within_the_lowest_4_gib_has_no_last_block_either() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses a free place.
    let mapped = unsafe { libc::mmap(core::ptr::null_mut(), 4096, protection, flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        std::println!("skipped: the kernel gives no memory below 2 GiB");
        return;
    }
    assert!(mapped.addr() < 1 << 31, "as asked");
    // SAFETY: the page was just mapped, zeroed, and no other code uses it until it is unmapped.
    let region = unsafe { core::slice::from_raw_parts_mut(mapped.cast(), 4096) };
    let frame = FrameAllocator::from_region("frame", region);
    let below = frame.chunk.memory.get().as_ptr().wrapping_sub(Record::GROUND.bytes());
    let below = NonNull::new(below).expect("it is near the upper end");
    assert!(misuse_of(|| free(&frame, below)).contains("foreign free"), "there is no block");
    frame.verify().expect("sound");
    drop(frame);
    // SAFETY: nothing refers to the page any more.
    assert_eq!(unsafe { libc::munmap(mapped, 4096) }, 0, "unmapped");
}

#[test]
fn a_gap_across_the_start_of_a_scope_goes_with_it() {
    let mut memory = memory(1000);
    // So that the frame's memory is 8 bytes after a multiple of 64.
    let skip = memory.as_ptr().align_offset(64) + 8;
    let mut frame = FrameAllocator::from_region("frame", &mut memory[skip..]);
    let room = frame.remaining();
    let older = [(); 4].map(|()| take(&frame, 8, 8));
    {
        let scope = frame.scope();
        older.into_iter().rev().for_each(|block| free(&*scope, block));
        // 56 bytes are skipped from the start on, and the scope began at 32.
        let block = take(&*scope, 8, 64);
        assert_eq!(scope.chunk.offset_of(block), 56, "after the gap");
        scope.verify().expect("sound");
    }
    frame.verify().expect("sound");
    assert_eq!((frame.stats().live, frame.remaining()), (0, room), "the gap is gone too");
    take(&frame, 8, 8);
    assert_eq!(blocks_of(&frame).len(), 1, "and served again");
    frame.reset();
}

#[test]
fn what_is_dead_before_the_end_of_a_scope_goes_with_it() {
    let mut memory = memory(1000);
    let mut frame = FrameAllocator::from_region("frame", &mut memory);
    let outer = take(&frame, 16, 8);
    let left = frame.remaining();
    let second = take(&frame, 24, 8);
    let padded = take(&frame, 8, 64);
    {
        let scope = frame.scope();
        take(&*scope, 100, 8);
        free(&*scope, padded);
        free(&*scope, second);
        assert_eq!(scope.stats().live, 2, "the first and that of the scope");
        scope.verify().expect("sound");
    }
    frame.verify().expect("sound");
    assert_eq!((frame.stats().live, frame.remaining()), (1, left), "the first alone is left");
    free(&frame, outer);
}

#[test]
fn a_scope_from_the_start_forgets_all_sites() {
    let books = TestBacking::new();
    let mut memory = memory(1000);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let mut frame = frame.with_sites(Sites::new_in(&books));
    for _ in 0..3 {
        let scope = frame.scope();
        for size in [8, 8, 100, 24] {
            take(&*scope, size, 8);
        }
        assert_eq!(scope.sites().count(), 4, "each is known");
        drop(scope);
        assert_eq!(frame.sites().count(), 0, "each is forgotten");
        frame.verify().expect("sound");
    }
}
