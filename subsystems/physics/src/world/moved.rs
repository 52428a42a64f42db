//! Which actors have moved, and where between two steps they are.

use loligo_allocators::Allocator;
use loligo_containers::{Array, GrowError};
use loligo_entities::{Entity, Pose};
use loligo_ids::{HoleTable, Lifo, Retire};
use rapier3d::prelude::PhysicsWorld as Simulation;

use super::PhysicsWorld;
use super::marks::{actor_of, place};
use crate::actor::{Actor, ActorId, LISTED, WRITTEN};
use crate::error::PhysicsError;

/// The actors whose poses are to be written: those that were awake in the last step, and once more
/// those that were in the step before, since what was written for them was on the way.
pub(crate) struct Moved<'a, A: Allocator + ?Sized> {
    pub(crate) list: Array<'a, ActorId, A>,
}

impl<'a, A: Allocator + ?Sized> Moved<'a, A> {
    pub(crate) const fn new_in(memory: &'a A) -> Self {
        Self { list: Array::new_in(memory) }
    }

    /// Takes room for one more, so that no step needs memory for it.
    pub(crate) fn reserve(&mut self, actors: usize) -> Result<(), GrowError> {
        self.list.try_reserve((actors + 1).saturating_sub(self.list.len()))
    }

    /// Takes notice of a step. Each actor of the list has [`LISTED`], and none is in it twice, so
    /// there is room.
    pub(crate) fn after_step(
        &mut self,
        step: u32,
        simulation: &Simulation,
        actors: &mut HoleTable<'_, Actor, ActorId, Lifo, Retire, A>,
    ) {
        for handle in simulation.islands.active_bodies() {
            let Some(body) = simulation.bodies.get(handle) else { continue };
            let Some(id) = actor_of(body.user_data) else { continue };
            let Some(actor) = actors.get_mut(id) else { continue };
            actor.before = actor.now;
            actor.now = place(body.position());
            actor.awake = step;
            if !actor.has(LISTED) {
                actor.flags |= LISTED;
                if self.list.try_push(id).is_err() {
                    actor.flags &= !LISTED;
                }
            }
        }
        self.list.retain(|id| {
            let Some(actor) = actors.get_mut(*id) else { return false };
            if actor.awake == step {
                return true;
            }
            actor.before = actor.now;
            let is_last = actor.awake.wrapping_add(1) == step;
            if !is_last {
                actor.flags &= !LISTED;
            }
            is_last
        });
    }
}

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Returns the actors that have moved in the last step or were put elsewhere since, and once more
    /// those that have come to rest.
    #[must_use]
    pub fn moved(&self) -> &[ActorId] {
        &self.moved.list
    }

    /// Returns `true` if an actor is one of those that have [moved](Self::moved).
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn has_moved(&self, id: ActorId) -> Result<bool, PhysicsError> {
        Ok(self.actor(id)?.has(LISTED))
    }

    /// Returns `true` if the pose of an actor is written for its entity.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn is_written(&self, id: ActorId) -> Result<bool, PhysicsError> {
        Ok(self.actor(id)?.has(WRITTEN))
    }

    /// Sets whether the pose of an actor is written for its entity: for a kinematic one that
    /// [walks](Self::walk), say.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn set_written(&mut self, id: ActorId, is_written: bool) -> Result<(), PhysicsError> {
        let actor = self.actors.get_mut(id).ok_or(PhysicsError::Unknown { what: "actor" })?;
        actor.flags = actor.flags & !WRITTEN | if is_written { WRITTEN } else { 0 };
        Ok(())
    }

    /// Appends the entities of the actors that have [moved](Self::moved), without those whose poses are
    /// [not written](Self::is_written), and where they are `share` of a step after the one before
    /// the last: 0 is where they were, 1 where they are.
    ///
    /// What was [put elsewhere](Self::teleport) is there for any `share`.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if `share` is not from 0 to 1, or there is no memory.
    pub fn write_poses<B: Allocator + ?Sized, C: Allocator + ?Sized>(
        &self,
        share: f32,
        entities: &mut Array<'_, Entity, B>,
        poses: &mut Array<'_, Pose, C>,
    ) -> Result<(), PhysicsError> {
        crate::checked::number("the share of a step", share, 0.0..=1.0, "0 to 1")?;
        entities.try_reserve(self.moved.list.len())?;
        poses.try_reserve(self.moved.list.len())?;
        for actor in self.moved.list.iter().filter_map(|&id| self.actors.get(id)) {
            let Some(entity) = Entity::from_bits(actor.entity) else { continue };
            if actor.has(WRITTEN) {
                entities.try_push(entity)?;
                poses.try_push(between(actor, share))?;
            }
        }
        Ok(())
    }

    /// Returns where an actor is `share` of a step after the one before the last.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if the id names no actor.
    pub fn pose_between(&self, id: ActorId, share: f32) -> Result<Pose, PhysicsError> {
        Ok(between(self.actor(id)?, share))
    }
}

fn between(actor: &Actor, share: f32) -> Pose {
    let (before, now) = (actor.before.pose(actor.scale), actor.now.pose(actor.scale));
    if share >= 1.0 || actor.before == actor.now {
        return now;
    }
    Pose {
        position: before.position.lerp(now.position, share),
        rotation: before.rotation.lerp(now.rotation, share),
        scale: now.scale,
    }
}
