//! Collects everything that the page shows.

use core::iter;

use crate::report::data::{AllocatorData, PageData, Row, TraceData};
use crate::report::page::Opening;
use crate::report::sample::Samples;
use crate::report::timeline::Timeline;
use crate::report::words::plural;
use crate::report::{film_demo, film_trace, subjects};
use crate::results::{Kind, Results, TraceResult};
use crate::table;
use crate::trace::Trace;

/// Returns what is first on the page and what its pictures are drawn from.
pub(super) fn collect<'a>(results: &'a Results, traces: &'a [Trace]) -> (Opening, PageData<'a>) {
    // Traces and results come in the same order; names alone would mix up two files of one name.
    let results = results.traces.iter().map(Some).chain(iter::repeat(None));
    let pairs: Vec<_> = traces
        .iter()
        .zip(results)
        .map(|(trace, result)| (trace, result.filter(|result| result.name == trace.name)))
        .collect();
    let films =
        film_demo::film().into_iter().chain(traces.iter().filter_map(film_trace::film)).collect();
    let data = PageData {
        traces: pairs.iter().map(|(trace, result)| trace_data(trace, *result)).collect(),
        films,
    };
    let opening = Opening {
        lede: lede(&data.traces),
        verdicts: pairs
            .iter()
            .map(|(trace, result)| (trace.name.clone(), result.map_or_else(String::new, verdict)))
            .collect(),
    };
    (opening, data)
}

fn trace_data<'a>(trace: &'a Trace, result: Option<&'a TraceResult>) -> TraceData<'a> {
    let line = Timeline::of(trace);
    let allocators = allocators(trace, &line);
    TraceData {
        name: &trace.name,
        events: trace.events.len(),
        threads: line.threads,
        operations: line.operations,
        peak_live_bytes: trace.peak_live_bytes,
        peak_live_blocks: trace.peak_live_blocks,
        best: result.and_then(table::best).map(|row| row.name.as_str()),
        rows: result.map_or_else(Vec::new, rows),
        at: line.at,
        live_bytes: line.live_bytes,
        histogram: line.histogram,
        allocators,
    }
}

fn rows(result: &TraceResult) -> Vec<Row<'_>> {
    result.rows.iter().map(|row| Row { result: row, note: row.note.as_deref() }).collect()
}

/// Samples our allocators one after the other, so that one's memory is given back before the next.
fn allocators(trace: &Trace, line: &Timeline) -> Vec<AllocatorData> {
    let samples = subjects::sample_all(trace, line);
    let longest = samples.iter().map(Samples::longest).max().unwrap_or(0);
    samples.into_iter().map(|samples| samples.finish(longest)).collect()
}

/// Returns the sentence of a trace without the name that it starts with.
fn verdict(result: &TraceResult) -> String {
    let sentence = table::sentence(result);
    let start = format!("{}: ", result.name);
    let verdict = sentence.strip_prefix(&start).unwrap_or(&sentence);
    let mut letters = verdict.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn lede(traces: &[TraceData<'_>]) -> String {
    let events: usize = traces.iter().map(|trace| trace.events).sum();
    let rows = traces.iter().flat_map(|trace| &trace.rows);
    let mut names: Vec<_> = rows
        .filter(|row| row.result.kind != Kind::Loop)
        .map(|row| row.result.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    format!(
        "{}, {} of allocating and freeing, replayed over {}.",
        plural(traces.len(), "recorded program"),
        plural(events, "event"),
        plural(names.len(), "allocator")
    )
}

#[cfg(test)]
mod tests;
