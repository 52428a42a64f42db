//! What is done to all rows at once: reading them and copying them.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::work::containers::arrays::OPERATIONS;

/// Reads what `of` has, again and again; an operation is a row.
pub(crate) fn walk<L: 'static>(
    name: &'static str,
    rows: u32,
    of: L,
    read: fn(&L) -> u32,
) -> Contender {
    let times = OPERATIONS.div_ceil(rows);
    Contender::new(name, move || {
        // An untimed run first, so that the caches do not hold the data of the contender before.
        black_box(read(&of));
        let ns = clock::time(|| {
            for _ in 0..times {
                black_box(read(black_box(&of)));
            }
        });
        Pass { ns, operations: u64::from(times) * u64::from(rows) }
    })
}

/// Copies `of`; dropping the copy is not in the time.
pub(crate) fn copy<L: 'static>(
    name: &'static str,
    rows: u32,
    of: L,
    copied: fn(&L) -> L,
) -> Contender {
    let times = OPERATIONS.div_ceil(rows);
    Contender::new(name, move || {
        let mut ns = 0;
        for _ in 0..times {
            let mut made = None;
            ns += clock::time(|| made = Some(black_box(copied(black_box(&of)))));
            drop(made);
        }
        Pass { ns, operations: u64::from(times) * u64::from(rows) }
    })
}
