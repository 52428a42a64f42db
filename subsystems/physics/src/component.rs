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

/// The component of a character that walks. It is spawned after actors.
pub const MOVER: ComponentType = ComponentType::new("mover", 220);

/// The component of wheels under an actor. It is spawned after actors.
pub const VEHICLE: ComponentType = ComponentType::new("vehicle", 230);

/// A mover as it is compiled. 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct MoverSource {
    /// The steepest slope that it climbs, in degrees.
    pub climb: f32,
    /// The slope from which on it slides down, in degrees.
    pub slide: f32,
    /// The highest step that it takes, in metres.
    pub step_height: f32,
    /// How deep a step must be to be taken, in metres.
    pub step_depth: f32,
    /// How far below its feet the ground may be without it leaving the ground, in metres.
    pub snap: f32,
    /// The gap that it keeps to everything, in metres.
    pub gap: f32,
    /// How heavy it is to what it runs into, in kilograms.
    pub mass: f32,
    /// What gravity is multiplied by.
    pub gravity_scale: f32,
}

/// The most wheels of the component `vehicle`.
pub const VEHICLE_WHEELS_MAX: usize = 8;

/// A wheel as it is compiled. 52 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WheelSource {
    /// Where the spring is fastened, as seen from the entity.
    pub at: [f32; 3],
    /// The wheel's radius, in metres.
    pub radius: f32,
    /// The length of the spring at rest, in metres.
    pub rest: f32,
    /// How far the spring moves from there at most, in metres.
    pub travel: f32,
    /// How stiff the spring is, for each kilogram of the vehicle, in 1 / s².
    pub stiffness: f32,
    /// How much it is damped while it is pressed together; with 1 it does not swing.
    pub compression: f32,
    /// How much it is damped while it stretches.
    pub relaxation: f32,
    /// The most force of the spring, in newton.
    pub force: f32,
    /// How much the tyre grips along.
    pub grip: f32,
    /// How much it grips sideways, against the grip along.
    pub side_grip: f32,
    /// [`STEERS`](Self::STEERS) and others.
    pub flags: u32,
}

impl WheelSource {
    /// It is turned by the steering.
    pub const STEERS: u32 = 1;
    /// It is driven.
    pub const DRIVES: u32 = 2;
    /// It brakes.
    pub const BRAKES: u32 = 4;

    /// Returns `true` if it has all of some flags.
    #[must_use]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }
}

/// The component of a field of forces.
pub const FIELD: ComponentType = ComponentType::new("field", 240);

/// A field of an entity as it is compiled. 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FieldSource {
    /// A resource of type `field`.
    pub field: ResourceWords,
}

/// The component of a character whose bones physics can move.
pub const RAGDOLL: ComponentType = ComponentType::new("ragdoll", 250);

/// A ragdoll of an entity as it is compiled. 8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct RagdollSource {
    /// A resource of type `ragdoll`.
    pub ragdoll: ResourceWords,
}
