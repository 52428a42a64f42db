//! The physics of a game as a subsystem of an engine: entities whose component `actor` says what they
//! are made of.

use core::fmt;

use loligo_allocators::{Own, SharedRef, own_dyn};
use loligo_containers::{Array, Event, EventRecord, EventStream};
use loligo_entities::{ComponentManager, Entity, EntityResource, Pose};
use loligo_ids::IdString64;
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, ResourceChange, Subsystem, SubsystemError,
    SubsystemMemory, SubsystemRow,
};
use loligo_monitor::{current, name};

use crate::collision::COLLISION_TYPE;
use crate::component::{ACTOR, ActorSource, FIELD, FieldSource, RAGDOLL, RagdollSource};
use crate::error::PhysicsError;
use crate::field::FIELD_TYPE;
use crate::impacts::IMPACTS_TYPE;
use crate::ragdoll::RAGDOLL_TYPE;
use crate::settings::{SETTINGS_TYPE, Settings};
use crate::site::RAPIER;

mod assets;
mod bodies;
mod effects;
mod forces;
#[cfg(feature = "script")]
mod functions;
mod joints;
mod messages;
mod movers;
mod outlines;
mod ragdolls;
mod rays;
mod records;
mod saved;
mod schemas;
mod vehicles;

use assets::{Assets, SETTINGS_NAME};
use bodies::Bodies;
pub use bodies::STATIC_ACTORS_AN_UPDATE;
use effects::{Effects, step_on};
use forces::Forces;
use joints::Joints;
pub use messages::{AskRay, BoneMoved, DropBones, HoldBone, ImpactDue, RayAnswered, StepOn};
use movers::Movers;
use outlines::Outlines;
pub use outlines::{BodyLine, CASTS_SEEN_MAX};
use ragdolls::Ragdolls;
use rays::Rays;
use saved::{Words, Writer};
use vehicles::Vehicles;

/// The row by which it joins an engine.
pub const ROW: SubsystemRow =
    SubsystemRow::new("physics", make).with_needs(needs).with_resource_needs(resource_needs);

/// The most steps that one update takes. What is more is dropped: a game that is slow slows down.
const STEPS_MAX: u32 = 8;

/// How much of a step may be missing, in nanoseconds: an update's length is not exact.
const SLACK: u64 = 2_000;

/// The actors of a game: one world of physics for the world of the engine.
///
/// In [`Phase::Simulate`] the world takes the steps that the time is for, sends its events, and
/// writes the poses of dynamic entities between the last two steps. Kinematic actors follow their
/// entities. An entity with an actor has no parent, unless its actor is static.
///
/// # Memory
///
/// That of [`PhysicsWorld`](crate::PhysicsWorld), and 8 bytes for each entity up to the last that has
/// an actor. A frame allocates nothing of ours once all lists have grown.
pub struct Physics<'m> {
    assets: Assets<'m>,
    bodies: Bodies<'m>,
    joints: Joints<'m>,
    movers: Movers<'m>,
    vehicles: Vehicles<'m>,
    forces: Forces<'m>,
    ragdolls: Ragdolls<'m>,
    rays: Rays<'m>,
    effects: Effects<'m>,
    /// The time that no step was taken for yet, in nanoseconds.
    time: u64,
    moved: Array<'m, Entity, SubsystemMemory<'m>>,
    poses: Array<'m, Pose, SubsystemMemory<'m>>,
    outlines: Outlines<'m>,
}

impl<'m> Physics<'m> {
    /// Returns one without actors.
    ///
    /// # Errors
    ///
    /// [`SubsystemError`] if there is no memory.
    pub fn try_new(memory: SharedRef<'m>) -> Result<Self, SubsystemError> {
        Ok(Self {
            assets: Assets::new_in(memory),
            bodies: Bodies::try_new(memory)?,
            joints: Joints::new_in(memory),
            movers: Movers::new_in(memory),
            vehicles: Vehicles::new_in(memory),
            forces: Forces::new_in(memory),
            ragdolls: Ragdolls::new_in(memory),
            rays: Rays::new_in(memory),
            effects: Effects::new_in(memory),
            time: 0,
            moved: Array::new_in(memory),
            poses: Array::new_in(memory),
            outlines: Outlines::new_in(memory),
        })
    }

