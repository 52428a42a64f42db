//! Gaps and cells against a bitmap of single bytes.

use core::ops::Range;
use core::slice::from_ref;

use super::{Gaps, Occupancy, letter};
use crate::report::tests::Random;

fn occupancy(regions: &[Range<usize>], blocks: &[Range<usize>]) -> Occupancy {
    Occupancy { regions: regions.to_vec(), blocks: blocks.to_vec() }
}

/// Which bytes of the regions are live, one after the other.
fn bytes(map: &Occupancy) -> Vec<bool> {
    let live = |address: &usize| map.blocks.iter().any(|block| block.contains(address));
    map.regions.iter().flat_map(Clone::clone).map(|address| live(&address)).collect()
}

#[test]
fn gaps_lie_before_between_and_behind() {
    let map = occupancy(&[100..200, 300..400], &[110..120, 150..200, 300..390]);
    assert_eq!(map.gaps(), Gaps { total: 10 + 30 + 10, largest: 30 }, "three gaps");
    assert_eq!(map.reserved(), 200, "two regions");
}

#[test]
fn a_gap_ends_with_its_region_even_where_regions_touch() {
    let map = occupancy(&[0..100, 100..200], &[]);
    assert_eq!(map.gaps(), Gaps { total: 200, largest: 100 }, "two gaps of a region each");
}

#[test]
fn cells_hold_the_live_share() {
    let map = occupancy(from_ref(&(0..40)), &[0..10, 15..16, 20..30]);
    assert_eq!(map.cells(10), format!("z{}z0", letter(1, 10)), "full, a tenth, full, empty");
}

#[test]
fn the_last_cell_may_be_short() {
    let map = occupancy(&[0..10, 50..55], from_ref(&(52..55)));
    assert_eq!(map.cells(10), format!("0{}", letter(3, 5)), "the share is of the cell's bytes");
}

#[test]
fn blocks_outside_of_all_regions_count_for_nothing() {
    let map = occupancy(from_ref(&(100..200)), &[0..50, 90..110, 500..600]);
    assert_eq!(map.gaps(), Gaps { total: 90, largest: 90 }, "the part inside counts");
    assert_eq!(map.cells(10), "z000000000", "in the first cell");
}

#[test]
fn no_memory_is_no_cell() {
    let map = Occupancy::default();
    assert_eq!((map.gaps(), map.cells(1).as_str()), (Gaps::default(), ""), "nothing of nothing");
}

#[test]
fn letters_are_exact_at_both_ends() {
    assert_eq!((letter(0, 9), letter(9, 9)), ('0', 'z'), "none and all");
    assert_eq!(letter(1, 1_000_000), '1', "hardly anything is not nothing");
    assert_eq!(letter(999_999, 1_000_000), 'y', "nearly all is not all");
}

#[test]
fn random_maps_agree_with_single_bytes() {
    for seed in 1..200 {
        let mut random = Random(seed);
        let (mut regions, mut blocks) = (Vec::new(), Vec::new());
        let mut at = random.below(50);
        for _ in 0..=random.below(4) {
            let end = at + 1 + random.below(300);
            regions.push(at..end);
            while at < end {
                let from = (at + random.below(20)).min(end);
                let to = (from + 1 + random.below(40)).min(end);
                if from < to {
                    blocks.push(from..to);
                }
                at = to;
            }
            at = end + random.below(50);
        }
        let map = Occupancy { regions, blocks };
        let live = bytes(&map);
        let total = live.iter().filter(|live| !**live).count();
        assert_eq!(map.gaps().total, total, "free bytes of seed {seed}");
        let size = 1 + random.below(30);
        let share = |cell: &[bool]| letter(cell.iter().filter(|live| **live).count(), cell.len());
        let cells: String = live.chunks(size).map(share).collect();
        assert_eq!(map.cells(size), cells, "cells of seed {seed}");
    }
}
