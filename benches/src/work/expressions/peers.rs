//! Other libraries. fasteval (MIT, last release of 2020) compiles to a tree of instructions over
//! 64-bit floats; its variables are read from where they are, which is the fastest of its ways.
//! exmex (MIT or Apache-2.0, kept up) flattens to lists of operators and operands; it is generic,
//! and has 32-bit floats here.

use core::cell::Cell;

use ::exmex::{Express, FlatEx};
use ::fasteval::{Compiler, Evaler};

use crate::contender::Contender;

use super::{One, VARIABLES, ones, rows};

/// Returns fasteval at work, one by one.
pub(crate) fn fasteval(one: &'static One) -> Contender {
    let mut slab = ::fasteval::Slab::new();
    let values: &'static [Cell<f64>; 3] = Box::leak(Box::new([const { Cell::new(0.0) }; 3]));
    for (name, value) in VARIABLES.iter().zip(values) {
        // SAFETY: the value lives as long as the program, and nobody else has a reference into the
        // cell.
        let place = unsafe { &*value.as_ptr() };
        // SAFETY: the library turns the reference into a pointer, and reads through that while an
        // expression is run, on this thread; the cell is written between two runs.
        unsafe { slab.ps.add_unsafe_var((*name).to_owned(), place) };
    }
    let Ok(parsed) = ::fasteval::Parser::new().parse(one.source, &mut slab.ps) else {
        unreachable!("fasteval reads `{}`", one.source)
    };
    let compiled = parsed.from(&slab.ps).compile(&slab.ps, &mut slab.cs);
    let rows = rows().into_iter().map(|row| row.map(f64::from)).collect();
    ones("fasteval", rows, move |row| {
        values.iter().zip(row).for_each(|(value, to)| value.set(*to));
        compiled.eval(&slab, &mut ::fasteval::EmptyNamespace).unwrap_or(f64::NAN)
    })
}

/// Returns exmex at work, one by one.
pub(crate) fn exmex(one: &'static One) -> Contender {
    let Ok(expression) = FlatEx::<f32>::parse(one.source) else {
        unreachable!("exmex reads `{}`", one.source)
    };
    // It wants the values of those variables that it found, in the order of their names.
    let used: Vec<usize> = expression
        .var_names()
        .iter()
        .filter_map(|name| VARIABLES.iter().position(|known| *known == name.as_str()))
        .collect();
    ones("exmex", rows(), move |row| {
        let mut values = [0.0; 3];
        values.iter_mut().zip(&used).for_each(|(value, at)| *value = row[*at]);
        expression.eval(&values[..used.len()]).unwrap_or(f32::NAN)
    })
}
