//! The side table and the page map against naive models.

use core::num::NonZero;
use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::vec;

use super::{Random, page, seeded};
use crate::pages::page::entry::{Entry, Kind};
use crate::pages::page::page_map::{PageMap, Use};
use crate::pages::page::table::Table;

/// An entry of addresses that are never touched.
fn entry(start: usize, bytes: usize) -> Entry {
    let address = NonNull::without_provenance(NonZero::new(start).unwrap());
    Entry::new(Kind::Block, address, bytes, page())
}

fn insert(table: &mut Table, entry: Entry) {
    table.reserve_slot().unwrap();
    table.insert(entry);
}

fn check(table: &Table, model: &BTreeMap<usize, Entry>, random: &mut Random, span: usize) {
    assert_eq!(table.validate(), Ok(()), "whole");
    let mut high_to_low = model.values().rev();
    table.each(|entry| assert_eq!(Some(&entry), high_to_low.next(), "each"));
    assert_eq!(high_to_low.next(), None, "each");
    for _ in 0..50 {
        let address = random.below(span) + random.below(2);
        let below = model.range(..=address).next_back().map(|(_, entry)| *entry);
        let found = table.at_or_below(address).map(|(_, entry)| entry);
        assert_eq!(found, below, "at or below");
        let above = model.range(address + 1..).next().map(|(_, entry)| *entry);
        assert_eq!(table.above(address), above, "above");
    }
}

#[test]
fn the_table_keeps_its_order() {
    for seed in 1..=4_u64 {
        let mut random = seeded(seed);
        let mut table = Table::new();
        let mut model = BTreeMap::new();
        let slots = 30_000;
        let span = (slots + 1) * 2 * page();
        for phase in 0..6 {
            // Filling and emptying phases, so that leaves are split, joined and removed.
            let filling = phase % 2 == 0;
            for step in 0..8000 {
                let start = (1 + random.below(slots)) * 2 * page();
                if (random.below(10) < 8) == filling {
                    let entry = entry(start, 1 + random.below(2 * page()));
                    if let Some((place, _)) = table.at(start) {
                        table.replace(place, entry);
                    } else {
                        insert(&mut table, entry);
                    }
                    model.insert(start, entry);
                } else if let Some((place, found)) = table.at_or_below(start) {
                    table.remove(place);
                    assert_eq!(model.remove(&found.start()), Some(found), "seed {seed}");
                }
                if step % 500 == 0 {
                    check(&table, &model, &mut random, span);
                }
            }
        }
        let few = table.bytes();
        let most = (model.len() * 64).next_multiple_of(page()) + 12 * page();
        assert!(few <= most, "{few} bytes for {} ranges", model.len());
        while let Some((place, _)) = table.at_or_below(usize::MAX) {
            table.remove(place);
        }
        assert_eq!(table.validate(), Ok(()), "empty");
        assert_eq!(table.above(0), None, "empty");
    }
}

#[test]
fn falling_addresses_fill_leaves() {
    let mut table = Table::new();
    let count = 100_000;
    for index in (1..=count).rev() {
        insert(&mut table, entry(index * page(), page()));
    }
    assert_eq!(table.validate(), Ok(()), "whole");
    assert!(table.bytes() <= count * 16 + 8 * page(), "16 bytes a range: {}", table.bytes());
    for index in 1..=count {
        let (place, _) = table.at(index * page()).unwrap();
        table.remove(place);
    }
    assert!(table.bytes() <= 16 * page(), "leaves went back: {}", table.bytes());
}

#[test]
fn rising_addresses_work_as_well() {
    let mut table = Table::new();
    for index in 1..=20_000 {
        insert(&mut table, entry(index * page(), page()));
    }
    assert_eq!(table.validate(), Ok(()), "whole");
    let mut last = 0;
    for _ in 0..20_000 {
        last = table.above(last).unwrap().start();
    }
    assert_eq!((last, table.above(last)), (20_000 * page(), None), "in order");
}

#[test]
fn damage_to_the_table_is_found() {
    let mut table = Table::new();
    for index in 1..=600 {
        insert(&mut table, entry(index * 2 * page(), 2 * page()));
    }
    let (place, good) = table.at(200 * page()).unwrap();
    for bad in [
        entry(200 * page(), 2 * page() + 1),
        entry(200 * page() + 1, page()),
        entry(198 * page(), page()),
        entry(900 * page(), page()),
    ] {
        table.replace(place, bad);
        assert!(table.validate().is_err(), "{bad:?} was not found");
        table.replace(place, good);
        assert_eq!(table.validate(), Ok(()), "mended");
    }
}

#[test]
fn a_pledge_holds_whatever_comes_between() {
    let mut table = Table::new();
    for _ in 0..500 {
        table.reserve_slot().unwrap();
    }
    for index in 1..=500 {
        table.insert(entry(index * 7919 % 503 * page(), page()));
        assert_eq!(table.validate(), Ok(()), "whole");
    }
    table.reserve_slot().unwrap();
    table.cancel();
    assert_eq!(table.validate(), Ok(()), "whole");
}

#[test]
fn the_page_map_knows_each_page() {
    let mut random = seeded(21);
    for pages in [1, 31, 32, 33, 64, 1000] {
        let mut map = PageMap::new(pages).unwrap();
        let mut model = vec![Use::Reserved; pages];
        for _ in 0..300 {
            let start = random.below(pages);
            let end = start + random.below(pages - start + 1);
            let what = [Use::Reserved, Use::Committed, Use::Guard][random.below(3)];
            map.set(start..end, what);
            model[start..end].fill(what);
            let committed = model.iter().filter(|&&u| u == Use::Committed).count();
            assert_eq!(map.committed(), committed, "counted");
            assert_eq!(map.validate(), Ok(()), "whole");
            let mut at = 0;
            let mut last = None;
            for (run, what) in map.runs(0..pages) {
                assert_eq!(run.start, at, "runs follow each other");
                assert!(!run.is_empty() && last != Some(what), "runs are as long as can be");
                assert!(model[run.clone()].iter().all(|&u| u == what), "{run:?}");
                (at, last) = (run.end, Some(what));
            }
            assert_eq!(at, pages, "to the end");
        }
    }
}
