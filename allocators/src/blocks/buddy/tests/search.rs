//! The search for a block: the fronts, the lists, and places of an alignment one by one.

use crate::blocks::buddy::calls::Run;
use crate::blocks::buddy::tests::Bare;

/// A tree of `1 << top` leaves of which only those of `free` are free, each next to a live one.
fn free_alone(top: u32, free: &[u32]) -> Bare {
    let leaves = 1 << top;
    let bare = Bare::new(top, 0, leaves);
    for leaf in 0..leaves {
        bare.tree.reserve(leaf, leaf + 1, |_| ()).expect("it is free");
    }
    for &leaf in free {
        bare.tree.free(u64::from(leaf) << 4);
    }
    bare.tree.settle();
    bare
}

fn leaf(leaf: u32) -> Option<Run> {
    Some(Run { leaf, height: 0 })
}

#[test]
fn what_was_freed_last_is_given_out_first() {
    let bare = Bare::new(9, 0, 512);
    assert!(bare.tree.fronts().len() > 1, "leaves and pairs wait in fronts");
    for (bytes, height) in [(16, 0), (32, 1)] {
        let blocks = [(); 3].map(|()| bare.tree.allocate(bytes, 1).expect("there is room"));
        for block in blocks {
            assert_eq!(block.height, height, "{bytes} bytes");
            bare.tree.free(bare.tree.offset_of(block.leaf));
        }
        for block in blocks.into_iter().rev() {
            // With the natural alignment of such a block.
            assert_eq!(bare.tree.allocate(bytes, bytes), Some(block), "{bytes} bytes");
        }
    }
    bare.tree.check().expect("the tree is sound");
}

#[test]
fn a_free_block_that_is_sure_to_hold_an_aligned_one_is_found_however_far() {
    // Four leaves at the end, after more places than are checked one by one.
    let bare = free_alone(9, &[508, 509, 510, 511]);
    let found = bare.tree.allocate(16, 64);
    assert_eq!(found, leaf(508), "the first of the four");
    bare.tree.check().expect("the tree is sound");
}

#[test]
fn so_many_places_are_looked_at_where_no_free_block_is_sure() {
    // Every fourth leaf is aligned to 64, and a single free leaf is not sure to be one of them.
    for place in [0, 1, 62, 63] {
        let bare = free_alone(9, &[4 * place]);
        assert_eq!(bare.tree.allocate(16, 64), leaf(4 * place), "place {place}");
        bare.tree.check().expect("the tree is sound");
    }
    let bare = free_alone(9, &[4 * 64]);
    assert_eq!(bare.tree.allocate(16, 64), None, "the place after the last that is looked at");
    assert_eq!(bare.tree.allocate(16, 16), leaf(4 * 64), "it is there for others");
}

#[test]
fn an_alignment_beyond_the_tree_is_served_where_the_block_fits() {
    for align in [1 << 35, 1 << 36, 1 << 40] {
        let bare = free_alone(4, &[0]);
        assert_eq!(bare.tree.allocate(32, align), None, "one leaf is too small, {align}");
        assert_eq!(bare.tree.allocate(16, align), leaf(0), "leaf 0 has any alignment, {align}");
        bare.tree.check().expect("the tree is sound");
    }
}

#[test]
fn what_waits_in_a_front_is_free_for_a_range() {
    let bare = Bare::new(9, 0, 512);
    let run = bare.tree.allocate(16, 1).expect("there is room");
    bare.tree.free(bare.tree.offset_of(run.leaf));
    assert!(bare.tree.is_held(run.leaf, 0), "it waits in a front");
    let mut shown = std::vec::Vec::new();
    let taken = bare.tree.reserve(run.leaf, run.leaf + 3, |run| shown.push(run));
    assert_eq!(taken, Ok(()), "it is free");
    let pair = Run { leaf: run.leaf, height: 1 };
    assert_eq!(shown, [Some(pair), leaf(run.leaf + 2)].map(Option::unwrap), "the fewest blocks");
    bare.tree.check().expect("the tree is sound");
}

#[test]
fn a_range_reaches_the_last_leaf_and_has_one_at_least() {
    let bare = Bare::new(4, 0, 16);
    assert_eq!(bare.tree.leaves_of(240, 16), Some((15, 16)), "the last leaf");
    assert_eq!(bare.tree.leaves_of(240, 17), None, "a byte after it");
    assert_eq!(bare.tree.leaves_of(32, 0), Some((2, 3)), "zero bytes count as one");
    assert_eq!(bare.tree.leaves_of(33, 0), Some((2, 3)), "zero bytes count as one");
    assert_eq!(bare.tree.leaves_of(u64::MAX, 1), None, "past the end of all numbers");
}
