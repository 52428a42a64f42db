//! One step of a world.

use loligo_allocators::Allocator;
use loligo_containers::GrowError;
use rapier3d::prelude::PhysicsWorld as Simulation;

use super::marks::{body, collider};
use super::touches::{Change, Touch};
use super::{PhysicsWorld, contacts};
use crate::actor::{ActorId, FORCED};
use crate::error::PhysicsError;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Goes on by one step. Nobody is called: what has happened is in the [events](Self::events), and
    /// who has moved in [`moved`](Self::moved).
    ///
    /// # Complexity
    ///
    /// About O(actors that are awake + contacts of these). What sleeps costs nothing.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Memory`]: the step was taken, and some of its events are lost.
    pub fn step(&mut self) -> Result<(), PhysicsError> {
        self.steps = self.steps.wrapping_add(1);
        self.apply_joint_changes();
        self.drive();
        let simulation = &mut self.simulation;
        let has_lost = self.touches.listen(|events| {
            // The rest of a step is ours: a profiler sees how much that is.
            #[cfg(feature = "subsystem")]
            let _scope = loligo_monitor::current::scope(loligo_monitor::name!("rapier3d"));
            simulation.step_with_events(&(), events);
        });
        self.moved.after_step(self.steps, &self.simulation, &mut self.actors);
        self.clear_forces();
        let sent = self.send_touches(has_lost);
        sent.and(self.guard())
    }

    /// Sends the events of touches.
    fn send_touches(&mut self, has_lost: bool) -> Result<(), PhysicsError> {
        let Self { simulation, touches, actors, events, settings, .. } = self;
        let is_alive = |bits| ActorId::from_bits(bits).is_some_and(|id| actors.contains(id));
        let is_there = |parts| simulation.colliders.contains(collider(parts));
        let has_shapes = |touch: &Touch| {
            is_alive(touch.key[0])
                && is_alive(touch.key[2])
                && touch.colliders.into_iter().all(is_there)
        };
        let began = |touch: &Touch, events: &mut _| contacts::began(simulation, touch, events);
        let mut sent = touches.settle(has_shapes, events, began);
        if has_lost {
            touches.list.retain(|touch| is_touching(simulation, touch));
            let bytes = size_of::<Change>() as u64;
            sent = sent.and(Err(GrowError::Memory { elements: 1, bytes }));
        }
        if settings.stay_steps != 0 && self.steps.is_multiple_of(settings.stay_steps) {
            for touch in &touches.list {
                sent = sent.and(contacts::stayed(simulation, touch, events));
            }
        }
        Ok(sent?)
    }

    /// Forces act for one step.
    fn clear_forces(&mut self) {
        for id in self.forced.iter() {
            let Some(actor) = self.actors.get_mut(*id) else { continue };
            actor.flags &= !FORCED;
            if let Some(body) = self.simulation.bodies.get_mut(body(actor.body)) {
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
        self.forced.clear();
    }
}

/// Returns whether two shapes touch, by the simulation.
fn is_touching(simulation: &Simulation, touch: &Touch) -> bool {
    let [first, other] = touch.colliders.map(collider);
    let narrow = &simulation.narrow_phase;
    match touch.trigger() {
        Some(_) => narrow.intersection_pair(first, other).unwrap_or(false),
        None => narrow.contact_pair(first, other).is_some_and(|pair| pair.has_any_active_contact()),
    }
}
