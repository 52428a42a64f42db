//! The rows of expressions.
//!
//! `one/NAME` runs one input at a time, compared with other libraries; `one-closures/NAME` with a
//! tree of boxed closures, which is what a program makes of a source without a language.
//! `batch256/NAME` runs columns of 256, compared with the same in Rust, compiled to vector
//! instructions: an operation is one of the inputs.

use crate::contender::Race;
use crate::outcome::Aim;
use crate::rows::{Measure, Row, Unit};
use crate::work::expressions::{
    BATCHES, ONES, closures, exmex, fasteval, native_batch, our_batch, ours,
};

/// Returns the rows of expressions.
#[must_use]
pub fn rows() -> Vec<Row> {
    let libraries: [fn() -> Race; 5] = [one::<0>, one::<1>, one::<2>, one::<3>, one::<4>];
    let boxed: [fn() -> Race; 5] = [
        beside_closures::<0>,
        beside_closures::<1>,
        beside_closures::<2>,
        beside_closures::<3>,
        beside_closures::<4>,
    ];
    let batches: [fn() -> Race; 8] = [
        batch::<0>, batch::<1>, batch::<2>, batch::<3>, batch::<4>, batch::<5>, batch::<6>,
        batch::<7>,
    ];
    let ahead = Aim::over_peer(1.0, 0.5);
    let native = Aim::over_peer(1.3, 1.0);
    let row = |kind: &str, name: &str, aim, made| {
        Row::new(format!("expressions/{kind}/{name}"), Unit::Ns, aim, Measure::Race(made))
    };
    let mut rows = Vec::new();
    rows.extend(ONES.iter().zip(libraries).map(|(one, made)| row("one", one.name, ahead, made)));
    rows.extend(
        ONES.iter().zip(boxed).map(|(one, made)| row("one-closures", one.name, ahead, made)),
    );
    rows.extend(
        BATCHES.iter().zip(batches).map(|(batch, made)| row("batch256", batch.name, native, made)),
    );
    rows
}

fn one<const INDEX: usize>() -> Race {
    let one = &ONES[INDEX];
    Race { ours: ours(one), peers: vec![fasteval(one), exmex(one)], absent: Vec::new() }
}

fn beside_closures<const INDEX: usize>() -> Race {
    let one = &ONES[INDEX];
    Race { ours: ours(one), peers: vec![closures(one)], absent: Vec::new() }
}

fn batch<const INDEX: usize>() -> Race {
    let batch = &BATCHES[INDEX];
    Race { ours: our_batch(batch), peers: vec![native_batch(batch)], absent: Vec::new() }
}
