//! Actors that are taken out of the simulation, since their numbers would spoil those of others.

use loligo_allocators::Allocator;
use rapier3d::prelude::RigidBodyHandle;

use super::PhysicsWorld;
use super::marks::{actor_of, place};
use crate::actor::FROZEN;
use crate::error::PhysicsError;
use crate::events::{Frozen, FrozenReason};

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Freezes what has lost its numbers in the step, which the simulation has put back to where it
    /// was, and what is too far away.
    pub(super) fn guard(&mut self) -> Result<(), PhysicsError> {
        let mut sent = Ok(());
        for at in 0..self.simulation.quarantine().bodies().len() {
            let handle = self.simulation.quarantine().bodies()[at];
            sent = sent.and(self.freeze(handle, FrozenReason::NotANumber));
        }
        for at in 0..self.moved.list.len() {
            let Some(actor) = self.actors.get(self.moved.list[at]) else { continue };
            let [x, y, z] = actor.now.position.map(f32::abs);
            if x.max(y).max(z) > self.settings.far && !actor.has(FROZEN) {
                let handle = super::marks::body(actor.body);
                sent = sent.and(self.freeze(handle, FrozenReason::TooFar));
            }
        }
        sent
    }

    fn freeze(
        &mut self,
        handle: RigidBodyHandle,
        reason: FrozenReason,
    ) -> Result<(), PhysicsError> {
        let Some(body) = self.simulation.bodies.get_mut(handle) else { return Ok(()) };
        body.set_enabled(false);
        let Some(id) = actor_of(body.user_data) else { return Ok(()) };
        let Some(actor) = self.actors.get_mut(id) else { return Ok(()) };
        actor.now = place(body.position());
        self.refresh_joints(id);
        let Some(actor) = self.actors.get_mut(id) else { return Ok(()) };
        if actor.has(FROZEN) {
            return Ok(());
        }
        actor.flags |= FROZEN;
        let frozen = Frozen {
            entity: actor.entity,
            actor: id.to_bits(),
            reason: reason as u32,
            at: actor.now.position,
        };
        Ok(self.events.try_push(frozen)?)
    }
}
