//! Lines that show actors, contacts, casts and fields, as events: an engine makes lines on the screen of
//! them.

use bytemuck::{AnyBitPattern, NoUninit};
use glam::Vec3;
use loligo_allocators::SharedRef;
use loligo_containers::{Array, Event};
use loligo_interface::{SubsystemError, SubsystemMemory};

use crate::cast::{CastHit, RayCast};
use crate::fields::{FieldLine, Fields};
use crate::world::{Outline, PhysicsWorld};

/// The most casts that are seen in a frame; further ones are not.
pub const CASTS_SEEN_MAX: usize = 1024;

/// How long the line of a normal is where a cast has hit, in metres.
const NORMAL: f32 = 0.25;

const HIT: [f32; 3] = [1.0, 0.5, 0.0];
const MISSED: [f32; 3] = [0.1, 0.8, 0.9];
const REGION: [f32; 3] = [0.6, 0.3, 0.9];
const WEAK: Vec3 = Vec3::new(0.2, 0.5, 1.0);
const STRONG: Vec3 = Vec3::new(1.0, 0.2, 0.2);

/// A line of an actor, a contact, a cast or a field.
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

/// What is shown. It is no part of the state of a game.
pub(crate) struct Outlines<'m> {
    pub(crate) are_bodies_shown: bool,
    pub(crate) are_casts_shown: bool,
    pub(crate) are_fields_shown: bool,
    /// The lines of the casts since the last frame was shown: two for one that has hit.
    casts: Array<'m, BodyLine, SubsystemMemory<'m>>,
    /// How many casts these are of.
    cast_count: usize,
}

impl<'m> Outlines<'m> {
    pub(crate) const fn new_in(memory: SharedRef<'m>) -> Self {
        Self {
            are_bodies_shown: false,
            are_casts_shown: false,
            are_fields_shown: false,
            casts: Array::new_in(memory),
            cast_count: 0,
        }
    }

    /// Takes notice of a cast, if casts are shown and there is room for it.
    pub(crate) fn note_cast(
        &mut self,
        cast: &RayCast,
        hit: &CastHit,
    ) -> Result<(), SubsystemError> {
        if !self.are_casts_shown || self.cast_count == CASTS_SEEN_MAX {
            return Ok(());
        }
        let from = Vec3::from_array(cast.from);
        let direction = Vec3::from_array(cast.direction).normalize_or_zero();
        let end = match hit.is_hit() {
            true => Vec3::from_array(hit.point),
            false => from + direction * cast.distance,
        };
        // One with such numbers was refused.
        if !from.is_finite() || !end.is_finite() {
            return Ok(());
        }
        self.casts.try_reserve(2)?;
        let color = if hit.is_hit() { HIT } else { MISSED };
        self.casts.try_push(line(from, end, color))?;
        if hit.is_hit() {
            let tip = end + Vec3::from_array(hit.normal) * NORMAL;
            self.casts.try_push(line(end, tip, color))?;
        }
        self.cast_count += 1;
        Ok(())
    }

    /// Sends the lines of all that is shown.
    pub(crate) fn draw(
        &mut self,
        world: &mut PhysicsWorld<'m, SubsystemMemory<'m>>,
        fields: &Fields<'m, SubsystemMemory<'m>>,
    ) -> Result<(), SubsystemError> {
        let mut sent = Ok(());
        if self.are_bodies_shown {
            sent = world.send_outlines(|kind, from, to| line(from, to, color_of(kind)));
        }
        let time = world.seconds();
        let events = world.events_mut();
        for cast in &self.casts {
            sent = sent.and_then(|()| events.try_push(*cast));
        }
        self.forget_casts();
        if self.are_fields_shown {
            fields.lines(time, |of, from, to| {
                let color = match of {
                    FieldLine::Region => REGION,
                    FieldLine::Arrow { share } => WEAK.lerp(STRONG, share).to_array(),
                };
                sent = sent.and_then(|()| events.try_push(line(from, to, color)));
            });
        }
        Ok(sent?)
    }

    pub(crate) fn forget_casts(&mut self) {
        self.casts.clear();
        self.cast_count = 0;
    }
}

const fn line(from: Vec3, to: Vec3, color: [f32; 3]) -> BodyLine {
    BodyLine { from: from.to_array(), to: to.to_array(), color }
}

const fn color_of(kind: Outline) -> [f32; 3] {
    match kind {
        Outline::Still => [0.6, 0.6, 0.6],
        Outline::Awake => [0.2, 1.0, 0.2],
        Outline::Asleep => [0.2, 0.4, 0.8],
        Outline::Trigger => [1.0, 0.8, 0.1],
        Outline::Disabled => [0.8, 0.1, 0.1],
        Outline::Contact => [1.0, 0.2, 1.0],
    }
}
