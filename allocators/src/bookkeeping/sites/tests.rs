//! The tables of sites against std's maps, and the sites of each allocator.

use core::panic::Location;
use core::ptr::NonNull;

use std::collections::BTreeMap;
use std::vec::Vec;

use super::table::Table;
use super::{NoSites, Site, Sites, sealed::Book};
use crate::contract::allocator::{AllocError, Allocator};
use crate::testing::test_backing::{Random, TestBacking};

mod kinds;
#[cfg(any(unix, windows))]
mod pages;
mod programs;
mod tables;

/// An address that is never touched.
fn address(number: u64) -> NonNull<u8> {
    let number = usize::try_from(number).expect("an address");
    NonNull::without_provenance(core::num::NonZero::new(number).expect("not zero"))
}

/// Distinct sites, like the lines of a program.
fn sites_of_a_program(count: usize) -> &'static [Location<'static>] {
    core::iter::repeat_n(*Location::caller(), count).collect::<Vec<_>>().leak()
}

#[test]
fn nothing_is_kept_without_sites() {
    assert_eq!(size_of::<NoSites>(), 0);
    let pages = TestBacking::new();
    let pool = crate::PoolAllocator::new_in("pool", core::alloc::Layout::new::<u64>(), &pages);
    assert_eq!(size_of_val(&pool), size_of_val(&pool.with_sites(NoSites)));
}

#[test]
fn the_table_behaves_as_a_map() {
    let books = TestBacking::new();
    for seed in 1..=12_u64 {
        let mut random = Random::new(seed);
        let table = Table::new();
        let mut model: BTreeMap<usize, u16> = BTreeMap::new();
        // Blocks at any byte, at grains, at pages, and far apart.
        let (base, far): (u64, u64) = if usize::BITS == 64 {
            (0x7000_0000_0001, 0x1_2345_6789)
        } else {
            (0x1000_0001, 0x12_3457)
        };
        let spacing = [1, 16, 4096, far][seed as usize % 4];
        for step in 0..6000_u32 {
            let at = address(base + spacing * (random.next() % 700));
            let key = at.addr().get();
            if random.next() % 5 < 3 {
                let number = 1 + random.below(65_535) as u16;
                table.reserve(1, &books).expect("the books have room");
                table.insert(at, number);
                model.insert(key, number);
            } else {
                table.remove(at);
                model.remove(&key);
            }
            assert_eq!(table.get(at), model.get(&key).copied(), "seed {seed} step {step}");
            assert_eq!(table.len(), model.len(), "seed {seed} step {step}");
            if step % 64 == 0 {
                let below = model.range(..=key).next_back().map(|(_, &number)| number);
                assert_eq!(table.at_or_below(at), below, "seed {seed} step {step}");
                let valid = table.validate(65_535);
                valid.unwrap_or_else(|what| panic!("seed {seed} step {step}: {what}"));
            }
        }
        let greatest = model.values().copied().max().map_or(0, usize::from);
        assert_eq!(table.validate(greatest), Ok(()), "seed {seed}");
        assert!(table.validate(greatest - 1).is_err(), "seed {seed}: an unassigned number");
        table.clear();
        assert_eq!((table.len(), table.validate(0)), (0, Ok(())), "seed {seed}");
        assert!(model.keys().all(|&key| table.get(address(key as u64)).is_none()), "seed {seed}");
        table.release(&books);
        assert_eq!(table.bytes(), 0, "seed {seed}");
    }
    assert_eq!(books.stats().live, 0, "the books have everything back");
}

#[test]
fn no_sites_know_nothing_and_refuse_nothing() {
    let (sites, site) = (NoSites, Location::caller());
    let (block, other) = (address(16), address(32));
    assert_eq!(
        (sites.reserve(9, site), sites.reserve_slot(site)),
        (Ok(()), Ok(())),
        "nothing to do"
    );
    sites.note(block, site);
    sites.commit(block, site);
    sites.moved(block, other, Some(site));
    assert_eq!((sites.site(block), sites.site_around(other)), (None, None), "nothing is kept");
    assert_eq!(sites.take(block), None, "nothing is kept");
    sites.cancel();
    sites.forget(block);
    sites.clear();
    assert_eq!(sites.verify(0), Ok(()), "nothing can be damaged");
}

#[test]
fn damage_to_the_table_is_told() {
    let books = TestBacking::new();
    let table = Table::new();
    for number in 1..=3 {
        table.reserve(1, &books).expect("the books have room");
        table.insert(address(16 * u64::from(number)), number);
    }
    assert_eq!(table.validate(3), Ok(()), "sound");
    let none = "a block has a site that has no such number";
    assert_eq!(table.validate(2), Err(none), "there are two sites");
    table.insert(address(16), 0);
    assert_eq!(table.validate(3), Err(none), "no site has the number 0");
    table.release(&books);
    assert_eq!((table.len(), table.get(address(32))), (0, None), "empty");
    table.reserve(1, &books).expect("the books have room");
    table.insert(address(32), 7);
    assert_eq!((table.len(), table.get(address(32))), (1, Some(7)), "it serves again");
    table.release(&books);
}

