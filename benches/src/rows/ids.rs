//! The rows of the tables that give objects ids, compared within a layout.
//!
//! - `ids/hole/..`: objects stay where they are. `ids/packed/..`: they are stored without gaps.
//!   `ids/map/..`: our table with holes compared with maps with numbers as keys, which are neither.
//! - `OPERATION-raw` is held against a vector with a stack of free places and no check but that of
//!   its length, or in a walk against a slice; `OPERATION-std` against C++ `std::map`;
//!   `OPERATION-ns` against the clock alone. All others are held against the best table of the
//!   layout.
//! - Our ids are `SmallId`s, of 32 bits, in the rows of tables. `OPERATION-64` is the operation with
//!   our default id, of 64 bits with the tag of a table, against the tables whose ids have 64 bits.
//!   `ids/shared/..` has the default id: the peer's keys have as many bits.
//! - The size is how many objects are alive; for `walk`, how many there were when the table was
//!   full; for `grow`, how many there are at the end; for `hash`, how many names a set has.

use crate::contender::{Contender, Race};
use crate::id_table::{OurHoles, OurPacked, WideHoles, WidePacked};
use crate::outcome::{Aim, Reading};
use crate::peers::id_tables as peers;
use crate::rows::{Measure, Row, Unit};
use crate::work::ids::{
    Dependent, Grow, Insert, Lookup, Mix, Operation, Remove, Stale, Walk, names, perfect, shared,
};

/// As quick as the best peer of the layout.
const PEERS: Aim = over(1.0);

/// Forty times as quick as C++ `std::map`.
const CLAIM: Aim = over(1.0 / 40.0);

/// Returns an aim over a peer: one figure is target and goal.
const fn over(target: f64) -> Aim {
    Aim::over_peer(target, target)
}

/// Returns the rows of the tables of ids.
#[must_use]
pub fn rows() -> Vec<Row> {
    let mut rows = hole_sized::<1_000>("1k", 1.3);
    rows.extend(hole_sized::<100_000>("100k", 1.5));
    rows.extend(wide_sized::<1_000>("1k"));
    rows.extend(wide_sized::<100_000>("100k"));
    rows.push(race("hole/grow/100k", PEERS, hole::<Grow<100_000>>));
    rows.extend(hole_walks());
    rows.extend(packed_sized::<1_000>("1k"));
    rows.extend(packed_sized::<100_000>("100k"));
    rows.push(race("packed/grow/100k", PEERS, packed::<Grow<100_000>>));
    rows.extend(packed_walks());
    rows.extend(map_rows());
    rows.extend(hash_rows());
    rows.extend(name_rows());
    rows.push(race("shared/turn", PEERS, shared_by::<1>));
    rows.push(race("shared/turn2", PEERS, shared_by::<2>));
    rows
}

/// Returns a row of a race.
fn race(name: &str, aim: Aim, made: fn() -> Race) -> Row {
    Row::new(format!("ids/{name}"), Unit::Ns, aim, Measure::Race(made))
}

/// Returns a row whose aim is `ns` nanoseconds.
fn alone(name: &str, ns: f64, made: fn() -> Contender) -> Row {
    Row::new(format!("ids/{name}"), Unit::Ns, Aim::time(ns, ns), Measure::Alone(made))
}

/// Returns the rows of tables with holes at one size; a lookup is to take `lookup` times what the
/// raw vector takes.
fn hole_sized<const LIVE: u32>(size: &str, lookup: f64) -> Vec<Row> {
    let row = |operation, aim, made| race(&format!("hole/{operation}/{size}"), aim, made);
    vec![
        row("insert", PEERS, hole::<Insert<LIVE>>),
        row("remove", PEERS, hole::<Remove<LIVE>>),
        row("lookup", PEERS, hole::<Lookup<LIVE>>),
        row("lookup-raw", over(lookup), hole_raw::<Lookup<LIVE>>),
        row("dependent", PEERS, hole::<Dependent<LIVE>>),
        row("stale", PEERS, hole_stale::<Stale<LIVE>>),
        alone(&format!("hole/stale-ns/{size}"), 1.0, our_hole::<Stale<LIVE>>),
        row("mix", PEERS, hole::<Mix<LIVE>>),
        row("mix-raw", over(1.2), hole_raw::<Mix<LIVE>>),
    ]
}