    /// Has the world and all that is in it be as the settings say.
    fn set_up(&mut self) -> Result<(), SubsystemError> {
        let renewed = self.bodies.renew(&self.assets).and(self.forces.set_masks(&self.assets));
        let Some(settings) = self.assets.settings() else { return Ok(()) };
        let world = &mut self.bodies.world;
        let steps = 1.0 / (settings.stay_rate() * world.settings().step_seconds);
        world.set_stay_steps(if steps.is_finite() { (steps as u32).max(1) } else { 0 });
        let before = self.assets.settings_before().map(|before| before.gravity());
        let set = match before == Some(settings.gravity()) {
            true => Ok(()),
            false => world.set_gravity(settings.gravity()).map_err(said),
        };
        self.assets.forget_before();
        renewed.and(set)
    }

    /// Takes the steps of an update, and writes where entities are.
    fn go_on(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let mut done = self.prepare(frame);
        let seen = Effects::seen(&self.bodies);
        let length = (f64::from(self.bodies.world.settings().step_seconds) * 1e9) as u64;
        self.time = self.time.saturating_add(frame.step);
        for number in 0.. {
            if self.time + SLACK < length {
                break;
            }
            if number == STEPS_MAX {
                self.time = 0;
                break;
            }
            done = done.and(self.step_once(frame));
            self.time = self.time.saturating_sub(length);
        }
        done = done.and(self.effects.send(seen, &self.assets, &mut self.bodies));
        done = done.and(self.rays.answer(frame.worker, &mut self.bodies, &mut self.outlines));
        let share = (self.time as f32 / length as f32).clamp(0.0, 1.0);
        // Without time that is left over, what is seen is the last step.
        let share = if self.time < SLACK { 1.0 } else { share };
        self.moved.clear();
        self.poses.clear();
        let written = self.bodies.world.write_poses(share, &mut self.moved, &mut self.poses);
        self.bodies.write_places(&self.moved, &mut self.poses, share, frame.places);
        done = done.and(self.ragdolls.send(share, &mut self.bodies));
        self.count();
        done.and(written.map_err(said))
    }

    /// Makes what is new.
    fn prepare(&mut self, frame: &Frame<'_>) -> Result<(), SubsystemError> {
        let _scope = current::scope(name!("physics_prepare"));
        let places = &*frame.places;
        let mut done = self.bodies.reshape(&mut self.assets);
        done = done.and(self.bodies.prepare(&self.assets, places));
        done = done.and(self.joints.prepare(&mut self.bodies));
        done = done.and(self.vehicles.prepare(&mut self.bodies));
        done = done.and(self.ragdolls.prepare(&self.assets, &mut self.bodies));
        done.and(self.forces.prepare(&self.assets, &self.bodies, places))
    }

    fn step_once(&mut self, frame: &Frame<'_>) -> Result<(), SubsystemError> {
        let _scope = current::scope(name!("physics_step"));
        let mut done = self.bodies.follow(&*frame.places);
        done = done.and(self.movers.step(&mut self.bodies));
        done = done.and(self.forces.step(frame.worker, &mut self.bodies));
        done.and(self.bodies.world.step().map_err(said))
    }

    /// Records the numbers that graphs show, where there is something to show.
    fn count(&self) {
        let (world, waiting) = (&self.bodies.world, self.bodies.pending.len());
        if current::is_recording() && !(world.is_empty() && waiting == 0) {
            current::float(name!("physics_actors"), world.len() as f32);
            current::float(name!("physics_awake"), world.awake_count() as f32);
            current::float(name!("physics_contacts"), world.contact_count() as f32);
            current::float(name!("physics_waiting"), waiting as f32);
        }
    }
}

