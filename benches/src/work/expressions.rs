//! Expressions of one line: ours, those of other libraries, trees of boxed closures, and functions
//! in Rust.
//!
//! One by one, an operation is one run with variables that change from run to run. In batches it is
//! one of 256 inputs, whose columns are in the nearest cache.

mod batches;
mod closures;
mod peers;
mod sources;

use loligo_expressions::{Expression, Symbols};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

pub(crate) use batches::{native_batch, our_batch};
pub(crate) use closures::closures;
pub(crate) use peers::{exmex, fasteval};
pub(crate) use sources::{BATCHES, Batch, ONES, One};

/// The variables of all sources.
pub(crate) const VARIABLES: [&str; 3] = ["t", "x", "y"];

/// The rows of variables that are run through, again and again.
const ROWS: usize = 256;

/// How often a pass runs through them.
const TIMES: usize = 200;

/// Returns an expression of ours that runs one by one.
pub(crate) fn ours(one: &'static One) -> Contender {
    let expression = compile(one.source);
    ones("loligo", rows(), move |row| expression.run(row))
}

fn compile(source: &'static str) -> Expression<'static, Heap> {
    let symbols = Symbols { variables: &VARIABLES, ..Symbols::default() };
    match Expression::try_compile_in(source, &symbols, &HEAP) {
        Ok(expression) => expression,
        Err(error) => unreachable!("the source is right: {error}"),
    }
}

/// Returns the values of the variables, row by row.
fn rows() -> Vec<[f32; 3]> {
    let value =
        |row: usize, variable: usize| ((row * 37 + variable * 11) % 200) as f32 * 0.02 - 1.0;
    (0..ROWS).map(|row| core::array::from_fn(|variable| value(row, variable))).collect()
}

/// Returns a contender whose pass runs something for each row.
fn ones<T: 'static>(
    name: &'static str,
    rows: Vec<[T; 3]>,
    run: impl Fn(&[T; 3]) -> T + 'static,
) -> Contender {
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..TIMES {
                for row in &rows {
                    core::hint::black_box(run(core::hint::black_box(row)));
                }
            }
        });
        Pass { ns, operations: (TIMES * ROWS) as u64 }
    })
}
