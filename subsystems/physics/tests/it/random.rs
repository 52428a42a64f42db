//! Random scenes against a model: which ids name something, whose they are, and who touches whom; saved
//! and loaded at random steps; and with memory that is refused.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use loligo_allocators::{Allocator, Refusals};
use loligo_containers::Array;
use loligo_entities::Pose;
use loligo_physics::{
    ActorId, ActorKind, Filter, Geometry, JointDescription, JointId, JointKind, PhysicsError,
    PhysicsWorld, Shape, SnapshotError, TouchBegan, TouchEnded, TriggerEntered, TriggerLeft,
};
use proptest::prelude::*;

use crate::memory::{refusing, with_memory};
use crate::scene::{Body, World, entity, world};

/// What is done to a world. Numbers choose among what there is.
#[derive(Clone, Debug)]
enum Act {
    Create { kind: u8, form: u8, at: [i8; 3], is_trigger: bool },
    Destroy(u8),
    Enable(u8, bool),
    Teleport(u8, [i8; 3]),
    Reshape { who: u8, form: u8, is_trigger: bool },
    Push(u8, [i8; 3]),
    Filter(u8, u8),
    Join(u8, u8, u8),
    Unjoin(u8),
    Step(u8),
    Reload,
}

fn act() -> impl Strategy<Value = Act> {
    let place = || [-3_i8..4, 0..8, -3..4];
    prop_oneof![
        6 => (0..3_u8, 0..5_u8, place(), proptest::bool::weighted(0.15))
            .prop_map(|(kind, form, at, is_trigger)| Act::Create { kind, form, at, is_trigger }),
        3 => any::<u8>().prop_map(Act::Destroy),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(who, is)| Act::Enable(who, is)),
        1 => (any::<u8>(), place()).prop_map(|(who, at)| Act::Teleport(who, at)),
        1 => (any::<u8>(), 0..5_u8, proptest::bool::weighted(0.15))
            .prop_map(|(who, form, is_trigger)| Act::Reshape { who, form, is_trigger }),
        1 => (any::<u8>(), place()).prop_map(|(who, at)| Act::Push(who, at)),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(who, bits)| Act::Filter(who, bits)),
        2 => (any::<u8>(), any::<u8>(), 0..4_u8).prop_map(|(a, b, kind)| Act::Join(a, b, kind)),
        1 => any::<u8>().prop_map(Act::Unjoin),
        6 => (1..12_u8).prop_map(Act::Step),
        1 => Just(Act::Reload),
    ]
}

/// What there must be.
#[derive(Default)]
struct Model {
    /// The actors, and the numbers of their entities.
    live: BTreeMap<ActorId, u32>,
    gone: Vec<ActorId>,
    joints: BTreeMap<JointId, [ActorId; 2]>,
    gone_joints: Vec<JointId>,
    /// Pairs of actors that touch, or of which one is in the other.
    touching: BTreeSet<(u32, u32)>,
    inside: BTreeSet<(u32, u32)>,
    made: u32,
}

impl Model {
    fn choose(&self, number: u8) -> Option<ActorId> {
        let count = self.live.len().max(1);
        self.live.keys().nth(usize::from(number) % count).copied()
    }

    fn drop_joint(&mut self, id: JointId) {
        self.joints.remove(&id);
        self.gone_joints.push(id);
    }

    /// Reads the events of a world, which begin and end in turn.
    fn read(&mut self, world: &mut World<'_>) {
        for record in world.events() {
            if let Some(began) = record.get::<TouchBegan>() {
                assert!(began.actor < began.other_actor, "{began:?}");
                assert!(self.touching.insert((began.actor, began.other_actor)), "twice: {began:?}");
                assert!(
                    Vec3::from_array(began.point).is_finite() && began.impulse >= 0.0,
                    "{began:?}"
                );
            } else if let Some(ended) = record.get::<TouchEnded>() {
                assert!(self.touching.remove(&(ended.actor, ended.other_actor)), "{ended:?}");
            } else if let Some(entered) = record.get::<TriggerEntered>() {
                assert!(self.inside.insert((entered.trigger_actor, entered.actor)), "{entered:?}");
            } else if let Some(left) = record.get::<TriggerLeft>() {
                assert!(self.inside.remove(&(left.trigger_actor, left.actor)), "{left:?}");
            }
        }
        world.events_mut().clear();
        let live: BTreeSet<u32> = self.live.keys().map(|id| id.to_bits()).collect();
        for (one, two) in self.touching.iter().chain(&self.inside) {
            assert!(live.contains(one) && live.contains(two), "the dead touch nothing");
        }
    }

