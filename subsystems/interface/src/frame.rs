//! What a subsystem knows of the frame that it works for.

use core::fmt;

use loligo_tasks::Worker;

use crate::places::Places;
use crate::viewpoint::Viewpoint;

/// What a subsystem has while it is stepped.
pub struct Frame<'f> {
    /// The number of the frame, from 0 on.
    pub number: u64,
    /// The game's time in nanoseconds.
    pub now: u64,
    /// How far the update moves the game on, in nanoseconds; once a frame, how far the last did.
    pub step: u64,
    /// This thread among those that run tasks.
    pub worker: &'f Worker<'f>,
    /// Where entities are.
    pub places: &'f mut dyn Places,
    /// From where players see this frame, in [`Phase::Listen`](crate::Phase::Listen): what none of
    /// these sees need not be made ready to be drawn. They see as much as the views that are drawn,
    /// or more; those of the sun are not among them. In other phases, and where nothing is drawn, there
    /// are none.
    pub views: &'f [Viewpoint],
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("number", &self.number)
            .field("now", &self.now)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}
