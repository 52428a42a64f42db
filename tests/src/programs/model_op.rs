//! What programs on tables and containers have in common: steps of plain numbers, bytes, and a run
//! in parallel with a model.

use core::cell::RefCell;
use core::fmt;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use crate::attempt::{panic_on_misuse, text_of};
use crate::shrink::{model_test, shrink};

use super::plan::config;

/// Bytes of one step.
const STEP_BYTES: usize = 6;

/// One step as plain numbers, each of which may be anything.
///
/// ```text
/// 0      1       2       4       6
/// +------+-------+-------+-------+
/// | kind | count | which | at    |
/// +------+-------+-------+-------+
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// Which operation.
    pub kind: u8,
    /// How many elements, or what else is small.
    pub count: u8,
    /// Which id, list or row, of those that there are or were.
    pub which: u16,
    /// Which place in it, of those that there are.
    pub at: u16,
}

/// An operation that is done on a container and on a model of it.
pub trait ModelOp: Copy + fmt::Debug + PartialEq {
    /// The name of its type.
    const NAME: &'static str;

    /// The name of the function in [`programs`](super) that runs programs of it.
    const RUN: &'static str;

    /// Makes an operation of any step.
    fn of(step: Step) -> Self;

    /// Returns a step of which this operation is made.
    fn step(self) -> Step;
}

/// Declares a family of operations, each with the first and the last kind of step that it is made
/// of.
macro_rules! model_ops {
    ($(#[$about:meta])* $name:ident of $all:literal by $run:ident {
        $($(#[$what:meta])*
        $first:literal..=$last:literal => $op:ident $({ $($field:ident: $type:ty),* })?,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$what])*
            $op $({ $(
                #[doc = concat!("As [`Step::", stringify!($field), "`](super::Step).")]
                $field: $type
            ),* })?,)*
        }

        impl $crate::programs::ModelOp for $name {
            const NAME: &'static str = stringify!($name);

            const RUN: &'static str = stringify!($run);

            fn of(step: $crate::programs::Step) -> Self {
                match step.kind % $all {
                    $($first..=$last => Self::$op $({ $($field: step.$field),* })?,)*
                    kind => unreachable!("no operation has the kind {kind}"),
                }
            }

            fn step(self) -> $crate::programs::Step {
                match self {
                    $(Self::$op $({ $($field),* })? => {
                        let step =
                            $crate::programs::Step { kind: $first, ..Default::default() };
                        $($(let step = $crate::programs::Step { $field, ..step };)*)?
                        step
                    })*
                }
            }
        }
    };
}

pub(crate) use model_ops;

/// Decodes a program. Every input is one; a rest of fewer than six bytes is left out.
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::{RingOp, ops_from_bytes, ops_to_bytes};
///
/// let program = [RingOp::PushBack, RingOp::Remove { at: 3 }];
/// assert_eq!(ops_from_bytes::<RingOp>(&ops_to_bytes(&program)), program);
/// ```
#[must_use]
pub fn ops_from_bytes<O: ModelOp>(bytes: &[u8]) -> Vec<O> {
    let (steps, _) = bytes.as_chunks::<STEP_BYTES>();
    let number = |low, high| u16::from_le_bytes([low, high]);
    let step = |&[kind, count, a, b, c, d]: &[u8; STEP_BYTES]| {
        O::of(Step { kind, count, which: number(a, b), at: number(c, d) })
    };
    steps.iter().map(step).collect()
}

/// Encodes a program, as a seed for a corpus.
#[must_use]
pub fn ops_to_bytes<O: ModelOp>(program: &[O]) -> Vec<u8> {
    let bytes = |op: &O| {
        let Step { kind, count, which, at } = op.step();
        let ([a, b], [c, d]) = (which.to_le_bytes(), at.to_le_bytes());
        [kind, count, a, b, c, d]
    };
    program.iter().flat_map(bytes).collect()
}

/// A container that does not do what its model does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Which operation shows it, by its place in the program; the number of operations if the end
    /// does.
    pub index: usize,
    /// The operation, as text.
    pub op: String,
    /// How the two differ.
    pub what: String,
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {}, {}: {}", self.index, self.op, self.what)
    }
}

impl core::error::Error for Differs {}

/// What is done on both, step by step.
pub(crate) trait Beside {
    type Op: ModelOp;

    /// Takes something out of the container alone, as a fault in it would; does nothing where it is
    /// empty, and for anybody's containers, whose planted faults are implementations of their own.
    fn lose(&mut self) {}

    /// Does one operation. Returns whether memory was had for it.
    fn step(&mut self, op: Self::Op) -> Result<bool, String>;