    fn check(&self, world: &World<'_>) {
        assert_eq!(world.len(), self.live.len(), "actors");
        assert_eq!(world.joint_count(), self.joints.len(), "joints");
        for (id, number) in &self.live {
            assert_eq!(world.entity(*id), Ok(Some(entity(*number))), "whose it is");
            assert!(world.pose(*id).unwrap().position.is_finite(), "where it is");
        }
        assert!(self.gone.iter().all(|id| !world.contains(*id)), "the gone are gone");
        assert!(self.joints.keys().all(|id| world.contains_joint(*id)), "joints are there");
        assert!(self.gone_joints.iter().all(|id| !world.contains_joint(*id)), "or gone");
        assert!(world.moved().iter().all(|id| self.live.contains_key(id)), "the living move");
    }
}

fn create(
    world: &mut World<'_>,
    model: &mut Model,
    kind: u8,
    form: u8,
    at: [i8; 3],
    is_trigger: bool,
) {
    let kind = kind_of(kind);
    let mut body = Body::new(kind, geometry(form), place(at)).of(entity(model.made)).reporting();
    body.shape.is_trigger = is_trigger;
    let made = body.try_put(world);
    assert_eq!(made.is_ok(), is_right(kind, form, is_trigger), "{made:?}");
    if let Ok(id) = made {
        assert!(!model.gone.contains(&id), "no id is given out again");
        assert_eq!(model.live.insert(id, model.made), None, "its id is new");
        model.made += 1;
    }
}

const fn kind_of(number: u8) -> ActorKind {
    match number {
        0 => ActorKind::Static,
        1 => ActorKind::Kinematic,
        _ => ActorKind::Dynamic,
    }
}

fn geometry(form: u8) -> Geometry<'static> {
    const POINTS: &[[f32; 3]] = &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    match form {
        0 => Geometry::Box { half: Vec3::splat(0.5) },
        1 => Geometry::Sphere { radius: 0.5 },
        2 => Geometry::Capsule { half_height: 0.5, radius: 0.3 },
        3 => Geometry::Convex { points: POINTS },
        _ => Geometry::Mesh {
            vertices: POINTS,
            triangles: &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
        },
    }
}

/// Returns whether an actor can be of a form.
fn is_right(kind: ActorKind, form: u8, is_trigger: bool) -> bool {
    kind != ActorKind::Dynamic || (!is_trigger && form < 4)
}

fn reshape(world: &mut World<'_>, id: ActorId, form: u8, is_trigger: bool) {
    let (kind, pose, turning) = (world.kind(id), world.pose(id), world.turning(id));
    let shape = Shape { is_trigger, sends_touches: true, ..Shape::new(geometry(form)) };
    let set = world.set_shapes(id, &[shape], None);
    let kind = kind.expect("it is there");
    assert_eq!(set.is_ok(), is_right(kind, form, is_trigger), "{set:?}");
    assert_eq!((world.pose(id), world.turning(id)), (pose, turning), "where it was");
    assert_eq!(world.shape_count(id), Ok(1), "it has one");
}

fn place(at: [i8; 3]) -> Vec3 {
    Vec3::from_array(at.map(f32::from)) * 0.7
}

