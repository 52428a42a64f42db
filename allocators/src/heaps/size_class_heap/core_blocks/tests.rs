//! The core's bins and searches, and what is said of each kind of damage planted in a region.

use core::mem::MaybeUninit;
use std::collections::BTreeMap;
use std::vec;

use super::{Fault, Links, Region, word_of_prev, word_of_size};
use crate::heaps::size_class_heap::block_size::bin_of;
use crate::heaps::size_class_heap::region::{NIL, region_in};

/// Shows a fresh region of the given number of pages.
fn with_pages(pages: u32, act: impl FnOnce(&mut Region)) {
    let room = pages as usize * 4200 + 20_000;
    for bytes in (pages as usize * 4096..room).step_by(64) {
        // Memory of its own for each attempt: a region closes what is nobody's to the memory
        // checkers.
        let mut memory = vec![MaybeUninit::<u8>::uninit(); room];
        let region = region_in(&mut memory[..bytes]);
        if let Some(region) = region.filter(|region| region.pages() == pages) {
            return act(region);
        }
    }
    panic!("no region has {pages} pages");
}

#[test]
fn the_bin_after_that_of_a_size_holds_only_blocks_that_are_large_enough() {
    let mut least = BTreeMap::new();
    for size in 1..70_000 {
        least.entry(bin_of(size)).or_insert(size);
    }
    for size in 1..60_000 {
        let own = bin_of(size);
        assert!(least[&own] <= size, "bin {own} begins after {size}");
        assert!(least[&(own + 1)] > size, "bin {} has blocks of less than {size}", own + 1);
    }
}

#[test]
fn of_a_bin_of_several_sizes_the_first_block_serves_if_it_is_large_enough() {
    with_pages(4, |region| {
        let sizes = [66, 1, 67, 1];
        let blocks = sizes.map(|size| region.take_block(size).expect("there is room"));
        assert_eq!(bin_of(66), bin_of(67), "both are in a bin");
        give(region, blocks[2]);
        give(region, blocks[0]);
        // The first of the bin is the one of 66, which was freed last.
        let large = region.take_block(67).expect("there is room");
        assert!(large > blocks[3], "from a higher bin");
        assert_eq!(region.take_block(66), Ok(blocks[0]), "the first of the bin");
        assert_eq!(region.take_block(67), Ok(blocks[2]), "the next is large enough");
        region.check_core().expect("the core is whole");
    });
}

#[test]
fn a_region_is_unused_while_all_of_it_is_one_free_block() {
    with_pages(1, |region| {
        assert!(region.is_unused(), "it is fresh");
        let page = region.take_pages(1, true).expect("it is free");
        region.set_kind(page, 1);
        assert!(!region.is_unused(), "its only page is in use");
        region.set_kind(page, 0);
        let header = region.header(0).expect("a sound header");
        assert_eq!(region.give_block(0, header), Ok(true), "all is free");
        assert!(region.is_unused(), "all is free");
        let block = region.take_block(region.granules).expect("the whole of it");
        assert!(!region.is_unused(), "all of it is one live block");
        region.clear_start(block);
        let header = region.header(block).expect("a sound header");
        assert_eq!(region.give_block(block, header), Ok(true), "all is free");
        let [first, second] = [10, 10].map(|size| region.take_block(size).expect("there is room"));
        region.clear_start(first);
        let header = region.header(first).expect("a sound header");
        assert_eq!(region.give_block(first, header), Ok(false), "the second is live");
        assert_eq!((first, second), (0, 10), "from the start");
        assert!(!region.is_unused(), "the first block is free and not all");
    });
}

/// Frees a block of granules that is live.
fn give(region: &mut Region, block: u32) {
    region.clear_start(block);
    let header = region.header(block).expect("a sound header");
    region.give_block(block, header).expect("sound neighbours");
}

