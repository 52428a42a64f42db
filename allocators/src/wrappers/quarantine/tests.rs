//! Tests of the quarantine: order and limits, detection, and memory that runs out.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a test makes several calls under one promise"
)]

mod edges;

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;
use std::collections::VecDeque;
use std::println;
use std::vec::Vec;

use super::QuarantineAllocator;
use super::held::FREED;
use crate::blocks::pool::PoolAllocator;
use crate::contract::allocator::{AllocError, Allocator, SharedRef};
use crate::testing::test_backing::{Random, TestBacking, misuse_of, panic_of};

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn take(allocator: &dyn Allocator, size: usize) -> NonNull<u8> {
    let block = allocator.allocate(layout(size, 8)).expect("there is memory");
    block.cast()
}

fn free(allocator: &dyn Allocator, block: NonNull<u8>) {
    // SAFETY: the tests pass live blocks, which they do not use again.
    unsafe { allocator.deallocate(block) }
}

/// Writes to a waiting block, which is live in the backing.
fn scribble(block: NonNull<u8>, offset: usize, byte: u8) {
    // SAFETY: the offset is within the block, whose memory is still there.
    unsafe { block.add(offset).write(byte) }
}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<QuarantineAllocator<'static, dyn Allocator + Sync, dyn Allocator + Sync>>();
    assert_send::<QuarantineAllocator<'static, SharedRef<'static>, SharedRef<'static>>>();
};
const _: () = assert!(
    QuarantineAllocator::layout_for(Layout::new::<u64>()).size() == 8,
    "known before any quarantine exists"
);

/// The figures that the docs state for the books.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<super::held::Held>() == 40, "an entry of the ring");
    assert!(
        size_of::<super::Known>() + 8 == 48,
        "a slot of the table, of which 4/3 to 8/3 a block"
    );
};

#[test]
fn each_kind_of_damage_is_told() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 3, 1000, &backing, &books).expect("room");
    let [live, waiting] = [16, 40].map(|size| take(&quarantine, size));
    free(&quarantine, waiting);
    let what = || quarantine.verify().expect_err("damage was planted").what;
    let known = quarantine.blocks.remove(waiting).expect("it waits");
    let listed = "a block in quarantine is not in the table, or not as it is listed";
    assert_eq!(what(), listed, "it is not in the table");
    for wrong in [super::Known { slot: 1, ..known }, super::Known { granted: 41, ..known }] {
        quarantine.blocks.insert(waiting, wrong);
        assert_eq!(what(), listed, "it is listed otherwise");
    }
    quarantine.blocks.insert(waiting, known);
    quarantine.verify().expect("as it was");
    let bytes = quarantine.held_bytes.replace(41);
    assert_eq!(what(), "the bytes in quarantine are miscounted", "a byte too many");
    quarantine.held_bytes.set(bytes);
    let sums = "the counters of a quarantine are not the sums over its table";
    for counter in [&quarantine.live, &quarantine.requested, &quarantine.granted] {
        counter.set(counter.get() + 1);
        assert_eq!(what(), sums, "a counter is too high");
        counter.set(counter.get() - 1);
    }
    quarantine.verify().expect("as it was");
    free(&quarantine, live);
}

#[test]
fn blocks_leave_in_the_order_they_came() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 3, 1000, &backing, &books).expect("room");
    let blocks: Vec<_> = (0..5).map(|_| take(&quarantine, 16)).collect();
    for (freed, &block) in blocks.iter().enumerate() {
        free(&quarantine, block);
        let waits = |block: &NonNull<u8>| backing.layout_at(block.as_ptr()).is_some();
        let gone = freed.saturating_sub(2);
        assert!(!blocks[..gone].iter().any(waits), "the oldest have left");
        assert!(blocks[gone..=freed].iter().all(waits), "the others wait");
        assert_eq!(quarantine.held_count(), freed + 1 - gone);
        quarantine.verify().expect("sound");
    }
    quarantine.flush();
    assert_eq!((quarantine.held_count(), quarantine.held_bytes(), backing.stats().live), (0, 0, 0));
}

