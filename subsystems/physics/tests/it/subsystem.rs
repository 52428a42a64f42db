//! The subsystem without an engine: resources come, entities are spawned, steps are taken, a state is
//! saved and goes on byte for byte.

use glam::{Affine3A, Vec3};
use loligo_allocators::{Allocator as _, HeapAllocator, Locked, PageAllocator, SharedRef};
use loligo_containers::{Array, BlobBytes};
use loligo_entities::compile::{ComponentCompiler, TransformCompiler, compile};
use loligo_entities::{
    ComponentManager, Components, Entities, Entity, EntityResource, Pose, Transforms, Unknown,
};
use loligo_ids::IdString64;
use loligo_interface::{Frame, Phase, Places, ResourceChange, Subsystem};
use loligo_physics::{Physics, TouchBegan, TouchEnded};
use loligo_tasks::{Settings, Tasks};

use crate::project::TestProject;

const SETTINGS: &str = r#"
stay_rate = 4
groups = { ground = { meets = "*" } thing = { meets = "*" } }
materials = { stone = { friction = 0.8 density = 2600 } wood = { friction = 0.5 density = 600 } }
shapes = {
    floor = { material = "stone" group = "ground" silent = true }
    box = { material = "wood" group = "thing" }
}
actors = { floor = { kind = "static" } box = { kind = "dynamic" } lift = { kind = "kinematic" } }
"#;

const CRATE: &str = r#"components = {
    transform = { position = [ 0 3 0 ] } actor = { collision = "crate" template = "box" velocity = [ 1 0 0 ] }
}"#;
const FLOOR: &str = r#"components = {
    transform = { position = [ 0 -0.5 0 ] } actor = { collision = "floor" template = "floor" }
}"#;
const LIFT: &str = r#"components = {
    transform = { position = [ 9 1 0 ] } actor = { collision = "crate" template = "lift" }
}"#;

/// Sets where entities are, as an engine does.
struct Placed<'p, 'm>(&'p mut Transforms<'m>);

impl Places for Placed<'_, '_> {
    fn pose(&self, entity: Entity) -> Option<Pose> {
        self.0.pose(entity)
    }

    fn matrix(&self, entity: Entity) -> Option<Affine3A> {
        self.0.world(entity).copied()
    }

    fn set_poses(&mut self, entities: &[Entity], poses: &[Pose]) {
        for (entity, pose) in entities.iter().zip(poses) {
            self.0.set_pose(*entity, pose);
        }
    }
}

/// A game of one subsystem.
struct Play<'m> {
    physics: Physics<'m>,
    transforms: Transforms<'m>,
    entities: Entities<'m>,
    memory: SharedRef<'m>,
}

impl<'m> Play<'m> {
    fn new(memory: SharedRef<'m>, project: &TestProject) -> Self {
        let mut physics = Physics::try_new(memory).expect("there is memory");
        for (type_name, name) in
            [("physics", "game"), ("collision", "crate"), ("collision", "floor")]
        {
            let payload = project.payload(type_name, name);
            let payload = BlobBytes::try_copy(&payload, memory).expect("there is memory");
            let change = ResourceChange {
                type_hash: IdString64::new(type_name),
                name: IdString64::new(name),
                debug_name: name,
                payload: &payload,
                is_changed: false,
            };
            physics.resource(&change).expect("it was compiled");
        }
        let (transforms, entities) = (Transforms::new(memory), Entities::new(memory));
        Self { physics, transforms, entities, memory }
    }

    fn spawn(&mut self, source: &str) -> Entity {
        let own = loligo_physics::compile::components();
        let mut compilers: Vec<&dyn ComponentCompiler> = vec![&TransformCompiler];
        compilers.extend(own.iter().map(|own| &**own as &dyn ComponentCompiler));
        let bytes = compile("test", source.as_bytes(), &[][..], &compilers, self.memory);
        let bytes = bytes.unwrap_or_else(|error| panic!("{error}"));
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let Self { physics, transforms, entities, .. } = self;
        let mut made = None;
        physics.managers(&mut |manager| {
            let mut managers: [&mut dyn ComponentManager; 2] = [&mut *transforms, manager];
            let mut components = Components::new(&mut managers).expect("each is there once");
            let poses = [Pose::IDENTITY];
            let spawned = entities.spawn(&resource, &poses, &mut components, Unknown::Refuse);
            made = Some(spawned.expect("there is memory")[0]);
        });
        made.expect("it has a manager")
    }

