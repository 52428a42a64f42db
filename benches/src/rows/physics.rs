//! The rows of physics.
//!
//! `step1000`, `rays1000` and `spawn1000` are compared with plain rapier3d, the same version with the same
//! features: a step of a pile of 1 000 boxes that never sleep, 1 000 rays into it on one thread, and 1 000
//! boxes put into an empty world. `save1000` and `saved-actor` are the time and the bytes of that pile as a
//! saved world. `fields10000` is a query of 10 000 places, all of them in a wind and half of them in a
//! vortex, on one thread.
//!
//! `step1000-wide` is what results cost that are the same on every machine and with any number of threads:
//! the same pile by rapier3d with eight lanes (`simd8`, which it refuses next to `enhanced-determinism`), on
//! one thread and, with `parallel`, on two. Cargo builds a version of a package with one set of features, so
//! these are of the version before.
//!
//! `step1000-jolt` is the same pile by Jolt on one thread, each simulation with the rounds that it has by itself:
//! ten for velocities and two for positions there, four for both here. It needs the feature `peers-jolt`.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::physics::{
    fields, our_rays, our_spawn, our_steps, save, saved_bytes, their_rays, their_spawn, their_steps,
};

/// Returns the rows of physics.
#[must_use]
pub fn rows() -> Vec<Row> {
    let row =
        |name: &str, unit, aim, measure| Row::new(format!("physics/{name}"), unit, aim, measure);
    vec![
        row("step1000", Unit::Ms, Aim::over_peer(1.05, 1.02), Measure::Race(steps)),
        row("step1000-wide", Unit::Ms, Aim::over_peer(1.5, 1.1), Measure::Race(wide)),
        row("step1000-jolt", Unit::Ms, Aim::over_peer(1.5, 1.0), Measure::Race(jolt)),
        row("rays1000", Unit::Ms, Aim::over_peer(1.2, 1.0), Measure::Race(rays)),
        row("spawn1000", Unit::Ms, Aim::over_peer(1.5, 1.1), Measure::Race(spawn)),
        row("save1000", Unit::Ms, Aim::time(10.0, 3.0), Measure::Alone(save)),
        row(
            "saved-actor",
            Unit::BytesPerItem,
            Aim::bytes(4096.0, 1536.0),
            Measure::Once(saved_bytes),
        ),
        row("fields10000", Unit::Ms, Aim::time(0.3, 0.15), Measure::Alone(fields)),
    ]
}

fn steps() -> Race {
    Race { ours: our_steps(), peers: vec![their_steps()], absent: Vec::new() }
}

fn wide() -> Race {
    #[cfg(feature = "peers-all")]
    let (peers, absent) = {
        let one = crate::work::physics::wide_steps("rapier3d 0.35 simd8", 1);
        let two = crate::work::physics::wide_steps("rapier3d 0.35 simd8 parallel", 2);
        (vec![one, two], Vec::new())
    };
    #[cfg(not(feature = "peers-all"))]
    let (peers, absent) = (Vec::new(), vec!["rapier3d 0.35 simd8"]);
    Race { ours: our_steps(), peers, absent }
}

fn jolt() -> Race {
    #[cfg(feature = "peers-jolt")]
    let (peers, absent) = (vec![crate::work::physics::jolt_steps()], Vec::new());
    #[cfg(not(feature = "peers-jolt"))]
    let (peers, absent) = (Vec::new(), vec!["Jolt 5.0"]);
    Race { ours: our_steps(), peers, absent }
}

fn rays() -> Race {
    Race { ours: our_rays(), peers: vec![their_rays()], absent: Vec::new() }
}

fn spawn() -> Race {
    Race { ours: our_spawn(), peers: vec![their_spawn()], absent: Vec::new() }
}