#[test]
fn bytes_are_limited_too() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 100, 100, &backing, &books).expect("room");
    let [one, two, exact, large] = [40, 60, 100, 101].map(|size| take(&quarantine, size));
    free(&quarantine, one);
    free(&quarantine, two);
    assert_eq!((quarantine.held_count(), quarantine.held_bytes()), (2, 100), "both just fit");
    free(&quarantine, large);
    assert_eq!((quarantine.held_count(), quarantine.held_bytes()), (2, 100), "it went past them");
    assert!(backing.layout_at(large.as_ptr()).is_none());
    free(&quarantine, exact);
    assert_eq!((quarantine.held_count(), quarantine.held_bytes()), (1, 100), "alone it fits");
    quarantine.verify().expect("sound");
}

#[test]
fn without_room_nothing_waits() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    for (count, bytes) in [(0, 100), (100, 0)] {
        let quarantine = QuarantineAllocator::new_in("q", count, bytes, &backing, &books);
        let quarantine = quarantine.expect("room");
        for sized in [false, true] {
            let block = take(&quarantine, 16);
            // SAFETY: the block is live and has this layout.
            unsafe {
                if sized {
                    quarantine.deallocate_sized(block, layout(16, 8));
                } else {
                    quarantine.deallocate(block);
                }
            }
            assert_eq!((quarantine.held_count(), quarantine.stats().reserved), (0, 0));
            assert_eq!(backing.stats().live, 0);
        }
    }
    assert_eq!(
        QuarantineAllocator::new_in("q", usize::MAX, 1, &backing, &books).err(),
        Some(AllocError),
        "such a list cannot be"
    );
    books.refuse_nth(0);
    assert!(QuarantineAllocator::new_in("q", 8, 1, &backing, &books).is_err());
    books.refuse_none();
}

#[test]
fn counts_are_those_of_the_user() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    // The pool grants more than is requested.
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing);
    let quarantine = QuarantineAllocator::new_in("q", 2, 1000, &pool, &books).expect("room");
    for round in 1..=4_u64 {
        let block = take(&quarantine, 10);
        let stats = quarantine.stats();
        let waiting = 64 * round.min(3) as usize - 64;
        assert_eq!((stats.live, stats.requested, stats.granted), (1, 10, 64));
        assert!(stats.exact);
        assert_eq!(stats.reserved, 64 + waiting);
        assert_eq!((stats.requested_total, stats.granted_total), (10 * round, 64 * round));
        // SAFETY: the block is live; any size from the asked to the granted one fits it.
        unsafe { quarantine.deallocate_sized(block, layout(33, 8)) };
        let stats = quarantine.stats();
        assert_eq!((stats.live, stats.requested, stats.granted), (0, 0, 0));
        assert_eq!(stats.reserved, 64 * round.min(2) as usize);
        assert_eq!((stats.peak_requested, stats.peak_granted), (10, 64));
        assert_eq!(stats.peak_reserved, 64 * round.min(3) as usize);
        assert_eq!(pool.stats().live, round.min(2) as usize, "the backing has those that wait");
    }
    assert_eq!(quarantine.backing().map(Allocator::name), Some("pool"));
    assert_eq!(quarantine.layout_below(layout(3, 1)), layout(3, 1));
}

