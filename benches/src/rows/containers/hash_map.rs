//! The hash map through `&dyn Allocator` compared with hashbrown's over the global allocator, with
//! one hasher: what the allocator and its interface cost. An insertion counts the growth from
//! empty.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::hash_map::{GlobalMap, OurMap, insert, lookup};

/// Returns the rows of the hash map.
pub(super) fn rows() -> Vec<Row> {
    let row = |name: &str, aim, made| {
        Row::new(format!("containers/hashmap/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    vec![
        row("insert/1k", Aim::over_peer(1.05, 1.02), inserting::<1_000>),
        row("insert/100k", Aim::over_peer(1.05, 1.02), inserting::<100_000>),
        row("lookup/1k", Aim::over_peer(1.02, 1.0), looking_up::<1_000>),
        row("lookup/100k", Aim::over_peer(1.02, 1.0), looking_up::<100_000>),
    ]
}

fn inserting<const COUNT: u32>() -> Race {
    Race {
        ours: insert::<OurMap>("HashMap", COUNT),
        peers: vec![insert::<GlobalMap>("hashbrown", COUNT)],
        absent: Vec::new(),
    }
}

fn looking_up<const COUNT: u32>() -> Race {
    Race {
        ours: lookup::<OurMap>("HashMap", COUNT),
        peers: vec![lookup::<GlobalMap>("hashbrown", COUNT)],
        absent: Vec::new(),
    }
}