    /// Compares all that can be seen.
    fn compare(&self) -> Result<(), String>;
}

/// After how many operations all is compared.
const COMPARE_EVERY: usize = 16;

/// Runs a program and returns how many operations were refused memory.
pub(crate) fn run_beside<B: Beside>(program: &[B::Op], both: &mut B) -> Result<u32, Differs> {
    run_with(program, both, |_, _, _| {})
}

/// Runs a program on a container with a planted fault: it loses something where the same operation
/// is done twice in a row. A family that does not find that sees nothing.
pub(super) fn run_planted<B: Beside>(program: &[B::Op], both: &mut B) -> Result<u32, Differs> {
    run_with(program, both, |both, program, index| {
        let kind = |at: usize| program[at].step().kind;
        if index > 0 && kind(index) == kind(index - 1) {
            both.lose();
        }
    })
}

fn run_with<B: Beside>(
    program: &[B::Op],
    both: &mut B,
    after: impl Fn(&mut B, &[B::Op], usize),
) -> Result<u32, Differs> {
    let mut refused = 0;
    for (index, &op) in program.iter().enumerate() {
        let differs = |what| Differs { index, op: format!("{op:?}"), what };
        let served = both.step(op).map_err(differs)?;
        after(both, program, index);
        refused += u32::from(!served);
        if !served || index % COMPARE_EVERY == 0 {
            both.compare().map_err(differs)?;
        }
    }
    let at_end = |what| Differs { index: program.len(), op: "the end".to_owned(), what };
    both.compare().map_err(at_end)?;
    Ok(refused)
}

/// Runs something and turns a panic into a difference.
pub(super) fn no_panic(run: impl FnOnce() -> Result<(), Differs>) -> Result<(), Differs> {
    panic_on_misuse();
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let what = format!("it panics: {}", text_of(payload.as_ref()));
        Err(Differs { index: 0, op: "some".to_owned(), what })
    })
}

/// Compares one thing.
pub(crate) fn same<T: PartialEq + fmt::Debug>(
    what: &str,
    ours: T,
    models: T,
) -> Result<(), String> {
    if ours == models { Ok(()) } else { Err(format!("{what}: {ours:?}, of the model {models:?}")) }
}

/// Draws programs of up to `steps` operations by proptest and runs each.
///
/// # Panics
///
/// If one fails; the message is the smallest program that does, as a test to paste. Also if
/// proptest gives up.
pub fn check_ops<O: ModelOp>(
    cases: u32,
    steps: usize,
    run: impl FnMut(&[O]) -> Result<(), Differs>,
) {
    let mut run = run;
    let config = config(cases, None);
    println!("seed {}; the variable PROPTEST_RNG_SEED sets another", config.rng_seed);
    if let Some(found) = find_ops(config, steps, |program: &[O]| no_panic(|| run(program))) {
        let run = format!("{}(&program, memory)", O::RUN);
        let test = model_test::<O>("program", &run, 0, &found.program, &found.why);
        panic!("{}\nThe smallest program that does it, as a test:\n\n{test}", found.why);
    }
}

/// A program that fails and cannot be made smaller.
pub(crate) struct Smallest<O> {
    /// What is done.
    pub(crate) program: Vec<O>,
    /// What is wrong then.
    pub(crate) why: String,
}

impl<O: fmt::Debug> fmt::Display for Smallest<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ops: String = self.program.iter().map(|op| format!("        {op:?},\n")).collect();
        write!(f, "{}\nThe smallest program that does it:\n\n    [\n{ops}    ]", self.why)
    }
}

/// Runs programs as [`check_ops`] does, and returns the first that fails, made small.
pub(crate) fn find_ops<O: ModelOp, E: fmt::Display>(
    config: Config,
    steps: usize,
    run: impl FnMut(&[O]) -> Result<(), E>,
) -> Option<Smallest<O>> {
    let run = RefCell::new(run);
    let op = any::<(u8, u8, u16, u16)>()
        .prop_map(|(kind, count, which, at)| O::of(Step { kind, count, which, at }));
    let result = TestRunner::new(config).run(&vec(op, 1..=steps), |program| {
        (run.borrow_mut())(&program).map_err(|differs| TestCaseError::fail(differs.to_string()))
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(reason, program)) => {
            let mut run = run.borrow_mut();
            let program = shrink(program, &mut |program| run(program).is_err());
            let last =
                run(&program).err().map_or(reason.to_string(), |differs| differs.to_string());
            Some(Smallest { program, why: last })
        }
        Err(TestError::Abort(reason)) => panic!("no programs could be drawn: {reason}"),
    }
}