    fn update(&mut self, count: usize) {
        let pages = PageAllocator::new("pages");
        let settings = Settings { workers: Some(0), ..Settings::default() };
        let mut tasks = Tasks::try_new(&settings, &pages).expect("there is memory");
        tasks.run(|main| {
            for number in 0..count as u64 {
                let places = &mut Placed(&mut self.transforms);
                let step = 16_666_667;
                let now = number * step;
                let mut frame = Frame { number, now, step, worker: main, places, views: &[] };
                self.physics.step(Phase::Simulate, &mut frame).expect("all is right");
            }
        });
    }

    fn at(&self, entity: Entity) -> Vec3 {
        self.transforms.pose(entity).expect("it is there").position
    }

    fn saved(&self) -> Vec<u8> {
        let mut out = Array::new_in(self.memory);
        self.physics.save(&mut out).expect("there is memory");
        out.to_vec()
    }
}

fn play(test: impl FnOnce(SharedRef<'_>, &TestProject)) {
    let project = TestProject::new(&[
        ("game.physics", SETTINGS.as_bytes()),
        (
            "crate.collision",
            br#"settings = "game" shapes = [ { template = "box" box = [ 1 1 1 ] } ]"#,
        ),
        (
            "floor.collision",
            br#"settings = "game" shapes = [ { template = "floor" box = [ 40 1 40 ] } ]"#,
        ),
    ]);
    project.compile().expect("it is right");
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("physics", &pages));
    test(&heap, &project);
    assert_eq!(heap.stats().live, 0, "all memory is given back");
}

#[test]
fn entities_fall_follow_and_touch() {
    play(|memory, project| {
        let mut play = Play::new(memory, project);
        let (floor, thing, lift) = (play.spawn(FLOOR), play.spawn(CRATE), play.spawn(LIFT));
        play.update(120);
        let at = play.at(thing);
        assert!((at.y - 0.5).abs() < 0.02 && at.x > 0.4, "it fell and slid: {at}");
        let began: Vec<TouchBegan> =
            play.physics.events().expect("it has some").of::<TouchBegan>().collect();
        assert_eq!((began[0].entity, began[0].other), (floor.to_bits(), thing.to_bits()));
        // The game moves the lift against it.
        for step in 0..240 {
            play.transforms.set_position(lift, Vec3::new(9.0 - 0.04 * step as f32, 0.55, 0.0));
            play.update(1);
        }
        assert!(play.at(thing).x < 0.0, "it was pushed: {}", play.at(thing));
        play.physics.events().expect("it has some").clear();
        play.physics.managers(&mut |manager| manager.remove(&[thing, lift]));
        play.update(1);
        let mut ended = play.physics.events().expect("it has some").of::<TouchEnded>();
        assert!(ended.any(|ended| ended.other == thing.to_bits()), "it is gone from the floor");
    });
}

#[test]
fn a_state_goes_on_byte_for_byte() {
    play(|memory, project| {
        for pause in [0, 1, 40] {
            let mut play = Play::new(memory, project);
            let made = [FLOOR, CRATE, CRATE, LIFT].map(|source| play.spawn(source));
            play.update(pause);
            let state = play.saved();
            let mut other = Play::new(memory, project);
            let same = [FLOOR, CRATE, CRATE, LIFT].map(|source| other.spawn(source));
            assert_eq!(made, same);
            for entity in made {
                let pose = play.transforms.pose(entity).expect("it is there");
                other.transforms.set_pose(entity, &pose);
            }
            other.physics.load(&state).expect("it was saved");
            assert!(other.saved() == state, "what was read is what was written");
            for _ in 0..60 {
                play.update(1);
                other.update(1);
                assert!(play.saved() == other.saved(), "after a pause at {pause}");
                assert_eq!(play.physics.state_hash(), other.physics.state_hash());
            }
            assert_eq!(made.map(|of| play.at(of)), made.map(|of| other.at(of)));
            for end in (0..state.len()).step_by(61) {
                assert!(end == 0 || other.physics.load(&state[..end]).is_err(), "{end} bytes");
            }
        }
    });
}
