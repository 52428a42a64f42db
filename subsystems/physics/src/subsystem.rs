//! The physics of a game as a subsystem of an engine: entities whose component `actor` says what they
//! are made of.

use core::fmt;

use loligo_allocators::{CallSite, Own, SharedRef, own_dyn};
use loligo_containers::{Array, EventStream};
use loligo_entities::{ComponentManager, Entity, EntityResource, Pose};
use loligo_ids::IdString64;
use loligo_interface::{
    EventSchema, Frame, MadeSubsystem, Phase, ResourceChange, Subsystem, SubsystemError,
    SubsystemMemory, SubsystemRow,
};

use crate::collision::COLLISION_TYPE;
use crate::component::{ACTOR, ActorSource};
use crate::error::PhysicsError;
use crate::settings::SETTINGS_TYPE;

mod assets;
mod bodies;
#[cfg(feature = "script")]
mod functions;
mod outlines;
mod saved;
mod schemas;

use assets::{Assets, SETTINGS_NAME};
use bodies::Bodies;
pub use outlines::BodyLine;

/// The row by which it joins an engine.
pub const ROW: SubsystemRow = SubsystemRow::new("physics", make).with_needs(needs);

/// Where the simulation calls the global heap, which it knows alone: for the table of an engine.
pub static RAPIER: CallSite = CallSite::new("rapier3d");

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
    /// The time that no step was taken for yet, in nanoseconds.
    time: u64,
    moved: Array<'m, Entity, SubsystemMemory<'m>>,
    poses: Array<'m, Pose, SubsystemMemory<'m>>,
    are_outlines_shown: bool,
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
            time: 0,
            moved: Array::new_in(memory),
            poses: Array::new_in(memory),
            are_outlines_shown: false,
        })
    }

    /// Has the world be as the settings say. What is there keeps its filters and surfaces.
    fn set_up(&mut self) -> Result<(), SubsystemError> {
        let Some(settings) = self.assets.settings() else { return Ok(()) };
        let world = &mut self.bodies.world;
        let steps = 1.0 / (settings.stay_rate() * world.settings().step_seconds);
        world.set_stay_steps(if steps.is_finite() { (steps as u32).max(1) } else { 0 });
        world.set_gravity(settings.gravity()).map_err(said)
    }

    /// Takes the steps of an update, and writes where entities are.
    fn go_on(&mut self, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        let prepared = self.bodies.prepare(&self.assets, frame.places);
        let length = (f64::from(self.bodies.world.settings().step_seconds) * 1e9) as u64;
        self.time = self.time.saturating_add(frame.step);
        let mut stepped = Ok(());
        for number in 0.. {
            if self.time + SLACK < length {
                break;
            }
            if number == STEPS_MAX {
                self.time = 0;
                break;
            }
            self.bodies.follow(frame.places)?;
            stepped = stepped.and(self.bodies.world.step());
            self.time = self.time.saturating_sub(length);
        }
        let share = (self.time as f32 / length as f32).clamp(0.0, 1.0);
        // Without time that is left over, what is seen is the last step.
        let share = if self.time < SLACK { 1.0 } else { share };
        self.moved.clear();
        self.poses.clear();
        let written = self.bodies.world.write_poses(share, &mut self.moved, &mut self.poses);
        frame.places.set_poses(&self.moved, &self.poses);
        prepared.and(stepped.and(written).map_err(said))
    }
}

impl<'m> Subsystem<'m> for Physics<'m> {
    fn managers<'s>(&'s mut self, each: &mut dyn FnMut(&'s mut (dyn ComponentManager + 's))) {
        each(&mut self.bodies);
    }

    fn resource_types(&self) -> &'static [&'static str] {
        &[COLLISION_TYPE, SETTINGS_TYPE]
    }

    fn resource(&mut self, change: &ResourceChange<'_>) -> Result<(), SubsystemError> {
        self.assets.put(change, self.bodies.memory())?;
        if change.is_of(SETTINGS_TYPE) { RAPIER.run(|| self.set_up()) } else { Ok(()) }
    }

    fn drop_resource(&mut self, type_hash: IdString64, name: IdString64) {
        self.assets.remove(type_hash, name);
    }

    fn needs(&self, each: &mut dyn FnMut(&'static str, IdString64)) {
        for pending in &self.bodies.pending {
            each(SETTINGS_TYPE, SETTINGS_NAME);
            if let Some(name) = pending.source.collision.name() {
                each(COLLISION_TYPE, name);
            }
        }
    }

    fn step(&mut self, phase: Phase, frame: &mut Frame<'_>) -> Result<(), SubsystemError> {
        match phase {
            Phase::Simulate => RAPIER.run(|| self.go_on(frame)),
            Phase::Listen if self.are_outlines_shown => Ok(outlines::draw(&mut self.bodies.world)?),
            Phase::Input | Phase::Think | Phase::Pose | Phase::Listen => Ok(()),
        }
    }

    fn schemas(&self) -> &'static [EventSchema] {
        &schemas::SCHEMAS
    }

    fn events(&mut self) -> Option<&mut EventStream<'m, SubsystemMemory<'m>>> {
        Some(self.bodies.world.events_mut())
    }

    fn state_version(&self) -> u32 {
        1
    }

    fn state_hash(&self) -> u64 {
        self.bodies.hash(self.time)
    }

    fn save(&self, out: &mut Array<'m, u8, SubsystemMemory<'m>>) -> Result<(), SubsystemError> {
        saved::save(&self.bodies, self.time, out)
    }

    fn load(&mut self, state: &[u8]) -> Result<(), SubsystemError> {
        RAPIER.run(|| {
            (self.bodies, self.time) = saved::load(state, self.moved.memory())?;
            Ok(())
        })
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
    let Some(part) = entities.part(ACTOR.name) else { return };
    each(SETTINGS_TYPE, SETTINGS_NAME);
    let (sources, _) = part.data.as_chunks::<{ size_of::<ActorSource>() / 4 }>();
    for words in sources {
        if let Some(name) = bytemuck::cast::<_, ActorSource>(*words).collision.name() {
            each(COLLISION_TYPE, name);
        }
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