impl<'m> Physics<'m> {
    /// Reads all that was saved, before any of it takes the place of what is here.
    fn load_all(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        let memory = self.moved.memory();
        let mut loaded = Self::try_new(memory)?;
        if !state.is_empty() {
            let from = &mut Words { bytes: state };
            loaded.time = from.long()?;
            loaded.joints = Joints::load(from, memory)?;
            loaded.movers = Movers::load(from, memory)?;
            loaded.vehicles = Vehicles::load(from, memory)?;
            loaded.forces = Forces::load(from, memory)?;
            loaded.ragdolls = Ragdolls::load(from, memory)?;
            loaded.rays = Rays::load(from, memory)?;
            loaded.bodies = Bodies::load(from, memory)?;
        }
        // What is loaded of resources, and what is shown, is not of the state.
        core::mem::swap(&mut loaded.assets, &mut self.assets);
        let forces = core::mem::replace(&mut loaded.forces, Forces::new_in(memory));
        core::mem::swap(&mut loaded.forces, &mut self.forces);
        loaded.forces.replace(forces);
        core::mem::swap(&mut loaded.outlines, &mut self.outlines);
        loaded.outlines.forget_casts();
        *self = loaded;
        Ok(())
    }
}

impl<'m> Subsystem<'m> for Physics<'m> {
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        each(&mut self.bodies);
        each(&mut self.joints);
        each(&mut self.movers);
        each(&mut self.vehicles);
        each(&mut self.forces);
        each(&mut self.ragdolls);
    }

    fn resource_types(&self) -> &'static [&'static str] {
        &[COLLISION_TYPE, FIELD_TYPE, IMPACTS_TYPE, RAGDOLL_TYPE, SETTINGS_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        self.assets.put(change, self.bodies.memory())?;
        if change.is_of(FIELD_TYPE) {
            return self.forces.define(change.name, change.payload);
        }
        if change.is_of(SETTINGS_TYPE) { RAPIER.run(|| self.set_up()) } else { Ok(()) }
    }

    fn drop_resource(&mut self, type_hash: IdString64, name: IdString64) {
        self.assets.remove(type_hash, name);
        if type_hash == IdString64::new(FIELD_TYPE) {
            self.forces.undefine(name);
        }
    }

    fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        if !self.bodies.world.is_empty() || !self.bodies.pending.is_empty() {
            each(SETTINGS_TYPE, SETTINGS_NAME);
        }
        for pending in &self.bodies.pending {
            if let Some(name) = pending.source.collision.name() {
                each(COLLISION_TYPE, name);
            }
        }
        self.forces.needs(&mut |name| each(FIELD_TYPE, name));
        self.ragdolls.needs(&mut |name| each(RAGDOLL_TYPE, name));
    }

    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        match phase {
            Phase::Simulate => RAPIER.run(|| self.go_on(frame)),
            Phase::Listen => self.outlines.draw(&mut self.bodies.world, &self.forces.fields),
            Phase::Input | Phase::Think | Phase::Pose => Ok(()),
        }
    }

    fn schemas(&self) -> &'static [EventSchema] {
        &schemas::SCHEMAS
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(self.bodies.world.events_mut())
    }

    fn state_version(&self) -> u32 {
        2
    }

    fn obeys(&self, kind: u32) -> bool {
        [AskRay::TYPE, HoldBone::TYPE, DropBones::TYPE, StepOn::TYPE].contains(&kind)
    }

    fn command(&mut self, command: &EventRecord<'_>) -> Result<(), SubsystemError> {
        if let Some(ask) = command.get::<AskRay>() {
            return self.rays.ask(ask);
        }
        if let Some(bone) = command.get::<HoldBone>() {
            return self.ragdolls.hold(bone);
        }
        if let Some(DropBones { entity }) = command.get() {
            RAPIER.run(|| self.ragdolls.drop_bones(entity, &mut self.bodies));
            return Ok(());
        }
        match command.get::<StepOn>() {
            Some(step) => RAPIER.run(|| step_on(&step, &self.assets, &mut self.bodies)),
            None => Ok(()),
        }
    }

    fn state_hash(&self) -> u64 {
        self.bodies.hash(self.time)
    }

    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        let out = &mut Writer { out };
        out.long(self.time)?;
        self.joints.save(out)?;
        self.movers.save(out)?;
        self.vehicles.save(out)?;
        self.forces.save(out)?;
        self.ragdolls.save(out)?;
        self.rays.save(out)?;
        // It is last, since it is read to the end.
        self.bodies.save(out)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        RAPIER.run(|| self.load_all(state))
    }

    #[cfg(feature = "script")]
    fn functions(&self) -> &'static [loligo_interface::SubsystemFunction] {
        &functions::FUNCTIONS
    }

    #[cfg(feature = "script")]
    fn call(
        &mut self,
        function: usize,
        call: &mut loligo_script::Call<'_>,
    ) -> Result<(), loligo_script::ArgumentError> {
        RAPIER.run(|| functions::call(self, function, call))
    }
}

