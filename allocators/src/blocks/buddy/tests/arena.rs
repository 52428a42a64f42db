//! Arenas that are copied, opened, damaged and cut.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::vec::Vec;

use crate::blocks::buddy::error::BuddyError;
use crate::blocks::buddy::meta::Seal;
use crate::blocks::buddy::shape::Shape;
use crate::blocks::buddy::tests::{Random, Region, layout};
use crate::blocks::buddy::{BlockState, BuddyAllocator};
use crate::contract::allocator::Allocator;

/// Fills an allocator half and returns offset, size and first byte of each live block.
fn fill<B: Allocator + ?Sized>(
    buddy: &BuddyAllocator<'_, B>,
    random: &mut Random,
) -> Vec<(usize, usize, u8)> {
    let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
    for _ in 0..600 {
        if random.below(3) > 0 {
            let bytes = 1 + random.below(700);
            if let Ok(block) = buddy.allocate(layout(bytes, 1 << random.below(7))) {
                let mark = random.next() as u8;
                let block = block.cast::<u8>();
                // SAFETY: the block is live and has that many bytes.
                unsafe { block.write_bytes(mark, bytes) };
                live.push((block, bytes, mark));
            }
        } else if !live.is_empty() {
            let (block, bytes, _) = live.swap_remove(random.below(live.len()));
            // SAFETY: the block is live, of that size, and freed once.
            unsafe { buddy.deallocate_sized(block, layout(bytes, 1)) };
        }
    }
    let at = |block| buddy.offset_of(block).expect("it is a block of this arena");
    live.into_iter().map(|(block, bytes, mark)| (at(block), bytes, mark)).collect()
}

/// Opens a copy of the bytes in `region`.
fn open<'a>(
    bytes: &[MaybeUninit<u8>],
    region: &'a mut Region,
) -> Result<BuddyAllocator<'a, dyn Allocator + Sync + 'a>, BuddyError> {
    let place = region.get();
    place[..bytes.len()].copy_from_slice(bytes);
    // SAFETY: every byte of the regions in these tests was written.
    unsafe { BuddyAllocator::open("copy", place) }
}

fn free_all<B: Allocator + ?Sized>(buddy: &BuddyAllocator<'_, B>, live: &[(usize, usize, u8)]) {
    assert_eq!(buddy.stats().live, live.len());
    for &(offset, bytes, mark) in live {
        let block = buddy.at_offset(offset).expect("the block is live in the copy");
        for at in 0..bytes {
            // SAFETY: the block is live and has that many bytes.
            let byte = unsafe { block.add(at) };
            // SAFETY: it was written before the arena was copied.
            assert_eq!(unsafe { byte.read() }, mark);
        }
        // SAFETY: the block is live, of that size, and freed once.
        unsafe { buddy.deallocate_sized(block, layout(bytes, 1)) };
    }
    buddy.verify().expect("the tree is sound");
}

#[test]
fn a_copy_has_every_block_wherever_it_lies() {
    let mut random = Random::new(5);
    for (len, skew, leaf) in [(60_000, 0, 16), (100_000, 4100, 64), (3000, 7, 32)] {
        let mut home = Region::new(len, skew);
        let buddy = BuddyAllocator::from_region("home", leaf, home.get()).expect("it fits");
        let live = fill(&buddy, &mut random);
        let stats = buddy.stats();
        // Freed blocks wait in fronts at this moment, and the bytes are a valid arena all the same.
        let bytes = buddy.into_region().to_vec();
        for more in [0, 64, 128, 8192, 70_400] {
            let mut region = Region::new(len + more / 2, skew + more);
            let copy = open(&bytes, &mut region).expect("the distance is a multiple of 64");
            let mut expected = stats;
            expected.reserved = len + more / 2;
            expected.peak_reserved = expected.reserved;
            assert_eq!(copy.stats(), expected);
            copy.verify().expect("the tree is sound");
            free_all(&copy, &live);
            assert_eq!(copy.stats().granted, 0);
        }
    }
}

