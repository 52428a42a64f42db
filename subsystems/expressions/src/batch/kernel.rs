//! The loops over columns, compiled for each operation and for each place of its operands.

use crate::math;
use crate::operation::{OnBinary, OnUnary, on_binary, on_unary, unary};

/// Where the values of an operand are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'s> {
    /// In the column that the results are written to.
    Here,
    /// In another column.
    Column(&'s [f32]),
    /// All values are this one.
    Same(f32),
}

/// Runs an operation with one operand.
#[inline(always)]
pub(crate) fn run_unary(code: u8, to: &mut [f32], a: Operand<'_>) {
    let on = Unary { to, a };
    // A loop that compares each angle with `math::NEAR` is not vectorised, so the comparison is
    // made for the whole column first.
    match code {
        unary::SIN if on.is_near() => on.run(math::sin_near),
        unary::COS if on.is_near() => on.run(math::cos_near),
        unary::TAN if on.is_near() => on.run(math::tan_near),
        _ => on_unary(code, on),
    }
}

/// Runs an operation with two operands. The second one is never [`Operand::Here`].
#[inline(always)]
pub(crate) fn run_binary(code: u8, to: &mut [f32], a: Operand<'_>, b: Operand<'_>) {
    on_binary(code, Binary { to, a, b });
}

/// Runs an operation with three operands. The second and third are columns other than `to`.
#[inline(always)]
pub(crate) fn run_ternary(
    to: &mut [f32],
    a: Operand<'_>,
    [b, c]: [&[f32]; 2],
    operation: impl Fn(f32, f32, f32) -> f32,
) {
    let others = b.iter().zip(c);
    match a {
        Operand::Here => {
            for (to, (b, c)) in to.iter_mut().zip(others) {
                *to = operation(*to, *b, *c);
            }
        }
        Operand::Column(a) => {
            for ((to, a), (b, c)) in to.iter_mut().zip(a).zip(others) {
                *to = operation(*a, *b, *c);
            }
        }
        Operand::Same(a) => {
            for (to, (b, c)) in to.iter_mut().zip(others) {
                *to = operation(a, *b, *c);
            }
        }
    }
}

/// Gives every NaN the same bits.
#[inline(always)]
pub(crate) fn canonicalise(column: &mut [f32]) {
    // A column rarely has a NaN, and without one nothing is written.
    let mut found = false;
    for x in &*column {
        found |= x.is_nan();
    }
    if found {
        for x in column {
            *x = math::canonical(*x);
        }
    }
}

struct Unary<'l> {
    to: &'l mut [f32],
    a: Operand<'l>,
}

impl Unary<'_> {
    #[inline(always)]
    fn is_near(&self) -> bool {
        let column = match self.a {
            Operand::Here => &*self.to,
            Operand::Column(column) => column,
            Operand::Same(value) => return value.abs() < math::NEAR,
        };
        let mut near = true;
        for x in column {
            near &= x.abs() < math::NEAR;
        }
        near
    }
}

impl OnUnary for Unary<'_> {
    #[inline(always)]
    fn run(self, operation: impl Fn(f32) -> f32) {
        // Loops instead of iterator adapters: the closure of an adapter might not be inlined, and
        // would then not use the wide vectors.
        match self.a {
            Operand::Here => {
                for to in self.to {
                    *to = operation(*to);
                }
            }
            Operand::Column(a) => {
                for (to, a) in self.to.iter_mut().zip(a) {
                    *to = operation(*a);
                }
            }
            Operand::Same(a) => self.to.fill(operation(a)),
        }
    }
}

struct Binary<'l> {
    to: &'l mut [f32],
    a: Operand<'l>,
    b: Operand<'l>,
}

impl OnBinary for Binary<'_> {
    #[inline(always)]
    fn run(self, operation: impl Fn(f32, f32) -> f32) {
        let to = self.to.iter_mut();
        match (self.a, self.b) {
            (Operand::Here, Operand::Column(b)) => {
                for (to, b) in to.zip(b) {
                    *to = operation(*to, *b);
                }
            }
            (Operand::Here, Operand::Same(b)) => {
                for to in to {
                    *to = operation(*to, b);
                }
            }
            (Operand::Column(a), Operand::Column(b)) => {
                for (to, (a, b)) in to.zip(a.iter().zip(b)) {
                    *to = operation(*a, *b);
                }
            }
            (Operand::Column(a), Operand::Same(b)) => {
                for (to, a) in to.zip(a) {
                    *to = operation(*a, b);
                }
            }
            (Operand::Same(a), Operand::Column(b)) => {
                for (to, b) in to.zip(b) {
                    *to = operation(a, *b);
                }
            }
            (Operand::Same(a), Operand::Same(b)) => self.to.fill(operation(a, b)),
            // The second operand is never in the column of the results.
            (_, Operand::Here) => {}
        }
    }
}
