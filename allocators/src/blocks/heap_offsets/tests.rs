//! Unit tests of the heap over offsets.

use std::string::ToString;
use std::vec::Vec;

use super::{HeapOffsets, OffsetBlock};
use crate::blocks::offset_leak::OffsetLeak;
use crate::contract::allocator::AllocError;
use crate::testing::test_backing::{TestBacking, misuse_of, panic_of};
use crate::testing::test_random::Random;

/// A live block as a model knows it.
struct Live {
    block: OffsetBlock,
    len: u64,
}

/// Whether no live block has any of the offsets.
fn is_free(live: &[Live], from: u64, len: u64) -> bool {
    live.iter().all(|other| {
        let start = other.block.offset();
        from + len <= start || start + other.len <= from
    })
}

fn agree(offsets: &HeapOffsets<'_, TestBacking>, live: &[Live]) {
    offsets.verify().expect("the table is sound");
    let mut expected: Vec<_> = live.iter().map(|live| (live.block, live.len)).collect();
    expected.sort_by_key(|&(block, _)| block.offset());
    let mut walked = Vec::new();
    offsets.walk(&mut |block, len| walked.push((block, len)));
    assert_eq!(walked, expected);
    let granted: u64 = live.iter().map(|live| live.len).sum();
    // Counters end at what an address of this machine can be.
    let granted = usize::try_from(granted).unwrap_or(usize::MAX);
    let stats = offsets.stats();
    assert_eq!((stats.live, stats.granted), (live.len(), granted));
}

#[test]
fn random_calls_agree_with_a_model() {
    for seed in 0..12 {
        std::println!("seed {seed}");
        let mut random = Random::new(seed);
        let backing = TestBacking::new();
        let (start, len) =
            [(0, 10_000), (77, 1 << 20), (1 << 33, 10_000_000_000)][seed as usize % 3];
        let longest = [len / 10, len / 1000, len / 100][seed as usize / 4];
        let offsets = HeapOffsets::new_in("random", start..start + len, 0, &backing);
        let offsets = offsets.expect("the table has room");
        let mut live: Vec<Live> = Vec::new();
        for call in 0..3000 {
            let len = random.next() % longest + 1;
            match random.below(5) {
                0 | 1 => {
                    let align = [1, 1, 4, 36, 256, 1000][random.below(6)];
                    if let Ok(block) = offsets.allocate(len, align) {
                        let from = block.offset();
                        assert_eq!(from % align, 0);
                        assert!(offsets.range().start <= from && from + len <= offsets.range().end);
                        assert!(is_free(&live, from, len), "two blocks overlap");
                        live.push(Live { block, len });
                    }
                }
                2 | 3 if !live.is_empty() => {
                    let Live { block, len } = live.swap_remove(random.below(live.len()));
                    assert_eq!(offsets.len_of(block), len);
                    offsets.free(block);
                    assert!(!offsets.is_live(block));
                }
                _ if !live.is_empty() => {
                    let at = random.below(live.len());
                    let (block, had) = (live[at].block, live[at].len);
                    let end = block.offset() + had;
                    let room = len <= had
                        || (end + (len - had) <= offsets.range().end
                            && is_free(&live, end, len - had));
                    let resized = offsets.resize_in_place(block, len);
                    assert_eq!(resized.is_ok(), room, "from {had} to {len}");
                    live[at].len = if room { len } else { had };
                }
                _ => {}
            }
            if call % 50 == 0 {
                agree(&offsets, &live);
            }
        }
        live.drain(..).for_each(|live| offsets.free(live.block));
        agree(&offsets, &[]);
        assert_eq!(offsets.longest_free(), len, "all is one block again");
    }
}

#[test]
fn lengths_are_exact_and_zero_is_one() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("exact", 5..15, &backing).expect("the table has room");
    let blocks = [3, 0, 6].map(|len| offsets.allocate(len, 1).expect("there is room"));
    assert_eq!(blocks.map(OffsetBlock::offset), [5, 8, 9]);
    assert_eq!(blocks.map(|block| offsets.len_of(block)), [3, 1, 6]);
    assert_eq!(offsets.allocate(1, 1), Err(AllocError), "all is used");
    assert_eq!((offsets.longest_free(), offsets.stats().reserved), (0, 10));
    blocks.into_iter().for_each(|block| offsets.free(block));
}