#[test]
fn a_base_that_breaks_an_alignment_is_refused() {
    let mut home = Region::new(60_000, 0);
    let buddy = BuddyAllocator::from_region("home", 16, home.get()).expect("it fits");
    let block = buddy.allocate(layout(10, 4096)).expect("there is room");
    // The greatest alignment ever requested counts, even if its block is freed.
    // SAFETY: the block is live and freed once.
    unsafe { buddy.deallocate(block.cast()) };
    let bytes = buddy.into_region().to_vec();
    for skew in [64, 2048, 4096 + 16] {
        let mut region = Region::new(60_000, skew);
        let error = open(&bytes, &mut region).err();
        assert_eq!(error, Some(BuddyError::BadBase { alignment: 4096 }), "{skew}");
    }
    for skew in [1, 8, 15] {
        let mut region = Region::new(60_000, skew);
        let error = open(&bytes, &mut region).err();
        assert_eq!(error, Some(BuddyError::BadBase { alignment: 16 }), "{skew}");
    }
    let mut region = Region::new(60_000, 3 * 4096);
    let copy = open(&bytes, &mut region).expect("the distance is a multiple of 4096");
    drop(copy);
}

#[test]
fn a_copy_on_a_weaker_base_still_aligns_what_it_can() {
    let mut home = Region::new(1 << 18, 0);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    let bytes = buddy.into_region().to_vec();
    for skew in [16_usize, 32, 64, 1024, 1024 + 64, 4096, 20_480] {
        let grid = 1_usize << skew.trailing_zeros();
        let mut region = Region::new(1 << 18, skew);
        let copy = open(&bytes, &mut region).expect("16 is all that was given out");
        for shift in 0..=16 {
            for size in [1_usize, 64, 1000, 5000] {
                let unit = usize::max(64, size.next_power_of_two());
                // A block is at multiples of its length from a base that is shifted by `grid`.
                let possible = 1 << shift <= grid || unit <= grid;
                let block = copy.allocate(layout(size, 1 << shift));
                assert_eq!(block.is_ok(), possible, "{size} at 2^{shift}, base off by {skew}");
                if let Ok(block) = block {
                    let block = block.cast::<u8>();
                    assert_eq!(block.addr().get() % (1 << shift), 0);
                    // SAFETY: the block is live and freed once.
                    unsafe { copy.deallocate(block) };
                }
            }
        }
        copy.verify().expect("the tree is sound");
    }
}

