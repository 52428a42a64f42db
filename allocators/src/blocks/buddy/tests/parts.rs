//! The parts of a tree separately: its shape, its place in memory, its header, its fronts.

use core::mem::MaybeUninit;

use crate::blocks::buddy::BuddyAllocator;
#[cfg(target_pointer_width = "64")]
use crate::blocks::buddy::BuddyError;
use crate::blocks::buddy::meta::{META_ALIGN, Seal};
use crate::blocks::buddy::shape::{Placed, Shape};
use crate::blocks::buddy::tests::{Bare, Region};

/// Finds the first leaf after the required metadata by trying one after the other.
fn first_leaf(address: usize, bytes: usize, leaf: usize) -> Option<Shape> {
    let head = address.next_multiple_of(META_ALIGN);
    let end = (address + bytes) / leaf;
    (head.div_ceil(leaf)..end).find_map(|first| {
        // The tree from there, as in the picture in `shape`.
        let grain = 1 << (end - first).ilog2();
        let home = first / grain * grain;
        let top = (end - home).next_power_of_two().ilog2();
        let (first_of_tree, end_of_tree) = ((first - home) as u32, (end - home) as u32);
        let leaf_shift = leaf.ilog2();
        let shape = Shape { leaf_shift, top, first: first_of_tree, end: end_of_tree };
        (head + shape.meta_bytes() <= first * leaf).then_some(shape)
    })
}

#[test]
fn the_first_leaf_is_the_least_that_leaves_room() {
    for address in [1 << 20, (1 << 20) + 7, (1 << 20) + 16, (1 << 20) + 1000] {
        for leaf in [16, 64, 256] {
            for bytes in (100..700).chain((700..9000).step_by(97)) {
                let placed = Placed::at(address, bytes, leaf).ok().map(|placed| placed.shape);
                let least = first_leaf(address, bytes, leaf);
                assert_eq!(placed, least, "{bytes} bytes at {address}, leaves of {leaf}");
            }
        }
    }
}

/// With 32 bits no arena is this large.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_tree_has_62_bits_of_bytes_at_most() {
    let (leaf, most) = (1_usize << 40, 1_usize << 62);
    let placed = Placed::at(0, most, leaf).expect("it is as large as possible");
    assert_eq!((placed.shape.top, placed.shape.leaf_shift), (22, 40), "2^62 bytes");
    let error = Placed::at(0, most + leaf, leaf).err();
    assert_eq!(error, Some(BuddyError::TooManyLevels { bytes: most + leaf }), "a leaf more");
}

#[test]
fn a_tree_of_offsets_has_62_bits_of_bytes_at_most() {
    let of_offsets = |bytes, shift| Shape::of_offsets(bytes, shift).map(|shape| shape.top);
    assert_eq!(of_offsets(1 << 62, 40), Some(22), "as large as possible");
    assert_eq!(of_offsets((1 << 62) + (1 << 40), 40), None, "a leaf more");
    assert_eq!(of_offsets(1 << 63, 41), None, "2^63 bytes");
    assert_eq!(of_offsets(16, 4), Some(0), "one leaf");
    assert_eq!(of_offsets(15, 4), None, "not one leaf");
}

#[test]
fn blocks_up_to_64_kib_wait_and_a_256th_of_the_tree() {
    let fronts = |leaf_shift, leaves: u32| {
        let top = leaves.next_power_of_two().ilog2();
        Shape { leaf_shift, top, first: 0, end: leaves }.fronts()
    };
    assert_eq!([127, 128, 255, 256, 511, 512].map(|leaves| fronts(4, leaves)), [0, 0, 0, 1, 1, 2]);
    // Of 2^20 leaves a 256th has height 12; the height of 64 KiB is lower if leaves are large.
    let large = [4, 5, 13, 14, 15, 16, 17, 20].map(|shift| fronts(shift, 1 << 20));
    assert_eq!(large, [13, 12, 4, 3, 2, 1, 0, 0], "up to 64 KiB");
}

