//! The result of a check for each kind of planted damage.

use core::cell::Cell;
use core::ptr::NonNull;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy::meta::{FRONT_BLOCKS, Front, NIL};
use crate::blocks::buddy::node::Node;
use crate::blocks::buddy::tests::{Bare, Region, layout};
use crate::contract::allocator::{Allocator, Damage};

/// Plants damage in a sound tree and returns the check's result.
fn said(bare: &Bare, plant: impl FnOnce()) -> &'static str {
    bare.tree.check().expect("the tree is sound before");
    plant();
    bare.tree.check().expect_err("damage was planted").0
}

const MISSING: &str = "a missing part is not marked";
const INSIDE: &str = "a bit is set inside a free or allocated block";
const IMPOSSIBLE: &str = "a counter is impossible";
const NO_BLOCK: &str = "a front holds an entry that is not a block";
const BROKEN: &str = "a free list is broken";

#[test]
fn a_part_that_is_missing_has_its_bit_set() {
    // The root is present in part, and its bit is before the end.
    let bare = Bare::new(4, 0, 10);
    assert_eq!(said(&bare, || bare.tree.unset(Node::new(0, 4))), MISSING, "the root");
    // So is its upper half, whose bit the lower half hides if it is free.
    let bare = Bare::new(4, 0, 14);
    assert_eq!(said(&bare, || bare.tree.unset(Node::new(8, 3))), MISSING, "the upper half");
    // Leaves past the end and before the start.
    let bare = Bare::new(4, 3, 10);
    assert_eq!(said(&bare, || bare.tree.unset(Node::new(10, 0))), MISSING, "past the end");
    let bare = Bare::new(4, 3, 10);
    assert_eq!(said(&bare, || bare.tree.unset(Node::new(2, 0))), MISSING, "before the start");
}

#[test]
fn a_bit_inside_a_free_block_is_found_wherever_it_lies() {
    // Bits of the first word, of the word between, and of the last; of a window that starts later.
    for (first, end, inside) in [
        (0, 128, Node::new(5, 0)),
        (0, 128, Node::new(31, 0)),
        (0, 128, Node::new(0, 6)),
        (0, 128, Node::new(64, 6)),
        (0, 128, Node::new(127, 0)),
        (64, 128, Node::new(64, 0)),
        (64, 128, Node::new(90, 1)),
        (64, 128, Node::new(127, 0)),
    ] {
        let bare = Bare::new(7, first, end);
        assert_eq!(said(&bare, || bare.tree.set(inside)), INSIDE, "{inside:?} of {first}..{end}");
    }
}

#[test]
fn counters_that_cannot_be_are_told() {
    let live = || {
        let bare = Bare::new(4, 0, 16);
        bare.tree.allocate(32, 1).expect("there is room");
        bare
    };
    let bare = live();
    assert_eq!(said(&bare, || bare.tree.head().books.peak_granted.set(31)), IMPOSSIBLE, "peak");
    let bare = live();
    assert_eq!(said(&bare, || bare.tree.head().books.granted_total.set(31)), IMPOSSIBLE, "total");
    for align in [0, 24] {
        let bare = live();
        let said = said(&bare, || bare.tree.head().books.greatest_align.set(align));
        assert_eq!(said, IMPOSSIBLE, "an alignment of {align}");
    }
    let wrong = "the counters do not match the used bits";
    let bare = live();
    assert_eq!(said(&bare, || bare.tree.head().books.live.set(2)), wrong, "live blocks");
    let bare = live();
    assert_eq!(said(&bare, || bare.tree.head().books.granted.set(16)), wrong, "live bytes");
    // Two free halves that are not merged look like a block that is live.
    let bare = Bare::new(4, 0, 16);
    let halves = || {
        bare.tree.unlink(0, 4);
        bare.tree.set(Node::new(0, 4));
        bare.tree.push_free(0, 3);
        bare.tree.push_free(8, 3);
    };
    assert_ne!(said(&bare, halves), INSIDE, "the reported damage is not of the bits");
}

#[test]
fn a_front_holds_whole_blocks_of_its_height_alone() {
    // Heights 0 and 1 have fronts; leaves 40 to 47 are live, whose bits are in the middle.
    let live = || {
        let bare = Bare::new(10, 32, 600);
        for leaf in 40..48 {
            bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
        }
        assert!(bare.tree.fronts().len() >= 2, "two heights at least");
        bare
    };
    let front = |bare: &Bare, height: usize, leaf: u32| {
        said(bare, || assert!(bare.tree.fronts()[height].push(leaf), "there is room"))
    };
    assert_eq!(front(&live(), 1, 41), NO_BLOCK, "a pair starts at an even leaf");
    assert_eq!(front(&live(), 0, 31), NO_BLOCK, "before the first leaf");
    assert_eq!(front(&live(), 0, 600), NO_BLOCK, "the leaf after the last");
    assert_eq!(front(&live(), 0, 700), NO_BLOCK, "after the last");
    assert_eq!(front(&live(), 0, 100), "a front holds a block that is not whole", "a free one");
    assert_eq!(front(&live(), 1, 40), "a front holds a block that is not whole", "a split one");
    let wrong = "the counters do not match the used bits";
    assert_eq!(front(&live(), 0, 40), wrong, "a live one");
}