#[test]
fn a_damaged_arena_is_refused() {
    let mut home = Region::new(20_000, 0);
    let mut random = Random::new(17);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    fill(&buddy, &mut random);
    let held: usize = buddy.tree.fronts().iter().map(|front| front.count()).sum();
    assert!(held > 0, "the fronts are part of what is damaged");
    let meta = buddy.tree.shape.meta_bytes();
    let lists_end = 128 + 4 * buddy.levels() as usize;
    let padding = lists_end..lists_end.next_multiple_of(16);
    let fronts = buddy.tree.shape.fronts_at()..buddy.tree.shape.bits_at();
    let bytes = buddy.into_region().to_vec();
    let mut refused = 0;
    for at in 0..meta {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            // SAFETY: every byte was written.
            let byte = unsafe { bytes[at].assume_init() };
            bytes[at] = MaybeUninit::new(byte ^ (1 << bit));
            let mut region = Region::new(20_000, 0);
            match open(&bytes, &mut region) {
                // Totals, peak and greatest alignment can have any possible value, a front can hold
                // another block that looks allocated, and there is padding between the parts.
                Ok(copy) => {
                    let unchecked = (68..72).contains(&at) || (80..120).contains(&at);
                    let unchecked = unchecked || padding.contains(&at) || fronts.contains(&at);
                    copy.verify().expect("an opened arena is sound");
                    let _ = copy.into_region();
                    assert!(unchecked, "byte {at} bit {bit}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 8 * (meta - 64 - fronts.len()), "{refused} of {}", 8 * meta);
}

#[test]
fn a_damaged_link_is_refused() {
    let mut home = Region::new(20_000, 0);
    let mut random = Random::new(18);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    fill(&buddy, &mut random);
    let overhead = buddy.overhead_bytes();
    let mut links = Vec::new();
    for level in 0..buddy.levels() {
        let size = buddy.level_bytes(level);
        let tree_start = overhead - ((buddy.tree.shape.first as usize) << 6);
        buddy.free_list(level, &mut |index| links.push(tree_start + index * size));
    }
    assert!(links.len() > 3, "there are free blocks");
    let bytes = buddy.into_region().to_vec();
    for link in links {
        for at in link..link + 8 {
            let mut bytes = bytes.clone();
            // SAFETY: every byte was written.
            let byte = unsafe { bytes[at].assume_init() };
            bytes[at] = MaybeUninit::new(byte ^ 0x40);
            let mut region = Region::new(20_000, 0);
            let error = open(&bytes, &mut region).err();
            assert!(matches!(error, Some(BuddyError::Damaged { .. })), "{at}: {error:?}");
        }
    }
}

#[test]
fn what_is_no_arena_is_refused_with_the_reason() {
    let mut home = Region::new(20_000, 0);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    let bytes = buddy.into_region().to_vec();
    for len in (0..20_000).step_by(7).chain([8, 127, 128, 129]) {
        let mut region = Region::new(len, 0);
        let error = open(&bytes[..len], &mut region).err();
        match error {
            Some(BuddyError::CutShort { needed, bytes }) => assert!(bytes == len && needed > len),
            // The rest after the last leaf can be missing.
            None => assert!(len >= 20_000 - 64),
            other => assert!(len < 8 && other == Some(BuddyError::NotAnArena), "{other:?}"),
        }
    }
    let mut junk = Region::new(20_000, 0);
    // SAFETY: every byte of a region was written.
    let error = unsafe { BuddyAllocator::open("junk", junk.get()) }.err();
    assert_eq!(error, Some(BuddyError::NotAnArena));
    let mut newer = bytes.clone();
    newer[8..12].write_copy_of_slice(&2_u32.to_ne_bytes());
    let mut region = Region::new(20_000, 0);
    let error = open(&newer, &mut region).err();
    assert_eq!(error, Some(BuddyError::WrongVersion { found: 2 }));
}

#[test]
fn a_header_with_a_right_sum_and_wrong_numbers_is_refused() {
    let forgeries: [fn(&mut Seal); 12] = [
        |seal| seal.leaf_shift = 3,
        |seal| seal.leaf_shift = 60,
        |seal| seal.top = 32,
        |seal| seal.top = 3,
        |seal| seal.first = seal.end,
        |seal| seal.end = u32::MAX,
        |seal| seal.fronts += 1,
        |seal| seal.bytes += 64,
        |seal| (seal.data, seal.bytes) = (seal.data - 64, seal.bytes - 64),
        |seal| (seal.data, seal.bytes) = (seal.data + 8, seal.bytes + 8),
        |seal| (seal.data, seal.bytes) = (0, seal.bytes - seal.data),
        |seal| seal.data = u64::MAX,
    ];
    for (at, forge) in forgeries.into_iter().enumerate() {
        let mut home = Region::new(20_000, 0);
        let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
        // A full arena has no links that could reveal the forgery.
        while buddy.allocate(layout(64, 1)).is_ok() {}
        let mut seal = buddy.tree.head().seal.get();
        forge(&mut seal);
        seal.sum = seal.mixed();
        buddy.tree.head().seal.set(seal);
        let bytes = buddy.into_region().to_vec();
        let mut region = Region::new(20_000, 0);
        let error = open(&bytes, &mut region).err();
        let what = "the header does not hold together";
        assert_eq!(error, Some(BuddyError::Damaged { what, offset: 0 }), "forgery {at}");
    }
}

/// An arena with a forged header, in which every dependent number is adjusted.
fn forged(forge: impl FnOnce(&mut Seal)) -> Vec<MaybeUninit<u8>> {
    let mut home = Region::new(20_000, 0);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    let mut seal = buddy.tree.head().seal.get();
    forge(&mut seal);
    let Seal { leaf_shift, top, first, end, .. } = seal;
    let shape = Shape { leaf_shift, top, first, end };
    seal.fronts = shape.fronts();
    seal.bytes = seal.data.wrapping_add(u64::from(shape.leaves()).wrapping_shl(leaf_shift));
    seal.sum = seal.mixed();
    buddy.tree.head().seal.set(seal);
    buddy.into_region().to_vec()
}

#[test]
fn a_header_that_fits_itself_is_held_to_the_limits() {
    let forgeries: [fn(&mut Seal); 4] = [
        |seal| seal.leaf_shift = 3,
        |seal| seal.leaf_shift = 60,
        |seal| (seal.top, seal.data, seal.end) = (32, seal.data + 128, seal.end - 2),
        |seal| seal.end = (1 << seal.top) + 1,
    ];
    for (at, forge) in forgeries.into_iter().enumerate() {
        let mut region = Region::new(20_000, 0);
        let error = open(&forged(forge), &mut region).err();
        let what = "the header does not hold together";
        assert_eq!(error, Some(BuddyError::Damaged { what, offset: 0 }), "forgery {at}");
    }
    // The largest possible arena is valid, and most of it is missing here.
    let mut region = Region::new(20_000, 0);
    let error = open(&forged(|seal| seal.leaf_shift = 62 - seal.top), &mut region).err();
    assert!(matches!(error, Some(BuddyError::CutShort { bytes: 20_000, .. })), "{error:?}");
}

#[test]
fn an_alignment_that_cannot_be_is_refused() {
    for align in [0, 8, 24, 1 << 62 | 1 << 61] {
        for skew in [0, 8] {
            let mut home = Region::new(20_000, skew);
            let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
            buddy.tree.head().books.greatest_align.set(align);
            let bytes = buddy.into_region().to_vec();
            let mut region = Region::new(20_000, skew);
            let error = open(&bytes, &mut region).err();
            // In the header, which starts at the first multiple of 16.
            let (what, offset) = ("the greatest alignment is impossible", skew + 64 + 48);
            assert_eq!(error, Some(BuddyError::Damaged { what, offset }), "{align}, {skew}");
        }
    }
}

#[test]
fn a_header_is_found_at_the_first_multiple_of_16_alone() {
    let mut home = Region::new(20_000, 8);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    let _ = buddy.into_region();
    // Its first bytes are 8 bytes in, so 12 bytes contain half of them and 60 no whole header.
    for (len, expected) in [
        (12, BuddyError::NotAnArena),
        (60, BuddyError::CutShort { needed: 8 + 128, bytes: 60 }),
        (8 + 127, BuddyError::CutShort { needed: 8 + 128, bytes: 8 + 127 }),
    ] {
        // SAFETY: every byte of a region was written.
        let error = unsafe { BuddyAllocator::open("cut", &mut home.get()[..len]) }.err();
        assert_eq!(error, Some(expected), "{len} bytes");
    }
    let bytes = home.get().to_vec();
    for before in [8, 24] {
        let mut region = Region::new(20_000 + before, 16 - before % 16);
        let place = region.get();
        place[before..].copy_from_slice(&bytes);
        // SAFETY: every byte of a region was written.
        let error = unsafe { BuddyAllocator::open("behind", place) }.err();
        assert_eq!(error, Some(BuddyError::NotAnArena), "{before} bytes are before it");
    }
}

#[test]
fn the_home_of_an_arena_is_where_it_was_opened_last() {
    // The base is such that twice the home is not aligned where the home is not.
    let skew = (1 << 16) - 10_000;
    let mut home = Region::new(20_000, skew);
    let buddy = BuddyAllocator::from_region("home", 64, home.get()).expect("it fits");
    let residue = buddy.tree.home % (1 << 16);
    assert!(!(2 * residue).is_multiple_of(1 << 16), "home {residue}");
    let bytes = buddy.into_region().to_vec();
    let mut second = Region::new(20_000, skew + 64);
    let copy = open(&bytes, &mut second).expect("nothing was aligned so far");
    let block = copy.allocate(layout(10, 1 << 16)).expect("the region holds such a place");
    // SAFETY: the block is live and freed once.
    unsafe { copy.deallocate(block.cast()) };
    let bytes = copy.into_region().to_vec();
    // From here on it can be moved by multiples of the requested alignment from its current
    // address.
    let mut third = Region::new(20_000, skew + 64 + (1 << 16));
    drop(open(&bytes, &mut third).expect("the distance is a multiple of 2^16"));
    for distance in [(1 << 16) - 64, 1 << 15, 64] {
        let mut third = Region::new(20_000, skew + 64 + distance);
        let error = open(&bytes, &mut third).err();
        assert_eq!(error, Some(BuddyError::BadBase { alignment: 1 << 16 }), "{distance}");
    }
}

#[test]
fn the_states_of_a_copy_are_those_of_the_original() {
    let mut home = Region::new(30_000, 0);
    let mut random = Random::new(3);
    let buddy = BuddyAllocator::from_region("home", 256, home.get()).expect("it fits");
    let live = fill(&buddy, &mut random);
    let states = |buddy: &BuddyAllocator<'_, _>| -> Vec<BlockState> {
        (0..buddy.levels())
            .flat_map(|level| (0..1 << level).map(move |index| (level, index)))
            .map(|(level, index)| buddy.block_state(level, index))
            .collect()
    };
    let before = states(&buddy);
    let bytes = buddy.into_region().to_vec();
    let mut region = Region::new(30_000, 4096);
    let copy = open(&bytes, &mut region).expect("it is an arena");
    assert_eq!(states(&copy), before);
    free_all(&copy, &live);
}
