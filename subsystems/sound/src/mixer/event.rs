//! What a mixer says.

use loligo_allocators::Allocator;
use loligo_containers::Array;

use super::VoiceId;

/// What happened to a voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MixerEvent {
    /// It has ended or was stopped; its id is stale.
    Ended {
        /// The voice.
        voice: VoiceId,
    },
}

/// Notes an event where there is room: there is for one of each voice, and what nobody takes is lost, since
/// rendering allocates nothing.
pub(super) fn note<A: Allocator + ?Sized>(
    events: &mut Array<'_, MixerEvent, A>,
    event: MixerEvent,
) {
    if events.len() < events.capacity() {
        let _ = events.try_push(event);
    }
}
