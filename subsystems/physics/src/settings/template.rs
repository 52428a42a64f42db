//! Templates of shapes and actors, with all names resolved.

use loligo_ids::IdString32;

use crate::geometry::{Filter, Surface};

/// What shapes of a template have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeTemplate {
    /// Its name, hashed.
    pub name: IdString32,
    /// The group, and which groups it meets.
    pub filter: Filter,
    /// The material.
    pub surface: Surface,
    /// [`TRIGGER`](Self::TRIGGER) and others.
    pub flags: u32,
}

impl ShapeTemplate {
    /// It pushes nothing, and reports what enters and leaves.
    pub const TRIGGER: u32 = 1;
    /// Its actor does not pass through thin walls, however fast it is.
    pub const CONTINUOUS: u32 = 2;
    /// It reports no touches.
    pub const SILENT: u32 = 4;
    pub(crate) const ALL: u32 = 7;

    /// Returns `true` if it has all of some flags.
    #[must_use]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }
}

/// How an actor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ActorKind {
    /// Never.
    Static = 0,
    /// As the game says; it pushes others and nothing pushes it.
    Kinematic = 1,
    /// By forces.
    Dynamic = 2,
}

impl ActorKind {
    /// All kinds as sources call them, in the order of their numbers.
    #[cfg(feature = "compile")]
    pub(crate) const NAMES: [&str; 3] = ["static", "kinematic", "dynamic"];

    /// Returns the kind of a number.
    #[must_use]
    pub const fn of(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Static),
            1 => Some(Self::Kinematic),
            2 => Some(Self::Dynamic),
            _ => None,
        }
    }
}

/// What actors of a template have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActorTemplate {
    /// Its name, hashed.
    pub name: IdString32,
    /// How it moves.
    pub kind: ActorKind,
    /// [`SLEEPLESS`](Self::SLEEPLESS) and others.
    pub flags: u32,
    /// Kilograms; 0 where the densities of its shapes decide.
    pub mass: f32,
    /// Which part of the speed is lost in a second.
    pub linear_damping: f32,
    /// Which part of the turning is lost in a second.
    pub angular_damping: f32,
    /// What gravity is multiplied by; 0 floats.
    pub gravity_scale: f32,
}

impl ActorTemplate {
    /// It is stepped even while it rests.
    pub const SLEEPLESS: u32 = 1;
    /// It sleeps when it is made, until something touches it.
    pub const ASLEEP: u32 = 2;
    pub(crate) const ALL: u32 = 3;

    /// Returns `true` if it has all of some flags.
    #[must_use]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }
}