#[test]
fn an_empty_range_serves_nothing_until_it_is_longer() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("later", 7..7, &backing).expect("the table has room");
    offsets.verify().expect("nothing is sound");
    assert_eq!(offsets.allocate(1, 1), Err(AllocError));
    assert_eq!(offsets.extend(7), Err(AllocError), "not longer");
    offsets.extend(10).expect("there is a node");
    let first = offsets.allocate(2, 1).expect("three are free");
    offsets.extend(12).expect("the last block is free and grows");
    let second = offsets.allocate(3, 1).expect("three are free");
    offsets.extend(20).expect("the last block is live");
    let third = offsets.allocate(8, 1).expect("eight are free");
    assert_eq!([first, second, third].map(OffsetBlock::offset), [7, 9, 12]);
    offsets.verify().expect("the table is sound");
    [first, second, third].into_iter().for_each(|block| offsets.free(block));
    assert_eq!(offsets.longest_free(), 13);
}

#[test]
fn the_whole_of_a_range_up_to_the_last_offset_is_one_block() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("all", 0..u64::MAX, &backing).expect("the table has room");
    let all = offsets.allocate(u64::MAX, 1).expect("it is free");
    assert_eq!(offsets.allocate(1, 1), Err(AllocError));
    offsets.free(all);
    assert_eq!(offsets.allocate(u64::MAX, 2).map(|block| offsets.free(block)), Ok(()));
    assert_eq!(offsets.allocate(2, u64::MAX).map(|block| offsets.free(block)), Ok(()));
    offsets.verify().expect("the table is sound");
}

#[test]
fn a_refused_table_changes_nothing() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new_in("refused", 0..1000, 0, &backing).expect("there is memory");
    backing.refuse_from(0);
    let mut blocks = Vec::new();
    while let Ok(block) = offsets.allocate(10, 1) {
        blocks.push(block);
    }
    assert!(blocks.len() < 100, "the table was full before the range");
    offsets.verify().expect("the table is sound");
    assert_eq!(offsets.stats().live, blocks.len());
    backing.refuse_none();
    blocks.push(offsets.allocate(10, 1).expect("the table grows"));
    blocks.into_iter().for_each(|block| offsets.free(block));
    backing.refuse_from(0);
    assert!(HeapOffsets::new("none", 0..9, &backing).is_err(), "no first node");
}

#[test]
fn wrong_frees_are_reported() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("wrong", 0..1000, &backing).expect("the table has room");
    let other = HeapOffsets::new("other", 500..2000, &backing).expect("the table has room");
    let block = offsets.allocate(10, 1).expect("there is room");
    let foreign = other.allocate(10, 1).expect("there is room");
    let report = misuse_of(|| offsets.free(foreign));
    assert!(report.contains("allocator `wrong`: foreign free"), "{report}");
    assert!(report.contains("offset 500"), "{report}");
    offsets.free(block);
    for wrong in [
        misuse_of(|| offsets.free(block)),
        misuse_of(|| _ = offsets.len_of(block)),
        misuse_of(|| _ = offsets.resize_in_place(block, 20)),
    ] {
        assert!(wrong.contains("double free") && wrong.contains("tests.rs"), "{wrong}");
    }
    let again = offsets.allocate(10, 1).expect("there is room");
    assert_eq!(again.offset(), block.offset());
    assert!(misuse_of(|| offsets.free(block)).contains("double free"), "the node lives again");
    offsets.free(again);
    other.free(foreign);
}

#[test]
fn a_leak_is_reported_with_its_blocks() {
    let backing = TestBacking::new();
    let report = panic_of(|| {
        let offsets = HeapOffsets::new("leaky", 0..1000, &backing).expect("the table has room");
        for len in 1..=20 {
            offsets.allocate(len, 1).expect("there is room");
        }
        assert!(OffsetLeak { blocks: &offsets }.to_string().contains("20 live blocks"));
    });
    let first =
        "allocator `leaky` was dropped with 20 live blocks of 210 units\n  offset 0, 1 units";
    assert!(report.starts_with(first), "{report}");
    assert!(report.ends_with("and 4 more"), "{report}");
}

