//! The monitor of an engine, the graphs of what it records, and the thread that writes a trace.
//!
//! ```text
//! usual          main thread, at the end of a frame:   drains into the graphs
//! with a trace   a thread, some times a second:        drains into the trace and the graphs
//! with a tool    either of them:                       drains into the last scopes as well
//! ```

use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use loligo_allocators::SharedRef;
#[cfg(feature = "tool-server")]
use loligo_containers::GrowError;
#[cfg(feature = "tool-server")]
use loligo_monitor::TimelineLimits;
use loligo_monitor::{
    Consumer, Event, GraphLimits, Graphs, Monitor, Options, Timeline, current, name,
};

use crate::error::EngineError;
use crate::memory::SharedAllocator;

#[cfg(test)]
mod tests;
mod trace;

pub(crate) use trace::TraceWriter;
pub use trace::{TraceFile, TraceReport};

/// How long the thread that writes a trace waits between two rounds. Nobody wakes it, so that a
/// frame makes no call for it.
const ROUND: Duration = Duration::from_millis(10);

/// Blocks of the monitor where a trace is written: 16 MiB, for a writer that is late.
const TRACE_BLOCKS: u32 = 256;

/// What the timeline of a tool keeps: 3 MiB.
#[cfg(feature = "tool-server")]
const TIMELINE: TimelineLimits = TimelineLimits { threads: 24, spans: 4096, names: 512 };

/// The scopes of a game.
pub(crate) type GameTimeline<'m> = Timeline<'m, SharedAllocator<'m>>;

/// The graphs of a game.
pub(crate) type GameGraphs<'m> = Graphs<'m, SharedAllocator<'m>>;

/// What the threads record, and who reads it.
pub(crate) struct Monitoring<'m> {
    monitor: Monitor<'m, SharedAllocator<'m>>,
    graphs: Mutex<GameGraphs<'m>>,
    /// The last scopes, while a tool looks at them.
    timeline: Mutex<Option<GameTimeline<'m>>>,
    #[cfg(feature = "tool-server")]
    memory: SharedRef<'m>,
    /// Whether a thread drains it for a trace, and not the main thread.
    is_traced: bool,
    state: Mutex<State>,
    changed: Condvar,
}

/// How far the thread that writes is.
#[derive(Default)]
struct State {
    is_served: bool,
    is_closed: bool,
}

impl<'m> Monitoring<'m> {
    pub(crate) fn try_new_in(is_traced: bool, memory: SharedRef<'m>) -> Result<Self, EngineError> {
        let usual = Options::default();
        let blocks = if is_traced { TRACE_BLOCKS } else { usual.blocks };
        let graphs = Graphs::try_new_in(&GraphLimits::default(), memory)?;
        Ok(Self {
            monitor: Monitor::try_new_in(&Options { blocks, ..usual }, memory)?,
            graphs: Mutex::new(graphs),
            timeline: Mutex::default(),
            #[cfg(feature = "tool-server")]
            memory,
            is_traced,
            state: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Runs a thread's life with a recorder, if there is memory for one.
    pub(crate) fn record(&self, name: &str, life: &mut dyn FnMut()) {
        match self.monitor.try_recorder(name) {
            Ok(recorder) => recorder.run(life),
            // It works all the same, unseen.
            Err(_) => life(),
        }
    }

    /// Returns the graphs. With a trace, a thread waits for them meanwhile, never a frame for more
    /// than one event.
    pub(crate) fn graphs(&self) -> MutexGuard<'_, GameGraphs<'m>> {
        // Nothing of it is changed in half.
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a frame: what was recorded goes to the graphs, unless a thread takes it.
    pub(crate) fn end_frame(&self) {
        current::frame();
        if self.is_traced {
            return;
        }
        let mut graphs = self.graphs();
        // Graphs and the timeline have gaps where events were lost.
        let _ = match &mut *self.timeline() {
            Some(timeline) => {
                let _scope = current::scope(name!("timeline"));
                self.monitor.drain(&mut [&mut *graphs, timeline])
            }
            None => self.monitor.drain(&mut [&mut *graphs]),
        };
    }

    /// Returns `true` if scopes are recorded: the feature for it is compiled in.
    #[cfg(feature = "tool-server")]
    pub(crate) fn is_recording(&self) -> bool {
        self.monitor.is_recording()
    }

    /// Returns the last scopes, if they are kept. With a trace, a thread waits for them meanwhile.
    pub(crate) fn timeline(&self) -> MutexGuard<'_, Option<GameTimeline<'m>>> {
        // Nothing of it is changed in half.
        self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to keep the last scopes, or ends it and frees their memory.
    #[cfg(feature = "tool-server")]
    pub(crate) fn keep_timeline(&self, keep: bool) -> Result<(), GrowError> {
        let mut timeline = self.timeline();
        if keep && timeline.is_none() {
            *timeline = Some(Timeline::try_new_in(&TIMELINE, self.memory)?);
        } else if !keep {
            *timeline = None;
        }
        Ok(())
    }

    /// Writes a trace until it is closed: what the thread for it does.
    pub(crate) fn serve(&self, mut writer: TraceWriter<'_, 'm>) {
        self.state().is_served = true;
        self.changed.notify_all();
        loop {
            let is_closed = self.wait();
            let drained = self.monitor.drain(&mut [&mut SharedGraphs(self), &mut writer]);
            writer.end_drain(drained.lost);
            if is_closed {
                return writer.finish();
            }
        }
    }

    /// Waits until the thread serves: a thread that begins takes memory from the global heap, which
    /// may be guarded later.
    pub(crate) fn wait_until_served(&self) {
        let mut state = self.state();
        while !state.is_served {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the thread write what is left and end.
    fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for the next round; returns whether it is the last.
    fn wait(&self) -> bool {
        let state = self.state();
        if state.is_closed {
            return true;
        }
        let waited = self.changed.wait_timeout(state, ROUND);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_closed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the thread that writes a trace end, also where anything panics.
pub(crate) struct ClosingTrace<'t, 'm>(pub(crate) &'t Monitoring<'m>);

impl Drop for ClosingTrace<'_, '_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The graphs and the timeline as a consumer on a thread that shares them: it has them for an event
/// at a time.
struct SharedGraphs<'t, 'm>(&'t Monitoring<'m>);

impl Consumer for SharedGraphs<'_, '_> {
    fn event(&mut self, event: &Event<'_>) {
        self.0.graphs().event(event);
        if let Some(timeline) = &mut *self.0.timeline() {
            timeline.event(event);
        }
    }
}
