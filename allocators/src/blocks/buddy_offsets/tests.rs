//! Unit tests of the buddy over offsets. The tree itself is tested with the buddy allocator.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::blocks::buddy::tests::{Random, Region, report_of};
use crate::blocks::buddy::{BlockState, BuddyAllocator, BuddyError};
use crate::blocks::buddy_offsets::BuddyOffsets;
use crate::blocks::offset_leak::OffsetLeak;
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::panic_of;

/// Runs `act` with an allocator for tables, and checks that all of them are freed.
fn with_backing(act: impl FnOnce(&dyn Allocator)) {
    let mut region = Region::new(2 << 20, 0);
    let backing = BuddyAllocator::from_region("tables", 64, region.get()).expect("it fits");
    act(&backing);
    assert_eq!(backing.stats().live, 0, "the table was freed");
}

#[test]
fn random_calls_never_overlap_and_all_is_merged_at_the_end() {
    with_backing(|backing| {
        let arenas = [(1000, 1), (1 << 20, 256), (1 << 40, 1 << 26), ((1 << 46) - 12_345, 1 << 34)];
        for (seed, (bytes, leaf)) in arenas.into_iter().enumerate() {
            std::println!("seed {seed}, {bytes} bytes, leaf {leaf}");
            let mut random = Random::new(seed as u64 + 40);
            let buddy = BuddyOffsets::new_in("random", bytes, leaf, backing).expect("it fits");
            let mut live: Vec<(u64, u64, u64)> = Vec::new();
            for call in 0..4000 {
                let asked = random.next() % (leaf << random.below(10));
                let align = 1 << random.below((leaf * 64).ilog2() as usize);
                if random.below(2) == 0 {
                    if let Ok(offset) = buddy.allocate(asked, align) {
                        let granted = buddy.allocated_size(offset);
                        assert!(granted >= asked && offset % align == 0);
                        assert!(offset + granted <= bytes);
                        let apart = |&(other, _, size): &(u64, u64, u64)| {
                            offset + granted <= other || other + size <= offset
                        };
                        assert!(live.iter().all(apart), "two blocks overlap");
                        live.push((offset, asked, granted));
                    }
                } else if !live.is_empty() {
                    let at = random.below(live.len());
                    let (offset, old, granted) = live[at];
                    match random.below(3) {
                        0 => buddy.free(live.swap_remove(at).0),
                        1 => buddy.free_sized(live.swap_remove(at).0, old.max(1)),
                        _ => match buddy.resize_in_place(offset, old, asked) {
                            Ok(size) => live[at] = (offset, asked, size),
                            Err(AllocError) => assert!(asked > granted, "shrinking never fails"),
                        },
                    }
                }
                if call % 100 == 0 {
                    buddy.verify().expect("the tree is sound");
                    let stats = buddy.stats();
                    let granted = live.iter().map(|live| live.2).sum::<u64>();
                    let expected = usize::try_from(granted).unwrap_or(usize::MAX);
                    assert_eq!((stats.live, stats.granted), (live.len(), expected));
                    let mut walked = Vec::new();
                    buddy.walk(&mut |offset, size| walked.push((offset, size)));
                    let mut known: Vec<_> = live.iter().map(|live| (live.0, live.2)).collect();
                    known.sort_unstable();
                    assert_eq!(walked, known);
                }
            }
            for (offset, ..) in live {
                buddy.free(offset);
            }
            buddy.verify().expect("the tree is sound");
            // There are as few free blocks as the leaves allow: one for each set bit of their
            // number.
            let mut free = 0;
            for level in 0..buddy.levels() {
                buddy.free_list(level, &mut |_| free += 1);
            }
            assert_eq!(free, (bytes / leaf).count_ones());
        }
    });
}

