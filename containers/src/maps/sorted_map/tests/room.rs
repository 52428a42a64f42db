//! How often a map asks for memory, what it frees, and how many keys it compares.

use core::cell::Cell;
use core::cmp::Ordering;

use loligo_allocators::Allocator;

use crate::maps::sorted_map::{SortedMap, SortedSet};
use crate::testing::test_memory::{Memory, with_memory};

type Map<'a, 'm> = SortedMap<'a, u32, u32, Memory<'m>>;

/// Room is made at once where an iterator says how much will be needed: for those that wait, too,
/// as soon as one does.
#[test]
fn entries_of_a_known_number_ask_for_memory_once() {
    with_memory(|memory| {
        let requests = |entries: &mut dyn Iterator<Item = (u32, u32)>, known: usize| {
            let mut map: Map<'_, '_> = SortedMap::new_in(memory);
            map.try_extend([(10, 0)]).expect("there is memory");
            let before = memory.requests();
            map.try_extend(Known { entries, known }).expect("there is memory");
            (memory.requests() - before, map.pending())
        };
        let ascending = requests(&mut (11..1011).map(|key| (key, 1)), 1000);
        assert_eq!(ascending, (2, 0), "keys and values");
        let descending = requests(&mut (0..1000).rev().map(|key| (key + 11, 1)), 1000);
        assert_eq!(descending, (4, 999), "a first one that waits, and the others at once");
        let few = requests(&mut [(11, 1), (12, 1)].into_iter(), 2);
        assert_eq!(few, (0, 0), "there is room");
        let (unknown, waiting) = requests(&mut (0..1000).rev().map(|key| (key + 11, 1)), 0);
        assert!(unknown > 10 && waiting == 999, "{unknown} requests, {waiting} wait");
    });
}

/// Says of how many there are.
struct Known<'e> {
    entries: &'e mut dyn Iterator<Item = (u32, u32)>,
    known: usize,
}

impl Iterator for Known<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        self.known = self.known.saturating_sub(1);
        self.entries.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.known, None)
    }
}

#[test]
fn room_is_given_back_on_demand() {
    with_memory(|memory| {
        let mut map: Map<'_, '_> = SortedMap::try_with_capacity_in(100, memory).expect("memory");
        map.extend((0..5).map(|key| (key, key)));
        assert_eq!((map.keys.capacity(), map.values.capacity()), (100, 100), "as asked for");
        map.push(3, 7);
        map.shrink_to_fit();
        // An allocator grants what it can, so a few more may be left.
        let (keys, values) = (map.keys.capacity(), map.values.capacity());
        assert!((5..20).contains(&keys) && (5..20).contains(&values), "{keys} and {values}");
        assert_eq!(map.pending(), 0, "what waited is sorted in");
        map.clear();
        map.shrink_to_fit();
        assert_eq!((map.capacity(), memory.stats().granted), (0, 0), "none");
        let mut set: SortedSet<'_, u32, _> =
            SortedSet::try_with_capacity_in(100, memory).expect("there is memory");
        set.extend(0..7);
        set.shrink_to_fit();
        assert!((7..20).contains(&set.capacity()), "room for {}", set.capacity());
    });
}

#[test]
fn what_waits_no_more_leaves_the_count_and_its_block() {
    with_memory(|memory| {
        let mut map: Map<'_, '_> = SortedMap::new_in(memory);
        map.push(2, 0);
        map.push(1, 0);
        // As if so many had been pushed that no number is left for another.
        map.pushed = u32::MAX;
        map.clear();
        let granted = memory.stats().granted;
        map.sort();
        assert_eq!(memory.stats().granted, granted, "nothing waits, so nothing is given back");
        map.push(5, 0);
        map.push(3, 1);
        map.push(3, 2);
        map.sort();
        assert!(map.iter().eq([(&3, &2), (&5, &0)]), "the last one pushed: {map:?}");
    });
}

/// A key that counts how often it is compared.
struct Counted<'c>(u32, &'c Cell<u32>);

impl PartialEq for Counted<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Counted<'_> {}

impl PartialOrd for Counted<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.1.set(self.1.get() + 1);
        self.0.cmp(&other.0)
    }
}

/// As promised: as many comparisons as the logarithm of the keys after it, up and down.
#[test]
fn few_keys_are_compared_with_one_that_waits() {
    let compared = Cell::new(0);
    with_memory(|memory| {
        for key in [0, 1, 17, 2000, 4000, 8000, 8189, 8191] {
            let mut map: SortedMap<'_, Counted<'_>, (), Memory<'_>> = SortedMap::new_in(memory);
            map.extend((0..4096).map(|key| (Counted(2 * key, &compared), ())));
            map.push(Counted(key, &compared), ());
            compared.set(0);
            map.sort();
            let behind = (8192 - key) / 2 + 2;
            let most = 2 * behind.ilog2() + 4;
            assert!(compared.get() <= most, "{key}: {} of {most}", compared.get());
        }
    });
}
