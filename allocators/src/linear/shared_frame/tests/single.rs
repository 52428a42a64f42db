//! One thread: cursor and bits, sizes, wrong frees, a model.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::vec::Vec;
use std::{println, vec};

use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::linear::shared_frame::SharedFrame;
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};
use crate::threads::sync::shared::Ordering;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(frame: &dyn Allocator, size: usize) -> NonNull<u8> {
    frame.allocate(layout(size, 1)).expect("there is room").cast()
}

const fn assert_shared<T: Send + Sync>() {}
const _: () = {
    assert_shared::<SharedFrame<'static>>();
    assert_shared::<SharedFrame<'static, SharedRef<'static>>>();
    assert_shared::<SharedFrame<'static, TestBacking>>();
};

#[test]
fn blocks_lie_one_behind_the_other() {
    let mut memory = vec![MaybeUninit::uninit(); 4096];
    for skipped in 0..9 {
        let region = &mut memory[skipped..];
        let bytes = region.len();
        let frame = SharedFrame::from_region("frame", region);
        let room = frame.remaining();
        assert!(room >= bytes * 32 / 33 - 40, "{room} of {bytes} bytes for blocks");
        let [one, two] = [take(&frame, 1), take(&frame, 20)];
        assert_eq!(two.addr().get() - one.addr().get(), 8);
        assert_eq!(frame.remaining(), room - 32);
        let stats = frame.stats();
        assert_eq!((stats.live, stats.granted, stats.reserved), (2, 32, bytes));
        assert_eq!((stats.requested_total, stats.granted_total, stats.exact), (21, 32, false));
        // SAFETY: the blocks are live.
        unsafe {
            assert_eq!((frame.allocated_size(one), frame.allocated_size(two)), (8, 24));
            frame.deallocate_sized(two, layout(20, 1));
            assert_eq!(frame.remaining(), room - 8, "the last block gives its memory back");
            frame.deallocate(one);
        }
        assert_eq!(frame.remaining(), room);
        let mut blocks = 0;
        while frame.allocate(layout(8, 8)).is_ok() {
            blocks += 1;
        }
        assert_eq!((blocks, frame.remaining()), (room / 8, 0));
        frame.validate();
    }
}

#[test]
fn regions_without_room_serve_nothing() {
    for bytes in 0..17 {
        let mut memory = vec![MaybeUninit::uninit(); bytes];
        let frame = SharedFrame::from_region("small", &mut memory);
        if frame.remaining() == 0 {
            assert_eq!(frame.allocate(layout(0, 1)), Err(AllocError));
        }
        assert!(frame.remaining() <= bytes.saturating_sub(size_of::<usize>()), "{bytes}");
        assert_eq!(frame.allocate(layout(isize::MAX as usize, 1)), Err(AllocError));
        assert_eq!(frame.allocate(layout(8, 1 << (usize::BITS - 2))), Err(AllocError));
        frame.validate();
    }
}

#[test]
fn alignments_leave_gaps() {
    let mut memory = vec![MaybeUninit::uninit(); 10_000];
    let mut frame = SharedFrame::from_region("frame", &mut memory);
    for align in (0..12).map(|shift| 1 << shift) {
        frame.reset();
        let _ = take(&frame, 3);
        let block = frame.allocate(layout(100, align)).expect("there is room").cast::<u8>();
        assert!(block.addr().get().is_multiple_of(align), "{align}");
        // SAFETY: the block is live.
        assert_eq!(unsafe { frame.allocated_size(block) }, 104);
        frame.validate();
    }
}

