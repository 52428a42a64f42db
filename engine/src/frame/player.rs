//! What the player does: from the window, from the program, or from a recording; and the recording
//! of it, with hashes of the world by which a replay is compared.
//!
//! After "Time Step Smoothing" (Bitsquid blog, 2010-10-18), which records the steps of frames.

use bytemuck::{AnyBitPattern, NoUninit};
use loligo_allocators::SharedRef;
use loligo_containers::{Event, EventReader, EventStream};
use loligo_ids::IdString32;
use loligo_input::{InputPlayback, InputRecorder, RecordingError};

use super::Engine;
use super::streaming::ContentArrived;
use crate::error::EngineError;
use crate::memory::SharedAllocator;
use crate::time_step::{UPDATES_MAX, Updates};
use crate::world::World;

/// The state of a subsystem at the end of a recorded frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AnyBitPattern, NoUninit, Event)]
#[repr(C)]
struct StateHash {
    /// The hash of its name.
    subsystem: u32,
    low: u32,
    high: u32,
}

/// Where a replay is another than what was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayDifference {
    /// The first frame that ends in another state.
    pub frame: u64,
    /// The first subsystem of that frame whose state is another.
    pub subsystem: &'static str,
}

impl Engine<'_, '_> {
    /// Adds what a player does to the next frame, as a window would: an event of `loligo-platform`.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn do_input<E: Event>(&mut self, event: E) -> Result<(), EngineError> {
        Ok(self.player.events().try_push(event)?)
    }

    /// Ends the recording of what the player did, if there is one, and returns it.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if there is no memory.
    pub fn recording(&mut self) -> Result<Option<&[u8]>, EngineError> {
        self.player.finish()?;
        Ok(self.player.recording())
    }

    /// Returns where a replay is another than what was recorded.
    #[must_use]
    pub const fn replay_difference(&self) -> Option<ReplayDifference> {
        self.player.difference()
    }

    /// Returns why a recording could not be played back to its end.
    #[must_use]
    pub const fn replay_error(&self) -> Option<&RecordingError> {
        self.player.failed()
    }
}

/// What players did in a frame, and what is recorded and played back of it.
pub(super) struct Player<'e, 'm> {
    /// What was done in this frame.
    events: EventStream<'m, SharedAllocator<'m>>,
    recorder: Option<InputRecorder<'m, SharedAllocator<'m>>>,
    playback: Option<InputPlayback<'e>>,
    /// What the frame that is played back was recorded with.
    recorded: Option<EventReader<'e>>,
    updates: Updates,
    difference: Option<ReplayDifference>,
    failed: Option<RecordingError>,
}

/// The bits of the number of a frame's updates, above those of a step.
const STEP_BITS: u32 = 48;

impl<'e, 'm> Player<'e, 'm> {
    pub(super) fn try_new(
        is_recorded: bool,
        replay: Option<&'e [u8]>,
        memory: SharedRef<'m>,
    ) -> Result<Self, EngineError> {
        let recorder = is_recorded.then(|| InputRecorder::try_new_in(0, memory)).transpose()?;
        let playback = replay.map(InputPlayback::open).transpose();
        Ok(Self {
            events: EventStream::new_in(memory),
            recorder,
            playback: playback.map_err(EngineError::Recording)?,
            recorded: None,
            updates: Updates { count: 0, step: 0 },
            difference: None,
            failed: None,
        })
    }

    /// Returns the stream that what players do is appended to.
    pub(super) const fn events(&mut self) -> &mut EventStream<'m, SharedAllocator<'m>> {
        &mut self.events
    }

    /// Begins a frame: returns its updates, those of a recording in place of `updates`, none where
    /// that is over.
    pub(super) fn begin(&mut self, updates: Updates) -> Updates {
        self.updates = updates;
        let Some(playback) = &mut self.playback else { return updates };
        self.events.clear();
        let frame = match playback.next_frame() {
            Ok(frame) => frame,
            Err(error) => {
                self.failed = Some(error);
                None
            }
        };
        self.recorded = frame.map(|frame| frame.events);
        let number = frame.map_or(0, |frame| frame.step_ns);
        let (count, step) = ((number >> STEP_BITS) as u32, number & ((1 << STEP_BITS) - 1));
        self.updates = Updates { count: count.min(UPDATES_MAX), step };
        self.updates
    }

    /// Returns `true` if a recording was played back to its end.
    pub(super) const fn is_over(&self) -> bool {
        self.playback.is_some() && self.recorded.is_none()
    }

    /// Returns what was done in this frame.
    pub(super) fn done(&self) -> EventReader<'_> {
        self.recorded.unwrap_or_else(|| self.events.reader())
    }

    /// Returns `true` if a recording is played back, and something has come in its frame.
    pub(super) fn has_arrivals(&self) -> bool {
        self.recorded.is_some_and(|recorded| recorded.of::<ContentArrived>().next().is_some())
    }

    /// Returns whether what was asked for comes in this frame: where it did so when a recording was
    /// made, else where it `is_there`; that is recorded.
    pub(super) fn may_arrive(
        &mut self,
        arrived: ContentArrived,
        is_there: bool,
    ) -> Result<bool, EngineError> {
        if self.playback.is_some() {
            let recorded = self.recorded.map(|recorded| recorded.of::<ContentArrived>());
            return Ok(recorded.is_some_and(|mut all| all.any(|other| other == arrived)));
        }
        if is_there && self.recorder.is_some() {
            self.events.try_push(arrived)?;
        }
        Ok(is_there)
    }

    /// Ends a frame: compares the world with the recorded one, and records.
    pub(super) fn end(&mut self, world: &World<'_>) -> Result<(), EngineError> {
        if let (Some(recorded), None) = (self.recorded, self.difference) {
            let mut recorded = recorded.of::<StateHash>();
            self.difference = hashes(world)
                .find(|(name, hash)| {
                    let is_same = |of: StateHash| of == state(name, *hash);
                    recorded.next().is_some_and(|of| !is_same(of))
                })
                .map(|(subsystem, _)| ReplayDifference { frame: world.frame(), subsystem });
        }
        let Some(recorder) = &mut self.recorder else {
            self.events.clear();
            return Ok(());
        };
        for (name, hash) in hashes(world) {
            self.events.try_push(state(name, hash))?;
        }
        let Updates { count, step } = self.updates;
        let number = u64::from(count) << STEP_BITS | step & ((1 << STEP_BITS) - 1);
        let recorded = recorder.try_frame(number, self.events.reader());
        self.events.clear();
        Ok(recorded?)
    }

    /// Ends the recording.
    pub(super) fn finish(&mut self) -> Result<(), EngineError> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| Ok(recorder.try_finish()?))
    }

    pub(super) fn recording(&self) -> Option<&[u8]> {
        self.recorder.as_ref().map(InputRecorder::bytes)
    }

    pub(super) const fn difference(&self) -> Option<ReplayDifference> {
        self.difference
    }

    pub(super) const fn failed(&self) -> Option<&RecordingError> {
        self.failed.as_ref()
    }
}

fn state(name: &str, hash: u64) -> StateHash {
    let subsystem = IdString32::new(name).hash();
    StateHash { subsystem, low: hash as u32, high: (hash >> 32) as u32 }
}

/// Returns the hashes of all subsystems that have a state.
fn hashes(world: &World<'_>) -> impl Iterator<Item = (&'static str, u64)> {
    world.state_hashes().filter(|(_, hash)| *hash != 0)
}
