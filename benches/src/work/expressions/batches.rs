//! Columns: ours, and loops in Rust that the compiler makes vector instructions of.

use core::hint::black_box;

use loligo_expressions::{BatchStack, Input};

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::memory::{HEAP, Heap};

use super::{Batch, ROWS, TIMES, compile, rows};

/// Returns our expression at work on columns.
pub(crate) fn our_batch(batch: &'static Batch) -> Contender {
    let expression = compile(batch.source);
    let depth = expression.bytecode().depth();
    let Ok(mut stack) = BatchStack::<Heap>::try_new_in(depth, &HEAP) else {
        unreachable!("there is memory for a few columns")
    };
    passes("loligo", move |columns, results| {
        expression.run_batch(&columns.map(Input::Column), results, &mut stack);
    })
}

/// Returns the loop in Rust at work.
pub(crate) fn native_batch(batch: &'static Batch) -> Contender {
    passes("loop in Rust", batch.native)
}

fn passes(name: &'static str, mut run: impl FnMut([&[f32]; 3], &mut [f32]) + 'static) -> Contender {
    let columns: [Vec<f32>; 3] =
        core::array::from_fn(|variable| rows().iter().map(|row| row[variable]).collect());
    let mut results = vec![0.0; ROWS];
    Contender::new(name, move || {
        let ns = clock::time(|| {
            for _ in 0..TIMES * 4 {
                let columns = [&columns[0], &columns[1], &columns[2]].map(|column| &column[..]);
                run(black_box(columns), black_box(&mut results));
            }
        });
        Pass { ns, operations: (TIMES * 4 * ROWS) as u64 }
    })
}
