//! Components as resources of entities have them: plain words.

use bytemuck::{Pod, Zeroable};
use loligo_entities::{ComponentType, ResourceWords};

/// The component of a body.
pub const ACTOR: ComponentType = ComponentType::new("actor", 200);

/// The component of a joint. It is spawned after actors.
pub const JOINT: ComponentType = ComponentType::new("joint", 210);

/// A body as it is compiled. 40 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ActorSource {
    /// A resource of type `collision`.
    pub collision: ResourceWords,
    /// The name of a template of actors in the settings, hashed.
    pub template: u32,
    /// 1 if it is not there until the game says so, else 0.
    pub is_disabled: u32,
    /// Its speed when it is spawned, in metres per second.
    pub velocity: [f32; 3],
    /// How it turns when it is spawned, in radians per second around each axis.
    pub spin: [f32; 3],
}

/// How a joint lets its actors move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum JointForm {
    /// Not at all.
    Fixed = 0,
    /// They turn around the x axis.
    Hinge = 1,
    /// They move along the x axis.
    Slider = 2,
    /// They turn in any way.
    Ball = 3,
    /// They are pulled and pushed to a distance.
    Spring = 4,
}

impl JointForm {
    /// All kinds as sources call them, in the order of their numbers.
    #[cfg(feature = "compile")]
    pub(crate) const NAMES: [&str; 5] = ["fixed", "hinge", "slider", "ball", "spring"];

    /// Returns the kind of a number.
    #[must_use]
    pub const fn of(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Fixed),
            1 => Some(Self::Hinge),
            2 => Some(Self::Slider),
            3 => Some(Self::Ball),
            4 => Some(Self::Spring),
            _ => None,
        }
    }
}

/// A joint as it is compiled. 100 bytes.
///
/// # Examples
///
/// ```
/// use loligo_physics::{JointForm, JointSource};
///
/// let words = [0_u32; 25];
/// let joint: JointSource = bytemuck::cast(words);
/// assert_eq!(joint.kind(), Some(JointForm::Fixed));
/// assert!(!joint.has(JointSource::HAS_LIMITS));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct JointSource {
    /// A [`JointForm`].
    pub kind: u32,
    /// The name of the other entity in the same resource, hashed; 0 is the parent.
    pub other: u32,
    /// [`HAS_LIMITS`](Self::HAS_LIMITS) and others.
    pub flags: u32,
    /// The joint as seen from its entity.
    pub position: [f32; 3],
    /// How it is turned there; its axis is x.
    pub rotation: [f32; 4],
    /// The joint as seen from the other entity, if that is given.
    pub other_position: [f32; 3],
    /// How it is turned there.
    pub other_rotation: [f32; 4],
    /// Radians of a hinge, metres of a slider.
    pub limits: [f32; 2],
    /// Where the motor goes to, in radians or metres.
    pub target: f32,
    /// How fast the motor is, in radians or metres per second.
    pub speed: f32,
    /// How strongly a motor or a spring pulls to where it goes.
    pub stiffness: f32,
    /// How strongly a motor keeps its speed, and a spring loses it.
    pub damping: f32,
    /// The most force of a motor; 0 is no limit.
    pub force: f32,
    /// The length of a spring at rest, in metres.
    pub length: f32,
}

impl JointSource {
    /// It has limits.
    pub const HAS_LIMITS: u32 = 1;
    /// It has a motor.
    pub const HAS_MOTOR: u32 = 2;
    /// The motor goes to a place.
    pub const HAS_TARGET: u32 = 4;
    /// The frame of the other entity is given, and not taken from where both are at first.
    pub const HAS_OTHER_FRAME: u32 = 8;
    /// Its actors meet.
    pub const COLLIDES: u32 = 16;

    /// Returns the kind, if the number is that of one.
    #[must_use]
    pub const fn kind(&self) -> Option<JointForm> {
        JointForm::of(self.kind)
    }

    /// Returns `true` if it has all of some flags.
    #[must_use]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }
}

impl Default for JointSource {
    fn default() -> Self {
        let turn = [0.0, 0.0, 0.0, 1.0];
        Self { rotation: turn, other_rotation: turn, ..Self::zeroed() }
    }
}
