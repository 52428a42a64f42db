//! Tests of the canary: every write around a block is found and named, and there are no false
//! reports.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

use core::alloc::Layout;
use core::fmt::Debug;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::boxed::Box;
use std::format;
use std::println;
use std::vec;
use std::vec::Vec;

use super::CanaryAllocator;
use super::header::{HEADER, TOTAL_MAX};
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::heaps::heap::HeapAllocator;
use crate::linear::frame::FrameAllocator;
use crate::testing::test_backing::{TestBacking, misuse_of, panic_of};

mod model;
mod words;

/// Drops the result of a call that ends in a report.
fn ignore<T>(_answer: T) {}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(canary: &dyn Allocator, size: usize, align: usize) -> NonNull<u8> {
    canary.allocate(layout(size, align)).expect("there is memory").cast()
}

fn memory(bytes: usize) -> Box<[MaybeUninit<u8>]> {
    vec![MaybeUninit::new(0x33); bytes].into_boxed_slice()
}

/// Changes the given number of bytes at a distance from a block's start while `during` runs.
fn scribble(block: NonNull<u8>, from: isize, bytes: usize, during: impl FnOnce()) {
    let start = block.as_ptr().wrapping_offset(from);
    // SAFETY: tests scribble on guards, headers and memory of the backing's region alone, which no
    // other code reads meanwhile.
    let kept: Vec<u8> = (0..bytes).map(|at| unsafe { start.add(at).read() }).collect();
    for (at, byte) in kept.iter().enumerate() {
        // SAFETY: as above.
        unsafe { start.add(at).write(!byte) };
    }
    during();
    for (at, byte) in kept.iter().enumerate() {
        // SAFETY: as above.
        unsafe { start.add(at).write(*byte) };
    }
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<CanaryAllocator<'static, dyn Allocator + Sync>>();
    assert_send::<CanaryAllocator<'static, SharedRef<'static>>>();
};
const _: () = assert!(
    CanaryAllocator::layout_for(Layout::new::<u64>()).size() == 8 + HEADER + 8 + 16,
    "known before any canary exists"
);

#[test]
fn blocks_are_as_long_as_asked() {
    let backing = TestBacking::new();
    let canary: CanaryAllocator<'_> = CanaryAllocator::new_in("canary", &backing);
    assert_eq!(canary.backing().map(Allocator::name), Some("test backing"));
    for align in [1, 2, 8, 16, 64, 4096] {
        for size in [0, 1, 2, 7, 8, 9, 63, 64, 1000] {
            let asked = layout(size, align);
            let below = canary.layout_below(asked);
            assert_eq!(below, CanaryAllocator::layout_for(asked));
            let block = canary.allocate(asked).expect("there is memory");
            assert_eq!(block.len(), size.max(1));
            assert!(block.cast::<u8>().addr().get().is_multiple_of(align));
            let stats = canary.stats();
            let counted = (stats.live, stats.requested, stats.granted, stats.reserved);
            assert_eq!(counted, (1, size.max(1), size.max(1), below.size()));
            assert!(stats.exact && stats.peak_reserved >= below.size());
            assert_eq!(backing.stats().granted, below.size());
            assert!(canary.owns(block.cast().as_ptr()) && !canary.owns(core::ptr::null()));
            canary.verify().expect("sound");
            // SAFETY: the block is live and has this layout.
            unsafe {
                assert_eq!(canary.allocated_size(block.cast()), size.max(1));
                canary.deallocate_sized(block.cast(), asked);
            }
            assert_eq!((canary.stats().granted, canary.stats().reserved), (0, 0));
        }
    }
}

#[test]
fn what_no_address_space_holds_is_refused() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let most = isize::MAX as usize;
    for align in (0..usize::BITS - 1).map(|shift| 1 << shift) {
        for size in [most - (align - 1), most / 2, TOTAL_MAX] {
            let Ok(asked) = Layout::from_size_align(size, align) else { continue };
            assert_eq!(canary.allocate(asked), Err(AllocError), "{asked:?}");
            assert_eq!(canary.allocate_zeroed(asked), Err(AllocError), "{asked:?}");
            assert!(canary.layout_below(asked).size() >= size.min(most / 4), "{asked:?}");
        }
    }
    assert_eq!(backing.requests(), 0, "the backing was not called");
}

