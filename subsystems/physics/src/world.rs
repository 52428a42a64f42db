//! A world of actors.

use core::fmt;

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Array, EventStream};
use loligo_ids::{HoleTable, Lifo, Retire};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld as Simulation};

use crate::actor::{Actor, ActorId};
use crate::error::PhysicsError;
use crate::joint::{Joint, JointId};
use crate::vehicle::{Vehicle, VehicleId};
use crate::world_settings::WorldSettings;

mod accelerations;
mod actors;
mod bodies;
mod casts;
mod contacts;
mod forms;
mod guard;
mod joint_changes;
mod joints;
pub(crate) mod marks;
mod moved;
mod outlines;
mod shapes;
mod snapshot;
mod step;
mod touches;
mod vehicles;
mod walks;

pub use accelerations::FieldActors;
use joint_changes::JointChanges;
use moved::Moved;
pub use outlines::Outline;
pub use snapshot::SnapshotError;
use touches::Touches;
use vehicles::Controllers;

/// A world of actors: stepped by a fixed length, with everything named by ids.
///
/// # Memory
///
/// What is ours comes from the allocator: 107 bytes an actor, and what the lists of events,
/// touches and moved actors need. The simulation (rapier3d) takes its memory from the global heap,
/// since it knows no other: about 20 KiB for a box in a heap of boxes. The example `memory` prints
/// both.
///
/// # Threads
///
/// A step is on the thread that calls it, and depends on nothing but the calls before it. Casts need
/// `&self` alone, so all threads can cast between steps.
///
/// # Examples
///
/// ```
/// use glam::Vec3;
/// use loligo_allocators::{HeapAllocator, PageAllocator};
/// use loligo_entities::Pose;
/// use loligo_physics::{ActorDescription, ActorKind, Geometry, PhysicsWorld, Shape, WorldSettings};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("physics", &pages);
/// let mut world = PhysicsWorld::new(WorldSettings::default(), &heap)?;
/// let ball = [Shape::new(Geometry::Sphere { radius: 0.5 })];
/// let at = Pose::at(Vec3::new(0.0, 100.0, 0.0));
/// let ball = world.create_actor(&ActorDescription::new(ActorKind::Dynamic, at, &ball))?;
/// for _ in 0..60 {
///     world.step()?;
/// }
/// let fallen = 100.0 - world.pose(ball)?.position.y;
/// assert!((fallen - 9.81 / 2.0).abs() < 0.1, "{fallen} m in a second");
/// # Ok::<(), loligo_physics::PhysicsError>(())
/// ```
pub struct PhysicsWorld<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    simulation: Simulation,
    actors: HoleTable<'a, Actor, ActorId, Lifo, Retire, A>,
    joints: HoleTable<'a, Joint, JointId, Lifo, Retire, A>,
    /// What becomes of joints at the beginning of the next step.
    joint_changes: JointChanges,
    vehicles: HoleTable<'a, Vehicle, VehicleId, Lifo, Retire, A>,
    controllers: Controllers,
    moved: Moved<'a, A>,
    touches: Touches<'a, A>,
    /// Those on which a force acts in the next step.
    forced: Array<'a, ActorId, A>,
    /// Empty, with memory for the shapes of an actor that is created.
    made: Array<'a, ColliderBuilder, A>,
    events: EventStream<'a, A>,
    settings: WorldSettings,
    /// How many steps there were.
    steps: u32,
}

impl<'a> PhysicsWorld<'a> {
    /// Makes an empty world.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if a setting is out of its range.
    pub fn new(
        settings: WorldSettings,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, PhysicsError> {
        Self::new_in(settings, memory)
    }
}

impl<'a, A: Allocator + ?Sized> PhysicsWorld<'a, A> {
    /// As [`new`](PhysicsWorld::new), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new`](PhysicsWorld::new).
    pub fn new_in(settings: WorldSettings, memory: &'a A) -> Result<Self, PhysicsError> {
        settings.check()?;
        let mut simulation = Simulation::new();
        simulation.integration_parameters.dt = settings.step_seconds;
        simulation.integration_parameters.num_solver_iterations = settings.solver_rounds as usize;
        simulation.gravity = settings.gravity;
        Ok(Self {
            simulation,
            actors: HoleTable::new_in(memory),
            joints: HoleTable::new_in(memory),
            joint_changes: JointChanges::new(),
            vehicles: HoleTable::new_in(memory),
            controllers: Controllers::new(),
            moved: Moved::new_in(memory),
            touches: Touches::new_in(memory),
            forced: Array::new_in(memory),
            made: Array::new_in(memory),
            events: EventStream::new_in(memory),
            settings,
            steps: 0,
        })
    }

    /// Returns what it was made with, and the gravity of now.
    #[must_use]
    pub const fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Returns how many steps there were; after 2^32 it begins again at 0.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// Changes the gravity, and wakes all.
    ///
    /// # Complexity
    ///
    /// O(actors).
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if it is not finite.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), PhysicsError> {
        crate::checked::finite("the gravity", gravity)?;
        if gravity != self.settings.gravity {
            self.settings.gravity = gravity;
            self.simulation.gravity = gravity;
            self.simulation.wake_up_all(true);
        }
        Ok(())
    }

    /// Sets after how many steps a touch that goes on is reported again; 0 for never.
    pub const fn set_stay_steps(&mut self, steps: u32) {
        self.settings.stay_steps = steps;
    }

    /// Returns the events since they were emptied, in the order of the steps, and within a step
    /// sorted by actors and shapes.
    #[must_use]
    pub const fn events(&self) -> &EventStream<'a, A> {
        &self.events
    }

    /// Returns the events, to be taken or emptied.
    #[must_use]
    pub const fn events_mut(&mut self) -> &mut EventStream<'a, A> {
        &mut self.events
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for PhysicsWorld<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhysicsWorld")
            .field("actors", &self.actors.len())
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}
