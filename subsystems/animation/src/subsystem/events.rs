//! What happens to characters, as data for all who want to know.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_containers::Event;
use loligo_interface::{EventSchema, event_schema};

/// A character has passed an event of a clip: a footstep, a hit.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct ClipPassed {
    /// The bits of the character's entity.
    pub entity: u32,
    /// The hash of the event's name.
    pub name: u32,
    /// The hash of the bone's name; 0 for an event of no bone.
    pub bone: u32,
    /// Where the bone is in the world, or where the entity is.
    pub at: [f32; 3],
}

/// A clip that does not loop has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct ClipEnded {
    /// The bits of the character's entity.
    pub entity: u32,
    /// The hash of the clip's short name.
    pub clip: u32,
}

/// A line from a bone to its parent: an engine makes a line on the screen of it.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct BoneLine {
    /// Where it begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
    /// Its color, from 0 to 1.
    pub color: [f32; 3],
}

/// What the ground is at a foot, between two places above each other.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct FootAsked {
    /// The bits of the character's entity, and the number of the foot in the upper half: the answer has the same.
    pub asker: u64,
    /// The place above.
    pub from: [f32; 3],
    /// The place below.
    pub to: [f32; 3],
}

/// A command: what the ground at a foot is. Without an answer it is as level as before.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct FootAnswered {
    /// That of [`FootAsked`].
    pub asker: u64,
    /// Whether there is any: 1 or 0.
    pub hit: u32,
    /// Where it is in the world.
    pub at: [f32; 3],
    /// Which direction is away from it.
    pub normal: [f32; 3],
    /// The hash of its material's name, which is not looked at.
    pub material: u32,
}

/// A bone of a character that is handed over, as `Animation.release` asks: how it goes on is for others to
/// say, by [`PlaceBone`].
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct BoneReleased {
    /// The bits of the character's entity.
    pub entity: u32,
    /// The hash of the bone's name.
    pub bone: u32,
    /// Where it is in the world.
    pub at: [f32; 3],
    /// How it is turned in the world, as a quaternion.
    pub turn: [f32; 4],
    /// How fast it moves, in metres a second.
    pub speed: [f32; 3],
    /// How it turns, in radians a second around the axis.
    pub spin: [f32; 3],
}

/// The bones of a character are taken back: nobody else moves them any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct BonesTaken {
    /// The bits of the character's entity.
    pub entity: u32,
}

/// A command: a bone of a character that has handed its bones over is somewhere in the world.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct PlaceBone {
    /// The bits of the character's entity.
    pub entity: u32,
    /// The hash of the bone's name.
    pub bone: u32,
    /// Where it is.
    pub at: [f32; 3],
    /// How it is turned, as a quaternion.
    pub turn: [f32; 4],
}

pub(crate) const SCHEMAS: [EventSchema; 2] = [
    event_schema!(
        ClipPassed, "clip_event",
        "a character has passed an event of a clip: its name and its bone as `Animation.id` has them, and where",
        { entity: Entity, name: Count, bone: Count, at: Vector3 }
    ),
    event_schema!(
        ClipEnded, "clip_ended",
        "a clip that does not loop has come to its end: its short name as `Animation.id` has it",
        { entity: Entity, clip: Count }
    ),
];
