//! Cases that single calls cannot reach otherwise: the last word of bits, half-freed blocks,
//! counters off by one.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec;
use std::vec::Vec;

use crate::contract::allocator::{AllocError, Allocator};
use crate::linear::shared_frame::SharedFrame;
use crate::linear::shared_frame::bits::{Bits, GRAIN};
use crate::testing::test_backing::misuse_of;

fn bytes(size: usize) -> Layout {
    Layout::array::<u8>(size).expect("a layout")
}

fn take(frame: &dyn Allocator, size: usize) -> NonNull<u8> {
    frame.allocate(bytes(size)).expect("there is room").cast()
}

fn listed(frame: &SharedFrame<'_>) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    frame.walk(&mut |block| {
        blocks.push((block.address.addr().get() - frame.memory.addr().get(), block.bytes));
    });
    blocks
}

/// Memory of a frame with 256 bytes for blocks, whose bits just fill a word or more.
fn memory() -> Memory {
    Memory([MaybeUninit::uninit(); 33 * 8])
}

/// Aligned for blocks, as an array of `u64` is not on every machine.
#[repr(align(8))]
struct Memory([MaybeUninit<u8>; 33 * 8]);

fn frame_in(memory: &mut Memory) -> SharedFrame<'_> {
    let frame = SharedFrame::from_region("frame", &mut memory.0);
    assert_eq!(frame.remaining(), 256, "all but a word or two of bits");
    frame
}

#[test]
fn as_much_is_left_for_blocks_as_can_be() {
    // A word of bits for each 256 bytes; with 32 bits, for each 128.
    let (word, covered) = (size_of::<usize>(), 32 * size_of::<usize>());
    for bytes in 0..3000_usize {
        let fits = |&room: &usize| room + word * room.div_ceil(covered) <= bytes;
        let most = (0..=bytes).step_by(8).take_while(fits).last().unwrap_or(0);
        let room = Bits::room_in(bytes);
        // A rest that is not a whole word can cost one.
        let is_most = room == most || (!bytes.is_multiple_of(8) && room + 8 == most);
        assert!(is_most && room.is_multiple_of(8), "{room} of {bytes} bytes, where {most} fit");
    }
}

#[test]
fn a_frame_stays_within_its_region() {
    for skip in 0..9 {
        for length in 0..600 {
            let mut memory = vec![MaybeUninit::new(7_u8); skip + length + 24];
            let frame = SharedFrame::from_region("frame", &mut memory[skip..skip + length]);
            while let Ok(block) = frame.allocate(bytes(8)) {
                // SAFETY: the block is live and this long.
                unsafe { block.cast::<u8>().write_bytes(9, 8) };
            }
            frame.validate();
            drop(frame);
            let (before, behind) = (&memory[..skip], &memory[skip + length..]);
            for byte in before.iter().chain(behind) {
                // SAFETY: the bytes outside of the region were written above.
                let byte = unsafe { byte.assume_init() };
                assert_eq!(byte, 7, "outside of {length} bytes from {skip} on");
            }
        }
    }
}

#[test]
fn the_end_of_the_memory_is_none_of_its() {
    let mut memory = memory();
    let frame = frame_in(&mut memory);
    let block = take(&frame, 256);
    assert_eq!(frame.remaining(), 0, "all of it");
    let end = block.as_ptr().wrapping_add(256);
    let owned = [0, 255, 256].map(|offset| frame.owns(block.as_ptr().wrapping_add(offset)));
    assert_eq!(owned, [true, true, false], "up to the bits");
    assert!(!frame.owns(block.as_ptr().wrapping_sub(1)), "nothing before it");
    let end = NonNull::new(end).expect("it is in the array");
    // SAFETY: the address is not a block on purpose; it is reported and nothing changes.
    let report = misuse_of(|| unsafe { frame.deallocate(end) });
    assert!(report.contains("foreign free"), "{report}");
    // SAFETY: as above; it is not a block.
    assert_eq!(unsafe { frame.allocated_size(end) }, 0, "it is not a block");
    // SAFETY: the block is live.
    unsafe { frame.deallocate(block) };
    // SAFETY: it is no longer a block, and none of its bytes is read.
    assert_eq!(unsafe { frame.allocated_size(block) }, 0, "it is no longer a block");
    frame.validate();
}

