//! Filling a table that was given no capacity.

use core::hint::black_box;

use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::{IdTable, Object};
use crate::work::ids::{Operation, times};

/// From nothing to `OBJECTS` objects, with all the growing that this takes. Giving the memory back
/// is not in the figure.
pub(crate) struct Grow<const OBJECTS: u32>;

impl<const OBJECTS: u32> Operation for Grow<OBJECTS> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let times = times(OBJECTS);
        Contender::new(name, move || {
            // An untimed run first, so that the caches do not hold the data of the contender
            // before.
            drop(fill::<T>(OBJECTS));
            let mut ns = 0;
            for _ in 0..times {
                let mut table = None;
                ns += clock::time(|| table = Some(fill::<T>(OBJECTS)));
                drop(black_box(table));
            }
            Pass { ns, operations: u64::from(times) * u64::from(OBJECTS) }
        })
    }
}

#[inline(never)]
fn fill<T: IdTable>(count: u32) -> T {
    let mut table = T::with_capacity(0);
    for value in 0..u64::from(count) {
        black_box(table.insert(Object::new(value)));
        look_at(&mut table);
    }
    table
}
