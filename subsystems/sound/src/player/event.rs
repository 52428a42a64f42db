//! What happens to sounds.

use loligo_ids::IdString32;

use super::SoundId;

/// What happened to a sound, by the game's time alone: whether anyone hears it or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoundEvent {
    /// The sound. It is stale after it has ended.
    pub sound: SoundId,
    /// Whose it is: the number of [`SoundStart::owner`](super::SoundStart::owner).
    pub owner: u32,
    /// What happened.
    pub kind: SoundEventKind,
}

/// What may happen to a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundEventKind {
    /// It has begun.
    Started,
    /// It has ended, or was stopped and has faded out.
    Ended,
    /// It has come to a marker of one of its waves.
    Marker {
        /// The marker's name.
        name: IdString32,
    },
}
