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
