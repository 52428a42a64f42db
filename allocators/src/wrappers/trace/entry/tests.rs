//! Tests of the blocks freed last, against a list of all freed blocks.

use core::num::NonZero;
use core::panic::Location;
use core::ptr::{self, NonNull};
use std::println;
use std::vec::Vec;

use super::{FREED, LastFreed};
use crate::testing::test_backing::Random;
use crate::wrappers::trace::tests::many_sites;

type Site = &'static Location<'static>;

/// The last free of an address among the 32 most recent frees.
fn expected(all: &[(usize, Site, Site)], address: usize) -> Option<(Site, Site)> {
    let mut last = all.iter().rev().take(FREED);
    last.find(|(freed, ..)| *freed == address).map(|&(_, freed_at, asked_at)| (freed_at, asked_at))
}

#[test]
fn the_last_free_of_each_address_is_found() {
    let sites = many_sites();
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let ring = LastFreed::new();
        // The count can wrap.
        if seed % 2 == 0 {
            ring.count.set(usize::MAX - random.below(70));
        }
        let addresses = [3, 20, 31, 33, 60][seed as usize % 5];
        let mut all: Vec<(usize, Site, Site)> = Vec::new();
        for step in 0..150 {
            let address = 1 + random.below(addresses);
            let (freed_at, asked_at) = (sites[random.below(50)], sites[random.below(50)]);
            let block = NonNull::without_provenance(NonZero::new(address).expect("from 1"));
            ring.push(block, freed_at, asked_at);
            all.push((address, freed_at, asked_at));
            for address in 1..=addresses {
                let block = NonNull::without_provenance(NonZero::new(address).expect("from 1"));
                let found = ring.find(block).map(|freed| (freed.freed_at, freed.asked_at));
                let is_same = match (found, expected(&all, address)) {
                    (Some((at, asked)), Some((its, its_asked))) => {
                        ptr::eq(at, its) && ptr::eq(asked, its_asked)
                    }
                    (found, expected) => found.is_none() && expected.is_none(),
                };
                assert!(is_same, "step {step}: address {address} is found wrong");
            }
        }
    }
}
