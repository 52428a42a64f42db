//! Random programs of spawning, removing, linking and moving, compared with a map of plain structs.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_entities::{DEPTH_MAX, Entity, EntityResource, LinkError, Pose, ResourcePart};
use loligo_ids::IdString32;
use proptest::prelude::*;

use crate::memory::with_memory;
use crate::test_drawn::{check, seeded};
use crate::world::{World, compiled};

/// The resources that programs spawn.
const SOURCES: [&str; 3] = [
    "components = { health = 3 }",
    r#"components = { tag = [ "a" "b" ] data = { k0 = 1 } } children = { x = { children = { y = { components = { tag = "b" } } } } }"#,
    r#"entities = { p = { components = { data = { k1 = 2 k0 = 3 } } } q = { children = { r = {} s = { components = { health = 9 } } } } }"#,
];

const TAGS: [&str; 3] = ["a", "b", "c"];
const KEYS: [&str; 3] = ["k0", "k1", "k2"];

#[derive(Clone, Debug)]
enum Op {
    Spawn { which: usize, copies: usize, at: i8 },
    Unspawn(Vec<u16>),
    Create,
    Insert { entity: u16, parent: Option<u16>, at: i8 },
    Link { entity: u16, parent: Option<u16> },
    Move { entity: u16, to: i8 },
    Tag { entity: u16, tag: usize },
    Untag { entity: u16, tag: usize },
    Set { entity: u16, key: usize, value: i8 },
    RemoveKey { entity: u16, key: usize },
    Health { entity: u16, value: i8 },
    Update,
}

fn op() -> impl Strategy<Value = Op> {
    let entity = any::<u16>;
    prop_oneof![
        3 => (0..3_usize, 0..4_usize, any::<i8>())
            .prop_map(|(which, copies, at)| Op::Spawn { which, copies, at }),
        3 => prop::collection::vec(entity(), 0..6).prop_map(Op::Unspawn),
        1 => Just(Op::Create),
        2 => (entity(), any::<Option<u16>>(), any::<i8>())
            .prop_map(|(entity, parent, at)| Op::Insert { entity, parent, at }),
        6 => (entity(), prop::option::weighted(0.8, entity()))
            .prop_map(|(entity, parent)| Op::Link { entity, parent }),
        3 => (entity(), any::<i8>()).prop_map(|(entity, to)| Op::Move { entity, to }),
        2 => (entity(), 0..3_usize).prop_map(|(entity, tag)| Op::Tag { entity, tag }),
        2 => (entity(), 0..3_usize).prop_map(|(entity, tag)| Op::Untag { entity, tag }),
        2 => (entity(), 0..3_usize, any::<i8>())
            .prop_map(|(entity, key, value)| Op::Set { entity, key, value }),
        1 => (entity(), 0..3_usize).prop_map(|(entity, key)| Op::RemoveKey { entity, key }),
        1 => (entity(), any::<i8>()).prop_map(|(entity, value)| Op::Health { entity, value }),
        2 => Just(Op::Update),
    ]
}

/// What a model knows of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// Where it is, and its parent.
    place: Option<(f32, Option<Entity>)>,
    tags: BTreeSet<&'static str>,
    data: Option<BTreeMap<&'static str, f32>>,
    health: Option<f32>,
}

#[derive(Default)]
struct Model {
    known: BTreeMap<Entity, Known>,
    /// Those that moved since the last update, or have another parent, or are new.
    moved: BTreeSet<Entity>,
    /// All that ever were, for programs to name.
    named: Vec<Entity>,
}

impl Model {
    fn pick(&self, number: u16) -> Option<Entity> {
        let count = self.named.len();
        (count > 0).then(|| self.named[usize::from(number) % count])
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.known.get(&entity)?.place?.1
    }

    /// The entity and its ancestors, up to the root.
    fn line(&self, entity: Entity) -> Vec<Entity> {
        core::iter::successors(Some(entity), |entity| self.parent(*entity)).collect()
    }

