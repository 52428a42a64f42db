//! Sparks whose size, colour and path artists have written as lines: each line runs over all sparks
//! at once, and no memory is taken in a frame.
//!
//! ```sh
//! cargo run -p loligo-expressions --example particle_parameters
//! ```
#![forbid(unsafe_code)]

use core::error::Error;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::Array;
use loligo_expressions::{BatchStack, Expression, Function, Input, Symbols};

const SPARKS: usize = 2_000;

/// What the artists may name; `rise.x` is a name like any other.
const VARIABLES: [&str; 4] = ["age", "seed", "wind", "rise.y"];

/// The parameters, as they are in the effect's file.
const LINES: [(&str, &str); 4] = [
    ("size", "0.05 + 0.1 * smoothstep(0, 0.2, age) * (1 - age)"),
    ("red", "clamp(1.5 - age * (1 + seed), 0, 1)"),
    ("x", "wind * age + 0.2 * sin(tau * (age * 2 + seed))"),
    ("y", "rise.y * age - 0.5 * gravity * age ^ 2 + 0.05 * flicker(seed + age)"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let pages = PageAllocator::new("pages");
    let heap = HeapAllocator::new("particles", &pages);
    let functions = [Function::new("flicker", 1, |at| (at[0] * 43.7).fract())];
    let symbols =
        Symbols { variables: &VARIABLES, constants: &[("gravity", 9.81)], functions: &functions };

    let memory: &dyn Allocator = &heap;
    let mut parameters: Array<Expression> = Array::new(memory);
    for (name, source) in LINES {
        let expression = Expression::try_compile(source, &symbols, memory)
            .map_err(|error| format!("{name}: {error}"))?;
        println!("{name:4} {:2} words: {source}", expression.bytecode().words().len());
        parameters.try_push(expression)?;
    }
    let depth = parameters.iter().map(|line| line.bytecode().depth()).max().unwrap_or(1);
    let mut stack: BatchStack = BatchStack::try_new(depth, memory)?;
    let mut results: Array<f32> = Array::new(memory);
    results.try_resize(SPARKS * LINES.len(), 0.0)?;
    let mut ages: Array<f32> = Array::new(memory);
    ages.try_extend((0..SPARKS).map(|spark| (spark % 50) as f32 / 50.0))?;
    let mut seeds: Array<f32> = Array::new(memory);
    seeds.try_extend((0..SPARKS).map(|spark| (spark * 7 % 100) as f32 / 100.0))?;

    let before = heap.stats().allocations_total;
    for frame in 0..60 {
        ages.iter_mut().for_each(|age| *age = (*age + 1.0 / 60.0) % 1.0);
        let wind = 0.3 * (frame as f32 * 0.1).sin();
        let inputs =
            [Input::Column(&ages), Input::Column(&seeds), Input::Same(wind), Input::Same(4.0)];
        for (line, column) in parameters.iter().zip(results.chunks_mut(SPARKS)) {
            line.run_batch(&inputs, column, &mut stack);
        }
    }
    assert_eq!(heap.stats().allocations_total, before, "a frame takes no memory");
    for (index, (name, _)) in LINES.iter().enumerate() {
        let first = results[index * SPARKS];
        let one = parameters[index].run(&[ages[0], seeds[0], 0.3 * 5.9_f32.sin(), 4.0]);
        println!("{name:4} of the first spark: {first}");
        assert_eq!(first.to_bits(), one.to_bits(), "the same alone as among 2 000");
    }
    Ok(())
}
