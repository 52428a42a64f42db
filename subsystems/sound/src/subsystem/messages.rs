//! Events of sounds, and what others ask for.

use bytemuck::{Pod, Zeroable};
use loligo_containers::Event;

/// A sound has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SoundStarted {
    /// The bits of its id.
    pub sound: u32,
    /// The bits of the entity that it is on; 0 for none.
    pub entity: u32,
}

/// A sound has ended, or was stopped and has faded out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SoundEnded {
    /// The bits of its id, which is stale.
    pub sound: u32,
    /// The bits of the entity that it was on; 0 for none.
    pub entity: u32,
}

/// A sound has come to a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SoundMarker {
    /// The bits of its id.
    pub sound: u32,
    /// The bits of the entity that it is on; 0 for none.
    pub entity: u32,
    /// The hash of the marker's name.
    pub name: u32,
}

/// What was heard in an update: the frames follow, left and right. It is sent as long as somebody has asked
/// for it by [`HearSounds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SoundsHeard {
    /// The frames a second.
    pub rate: u32,
    /// How many frames follow.
    pub frames: u32,
}

/// Asks for a sound; its parameters follow, names and values. A name that no sound has is passed over and
/// counted: an effect need not be heard.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct PlaySound {
    /// The hash of its name: an [`IdString64`](loligo_ids::IdString64).
    pub sound: u64,
    /// The bits of the entity that it is on; 0: it stays where it is.
    pub entity: u32,
    /// 1: it is at `at`; 0: it is heard in the middle, or where its entity is.
    pub is_placed: u32,
    /// Where it is.
    pub at: [f32; 3],
    /// The decibels that are added.
    pub volume: f32,
}

/// Asks for the end of a sound.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct StopSound {
    /// The bits of its id.
    pub sound: u32,
    /// Within how many seconds; less than 0: within those of its source.
    pub seconds: f32,
}

/// Asks for another value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SetParameter {
    /// The bits of the sound's id.
    pub sound: u32,
    /// The hash of the parameter's name.
    pub name: u32,
    /// The bits of a number, or the hash of a word.
    pub value: u32,
}

/// Asks for all that is heard, as events [`SoundsHeard`] after each update, or for nothing of it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct HearSounds {
    /// 1: from the next update on; 0: not any more.
    pub is_on: u32,
}

/// Asks whether there is a wall on a way: an engine's wire makes of it what asks a physics. The answer, if
/// there is one, is an [`OccludeSound`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct SoundRayAsked {
    /// The bits of the sound's id.
    pub sound: u32,
    /// The bits of the entity that it is on, which is no wall; 0 for none.
    pub entity: u32,
    /// Where the way begins.
    pub from: [f32; 3],
    /// Where it ends.
    pub to: [f32; 3],
}

/// Says how much of the way to a sound is walls. One that has ended is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Event)]
#[repr(C)]
pub struct OccludeSound {
    /// The bits of the sound's id.
    pub sound: u32,
    /// From 0, nothing, to 1.
    pub share: f32,
}