/// Returns the rows of tables with our default id at one size.
fn wide_sized<const LIVE: u32>(size: &str) -> Vec<Row> {
    let row = |operation, made| race(&format!("{operation}-64/{size}"), PEERS, made);
    vec![
        row("hole/insert", hole_wide::<Insert<LIVE>>),
        row("hole/remove", hole_wide::<Remove<LIVE>>),
        row("hole/lookup", hole_wide::<Lookup<LIVE>>),
        row("hole/stale", hole_wide::<Stale<LIVE>>),
        row("packed/insert", packed_wide::<Insert<LIVE>>),
        row("packed/remove", packed_wide::<Remove<LIVE>>),
        row("packed/lookup", packed_wide::<Lookup<LIVE>>),
        row("packed/stale", packed_wide::<Stale<LIVE>>),
    ]
}

fn hole_walks() -> Vec<Row> {
    vec![
        race("hole/walk5/100k", PEERS, hole::<Walk<100_000, 5>>),
        race("hole/walk25/100k", PEERS, hole::<Walk<100_000, 25>>),
        race("hole/walk50/100k", PEERS, hole::<Walk<100_000, 50>>),
        alone("hole/walk50-ns/100k", 2.2, our_hole::<Walk<100_000, 50>>),
        race("hole/walk75/100k", PEERS, hole::<Walk<100_000, 75>>),
        race("hole/walk95/100k", PEERS, hole::<Walk<100_000, 95>>),
    ]
}

/// Returns the rows of tables without gaps at one size.
fn packed_sized<const LIVE: u32>(size: &str) -> Vec<Row> {
    let row = |operation, aim, made| race(&format!("packed/{operation}/{size}"), aim, made);
    vec![
        row("insert", PEERS, packed::<Insert<LIVE>>),
        row("remove", PEERS, packed::<Remove<LIVE>>),
        row("lookup", PEERS, packed::<Lookup<LIVE>>),
        row("lookup-raw", over(2.0), packed_raw::<Lookup<LIVE>>),
        row("dependent", PEERS, packed::<Dependent<LIVE>>),
        row("stale", PEERS, packed::<Stale<LIVE>>),
        alone(&format!("packed/stale-ns/{size}"), 1.0, our_packed::<Stale<LIVE>>),
        row("mix", PEERS, packed::<Mix<LIVE>>),
        row("mix-raw", over(1.7), packed_raw::<Mix<LIVE>>),
    ]
}

fn packed_walks() -> Vec<Row> {
    vec![
        race("packed/walk5/100k", PEERS, packed::<Walk<100_000, 5>>),
        race("packed/walk25/100k", PEERS, packed::<Walk<100_000, 25>>),
        race("packed/walk50/100k", PEERS, packed::<Walk<100_000, 50>>),
        race("packed/walk50-raw/100k", PEERS, packed_slice::<Walk<100_000, 50>>),
        race("packed/walk75/100k", PEERS, packed::<Walk<100_000, 75>>),
        race("packed/walk95/100k", PEERS, packed::<Walk<100_000, 95>>),
    ]
}

fn map_rows() -> Vec<Row> {
    vec![
        race("map/lookup/1k", PEERS, map::<Lookup<1_000>>),
        race("map/mix/1k", PEERS, map::<Mix<1_000>>),
        race("map/insert/100k", PEERS, map::<Insert<100_000>>),
        race("map/remove/100k", PEERS, map::<Remove<100_000>>),
        race("map/lookup/100k", PEERS, map::<Lookup<100_000>>),
        race("map/dependent/100k", PEERS, map::<Dependent<100_000>>),
        race("map/stale/100k", PEERS, map::<Stale<100_000>>),
        race("map/mix/100k", PEERS, map::<Mix<100_000>>),
        race("map/lookup-std/100k", CLAIM, std_map::<Lookup<100_000>>),
    ]
}

/// Returns the rows of the search for a perfect seed.
///
/// The article says "seconds" for 65 000 keys, and that 100 000 are possible: hence a second, of
/// which we go for a tenth. Of the seeds that are tried its means are the goals; the targets are
/// those plus two standard errors of the mean over the sets, which a hash that scatters badly does
/// not meet.
fn hash_rows() -> Vec<Row> {
    let search = |size: &str, search| {
        let name = format!("ids/hash/perfect-seed-{size}");
        Row::new(name, Unit::Ms, Aim::time(1_000.0, 100.0), Measure::Alone(search))
    };
    let tries = |size: &str, target, goal, tries| {
        let name = format!("ids/hash/perfect-tries-{size}");
        Row::new(name, Unit::Tries, Aim::count(target, goal), Measure::Once(tries))
    };
    vec![
        search("65k", || perfect::search(65_000)),
        search("100k", || perfect::search(100_000)),
        tries("65k", 2.0, 1.6, tries_of::<65_000>),
        tries("100k", 4.1, 3.2, tries_of::<100_000>),
    ]
}

