//! What a replay promises for the whole program, to be put next to what the program did.
//!
//! A replay knows what the allocator's calls take, on fresh memory as a program has it, and by the
//! calls of the program: C's `free` gets no size. The rest of the program is taken to be the
//! same under each allocator.

use loligo_allocators::{Locked, ThreadHeap};
use serde::{Deserialize, Serialize};

use super::as_malloc::AsMalloc;
use super::compare::Ran;
use crate::measure::{MeasureError, Options, Progress, measure};
use crate::ours;
use crate::results::{Kind, RowResult};
use crate::rows::{self, Row};
use crate::strategies::{self, StrategyConfig};
use crate::trace::Trace;

/// What is promised of an allocator, as ratios to the program under its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Promise {
    /// Its name.
    pub name: String,
    /// Processor time.
    pub cpu: f64,
    /// Peak memory.
    pub peak: f64,
}

/// Replays the whole of a recording over what the program ran under, and says what that would make
/// of the program whose own figures are `own`. The program's own allocator is taken to be the C
/// library's. Ours were preloaded, or built into the program as its global allocator.
///
/// # Errors
///
/// [`MeasureError`] if the system refuses what the replay needs.
pub fn promise(
    trace: &Trace,
    configs: &[StrategyConfig],
    own: &Ran,
    is_preloaded: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Promise>, MeasureError> {
    let mut all: Vec<Row> =
        rows::peers().into_iter().filter(|row| row.name() == "system").collect();
    all.extend(if is_preloaded { preloaded(configs) } else { built_in(configs) });
    let peers = rows::peers().into_iter();
    all.extend(peers.filter(|row| ["mimalloc", "jemalloc"].contains(&row.name())));
    let options = Options { rounds: 9, worst_rounds: 0, fresh: true, ..Options::default() };
    let measured = measure(core::slice::from_ref(trace), &all, &options, progress)?;
    let Some(measured) = measured.first() else { return Ok(Vec::new()) };
    Ok(promises(&measured.result.rows, trace.events.len(), own))
}

/// Returns the rows of libraries that are preloaded.
fn preloaded(configs: &[StrategyConfig]) -> Vec<Row> {
    let mut rows = vec![Row::growing("heap", Kind::Ours, || AsMalloc::<_, false>(thread_heap()))];
    for strategy in configs {
        let tree = strategy.tree.clone();
        rows.push(Row::growing(strategy.name.clone(), Kind::Strategy, move || {
            AsMalloc::<_, true>(strategies::allocator(&tree))
        }));
    }
    rows
}

/// Returns the rows of global allocators in the program.
fn built_in(configs: &[StrategyConfig]) -> Vec<Row> {
    let mut rows = vec![
        ours::allocator_row("heap", thread_heap),
        ours::allocator_row("locked-heap", || Locked::new(ours::heap())),
    ];
    rows.extend(configs.iter().map(StrategyConfig::row));
    rows
}

fn thread_heap() -> ThreadHeap<'static> {
    ThreadHeap::new("heap", &ours::PAGES)
}

/// Makes promises of rows, of which the first is what the program has.
fn promises(rows: &[RowResult], events: usize, own: &Ran) -> Vec<Promise> {
    let Some((system, others)) = rows.split_first() else { return Vec::new() };
    let seconds = |row: &RowResult| Some(row.ns_per_event?.median * events as f64 / 1e9);
    let bytes = |row: &RowResult| Some(row.peak_bytes? as f64);
    let served = |row: &&RowResult| !row.capped && row.refused == Some(0);
    let promise = |row: &RowResult| {
        Some(Promise {
            name: row.name.clone(),
            cpu: 1.0 + (seconds(row)? - seconds(system)?) / own.cpu.median,
            peak: 1.0 + (bytes(row)? - bytes(system)?) / own.peak.median,
        })
    };
    others.iter().filter(served).filter_map(promise).collect()
}

#[cfg(test)]
mod tests {
    use super::promises;
    use crate::check::{Figure, Ran};
    use crate::results::{Kind, RowResult, Spread};

    fn row(name: &str, ns: f64, peak: u64) -> RowResult {
        RowResult {
            name: name.to_owned(),
            kind: Kind::Ours,
            ns_per_event: Spread::of(&[ns]),
            memory_ratio: None,
            peak_bytes: Some(peak),
            worst_ns: None,
            faults: None,
            refused: Some(0),
            capped: false,
            events_done: 0,
            rounds_ns: Vec::new(),
            note: None,
            threads: None,
        }
    }

    #[test]
    fn what_the_calls_save_is_a_part_of_the_program() {
        let figure = |median| Figure { median, ratio: 1.0, from: 1.0, to: 1.0 };
        let own =
            Ran { name: "own".to_owned(), cpu: figure(2.0), wall: figure(2.0), peak: figure(4e6) };
        let capped = RowResult { capped: true, ..row("slow", 1.0, 1) };
        let rows = [row("system", 30.0, 1_000_000), row("heap", 20.0, 1_200_000), capped];
        // Ten million events that take 10 ns less are a tenth of a second of two.
        let promised = promises(&rows, 10_000_000, &own);
        let [heap] = &promised[..] else { panic!("{promised:?}") };
        assert_eq!(heap.name, "heap");
        assert!((heap.cpu - 0.95).abs() < 1e-9, "{heap:?}");
        assert!((heap.peak - 1.05).abs() < 1e-9, "{heap:?}");
        assert!(promises(&[], 1, &own).is_empty());
    }
}