#[test]
fn a_write_after_free_is_described() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("sound", 4, 1000, &backing, &books).expect("room");
    for (size, offsets) in [(100, &[0][..]), (100, &[99]), (64, &[31, 32, 40]), (1, &[0])] {
        let block = take(&quarantine, size);
        let line = Location::caller().line() + 2;
        // SAFETY: the block is live.
        unsafe { quarantine.deallocate(block) };
        quarantine.check();
        quarantine.verify().expect("no byte was written");
        offsets.iter().for_each(|&offset| scribble(block, offset, !FREED));
        let damage = quarantine.verify().expect_err("a byte was written");
        assert_eq!(damage.address, block.as_ptr().wrapping_add(offsets[0]).cast_const());
        for report in [misuse_of(|| quarantine.check()), misuse_of(|| quarantine.flush())] {
            let changed = std::format!(
                "{} byte{} changed, the first at offset {} of a block of {size} bytes",
                offsets.len(),
                if offsets.len() == 1 { "" } else { "s" },
                offsets[0]
            );
            let site = std::format!("freed from {}:{line}:", file!());
            assert!(report.contains("`sound`: write after free"), "{report}");
            let address = std::format!("; address {:p}", damage.address);
            assert!(report.contains(&address), "{address}: {report}");
            assert!(report.contains(&changed), "{report}");
            assert!(report.contains(&site), "{site}: {report}");
        }
        assert_eq!(
            (quarantine.held_count(), backing.stats().live),
            (0, 0),
            "it was returned once reported"
        );
    }
}

#[test]
fn what_pushes_a_block_out_finds_the_change() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 1, 1000, &backing, &books).expect("room");
    let [first, second] = [take(&quarantine, 16), take(&quarantine, 16)];
    free(&quarantine, first);
    scribble(first, 5, 0);
    let report = misuse_of(|| free(&quarantine, second));
    assert!(report.contains("offset 5 of a block of 16 bytes"), "{report}");
    assert_eq!(quarantine.stats().live, 1, "the second is as it was");
    free(&quarantine, second);
    // A failed allocation returns it too.
    scribble(second, 15, 0);
    backing.refuse_nth(0);
    let report = misuse_of(|| {
        let _ = quarantine.allocate(layout(8, 8));
    });
    assert!(report.contains("offset 15"), "{report}");
    assert_eq!((quarantine.stats().live, quarantine.held_count()), (0, 0));
}

#[test]
fn dropping_finds_the_change_and_gives_everything_back() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let report = misuse_of(|| {
        let quarantine = QuarantineAllocator::new_in("q", 4, 1000, &backing, &books).expect("room");
        let [first, second] = [take(&quarantine, 16), take(&quarantine, 16)];
        free(&quarantine, first);
        free(&quarantine, second);
        scribble(second, 7, 1);
    });
    assert!(report.contains("write after free") && report.contains("offset 7"), "{report}");
    assert_eq!((backing.stats().live, books.stats().live), (0, 0));
    // A second panic does not follow one that is unwinding.
    let report = panic_of(|| {
        let quarantine = QuarantineAllocator::new_in("q", 4, 1000, &backing, &books).expect("room");
        let block = take(&quarantine, 16);
        free(&quarantine, block);
        scribble(block, 7, 1);
        panic!("the first");
    });
    assert_eq!(report, "the first");
    assert_eq!((backing.stats().live, books.stats().live), (0, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn while_a_panic_unwinds_the_change_is_written() {
    let text = crate::testing::test_child::said(|| {
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let unwound = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            let quarantine =
                QuarantineAllocator::new_in("q", 4, 1000, &backing, &books).expect("room");
            let block = take(&quarantine, 16);
            free(&quarantine, block);
            scribble(block, 7, 1);
            std::panic::resume_unwind(std::boxed::Box::new(()));
        }));
        assert!(unwound.is_err(), "it unwinds");
    });
    let head = "loligo: allocator `q`: write after free: ";
    assert!(text.starts_with(head) && text.contains("the first at offset 7"), "{text}");
}

#[test]
fn a_fresh_one_has_counted_nothing_and_zero_bytes_are_one() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 4, 1000, &backing, &books).expect("room");
    let stats = quarantine.stats();
    assert_eq!((stats.live, stats.requested, stats.granted), (0, 0, 0), "{stats:?}");
    assert_eq!((stats.peak_requested, stats.peak_granted), (0, 0), "{stats:?}");
    assert_eq!((stats.peak_reserved, stats.allocations_total), (stats.reserved, 0), "{stats:?}");
    let block = quarantine.allocate(layout(0, 1)).expect("there is memory");
    assert_eq!(quarantine.stats().requested, 1, "served as one byte");
    // SAFETY: the block is live and has this layout.
    unsafe { quarantine.deallocate_sized(block.cast(), layout(0, 1)) };
    assert_eq!(quarantine.stats().requested, 0, "freed as one");
}