#[test]
fn an_aligned_block_is_looked_for_in_two_places() {
    with_pages(4, |region| {
        // A free block of the very size, at a wrong place, before the large one.
        let [_, small, _] = [1, 4, 1].map(|size| region.take_block(size).expect("there is room"));
        give(region, small);
        assert_eq!(region.take_aligned(4, 4096), Ok(256), "in the large one");
        region.check_core().expect("the core is whole");
    });
    with_pages(4, |region| {
        // The only free block holds it, and ends where it does.
        let rest = region.granules - 260;
        let [_, free, _] = [250, 10, rest].map(|size| region.take_block(size).expect("room"));
        give(region, free);
        assert_eq!(region.take_aligned(5, 4096), Err(Fault::NoRoom), "a granule too many");
        assert_eq!(region.take_aligned(4, 4096), Ok(256), "up to the end");
        region.check_core().expect("the core is whole");
    });
}

#[test]
fn a_page_that_is_not_fresh_was_reached_before() {
    with_pages(4, |region| {
        assert_eq!(region.take_pages(1, false), Err(Fault::NoRoom), "nothing was reached so far");
        assert_eq!(region.take_pages(1, true), Ok(0), "the first one");
        region.set_kind(0, 1);
        assert_eq!(region.take_pages(1, false), Err(Fault::NoRoom), "the next one is fresh");
        region.set_kind(0, 0);
        let header = region.header(0).expect("a sound header");
        assert_eq!(region.give_block(0, header), Ok(true), "all is free");
        assert_eq!(region.take_pages(1, false), Ok(0), "it ends where the last one did");
    });
}

#[test]
fn a_page_is_found_in_the_least_block_that_is_sure_to_hold_one() {
    with_pages(4, |region| {
        let rest = region.granules - 769;
        let sizes = [1, 511, 1, 256, rest];
        let blocks = sizes.map(|size| region.take_block(size).expect("there is room"));
        // One that is as long as a page and not aligned, and one that is as far off as it can be.
        give(region, blocks[3]);
        give(region, blocks[1]);
        assert_eq!(region.take_pages(1, true), Ok(1), "from granule 256 to 512");
        region.set_kind(1, 1);
        region.check_core().expect("the core is whole");
        assert_eq!(region.take_pages(1, true), Err(Fault::NoRoom), "no other page is free");
    });
}

#[test]
fn all_of_a_region_can_be_taken_and_no_more() {
    with_pages(2, |region| {
        assert_eq!(region.take_block(region.granules + 1), Err(Fault::NoRoom), "too much");
        assert_eq!(region.take_block(region.granules), Ok(0), "all of it");
    });
    // The bin that a size is rounded up to is above the highest one.
    with_pages(127, |region| {
        assert_eq!((bin_of(32_400) + 1) / 32, region.levels, "the next bin is above the levels");
        region.take_block(200).expect("there is room");
        assert_eq!(region.take_block(32_400), Err(Fault::NoRoom), "less is left");
        region.check_core().expect("the core is whole");
    });
}

#[test]
fn bins_of_a_level_are_found_until_the_last_is_empty() {
    with_pages(8, |region| {
        let rest = region.granules - 1 - 400 - 1 - 300 - 1;
        let sizes = [1, 400, 1, 300, 1, rest];
        let blocks = sizes.map(|size| region.take_block(size).expect("there is room"));
        give(region, blocks[1]);
        give(region, blocks[3]);
        assert_eq!(bin_of(400) / 32, bin_of(300) / 32, "two bins of one level");
        assert_eq!(region.take_block(300), Ok(blocks[3]), "the one bin is empty now");
        assert_eq!(region.take_block(20), Ok(blocks[1]), "the other is found from below");
        region.check_core().expect("the core is whole");
    });
}

#[test]
fn a_block_grows_up_to_the_next_live_one() {
    with_pages(2, |region| {
        let blocks = [10, 20, 10].map(|size| region.take_block(size).expect("there is room"));
        give(region, blocks[1]);
        assert_eq!(region.resize_block(blocks[0], 31), Err(Fault::NoRoom), "a granule too many");
        assert_eq!(region.resize_block(blocks[0], 30), Ok(()), "all that is free");
        assert_eq!(region.size_at(blocks[0]), Ok(30), "it has grown");
        region.check_core().expect("the core is whole");
    });
}