#[test]
fn zeroed_blocks_are_zero() {
    let mut memory = memory(16 << 10);
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &heap);
    for _ in 0..3 {
        let block = canary.allocate_zeroed(layout(50, 16)).expect("there is memory");
        // SAFETY: the block is live, its bytes were written, and it is freed once.
        unsafe {
            assert_eq!(block.as_ref(), [0; 50]);
            block.cast::<u8>().write_bytes(0xff, 50);
            canary.deallocate(block.cast());
        }
    }
}

/// The distances and lengths of the writes that must be found.
const WRITES: [usize; 4] = [1, 2, 8, 32];

#[test]
fn writes_around_a_block_are_named_at_every_call() {
    for (size, align) in [(64, 8), (1, 1), (61, 16), (100, 64)] {
        let mut memory = memory(16 << 10);
        let heap = HeapAllocator::from_region("heap", &mut memory);
        let canary = CanaryAllocator::new_in("canary", &heap);
        let asked = layout(size, align);
        let [_, block, _] = [(); 3].map(|()| take(&canary, size, align));
        for bytes in WRITES {
            for (from, name) in [(size as isize, "overrun"), (-(bytes as isize), "underrun")] {
                let check = |report: std::string::String| {
                    println!("{report}");
                    assert!(report.contains(name) && report.contains("`canary`"), "{report}");
                    assert!(report.contains(&std::format!("{block:p}")), "{report}");
                    assert!(report.contains("canary/tests.rs"), "{report}");
                };
                canary.verify().expect("nothing was written yet");
                scribble(block, from, bytes, || {
                    let damage = canary.verify().expect_err("verify finds it");
                    let nearest = if name == "overrun" { size as isize } else { -1 };
                    let at = block.as_ptr().wrapping_offset(nearest).cast_const();
                    let named = damage.what.starts_with(name) && damage.address == at;
                    // After the guard come the words of the next block, which may be checked
                    // earlier.
                    assert!(named || bytes > 16, "{damage}");
                    // SAFETY: the block is live; the call reports and changes nothing.
                    unsafe {
                        check(misuse_of(|| canary.deallocate(block)));
                        check(misuse_of(|| canary.deallocate_sized(block, asked)));
                        check(misuse_of(|| ignore(canary.allocated_size(block))));
                        let larger = layout(size + 40, align);
                        check(misuse_of(|| ignore(canary.resize_in_place(block, asked, larger))));
                        check(misuse_of(|| ignore(canary.reallocate(block, asked, larger))));
                    }
                });
            }
        }
        canary.verify().expect("all is as it was");
        free_all(&canary);
    }
}

fn free_all(canary: &dyn Allocator) {
    let mut blocks = Vec::new();
    canary.walk(&mut |block| blocks.push(block.address));
    assert_eq!(blocks.len(), canary.stats().live);
    for block in blocks {
        // SAFETY: a walk shows live blocks.
        unsafe { canary.deallocate(block) };
    }
}

#[test]
fn reports_tell_how_many_bytes_and_how_far() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let block = take(&canary, 20, 64);
    // SAFETY: the block is live; the call reports and changes nothing.
    let free = || misuse_of(|| unsafe { canary.deallocate(block) });
    for (from, bytes, words) in [
        (20, 1, "1 of 16 guard bytes changed, byte 1 past its end"),
        (23, 3, "3 of 16 guard bytes changed, bytes 4 to 6 past its end"),
        (-1, 1, "1 of 32 guard bytes changed, byte 1 before its start"),
        (-6, 2, "2 of 32 guard bytes changed, bytes 5 to 6 before its start"),
        // The pad before the header.
        (-64, 5, "5 of 32 guard bytes changed, bytes 60 to 64 before its start"),
        (-32, 32, "8 of 8 guard bytes changed, bytes 1 to 8 before its start"),
    ] {
        // The pad and the guard: 64 bytes minus the header.
        let words = words.replace("of 32", &format!("of {}", 64 - HEADER));
        scribble(block, from, bytes, || {
            let report = free();
            assert!(report.contains(&words), "{report}");
            let size_known = bytes < 32;
            assert_eq!(report.contains("the block has 20 bytes"), size_known, "{report}");
            assert_eq!(report.contains("of its header"), !size_known, "{report}");
        });
    }
    scribble(block, 25, 2, || {
        scribble(block, -2, 1, || {
            let report = free();
            assert!(report.contains("overrun"), "{report}");
            assert!(
                report.contains("2 of 16") && report.contains(&format!("1 of {}", 64 - HEADER)),
                "{report}"
            );
        });
    });
    // SAFETY: the block is live.
    unsafe { canary.deallocate(block) };
}