#[test]
fn a_double_free_names_the_first() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("sound", 4, 1000, &backing, &books).expect("room");
    let [block, other] = [take(&quarantine, 16), take(&quarantine, 16)];
    let line = Location::caller().line() + 2;
    // SAFETY: the block is live.
    unsafe { quarantine.deallocate_sized(block, layout(16, 8)) };
    let first = std::format!("freed first from {}:{line}:", file!());
    // SAFETY: the block waits on purpose; each call is reported and nothing changes.
    let reports = unsafe {
        [
            misuse_of(|| quarantine.deallocate(block)),
            misuse_of(|| quarantine.deallocate_sized(block, layout(16, 8))),
            misuse_of(|| {
                let _ = quarantine.resize_in_place(block, layout(16, 8), layout(8, 8));
            }),
            misuse_of(|| {
                let _ = quarantine.reallocate(block, layout(16, 8), layout(8, 64));
            }),
        ]
    };
    for report in reports {
        assert!(report.contains("`sound`: double free"), "{report}");
        assert!(report.contains(&first), "{first}: {report}");
    }
    quarantine.verify().expect("nothing has changed");
    assert_eq!(quarantine.stats().live, 1);
    // Also when other blocks were freed in between.
    free(&quarantine, other);
    let last = take(&quarantine, 16);
    free(&quarantine, last);
    assert!(misuse_of(|| free(&quarantine, other)).contains("double free"));
}

#[test]
fn other_wrong_frees_are_found() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    // A pool sees a wrong address only when it is freed there, which here is late.
    let pool = PoolAllocator::new_in("pool", layout(64, 16), &backing);
    let quarantine = QuarantineAllocator::new_in("q", 2, 1000, &pool, &books).expect("room");
    let block = quarantine.allocate(layout(48, 16)).expect("there is memory").cast::<u8>();
    let foreign = take(&pool, 64);
    let before = quarantine.stats();
    // SAFETY: each call is wrong on purpose, is reported, and changes nothing.
    unsafe {
        block.write_bytes(1, 64);
        let inside = block.add(16);
        let frees = |block, wanted: &str| {
            let reports = [
                misuse_of(|| quarantine.deallocate(block)),
                misuse_of(|| quarantine.deallocate_sized(block, layout(48, 16))),
                misuse_of(|| {
                    let _ = quarantine.allocated_size(block);
                }),
            ];
            for report in reports {
                assert!(report.contains("`q`") && report.contains(wanted), "{report}");
                assert!(report.contains("quarantine/tests.rs"), "{report}");
            }
        };
        frees(inside, "interior free");
        frees(foreign, "foreign free");
        for wrong in [layout(65, 16), layout(47, 16), layout(48, 8)] {
            let report = misuse_of(|| quarantine.deallocate_sized(block, wrong));
            assert!(report.contains("`q`: wrong size"), "{report}");
        }
        assert_eq!(core::slice::from_raw_parts(block.as_ptr(), 64), [1; 64], "nothing was filled");
        assert_eq!(quarantine.stats(), before);
        free(&quarantine, block);
        frees(block.add(16), "interior free");
        frees(block, "double free");
        quarantine.flush();
        frees(block, "double free");
    }
    free(&pool, foreign);
}

