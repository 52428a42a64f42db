//! A game of physics alone, without an engine: resources come, entities are spawned, steps are taken.

use glam::{Affine3A, Vec3};
use loligo_allocators::{Allocator as _, HeapAllocator, Locked, PageAllocator, SharedRef};
use loligo_containers::{Array, BlobBytes, Event, EventStream};
use loligo_entities::compile::{ComponentCompiler, TransformCompiler, compile};
use loligo_entities::{
    ComponentManager, Components, Entities, Entity, EntityResource, Pose, Transforms, Unknown,
};
use loligo_ids::IdString64;
use loligo_interface::{Frame, Phase, Places, ResourceChange, Subsystem, SubsystemError};
use loligo_physics::Physics;
use loligo_tasks::{Settings, Tasks};

use crate::project::TestProject;

pub(crate) const SETTINGS: &str = r#"
stay_rate = 4
groups = { ground = { meets = "*" } thing = { meets = "*" } }
materials = { stone = { friction = 0.8 density = 2600 } wood = { friction = 0.5 density = 600 } }
shapes = {
    floor = { material = "stone" group = "ground" silent = true }
    box = { material = "wood" group = "thing" }
}
actors = { floor = { kind = "static" } box = { kind = "dynamic" } lift = { kind = "kinematic" } }
"#;

pub(crate) const CRATE: &str = r#"components = {
    transform = { position = [ 0 3 0 ] } actor = { collision = "crate" template = "box" velocity = [ 1 0 0 ] }
}"#;
pub(crate) const FLOOR: &str = r#"components = {
    transform = { position = [ 0 -0.5 0 ] } actor = { collision = "floor" template = "floor" }
}"#;
pub(crate) const LIFT: &str = r#"components = {
    transform = { position = [ 9 1 0 ] } actor = { collision = "crate" template = "lift" }
}"#;

/// Sets where entities are, as an engine does.
struct Placed<'p, 'm>(&'p mut Transforms<'m>);

impl Places for Placed<'_, '_> {
    fn pose(&self, entity: Entity) -> Option<Pose> {
        self.0.pose(entity)
    }

    fn parent(&self, entity: Entity) -> Option<Entity> {
        self.0.parent(entity)
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
pub(crate) struct Play<'m> {
    pub(crate) physics: Physics<'m>,
    pub(crate) transforms: Transforms<'m>,
    pub(crate) entities: Entities<'m>,
    memory: SharedRef<'m>,
    /// What the last updates refused.
    pub(crate) errors: Vec<SubsystemError>,
    updates: u64,
    /// How many threads help.
    pub(crate) workers: u32,
}

impl<'m> Play<'m> {
    pub(crate) fn new(memory: SharedRef<'m>, project: &TestProject) -> Self {
        let physics = Physics::try_new(memory).expect("there is memory");
        let (transforms, entities) = (Transforms::new(memory), Entities::new(memory));
        let errors = Vec::new();
        let mut play =
            Self { physics, transforms, entities, memory, errors, updates: 0, workers: 0 };
        for (type_name, name) in project.resources() {
            play.give(project, &type_name, &name, false);
        }
        play
    }

    /// Hands a resource to the subsystem.
    pub(crate) fn give(
        &mut self,
        project: &TestProject,
        type_name: &str,
        name: &str,
        is_changed: bool,
    ) {
        let payload = project.payload(type_name, name);
        let payload = BlobBytes::try_copy(&payload, self.memory).expect("there is memory");
        let change = ResourceChange {
            type_hash: IdString64::new(type_name),
            name: IdString64::new(name),
            debug_name: name,
            payload: &payload,
            is_changed,
        };
        self.physics.resource(&change).expect("it was compiled");
    }

    /// Spawns a source, and returns its first entity.
    pub(crate) fn spawn(&mut self, source: &str) -> Entity {
        self.spawn_all(source)[0]
    }

