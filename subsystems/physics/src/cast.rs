//! What is asked of a world about what is in the way, and what it answers: plain data.

use bytemuck::{AnyBitPattern, NoUninit};

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
pub struct RayCast {
    /// Where it begins.
    pub from: [f32; 3],
    /// Where it goes; of any length above 0.
    pub direction: [f32; 3],
    /// How far it goes, in metres.
    pub distance: f32,
    /// The radius of a sphere that is moved along it, in metres; 0 for a ray.
    pub radius: f32,
    /// What it is stopped by.
    pub rules: CastRules,
}

/// What a cast takes notice of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit)]
#[repr(C)]
pub struct CastRules {
    /// Its groups, as those of a shape's [`Filter`](crate::Filter).
    pub groups: u32,
    /// The groups that it meets.
    pub meets: u32,
    /// The bits of the id of an actor that it passes through; 0 for none.
    pub ignored: u32,
    /// What of all this it passes through: bits of [`CastRules::TRIGGERS`] and the others.
    pub passes: u32,
}

impl CastRules {
    /// It passes through triggers.
    pub const TRIGGERS: u32 = 1;
    /// It passes through what is static.
    pub const STATIC: u32 = 2;
    /// It passes through what is kinematic.
    pub const KINEMATIC: u32 = 4;
    /// It passes through what is dynamic.
    pub const DYNAMIC: u32 = 8;
    /// It is stopped by all but triggers.
    pub const SOLID: Self =
        Self { groups: u32::MAX, meets: u32::MAX, ignored: 0, passes: Self::TRIGGERS };
}

/// What a cast has met first.
#[derive(Clone, Copy, Debug, Default, PartialEq, AnyBitPattern, NoUninit)]
#[repr(C)]
pub struct CastHit {
    /// The bits of the actor's id; 0 if it has met nothing, and all else is 0 as well.
    pub actor: u32,
    /// The bits of the actor's entity; 0 for none.
    pub entity: u32,
    /// Which shape of the actor.
    pub shape: u32,
    /// The hash of the shape's material.
    pub material: u32,
    /// How far from the beginning, in metres.
    pub distance: f32,
    /// Where.
    pub point: [f32; 3],
    /// The direction away from the surface, of length 1; against the ray where it began inside.
    pub normal: [f32; 3],
}

impl CastHit {
    /// Returns `true` if something was met.
    #[must_use]
    pub const fn is_hit(&self) -> bool {
        self.actor != 0
    }
}