#[test]
fn a_word_that_was_written_over_is_not_believed() {
    with_pages(2, |region| {
        let [_, block, _] = [10, 10, 10].map(|size| region.take_block(size).expect("room"));
        let damaged = Err(Fault::Damaged(block));
        let header = region.header(block).expect("a sound header");
        let most = region.granules - block;
        for size in [0, most + 1, most + 2, region.granules] {
            region.set_size(block, size);
            assert_eq!(region.size_at(block), damaged.map(|()| 0), "{size} granules");
        }
        region.set_size(block, most);
        assert_eq!(region.size_at(block), Ok(most), "up to the end");
        region.set_size(block, header.size);
        let words = [word_of_size(header.size, block), word_of_prev(header.prev, block)];
        for (at, word) in words.into_iter().enumerate() {
            let put = |word: u32| {
                region.opened_header(block, |words| {
                    // SAFETY: the two words of a block's header are before it.
                    unsafe { words.wrapping_add(at).write(word) };
                });
            };
            for byte in 0..4 {
                for change in 1..=0xff {
                    put(word ^ change << (byte * 8));
                    let believed = region.header(block);
                    assert!(believed.is_err(), "word {at}, {change:#x} in byte {byte}");
                }
            }
            put(word);
        }
        region.set_prev(block, block + 1);
        assert_eq!(region.header(block).err(), damaged.err(), "what is before has no room");
        region.set_prev(block, header.prev);
        assert_eq!(region.header(block), Ok(header), "as it was");
    });
}

#[test]
fn nothing_is_told_to_the_block_behind_the_last() {
    // The damage is done to memory that is nobody's, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    with_pages(1, |region| {
        let last = region.granules - 1;
        region.take_block(region.granules).expect("all of it");
        let end = region.address(last).cast::<[u8; 16]>();
        // SAFETY: the granule is the last of a live block.
        unsafe { end.write([0xee; 16]) };
        region.set_prev(region.granules, 7);
        // SAFETY: as above.
        assert_eq!(unsafe { end.read() }, [0xee; 16], "the block's own bytes");
    });
}

#[test]
fn a_free_block_that_lies_about_its_size_is_not_merged() {
    with_pages(2, |region| {
        let blocks = [10, 10, 10].map(|size| region.take_block(size).expect("there is room"));
        give(region, blocks[0]);
        region.set_size(blocks[0], 9);
        region.clear_start(blocks[1]);
        let header = region.header(blocks[1]).expect("a sound header");
        let given = region.give_block(blocks[1], header);
        assert_eq!(given, Err(Fault::Damaged(blocks[0])), "the one before it");
    });
}

#[test]
fn links_that_disagree_are_not_followed() {
    // Three free blocks of one bin, the last freed first on the list.
    for (damage, what) in [
        (Links { next: 0, prev: 50 }, "the next one is another"),
        (Links { next: 20, prev: 50 }, "the next one is live"),
        (Links { next: 10, prev: 0 }, "the one before is another, the next one is right"),
        (Links { next: 10, prev: NIL }, "it is not the first, the next one is right"),
        (Links { next: 0, prev: 20 }, "both are wrong"),
        (Links { next: 20, prev: 0 }, "the one before is another"),
        (Links { next: NIL, prev: 0 }, "the one before is another, and it is the last"),
        (Links { next: 20, prev: NIL }, "it is not the first"),
        (Links { next: 0, prev: NIL }, "it is not the first, and the next one is another"),
        (Links { next: 1 << 20, prev: 60 }, "the next one is outside"),
        (Links { next: 20, prev: 1 << 20 }, "the one before is outside"),
    ] {
        with_pages(2, |region| {
            let blocks = [(); 7].map(|()| region.take_block(10).expect("there is room"));
            for at in [1, 3, 5] {
                give(region, blocks[at]);
            }
            let (block, size) = (blocks[3], 10);
            let before = region.links(block);
            assert_eq!((before.next, before.prev), (10, 50), "the lists as they are");
            region.set_links(block, damage);
            assert_eq!(region.unlink(block, size), Err(Fault::Damaged(block)), "{what}");
            region.set_links(block, before);
            region.check_core().expect("nothing else has changed");
            assert_eq!(region.unlink(block, size), Ok(()), "sound links");
        });
    }
}