#[test]
fn damage_is_found() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new_in("damaged", 0..1000, 0, &backing).expect("there is memory");
    let blocks = [0; 6].map(|_| offsets.allocate(10, 1).expect("there is room"));
    offsets.free(blocks[1]);
    offsets.free(blocks[3]);
    offsets.verify().expect("the table is sound");
    let spoiled = |spoil: &dyn Fn(), mend: &dyn Fn()| {
        spoil();
        let found = offsets.verify().map_err(|damage| damage.what);
        mend();
        offsets.verify().expect("the table is as it was");
        found.expect_err("damage is found")
    };
    let node = |number| offsets.nodes.at(number);
    let what = spoiled(&|| node(2).len.set(9), &|| node(2).len.set(10));
    assert_eq!(what, "a block is not where the one before it ends");
    let what = spoiled(&|| node(2).after.set(99), &|| node(2).after.set(3));
    assert_eq!(what, "a link is damaged");
    let what = spoiled(&|| node(2).life.set(2), &|| node(2).life.set(1));
    assert_eq!(what, "two free neighbours were not merged");
    let what = spoiled(&|| node(1).next.set(4), &|| node(1).next.set(super::NIL));
    assert_eq!(what, "a list of free blocks is damaged");
    let what = spoiled(&|| offsets.live.set(5), &|| offsets.live.set(4));
    assert_eq!(what, "the counters disagree with the blocks");
    let what = spoiled(&|| offsets.end.set(999), &|| offsets.end.set(1000));
    assert_eq!(what, "the last block does not end with the range");
    for at in [0, 2, 4, 5] {
        offsets.free(blocks[at]);
    }
}

#[test]
fn the_first_of_the_own_bin_is_tried_and_four_where_no_longer_block_is_free() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("bins", 0..10_000, &backing).expect("the table has room");
    // Of one bin, 1024 to 1087, each apart from the next one.
    let lens = [1080, 1030, 1028, 1026, 1024];
    let blocks = lens.map(|len| {
        let block = offsets.allocate(len, 1).expect("there is room");
        (block, offsets.allocate(1, 1).expect("there is room"))
    });
    blocks.iter().for_each(|&(block, _)| offsets.free(block));
    let first = offsets.allocate(1024, 1).expect("there is room");
    assert_eq!(first.offset(), blocks[4].0.offset(), "the first of the list is long enough");
    let longer = offsets.allocate(1027, 1).expect("there is room");
    assert!(longer.offset() > blocks[4].1.offset(), "the first is not, so a longer one is cut");
    let rest = offsets.allocate(offsets.longest_free(), 1).expect("it is what is longest");
    let far = offsets.allocate(1070, 1).expect("the fourth of the list is long enough");
    assert_eq!(far.offset(), blocks[0].0.offset(), "it is the fourth now");
    let taken = [first, longer, rest, far];
    taken.into_iter().chain(blocks.map(|(_, apart)| apart)).for_each(|b| offsets.free(b));
}

#[test]
fn a_block_that_just_holds_an_aligned_request_is_found() {
    let backing = TestBacking::new();
    let offsets = HeapOffsets::new("aligned", 0..256, &backing).expect("the table has room");
    let blocks = [0; 4].map(|_| offsets.allocate(1, 64).expect("each 64 begins one"));
    assert_eq!(blocks.map(OffsetBlock::offset), [0, 64, 128, 192]);
    for block in blocks {
        offsets.free(block);
        let again = offsets.allocate(1, 64).expect("the place of the one that went");
        assert_eq!(again.offset(), block.offset());
        offsets.free(again);
        let back = offsets.allocate(1, 64).expect("it is free again");
        assert_eq!(back.offset(), block.offset());
    }
    let mut left = Vec::new();
    offsets.walk(&mut |block, _| left.push(block));
    left.into_iter().for_each(|block| offsets.free(block));
}
