//! A row compared with our heap in the same run: the quantities that `replay` and `advise` share.

use crate::interval::interval;
use crate::results::{RowResult, Spread, TraceResult};

/// What is not better by this is no advice.
const WORTH: f64 = 0.95;

/// A ratio of several rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    /// Between these it is, with 95 %.
    pub(crate) range: (f64, f64),
}

impl Ratio {
    /// Returns `true` if it is less than 1 by more than the noise and 5 %.
    pub(crate) fn is_less(self) -> bool {
        self.median <= WORTH && self.range.1 < 1.0
    }
}

/// The empty loop and the heap, which other rows are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfHeap<'r> {
    null: &'r RowResult,
    heap: &'r RowResult,
    live_bytes: f64,
}

impl<'r> OfHeap<'r> {
    /// Returns the comparison; `None` if the loop or the heap did not run.
    pub(crate) fn new(result: &'r TraceResult) -> Option<Self> {
        let named = |name: &str| result.rows.iter().find(|row| row.name == name);
        let live_bytes = result.peak_live_bytes as f64;
        Some(Self { null: named("null")?, heap: named("heap")?, live_bytes })
    }

    /// Returns the nanoseconds of an event above the empty loop, the median of the rounds.
    pub(crate) fn ns_above(&self, row: &RowResult) -> Option<f64> {
        let rounds = row.rounds_ns.iter().zip(&self.null.rounds_ns);
        let above: Vec<f64> = rounds.map(|(own, null)| own - null).collect();
        Spread::of(&above).map(|spread| spread.median)
    }

    /// Returns the time above the empty loop over that of the heap in the same round.
    pub(crate) fn time(&self, row: &RowResult) -> Option<Ratio> {
        let rounds = row.rounds_ns.iter().zip(&self.heap.rounds_ns).zip(&self.null.rounds_ns);
        let ratio =
            |((own, heap), null): ((&f64, &f64), &f64)| (own - null) / (heap - null).max(0.01);
        let mut ratios: Vec<f64> = rounds.map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        Some(Ratio { median: Spread::of(&ratios)?.median, range: interval(&ratios) })
    }

    /// Returns the peak of resident bytes above that of the live ones.
    pub(crate) fn bytes_above(&self, row: &RowResult) -> Option<f64> {
        Some(row.peak_bytes? as f64 - self.live_bytes)
    }

    /// Returns the same over that of the heap.
    pub(crate) fn bytes(&self, row: &RowResult) -> Option<f64> {
        Some(self.bytes_above(row)? / self.bytes_above(self.heap)?)
    }
}
