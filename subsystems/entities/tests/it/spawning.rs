//! Resources spawned in copies and removed with all descendants.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use loligo_entities::{
    Batch, ComponentError, ComponentManager, ComponentType, Components, Entities, Entity,
    EntityResource, Pose, SpawnError, Unknown,
};
use loligo_ids::id32;

use crate::memory::with_memory;
use crate::world::{World, compiled, no_sources};

const HOUSE: &str = r#"
components = { tag = [ "building" ] data = { people = 4 } health = 40 }
children = {
    roof = { components = { transform = { position = [ 0 3 0 ] } } }
    door = { components = { tag = "door" } children = { lock = { components = { health = 5 } } } }
}"#;

#[test]
fn copies_stand_where_they_are_put() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        let turned = Pose {
            position: Vec3::X,
            rotation: Quat::from_rotation_z(core::f32::consts::FRAC_PI_2),
            scale: Vec3::splat(2.0),
        };
        let made = world.spawn(&house, &[Pose::at(Vec3::Z), turned]).expect("there is memory");
        assert_eq!(made.len(), 8, "two copies of four entities");
        world.transforms.update(|_, _| {});
        let roof = house.find(id32!("roof")).expect("it has a roof");
        let top = |copy: usize| {
            let world = world.transforms.world(made[copy * 4 + roof]).expect("it is placed");
            world.transform_point3(Vec3::ZERO)
        };
        assert!(top(0).abs_diff_eq(Vec3::new(0.0, 3.0, 1.0), 1e-6), "{}", top(0));
        assert!(top(1).abs_diff_eq(Vec3::new(-5.0, 0.0, 0.0), 1e-5), "{}", top(1));
        assert_eq!(world.tags.entities(id32!("building")), [made[0], made[4]]);
        assert_eq!(world.health.values(), [40.0, 5.0, 40.0, 5.0]);
        let people = |entity| world.data.get(entity).and_then(|data| data.get_f32(id32!("people")));
        assert_eq!(
            (people(made[0]), people(made[4]), people(made[1])),
            (Some(4.0), Some(4.0), None)
        );
        world.validate();
    });
}

#[test]
fn data_are_an_entitys_own() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        let made = world.spawn(&house, &[Pose::IDENTITY; 2]).expect("there is memory");
        world.data.try_set(made[0], id32!("people"), 9.0).expect("there is memory");
        let people = |entity| world.data.get(entity).and_then(|data| data.get_f32(id32!("people")));
        assert_eq!((people(made[0]), people(made[4])), (Some(9.0), Some(4.0)), "the other's stay");
    });
}

#[test]
fn children_go_with_their_parents() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        let made = world.spawn(&house, &[Pose::IDENTITY; 3]).expect("there is memory");
        let door = house.find(id32!("door")).expect("it has a door");
        // A child first, then its parent; one twice; and one of another copy.
        let gone = [made[door], made[0], made[0], made[4 + door]];
        assert_eq!(world.destroy(&gone), 6, "a house of four, a door with its lock");
        assert_eq!(world.destroy(&gone), 0, "they are gone");
        world.validate();
        let left: BTreeSet<Entity> = world.entities.iter().collect();
        let wanted = made[4..].iter().filter(|entity| {
            let index = (made.iter().position(|other| other == *entity)).expect("it was made");
            index != 4 + door && house.parents()[index % 4] as usize != door || index >= 8
        });
        assert_eq!(left, wanted.copied().collect(), "the others stay");
        assert_eq!(world.tags.entities(id32!("door")).len(), 1);
        assert_eq!(world.destroy(&made), 6, "all that is left");
        assert!(world.entities.is_empty() && world.tags.is_empty() && world.transforms.is_empty());
        world.validate();
    });
}

#[test]
fn removing_allocates_nothing() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let mut world = World::new(memory);
        let made = world.spawn(&house, &[Pose::IDENTITY; 50]).expect("there is memory");
        let before = memory.stats();
        assert_eq!(world.destroy(&made[..40]), 40);
        world.transforms.update(|_, _| {});
        let after = memory.stats();
        assert_eq!((before.live, before.granted), (after.live, after.granted));
        assert_eq!(before.peak_granted, after.peak_granted, "nor for a moment");
        assert_eq!(before.allocations_total, after.allocations_total, "not even once");
    });
}

#[test]
fn unknown_types_are_skipped_or_refused() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let mut entities = Entities::new_in(memory);
        let mut components = Components::new(&mut []).expect("there is none");
        let refused = entities.spawn(&house, &[Pose::IDENTITY], &mut components, Unknown::Refuse);
        let Err(SpawnError::Unknown { component }) = refused else { panic!("{refused:?}") };
        assert!(house.part(component).is_some(), "it is one of the resource's");
        assert!(entities.is_empty(), "nothing was made");
        let made = entities.spawn(&house, &[Pose::IDENTITY], &mut components, Unknown::Skip);
        assert_eq!(made.expect("there is memory").len(), 4);
    });
}

