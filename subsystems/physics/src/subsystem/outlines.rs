//! Lines that show actors and contacts, as events: an engine makes lines on the screen of them.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::Allocator;
use loligo_containers::{Event, GrowError};

use crate::world::{Outline, PhysicsWorld};

/// A line of an actor or a contact.
#[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
pub struct BodyLine {
    /// Where it begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
    /// Its color, from 0 to 1.
    pub color: [f32; 3],
}

/// Sends the lines of a world.
pub(crate) fn draw<A: Allocator + ?Sized>(
    world: &mut PhysicsWorld<'_, A>,
) -> Result<(), GrowError> {
    world.send_outlines(|kind, from, to| BodyLine {
        from: from.to_array(),
        to: to.to_array(),
        color: match kind {
            Outline::Still => [0.6, 0.6, 0.6],
            Outline::Awake => [0.2, 1.0, 0.2],
            Outline::Asleep => [0.2, 0.4, 0.8],
            Outline::Trigger => [1.0, 0.8, 0.1],
            Outline::Disabled => [0.8, 0.1, 0.1],
            Outline::Contact => [1.0, 0.2, 1.0],
        },
    })
}
