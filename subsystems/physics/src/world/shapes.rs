//! Actors that get other shapes.

use loligo_allocators::Allocator;
use loligo_containers::Array;
use rapier3d::prelude::PhysicsWorld as Simulation;

use super::PhysicsWorld;
use crate::actor::{ActorDescription, ActorId, Shape};
use crate::error::PhysicsError;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Gives an actor other shapes, in its scale. Where it is, how it moves and its joints stay. It
    /// weighs what is said, or what the densities of its shapes make, and is awake.
    ///
    /// The next step ends what it does not touch any more. A touch of the same two shapes, by number, that
    /// goes on with the new ones neither ends nor begins.
    ///
    /// # Complexity
    ///
    /// As [`create_actor`](Self::create_actor).
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, the shapes or the mass are refused, or there is no
    /// memory. Nothing has changed.
    pub fn set_shapes(
        &mut self,
        id: ActorId,
        shapes: &[Shape<'_>],
        mass: Option<f32>,
    ) -> Result<(), PhysicsError> {
        let handle = self.handle(id)?;
        let (entity, kind, pose) = (self.actor(id)?.entity, self.kind(id)?, self.pose(id)?);
        let description = ActorDescription { mass, ..ActorDescription::new(kind, pose, shapes) };
        let mut made = Array::new_in(self.moved.list.memory());
        self.make_shapes(&description, &mut made)?;
        let body = self.body(id)?;
        let (centre, velocity, turning) = (body.center_of_mass(), body.linvel(), body.angvel());
        let is_enabled = body.is_enabled();
        // New ones in place of old ones: the simulation would keep contact points of a form that is
        // replaced. From the last one on, since the last one takes the place of one that is taken out.
        let simulation = &mut self.simulation;
        let last = |body: Option<&rapier3d::prelude::RigidBody>| body?.colliders().last().copied();
        while let Some(shape) = last(simulation.bodies.get(handle)) {
            if simulation.remove_collider(shape).is_none() {
                break;
            }
        }
        self.touches.has_lost_shapes = true;
        self.insert_shapes(id, entity, handle, &mut made);
        // The simulation would take the mass of the old ones away with its next step only.
        let Simulation { bodies, colliders, .. } = &mut self.simulation;
        if let Some(body) = bodies.get_mut(handle) {
            body.recompute_mass_properties_from_colliders(colliders);
        }
        let body = self.body_mut(id)?;
        if body.is_dynamic() {
            // It moves on as a whole, seen from another centre of mass.
            let way = body.center_of_mass() - centre;
            body.set_linvel(velocity + turning.cross(way), true);
        }
        if !is_enabled {
            // Said again, so that it reaches the new shapes.
            body.set_enabled(true);
            body.set_enabled(false);
        }
        self.wake(id)
    }
}
