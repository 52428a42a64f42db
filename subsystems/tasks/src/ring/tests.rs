//! A ring keeps the order, gives half away, and refuses what it has no room for.

use std::vec::Vec;

use super::Ring;
use crate::sync::AtomicU32;

fn entries(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

#[test]
fn the_oldest_comes_first_also_past_the_end() {
    let (ring, entries) = (Ring::new(), entries(4));
    for round in 0..10 {
        assert!((0..4).all(|index| ring.push(&entries, round + index, false)), "there is room");
        assert!(!ring.push(&entries, 9, false), "it is full");
        assert_eq!(ring.len(), 4, "full");
        let popped: Vec<u32> = core::iter::from_fn(|| ring.pop(&entries)).collect();
        assert_eq!(popped, [round, round + 1, round + 2, round + 3], "in order");
        assert!(ring.is_empty(), "empty");
    }
}

#[test]
fn half_is_stolen_at_most_a_batch() {
    let (own, theirs) = (entries(64), entries(128));
    for count in [1, 2, 3, 7, 63, 64, 100, 128] {
        let (thief, ring) = (Ring::new(), Ring::new());
        assert!((0..count).all(|index| ring.push(&theirs, index, false)), "there is room");
        let stolen = count.div_ceil(2).min(32);
        assert_eq!(thief.steal(&own, &ring, &theirs), Some(0), "the oldest is handed out");
        let kept: Vec<u32> = thief.iter(&own).collect();
        assert_eq!(kept, (1..stolen).collect::<Vec<u32>>(), "the others are kept, in order");
        let left: Vec<u32> = ring.iter(&theirs).collect();
        assert_eq!(left, (stolen..count).collect::<Vec<u32>>(), "the rest stays");
    }
    assert_eq!(Ring::new().steal(&own, &Ring::new(), &theirs), None, "there is nothing");
}

#[test]
fn an_owner_alone_finds_the_same() {
    let (ring, entries) = (Ring::new(), entries(4));
    for round in 0..10 {
        assert!((0..4).all(|index| ring.push(&entries, round + index, true)), "there is room");
        assert!(!ring.push(&entries, 9, true), "it is full");
        let popped: Vec<u32> = core::iter::from_fn(|| ring.pop_alone(&entries)).collect();
        assert_eq!(popped, [round, round + 1, round + 2, round + 3], "in order");
        assert!(ring.is_empty(), "empty");
    }
}