#[test]
fn parts_are_spawned_below_those_before() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        for first in 1..4 {
            let mut world = World::new(memory);
            let root = world.entities.create().expect("there is memory");
            world.transforms.try_insert(root, None, Pose::at(Vec3::X)).expect("there is memory");
            let mut made = Vec::new();
            world.with(|entities, components| {
                assert!(components.take_parts(&house), "all managers do");
                for count in [first, 4 - first] {
                    let more = entities.spawn_part(&house, &made, count, root, components);
                    let more = more.expect("there is memory").to_vec();
                    assert_eq!(more.len(), count);
                    made.extend(more);
                }
            });
            let at = |name| made[house.find(name).expect("it is in the house")];
            let [roof, door, lock] = [at(id32!("roof")), at(id32!("door")), at(id32!("lock"))];
            let parents = [made[0], roof, door, lock].map(|one| world.transforms.parent(one));
            assert_eq!(parents, [Some(root), Some(made[0]), Some(made[0]), Some(door)], "{first}");
            assert_eq!(world.health.values(), [40.0, 5.0], "{first}");
            assert_eq!(world.tags.entities(id32!("door")), [door], "{first}");
            assert!(world.data.get(made[0]).is_some() && world.data.get(door).is_none());
            world.validate();
            assert_eq!(world.destroy(&[root]), 5, "{first}: all are below it");
        }
    });
}

/// Notes when it is called, and refuses if it is to.
struct Witness<'w> {
    component: ComponentType,
    calls: &'w core::cell::RefCell<Vec<(&'static str, i32, usize)>>,
    refuses: bool,
}

impl ComponentManager for Witness<'_> {
    fn component(&self) -> ComponentType {
        self.component
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        let count = batch.len() * batch.copies();
        self.calls.borrow_mut().push(("spawn", self.component.order, count));
        if self.refuses { Err(ComponentError::data(0, "it is to refuse")) } else { Ok(()) }
    }

    fn remove(&mut self, entities: &[Entity]) {
        self.calls.borrow_mut().push(("remove", self.component.order, entities.len()));
    }
}

/// Looks for entities by name while components are made.
struct Finder {
    component: ComponentType,
    name: loligo_ids::IdString32,
    found: Vec<Option<Entity>>,
}

impl ComponentManager for Finder {
    fn component(&self) -> ComponentType {
        self.component
    }

    fn spawn(&mut self, batch: &Batch<'_>) -> Result<(), ComponentError> {
        for copy in 0..batch.copies() {
            let find = |instance| batch.find(copy, instance, self.name);
            self.found.extend((0..batch.len()).map(find));
        }
        Ok(())
    }

    fn remove(&mut self, _: &[Entity]) {}
}

#[test]
fn a_component_finds_entities_of_its_copy_by_name() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        for (name, is_there) in
            [(id32!("lock"), true), (id32!("roof"), true), (id32!("cellar"), false)]
        {
            let component = ComponentType::new("transform", 0);
            let mut finder = Finder { component, name, found: Vec::new() };
            let mut managers: [&mut dyn ComponentManager; 1] = [&mut finder];
            let mut components = Components::new(&mut managers).expect("it is one");
            let mut entities = Entities::new_in(memory);
            let poses = [Pose::IDENTITY; 2];
            let made = entities.spawn(&house, &poses, &mut components, Unknown::Skip);
            let made = made.expect("there is memory").to_vec();
            let wanted =
                |copy: usize| is_there.then(|| made[copy * 4 + house.find(name).expect("it is")]);
            let (first, second) = finder.found.split_at(finder.found.len() / 2);
            assert!(!first.is_empty() && first.iter().all(|found| *found == wanted(0)));
            assert!(second.iter().all(|found| *found == wanted(1)), "those of its copy");
        }
    });
}

/// One call for all instances of a type, types in their order; when one refuses, the managers
/// before it remove theirs, in reverse order.
#[test]
fn types_are_spawned_in_order_and_taken_back_in_reverse() {
    with_memory(|memory| {
        let bytes = compiled(HOUSE, no_sources(), memory);
        let house = EntityResource::open(&bytes).expect("it was compiled");
        let calls = core::cell::RefCell::new(Vec::new());
        let witness = |name, order, refuses| Witness {
            component: ComponentType::new(name, order),
            calls: &calls,
            refuses,
        };
        let [mut a, mut b, mut c, mut d] = [
            witness("health", 3, true),
            witness("tag", -1, false),
            witness("transform", 2, false),
            witness("data", 4, false),
        ];
        let mut managers: [&mut dyn ComponentManager; 4] = [&mut a, &mut b, &mut c, &mut d];
        let mut components = Components::new(&mut managers).expect("all differ");
        assert!(!components.take_parts(&house), "nobody said that they can");
        let mut entities = Entities::new_in(memory);
        let result = entities.spawn(&house, &[Pose::IDENTITY; 2], &mut components, Unknown::Skip);
        assert!(matches!(result, Err(SpawnError::Component { .. })), "{result:?}");
        let wanted = [
            ("spawn", -1, 4),
            ("spawn", 2, 8),
            ("spawn", 3, 4),
            ("remove", 2, 8),
            ("remove", -1, 8),
        ];
        assert_eq!(*calls.borrow(), wanted);
        assert!(entities.is_empty(), "no entity is there in half");
    });
}

#[test]
fn two_managers_of_a_type_are_refused() {
    let calls = core::cell::RefCell::default();
    let witness = |order| Witness {
        component: ComponentType::new("tag", order),
        calls: &calls,
        refuses: false,
    };
    let [mut a, mut b] = [witness(1), witness(2)];
    let error = Components::new(&mut [&mut a, &mut b]).expect_err("both are for one type");
    assert_eq!(error.name, id32!("tag"));
}
