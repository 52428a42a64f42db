//! What the target `expressions` and its seeds share: the names, and a run one by one beside a
//! batch.

use loligo_allocators::Allocator;
use loligo_expressions::{BatchStack, Bytecode, Function, Input, Symbols};

/// Functions of the user's, one with a form for columns.
static FUNCTIONS: [Function<'static>; 3] = [
    Function::new("half", 1, |a| a[0] * 0.5).with_batch(|columns, to| {
        to.iter_mut().zip(columns[0]).for_each(|(to, a)| *to = a * 0.5);
    }),
    Function::new("mix4", 4, |a| (a[0] - a[1]) * a[2] + a[3]),
    Function::new("seven", 0, |_| 7.0).varying(),
];

/// The names that sources may use.
pub const SYMBOLS: Symbols<'static> = Symbols {
    variables: &["t", "x", "wind.y"],
    constants: &[("gravity", 9.81)],
    functions: &FUNCTIONS,
};

/// More inputs than run at once.
const ROWS: usize = 259;

/// Inputs of a run: as many as each of the machines needs at least, and some more.
const COUNTS: [usize; 5] = [3, 7, 45, 100, ROWS];

/// Runs bytecode for inputs one by one and all at once: the results must be the same to the bit.
///
/// # Panics
///
/// If they are not.
pub fn run_both(bytecode: &Bytecode<'_>, memory: &dyn Allocator) {
    let corners = [0.0, -0.0, 1.5, -7.0, f32::NAN, f32::INFINITY, -1e9, 1e-40, 0.999];
    let t: [f32; ROWS] = core::array::from_fn(|row| corners[row % corners.len()]);
    let x: [f32; ROWS] = core::array::from_fn(|row| row as f32 * 0.37 - 40.0);
    let inputs = [Input::Column(&t), Input::Column(&x), Input::Same(-2.5)];
    let mut results = [0.0; ROWS];
    let mut stack: BatchStack =
        BatchStack::try_new_in(bytecode.depth(), memory).expect("there is memory");
    for count in COUNTS {
        bytecode.run_batch(&inputs, &mut results[..count], &mut stack);
        for (row, result) in results[..count].iter().enumerate() {
            let one = bytecode.run(&[t[row], x[row], -2.5]);
            let note = format_args!("row {row} of {count}: {one} alone, {result} in a batch");
            assert_eq!(one.to_bits(), result.to_bits(), "{note}");
        }
    }
}