/// Returns the rows of names: 20 000 that are made numbers, each twice, asked for by number, and a
/// thousand keys that are known beforehand, looked up as text.
fn name_rows() -> Vec<Row> {
    vec![
        race("names/intern/10k", PEERS, || against(names::intern_ours(), names::intern_lasso())),
        race("names/resolve/10k", PEERS, || against(names::resolve_ours(), names::resolve_lasso())),
        race("names/known/1k", PEERS, || against(names::look_up_ours(), names::look_up_phf())),
    ]
}

/// Ids that threads share: each removes its oldest, creates one and asks for another.
fn shared_by<const THREADS: usize>() -> Race {
    against(shared::ours(THREADS), shared::sharded_slab(THREADS))
}

fn tries_of<const NAMES: u32>() -> Reading {
    perfect::tries(NAMES)
}

fn our_hole<O: Operation>() -> Contender {
    O::contender::<OurHoles>("HoleTable")
}

fn our_packed<O: Operation>() -> Contender {
    O::contender::<OurPacked>("PackedTable")
}

fn hole<O: Operation>() -> Race {
    let mut race = hole_stale::<O>();
    race.peers.push(O::contender::<peers::Slab>("slab"));
    race
}

/// Tables whose ids have 64 bits and generations.
fn hole_wide<O: Operation>() -> Race {
    Race {
        ours: O::contender::<WideHoles>("HoleTable"),
        peers: vec![
            O::contender::<peers::SlotMap>("slotmap"),
            O::contender::<peers::Hop>("slotmap (Hop)"),
            O::contender::<peers::Thunderdome>("thunderdome"),
            O::contender::<peers::GenMap>("gen_map"),
            O::contender::<peers::Bitarena>("bitarena"),
            O::contender::<peers::Handy>("handy"),
        ],
        absent: Vec::new(),
    }
}

fn packed_wide<O: Operation>() -> Race {
    Race {
        ours: O::contender::<WidePacked>("PackedTable"),
        peers: vec![
            O::contender::<peers::DenseSlotMap>("slotmap (Dense)"),
            O::contender::<peers::DenseGenMap>("gen_map (dense)"),
        ],
        absent: Vec::new(),
    }
}

/// Without slab, which takes stale keys for good ones.
fn hole_stale<O: Operation>() -> Race {
    Race {
        ours: our_hole::<O>(),
        peers: vec![
            O::contender::<peers::SlotMap>("slotmap"),
            O::contender::<peers::Hop>("slotmap (Hop)"),
            O::contender::<peers::Thunderdome>("thunderdome"),
            O::contender::<peers::GenMap>("gen_map"),
            O::contender::<peers::GenMapPacked>("gen_map (20+12)"),
            O::contender::<peers::Bitarena>("bitarena"),
            O::contender::<peers::Handy>("handy"),
        ],
        absent: Vec::new(),
    }
}

fn packed<O: Operation>() -> Race {
    Race {
        ours: our_packed::<O>(),
        peers: vec![
            O::contender::<peers::DenseSlotMap>("slotmap (Dense)"),
            O::contender::<peers::DenseGenMap>("gen_map (dense)"),
            O::contender::<peers::DenseGenMapPacked>("gen_map (dense, 20+12)"),
        ],
        absent: Vec::new(),
    }
}

fn map<O: Operation>() -> Race {
    Race {
        ours: our_hole::<O>(),
        peers: vec![
            O::contender::<peers::FxHashed>("hashbrown (Fx)"),
            O::contender::<peers::BTree>("BTreeMap"),
        ],
        absent: Vec::new(),
    }
}

fn hole_raw<O: Operation>() -> Race {
    against(our_hole::<O>(), O::contender::<peers::RawVec>("raw Vec"))
}

fn packed_raw<O: Operation>() -> Race {
    against(our_packed::<O>(), O::contender::<peers::RawVec>("raw Vec"))
}

fn packed_slice<O: Operation>() -> Race {
    against(our_packed::<O>(), O::contender::<peers::Slice>("slice"))
}

#[cfg(feature = "peers-all")]
fn std_map<O: Operation>() -> Race {
    against(our_hole::<O>(), O::contender::<peers::StdMap>("std::map"))
}

#[cfg(not(feature = "peers-all"))]
fn std_map<O: Operation>() -> Race {
    Race { ours: our_hole::<O>(), peers: Vec::new(), absent: crate::absent::absent(&["std::map"]) }
}

fn against(ours: Contender, peer: Contender) -> Race {
    Race { ours, peers: vec![peer], absent: Vec::new() }
}
