//! The rows of the lists in one array.
//!
//! - The lists are 2 000, or with `10k` 10 000, which no second level of cache holds, of 0 to 16
//!   parameters of sounds, 8 bytes each, all lengths alike: 8 items in the mean.
//! - Walks add up the values of each list as floats, in order, list by list by id, and are held
//!   against the same data as flat items and offsets. The items of `unsettled` lists were pushed
//!   one by one in no order, and after that came and went one by one 100 times a list; settled ones
//!   are the same lists without the latter.
//! - `ids-change` and `ids-walk` are lists of ids of 4 bytes against Cranelift's, whose list is one
//!   piece of a power of two: an id is pushed or removed, or all lists are walked after 100 such
//!   changes a list, without settling. Ours have a cache line of ids a node.
//! - `bytes` counts nodes, bits, links, heads and lives, in arrays no longer than they need be.
//! - `adjacent` is the least share of links to the next node in memory, over 20 000 single changes
//!   with 100 calls of `settle(4)` each.
//! - `misses` are cache misses of reading data in a walk over settled lists, for each miss of the
//!   same walk over unsettled ones, by callgrind: first level of 32 KiB.

use crate::callgrind;
use crate::contender::{Contender, Race};
use crate::outcome::{Aim, Over, Reading};
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::list_pool::{
    Lists, bytes_an_item, settle_moved, settle_settled, share_adjacent, walk, walk_flat,
};
use crate::work::containers::lists_of_ids;

/// Returns the rows of the list pool.
pub(super) fn rows() -> Vec<Row> {
    let race = |name, target, goal, made| {
        let aim = Aim::over_peer(target, goal);
        Row::new(format!("containers/listpool/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    let alone = |name, target, goal, made| {
        let aim = Aim::time(target, goal);
        Row::new(format!("containers/listpool/{name}"), Unit::Ns, aim, Measure::Alone(made))
    };
    let once = |name, unit, aim, measure| {
        Row::new(format!("containers/listpool/{name}"), unit, aim, Measure::Once(measure))
    };
    let share = Aim { at_least: true, over: Over::Itself, ..Aim::count(0.9, 0.95) };
    let fewer = Aim { over: Over::Itself, ..Aim::count(0.5, 0.25) };
    vec![
        race("walk-k1", 1.25, 0.95, settled::<1, 2_000>),
        race("walk-k4", 1.1, 0.95, settled::<4, 2_000>),
        race("walk-unsettled-k1", 3.5, 2.5, unsettled::<1, 2_000>),
        race("walk-unsettled-k4", 1.4, 1.25, unsettled::<4, 2_000>),
        race("walk-k1/10k", 1.25, 0.95, settled::<1, 10_000>),
        race("walk-k4/10k", 1.1, 0.95, settled::<4, 10_000>),
        race("walk-unsettled-k1/10k", 3.5, 2.5, unsettled::<1, 10_000>),
        race("walk-unsettled-k4/10k", 1.4, 1.25, unsettled::<4, 10_000>),
        race("ids-change", 1.0, 0.8, || Race {
            ours: lists_of_ids::change_ours(),
            peers: vec![lists_of_ids::change_peer()],
            absent: Vec::new(),
        }),
        race("ids-walk", 1.25, 1.0, || Race {
            ours: lists_of_ids::walk_ours(),
            peers: vec![lists_of_ids::walk_peer()],
            absent: Vec::new(),
        }),
        once("bytes-k4", Unit::BytesPerItem, Aim::count(12.5, 11.9), || {
            Reading::single(bytes_an_item::<4>())
        }),
        alone("settle-moved", 60.0, 35.0, settle_moved::<4>),
        alone("settle-settled", 15.0, 8.0, settle_settled::<4>),
        once(
            "adjacent-k1",
            Unit::AdjacentPerLink,
            share,
            || Reading::single(share_adjacent::<1>()),
        ),
        once(
            "adjacent-k4",
            Unit::AdjacentPerLink,
            share,
            || Reading::single(share_adjacent::<4>()),
        ),
        once("misses-k1", Unit::MissesPerMiss, fewer, callgrind::list_misses::<1>),
        once("misses-k4", Unit::MissesPerMiss, fewer, callgrind::list_misses::<4>),
    ]
}

fn settled<const K: usize, const LISTS: u32>() -> Race {
    beside(walk("ListPool", Lists::<K>::settled(LISTS)), LISTS)
}

fn unsettled<const K: usize, const LISTS: u32>() -> Race {
    beside(walk("ListPool", Lists::<K>::unsettled(LISTS)), LISTS)
}

fn beside(ours: Contender, lists: u32) -> Race {
    Race { ours, peers: vec![walk_flat(lists)], absent: Vec::new() }
}
