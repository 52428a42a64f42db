//! Shapes and contacts as lines, to be seen.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_containers::{Event, EventStream, GrowError};

use super::PhysicsWorld;

/// The corners of the edges of a box: those that differ in one bit.
const EDGES: [(usize, usize); 12] = [
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
];

/// How long the line of a contact is, in metres.
const NORMAL: f32 = 0.25;

/// What a line of an outline is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// What is static, or kinematic.
    Still,
    /// What is dynamic and awake.
    Awake,
    /// What is dynamic and asleep.
    Asleep,
    /// A trigger.
    Trigger,
    /// What is disabled or frozen.
    Disabled,
    /// A contact, in the direction of its normal.
    Contact,
}

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Calls `each` with lines that show the world: the box around each shape, turned with it, and the
    /// contacts of what is awake. In the order of slots.
    pub fn outlines(&self, mut each: impl FnMut(Outline, Vec3, Vec3)) {
        let simulation = &self.simulation;
        for id in self.actors.ids() {
            let Ok(body) = self.body(id) else { continue };
            let kind = match () {
                () if !body.is_enabled() => Outline::Disabled,
                () if !body.is_dynamic() => Outline::Still,
                () if body.is_sleeping() => Outline::Asleep,
                () => Outline::Awake,
            };
            for collider in body.colliders() {
                let Some(collider) = simulation.colliders.get(*collider) else { continue };
                let bounds = collider.shape().compute_local_aabb();
                let corner = |at: usize| {
                    let side =
                        |axis: usize| if at >> axis & 1 == 0 { bounds.mins } else { bounds.maxs };
                    collider.position().transform_point(Vec3::new(side(0).x, side(1).y, side(2).z))
                };
                let kind = if collider.is_sensor() { Outline::Trigger } else { kind };
                EDGES.into_iter().for_each(|(from, to)| each(kind, corner(from), corner(to)));
            }
        }
        for pair in simulation.narrow_phase.contact_pairs() {
            for manifold in pair.solver_manifolds() {
                for solved in &manifold.data.solver_contacts {
                    let (one, two) =
                        manifold.data.solver_contact_world_points(solved, &simulation.bodies);
                    let at = (one + two) * 0.5;
                    each(Outline::Contact, at, at + manifold.data.normal * NORMAL);
                }
            }
        }
    }

    /// Sends an event for each line of the [outlines](Self::outlines).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory: some lines are missing.
    pub fn send_outlines<E: Event>(
        &mut self,
        make: impl Fn(Outline, Vec3, Vec3) -> E,
    ) -> Result<(), GrowError> {
        let mut events =
            core::mem::replace(&mut self.events, EventStream::new_in(self.forced.memory()));
        let mut sent = Ok(());
        self.outlines(|kind, from, to| {
            sent = sent.and_then(|()| events.try_push(make(kind, from, to)));
        });
        self.events = events;
        sent
    }
}
