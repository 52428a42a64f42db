//! The rows of stores of keys and values: character sheets of 16 keys, compared with maps from
//! names.
//!
//! - `get*` looks numbers up in sheets drawn at random, out of the number of sheets in its name;
//!   `set-get*` does so in a set.
//! - `*-fx` is compared with hashbrown's map from the hash of the name with the hasher of
//!   rustc-hash, all others with `HashMap<String, Value>`.
//! - `clone` copies a sheet and drops the copy.
//! - `memory*` are the bytes of 1 000 sheets in a set over those of the maps, the blocks of both
//!   as the C library's heap counts them, and with the objects themselves.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::key_values::{
    ByHash, ByName, Sheets, Stores, StoresInSet, clone, get, memory_over,
};

/// Returns the rows.
#[must_use]
pub(super) fn rows() -> Vec<Row> {
    let race = |name: &str, target: f64, goal: f64, made| {
        let name = format!("containers/keyvalues/{name}");
        Row::new(name, Unit::Ns, Aim::over_peer(target, goal), Measure::Race(made))
    };
    let bytes = |name: &str, target, goal, measure| {
        let name = format!("containers/keyvalues/{name}");
        Row::new(name, Unit::BytesPerLiveByte, Aim::bytes(target, goal), Measure::Once(measure))
    };
    vec![
        race("get100", 1.0 / 2.8, 1.0 / 3.5, looked_up::<Stores, ByName, 100>),
        race("get10k", 1.0 / 8.0, 1.0 / 11.0, looked_up::<Stores, ByName, 10_000>),
        race("clone", 1.0 / 10.0, 1.0 / 18.0, cloned::<ByName>),
        bytes("memory", 0.12, 0.105, memory_over::<ByName>),
        race("get100-fx", 1.0 / 1.2, 1.0 / 1.4, looked_up::<Stores, ByHash, 100>),
        race("get10k-fx", 1.0 / 2.0, 1.0 / 2.6, looked_up::<Stores, ByHash, 10_000>),
        bytes("memory-fx", 0.27, 0.22, memory_over::<ByHash>),
        race("set-get100", 1.0 / 2.8, 1.0 / 3.5, looked_up::<StoresInSet, ByName, 100>),
        race("set-get10k", 1.0 / 8.0, 1.0 / 11.0, looked_up::<StoresInSet, ByName, 10_000>),
        race("set-get100-fx", 1.0 / 1.2, 1.0 / 1.4, looked_up::<StoresInSet, ByHash, 100>),
        race("set-get10k-fx", 1.0 / 2.0, 1.0 / 2.6, looked_up::<StoresInSet, ByHash, 10_000>),
    ]
}

fn looked_up<O: Sheets, P: Sheets, const SHEETS: u32>() -> Race {
    race(get::<O>(SHEETS), get::<P>(SHEETS))
}

fn cloned<P: Sheets>() -> Race {
    race(clone::<Stores>(), clone::<P>())
}

fn race(ours: Contender, peer: Contender) -> Race {
    Race { ours, peers: vec![peer], absent: Vec::new() }
}
