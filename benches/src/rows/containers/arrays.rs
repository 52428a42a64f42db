//! The rows of arrays of arrays: rows of 0 to 8 elements, compared with vectors in a vector.
//!
//! - `build-ordered` fills row after row, `build-scattered` appends in random order; from nothing.
//! - `walk-csr` is held against rows that cannot grow, after compacting ours.
//! - `bytes-*` count the vectors' blocks as the C library's heap does.
//! - The size is how many rows there are; where bytes are counted, at least.

use crate::contender::{Contender, Race};
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::containers::arrays::{
    self, Arrays, Csr, Lens, Lists, Vectors, built, compacted, filled, ordered, push_pop, scattered,
};

/// Elements a row at most.
const MOST: u32 = 8;

/// Returns the rows.
#[must_use]
pub(super) fn rows() -> Vec<Row> {
    let mut rows = sized::<1_000>("1k");
    rows.extend(sized::<100_000>("100k"));
    let bytes = |name: &str, target, goal, measure| {
        let name = format!("containers/arrays/{name}/100k");
        Row::new(name, Unit::BytesPerLiveByte, Aim::bytes(target, goal), Measure::Once(measure))
    };
    rows.push(bytes("bytes-built", 0.7, 0.6, || built(100_000, MOST)));
    rows.push(bytes("bytes-compacted", 0.55, 0.5, || compacted(100_000, MOST)));
    rows
}

fn sized<const ROWS: u32>(size: &str) -> Vec<Row> {
    let row = |name: &str, target, goal, made| {
        let name = format!("containers/arrays/{name}/{size}");
        Row::new(name, Unit::Ns, Aim::over_peer(target, goal), Measure::Race(made))
    };
    vec![
        row("build-ordered", 1.0 / 1.3, 1.0 / 1.6, || {
            beside(ordered::<Arrays>, ordered::<Vectors>, ROWS)
        }),
        row("build-scattered", 1.0 / 1.5, 1.0 / 2.0, || {
            beside(scattered::<Arrays>, scattered::<Vectors>, ROWS)
        }),
        row("push-pop", 1.0 / 1.2, 1.0 / 1.4, || {
            beside(push_pop::<Arrays>, push_pop::<Vectors>, ROWS)
        }),
        row("copy", 1.0 / 10.0, 1.0 / 15.0, copied::<ROWS>),
        row("walk-csr", 1.1, 1.05, walked::<ROWS>),
    ]
}

/// A workload for a kind of arrays.
type Made = fn(&'static str, Lens) -> Contender;

const fn lens(rows: u32) -> Lens {
    Lens::up_to(MOST, rows)
}

fn beside(ours: Made, theirs: Made, rows: u32) -> Race {
    race(ours("ArrayOfArrays", lens(rows)), theirs("Vec<Vec>", lens(rows)))
}

fn race(ours: Contender, peer: Contender) -> Race {
    Race { ours, peers: vec![peer], absent: Vec::new() }
}

fn copied<const ROWS: u32>() -> Race {
    let (ours, _) = filled::<Arrays>(lens(ROWS));
    let (theirs, _) = filled::<Vectors>(lens(ROWS));
    race(
        arrays::copy("ArrayOfArrays", ROWS, ours, |of| {
            of.try_clone_in(of.memory()).expect("the machine has this memory")
        }),
        arrays::copy("Vec<Vec>", ROWS, theirs, |of| Vectors(of.0.clone())),
    )
}

fn walked<const ROWS: u32>() -> Race {
    let (mut ours, _) = filled::<Arrays>(lens(ROWS));
    ours.compact();
    let csr = Csr::of(&lens(ROWS).draw());
    race(
        arrays::walk("ArrayOfArrays", ROWS, ours, Arrays::sum),
        arrays::walk("compressed rows", ROWS, csr, Csr::sum),
    )
}
