//! Entities: ten thousand spawned from a resource, compared with the batches of other libraries and
//! a bare copy of the same bytes; a level of transforms, tags and data; matrices of a forest of
//! trees.
//!
//! Spawning is timed into a world that had as many before, as a level is started again, or into one
//! that is new.

mod level;
mod peers;

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::BlobBytes;
use loligo_entities::compile::{NewPart, write};
use loligo_entities::{
    ComponentManager, ComponentType, Components, Entities, EntityResource, NO_PARENT, Plain, Pose,
    Unknown,
};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

pub(crate) use level::{restart, update};
#[cfg(feature = "peers-all")]
pub(crate) use peers::bevy;
pub(crate) use peers::{hecs, memcpy};

/// How many entities are spawned.
pub(crate) const COUNT: usize = 10_000;

/// Where the world is, that entities are spawned into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// As many were there before, and are removed.
    Used,
    /// It is new.
    Fresh,
}

macro_rules! component {
    ($(#[$doc:meta])* $name:ident, $value:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
        #[cfg_attr(feature = "peers-all", derive(bevy_ecs::component::Component))]
        #[repr(transparent)]
        pub(crate) struct $name(pub(crate) $value);
    };
}

component! {
    /// Metres.
    Position, [f32; 3]
}
component! {
    /// Metres a second.
    Velocity, [f32; 3]
}
component! {
    /// Points, and the most of them.
    Health, [f32; 2]
}
component! {
    /// A mesh, a material, a colour, flags.
    Look, [u32; 4]
}

/// The components of all entities, a column each.
pub(crate) struct Columns {
    pub(crate) positions: Vec<Position>,
    pub(crate) velocities: Vec<Velocity>,
    pub(crate) healths: Vec<Health>,
    pub(crate) looks: Vec<Look>,
}

/// The bytes of an entity's four components.
pub(crate) const BYTES: usize =
    size_of::<Position>() + size_of::<Velocity>() + size_of::<Health>() + size_of::<Look>();

impl Columns {
    pub(crate) fn new() -> Self {
        let number = |at: usize| at as f32;
        Self {
            positions: (0..COUNT).map(|at| Position([number(at), 1.0, -number(at)])).collect(),
            velocities: (0..COUNT).map(|at| Velocity([0.5, number(at % 7), 0.0])).collect(),
            healths: (0..COUNT).map(|at| Health([number(at % 100), 100.0])).collect(),
            looks: (0..COUNT as u32).map(|at| Look([at % 50, at % 20, !at, 3])).collect(),
        }
    }

    /// Compiles all into a resource.
    fn resource(&self) -> BlobBytes<'static> {
        let indices: Vec<u32> = (0..COUNT as u32).collect();
        let part =
            |at: usize, data| NewPart { component: TYPES[at].name, entities: &indices, data };
        let parts = [
            part(0, bytemuck::cast_slice(&self.positions)),
            part(1, bytemuck::cast_slice(&self.velocities)),
            part(2, bytemuck::cast_slice(&self.healths)),
            part(3, bytemuck::cast_slice(&self.looks)),
        ];
        written(&[NO_PARENT; COUNT], &parts)
    }
}

/// Writes a resource of entities without names.
fn written(parents: &[u32], parts: &[NewPart<'_>]) -> BlobBytes<'static> {
    let memory: &'static dyn Allocator = &HEAP;
    match write(parents, &vec![0; parents.len()], parts, memory) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("the machine has this memory: {error}"),
    }
}

/// The types of the four components.
const TYPES: [ComponentType; 4] = [
    ComponentType::new("position", 1),
    ComponentType::new("velocity", 2),
    ComponentType::new("health", 3),
    ComponentType::new("look", 4),
];

/// A world of ours with the four components.
struct World {
    entities: Entities<'static, Heap>,
    positions: Plain<'static, Position, Heap>,
    velocities: Plain<'static, Velocity, Heap>,
    healths: Plain<'static, Health, Heap>,
    looks: Plain<'static, Look, Heap>,
}

impl World {
    fn new() -> Self {
        Self {
            entities: Entities::new_in(&HEAP),
            positions: Plain::new_in(TYPES[0], &HEAP),
            velocities: Plain::new_in(TYPES[1], &HEAP),
            healths: Plain::new_in(TYPES[2], &HEAP),
            looks: Plain::new_in(TYPES[3], &HEAP),
        }
    }

    fn spawn(&mut self, resource: &EntityResource<'_>) {
        let mut managers: [&mut dyn ComponentManager; 4] =
            [&mut self.positions, &mut self.velocities, &mut self.healths, &mut self.looks];
        let components = Components::new(&mut managers);
        let mut components = components.expect("the four types differ");
        let made =
            self.entities.spawn(resource, &[Pose::IDENTITY], &mut components, Unknown::Refuse);
        assert_eq!(made.map(<[_]>::len), Ok(COUNT), "all were spawned");
    }

    fn clear(&mut self) {
        let all: Vec<_> = self.entities.iter().collect();
        let mut managers: [&mut dyn ComponentManager; 4] =
            [&mut self.positions, &mut self.velocities, &mut self.healths, &mut self.looks];
        let components = Components::new(&mut managers);
        self.entities.destroy(&all, &mut components.expect("the four types differ"));
    }
}

/// Returns ours.
pub(crate) fn ours(ground: Ground) -> Contender {
    let bytes = Columns::new().resource();
    let mut world = World::new();
    Contender::new("loligo", move || {
        let resource = EntityResource::open(&bytes).expect("it was just compiled");
        match ground {
            Ground::Used => world.clear(),
            Ground::Fresh => world = World::new(),
        }
        let ns = clock::time(|| world.spawn(&resource));
        assert_eq!(world.looks.len(), COUNT, "each has a look");
        Pass { ns, operations: COUNT as u64 }
    })
}