#[test]
fn a_whole_arena_is_one_block() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("whole", 1 << 20, 1 << 10, backing).expect("it fits");
        assert_eq!((buddy.levels(), buddy.level_bytes(0)), (11, 1 << 20));
        assert_eq!(buddy.block_state(0, 0), BlockState::Free);
        let offset = buddy.allocate(1 << 20, 1 << 20).expect("all is free");
        assert_eq!((offset, buddy.block_state(0, 0)), (0, BlockState::Allocated));
        assert_eq!(buddy.allocate(1, 1), Err(AllocError));
        assert_eq!(buddy.resize_in_place(0, 1 << 20, 1), Ok(1 << 10));
        assert_eq!(buddy.block_state(0, 0), BlockState::Split);
        assert_eq!(buddy.resize_in_place(0, 1, 1 << 20), Ok(1 << 20));
        buddy.free_sized(0, 1 << 20);
        assert_eq!(buddy.block_state(0, 0), BlockState::Free);
    });
}

#[test]
fn the_article_tree_of_128_k_in_5_levels() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("demonstration", 128, 8, backing).expect("it fits");
        assert_eq!(buddy.levels(), 5);
        let offset = buddy.allocate(8, 1).expect("all is free");
        assert_eq!(offset, 0);
        for level in 0..4 {
            assert_eq!(buddy.block_state(level, 0), BlockState::Split);
            assert_eq!(buddy.block_state(level + 1, 1), BlockState::Free);
        }
        assert_eq!(buddy.block_state(4, 0), BlockState::Allocated);
        buddy.free(offset);
        assert_eq!(buddy.block_state(1, 0), BlockState::Absent);
    });
}

#[test]
fn the_table_takes_what_is_stated() {
    with_backing(|backing| {
        let before = backing.stats().requested_total;
        let buddy = BuddyOffsets::new_in("table", 1 << 30, 1 << 16, backing).expect("it fits");
        let leaves = 1_usize << 14;
        let most = leaves * 8 + leaves / 4 + 128 + 4 * 15 + 12 + 64 * 7 + 16;
        let asked = (backing.stats().requested_total - before) as usize;
        assert!(asked <= most, "{asked} of {most}");
        assert!(buddy.table_bytes() >= asked);
    });
}

#[test]
fn wrong_frees_are_named_and_change_nothing() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("wrong", 100_000, 16, backing).expect("it fits");
        let block = buddy.allocate(100, 1).expect("there is room");
        let assert_wrong = |name: &str, act: &dyn Fn()| {
            let before = buddy.stats();
            let report = report_of(act);
            assert!(report.contains(name), "{name} expected: {report}");
            assert!(report.contains("tests.rs"), "the caller is missing: {report}");
            assert_eq!(buddy.stats(), before);
            buddy.verify().expect("nothing has changed");
        };
        assert_wrong("interior free", &|| buddy.free(block + 16));
        assert_wrong("interior free", &|| buddy.free(block + 1));
        assert_wrong("foreign free", &|| buddy.free(100_000));
        assert_wrong("foreign free", &|| buddy.free(u64::MAX));
        assert_wrong("wrong size", &|| buddy.free_sized(block, 16));
        assert_wrong("wrong size", &|| buddy.free_sized(block, 129));
        assert_wrong("foreign free", &|| buddy.release_range(1 << 40, 16));
        buddy.free(block);
        assert_wrong("double free", &|| buddy.free(block));
        assert_wrong("double free", &|| buddy.free_sized(block, 100));
        assert_wrong("double free", &|| {
            let _ = buddy.resize_in_place(block, 100, 200);
        });
        assert_wrong("double free", &|| assert_eq!(buddy.allocated_size(block), 0));
    });
}

#[test]
fn a_reserved_range_is_kept_out_of_the_way() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("range", 1 << 16, 256, backing).expect("it fits");
        buddy.reserve_range(1000, 1000).expect("it is free");
        assert_eq!(buddy.reserve_range(1999, 10), Err(AllocError));
        assert_eq!(buddy.reserve_range(u64::MAX, 2), Err(AllocError));
        let blocks: Vec<_> = core::iter::from_fn(|| buddy.allocate(256, 1).ok()).collect();
        assert_eq!(blocks.len(), 256 - 5);
        assert!(blocks.iter().all(|&at| at + 256 <= 768 || at >= 2048));
        for block in blocks {
            buddy.free(block);
        }
        buddy.release_range(1000, 1000);
        assert_eq!(buddy.block_state(0, 0), BlockState::Free);
    });
}