    /// Levels from the entity down.
    fn height(&self, entity: Entity) -> usize {
        let lines = self.known.keys().map(|other| self.line(*other));
        lines.filter_map(|line| line.iter().position(|at| *at == entity)).max().unwrap_or(0) + 1
    }

    fn add(&mut self, entity: Entity, known: Known) {
        assert!(self.known.insert(entity, known).is_none(), "{entity:?} was there");
        self.moved.insert(entity);
        self.named.push(entity);
    }

    fn remove(&mut self, gone: &[Entity]) -> usize {
        let below = |entity: &Entity| self.line(*entity).iter().any(|above| gone.contains(above));
        let doomed: Vec<Entity> = self.known.keys().copied().filter(below).collect();
        doomed.iter().for_each(|entity| drop(self.known.remove(entity)));
        doomed.len()
    }

    /// What linking must come to.
    fn link_error(&self, entity: Entity, parent: Option<Entity>) -> Option<LinkError> {
        let placed = |entity: Entity| self.known.get(&entity).is_some_and(|at| at.place.is_some());
        if !placed(entity) {
            return Some(LinkError::Missing { entity });
        }
        let parent = parent?;
        if !placed(parent) {
            return Some(LinkError::NoParent { parent });
        }
        let line = self.line(parent);
        if line.len() >= DEPTH_MAX {
            return Some(LinkError::TooDeep { levels: line.len() + 1 });
        }
        if line.contains(&entity) {
            return Some(LinkError::Ring { entity, parent });
        }
        let levels = line.len() + self.height(entity);
        (levels > DEPTH_MAX).then_some(LinkError::TooDeep { levels })
    }

    /// Holds a world to being as the model.
    fn compare(&self, world: &World<'_>) {
        world.validate();
        assert_eq!(world.entities.len(), self.known.len(), "another number of entities");
        let there: BTreeSet<Entity> = world.entities.iter().collect();
        assert!(there.iter().eq(self.known.keys()), "{there:?}");
        for entity in &self.named {
            let known = self.known.get(entity).cloned().unwrap_or_default();
            let is_known = self.known.contains_key(entity);
            assert_eq!(world.entities.is_alive(*entity), is_known, "{entity:?}");
            let place = world.transforms.pose(*entity).map(|pose| pose.position.x);
            let place = place.map(|x| (x, world.transforms.parent(*entity)));
            let data = world.data.get(*entity).map(|sheet| {
                let get = |key| Some((key, sheet.get_f32(IdString32::new(key))?));
                KEYS.into_iter().filter_map(get).collect()
            });
            let tags = TAGS.into_iter().filter(|tag| {
                let of_tag = world.tags.entities(IdString32::new(tag)).contains(entity);
                let has = world.tags.has(*entity, IdString32::new(tag));
                assert_eq!(of_tag, has, "{entity:?} and {tag} differ by the way of asking");
                of_tag
            });
            let health = world.health.get(*entity).copied();
            let seen = Known { place, tags: tags.collect(), data, health };
            assert_eq!(seen, known, "{entity:?}");
        }
    }
}