#[test]
fn a_refusal_lets_blocks_go_until_there_is_room() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let pool = PoolAllocator::new_in("pool", layout(64, 8), &backing).with_blocks_per_chunk(8);
    let quarantine = QuarantineAllocator::new_in("q", 100, 1 << 20, &pool, &books).expect("room");
    let blocks: Vec<_> = (0..8).map(|_| take(&quarantine, 64)).collect();
    backing.refuse_from(0);
    for &block in &blocks[..3] {
        free(&quarantine, block);
    }
    for (&oldest, zeroed) in blocks[..3].iter().zip([false, true, false]) {
        let again = if zeroed {
            quarantine.allocate_zeroed(layout(64, 8))
        } else {
            quarantine.allocate(layout(64, 8))
        };
        let again = again.expect("a block has left");
        assert_eq!((again.cast(), quarantine.held_count()), (oldest, 2), "the oldest alone");
        if zeroed {
            // SAFETY: the block is live and its bytes were written.
            assert_eq!(unsafe { again.as_ref() }, [0; 64]);
        }
        // It now waits after the others, so the next round gets the next block.
        free(&quarantine, again.cast());
    }
    let live = quarantine.stats().live;
    for _ in 0..3 {
        take(&quarantine, 64);
    }
    let before = quarantine.stats();
    assert_eq!(quarantine.allocate(layout(64, 8)), Err(AllocError), "nothing waits any more");
    assert_eq!((quarantine.stats(), before.live), (before, live + 3));
    let mut all = Vec::new();
    pool.walk(&mut |block| all.push(block.address));
    all.into_iter().for_each(|block| free(&quarantine, block));
}

#[test]
fn books_that_refuse_lose_nothing() {
    for (refuse_at, most) in [(0, 0), (1, 48), (2, 96), (3, 192)] {
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let quarantine = QuarantineAllocator::new_in("q", 200, 1 << 20, &backing, &books);
        let quarantine = quarantine.expect("room");
        books.refuse_from(refuse_at);
        let mut blocks = Vec::new();
        while let Ok(block) = quarantine.allocate(layout(16, 8)) {
            blocks.push(block.cast());
        }
        // 3/4 of 64, 128, 256 slots.
        assert_eq!(blocks.len(), most, "as many as the table holds");
        let before = (quarantine.stats(), backing.stats(), books.stats());
        for _ in 0..3 {
            assert_eq!(quarantine.allocate(layout(16, 8)), Err(AllocError));
            assert_eq!(quarantine.allocate_zeroed(layout(16, 8)), Err(AllocError));
        }
        assert_eq!((quarantine.stats(), backing.stats(), books.stats()), before);
        let requests = books.requests();
        blocks.iter().for_each(|&block| free(&quarantine, block));
        assert_eq!(
            (quarantine.held_count(), books.requests()),
            (most, requests),
            "frees take none"
        );
        for waiting in (0..most).rev().take(3) {
            let block = quarantine.allocate_zeroed(layout(16, 8)).expect("one has left for it");
            blocks.push(block.cast());
            assert_eq!(quarantine.held_count(), waiting, "no more than one");
        }
        blocks.iter().skip(most).for_each(|&block| free(&quarantine, block));
        quarantine.verify().expect("sound");
    }
}

#[test]
fn resizing_keeps_the_old_place_back() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("q", 4, 1000, &backing, &books).expect("room");
    let block = take(&quarantine, 16);
    // SAFETY: the block is live and has this many bytes; then the moved one.
    unsafe {
        block.write_bytes(7, 16);
        let old = layout(16, 8);
        backing.refuse_nth(0);
        assert_eq!(quarantine.reallocate(block, old, layout(32, 8)), Err(AllocError));
        assert_eq!(block.read(), 7, "it is unchanged");
        let moved = quarantine.reallocate(block, old, layout(32, 64)).expect("there is memory");
        assert_eq!(moved.as_ref()[..16], [7; 16]);
        assert_eq!((quarantine.held_count(), quarantine.held_bytes()), (1, 16));
        assert!(misuse_of(|| quarantine.deallocate(block)).contains("double free"));
        assert_eq!((quarantine.stats().live, quarantine.stats().granted), (1, 32));
        quarantine.deallocate_sized(moved.cast(), layout(32, 64));
    }
}