#[test]
fn a_leak_is_reported_and_the_table_goes_back() {
    with_backing(|backing| {
        let text = catch_unwind(AssertUnwindSafe(|| {
            let buddy = BuddyOffsets::new_in("leaky", 1 << 20, 256, backing).expect("it fits");
            for _ in 0..18 {
                buddy.allocate(300, 1).expect("there is room");
            }
        }))
        .expect_err("dropping it with live blocks panics");
        let text = text.downcast_ref::<String>().expect("the report is a text");
        assert!(text.contains("`leaky` was dropped with 18 live blocks of 9216 bytes"), "{text}");
        assert!(text.contains("offset 512, 512 bytes"), "{text}");
        assert!(text.contains("and 2 more"), "{text}");
    });
}

#[test]
fn a_panic_that_unwinds_is_not_replaced_by_the_report_of_a_leak() {
    with_backing(|backing| {
        let told = panic_of(|| {
            let buddy = BuddyOffsets::new_in("leaky", 1 << 20, 256, backing).expect("it fits");
            buddy.allocate(300, 1).expect("there is room");
            panic!("the first reason");
        });
        assert_eq!(told, "the first reason", "the leak is written, not thrown");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn while_a_panic_unwinds_the_report_is_written() {
    let text = crate::testing::test_child::said(|| {
        with_backing(|backing| {
            let unwound = catch_unwind(AssertUnwindSafe(|| {
                let buddy = BuddyOffsets::new_in("leaky", 1 << 20, 256, backing).expect("it fits");
                buddy.allocate(300, 1).expect("there is room");
                std::panic::resume_unwind(std::boxed::Box::new(()));
            }));
            assert!(unwound.is_err(), "it unwinds");
        });
    });
    let block =
        "allocator `leaky` was dropped with 1 live block of 512 bytes\n  offset 0, 512 bytes\n";
    assert_eq!(text, block);
}

#[test]
fn it_tells_what_it_is_made_of() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("parts", 1 << 20, 256, backing).expect("it fits");
        assert_eq!((buddy.name(), buddy.leaf_bytes()), ("parts", 256), "as asked");
        assert_eq!(buddy.backing().map(Allocator::name), Some("tables"), "the table's allocator");
        let block = buddy.allocate(1, 1).expect("there is room");
        buddy.free(block);
        let waiting = || buddy.tree.fronts().iter().map(|front| front.count()).sum::<usize>();
        assert_eq!(waiting(), 1, "it waits in a front");
        buddy.settle();
        assert_eq!(waiting(), 0, "merged");
        buddy.verify().expect("the tree is sound");
    });
}

#[test]
fn a_resize_counts_the_bytes_that_are_asked_more() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("counts", 1 << 10, 16, backing).expect("it fits");
        let block = buddy.allocate(0, 1).expect("there is room");
        for (from, to, total) in [(0, 5, 5), (5, 0, 5), (0, 0, 5), (0, 40, 44)] {
            let granted = buddy.resize_in_place(block, from, to);
            assert_eq!(granted, Ok(to.next_power_of_two().max(16)), "{from} to {to}");
            assert_eq!(buddy.stats().requested_total, total, "{from} to {to}");
        }
        buddy.free(block);
    });
}

/// A writer that refuses one piece of text, counted from 0, and accepts the others.
struct Refusing(usize);

impl core::fmt::Write for Refusing {
    fn write_str(&mut self, _text: &str) -> core::fmt::Result {
        let refused = self.0 == 0;
        self.0 = self.0.wrapping_sub(1);
        if refused { Err(core::fmt::Error) } else { Ok(()) }
    }
}