fn join(world: &mut World<'_>, model: &mut Model, pair: [ActorId; 2], kind: u8) {
    let kind = match kind {
        0 => JointKind::Fixed,
        1 => JointKind::Hinge,
        2 => JointKind::Slider,
        _ => JointKind::Ball,
    };
    let frames = world.joint_frames(pair, world.pose(pair[0]).unwrap().position, Vec3::Z).unwrap();
    let is_right =
        pair[0] != pair[1] && pair.iter().any(|id| world.kind(*id) == Ok(ActorKind::Dynamic));
    let made = world.create_joint(&JointDescription::new(kind, pair, frames));
    assert_eq!(made.is_ok(), is_right, "{made:?}");
    if let Ok(id) = made {
        assert!(model.joints.insert(id, pair).is_none(), "its id is new");
    }
}

fn run<'m>(world: &mut World<'m>, model: &mut Model, act: &Act, memory: &'m dyn Allocator) {
    match *act {
        Act::Create { kind, form, at, is_trigger } => {
            create(world, model, kind, form, at, is_trigger);
        }
        Act::Destroy(who) => {
            let Some(id) = model.choose(who) else { return };
            world.destroy_actor(id).unwrap();
            model.live.remove(&id);
            model.gone.push(id);
            let lost: Vec<JointId> = (model.joints.iter())
                .filter_map(|(joint, pair)| pair.contains(&id).then_some(*joint))
                .collect();
            lost.into_iter().for_each(|joint| model.drop_joint(joint));
        }
        Act::Enable(who, is_enabled) => {
            let Some(id) = model.choose(who) else { return };
            world.set_enabled(id, is_enabled).unwrap();
            assert_eq!(world.is_enabled(id), Ok(is_enabled), "at once");
        }
        Act::Teleport(who, at) => {
            let Some(id) = model.choose(who) else { return };
            world.teleport(id, &Pose::at(place(at))).unwrap();
            assert_eq!(world.pose(id).unwrap().position, place(at), "at once");
        }
        Act::Reshape { who, form, is_trigger } => {
            let Some(id) = model.choose(who) else { return };
            reshape(world, id, form, is_trigger);
        }
        Act::Push(who, at) => {
            let Some(id) = model.choose(who) else { return };
            let is_dynamic = world.kind(id) == Ok(ActorKind::Dynamic);
            let pushed = world.add_force(id, place(at) * 1e4, None);
            assert_eq!(pushed.is_ok(), is_dynamic, "{pushed:?}");
        }
        Act::Filter(who, bits) => {
            let Some(id) = model.choose(who) else { return };
            let filter = Filter { groups: u32::from(bits & 15), meets: u32::from(bits >> 4) };
            world.set_filter(id, 0, filter).unwrap();
        }
        Act::Join(one, two, kind) => {
            let (Some(one), Some(two)) = (model.choose(one), model.choose(two)) else { return };
            join(world, model, [one, two], kind);
        }
        Act::Unjoin(number) => {
            let count = model.joints.len().max(1);
            let id = model.joints.keys().nth(usize::from(number) % count).copied();
            let Some(id) = id else { return };
            world.destroy_joint(id).unwrap();
            model.drop_joint(id);
        }
        Act::Step(steps) => {
            for _ in 0..steps {
                world.step().unwrap();
                model.read(world);
            }
        }
        Act::Reload => reload(world, memory),
    }
}

/// Goes on with a loaded world, after both have taken some steps and have the same bytes.
fn reload<'m>(world: &mut World<'m>, memory: &'m dyn Allocator) {
    let mut bytes = Array::new(memory);
    world.save(&mut bytes).unwrap();
    let load = || PhysicsWorld::load(&bytes, memory).expect("it was just saved");
    let (mut one, mut two) = (load(), load());
    for _ in 0..3 {
        world.step().unwrap();
        one.step().unwrap();
    }
    let [mut here, mut there] = [Array::new(memory), Array::new(memory)];
    world.save(&mut here).unwrap();
    one.save(&mut there).unwrap();
    assert!(here == there, "a loaded world goes on as the saved one did");
    assert!(world.events().as_bytes() == one.events().as_bytes(), "with the same events");
    core::mem::swap(world, &mut two);
}

