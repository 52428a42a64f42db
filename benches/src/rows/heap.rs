//! The heap's rows.

use loligo_allocators::{Allocator, HeapAllocator};

use crate::blocks::{Blocks, Global, Ours, words};
use crate::contender::{Contender, Race};
use crate::memory::{Arena, PAGES};
use crate::outcome::{Aim, Reading};
use crate::random::Random;
use crate::replayed::{Question, Shift};
use crate::rows::{Measure, Row, Unit};
use crate::work::growth::grow_by_halves;
use crate::work::mixed::{Mixed, Sizes};
use crate::work::sparse::{Sparse, resident_after_shrinking};

/// Returns the heap's rows, with two for each trace: `heap/trace/NAME` is the heap in a fixed
/// region compared with talc and rlsf in the same region, `heap/trace/NAME/grow` the heap that
/// grows, compared with snmalloc.
#[must_use]
pub fn rows(traces: &[String]) -> Vec<Row> {
    let mut rows = vec![
        replay(
            "heap-region/geomean",
            Unit::Ns,
            Aim::over_peer(0.48, 0.43),
            Question::Geomean { ours: "heap-region" },
        ),
        replay(
            "heap/geomean",
            Unit::Ns,
            Aim::over_peer(0.51, 0.45),
            Question::Geomean { ours: "heap" },
        ),
        replay("heap/memory", Unit::BytesPerLiveByte, Aim::bytes(1.105, 1.08), Question::Memory),
        shift("heap/shift20", 24, 480, Aim::bytes(3.0, 2.2)),
        shift("heap/shiftm", 520, 8000, Aim::bytes(2.0, 1.6)),
        shift("heap/shiftw", 24, 12_000, Aim::bytes(3.2, 2.3)),
        replay("heap/worst", Unit::Us, Aim::time(1.5, 1.0), Question::Worst),
    ];
    rows.extend(traces.iter().flat_map(|trace| trace_rows(trace)));
    rows.extend([
        Row::new("heap/uniform50k", Unit::Ns, Aim::over_peer(1.25, 1.0), Measure::Race(uniform50k)),
        one("heap/one497/5k", one_size::<497, 5_000>),
        one("heap/one1000/5k", one_size::<1_000, 5_000>),
        one("heap/one4000/5k", one_size::<4_000, 5_000>),
        one("heap/one497/50k", one_size::<497, 50_000>),
        one("heap/one1000/50k", one_size::<1_000, 50_000>),
        one("heap/one4000/50k", one_size::<4_000, 50_000>),
        Row::new("heap/realloc", Unit::Ns, Aim::over_peer(1.25, 1.0), Measure::Race(realloc)),
        Row::new("heap/resident", Unit::Mib, Aim::count(20.0, 4.0), Measure::Once(resident)),
        Row::new("heap/refault", Unit::Ns, Aim::time(1000.0, 500.0), Measure::Added(refault)),
        Row::new(
            "heap/fill",
            Unit::LiveBytesPerByte,
            Aim { at_least: true, ..Aim::bytes(0.97, 0.98) },
            Measure::Once(fill),
        ),
    ]);
    rows
}

/// Returns a row of blocks of one size.
fn one(name: &str, race: fn() -> Race) -> Row {
    Row::new(name, Unit::Ns, Aim::over_peer(1.25, 1.0), Measure::Race(race))
}

/// Returns a row of phases with sizes from `least` to `most`.
fn shift(name: &'static str, least: u64, most: u64, aim: Aim) -> Row {
    let sizes = Shift { name, least, most };
    replay(name, Unit::BytesPerLiveByte, aim, Question::Shift(sizes))
}

fn replay(name: &str, unit: Unit, aim: Aim, question: Question) -> Row {
    Row::new(name, unit, aim, Measure::Replay(question))
}

/// Returns the rows of one trace.
fn trace_rows(trace: &str) -> [Row; 2] {
    // Most of its blocks are large, where all checks cost most.
    let aim =
        if trace == "git-log" { Aim::over_peer(1.05, 0.95) } else { Aim::over_peer(1.0, 0.8) };
    [
        replay(
            &format!("heap/trace/{trace}"),
            Unit::Ns,
            aim,
            Question::Trace {
                trace: trace.to_owned(),
                ours: "heap-region",
                peers: &["talc", "rlsf"],
            },
        ),
        replay(
            &format!("heap/trace/{trace}/grow"),
            Unit::Ns,
            Aim::over_peer(1.25, 1.0),
            Question::Trace { trace: trace.to_owned(), ours: "heap", peers: &["snmalloc"] },
        ),
    ]
}

