//! What a replay found: the document that `--json` writes and the report shows.

use serde::{Deserialize, Serialize};

/// The whole document: one entry a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The traces in the order in which they were given.
    pub traces: Vec<TraceResult>,
}

/// What one trace cost on every row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceResult {
    /// The trace's name.
    pub name: String,
    /// How many events it has.
    pub events: u64,
    /// The greatest sum of the sizes of its live blocks, while it was measured.
    pub peak_live_bytes: u64,
    /// The rows in the order in which they ran.
    pub rows: Vec<RowResult>,
}

/// What one row cost on one trace. What does not apply is `None`, `null` in JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// The row's name.
    pub name: String,
    /// Whose allocator it is.
    pub kind: Kind,
    /// Thread CPU time over the events done; in a replay by threads the elapsed time.
    pub ns_per_event: Option<Spread>,
    /// Peak anonymous bytes over peak live bytes.
    pub memory_ratio: Option<f64>,
    /// Peak anonymous bytes.
    #[serde(skip)]
    pub peak_bytes: Option<u64>,
    /// The worst single operation: for each event the least over the rounds, then the greatest.
    /// Operations that clear, or move and so copy, more than 4 KiB are left out: beyond that it is
    /// the contents that take the time.
    pub worst_ns: Option<f64>,
    /// Minor page faults of a round, the median.
    pub faults: Option<u64>,
    /// Requests refused in one pass over the trace.
    pub refused: Option<u64>,
    /// Whether the row was stopped at its time cap; its figures are then over `events_done`.
    pub capped: bool,
    /// Events replayed in a round.
    pub events_done: u64,
    /// The counted rounds one by one, ns an event; round r of every row ran in the same sweep, so
    /// ratios between rows are taken within a round.
    #[serde(skip)]
    pub rounds_ns: Vec<f64>,
    /// What a reader of the table should know, in a few words.
    #[serde(skip)]
    pub note: Option<String>,
    /// What only a replay by threads has; left out of the document of any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadFigures>,
}

/// What one row cost in a replay by threads, in addition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadFigures {
    /// Threads that replayed.
    pub threads: u32,
    /// Threads of the trace; where there are more, several were replayed by one.
    pub recorded_threads: u32,
    /// From the start of a round to the end of its last thread.
    pub elapsed_ns: Option<Spread>,
    /// Events a second of elapsed time.
    pub events_per_second: Option<Spread>,
    /// CPU time of all threads, waiting included, over the events done; the median.
    pub cpu_ns_per_event: Option<f64>,
    /// Events on a block that another thread touched last.
    pub hand_overs: u64,
    /// How many of them found the block not there yet and waited; the median.
    pub waits: Option<u64>,
    /// Peak anonymous bytes.
    pub peak_bytes: Option<u64>,
    /// The greatest sum of the sizes of live blocks in the pass that measured memory. More than the
    /// trace's where a thread ran ahead of another.
    pub peak_live_bytes: Option<u64>,
}

/// What kind of row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One of Loligo's allocators.
    Ours,
    /// Several of Loligo's allocators composed.
    Strategy,
    /// Somebody else's allocator.
    Peer,
    /// The replay loop alone.
    Loop,
}

impl Kind {
    /// Returns the word that tables and JSON show.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Strategy => "strategy",
            Self::Peer => "peer",
            Self::Loop => "loop",
        }
    }
}

/// The spread of a figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle one (of an even count, the mean of the two in the middle).
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Returns the spread of `values`, or `None` if there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Some(Self { median, min, max })
    }
}