#[test]
fn every_bit_of_the_seal_is_in_its_sum() {
    let seal = Seal {
        magic: 0,
        version: 0,
        leaf_shift: 0,
        top: 0,
        first: 0,
        end: 0,
        fronts: 0,
        bytes: 0,
        data: 0,
        home: 0,
        sum: 0,
    };
    for bit in 0..64 {
        let long: [fn(&mut Seal) -> &mut u64; 4] =
            [|it| &mut it.magic, |it| &mut it.bytes, |it| &mut it.data, |it| &mut it.home];
        for (field, of) in long.into_iter().enumerate() {
            let mut other = seal;
            *of(&mut other) |= 1 << bit;
            assert_ne!(other.mixed(), seal.mixed(), "bit {bit} of field {field}");
        }
    }
    for bit in 0..32 {
        let short: [fn(&mut Seal) -> &mut u32; 6] = [
            |it| &mut it.version,
            |it| &mut it.leaf_shift,
            |it| &mut it.top,
            |it| &mut it.first,
            |it| &mut it.end,
            |it| &mut it.fronts,
        ];
        for (field, of) in short.into_iter().enumerate() {
            // Also next to a field with all bits set.
            for beside in [seal, Seal { version: u32::MAX, top: u32::MAX, end: u32::MAX, ..seal }] {
                let mut other = beside;
                *of(&mut other) ^= 1 << bit;
                assert_ne!(other.mixed(), beside.mixed(), "bit {bit} of field {field}");
            }
        }
    }
}

#[test]
fn the_sum_of_a_seal_is_part_of_the_format() {
    // Arenas outlive the program that wrote them: version 1 always has this sum.
    let seal = Seal {
        magic: 1,
        version: 2,
        leaf_shift: 3,
        top: 4,
        first: 5,
        end: 6,
        fronts: 7,
        bytes: 8,
        data: 9,
        home: 10,
        sum: 11,
    };
    assert_eq!(seal.mixed(), SUM_OF_VERSION_1, "{:#x}", seal.mixed());
}

/// The sum of the seal above, as in the first release of the format.
const SUM_OF_VERSION_1: u64 = 0xabed_2f5d_dfff_3bf1;

#[test]
fn a_fresh_arena_has_counted_nothing_and_keeps_nothing_of_what_lay_there() {
    let mut region = Region::new(20_000, 0);
    let buddy = BuddyAllocator::from_region("fresh", 64, region.get()).expect("it fits");
    let stats = buddy.tree.stats(0);
    assert_eq!((stats.live, stats.granted, stats.peak_granted), (0, 0, 0), "nothing is live");
    let totals = (stats.allocations_total, stats.requested_total, stats.granted_total);
    assert_eq!(totals, (0, 0, 0), "nothing was");
    assert_eq!(buddy.tree.head().books.reserved, 0, "written, though nothing reads it yet");
    let lists_end = 128 + 4 * buddy.levels() as usize;
    let padding = lists_end..buddy.tree.shape.fronts_at();
    assert!(!padding.is_empty(), "some bytes are between the lists and the fronts");
    // The region was filled with nonzero bytes before.
    let bytes = buddy.into_region();
    for byte in &bytes[padding] {
        // SAFETY: every byte of a region was written.
        assert_eq!(unsafe { MaybeUninit::assume_init(*byte) }, 0, "copies have nothing of it");
    }
}

#[test]
fn settling_tells_whether_anything_waited() {
    let bare = Bare::new(9, 0, 512);
    for leaf in 0..12 {
        bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
    }
    assert!(!bare.tree.settle(), "nothing waits");
    assert!(!bare.tree.settle_within(0, 512), "nothing waits");
    for leaf in [0, 2, 8, 9, 4, 10] {
        bare.tree.free(leaf << 4);
    }
    assert!(!bare.tree.settle_within(5, 8), "none of these waits");
    assert!(bare.tree.settle_within(8, 10), "two of these wait");
    let held = [0, 2, 4, 8, 9, 10].map(|leaf| bare.tree.is_held(leaf, 0));
    assert_eq!(held, [true, true, true, false, false, true], "the others go on waiting");
    bare.tree.check().expect("the tree is sound");
    assert!(bare.tree.settle(), "some still waited");
    assert!(!bare.tree.settle(), "nothing waits");
    bare.tree.check().expect("the tree is sound");
}

#[test]
fn a_full_front_is_looked_through_to_its_end() {
    let bare = Bare::new(9, 0, 512);
    for leaf in 0..30 {
        bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
    }
    for leaf in (0..30).step_by(2) {
        bare.tree.free(leaf << 4);
    }
    assert_eq!(bare.tree.fronts()[0].count(), 15, "it is full");
    assert!(!bare.tree.settle_within(100, 200), "none of these waits");
    assert!(bare.tree.settle_within(28, 29), "the last one");
    assert!(bare.tree.settle_within(0, 1), "the first one");
    assert_eq!(bare.tree.fronts()[0].count(), 13, "two less");
    bare.tree.check().expect("the tree is sound");
}