#[test]
fn every_bit_of_a_header_is_watched() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let blocks = [(); 3].map(|()| take(&canary, 24, 8));
    let start = -((HEADER + 8) as isize);
    for bit in 0..HEADER * 8 {
        let at = blocks[1].as_ptr().wrapping_offset(start + (bit / 8) as isize);
        // SAFETY: the byte is the header's.
        unsafe { at.write(at.read() ^ 1 << (bit % 8)) };
        let damage = canary.verify().expect_err("a bit was flipped");
        assert!(damage.what.contains("header"), "{damage}");
        // Each bit at its own block's free; at another's, the link to that block.
        let link = size_of::<*const u8>() * 8;
        let (to_younger, to_older) = (bit < link, (link..2 * link).contains(&bit));
        let [older, own, younger] = blocks;
        for (block, finds) in [(own, true), (younger, to_younger), (older, to_older)] {
            if !finds {
                continue;
            }
            // SAFETY: the block is live; the call reports and changes nothing.
            let report = misuse_of(|| unsafe { canary.deallocate(block) });
            assert!(report.contains("damage"), "bit {bit}: {report}");
            assert!(report.contains(&std::format!("{own:p}")), "bit {bit}: {report}");
            assert!(report.contains("its header was changed"), "bit {bit}: {report}");
        }
        // SAFETY: as above.
        unsafe { at.write(at.read() ^ 1 << (bit % 8)) };
    }
    canary.verify().expect("all is as it was");
    free_all(&canary);
}

#[test]
fn a_damaged_head_is_found_before_anything_is_taken() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let block = take(&canary, 24, 8);
    scribble(block, -((HEADER + 8) as isize), 4, || {
        let requests = backing.requests();
        let report = misuse_of(|| ignore(canary.allocate(layout(8, 8))));
        assert!(report.contains("damage"), "{report}");
        assert_eq!(backing.requests(), requests);
    });
    // SAFETY: the block is live.
    unsafe { canary.deallocate(block) };
}

#[test]
fn no_pattern_over_a_header_is_believed() {
    let mut memory = memory(16 << 10);
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &heap);
    let blocks = [(); 4].map(|()| take(&canary, 24, 8));
    let start = blocks[2].as_ptr().wrapping_sub(HEADER + 8);
    let mut kept = [0_u8; HEADER + 8];
    // SAFETY: the bytes are the header's and the guard's.
    unsafe { kept.as_mut_ptr().copy_from_nonoverlapping(start, kept.len()) };
    let found = |name: &str, what: &dyn Debug| {
        assert!(canary.verify().is_err(), "{what:?}");
        // SAFETY: the block is live; the call reports and changes nothing.
        let report = misuse_of(|| unsafe { canary.deallocate(blocks[2]) });
        assert!(report.contains(name), "{what:?}: {report}");
        assert!(report.contains(&std::format!("{:p}", blocks[2])), "{what:?}: {report}");
        // SAFETY: as above.
        unsafe { start.copy_from_nonoverlapping(kept.as_ptr(), kept.len()) };
        canary.verify().expect("all is as it was");
    };
    for byte in 0..=255_u8 {
        // SAFETY: the bytes are the header's and the guard's.
        unsafe { start.write_bytes(byte, kept.len()) };
        found("underrun", &byte);
    }
    // Some of the words complemented, or xored with one mask; an earlier check word, an exclusive
    // or of rotated words, accepted the first.
    let words = HEADER / 8;
    for which in 1..1_u32 << words {
        for change in [u64::MAX, 1, 1 << 21, 1 << 47, 0x00ff_00ff_00ff_00ff, 0xffff_ffff] {
            for word in (0..words).filter(|word| which & 1 << word != 0) {
                // SAFETY: the words are the header's.
                unsafe {
                    let at = start.cast::<u64>().add(word);
                    at.write(at.read() ^ change);
                }
            }
            found("damage", &(which, change));
        }
    }
    free_all(&canary);
}