/// Does an act as far as there is memory, and returns what must be there.
fn bear<'m>(
    world: &mut World<'m>,
    live: &mut Vec<ActorId>,
    act: &Act,
    memory: &'m dyn Allocator,
) -> Result<(), PhysicsError> {
    let choose = |number: u8| live.get(usize::from(number) % live.len().max(1)).copied();
    match *act {
        Act::Create { kind, form, at, is_trigger } => {
            let kind = kind_of(kind);
            let mut body = Body::new(kind, geometry(form), place(at)).reporting();
            body.shape.is_trigger = is_trigger;
            live.push(body.try_put(world)?);
        }
        Act::Destroy(who) => {
            let Some(id) = choose(who) else { return Ok(()) };
            world.destroy_actor(id)?;
            live.retain(|other| *other != id);
        }
        Act::Reshape { who, form, is_trigger } => {
            let Some(id) = choose(who) else { return Ok(()) };
            let shape = Shape { is_trigger, sends_touches: true, ..Shape::new(geometry(form)) };
            world.set_shapes(id, &[shape], None)?;
        }
        Act::Teleport(who, at) => {
            let Some(id) = choose(who) else { return Ok(()) };
            world.teleport(id, &Pose::at(place(at)))?;
        }
        Act::Push(who, at) => {
            let Some(id) = choose(who) else { return Ok(()) };
            world.add_force(id, place(at) * 1e4, None)?;
        }
        Act::Join(one, two, _) => {
            let (Some(one), Some(two)) = (choose(one), choose(two)) else { return Ok(()) };
            let at = world.pose(one)?.position;
            let frames = world.joint_frames([one, two], at, Vec3::Z)?;
            world.create_joint(&JointDescription::new(JointKind::Ball, [one, two], frames))?;
        }
        Act::Step(steps) => (0..steps).try_for_each(|_| world.step())?,
        Act::Reload => {
            let mut bytes = Array::new(memory);
            if world.save(&mut bytes).is_ok() {
                match PhysicsWorld::load(&bytes, memory) {
                    Ok(loaded) => *world = loaded,
                    Err(error) => assert!(matches!(error, SnapshotError::Memory { .. }), "{error}"),
                }
            }
        }
        Act::Enable(..) | Act::Filter(..) | Act::Unjoin(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn random_scenes_are_as_the_model_says(acts in proptest::collection::vec(act(), 1..60)) {
        with_memory(|memory| {
            let mut world = world(memory);
            let mut model = Model::default();
            for act in &acts {
                run(&mut world, &mut model, act, memory);
                model.check(&world);
            }
            for id in model.live.keys() {
                world.destroy_actor(*id).unwrap();
            }
            model.gone.extend(core::mem::take(&mut model.live).into_keys());
            world.step().unwrap();
            model.read(&mut world);
            prop_assert!(model.touching.is_empty() && model.inside.is_empty());
            prop_assert!(world.is_empty() && world.joint_count() == 0 && world.moved().is_empty());
            Ok(())
        })?;
    }

    #[test]
    fn random_scenes_bear_refused_memory(
        acts in proptest::collection::vec(act(), 1..60),
        per_mille in 1..300_u32,
        seed in any::<u64>(),
    ) {
        refusing(Refusals::Share { per_mille, seed }, |memory| {
            let mut world = world(memory);
            let mut live = Vec::new();
            for act in &acts {
                let done = bear(&mut world, &mut live, act, memory);
                let is_memory = matches!(done, Err(PhysicsError::Memory { .. }));
                let is_wrong = matches!(
                    act,
                    Act::Create { .. } | Act::Reshape { .. } | Act::Push(..) | Act::Join(..)
                );
                assert!(done.is_ok() || is_memory || is_wrong, "{act:?}: {done:?}");
                world.events_mut().clear();
                assert_eq!(world.len(), live.len(), "what was created is there, and nothing else");
                assert!(live.iter().all(|id| world.contains(*id)), "{live:?}");
            }
            // What its tables and lists say holds together, as a load checks.
            with_memory(|enough| {
                let mut bytes = Array::new(enough);
                world.save(&mut bytes).expect("there is memory");
                let mut loaded = PhysicsWorld::load(&bytes, enough).expect("it holds together");
                loaded.step().expect("there is memory");
            });
        });
    }
}
