//! How long blocks live, as a histogram by events and by time.

use serde::Serialize;

/// Upper bounds of the lifetimes in events; one more class has all that live longer.
const EVENTS: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];

/// Upper bounds of the lifetimes in nanoseconds; one more class has all that live longer.
const TIMES_NS: [u64; 7] =
    [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// A class of a histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The longest lifetime of the class, in events or nanoseconds; `None` of the last class, which
    /// has no bound.
    pub up_to: Option<u64>,
    /// Blocks that lived so long.
    pub blocks: u64,
    /// Their bytes when they were freed.
    pub bytes: u64,
}

/// How long the blocks of a recording live, those that are live at its end left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lifetimes {
    /// In events from the allocation to the free: 1 if the free is the next event.
    pub by_events: Vec<Span>,
    /// In nanoseconds; empty without times.
    pub by_time_ns: Vec<Span>,
}

impl Lifetimes {
    pub(super) fn new(has_times: bool) -> Self {
        let times: &[u64] = if has_times { &TIMES_NS } else { &[] };
        let by_time_ns = if has_times { spans(times) } else { Vec::new() };
        Self { by_events: spans(&EVENTS), by_time_ns }
    }

    pub(super) fn enter(&mut self, bytes: u64, events: u64, time_ns: Option<u64>) {
        count(&mut self.by_events, &EVENTS, events, bytes);
        if let Some(time_ns) = time_ns {
            count(&mut self.by_time_ns, &TIMES_NS, time_ns, bytes);
        }
    }
}

fn spans(bounds: &[u64]) -> Vec<Span> {
    let bounds = bounds.iter().copied().map(Some).chain([None]);
    bounds.map(|up_to| Span { up_to, ..Span::default() }).collect()
}

fn count(spans: &mut [Span], bounds: &[u64], lifetime: u64, bytes: u64) {
    let class = bounds.partition_point(|&bound| bound < lifetime);
    if let Some(span) = spans.get_mut(class) {
        span.blocks += 1;
        span.bytes = span.bytes.saturating_add(bytes);
    }
}
