//! What the events of sounds consist of, for scripts and others who read by schema.

use loligo_interface::{EventSchema, event_schema};

use super::messages::{SoundEnded, SoundMarker, SoundStarted};

pub(super) const SCHEMAS: [EventSchema; 3] = [
    event_schema!(
        SoundStarted, "sound_start",
        "a sound has begun: its number, as `Sound.play` returns it, and the entity that it is on",
        { sound: Count, entity: Entity }
    ),
    event_schema!(
        SoundEnded, "sound_end",
        "a sound has ended, or was stopped and has faded out",
        { sound: Count, entity: Entity }
    ),
    event_schema!(
        SoundMarker, "sound_marker",
        "a sound has come to a marker of its source; its name is as `Sound.id` has it",
        { sound: Count, entity: Entity, name: Count }
    ),
];
