//! The long operations: loops over floats in memory, which the compiler makes vector instructions
//! of where that is possible.

use crate::math;
use crate::operands::{OnBinary, OnUnary};
use crate::operation::{on_long_binary, on_long_unary, unary};
use crate::symbols::{ARGUMENTS_MAX, Function};

/// The second operand of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Second<'s> {
    /// It has one operand.
    None,
    /// The same for all.
    Float(f32),
    /// One for each.
    Column(&'s [f32]),
}

/// Runs a long operation.
#[inline(always)]
pub(super) fn run(code: u8, floats: &mut [f32], second: Second<'_>) {
    match second {
        Second::None => run_unary(code, floats),
        Second::Float(second) => on_long_binary(code, WithFloat { floats, second }),
        Second::Column(second) => on_long_binary(code, WithColumn { floats, second }),
    }
}

#[inline(always)]
fn run_unary(code: u8, floats: &mut [f32]) {
    // A loop that compares each angle with `math::NEAR` is not vectorised, so the comparison is
    // made for all floats first.
    let mut is_near = true;
    for x in &*floats {
        is_near &= x.abs() < math::NEAR;
    }
    let alone = Alone { floats };
    match code {
        unary::SIN if is_near => alone.run(math::sin_near),
        unary::COS if is_near => alone.run(math::cos_near),
        unary::TAN if is_near => alone.run(math::tan_near),
        _ => on_long_unary(code, alone),
    }
}

// Loops instead of iterator adapters: the closure of an adapter might not be inlined, and would
// then not use the wide vectors.

struct Alone<'l> {
    floats: &'l mut [f32],
}

impl OnUnary for Alone<'_> {
    #[inline(always)]
    fn run(self, operation: impl Fn(f32) -> f32) {
        for x in self.floats {
            *x = operation(*x);
        }
    }
}

struct WithFloat<'l> {
    floats: &'l mut [f32],
    second: f32,
}

impl OnBinary for WithFloat<'_> {
    #[inline(always)]
    fn run(self, operation: impl Fn(f32, f32) -> f32) {
        for x in self.floats {
            *x = operation(*x, self.second);
        }
    }
}

struct WithColumn<'l> {
    floats: &'l mut [f32],
    second: &'l [f32],
}

impl OnBinary for WithColumn<'_> {
    #[inline(always)]
    fn run(self, operation: impl Fn(f32, f32) -> f32) {
        for (x, y) in self.floats.iter_mut().zip(self.second) {
            *x = operation(*x, *y);
        }
    }
}

/// Calls a user's function for all inputs.
pub(super) fn call(function: &Function<'_>, columns: &[&[f32]], to: &mut [f32]) {
    if let Some(batch) = function.batch() {
        return batch(columns, to);
    }
    let mut arguments = [0.0; ARGUMENTS_MAX];
    for (lane, to) in to.iter_mut().enumerate() {
        for (argument, column) in arguments.iter_mut().zip(columns) {
            *argument = column[lane];
        }
        *to = function.call(&arguments[..columns.len()]);
    }
}