#[test]
fn a_change_of_links_does_not_hide_damage() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let [older, own, younger] = [(); 3].map(|()| take(&canary, 24, 8));
    // The size, and the check word itself.
    for from in [-24, -16] {
        scribble(own, from, 3, || {
            let between = take(&canary, 24, 8);
            // SAFETY: the blocks are live; the last call reports and changes nothing.
            unsafe {
                canary.deallocate(between);
                assert!(misuse_of(|| canary.deallocate(own)).contains("damage"));
            }
            assert!(canary.verify().is_err());
        });
    }
    let at = own.as_ptr().wrapping_sub(24);
    // SAFETY: the byte is the header's, and the blocks are live; their neighbour's links change.
    unsafe {
        at.write(!at.read());
        canary.deallocate(younger);
        canary.deallocate(older);
        assert!(misuse_of(|| canary.deallocate(own)).contains("damage"));
        at.write(!at.read());
    }
    canary.verify().expect("the links are right");
    // SAFETY: the block is live.
    unsafe { canary.deallocate(own) };
}

#[test]
fn wrong_frees_are_told_apart() {
    let mut memory = memory(64 << 10);
    let heap = HeapAllocator::from_region("heap", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &heap);
    let other = CanaryAllocator::new_in("other", &heap);
    let asked = layout(64, 16);
    let [first, block, last] = [(); 3].map(|()| take(&canary, 64, 16));
    let theirs = take(&other, 64, 16);
    let bare = take(&heap, 200, 16);
    let mut foreign = [0_u128; 16];
    let foreign = NonNull::from(&mut foreign[8]).cast::<u8>();
    // SAFETY: these frees are wrong on purpose; each is reported and changes nothing.
    let reports = |wrong: NonNull<u8>, name: &str| unsafe {
        for report in [
            misuse_of(|| canary.deallocate(wrong)),
            misuse_of(|| canary.deallocate_sized(wrong, asked)),
            misuse_of(|| ignore(canary.resize_in_place(wrong, asked, layout(65, 16)))),
            misuse_of(|| ignore(canary.allocated_size(wrong))),
        ] {
            assert!(report.contains(name) && report.contains("`canary`"), "{name}: {report}");
            assert!(report.contains("canary/tests.rs"), "{report}");
        }
        canary.verify().expect("nothing has changed");
        other.verify().expect("nothing has changed");
    };
    // SAFETY: the block is live, and so is the byte.
    unsafe {
        for offset in [1, 16, 40, 63] {
            reports(block.add(offset), "interior free");
        }
        reports(theirs, "foreign free");
        reports(bare.add(64), "foreign free");
        reports(foreign, "foreign free");
        for wrong in [63, 65, 512] {
            let wrong = layout(wrong, 16);
            for report in [
                misuse_of(|| canary.deallocate_sized(block, wrong)),
                misuse_of(|| ignore(canary.resize_in_place(block, wrong, asked))),
            ] {
                assert!(report.contains("wrong size"), "{report}");
            }
        }
        canary.deallocate(block);
        reports(block, "double free");
        canary.deallocate(first);
        reports(first, "double free");
        reports(block, "double free");
        canary.deallocate_sized(last, asked);
        other.deallocate(theirs);
        reports(last, "double free");
        heap.deallocate(bare);
    }
}