#[test]
fn the_last_block_may_grow_to_the_end() {
    let mut memory = memory();
    let frame = frame_in(&mut memory);
    let [first, last] = [take(&frame, 9), take(&frame, 10)];
    // SAFETY: the block is live and has this layout, in each call.
    unsafe {
        let refused = frame.resize_in_place(last, bytes(10), bytes(241));
        assert_eq!(refused, Err(AllocError), "a byte too many");
        let grown = frame.resize_in_place(last, bytes(10), bytes(240)).expect("just enough");
        assert_eq!((grown.len(), frame.remaining()), (240, 0), "all that was left");
        let stats = frame.stats();
        assert_eq!((stats.requested_total, stats.granted_total), (249, 256), "what was added");
        frame.resize_in_place(last, bytes(240), bytes(20)).expect("it shrinks");
        let stats = frame.stats();
        assert_eq!((stats.requested_total, stats.granted_total), (249, 256), "nothing was added");
        frame.deallocate_sized(last, bytes(20));
        frame.deallocate_sized(first, bytes(9));
    }
    frame.validate();
}

#[test]
fn what_starts_words_before_is_found() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    let frame = SharedFrame::from_region("frame", &mut memory);
    let block = take(&frame, 2000);
    for inside in (8..2000).step_by(8) {
        // SAFETY: the address is within the block; the free is wrong on purpose.
        let report = misuse_of(|| unsafe { frame.deallocate(block.add(inside)) });
        assert!(report.contains("interior free"), "{inside}: {report}");
    }
    // SAFETY: the block is live.
    unsafe { frame.deallocate(block) };
}

#[test]
fn of_a_block_that_is_gone_nothing_is_claimed() {
    let mut memory = memory();
    let frame = frame_in(&mut memory);
    let [first, second] = [take(&frame, 16), take(&frame, 24)];
    // SAFETY: the block is live.
    unsafe { frame.deallocate(first) };
    assert_eq!(frame.bits.claim(0), None, "another thread has freed it");
    assert_eq!(listed(&frame), [(16, 24)], "the next is as it was");
    frame.validate();
    // SAFETY: the block is live.
    unsafe { frame.deallocate_sized(second, bytes(24)) };
}

#[test]
fn a_block_that_has_lost_its_end_is_left_out() {
    let mut memory = memory();
    let frame = frame_in(&mut memory);
    let blocks = [16, 24, 32].map(|size| take(&frame, size));
    let all = [(0, 16), (16, 24), (40, 32)];
    assert_eq!(listed(&frame), all, "one after the other");
    // As another thread leaves them in the middle of a free: the start is there and the end is not.
    let (first_end, ends) = (16 / GRAIN, [40 / GRAIN, 72 / GRAIN]);
    frame.bits.move_end(ends[0], first_end);
    assert_eq!(listed(&frame), [(0, 16), (40, 32)], "the end of the third is not its own");
    frame.bits.move_end(ends[1], ends[0]);
    assert_eq!(listed(&frame), [(0, 16), (16, 24)], "after the third there is no end");
    assert_eq!(frame.bits.end_of(40 / GRAIN), None, "up to the last word");
    // SAFETY: the block is live, but for its end.
    assert_eq!(unsafe { frame.allocated_size(blocks[2]) }, 0, "its size is unknown");
    frame.bits.set(40 / GRAIN, ends[1]);
    assert_eq!(listed(&frame), all, "as it was");
    for block in blocks.into_iter().rev() {
        // SAFETY: the block is live.
        unsafe { frame.deallocate(block) };
    }
    frame.validate();
}

#[test]
fn each_count_is_compared_alone() {
    let more = Err("more was freed than allocated");
    for bytes_alone in [true, false] {
        let mut memory = memory();
        let frame = frame_in(&mut memory);
        assert_eq!(frame.verify().map_err(|damage| damage.what), Ok(()), "nothing is counted");
        if bytes_alone {
            frame.counters.count_resize(8, 0, 8, 0);
        } else {
            frame.counters.count_free(0);
        }
        let told = frame.verify().map_err(|damage| damage.what);
        assert_eq!(told, more, "bytes alone: {bytes_alone}");
    }
}