#[test]
fn reset_frees_everything() {
    let backing = TestBacking::new();
    let mut frame = SharedFrame::new_in("frame", 20_000, &backing).expect("there is memory");
    assert_eq!(frame.backing().map(Allocator::name), Some("test backing"));
    let room = frame.remaining();
    for round in 0..10_u64 {
        let blocks: Vec<_> = (0..100).map(|size| take(&frame, size)).collect();
        // SAFETY: the block is live.
        unsafe { frame.deallocate(blocks[50]) };
        assert_eq!(frame.stats().live, 99);
        frame.validate();
        frame.reset();
        frame.assert_empty();
        frame.validate();
        assert_eq!(frame.remaining(), room);
        let stats = frame.stats();
        assert_eq!((stats.live, stats.granted), (0, 0));
        assert_eq!(stats.allocations_total, 100 * (round + 1));
        assert_eq!(stats.requested_total, 4950 * (round + 1));
        assert_eq!(stats.peak_granted, (0..100).map(|n: usize| n.max(1).next_multiple_of(8)).sum());
    }
    let _ = take(&frame, 100);
    let said = panic_of(|| frame.assert_empty());
    assert!(said.contains("`frame` was dropped with 1 live block of 104 bytes"), "{said}");
}

#[test]
fn a_backing_that_refuses_is_passed_on() {
    let backing = TestBacking::new();
    backing.refuse_nth(0);
    assert!(SharedFrame::new_in("frame", 1000, &backing).is_err());
    assert!(SharedFrame::new_in("frame", usize::MAX, &backing).is_err());
    assert_eq!(backing.stats().live, 0);
    drop(SharedFrame::new_in("frame", 1000, &backing).expect("there is memory"));
}

#[test]
fn the_last_block_changes_its_size_in_place() {
    let mut memory = vec![MaybeUninit::uninit(); 2000];
    let frame = SharedFrame::from_region("frame", &mut memory);
    let [first, last] = [take(&frame, 100), take(&frame, 600)];
    // SAFETY: the blocks are live and have these layouts, in each call.
    unsafe {
        let grown = frame.resize_in_place(last, layout(600, 1), layout(1000, 1));
        assert_eq!(grown.map(|block| block.len()), Ok(1000));
        assert_eq!((frame.allocated_size(last), frame.stats().granted), (1000, 1104));
        frame.validate();
        let refused = frame.resize_in_place(last, layout(1000, 1), layout(1900, 1));
        assert_eq!(refused, Err(AllocError));
        let shrunk = frame.resize_in_place(last, layout(1000, 1), layout(3, 1));
        assert_eq!(shrunk.map(|block| block.len()), Ok(8));
        assert_eq!((frame.allocated_size(last), frame.stats().granted), (8, 112));
        frame.validate();
        let before = frame.stats();
        assert_eq!(frame.resize_in_place(first, layout(100, 1), layout(105, 1)), Err(AllocError));
        assert_eq!(frame.resize_in_place(first, layout(100, 1), layout(8, 1)), Err(AllocError));
        assert_eq!(frame.stats(), before);
        let same = frame.resize_in_place(first, layout(100, 1), layout(97, 1));
        assert_eq!(same.map(|block| block.len()), Ok(104));
        frame.deallocate_sized(first, layout(97, 1));
        frame.deallocate_sized(last, layout(3, 1));
    }
    frame.validate();
    assert_eq!((frame.stats().live, frame.stats().peak_granted), (0, 1104));
}

#[test]
fn wrong_frees_are_found() {
    let mut memory = vec![MaybeUninit::uninit(); 8000];
    let frame = SharedFrame::from_region("level", &mut memory);
    let blocks: Vec<_> = [64, 8, 64, 1000, 64].into_iter().map(|size| take(&frame, size)).collect();
    // SAFETY: the frees are wrong on purpose, but for the first; they are reported, and nothing
    // changes.
    unsafe {
        frame.deallocate(blocks[2]);
        let before = (frame.stats(), frame.remaining());
        let said = misuse_of(|| frame.deallocate(blocks[2]));
        assert!(said.contains("double free") && said.contains("`level`"), "{said}");
        assert!(said.contains("shared_frame/tests/single.rs"), "{said}");
        assert!(misuse_of(|| frame.deallocate_sized(blocks[2], layout(64, 1))).contains("double"));
        assert!(misuse_of(|| frame.deallocate(blocks[4].add(64))).contains("double free"));
        for (block, inside) in [(0, 1), (0, 8), (0, 56), (3, 8), (3, 504), (3, 992), (3, 995)] {
            let said = misuse_of(|| frame.deallocate(blocks[block].add(inside)));
            assert!(said.contains("interior free"), "{block} {inside}: {said}");
        }
        // 136 bytes end where the dead block did, 144 in the next.
        for wrong in [56, 72, 136, 144, 512] {
            let said = misuse_of(|| frame.deallocate_sized(blocks[0], layout(wrong, 1)));
            assert!(said.contains("wrong size"), "{wrong}: {said}");
        }
        let mut foreign = 0_u64;
        let foreign = NonNull::from(&mut foreign).cast();
        assert!(misuse_of(|| frame.deallocate(foreign)).contains("foreign free"));
        let bits = frame.memory.add(frame.room);
        assert!(misuse_of(|| frame.deallocate(bits)).contains("foreign free"));
        let resized = misuse_of(|| {
            let _ = frame.resize_in_place(blocks[2], layout(64, 1), layout(8, 1));
        });
        assert!(resized.contains("double free"), "{resized}");
        assert_eq!((frame.stats(), frame.remaining()), before, "nothing has changed");
    }
    frame.validate();
}

