//! Trees of boxed closures: what a program without an expression language makes of a source at run
//! time.

use crate::contender::Contender;

use super::{One, ones, rows};

/// A node, and all below it.
pub(crate) type Boxed = Box<dyn Fn(&[f32]) -> f32>;

/// Returns the closures of a source at work, one by one.
pub(crate) fn closures(one: &'static One) -> Contender {
    let root = (one.closures)();
    ones("boxed closures", rows(), move |row| root(row))
}

pub(super) fn constant(value: f32) -> Boxed {
    Box::new(move |_| value)
}

pub(super) fn variable(index: usize) -> Boxed {
    Box::new(move |variables| variables[index])
}

pub(super) fn add(a: Boxed, b: Boxed) -> Boxed {
    Box::new(move |variables| a(variables) + b(variables))
}

pub(super) fn subtract(a: Boxed, b: Boxed) -> Boxed {
    Box::new(move |variables| a(variables) - b(variables))
}

pub(super) fn multiply(a: Boxed, b: Boxed) -> Boxed {
    Box::new(move |variables| a(variables) * b(variables))
}

pub(super) fn divide(a: Boxed, b: Boxed) -> Boxed {
    Box::new(move |variables| a(variables) / b(variables))
}

pub(super) fn sin(a: Boxed) -> Boxed {
    Box::new(move |variables| a(variables).sin())
}

pub(super) fn cos(a: Boxed) -> Boxed {
    Box::new(move |variables| a(variables).cos())
}