#[test]
fn a_report_of_leaks_lists_16_blocks() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("leaky", 1 << 20, 256, backing).expect("it fits");
        let report = || OffsetLeak { blocks: &buddy.tree }.to_string();
        let mut blocks = std::vec![buddy.allocate(300, 1).expect("there is room")];
        let head = "allocator `leaky` was dropped with 1 live block of 512 bytes";
        assert_eq!(report(), std::format!("{head}\n  offset 0, 512 bytes"), "one block");
        for count in 2..=18 {
            blocks.push(buddy.allocate(300, 1).expect("there is room"));
            let report = report();
            assert_eq!(report.matches("\n  offset ").count(), count.min(16), "{report}");
            let more = std::format!("\n  and {} more", count.saturating_sub(16));
            assert_eq!(report.ends_with(&more), count > 16, "{report}");
            assert_eq!(report.contains(" more"), count > 16, "{report}");
        }
        for block in blocks.drain(16..) {
            buddy.free(block);
        }
        let leak = OffsetLeak { blocks: &buddy.tree };
        let is_refused =
            |piece| core::fmt::write(&mut Refusing(piece), format_args!("{leak}")).is_err();
        let pieces = (0..).take_while(|&piece| is_refused(piece)).count();
        assert!((64..1000).contains(&pieces), "each of {pieces} pieces is missed");
        for block in blocks {
            buddy.free(block);
        }
    });
}

#[test]
fn damage_is_told() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("damaged", 1 << 16, 256, backing).expect("it fits");
        let live = &buddy.tree.head().books.live;
        live.set(1);
        let damage = buddy.verify().expect_err("a block too many");
        assert_eq!(damage.what, "the counters do not match the used bits", "counted");
        live.set(0);
        buddy.verify().expect("as it was");
    });
}

#[test]
fn an_arena_of_one_leaf_serves_one_block() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("one", 64, 64, backing).expect("a leaf fits");
        assert_eq!((buddy.levels(), buddy.allocate(1, 1)), (1, Ok(0)), "the only leaf");
        assert_eq!(buddy.allocate(1, 1), Err(AllocError), "it is taken");
        buddy.free(0);
    });
}

#[test]
fn what_cannot_be_made_is_refused_with_the_reason() {
    with_backing(|backing| {
        let made = |bytes, leaf| BuddyOffsets::new_in("bad", bytes, leaf, backing).err();
        assert_eq!(made(100, 0), Some(BuddyError::BadLeaf { leaf_bytes: 0 }));
        assert_eq!(made(100, 3), Some(BuddyError::BadLeaf { leaf_bytes: 3 }));
        assert_eq!(made(100, 128), Some(BuddyError::TooSmall { bytes: 100 }));
        assert_eq!(made(0, 1), Some(BuddyError::TooSmall { bytes: 0 }));
        let many = Some(BuddyError::TooManyLevels { bytes: (1 << 31) + 1 });
        assert_eq!(made((1 << 31) + 1, 1), many);
        assert!(matches!(made(u64::MAX, 1 << 60), Some(BuddyError::TooManyLevels { .. })));
        assert_eq!(made(1 << 30, 16), Some(BuddyError::NoMemory));
    });
}

// It is `Send` if its backing can be shared between threads.
const fn assert_send<T: Send>() {}
const _: () = assert_send::<BuddyOffsets<'static, dyn Allocator + Sync>>();
const _: () = assert_send::<BuddyAllocator<'static, dyn Allocator + Sync>>();

#[test]
fn a_buddy_is_found_behind_others_in_the_front() {
    with_backing(|backing| {
        let buddy = BuddyOffsets::new_in("front", 1 << 20, 256, backing).expect("it fits");
        let blocks = [(); 4].map(|()| buddy.allocate(256, 1).expect("there is room"));
        assert_eq!(blocks, [0, 256, 512, 768], "from the start");
        for at in [3, 1, 2] {
            buddy.free(blocks[at]);
        }
        assert_eq!(buddy.resize_in_place(0, 256, 512), Ok(512), "its buddy waited amid the front");
        assert_eq!(buddy.resize_in_place(0, 512, 1024), Ok(1024), "and the others before");
        buddy.free(0);
        buddy.verify().expect("the tree is sound");
    });
}
