//! What a trace shows by itself: live bytes over time, sizes, counts of operations.

use crate::report::data::{Bucket, Operations};
use crate::trace::{Op, Trace};

/// The most points that a line over time has.
pub(super) const POINTS_MAX: usize = 400;

/// A trace's own figures.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Timeline {
    /// Moments, ascending, each given as how many events are done. The events are cut into
    /// stretches of the same length, and of each the moment is the one at which most bytes are
    /// live: so the peak of the trace is among them.
    pub(super) at: Vec<usize>,
    /// Live bytes at the moments.
    pub(super) live_bytes: Vec<u64>,
    /// The first moment at which most bytes are live.
    pub(super) peak_at: usize,
    pub(super) histogram: Vec<Bucket>,
    pub(super) operations: Operations,
    pub(super) threads: usize,
}

impl Timeline {
    /// Reads a trace once.
    ///
    /// # Complexity
    ///
    /// O(events), 8 bytes a slot.
    pub(super) fn of(trace: &Trace) -> Self {
        let events = trace.events.len();
        let stretches = events.min(POINTS_MAX);
        let mut line = Self {
            at: Vec::with_capacity(stretches),
            live_bytes: Vec::with_capacity(stretches),
            peak_at: 0,
            histogram: Vec::new(),
            operations: Operations::default(),
            threads: 0,
        };
        let mut sizes = [(0, 0); 64];
        let mut slots = vec![0; trace.slots as usize];
        let (mut live, mut peak) = (0, 0);
        for (index, event) in trace.events.iter().enumerate() {
            let old = core::mem::replace(&mut slots[event.slot as usize], event.bytes);
            live = live - old + event.bytes;
            line.count(event.op);
            line.threads = line.threads.max(usize::from(event.thread) + 1);
            if event.op != Op::Free {
                let (count, bytes) = &mut sizes[event.bytes.ilog2() as usize];
                *count += 1;
                *bytes += event.bytes;
            }
            line.note(index * stretches / events, index + 1, live);
            if live > peak {
                peak = live;
                line.peak_at = index + 1;
            }
        }
        line.histogram = buckets(&sizes);
        line
    }

    fn count(&mut self, op: Op) {
        let counter = match op {
            Op::Allocate => &mut self.operations.allocate,
            Op::AllocateZeroed => &mut self.operations.zeroed,
            Op::Reallocate => &mut self.operations.reallocate,
            Op::Free => &mut self.operations.free,
        };
        *counter += 1;
    }

    /// Keeps the moment of a stretch at which most is live; the first of equals.
    fn note(&mut self, stretch: usize, at: usize, live: u64) {
        if stretch == self.at.len() {
            self.at.push(at);
            self.live_bytes.push(live);
        } else if live > self.live_bytes[stretch] {
            self.at[stretch] = at;
            self.live_bytes[stretch] = live;
        }
    }
}

/// Returns the buckets from the smallest to the greatest that is used, empty ones between included.
fn buckets(sizes: &[(u64, u64); 64]) -> Vec<Bucket> {
    let used = |&(count, _): &(u64, u64)| count > 0;
    let Some(first) = sizes.iter().position(used) else {
        return Vec::new();
    };
    let last = sizes.iter().rposition(used).unwrap_or(first);
    (first..=last)
        .map(|log2| Bucket { log2: log2 as u32, count: sizes[log2].0, bytes: sizes[log2].1 })
        .collect()
}

#[cfg(test)]
mod tests;