/// Returns a contender in the churn of uniform sizes.
fn churning(name: &'static str, allocator: impl Blocks + 'static) -> Contender {
    let mut mixed = Mixed::new(allocator, 50_000, &Sizes::uniform(16, 4096));
    Contender::new(name, move || mixed.churn(500_000))
}

fn uniform50k() -> Race {
    Race {
        ours: churning("heap", Ours(HeapAllocator::new_in("heap", &PAGES))),
        peers: vec![
            #[cfg(feature = "peers-all")]
            churning("jemalloc", Global(tikv_jemallocator::Jemalloc)),
        ],
        absent: crate::absent::absent(&["jemalloc"]),
    }
}

/// A buffer grown by `realloc`.
fn realloc() -> Race {
    fn contender<B: Blocks + 'static>(name: &'static str, mut blocks: B) -> Contender {
        Contender::new(name, move || grow_by_halves(&mut blocks))
    }
    Race {
        ours: contender("heap", Ours(HeapAllocator::new_in("heap", &PAGES))),
        peers: vec![
            contender("system", Global(std::alloc::System)),
            #[cfg(feature = "peers-all")]
            contender("jemalloc", Global(tikv_jemallocator::Jemalloc)),
            #[cfg(feature = "peers-all")]
            contender("snmalloc", Global(snmalloc_rs::SnMalloc)),
        ],
        absent: crate::absent::absent(&["jemalloc", "snmalloc"]),
    }
}

/// What stays resident of 600 MiB of which 64 KiB are live.
fn resident() -> Reading {
    Reading::single(resident_after_shrinking())
}

/// The time that a page costs more after its memory went back to the system.
fn refault() -> [Contender; 2] {
    let contender = |name, shrinks| {
        let mut sparse = Sparse::new(shrinks);
        Contender::new(name, move || sparse.pass())
    };
    [contender("shrunk", true), contender("kept", false)]
}

/// Random free and allocate of blocks of one size, `LIVE` at a time.
fn one_size<const BYTES: u32, const LIVE: u32>() -> Race {
    fn contender<B: Blocks + 'static>(
        name: &'static str,
        blocks: B,
        bytes: u32,
        live: u32,
    ) -> Contender {
        let mut mixed = Mixed::new(blocks, live, &Sizes::uniform(bytes, bytes));
        // As in a program that runs for a while: each block was freed and taken some times.
        let _warm = mixed.churn(4 * live);
        Contender::new(name, move || mixed.churn(200_000))
    }
    Race {
        ours: contender("heap", Ours(HeapAllocator::new_in("heap", &PAGES)), BYTES, LIVE),
        peers: vec![
            contender("system", Global(std::alloc::System), BYTES, LIVE),
            #[cfg(feature = "peers-all")]
            contender("jemalloc", Global(tikv_jemallocator::Jemalloc), BYTES, LIVE),
            #[cfg(feature = "peers-all")]
            contender("snmalloc", Global(snmalloc_rs::SnMalloc), BYTES, LIVE),
        ],
        absent: crate::absent::absent(&["jemalloc", "snmalloc"]),
    }
}

/// Bytes of the region that is filled.
const FILL_BYTES: usize = 64 << 20;

/// Fills a region with blocks of random sizes until one is refused.
fn fill() -> Reading {
    let arena = Arena::new(FILL_BYTES);
    // SAFETY: the heap ends before the arena.
    let heap = HeapAllocator::from_region("heap", unsafe { arena.lend() });
    let mut random = Random::new(64);
    let mut blocks = Vec::new();
    let mut live_bytes = 0;
    loop {
        let layout = words(16 + random.below(4081));
        let Ok(block) = heap.allocate(layout) else {
            break;
        };
        blocks.push((block.cast(), layout));
        live_bytes += layout.size();
    }
    for (block, layout) in blocks {
        // SAFETY: the block was taken above with this layout and is freed once.
        unsafe { heap.deallocate_sized(block, layout) };
    }
    Reading::single(live_bytes as f64 / FILL_BYTES as f64)
}
