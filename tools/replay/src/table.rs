//! Results as text: an aligned table a trace, and the best strategy in a sentence.

mod by_threads;

use core::cmp::Ordering;
use core::fmt::{self, Write};

use crate::of_heap::OfHeap;
use crate::results::{Kind, RowResult, TraceResult};

/// Shows the rows of a trace as a table, quickest first, rows that were stopped last.
///
/// # Examples
///
/// ```
/// use loligo_replay::results::TraceResult;
/// use loligo_replay::table::Table;
///
/// let result = TraceResult { name: "lua".into(), events: 0, peak_live_bytes: 0, rows: vec![] };
/// assert!(Table(&result).to_string().starts_with("lua: 0 events"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub &'a TraceResult);

/// The headings; the first two columns and the last are set left, the others right.
const HEADINGS: [&str; 12] = [
    "row", "kind", "ns/event", "min", "max", "of heap", "memory", "of heap", "worst ns", "faults",
    "refused", "",
];

/// The events of a recording below which nothing can be said of what serves it best.
const EVENTS_MIN: u64 = 2000;

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(result) = self;
        writeln!(
            f,
            "{}: {} events, peak of {} live bytes",
            result.name,
            grouped(result.events),
            grouped(result.peak_live_bytes)
        )?;
        if let Some(figures) = by_threads::figures(result) {
            return by_threads::write(f, result, figures);
        }
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        let of_heap = OfHeap::new(result);
        lines.extend(by_time(result).into_iter().map(|row| cells(row, of_heap)));
        write_aligned(f, &lines)
    }
}

/// Writes lines of cells as columns, the first two and the last set left, the others right.
fn write_aligned<const COLUMNS: usize>(
    f: &mut fmt::Formatter<'_>,
    lines: &[[String; COLUMNS]],
) -> fmt::Result {
    let mut widths = [0; COLUMNS];
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in lines {
        let mut text = String::from(" ");
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            let is_left = column < 2 || column == COLUMNS - 1;
            if is_left {
                write!(text, " {cell:<width$} ")?;
            } else {
                write!(text, " {cell:>width$} ")?;
            }
        }
        writeln!(f, "{}", text.trim_end())?;
    }
    Ok(())
}

/// Returns the rows of a trace, quickest first; capped rows and rows without a time come last.
#[must_use]
pub fn by_time(result: &TraceResult) -> Vec<&RowResult> {
    let mut rows: Vec<&RowResult> = result.rows.iter().collect();
    rows.sort_by(|a, b| compare(a, b));
    rows
}

fn compare(a: &RowResult, b: &RowResult) -> Ordering {
    let median = |row: &RowResult| row.ns_per_event.map_or(f64::INFINITY, |ns| ns.median);
    let time = median(a).total_cmp(&median(b));
    a.capped.cmp(&b.capped).then(time)
}

fn cells(row: &RowResult, of_heap: Option<OfHeap<'_>>) -> [String; HEADINGS.len()] {
    let none = || "-".to_owned();
    let ns = |of: fn(crate::results::Spread) -> f64| {
        row.ns_per_event.map_or_else(none, |spread| format!("{:.2}", of(spread)))
    };
    let count = |value: Option<u64>| value.map_or_else(none, grouped);
    // The loop has no time above itself, and takes no memory.
    let ratio = |value: Option<f64>| match value {
        Some(ratio) if row.kind != Kind::Loop => format!("{ratio:.2}"),
        _ => none(),
    };
    [
        row.name.clone(),
        row.kind.word().to_owned(),
        ns(|spread| spread.median),
        ns(|spread| spread.min),
        ns(|spread| spread.max),
        ratio(of_heap.and_then(|heap| heap.time(row)).map(|ratio| ratio.median)),
        row.memory_ratio.map_or_else(none, |ratio| format!("{ratio:.3}")),
        ratio(of_heap.and_then(|heap| heap.bytes(row))),
        row.worst_ns.map_or_else(none, |ns| grouped(ns.round() as u64)),
        count(row.faults),
        count(row.refused),
        notes(row),
    ]
}

fn notes(row: &RowResult) -> String {
    let mut notes = Vec::new();
    if row.capped {
        notes.push(format!("capped after {} events", grouped(row.events_done)));
    }
    notes.extend(row.note.clone());
    notes.join(", ")
}

/// Returns the row, ours or a peer's, that served the whole trace in the least time.
#[must_use]
pub fn best(result: &TraceResult) -> Option<&RowResult> {
    quickest(result, |kind| kind != Kind::Loop)
}

fn quickest(result: &TraceResult, wanted: fn(Kind) -> bool) -> Option<&RowResult> {
    by_time(result).into_iter().find(|row| wanted(row.kind) && served_all(row))
}

fn served_all(row: &RowResult) -> bool {
    !row.capped && row.refused == Some(0) && row.ns_per_event.is_some()
}

/// Says in a sentence or two what serves a trace best, and what of ours does.
#[must_use]
pub fn sentence(result: &TraceResult) -> String {
    if result.events < EVENTS_MIN {
        return format!(
            "{}: {} events are too few to say what serves it best; record {} at least.",
            result.name,
            grouped(result.events),
            grouped(EVENTS_MIN)
        );
    }
    let Some(row) = best(result) else {
        return format!("{}: nothing served all of it.", result.name);
    };
    let mut text = format!("{}: `{}` serves it best", result.name, row.name);
    describe(&mut text, result, row);
    let ours = quickest(result, |kind| matches!(kind, Kind::Ours | Kind::Strategy));
    match ours {
        _ if row.kind != Kind::Peer => {}
        Some(ours) => {
            // Writing to a string cannot fail.
            let _ = write!(text, " Of ours it is `{}`", ours.name);
            describe(&mut text, result, ours);
        }
        None => text.push_str(" Nothing of ours served all of it."),
    }
    text
}

/// Adds the figures of a row, and what they are of the heap's and of the system's.
fn describe(text: &mut String, result: &TraceResult, row: &RowResult) {
    let ns = row.ns_per_event.map_or(f64::NAN, |ns| ns.median);
    // Writing to a string cannot fail.
    let _ = write!(text, " with {ns:.2} ns an event");
    if let Some(ratio) = row.memory_ratio {
        let _ = write!(text, " and {ratio:.3} times its live bytes at the peak");
    }
    let named = |name: &str| result.rows.iter().find(|row| row.name == name && served_all(row));
    if row.name != "heap"
        && named("heap").is_some()
        && let Some(time) = OfHeap::new(result).and_then(|heap| heap.time(row))
    {
        let (from, to) = time.range;
        let _ = write!(
            text,
            "; {:.2} ({from:.2}..{to:.2}) of the heap's time above the loop",
            time.median
        );
        if !time.is_less() {
            text.push_str(", which is no gain: it is within 5 % or within the noise");
        }
    }
    if row.name != "system"
        && let Some(system) = named("system").and_then(|row| row.ns_per_event)
    {
        let _ = write!(text, "; {:.2} of the time of the system's malloc", ns / system.median);
    }
    text.push('.');
}

/// Writes a number with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