#[test]
fn a_leak_names_the_quarantine() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let mut block = NonNull::dangling();
    let report = panic_of(|| {
        let quarantine = QuarantineAllocator::new_in("sound", 4, 1000, &backing, &books);
        let quarantine = quarantine.expect("room");
        block = take(&quarantine, 100);
        free(&quarantine, take(&quarantine, 8));
    });
    assert!(report.contains("`sound` was dropped with 1 live block of 100 bytes"), "{report}");
    assert_eq!((backing.stats().live, books.stats().live), (1, 0), "what waited has left");
    free(&backing, block);
}

#[test]
fn random_programs_agree_with_a_model() {
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let (backing, books) = (TestBacking::new(), TestBacking::new());
        let (count, bytes) = (random.below(40), random.below(3000));
        let quarantine = QuarantineAllocator::new_in("model", count, bytes, &backing, &books);
        let quarantine = quarantine.expect("room");
        let mut live: Vec<(NonNull<u8>, usize)> = Vec::new();
        let mut held: VecDeque<(NonNull<u8>, usize)> = VecDeque::new();
        let held_bytes = |held: &VecDeque<(_, usize)>| held.iter().map(|h| h.1).sum::<usize>();
        for step in 0..800 {
            if random.below(2) == 0 || live.is_empty() {
                let size = 1 + random.below(200);
                let refused = random.below(10) == 0;
                if refused {
                    // A request is refused as many times as blocks wait, or fewer.
                    backing.refuse_nth(0);
                    held.pop_front();
                }
                let waited = quarantine.held_count();
                match quarantine.allocate(layout(size, 8)) {
                    Ok(block) => live.push((block.cast(), size)),
                    Err(AllocError) => assert!(refused && waited == 0, "step {step}"),
                }
            } else {
                let (block, size) = live.swap_remove(random.below(live.len()));
                // SAFETY: the block is live and has this layout.
                unsafe {
                    if random.below(2) == 0 {
                        quarantine.deallocate(block);
                    } else {
                        quarantine.deallocate_sized(block, layout(size, 8));
                    }
                }
                if size <= bytes && count > 0 {
                    held.push_back((block, size));
                    while held.len() > count || held_bytes(&held) > bytes {
                        held.pop_front();
                    }
                }
            }
            let waits: Vec<_> =
                quarantine.held.iter().map(|(_, held)| (held.block, held.bytes)).collect();
            assert_eq!(waits, Vec::from(held.clone()), "step {step}");
            let granted = live.iter().map(|block| block.1).sum::<usize>();
            let stats = quarantine.stats();
            assert_eq!((stats.live, stats.granted), (live.len(), granted));
            assert_eq!(stats.reserved, backing.stats().granted);
            quarantine.verify().expect("sound");
        }
        live.into_iter().for_each(|(block, _)| free(&quarantine, block));
    }
}

#[test]
fn a_report_by_a_move_leaves_no_second_block() {
    let (backing, books) = (TestBacking::new(), TestBacking::new());
    let quarantine = QuarantineAllocator::new_in("quarantine", 1, 4096, &backing, &books);
    let quarantine = quarantine.expect("there is memory");
    let block = take(&quarantine, 100);
    let gone = take(&quarantine, 50);
    free(&quarantine, gone);
    scribble(gone, 7, 1);
    // Where the old block is to wait, the one that waits must leave.
    // SAFETY: the block is live and has this layout; the call reports and changes nothing of it.
    let move_it = || unsafe { quarantine.reallocate(block, layout(100, 8), layout(200, 8)) };
    let report = misuse_of(|| _ = move_it());
    assert!(report.contains("write after free"), "{report}");
    assert_eq!(quarantine.stats().live, 1, "no new block is lost");
    let moved = move_it().expect("there is memory");
    assert_eq!(quarantine.held_count(), 1);
    free(&quarantine, moved.cast());
}
