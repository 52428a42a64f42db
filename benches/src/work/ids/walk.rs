//! Visiting all objects of a table that once held more.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::IdTable;
use crate::work::ids::{Filled, Operation, found, times};

/// A walk over the objects that are left: `PERCENT` percent of `OBJECTS`, after the rest went in no
/// order. An operation is an object that is still alive.
pub(crate) struct Walk<const OBJECTS: u32, const PERCENT: u32>;

impl<const OBJECTS: u32, const PERCENT: u32> Operation for Walk<OBJECTS, PERCENT> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let Filled { mut table, ids } = Filled::<T>::new(OBJECTS);
        let live = OBJECTS / 100 * PERCENT;
        for id in &ids[live as usize..] {
            found(table.remove(*id));
        }
        let times = times(live);
        Contender::new(name, move || {
            // An untimed run first, so that the caches do not hold the data of the contender
            // before.
            walk(&table, 1);
            let ns = clock::time(|| walk(&table, times));
            Pass { ns, operations: u64::from(times) * u64::from(live) }
        })
    }
}

#[inline(never)]
fn walk<T: IdTable>(table: &T, times: u32) {
    for _ in 0..times {
        black_box(black_box(table).sum());
    }
}