#[test]
fn damage_is_found() {
    let mut memory = vec![MaybeUninit::uninit(); 1000];
    let frame = SharedFrame::from_region("frame", &mut memory);
    frame.verify().expect("sound");
    for wrong in [frame.room + 8, 4] {
        frame.counters.cursor.store(wrong, Ordering::Relaxed);
        assert!(frame.verify().is_err(), "the cursor is at {wrong}");
    }
    frame.counters.cursor.store(0, Ordering::Relaxed);
    frame.counters.count_free(8);
    assert!(frame.verify().is_err(), "a free too many");
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut memory = vec![MaybeUninit::uninit(); 500 + random.below(20_000)];
        let mut frame = SharedFrame::from_region("model", &mut memory);
        let mut live: BTreeMap<usize, (NonNull<u8>, Layout)> = BTreeMap::new();
        let (mut peak, mut asked, mut total) = (0, 0, 0);
        let granted = |layout: &Layout| layout.size().max(1).next_multiple_of(8);
        for _ in 0..1500 {
            match random.below(20) {
                0..12 => {
                    let request = layout(random.below(200), 1 << random.below(8));
                    let before = frame.remaining();
                    let Ok(block) = frame.allocate(request) else {
                        assert!(before < granted(&request) + request.align(), "refused with room");
                        continue;
                    };
                    let start = block.cast::<u8>().addr().get();
                    let lower = live.range(..start).next_back();
                    assert!(lower.is_none_or(|(at, (_, l))| at + granted(l) <= start), "overlap");
                    assert!(live.range(start..).next().is_none(), "it is after all others");
                    assert_eq!(block.len(), granted(&request));
                    live.insert(start, (block.cast(), request));
                    (asked, total) = (asked + request.size() as u64, total + 1);
                }
                12..19 => {
                    // Usually the last block.
                    let nth = if random.below(3) == 0 { random.below(live.len() + 1) } else { 0 };
                    let Some((&key, _)) = live.iter().rev().nth(nth) else { continue };
                    let (block, request) = live.remove(&key).expect("it was just seen");
                    // SAFETY: the block is live and has this layout.
                    unsafe {
                        if random.below(2) == 0 {
                            frame.deallocate(block);
                        } else {
                            frame.deallocate_sized(block, request);
                        }
                    }
                }
                _ if random.below(20) == 0 => {
                    frame.reset();
                    live.clear();
                }
                _ => frame.validate(),
            }
            let bytes: usize = live.values().map(|(_, layout)| granted(layout)).sum();
            peak = peak.max(bytes);
            let stats = frame.stats();
            assert_eq!((stats.live, stats.granted), (live.len(), bytes));
            assert_eq!((stats.peak_granted, stats.requested_total), (peak, asked));
            assert_eq!(stats.allocations_total, total);
        }
        frame.validate();
        let mut listed = Vec::new();
        frame.walk(&mut |block| listed.push((block.address.addr().get(), block.bytes)));
        assert!(listed.into_iter().eq(live.iter().map(|(&at, (_, l))| (at, granted(l)))));
    }
}
