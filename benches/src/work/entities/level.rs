//! A level with transforms, tags and data, and a forest of matrices.

use glam::{Quat, Vec3};
use loligo_allocators::Allocator;
use loligo_containers::BlobBytes;
use loligo_entities::compile::{DataCompiler, TagCompiler, TransformCompiler, compile};
use loligo_entities::{
    ComponentManager, Components, Data, Entities, Entity, EntityResource, Pose, Tags, Transforms,
    Unknown,
};

use super::COUNT;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

/// A house of five entities, three of which have tags and two data.
const HOUSE: (&str, &[u8]) = (
    "house",
    br#"components = { tag = [ "building" ] data = { people = 4 burns = true } }
    children = {
        roof = {}
        door = { components = { tag = [ "usable" "wood" ] data = { locked = false } } children = { lock = {} } }
        lamp = { components = { tag = "light" } }
    }"#,
);

/// Compiles a level of [`COUNT`] entities: houses, each somewhere else.
fn compiled() -> BlobBytes<'static> {
    let mut text = String::from("entities = {\n");
    for at in 0..COUNT / 5 {
        let (x, z) = (at % 50, at / 50);
        text += &format!(
            "house_{at} = {{ inherit = \"house\" components = {{ transform = {{ position = [ {x} 0 {z} ] }} }} }}\n"
        );
    }
    text += "}\n";
    let memory: &'static dyn Allocator = &HEAP;
    let sources: &[(&str, &[u8])] = &[HOUSE];
    let compilers: [&dyn loligo_entities::compile::ComponentCompiler; 3] =
        [&TransformCompiler, &TagCompiler, &DataCompiler];
    match compile("level", text.as_bytes(), sources, &compilers, memory) {
        Ok(bytes) => bytes,
        Err(error) => unreachable!("the source is right: {error}"),
    }
}

/// A world with all that this crate has.
struct World {
    entities: Entities<'static, Heap>,
    transforms: Transforms<'static, Heap>,
    tags: Tags<'static, Heap>,
    data: Data<'static, Heap>,
}

impl World {
    /// Removes all, spawns a level, and computes all matrices.
    fn restart(&mut self, level: &EntityResource<'_>, all: &[Entity]) {
        let mut managers: [&mut dyn ComponentManager; 3] =
            [&mut self.transforms, &mut self.tags, &mut self.data];
        let mut components = Components::new(&mut managers).expect("the three types differ");
        self.entities.destroy(all, &mut components);
        let made = self.entities.spawn(level, &[Pose::IDENTITY], &mut components, Unknown::Refuse);
        assert_eq!(made.map(<[_]>::len), Ok(COUNT), "all were spawned");
        self.transforms.update(|_, _| {});
    }
}

/// Returns the restart of a level: all entities of it removed and spawned again, and their matrices
/// computed.
pub(crate) fn restart() -> Contender {
    let bytes = compiled();
    let mut world = World {
        entities: Entities::new_in(&HEAP),
        transforms: Transforms::new_in(&HEAP),
        tags: Tags::new_in(&HEAP),
        data: Data::new_in(&HEAP),
    };
    Contender::new("loligo", move || {
        let level = EntityResource::open(&bytes).expect("it was just compiled");
        let all: Vec<_> = world.entities.iter().collect();
        let ns = clock::time(|| world.restart(&level, &all));
        Pass { ns, operations: 1 }
    })
}

/// Returns the update of the given number of matrices, all dirty: trees of nine, of three levels.
pub(crate) fn update(count: usize) -> Contender {
    let mut entities: Entities<'_, Heap> = Entities::new_in(&HEAP);
    let mut transforms: Transforms<'_, Heap> = Transforms::new_in(&HEAP);
    let mut all: Vec<Entity> = Vec::new();
    for at in 0..count {
        let parent = match at % 9 {
            0 => None,
            1 | 2 => Some(all[at - at % 9]),
            inner => Some(all[at - inner + 1 + inner % 2]),
        };
        let entity = entities.create().expect("the machine has this memory");
        let pose = Pose { rotation: Quat::from_rotation_y(at as f32), ..Pose::at(Vec3::X) };
        transforms.try_insert(entity, parent, pose).expect("the machine has this memory");
        all.push(entity);
    }
    Contender::new("loligo", move || {
        for (at, entity) in all.iter().enumerate() {
            transforms.set_position(*entity, Vec3::splat(at as f32));
        }
        let mut moved = 0;
        let ns = clock::time(|| transforms.update(|_, _| moved += 1));
        assert_eq!(moved, count, "all were dirty");
        Pass { ns, operations: 1 }
    })
}