#[test]
fn a_list_has_free_blocks_of_its_height_alone() {
    let live = || {
        let bare = Bare::new(4, 0, 16);
        bare.tree.reserve(0, 1, |_| ()).expect("it is free");
        bare
    };
    // Replaces the only block in the list of a height by a leaf.
    let instead = |bare: &Bare, height: usize, leaf: u32| {
        let link = bare.tree.link(leaf).expect("it is present");
        link.next.set(NIL);
        link.prev.set(NIL);
        bare.tree.lists()[height].set(leaf);
    };
    for (height, leaf, what) in [
        (0, 0, "a live leaf"),
        (0, 3, "a leaf within a free block"),
        (1, 3, "the second leaf of a free pair"),
        (2, 6, "a pair within a free block"),
    ] {
        let bare = live();
        assert_eq!(said(&bare, || instead(&bare, height, leaf)), BROKEN, "{what}");
    }
    let bare = live();
    let said_of_link = said(&bare, || bare.tree.link(8).expect("it is present").prev.set(4));
    assert_eq!(said_of_link, BROKEN, "the first of a list has none before it");
    let bare = live();
    let said_of_list = said(&bare, || bare.tree.lists()[3].set(16));
    assert_eq!(said_of_list, "a free list leads outside", "the leaf after the last");
    let bare = live();
    let heights = &bare.tree.head().books.heights;
    let said_of_heights = said(&bare, || heights.set(heights.get() | 1 << 20));
    assert_eq!(said_of_heights, "the bitmap of heights has a height too many", "height 20");
}

#[test]
fn a_list_that_leads_round_ends_after_as_many_as_there_are_leaves() {
    let count = |bare: &Bare, height| {
        let mut count = 0;
        bare.tree.each_free(height, &mut |_| count += 1);
        count
    };
    let bare = Bare::new(0, 0, 1);
    assert_eq!(count(&bare, 0), 1, "one leaf, which is free");
    let bare = Bare::new(4, 0, 16);
    bare.tree.link(0).expect("it is present").next.set(0);
    assert_eq!(count(&bare, 4), 16, "round and round");
    assert!(bare.tree.link(16).is_none(), "there is no leaf after the last");
}

#[test]
fn damage_is_told_with_the_address_of_its_block() {
    // The damage is done to poisoned memory, which these tools would report.
    if cfg!(any(loligo_asan, feature = "valgrind")) {
        return;
    }
    let mut region = Region::new(1 << 16, 0);
    let buddy = BuddyAllocator::from_region("told", 64, region.get()).expect("it fits");
    let blocks: [NonNull<u8>; 5] =
        core::array::from_fn(|_| buddy.allocate(layout(64, 1)).expect("there is room").cast());
    for block in [blocks[0], blocks[2], blocks[3]] {
        // SAFETY: the block is live and freed once.
        unsafe { buddy.deallocate(block) };
    }
    buddy.settle();
    let block = blocks[2];
    let leaf = buddy.tree.leaf_at(buddy.offset(block.as_ptr())).expect("a block starts there");
    assert!(buddy.tree.shape.first > 0, "the metadata is before the first leaf");
    let link = buddy.tree.link(leaf).expect("it is present");
    let before = link.prev.replace(leaf);
    let address = block.as_ptr().cast_const();
    assert_eq!(buddy.verify(), Err(Damage { what: BROKEN, address }), "its own address");
    link.prev.set(before);
    drop(link);
    buddy.verify().expect("sound again");
    for block in [blocks[1], blocks[4]] {
        // SAFETY: the block is live and freed once.
        unsafe { buddy.deallocate(block) };
    }
}

/// The words of a front: the count with its mark, and the places.
fn words(front: &Front) -> &[Cell<u32>] {
    let words = core::ptr::from_ref(front).cast::<Cell<u32>>();
    // SAFETY: a front is this many words, and each is a cell.
    unsafe { core::slice::from_raw_parts(words, FRONT_BLOCKS + 1) }
}

#[test]
fn a_front_is_sound_if_its_count_fits_what_it_holds() {
    let front = Front::new();
    assert!(front.is_sound(), "an empty one");
    for leaf in 0..FRONT_BLOCKS as u32 {
        assert!(front.push(leaf), "there is room for {leaf}");
        assert!(front.is_sound(), "{leaf}");
    }
    assert!(!front.push(99), "it is full");
    let count = words(&front)[0].replace(1 << 31 | 16);
    assert!(!front.is_sound(), "more than there are places");
    words(&front)[0].set(count - 1);
    assert!(!front.is_sound(), "a block after the last");
    words(&front)[0].set(count);
    for (at, other) in [(1, 2), (2, 1), (15, 1), (1, 15)] {
        let before = words(&front)[at].replace(words(&front)[other].get());
        assert!(!front.is_sound(), "place {at} holds what {other} holds");
        words(&front)[at].set(NIL);
        assert!(!front.is_sound(), "place {at} holds nothing");
        words(&front)[at].set(before);
    }
    assert!(front.is_sound(), "as it was");
    front.remove(0);
    assert_eq!((front.count(), front.get(0), front.get(13)), (14, 1, 14), "the oldest is gone");
    front.remove(13);
    assert_eq!((front.count(), front.get(12), front.get(13)), (13, 13, NIL), "the youngest, too");
    assert!(front.is_sound(), "two less");
}
