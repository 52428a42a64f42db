//! What the page is drawn from: plain data that becomes JSON inside it.

use serde::Serialize;

use crate::results::RowResult;

/// Everything the page's script reads.
#[derive(Debug, Serialize)]
pub(super) struct PageData<'a> {
    pub(super) traces: Vec<TraceData<'a>>,
    pub(super) films: Vec<Film>,
}

/// The pictures of one trace.
#[derive(Debug, Serialize)]
pub(super) struct TraceData<'a> {
    pub(super) name: &'a str,
    pub(super) events: usize,
    pub(super) threads: usize,
    pub(super) operations: Operations,
    pub(super) peak_live_bytes: u64,
    pub(super) peak_live_blocks: u32,
    /// The name of the row that the verdict names.
    pub(super) best: Option<&'a str>,
    pub(super) rows: Vec<Row<'a>>,
    /// The moments of the lines: the number of events done.
    pub(super) at: Vec<usize>,
    pub(super) live_bytes: Vec<u64>,
    pub(super) histogram: Vec<Bucket>,
    pub(super) allocators: Vec<AllocatorData>,
}

/// A row of the table, with the note that the results keep out of their own JSON.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    #[serde(flatten)]
    pub(super) result: &'a RowResult,
    pub(super) note: Option<&'a str>,
}

/// How many events of each kind a trace has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Operations {
    pub(super) allocate: u64,
    pub(super) zeroed: u64,
    pub(super) reallocate: u64,
    pub(super) free: u64,
}

/// Requests of 2^log2 bytes up to the next power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Bucket {
    pub(super) log2: u32,
    pub(super) count: u64,
    pub(super) bytes: u64,
}

/// What one of our allocators held while it replayed a trace.
#[derive(Debug, Serialize)]
pub(super) struct AllocatorData {
    pub(super) name: &'static str,
    /// Reserved bytes at each of the trace's moments.
    pub(super) reserved: Vec<usize>,
    /// Live bytes at each of the trace's moments, as far as they were not refused.
    pub(super) live: Vec<u64>,
    /// The moments at which the blocks were walked.
    pub(super) walked_at: Vec<usize>,
    /// Free bytes between the live blocks at those.
    pub(super) free: Vec<usize>,
    /// The longest run of them.
    pub(super) largest_free: Vec<usize>,
    pub(super) refused: u64,
    pub(super) moments: Vec<Moment>,
}

/// A strip of the memory map.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Moment {
    pub(super) label: &'static str,
    pub(super) at: usize,
    pub(super) live: u64,
    pub(super) reserved: usize,
    pub(super) bytes_per_cell: usize,
    /// A letter a cell: the live share of its bytes, 0 to z in base 36.
    pub(super) cells: String,
    /// How many regions the allocator held.
    pub(super) regions: usize,
}

/// A moving picture of a buddy allocator: its state after each call.
#[derive(Debug, Serialize)]
pub(super) struct Film {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) region_bytes: usize,
    pub(super) levels: u32,
    /// The blocks alive as it opens, each with the bytes asked for it.
    pub(super) opening: Vec<(usize, usize)>,
    pub(super) calls: Vec<Frame>,
}

/// A call and the state after it. Blocks are numbered from the root, level by level: 0; 1, 2; 3 to
/// 6.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Frame {
    #[serde(flatten)]
    pub(super) call: Call,
    /// A letter a block: `.` absent, `f` free, `s` split, `a` allocated.
    pub(super) states: String,
    /// The free list of each level, first to last.
    pub(super) lists: Vec<Vec<usize>>,
}

/// What was called; `None` is a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "call", rename_all = "lowercase")]
pub(super) enum Call {
    /// The state in which a film opens.
    Open,
    /// A request, and the block that served it.
    Allocate { bytes: usize, block: Option<usize> },
    /// A block taken back.
    Free { block: usize },
    /// A new size without moving, and the block as it then is.
    Resize { block: usize, bytes: usize, to: Option<usize> },
}