fn text_tags(part: Option<ResourcePart<'_>>, index: u32) -> BTreeSet<&'static str> {
    let Some(part) = part else { return BTreeSet::new() };
    let Some(at) = part.entities.iter().position(|entity| *entity == index) else {
        return BTreeSet::new();
    };
    let counts = &part.data[..part.entities.len()];
    let before: u32 = counts[..at].iter().sum();
    let own = &part.data[counts.len() + before as usize..][..counts[at] as usize];
    TAGS.into_iter().filter(|tag| own.contains(&IdString32::new(tag).hash())).collect()
}

/// What the sources above say of their entities, by hand.
fn told(which: usize, index: usize) -> (Option<f32>, Option<BTreeMap<&'static str, f32>>) {
    match (which, index) {
        (0, 0) => (Some(3.0), None),
        (1, 0) => (None, Some([("k0", 1.0)].into())),
        (2, 0) => (None, Some([("k1", 2.0), ("k0", 3.0)].into())),
        (2, 3) => (Some(9.0), None),
        _ => (None, None),
    }
}

fn spawn(model: &mut Model, world: &mut World<'_>, resource: &EntityResource<'_>, op: &Op) {
    let Op::Spawn { which, copies, at } = *op else { return };
    let at = f32::from(at);
    let poses = vec![Pose::at(Vec3::new(at, 0.0, 0.0)); copies];
    let made = world.spawn(resource, &poses).expect("there is memory");
    assert_eq!(made.len(), copies * resource.len(), "copies of all entities");
    let transforms = resource.part(IdString32::new("transform"));
    for (number, entity) in made.iter().enumerate() {
        let index = number % resource.len();
        let copy = &made[number - index..][..resource.len()];
        let parent = copy.get(resource.parents()[index] as usize).copied();
        let is_placed = transforms.is_some_and(|part| part.entities.contains(&(index as u32)));
        let x = if parent.is_none() { at } else { 0.0 };
        let (health, data) = told(which, index);
        let tags = text_tags(resource.part(IdString32::new("tag")), index as u32);
        model.add(*entity, Known { place: is_placed.then_some((x, parent)), tags, data, health });
    }
}

fn step(model: &mut Model, world: &mut World<'_>, op: &Op) -> Option<()> {
    match op {
        Op::Spawn { .. } => {}
        Op::Unspawn(picks) => {
            let gone: Vec<Entity> = picks.iter().filter_map(|pick| model.pick(*pick)).collect();
            assert_eq!(world.destroy(&gone), model.remove(&gone), "of {gone:?}");
        }
        Op::Create => model.add(world.entities.create().expect("memory"), Known::default()),
        Op::Insert { entity, parent, at } => {
            let entity = model.pick(*entity)?;
            let parent = parent.map(|parent| model.pick(parent)).unwrap_or(None);
            let at = f32::from(*at);
            if model.known.get(&entity)?.place.is_some() {
                return None;
            }
            let pose = Pose::at(Vec3::new(at, 0.0, 0.0));
            let done = world.transforms.try_insert(entity, parent, pose);
            let right = parent.is_none_or(|parent| {
                model.known.get(&parent).is_some_and(|known| known.place.is_some())
                    && model.line(parent).len() < DEPTH_MAX
            });
            assert_eq!(done.is_ok(), right, "{done:?}");
            if right {
                model.known.get_mut(&entity)?.place = Some((at, parent));
                model.moved.insert(entity);
            }
        }
        Op::Link { entity, parent } => {
            let entity = model.pick(*entity)?;
            let parent = match parent {
                Some(parent) => Some(model.pick(*parent)?),
                None => None,
            };
            let wanted = model.link_error(entity, parent);
            let done = world.transforms.link(entity, parent);
            assert_eq!(done.err(), wanted, "{entity:?} to {parent:?}");
            if wanted.is_none() {
                model.known.get_mut(&entity)?.place.as_mut()?.1 = parent;
                model.moved.insert(entity);
            }
        }
        Op::Update => update(model, world),
        _ => return step_small(model, world, op),
    }
    Some(())
}

/// The operations on one component of one entity.
fn step_small(model: &mut Model, world: &mut World<'_>, op: &Op) -> Option<()> {
    let key = |at: &usize| (KEYS[*at], IdString32::new(KEYS[*at]));
    let tag = |at: &usize| (TAGS[*at], IdString32::new(TAGS[*at]));
    match op {
        Op::Move { entity, to } => {
            let entity = model.pick(*entity)?;
            let x = f32::from(*to);
            let place = model.known.get_mut(&entity).and_then(|known| known.place.as_mut());
            let done = world.transforms.set_position(entity, Vec3::new(x, 0.0, 0.0));
            assert_eq!(done, place.is_some(), "{entity:?}");
            place?.0 = x;
            model.moved.insert(entity);
        }
        Op::Tag { entity, tag: at } => {
            let entity = model.pick(*entity)?;
            let known = model.known.get_mut(&entity)?;
            let done = world.tags.try_add(entity, tag(at).1);
            assert_eq!(done, Ok(known.tags.insert(tag(at).0)), "{entity:?}");
        }
        Op::Untag { entity, tag: at } => {
            let entity = model.pick(*entity)?;
            let known = model.known.get_mut(&entity)?;
            let done = world.tags.remove_tag(entity, tag(at).1);
            assert_eq!(done, known.tags.remove(tag(at).0), "{entity:?}");
        }
        Op::Set { entity, key: at, value } => {
            let entity = model.pick(*entity)?;
            let (name, key) = key(at);
            let value = f32::from(*value);
            let known = model.known.get_mut(&entity)?;
            known.data.get_or_insert_default().insert(name, value);
            world.data.try_set(entity, key, value).expect("there is memory");
        }
        Op::RemoveKey { entity, key: at } => {
            let entity = model.pick(*entity)?;
            let (name, key) = key(at);
            let known = model.known.get_mut(&entity)?;
            let was = known.data.as_mut().and_then(|data| data.remove(name)).is_some();
            assert_eq!(world.data.remove_key(entity, key), was, "{entity:?}");
        }
        Op::Health { entity, value } => {
            let entity = model.pick(*entity)?;
            let value = f32::from(*value);
            let known = model.known.get_mut(&entity)?;
            let old = world.health.try_insert(entity, value).expect("there is memory");
            assert_eq!(old, known.health.replace(value), "{entity:?}");
        }
        _ => {}
    }
    Some(())
}

/// Updates, and holds what was computed to being what moved, all below it, and nothing else.
fn update(model: &mut Model, world: &mut World<'_>) {
    let mut computed = BTreeSet::new();
    world.transforms.update(|entity, _| assert!(computed.insert(entity), "{entity:?} twice"));
    let is_moved = |entity: &Entity| {
        model.known[entity].place.is_some()
            && model.line(*entity).iter().any(|above| model.moved.contains(above))
    };
    let wanted: BTreeSet<Entity> = model.known.keys().copied().filter(is_moved).collect();
    assert_eq!(computed, wanted, "what moved, and all below it");
    model.moved.clear();
    for (entity, known) in &model.known {
        if known.place.is_some() {
            let x: f32 = model
                .line(*entity)
                .iter()
                .map(|at| model.known[at].place.map_or(0.0, |place| place.0))
                .sum();
            let world = world.transforms.world(*entity).expect("it has a transform");
            assert_eq!(world.translation.x, x, "{entity:?}");
        }
    }
}

/// The default seed of the random programs.
const SEED: u64 = 0x2014_1010;

/// The number of programs, unless `PROPTEST_CASES` is set.
const CASES: u32 = 128;

#[test]
fn worlds_are_as_their_models() {
    let programs = prop::collection::vec(op(), 1..80);
    check(seeded(SEED, CASES), &programs, |program| {
        with_memory(|memory| run(&program, memory));
        Ok(())
    });
}

/// Runs a program in a world and in its model, and compares both after each step.
fn run(program: &[Op], memory: &dyn Allocator) {
    let blobs = SOURCES.map(|source| compiled(source, &[], memory));
    let resources = [0, 1, 2].map(|at| EntityResource::open(&blobs[at]).expect("whole"));
    let mut world = World::new(memory);
    let mut model = Model::default();
    for op in program {
        if let Op::Spawn { which, .. } = op {
            spawn(&mut model, &mut world, &resources[*which], op);
        }
        // A step on an entity that is gone does nothing.
        let _ = step(&mut model, &mut world, op);
        model.compare(&world);
    }
    update(&mut model, &mut world);
    let all: Vec<Entity> = model.known.keys().copied().collect();
    assert_eq!(world.destroy(&all), all.len(), "all that are left");
    model.known.clear();
    model.compare(&world);
}
