//! The same four components in other libraries, and the same bytes by a bare copy.

#[cfg(feature = "peers-all")]
use bevy_ecs::world::World as BevyWorld;

use super::{BYTES, COUNT, Columns, Ground};
use crate::clock;
use crate::contender::{Contender, Pass};

/// Returns hecs.
pub(crate) fn hecs(ground: Ground) -> Contender {
    let columns = Columns::new();
    let mut world = hecs::World::new();
    Contender::new("hecs", move || {
        match ground {
            Ground::Used => world.clear(),
            Ground::Fresh => world = hecs::World::new(),
        }
        let ns = clock::time(|| {
            let made = world.spawn_batch((0..COUNT).map(|at| {
                let Columns { positions, velocities, healths, looks } = &columns;
                (positions[at], velocities[at], healths[at], looks[at])
            }));
            assert_eq!(made.count(), COUNT, "all were spawned");
        });
        Pass { ns, operations: COUNT as u64 }
    })
}

/// Returns bevy.
#[cfg(feature = "peers-all")]
pub(crate) fn bevy(ground: Ground) -> Contender {
    let columns = Columns::new();
    let mut world = BevyWorld::new();
    Contender::new("bevy_ecs", move || {
        match ground {
            Ground::Used => world.clear_entities(),
            Ground::Fresh => world = BevyWorld::new(),
        }
        let ns = clock::time(|| {
            let made = world.spawn_batch((0..COUNT).map(|at| {
                let Columns { positions, velocities, healths, looks } = &columns;
                (positions[at], velocities[at], healths[at], looks[at])
            }));
            assert_eq!(made.count(), COUNT, "all were spawned");
        });
        Pass { ns, operations: COUNT as u64 }
    })
}

/// Returns a copy of the same bytes, into memory that is there.
pub(crate) fn memcpy() -> Contender {
    let from = vec![7_u8; COUNT * BYTES];
    let mut to = vec![0_u8; COUNT * BYTES];
    Contender::new("memcpy", move || {
        let ns = clock::time(|| {
            to.copy_from_slice(core::hint::black_box(&from));
            core::hint::black_box(&to);
        });
        Pass { ns, operations: COUNT as u64 }
    })
}