#[test]
fn blocks_change_their_size_in_place() {
    let mut memory = memory(8192);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let canary = CanaryAllocator::new_in("canary", &frame);
    let below = take(&canary, 10, 8);
    let block = take(&canary, 100, 32);
    // SAFETY: the block is live and `old` is its layout, in each call.
    unsafe {
        block.write_bytes(0x42, 100);
        let mut old = layout(100, 32);
        for size in [103, 104, 200, 900, 880, 1, 0, 0, 40] {
            let new = layout(size, 32);
            let resized = canary.resize_in_place(block, old, new).expect("it is the last");
            assert_eq!((resized.cast(), resized.len()), (block, size.max(1)));
            assert_eq!(canary.allocated_size(block), size.max(1));
            let stats = canary.stats();
            let reserved =
                canary.layout_below(layout(10, 8)).size() + canary.layout_below(new).size();
            assert_eq!(
                (stats.live, stats.granted, stats.reserved),
                (2, 10 + size.max(1), reserved)
            );
            assert_eq!(block.read(), 0x42);
            canary.verify().expect("sound");
            scribble(block, size.max(1) as isize, 1, || {
                assert!(misuse_of(|| canary.deallocate(block)).contains("overrun"));
            });
            old = new;
        }
        let stats = canary.stats();
        assert_eq!(stats.peak_granted, 910);
        let grown = (3 + 1 + 96 + 700) + 39;
        assert_eq!(stats.requested_total, 110 + grown);
        // The frame refuses to resize an older block, and nothing changes.
        let refused = canary.resize_in_place(below, layout(10, 8), layout(500, 8));
        assert_eq!(refused, Err(AllocError));
        assert_eq!(canary.stats(), stats);
        let moved = canary.reallocate(below, layout(10, 8), layout(500, 8)).expect("room");
        assert_eq!(moved.len(), 500);
        canary.verify().expect("sound");
        canary.deallocate(moved.cast());
        canary.deallocate_sized(block, old);
    }
}

#[test]
fn refusals_change_nothing() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let block = take(&canary, 10, 8);
    for turn in 0..3 {
        let before = (canary.stats(), backing.stats());
        backing.refuse_from(0);
        assert_eq!(canary.allocate(layout(8, 8)), Err(AllocError));
        assert_eq!(canary.allocate_zeroed(layout(8, 64)), Err(AllocError));
        // SAFETY: the block is live and has this layout.
        let moved = unsafe { canary.reallocate(block, layout(10, 8), layout(20 + turn, 8)) };
        assert_eq!(moved, Err(AllocError));
        assert_eq!((canary.stats(), backing.stats()), before);
        canary.verify().expect("sound");
        backing.refuse_none();
    }
    // SAFETY: the block is live.
    unsafe { canary.deallocate(block) };
}

#[test]
fn a_leak_lists_the_blocks() {
    let mut memory = memory(8192);
    let frame = FrameAllocator::from_region("frame", &mut memory);
    let report = panic_of(|| {
        let canary = CanaryAllocator::new_in("sound", &frame);
        take(&canary, 100, 8);
        take(&canary, 33, 8);
    });
    assert!(report.contains("`sound` was dropped with 2 live blocks of 133 bytes"), "{report}");
    assert!(report.contains(", 100 bytes") && report.contains(", 33 bytes"), "{report}");
}

#[test]
fn it_may_move_with_live_blocks() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let block = take(&canary, 100, 8);
    let moved = Box::new(canary);
    let second = take(&*moved, 10, 8);
    moved.verify().expect("sound");
    // SAFETY: the blocks are live in the backing, and the list leads to them.
    unsafe {
        moved.deallocate(block);
        moved.deallocate(second);
    }
}

#[test]
fn a_report_by_a_move_leaves_no_second_block() {
    let backing = TestBacking::new();
    let canary = CanaryAllocator::new_in("canary", &backing);
    let [older, own, younger] = [(); 3].map(|()| take(&canary, 24, 8));
    // The link to the middle block, in the headers of both neighbours.
    let [prev, next] = [0, size_of::<usize>() as isize].map(|at| at - (HEADER + 8) as isize);
    for (beside, link) in [(older, prev), (younger, next)] {
        scribble(beside, link, 2, || {
            let report = misuse_of(|| {
                // SAFETY: the block is live and has this layout; the call reports.
                ignore(unsafe { canary.reallocate(own, layout(24, 8), layout(100, 8)) });
            });
            assert!(report.contains("damage"), "{report}");
            assert_eq!((canary.stats().live, backing.stats().live), (3, 3), "no new one is lost");
        });
    }
    canary.verify().expect("all is as it was");
    free_all(&canary);
}
