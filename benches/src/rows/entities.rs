//! The rows of entities.
//!
//! `spawn/*` spawns 10 000 entities with four components, 48 bytes in all, from a resource,
//! compared with `spawn_batch` of hecs and bevy_ecs; an operation is an entity. `again` is into a
//! world that had as many before, `fresh` into a new one, growing included; `ns` holds ours to 20
//! ns, and `memcpy` to eight times a bare copy of the same bytes. `restart` is the end and the
//! start of a level of 10 000 entities with transforms, tags and data. `update90k` computes 90 000
//! matrices in trees of three levels, all of which moved.
//!
//! The targets of `ns` and `update90k` are the design's; that of `restart` is a quarter of a frame.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::entities::{Ground, hecs, memcpy, ours, restart, update};

/// Returns the rows of entities.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("entities/{name}"), unit, aim, measure);
    let beside = Aim::over_peer(1.0, 0.5);
    vec![
        row("spawn/again", Unit::Ns, beside, Measure::Race(|| race(Ground::Used))),
        row("spawn/fresh", Unit::Ns, beside, Measure::Race(|| race(Ground::Fresh))),
        row("spawn/ns", Unit::Ns, Aim::time(20.0, 10.0), Measure::Alone(|| ours(Ground::Used))),
        row("spawn/memcpy", Unit::Ns, Aim::over_peer(8.0, 4.0), Measure::Race(beside_memcpy)),
        row("restart", Unit::Ms, Aim::time(4.0, 2.0), Measure::Alone(restart)),
        row("update90k", Unit::Ms, Aim::time(3.0, 1.5), Measure::Alone(|| update(90_000))),
    ]
}

fn race(ground: Ground) -> Race {
    #[cfg(feature = "peers-all")]
    let (peers, absent) = (vec![hecs(ground), crate::work::entities::bevy(ground)], Vec::new());
    #[cfg(not(feature = "peers-all"))]
    let (peers, absent) = (vec![hecs(ground)], vec!["bevy_ecs"]);
    Race { ours: ours(ground), peers, absent }
}

fn beside_memcpy() -> Race {
    Race { ours: ours(Ground::Used), peers: vec![memcpy()], absent: Vec::new() }
}
