//! How many creations are between two lives of one id.

use std::collections::BTreeMap;
use std::vec::Vec;

use crate::id::{Id, TableId};
use crate::policy::{Fifo, FreeList, Lifo, Wrap};
use crate::table::shape::Shape;
use crate::table::{Holes, Packed, Table};
use crate::test_backing::{Random, TestBacking};

type Short = Id<u8, u32, 5, 2>;

/// The bound of the module `policy`, with MIN_FREE = 0 for a stack.
fn bound<F: FreeList>() -> u64 {
    let least = F::MIN_FREE as u64;
    Short::GENERATIONS * (least + 1) - least
}

/// The fewest creations from one life of an id to the next, over random programs.
fn fewest<S: Shape, F: FreeList>(seed: u64) -> u64 {
    let backing = TestBacking::new();
    let mut random = Random::new(seed);
    let mut table = Table::<S, u64, Short, F, Wrap, _>::with_limit_in(12, &backing);
    let (mut made, mut live, mut created) = (BTreeMap::new(), Vec::new(), 0_u64);
    let mut fewest = u64::MAX;
    for _ in 0..6000 {
        // Long runs of one kind, so that the list runs dry and full.
        let what = random.below(16);
        for _ in 0..random.below(9) {
            let id = match what {
                0..8 => table.insert(created).inspect(|id| live.push(*id)),
                8 => table.reserve_id().inspect(|id| assert!(table.give_up(*id), "just reserved")),
                _ if live.is_empty() => break,
                _ => {
                    let id = live.swap_remove(random.below(live.len()));
                    assert!(table.remove(id).is_some(), "a live id is removed");
                    continue;
                }
            };
            let Ok(id) = id else { break };
            created += 1;
            if let Some(before) = made.insert(id, created) {
                fewest = fewest.min(created - before);
            }
        }
        // Operations that move or empty the list, but create nothing.
        match random.below(60) {
            0 => {
                table.clear();
                live.clear();
            }
            1 => {
                let mut image = std::vec![0; table.saved_len()];
                table.save(&mut image).expect("the length is right");
                table = Table::restore_in(&image, &backing).expect("an image");
            }
            2 => drop(table.reserve(1 + random.below(12))),
            _ => {}
        }
    }
    fewest
}

/// The sequence that reaches the bound: a slot is always freed last of the least that stay free.
fn reached<S: Shape, F: FreeList>() -> u64 {
    let backing = TestBacking::new();
    let mut table = Table::<S, u64, Short, F, Wrap, _>::new_in(&backing);
    let first = table.insert(0).expect("there is room");
    let others: Vec<_> =
        (0..F::MIN_FREE).map(|_| table.insert(0).expect("there is room")).collect();
    let (mut created, mut live) = (0, std::vec![first]);
    live.extend(others);
    loop {
        // Everything goes, in the order in which it came.
        for id in live.drain(..) {
            table.remove(id);
        }
        // What is taken now may only be the slots that are not held back.
        let id = table.insert(0).expect("there is room");
        created += 1;
        if id == first {
            return created;
        }
        live.push(id);
    }
}

fn holds<S: Shape, F: FreeList>() {
    for seed in 0..8 {
        let fewest = fewest::<S, F>(seed);
        let bound = bound::<F>();
        assert!(fewest >= bound, "seed {seed}: an id came back after {fewest}, not {bound}");
    }
    assert_eq!(reached::<S, F>(), bound::<F>(), "the bound is reached, so it is no understatement");
}

#[test]
fn an_id_does_not_come_back_before_the_bound() {
    holds::<Holes, Fifo<0>>();
    holds::<Holes, Fifo<1>>();
    holds::<Holes, Fifo<3>>();
    holds::<Holes, Fifo<7>>();
    holds::<Packed, Fifo<3>>();
    holds::<Holes, Lifo>();
}