impl fmt::Debug for Physics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Physics").field("world", &self.bodies.world).finish_non_exhaustive()
    }
}

fn make(memory: SharedRef<'_>) -> Result<MadeSubsystem<'_>, SubsystemError> {
    let made = Own::new_in(Physics::try_new(memory)?, memory)?;
    Ok(own_dyn!(made => dyn Subsystem<'_> + '_))
}

/// Calls `each` with the resources that the actors of a resource name, and the settings.
fn needs(entities: &EntityResource<'_>, each: &mut dyn FnMut(&'static str, IdString64)) {
    if let Some(part) = entities.part(FIELD.name) {
        let (sources, _) = part.data.as_chunks::<{ size_of::<FieldSource>() / 4 }>();
        let names = sources.iter().map(|words| bytemuck::cast::<_, FieldSource>(*words).field);
        names.filter_map(|field| field.name()).for_each(|name| each(FIELD_TYPE, name));
    }
    if let Some(part) = entities.part(RAGDOLL.name) {
        let (sources, _) = part.data.as_chunks::<{ size_of::<RagdollSource>() / 4 }>();
        let names = sources.iter().map(|words| bytemuck::cast::<_, RagdollSource>(*words).ragdoll);
        names.filter_map(|of| of.name()).for_each(|name| each(RAGDOLL_TYPE, name));
        each(SETTINGS_TYPE, SETTINGS_NAME);
    }
    let Some(part) = entities.part(ACTOR.name) else { return };
    each(SETTINGS_TYPE, SETTINGS_NAME);
    let (sources, _) = part.data.as_chunks::<{ size_of::<ActorSource>() / 4 }>();
    for words in sources {
        if let Some(name) = bytemuck::cast::<_, ActorSource>(*words).collision.name() {
            each(COLLISION_TYPE, name);
        }
    }
}

/// Calls `each` with the table of effects that settings name.
fn resource_needs(
    type_hash: IdString64,
    payload: &[u8],
    each: &mut dyn FnMut(&'static str, IdString64),
) {
    if type_hash == IdString64::new(SETTINGS_TYPE)
        && let Some(impacts) = Settings::open(payload).ok().and_then(|settings| settings.impacts())
    {
        each(IMPACTS_TYPE, impacts);
    }
}

/// What a world refuses, as subsystems say it.
fn said(error: PhysicsError) -> SubsystemError {
    let grow = |bytes| loligo_containers::GrowError::Memory { elements: 1, bytes };
    match error {
        PhysicsError::Memory { bytes } => SubsystemError::Grow(grow(bytes)),
        PhysicsError::Shape { reason, .. } => {
            let remedy = "correct its component `actor`";
            SubsystemError::Wrong { what: reason, remedy }
        }
        PhysicsError::Number { what, .. } | PhysicsError::Kind { what, .. } => {
            let remedy = "correct the component `actor`, or the transform of its entity";
            SubsystemError::Wrong { what, remedy }
        }
        PhysicsError::Unknown { what } | PhysicsError::Full { what, .. } => {
            SubsystemError::Wrong { what, remedy: "destroy some, or forget the id" }
        }
    }
}