/// What a check says of a region in which three blocks of ten granules are live, the second is then
/// freed, and damage is planted; and where it is.
fn said(plant: impl FnOnce(&mut Region, [u32; 3])) -> (&'static str, u32) {
    let mut said = None;
    with_pages(2, |region| {
        let blocks = [10, 10, 10].map(|size| region.take_block(size).expect("there is room"));
        give(region, blocks[1]);
        region.check_core().expect("the core is whole");
        plant(region, blocks);
        said = region.check_core().err();
    });
    said.expect("damage was planted")
}

#[test]
fn each_kind_of_damage_to_the_core_is_told() {
    let found = said(|region, blocks| region.set_prev(blocks[2], 9));
    assert_eq!(found, ("a header disagrees with the block before it", 20), "9 are not 10");
    let found = said(|region, blocks| region.set_size(blocks[1], 0));
    assert_eq!(found, ("a block's header is damaged", 10), "no size");
    let found = said(|region, blocks| region.clear_start(blocks[0]));
    assert_eq!(found, ("two free neighbours were not merged", 10), "0 and 10");
    let found = said(|region, _| region.set_head(10, region.granules));
    assert_eq!(found, ("a free list leaves the region", NIL), "past the last granule");
    let found = said(|region, blocks| {
        let next = region.granules;
        region.set_links(blocks[1], Links { next, prev: NIL });
    });
    assert_eq!(found, ("a free list leaves the region", 10), "from granule 10");
    let found = said(|region, blocks| region.set_links(blocks[1], Links { next: NIL, prev: 30 }));
    assert_eq!(found, ("a free list is damaged", 10), "the first has none before it");
    let found = said(|region, blocks| region.set_start(blocks[1]));
    assert_eq!(found, ("a free list is damaged", 10), "it is live");
    let found = said(|region, blocks| {
        region.unlink(blocks[1], 10).expect("sound links");
        region.set_links(blocks[1], Links { next: NIL, prev: NIL });
        region.set_head(12, blocks[1]);
        region.set_level_bins(0, region.level_bins(0) | 1 << 12);
    });
    assert_eq!(found, ("a free list is damaged", 10), "in the list of 12 granules");
    let found = said(|region, blocks| region.unlink(blocks[1], 10).expect("sound links"));
    assert_eq!(found, ("a free block is in no list", 0), "granule 10");
    // A block within a live one, sound in itself and in its list.
    let found = said(|region, blocks| {
        let inner = blocks[2] + 4;
        region.set_size(inner, 3);
        region.set_prev(inner, 4);
        region.insert_free(inner, 3);
    });
    assert_eq!(found.0, "a free list has a block twice", "more are listed than there are");
}

/// Past the region is somebody else's memory, whatever it says.
#[test]
fn a_link_to_the_end_is_not_followed() {
    with_pages(2, |region| {
        let blocks = [(); 7].map(|()| region.take_block(10).expect("there is room"));
        for at in [1, 3, 5] {
            give(region, blocks[at]);
        }
        let (block, end) = (blocks[3], region.granules);
        let past = region.address(end).cast::<[u32; 2]>();
        // SAFETY: the memory is longer than the region.
        unsafe { past.write([block, block]) };
        let before = region.links(block);
        for damage in [Links { next: end, ..before }, Links { prev: end, ..before }] {
            region.set_links(block, damage);
            let unlinked = region.unlink(block, 10);
            assert_eq!(unlinked, Err(Fault::Damaged(block)), "{damage:?}");
        }
        region.set_links(block, before);
        region.check_core().expect("as it was");
    });
}

#[test]
fn above_the_highest_level_nothing_is_looked_for() {
    for bytes in (127 * 4096..127 * 4200 + 20_000).step_by(64) {
        // What follows the bits of the levels reads as full of blocks. Each region has memory of
        // its own: the one before has closed what it did not give out.
        let mut memory = vec![MaybeUninit::new(0xff_u8); bytes];
        let Some(region) = region_in(&mut memory).filter(|region| region.pages() == 127) else {
            continue;
        };
        assert_eq!((bin_of(32_400) + 1) / 32, region.levels, "the next bin is above the levels");
        region.take_block(200).expect("there is room");
        assert_eq!(region.take_block(32_400), Err(Fault::NoRoom), "less is left");
        return region.check_core().expect("the core is whole");
    }
    panic!("no region has 127 pages");
}