    /// Spawns a source, and returns all of its entities.
    pub(crate) fn spawn_all(&mut self, source: &str) -> Vec<Entity> {
        let own = loligo_physics::compile::components();
        let mut compilers: Vec<&dyn ComponentCompiler> = vec![&TransformCompiler];
        compilers.extend(own.iter().map(|own| &**own as &dyn ComponentCompiler));
        let bytes = compile("test", source.as_bytes(), &[][..], &compilers, self.memory);
        let bytes = bytes.unwrap_or_else(|error| panic!("{error}"));
        let resource = EntityResource::open(&bytes).expect("it was compiled");
        let Self { physics, transforms, entities, .. } = self;
        let mut managers: Vec<&mut dyn ComponentManager> = vec![transforms];
        physics.managers(&mut |manager| managers.push(manager));
        let mut components = Components::new(&mut managers).expect("each is there once");
        let poses = [Pose::IDENTITY];
        let spawned = entities.spawn(&resource, &poses, &mut components, Unknown::Refuse);
        spawned.expect("there is memory").to_vec()
    }

    pub(crate) fn destroy(&mut self, gone: &[Entity]) {
        let Self { physics, transforms, entities, .. } = self;
        let mut managers: Vec<&mut dyn ComponentManager> = vec![transforms];
        physics.managers(&mut |manager| managers.push(manager));
        entities.destroy(gone, &mut Components::new(&mut managers).expect("each is there once"));
    }

    /// Takes updates, none of which is refused.
    pub(crate) fn update(&mut self, count: usize) {
        self.try_update(count);
        assert_eq!(self.errors, [], "all is right");
    }

    /// Takes updates; what they refuse is in `errors`.
    pub(crate) fn try_update(&mut self, count: usize) {
        self.errors.clear();
        let pages = PageAllocator::new("pages");
        let settings = Settings { workers: Some(self.workers), ..Settings::default() };
        let mut tasks = Tasks::try_new(&settings, &pages).expect("there is memory");
        tasks.run(|main| {
            for _ in 0..count {
                let places = &mut Placed(&mut self.transforms);
                let (number, step) = (self.updates, 16_666_667);
                let now = number * step;
                let mut frame = Frame { number, now, step, worker: main, places, views: &[] };
                if let Err(error) = self.physics.step(Phase::Simulate, &mut frame) {
                    self.errors.push(error);
                }
                self.updates += 1;
            }
        });
    }

    /// Asks for something.
    pub(crate) fn command<E: Event>(&mut self, command: E) {
        let mut stream = EventStream::new_in(self.memory);
        stream.try_push(command).expect("there is memory");
        for command in &stream {
            self.physics.command(&command).expect("all is right");
        }
    }

    /// Takes the events of a type that have happened, and drops all others.
    pub(crate) fn events<E: Event>(&mut self) -> Vec<E> {
        let events = self.physics.events().expect("it has some");
        let of = events.of::<E>().collect();
        events.clear();
        of
    }

    pub(crate) fn at(&self, entity: Entity) -> Vec3 {
        self.transforms.pose(entity).expect("it is there").position
    }

    pub(crate) fn saved(&self) -> Vec<u8> {
        let mut out = Array::new_in(self.memory);
        self.physics.save(&mut out).expect("there is memory");
        out.to_vec()
    }
}

/// Runs a test with the project of this file.
pub(crate) fn play(test: impl FnOnce(SharedRef<'_>, &TestProject)) {
    play_with(&[], test);
}

/// Runs a test with the project of this file and more sources.
pub(crate) fn play_with(more: &[(&str, &[u8])], test: impl FnOnce(SharedRef<'_>, &TestProject)) {
    let has_impacts = more.iter().any(|(name, _)| *name == "game.impacts");
    let named = if has_impacts { "impacts = \"game\"" } else { "" };
    let settings = format!("{named}{SETTINGS}");
    let mut files = vec![
        ("game.physics", settings.as_bytes()),
        (
            "crate.collision",
            &br#"settings = "game" shapes = [ { template = "box" box = [ 1 1 1 ] } ]"#[..],
        ),
        (
            "floor.collision",
            &br#"settings = "game" shapes = [ { template = "floor" box = [ 40 1 40 ] } ]"#[..],
        ),
    ];
    files.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    files.extend_from_slice(more);
    let project = TestProject::new(&files);
    project.compile().expect("it is right");
    let pages = PageAllocator::new("pages");
    let heap = Locked::new(HeapAllocator::new_in("physics", &pages));
    test(&heap, &project);
    assert_eq!(heap.stats().live, 0, "all memory is given back");
}
