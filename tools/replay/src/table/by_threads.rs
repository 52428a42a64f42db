//! The table of a replay by threads.

use core::fmt;

use super::{by_time, grouped, write_aligned};
use crate::results::{RowResult, Spread, ThreadFigures, TraceResult};

/// The headings; the first two columns and the last are set left, the others right.
const HEADINGS: [&str; 13] = [
    "row", "kind", "ms", "min", "max", "events/s", "CPU ns", "waits", "memory", "peak KiB",
    "faults", "refused", "",
];

/// Returns what the first row says about the threads; `None` for a replay by one.
pub(super) fn figures(result: &TraceResult) -> Option<&ThreadFigures> {
    result.rows.first()?.threads.as_ref()
}

/// Writes how many threads there were, and then the rows.
pub(super) fn write(
    f: &mut fmt::Formatter<'_>,
    result: &TraceResult,
    figures: &ThreadFigures,
) -> fmt::Result {
    let (threads, recorded) = (figures.threads, figures.recorded_threads);
    let plural = if threads == 1 { "" } else { "s" };
    let of =
        if recorded > threads { format!(" for {recorded} of the program") } else { String::new() };
    let hand_overs = grouped(figures.hand_overs);
    writeln!(
        f,
        "  {threads} thread{plural}{of}, {hand_overs} events on a block of another thread"
    )?;
    let mut lines = vec![HEADINGS.map(str::to_owned)];
    lines.extend(by_time(result).into_iter().map(cells));
    write_aligned(f, &lines)
}

fn cells(row: &RowResult) -> [String; HEADINGS.len()] {
    let none = || "-".to_owned();
    let count = |value: Option<u64>| value.map_or_else(none, grouped);
    let figures = row.threads.as_ref();
    let ms = |of: fn(Spread) -> f64| {
        let elapsed = figures.and_then(|figures| figures.elapsed_ns);
        elapsed.map_or_else(none, |spread| format!("{:.2}", of(spread) / 1e6))
    };
    let rate = figures.and_then(|figures| figures.events_per_second);
    let cpu_ns = figures.and_then(|figures| figures.cpu_ns_per_event);
    [
        row.name.clone(),
        row.kind.word().to_owned(),
        ms(|spread| spread.median),
        ms(|spread| spread.min),
        ms(|spread| spread.max),
        rate.map_or_else(none, |spread| grouped(spread.median.round() as u64)),
        cpu_ns.map_or_else(none, |ns| format!("{ns:.2}")),
        count(figures.and_then(|figures| figures.waits)),
        row.memory_ratio.map_or_else(none, |ratio| format!("{ratio:.3}")),
        count(row.peak_bytes.map(|bytes| bytes / 1024)),
        count(row.faults),
        count(row.refused),
        super::notes(row),
    ]
}
