//! How an actor moves.

use glam::Vec3;
use loligo_allocators::Allocator;
use loligo_entities::Pose;
use rapier3d::prelude::{RigidBody, RigidBodyActivation};

use super::PhysicsWorld;
use super::marks::{place, placement};
use crate::actor::{ActorId, FORCED, FROZEN, LISTED};
use crate::checked::{finite, number, pose};
use crate::error::PhysicsError;
use crate::settings::ActorKind;

impl<A: Allocator + ?Sized> PhysicsWorld<'_, A> {
    /// Returns where an actor is.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn pose(&self, id: ActorId) -> Result<Pose, PhysicsError> {
        let actor = self.actor(id)?;
        Ok(actor.now.pose(actor.scale))
    }

    /// Puts an actor elsewhere, at once: no place between is passed, what it touched there ends, and
    /// it has the speed that it had. What was frozen is back in the simulation, at rest. The scale
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, or the pose is not finite.
    pub fn teleport(&mut self, id: ActorId, to: &Pose) -> Result<(), PhysicsError> {
        let to = pose(to)?;
        let steps = self.steps;
        let body = self.body_mut(id)?;
        body.set_position(placement(&to), true);
        let here = place(body.position());
        if self.actor(id)?.has(FROZEN) {
            self.body_mut(id)?.set_enabled(true);
            self.refresh_joints(id);
        }
        let Some(actor) = self.actors.get_mut(id) else { return Ok(()) };
        (actor.before, actor.now, actor.awake) = (here, here, steps);
        actor.flags &= !FROZEN;
        if !actor.has(LISTED) {
            actor.flags |= LISTED;
            self.moved.list.try_push(id)?;
        }
        Ok(())
    }

    /// Has a kinematic actor be at a pose after the next step; it pushes what is in its way, and what
    /// is on it is carried along.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or the pose is not finite.
    pub fn move_to(&mut self, id: ActorId, to: &Pose) -> Result<(), PhysicsError> {
        let to = pose(to)?;
        if self.actor(id)?.kind() != ActorKind::Kinematic {
            return Err(PhysicsError::Kind {
                what: "moving an actor by the game",
                must: "kinematic ones",
            });
        }
        self.body_mut(id)?.set_next_kinematic_position(placement(&to));
        Ok(())
    }

    /// Returns the speed of an actor's centre of mass, in metres a second.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn velocity(&self, id: ActorId) -> Result<Vec3, PhysicsError> {
        Ok(self.body(id)?.linvel())
    }

    /// Returns how an actor turns, in radians a second around the axis.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn turning(&self, id: ActorId) -> Result<Vec3, PhysicsError> {
        Ok(self.body(id)?.angvel())
    }

    /// Returns the speed of the point of an actor that is at a place.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn velocity_at(&self, id: ActorId, at: Vec3) -> Result<Vec3, PhysicsError> {
        Ok(self.body(id)?.velocity_at_point(at))
    }

    /// Sets the speed of a dynamic actor.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or the speed not finite.
    pub fn set_velocity(&mut self, id: ActorId, velocity: Vec3) -> Result<(), PhysicsError> {
        finite("the speed", velocity)?;
        self.dynamic("setting a speed", id)?.set_linvel(velocity, true);
        Ok(())
    }

    /// Sets how a dynamic actor turns.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or the turning not finite.
    pub fn set_turning(&mut self, id: ActorId, turning: Vec3) -> Result<(), PhysicsError> {
        finite("the turning", turning)?;
        self.dynamic("setting a turning", id)?.set_angvel(turning, true);
        Ok(())
    }

    /// Gives a dynamic actor an impulse, in newton seconds: at a place, or at its centre of mass.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or a number not finite.
    pub fn add_impulse(
        &mut self,
        id: ActorId,
        impulse: Vec3,
        at: Option<Vec3>,
    ) -> Result<(), PhysicsError> {
        finite("the impulse", impulse)?;
        finite("the place of the impulse", at.unwrap_or(Vec3::ZERO))?;
        let body = self.dynamic("an impulse", id)?;
        match at {
            Some(at) => body.apply_impulse_at_point(impulse, at, true),
            None => body.apply_impulse(impulse, true),
        }
        Ok(())
    }

    /// Gives a dynamic actor an impulse that turns it, in newton metre seconds.
    ///
    /// # Errors
    ///
    /// As [`add_impulse`](Self::add_impulse).
    pub fn add_turning_impulse(&mut self, id: ActorId, impulse: Vec3) -> Result<(), PhysicsError> {
        finite("the impulse", impulse)?;
        self.dynamic("an impulse", id)?.apply_torque_impulse(impulse, true);
        Ok(())
    }

    /// Has a force act on a dynamic actor in the next step, in newton: at a place, or at its centre
    /// of mass. Several add up.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or a number not finite.
    pub fn add_force(
        &mut self,
        id: ActorId,
        force: Vec3,
        at: Option<Vec3>,
    ) -> Result<(), PhysicsError> {
        finite("the force", force)?;
        finite("the place of the force", at.unwrap_or(Vec3::ZERO))?;
        let body = self.dynamic("a force", id)?;
        match at {
            Some(at) => body.add_force_at_point(force, at, true),
            None => body.add_force(force, true),
        }
        self.note_force(id)
    }

    /// As [`add_force`](Self::add_force) at the centre of mass, and lets the actor fall asleep under it.
    pub(super) fn push_awake(&mut self, id: ActorId, force: Vec3) -> Result<(), PhysicsError> {
        self.dynamic("a force", id)?.add_force(force, false);
        self.note_force(id)
    }

    /// Has a force act in the next step that turns a dynamic actor, in newton metres.
    ///
    /// # Errors
    ///
    /// As [`add_force`](Self::add_force).
    pub fn add_torque(&mut self, id: ActorId, torque: Vec3) -> Result<(), PhysicsError> {
        finite("the force", torque)?;
        self.dynamic("a force", id)?.add_torque(torque, true);
        self.note_force(id)
    }

    /// Returns what a dynamic actor weighs, in kilograms; 0 for others.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn mass(&self, id: ActorId) -> Result<f32, PhysicsError> {
        let body = self.body(id)?;
        Ok(if body.is_dynamic() { body.mass() } else { 0.0 })
    }

    /// Sets what a dynamic actor weighs: the densities of its shapes change by one factor.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or the mass is refused.
    pub fn set_mass(&mut self, id: ActorId, mass: f32) -> Result<(), PhysicsError> {
        number("the mass", mass, 1e-6..=1e12, "0.000001 to 1e12 kilograms")?;
        let factor = mass / self.dynamic("setting a mass", id)?.mass();
        let handle = self.handle(id)?;
        let simulation = &mut self.simulation;
        let Some(body) = simulation.bodies.get_mut(handle) else { return Ok(()) };
        for collider in body.colliders() {
            if let Some(collider) = simulation.colliders.get_mut(*collider) {
                collider.set_density(collider.density() * factor);
            }
        }
        body.recompute_mass_properties_from_colliders(&simulation.colliders);
        body.wake_up(true);
        Ok(())
    }

    /// Sets what gravity is multiplied by for a dynamic actor.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or the number is refused.
    pub fn set_gravity_scale(&mut self, id: ActorId, scale: f32) -> Result<(), PhysicsError> {
        number("the scale of gravity", scale, -1e6..=1e6, "-1e6 to 1e6")?;
        self.dynamic("scaling gravity", id)?.set_gravity_scale(scale, true);
        Ok(())
    }

    /// Sets the shares of its speed and of its turning that a dynamic actor loses, a second.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, it is of another kind, or a number is refused.
    pub fn set_damping(&mut self, id: ActorId, damping: [f32; 2]) -> Result<(), PhysicsError> {
        for damping in damping {
            number("the damping", damping, 0.0..=1e6, "0 to 1e6")?;
        }
        let body = self.dynamic("damping", id)?;
        body.set_linear_damping(damping[0]);
        body.set_angular_damping(damping[1]);
        Ok(())
    }

    /// Sets whether a dynamic actor is not to sleep at all.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, or it is of another kind.
    pub fn set_sleepless(&mut self, id: ActorId, is_sleepless: bool) -> Result<(), PhysicsError> {
        *self.dynamic("sleeping", id)?.activation_mut() = match is_sleepless {
            true => RigidBodyActivation::cannot_sleep(),
            false => RigidBodyActivation::active(),
        };
        self.wake(id)
    }

    /// Sets whether an actor's way within a step is checked against all that moves.
    ///
    /// # Errors
    ///
    /// [`PhysicsError`] if there is no such actor, or it is of another kind.
    pub fn set_continuous(&mut self, id: ActorId, is_continuous: bool) -> Result<(), PhysicsError> {
        self.dynamic("checking a way", id)?.enable_ccd(is_continuous);
        Ok(())
    }

    /// Wakes an actor, and what it is in touch with.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn wake(&mut self, id: ActorId) -> Result<(), PhysicsError> {
        let handle = self.handle(id)?;
        self.simulation.wake_up(handle, true);
        Ok(())
    }

    /// Returns `true` if an actor has come to rest, together with all that it touches, and is not
    /// computed until something wakes it.
    ///
    /// # Errors
    ///
    /// [`PhysicsError::Unknown`].
    pub fn is_asleep(&self, id: ActorId) -> Result<bool, PhysicsError> {
        Ok(self.body(id)?.is_sleeping())
    }

    fn dynamic(&mut self, what: &'static str, id: ActorId) -> Result<&mut RigidBody, PhysicsError> {
        match self.actor(id)?.kind() {
            ActorKind::Dynamic => self.body_mut(id),
            _ => Err(PhysicsError::Kind { what, must: "dynamic actors" }),
        }
    }

    fn note_force(&mut self, id: ActorId) -> Result<(), PhysicsError> {
        if let Some(actor) = self.actors.get_mut(id)
            && !actor.has(FORCED)
        {
            actor.flags |= FORCED;
            self.forced.try_push(id)?;
        }
        Ok(())
    }

    /// Drops what lists have of an actor that is gone.
    pub(super) fn forget(&mut self, id: ActorId, flags: u32) {
        for (flag, list) in [(LISTED, &mut self.moved.list), (FORCED, &mut self.forced)] {
            if flags & flag != 0 {
                list.retain(|listed| *listed != id);
            }
        }
    }
}
