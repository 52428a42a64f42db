//! Advice: which strategy suits a trace, found by replaying many on a part of it and judging the
//! best on the rest.
//!
//! The events of a trace are cut in two. The first part, [`TRAIN_PERCENT`] hundredths of them, is
//! what the search sees: its sizes, lifetimes and phases make the candidates, and every candidate
//! is replayed on it. The rest is held back: a few finalists, and the heap for comparison, are
//! warmed by the first part and measured on the rest, in interleaved rounds of one process. What is
//! recommended was verified there.
//!
//! 1. [`profile`] looks at the training part.
//! 2. [`space`] makes all strategies that it may call for; a static model drops those that would
//!    need far more memory than the heap, and the seed draws from the others.
//! 3. `trial` replays them, each in a child with limits, and keeps the better ones for longer
//!    trials.
//! 4. `judge` measures the finalists on what was held back and names the choices.

pub mod judge;
pub mod profile;
pub mod space;
mod trial;

use core::error::Error;
use core::fmt;
use std::io;

use crate::measure::MeasureError;
use crate::strategies::StrategyConfig;
use crate::trace::{Trace, TraceError};
pub use judge::{Judged, Verdict};
use profile::Profile;
pub use trial::Tried;

/// How many hundredths of the events the search sees.
pub const TRAIN_PERCENT: u8 = 50;

/// The least events of a trace that can be cut in two.
const EVENTS_MIN: usize = 2000;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many candidates are replayed.
    pub candidates: usize,
    /// What draws them from the space.
    pub seed: u64,
    /// How many are judged on what was held back.
    pub finalists: usize,
    /// Counted rounds of the judgement.
    pub rounds: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { candidates: 300, seed: 1, finalists: 20, rounds: 9 }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The trace's name.
    pub trace: String,
    /// How many events it has.
    pub events: usize,
    /// What the training part is like.
    pub profile: Profile,
    /// How many strategies the space has.
    pub space: usize,
    /// How many of them the static model dropped.
    pub dropped: usize,
    /// What was replayed on the training part, the heap first.
    pub tried: Vec<Tried>,
    /// What was judged on the rest.
    pub judged: Vec<Judged>,
    /// The greatest sum of live bytes there.
    pub peak_live_bytes: u64,
    /// The choices.
    pub verdict: Verdict,
}

impl Advice {
    /// Returns the first event that the search has not seen.
    #[must_use]
    pub fn held_back_from(&self) -> usize {
        searched_events(self.events)
    }
}

/// Returns how many of `events` events are searched on.
fn searched_events(events: usize) -> usize {
    // In two parts, so that no product can overflow.
    let percent = usize::from(TRAIN_PERCENT);
    events / 100 * percent + events % 100 * percent / 100
}

/// Why there is no advice.
#[derive(Debug)]
#[non_exhaustive]
pub enum AdviseError {
    /// The trace has too few events to be cut in two.
    TooShort {
        /// The trace's name.
        trace: String,
        /// How many it has.
        events: usize,
    },
    /// The training part is not a valid trace.
    Trace(TraceError),
    /// The replay could not be done.
    Measure(MeasureError),
}

impl fmt::Display for AdviseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { trace, events } => write!(
                f,
                "trace `{trace}` has {events} events; advice needs {EVENTS_MIN} at least, so record a \
                 longer run"
            ),
            Self::Trace(error) => error.fmt(f),
            Self::Measure(error) => error.fmt(f),
        }
    }
}

impl Error for AdviseError {}

impl From<MeasureError> for AdviseError {
    fn from(error: MeasureError) -> Self {
        Self::Measure(error)
    }
}

impl From<io::Error> for AdviseError {
    fn from(error: io::Error) -> Self {
        Self::Measure(error.into())
    }
}

/// Returns `true` if a trace is long enough to be cut in two.
///
/// # Errors
///
/// [`AdviseError::TooShort`] if it is not.
pub fn check(trace: &Trace) -> Result<(), AdviseError> {
    let events = trace.events.len();
    if events < EVENTS_MIN {
        return Err(AdviseError::TooShort { trace: trace.name.clone(), events });
    }
    Ok(())
}

/// Searches a strategy for a trace. `progress` is called with what is done, and how much of how
/// much.
///
/// # Complexity
///
/// O(candidates x events) time; one replay of the training part takes some 10 ns an event.
///
/// # Errors
///
/// [`AdviseError`] if the trace is too short or the system refuses what the replay needs.
pub fn advise(
    trace: &Trace,
    options: &Options,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Advice, AdviseError> {
    check(trace)?;
    let events = trace.events.len();
    let training = trace.first(searched_events(events)).map_err(AdviseError::Trace)?;
    progress("looking at the trace", 0, 1);
    let profile = Profile::of(&training);
    let space = space::Space::of(&profile);
    let mut drawing = space.drawing(&profile, options.seed);
    let tried = trial::run(&training, &mut drawing, options, progress)?;
    let dropped = drawing.dropped;
    let finalists: Vec<StrategyConfig> =
        tried.iter().filter(|one| one.is_finalist).map(|one| one.strategy.clone()).collect();
    let judgement = judge::judge(trace, &finalists, options.rounds, progress)?;
    let verdict = judge::choose(&judgement.judged);
    Ok(Advice {
        trace: trace.name.clone(),
        events,
        profile,
        space: space.len(),
        dropped,
        tried,
        judged: judgement.judged,
        peak_live_bytes: judgement.peak_live_bytes,
        verdict,
    })
}

#[cfg(test)]
mod tests;
