//! What the events of a world consist of, for scripts and others who read by schema.

use loligo_interface::{EventSchema, event_schema};

use super::messages::ImpactDue;
use crate::events::{Frozen, TouchBegan, TouchEnded, TouchStayed, TriggerEntered, TriggerLeft};

pub(crate) const SCHEMAS: [EventSchema; 7] = [
    event_schema!(
        TouchBegan, "touch_begin",
        "two actors have begun to touch: their entities and materials, where, the direction from the first to the other, and the impulse that kept them apart",
        { entity: Entity, other: Entity, material: Count, other_material: Count, point: Vector3, normal: Vector3, impulse: Number }
    ),
    event_schema!(
        TouchStayed, "touch_stay",
        "two actors go on to touch: as `touch_begin`, and how fast they slide along each other",
        { entity: Entity, other: Entity, material: Count, other_material: Count, point: Vector3, normal: Vector3, impulse: Number, sliding: Number }
    ),
    event_schema!(
        TouchEnded, "touch_end",
        "two actors do not touch any more, or one of them is gone",
        { entity: Entity, other: Entity, material: Count, other_material: Count }
    ),
    event_schema!(
        TriggerEntered, "trigger_enter",
        "an entity has entered a trigger",
        { trigger: Entity, entity: Entity }
    ),
    event_schema!(
        TriggerLeft, "trigger_leave",
        "an entity has left a trigger, or one of them is gone",
        { trigger: Entity, entity: Entity }
    ),
    event_schema!(
        Frozen, "actor_frozen",
        "an actor was taken out of the simulation: reason 1, its numbers were lost; 2, it is too far away. `Physics.teleport` puts it back",
        { entity: Entity, reason: Count, at: Vector3 }
    ),
    event_schema!(
        ImpactDue, "impact",
        "an effect is due, by the table `game.impacts`: of a hit (kind 0), a footstep (1) or a slide (2); its name as `Physics.effect` has it, where, how strong, and the impulse or speed",
        { name: Count, kind: Count, entity: Entity, other: Entity, at: Vector3, strength: Number, amount: Number }
    ),
];
