//! Frames and scopes of the last moments, as messages.
//!
//! ```text
//! frames   { "frames": [ [start_ns, ns, { "logic": ns, .. }], .. ] }
//! scopes   { "threads": [ { "name": "main", "number": 0, "spans": [ [name, start_ns, ns, depth, core], .. ] } ],
//!            "names": [ "frame", .. ], "skipped": 0 }
//! ```

use core::fmt;

use loligo_monitor::{NO_CORE, Span};
use loligo_sjson::{Nest, Writer};

use crate::monitoring::GameTimeline;

/// The most threads whose scopes are sent.
const THREADS_MAX: usize = 24;

/// The most scopes of a message, of all threads together; the last ones of each thread are sent. A
/// scope costs a frame about a microsecond, so that these cost one in a hundred of its time.
const SPANS_MAX: usize = 1000;

/// The most different scopes of a frame that are named; times of others are summed as `other`.
const PARTS_MAX: usize = 24;

/// The thread that runs frames, its outermost scope, and the name of the sum of others.
const MAIN: &str = "main";
const FRAME: &str = "frame";
const OTHER: &str = "other";

/// What was sent.
#[derive(Default)]
pub(super) struct ScopeFeed {
    /// Whether the engine keeps scopes.
    pub(super) is_kept: bool,
    /// The end of the last frame that was sent.
    frames_until: u64,
    /// The end of the last scope of each thread that was sent, by the order of the tracks.
    scopes_until: [u64; THREADS_MAX],
}

impl ScopeFeed {
    /// Writes the frames that have ended since the last message, but for the oldest if it has lost scopes.
    pub(super) fn write_frames(
        &mut self,
        timeline: Option<&GameTimeline<'_>>,
        writer: &mut Writer<'_>,
    ) -> fmt::Result {
        writer.start(Nest::Object)?;
        writer.key("frames")?;
        writer.start(Nest::Array)?;
        if let Some(timeline) = timeline {
            self.write_each_frame(timeline, writer)?;
        }
        writer.end(Nest::Array)?;
        writer.end(Nest::Object)
    }

    fn write_each_frame(
        &mut self,
        timeline: &GameTimeline<'_>,
        writer: &mut Writer<'_>,
    ) -> fmt::Result {
        let mut tracks = timeline.tracks().iter();
        let Some(main) = tracks.find(|track| timeline.name(track.name()) == MAIN) else {
            return Ok(());
        };
        let mut parts = Parts::default();
        let since = self.frames_until;
        // What begins before the oldest scope ends may have lost scopes that were older.
        let whole_from = main.spans().next().map_or(0, |span| span.end_ns);
        for span in main.spans().filter(|span| span.end_ns > since) {
            match span.depth {
                0 if timeline.name(span.name) == FRAME => {
                    if span.start_ns >= whole_from {
                        writer.start(Nest::Array)?;
                        writer.u64(span.start_ns)?;
                        writer.u64(span.end_ns - span.start_ns)?;
                        parts.write(timeline, span.start_ns, writer)?;
                        writer.end(Nest::Array)?;
                    }
                    parts = Parts::default();
                    self.frames_until = span.end_ns;
                }
                1 => parts.add(span),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the scopes that have ended since the last message.
    pub(super) fn write_scopes(
        &mut self,
        timeline: Option<&GameTimeline<'_>>,
        writer: &mut Writer<'_>,
    ) -> fmt::Result {
        let mut names = [0; 512];
        let mut count = 0;
        let mut skipped = 0;
        writer.start(Nest::Object)?;
        writer.key("threads")?;
        writer.start(Nest::Array)?;
        let tracks = timeline.map_or(&[][..], |timeline| timeline.tracks());
        let most = SPANS_MAX / tracks.len().max(1);
        for (track, until) in tracks.iter().zip(&mut self.scopes_until) {
            let Some(timeline) = timeline else { break };
            let since = *until;
            let new = track.spans().rev().take_while(|span| span.end_ns > since).count();
            let all = track.spans().count();
            skipped += new.saturating_sub(most);
            writer.start(Nest::Object)?;
            writer.key("name")?;
            writer.string(timeline.name(track.name()))?;
            writer.key("number")?;
            writer.u64(u64::from(track.thread()))?;
            writer.key("spans")?;
            writer.start(Nest::Array)?;
            for span in track.spans().skip(all - new.min(most)) {
                let name = number_of(span.name, &mut names, &mut count);
                write_span(span, name, writer)?;
                *until = span.end_ns;
            }
            writer.end(Nest::Array)?;
            writer.end(Nest::Object)?;
        }
        writer.end(Nest::Array)?;
        writer.key("names")?;
        writer.start(Nest::Array)?;
        let timeline = timeline.iter();
        let names = timeline.flat_map(|of| names[..count].iter().map(|name| of.name(*name)));
        for name in names {
            writer.string(name)?;
        }
        writer.end(Nest::Array)?;
        writer.key("skipped")?;
        writer.u64(skipped as u64)?;
        writer.end(Nest::Object)
    }
}

/// Returns the number of a name in a message.
fn number_of(name: u32, names: &mut [u32; 512], count: &mut usize) -> u64 {
    let known = names[..*count].iter().position(|other| *other == name);
    let number = known.unwrap_or_else(|| {
        // A timeline has no more names.
        let number = (*count).min(names.len() - 1);
        names[number] = name;
        *count = number + 1;
        number
    });
    number as u64
}

fn write_span(span: &Span, name: u64, writer: &mut Writer<'_>) -> fmt::Result {
    writer.start(Nest::Array)?;
    for number in [name, span.start_ns, span.end_ns - span.start_ns, u64::from(span.depth)] {
        writer.u64(number)?;
    }
    match span.core {
        NO_CORE => writer.null()?,
        core => writer.u64(u64::from(core))?,
    }
    writer.end(Nest::Array)
}

/// The scopes right below a frame, with their times.
#[derive(Default)]
struct Parts {
    parts: [(u32, u64, u64); PARTS_MAX],
    count: usize,
    other_ns: u64,
}

impl Parts {
    /// Adds a scope. What began before the frame, in one whose end was lost, is not counted.
    fn add(&mut self, span: &Span) {
        let ns = span.end_ns - span.start_ns;
        let known = self.parts[..self.count].iter_mut().find(|(name, ..)| *name == span.name);
        if let Some((_, first_ns, sum)) = known {
            *first_ns = (*first_ns).min(span.start_ns);
            *sum += ns;
        } else if self.count < PARTS_MAX {
            self.parts[self.count] = (span.name, span.start_ns, ns);
            self.count += 1;
        } else {
            self.other_ns += ns;
        }
    }

    fn write(
        &self,
        timeline: &GameTimeline<'_>,
        start_ns: u64,
        writer: &mut Writer<'_>,
    ) -> fmt::Result {
        writer.start(Nest::Object)?;
        let parts = self.parts[..self.count].iter();
        for (name, _, ns) in parts.filter(|(_, first_ns, _)| *first_ns >= start_ns) {
            writer.key(timeline.name(*name))?;
            writer.u64(*ns)?;
        }
        if self.other_ns > 0 {
            writer.key(OTHER)?;
            writer.u64(self.other_ns)?;
        }
        writer.end(Nest::Object)
    }
}