#[test]
fn a_block_that_moves_takes_its_site_along() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let site = Location::caller();
    let (old, new) = (address(16), address(32));
    sites.reserve(1, site).expect("the books have room");
    sites.note(old, site);
    let taken = sites.overhead_bytes();
    assert_eq!(taken, books.stats().granted, "all that the books gave");
    sites.moved(old, old, Some(site));
    assert_eq!(sites.site_of(old), Some(site), "it stayed");
    sites.moved(old, new, Some(site));
    assert_eq!((sites.site_of(old), sites.site_of(new)), (None, Some(site)), "it went along");
    // A block without a site gets an address at which another one's site is still recorded.
    sites.moved(old, new, None);
    assert_eq!((sites.site_of(new), sites.count()), (None, 0), "the block there has none");
}

#[test]
fn a_block_costs_what_the_docs_say() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let site = Location::caller();
    let (mut least, mut greatest) = (f64::MAX, 0_f64);
    for number in 1..=100_000_usize {
        sites.reserve(1, site).expect("the books have room");
        sites.note(address(16 * number as u64), site);
        if number > 10_000 {
            let each = sites.table.bytes() as f64 / number as f64;
            (least, greatest) = (least.min(each), greatest.max(each));
        }
    }
    assert!((9.1..9.2).contains(&least), "{least} bytes a block where the table is fullest");
    assert!((13.6..13.8).contains(&greatest), "{greatest} bytes where it has just grown");
    assert_eq!(sites.count(), 100_000);
}

/// With 32 bits no blocks are that far apart.
#[cfg(target_pointer_width = "64")]
#[test]
fn blocks_too_far_apart_are_left_out() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let site = Location::caller();
    let (near, far) = (address(0x0001_0000_0000_1000), address(0x0002_0000_0000_1000));
    for block in [near, far] {
        sites.reserve(1, site).expect("the books have room");
        sites.note(block, site);
    }
    assert_eq!((sites.site_of(near), sites.site_of(far)), (Some(site), None));
    sites.forget(far);
    assert_eq!(sites.count(), 1, "the low bits alone do not name a block");
    sites.forget(near);
    // The first one in an empty table determines the high bits of the others.
    sites.reserve(1, site).expect("the books have room");
    sites.note(far, site);
    assert_eq!(sites.site_of(far), Some(site));
}

#[test]
fn sites_beyond_the_last_number_are_left_out() {
    let books = TestBacking::new();
    let sites = Sites::new_in(&books);
    let lines = sites_of_a_program(65_535 + 10);
    let block = |number: usize| address(16 * (1 + number as u64));
    for (number, line) in lines.iter().enumerate() {
        sites.reserve(1, line).expect("the books have room");
        sites.note(block(number), line);
    }
    assert_eq!(sites.count(), 65_535);
    for (number, line) in lines.iter().enumerate() {
        let known = sites.site_of(block(number));
        let expected = (number < 65_535).then_some(line);
        assert!(same(known, expected), "site {number}");
    }
    sites.verify(65_535).expect("the tables hold together");
    assert!(sites.verify(65_534).is_err(), "more blocks have a site than are live");
    let most = 51 * 65_535;
    assert!(sites.names.bytes() <= most, "{} bytes of names", sites.names.bytes());
}

/// Whether two sites are one object: the lines of the tests look equal.
fn same(left: Option<Site>, right: Option<Site>) -> bool {
    left.map(core::ptr::from_ref) == right.map(core::ptr::from_ref)
}

#[test]
fn books_that_refuse_change_nothing() {
    let lines = sites_of_a_program(40);
    for refused in 0.. {
        let books = TestBacking::new();
        let sites = Sites::new_in(&books);
        books.refuse_nth(refused);
        let mut kept = Vec::new();
        let mut errors = 0;
        for number in 0..200 {
            let line = &lines[number % lines.len()];
            let block = address(24 * (1 + number as u64));
            let before = sites.count();
            match sites.reserve(1, line) {
                Ok(()) => {
                    sites.note(block, line);
                    kept.push((block, line));
                }
                Err(AllocError) => {
                    errors += 1;
                    assert_eq!(sites.count(), before, "request {refused} refused");
                }
            }
            sites.verify(kept.len()).unwrap_or_else(|what| panic!("refused {refused}: {what}"));
        }
        for (block, line) in &kept {
            assert!(same(sites.site_of(*block), Some(line)), "request {refused} refused");
        }
        drop(sites);
        assert_eq!(books.stats().live, 0, "request {refused} refused");
        if errors == 0 {
            assert!(refused > 5, "the tables grew {refused} times only");
            return;
        }
        assert_eq!(errors, 1, "request {refused} refused");
    }
}
