//! Actors, as they are created and as a world remembers them.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::{Quat, Vec3};
use loligo_entities::{Entity, Pose};
use loligo_ids::SmallId;

use crate::geometry::{Filter, Geometry, Surface};
use crate::settings::ActorKind;

/// Says of what an [`ActorId`] is; nothing of it is ever made.
#[derive(Debug)]
pub enum ActorTag {}

/// Names an actor of a [`PhysicsWorld`](crate::PhysicsWorld).
pub type ActorId = SmallId<ActorTag>;

/// A shape of an actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<'d> {
    /// Its form.
    pub geometry: Geometry<'d>,
    /// Where it is in the space of the actor. The scale is that of the form.
    pub pose: Pose,
    /// What it meets.
    pub filter: Filter,
    /// What it is made of.
    pub surface: Surface,
    /// Whether it reports what enters and leaves it, and stops nothing. It has no mass.
    pub is_trigger: bool,
    /// Whether touches of it are reported. One of two shapes is enough. Triggers report always.
    pub sends_touches: bool,
}

impl<'d> Shape<'d> {
    /// Returns a shape of a form in the middle of the actor.
    #[must_use]
    pub fn new(geometry: Geometry<'d>) -> Self {
        Self {
            geometry,
            pose: Pose::IDENTITY,
            filter: Filter::ALL,
            surface: Surface::default(),
            is_trigger: false,
            sends_touches: false,
        }
    }
}

/// What an actor is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorDescription<'d> {
    /// Whose actor it is: events name it, and poses are written for it.
    pub entity: Option<Entity>,
    /// What moves it.
    pub kind: ActorKind,
    /// Where it is in the world. The scale is that of its shapes, and stays as it is.
    pub pose: Pose,
    /// What it consists of: one shape at least, and a shape with mass for a dynamic actor.
    pub shapes: &'d [Shape<'d>],
    /// Its speed, in metres a second.
    pub velocity: Vec3,
    /// Its turning, in radians a second around the axis.
    pub turning: Vec3,
    /// What it weighs in all, in kilograms; `None` for what the densities of its shapes make.
    pub mass: Option<f32>,
    /// What gravity is multiplied by.
    pub gravity_scale: f32,
    /// The share of its speed that it loses, a second.
    pub damping: f32,
    /// The share of its turning that it loses, a second.
    pub turning_damping: f32,
    /// Whether its way within a step is checked against all that moves. Against what is static that
    /// is so for all that are fast.
    pub is_continuous: bool,
    /// Whether it does not turn.
    pub is_upright: bool,
    /// Whether it begins at rest, until something touches it.
    pub is_asleep: bool,
    /// Whether it is not to sleep at all.
    pub is_sleepless: bool,
    /// Whether its pose is written for its entity when it has moved; not for a kinematic one, which
    /// follows its entity, unless it says so.
    pub is_written: bool,
}

impl<'d> ActorDescription<'d> {
    /// Returns an actor of a kind at a pose, with no entity.
    #[must_use]
    pub const fn new(kind: ActorKind, pose: Pose, shapes: &'d [Shape<'d>]) -> Self {
        Self {
            entity: None,
            kind,
            pose,
            shapes,
            velocity: Vec3::ZERO,
            turning: Vec3::ZERO,
            mass: None,
            gravity_scale: 1.0,
            damping: 0.0,
            turning_damping: 0.0,
            is_continuous: false,
            is_upright: false,
            is_asleep: false,
            is_sleepless: false,
            is_written: !matches!(kind, ActorKind::Kinematic),
        }
    }
}

/// What a world remembers of an actor: plain data, saved as it is.
#[derive(Clone, Copy, Debug, Default, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct Actor {
    /// The bits of the entity, or 0.
    pub(crate) entity: u32,
    /// The body's index and generation in the simulation.
    pub(crate) body: [u32; 2],
    /// [`KIND`] and the bits below.
    pub(crate) flags: u32,
    /// The step after which it was awake last.
    pub(crate) awake: u32,
    pub(crate) scale: [f32; 3],
    /// Where it was before the last step in which it moved.
    pub(crate) before: Place,
    /// Where it is.
    pub(crate) now: Place,
}

/// The bits of [`Actor::flags`] that are its kind.
pub(crate) const KIND: u32 = 0b11;
/// It is out of the simulation, since its numbers were not finite, or too large.
pub(crate) const FROZEN: u32 = 1 << 2;
/// A force acts on it in the next step.
pub(crate) const FORCED: u32 = 1 << 3;
/// It is in the list of those that have moved.
pub(crate) const LISTED: u32 = 1 << 4;
/// Its pose is written for its entity.
pub(crate) const WRITTEN: u32 = 1 << 5;
/// All bits that mean something.
pub(crate) const FLAGS: u32 = KIND | FROZEN | FORCED | LISTED | WRITTEN;

/// A position and a rotation, as a record has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
pub(crate) struct Place {
    pub(crate) position: [f32; 3],
    pub(crate) rotation: [f32; 4],
}

impl Place {
    pub(crate) fn new(position: Vec3, rotation: Quat) -> Self {
        Self { position: position.to_array(), rotation: rotation.to_array() }
    }

    pub(crate) fn pose(&self, scale: [f32; 3]) -> Pose {
        Pose {
            position: Vec3::from_array(self.position),
            rotation: Quat::from_array(self.rotation),
            scale: Vec3::from_array(scale),
        }
    }
}

impl Actor {
    pub(crate) fn kind(&self) -> ActorKind {
        match self.flags & KIND {
            0 => ActorKind::Static,
            1 => ActorKind::Kinematic,
            _ => ActorKind::Dynamic,
        }
    }

    pub(crate) const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}
