//! Filling rows, element by element, from nothing.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::work::containers::arrays::{Lens, Lists, OPERATIONS};

/// Adds row after row and fills each before the next is added.
pub(crate) fn ordered<L: Lists + 'static>(name: &'static str, lens: Lens) -> Contender {
    let drawn = lens.draw();
    let elements = drawn.iter().sum::<u32>().max(1);
    repeated(name, elements, move || {
        let mut lists = L::new();
        for (row, len) in (0..).zip(&drawn) {
            let name = lists.add();
            for _ in 0..*len {
                lists.push(name, row);
            }
        }
        lists
    })
}

/// Adds all rows, then appends to them in random order.
pub(crate) fn scattered<L: Lists + 'static>(name: &'static str, lens: Lens) -> Contender {
    let mut first = L::new();
    let rows: Vec<L::Row> = (0..lens.rows).map(|_| first.add()).collect();
    // The names that a new container gives out are known, so looking them up is not part of the
    // time.
    let order: Vec<L::Row> = lens.scatter().iter().map(|row| rows[*row as usize]).collect();
    drop((first, rows));
    repeated(name, order.len().max(1) as u32, move || {
        let mut lists = L::new();
        for _ in 0..lens.rows {
            lists.add();
        }
        for (element, row) in (0..).zip(&order) {
            lists.push(*row, element);
        }
        lists
    })
}

/// Makes a contender that builds a container over and over; dropping it is not in the time.
fn repeated<L: Lists + 'static>(
    name: &'static str,
    elements: u32,
    build: impl Fn() -> L + 'static,
) -> Contender {
    let times = OPERATIONS.div_ceil(elements);
    Contender::new(name, move || {
        let mut ns = 0;
        for _ in 0..times {
            let mut made = None;
            ns += clock::time(|| made = Some(black_box(build())));
            drop(made);
        }
        Pass { ns, operations: u64::from(times) * u64::from(elements) }
    })
}
