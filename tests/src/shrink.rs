//! Makes a failing program small and prints it as a test.
//!
//! First operations are left out, in ever smaller runs (delta debugging: A. Zeller and R.
//! Hildebrandt, Simplifying and isolating failure-inducing input, 2002); then each that is left is
//! made plainer: smaller sizes, lesser alignments, fewer slots. Both are repeated until neither
//! changes anything, so that no single operation of the result can be left out.

mod case;
mod ops;
mod records;
mod rust_test;
mod subject;
mod work;

use core::fmt;

pub use case::{Case, Unfit, allocator_targets};
pub use rust_test::{allocator_test, model_test};
pub use subject::{Subject, run_on};
pub use work::{Shrunk, shrink_in_children, work};

/// The most runs that [`shrink`] makes. Most programs need some hundred.
pub const RUNS_MAX: u32 = 20_000;

/// An operation that can be made plainer. Shrinking only goes from an operation to one of these,
/// and these are less in some measure that cannot fall for ever, so that it ends.
pub trait Plainer: Clone + fmt::Debug {
    /// Returns operations that are less than this one, those that differ most first.
    fn plainer(&self) -> Vec<Self>;

    /// Returns programs that may do the same as this one with fewer names.
    fn renamed(_program: &[Self]) -> Vec<Vec<Self>> {
        Vec::new()
    }
}

/// Returns the smallest program that can be made of `program` so that `fails` still holds of it. If
/// it does not hold of `program` itself, that is returned as it is.
///
/// # Complexity
///
/// O(n log n) runs where one operation of n is at fault, O(n²) at the worst; no more than
/// [`RUNS_MAX`].
///
/// # Examples
///
/// ```
/// use loligo_tests::programs::AllocatorOp::{Allocate, Check, Free};
/// use loligo_tests::shrink::shrink;
///
/// let program =
///     [Check, Allocate { slot: 7, size: 300, align: 64 }, Check, Free { slot: 7 }, Check];
/// // What fails is any block of more than a hundred bytes.
/// let small = shrink(program.to_vec(), &mut |program| {
///     program.iter().any(|op| matches!(op, Allocate { size: 101.., .. }))
/// });
/// assert_eq!(small, [Allocate { slot: 0, size: 101, align: 1 }]);
/// ```
pub fn shrink<O: Plainer>(program: Vec<O>, fails: &mut dyn FnMut(&[O]) -> bool) -> Vec<O> {
    let mut run = Runs { fails, left: RUNS_MAX };
    if !run.fails(&program) {
        return program;
    }
    let mut program = run.cut(program);
    loop {
        let fewer = run.leave_out(&mut program);
        let plainer = run.make_plainer(&mut program);
        if !fewer && !plainer {
            return program;
        }
    }
}

struct Runs<'f, O> {
    fails: &'f mut dyn FnMut(&[O]) -> bool,
    left: u32,
}

impl<O: Plainer> Runs<'_, O> {
    fn fails(&mut self, program: &[O]) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        (self.fails)(program)
    }

    /// Finds a short beginning that fails: what comes after the failure does not count, and where a
    /// trace has a million operations this is the quickest way to be rid of most of them.
    fn cut(&mut self, mut program: Vec<O>) -> Vec<O> {
        let (mut fine, mut failing) = (0, program.len());
        while fine + 1 < failing {
            let middle = fine + (failing - fine) / 2;
            if self.fails(&program[..middle]) {
                failing = middle;
            } else {
                fine = middle;
            }
        }
        program.truncate(failing);
        program
    }

    /// Leaves out runs of operations, half as long each time, until no single one can go. Returns
    /// whether any went.
    fn leave_out(&mut self, program: &mut Vec<O>) -> bool {
        let before = program.len();
        let mut run = program.len();
        while run > 0 {
            let mut from = 0;
            let mut went = false;
            while from < program.len() {
                let mut fewer = program.clone();
                fewer.drain(from..(from + run).min(program.len()));
                if self.fails(&fewer) {
                    *program = fewer;
                    went = true;
                } else {
                    from += run;
                }
            }
            run = if went && run == 1 { 1 } else { run / 2 };
        }
        program.len() < before
    }

    /// Makes each operation as plain as it may be. Returns whether any changed.
    fn make_plainer(&mut self, program: &mut Vec<O>) -> bool {
        let mut changed = false;
        for renamed in O::renamed(program) {
            if self.fails(&renamed) {
                *program = renamed;
                changed = true;
                break;
            }
        }
        for at in 0..program.len() {
            while let Some(plainer) = self.plainer_at(program, at) {
                *program = plainer;
                changed = true;
            }
        }
        changed
    }

    fn plainer_at(&mut self, program: &[O], at: usize) -> Option<Vec<O>> {
        program[at].plainer().into_iter().find_map(|plainer| {
            let mut changed = program.to_vec();
            changed[at] = plainer;
            self.fails(&changed).then_some(changed)
        })
    }
}
