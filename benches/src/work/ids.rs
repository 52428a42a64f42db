//! Tables that give objects ids, at work with a number of objects alive.

mod grow;
mod look_up;
mod mix;
pub(crate) mod names;
pub(crate) mod perfect;
mod refill;
pub(crate) mod shared;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use grow::Grow;
pub(crate) use look_up::{Dependent, Lookup, Stale};
pub(crate) use mix::Mix;
pub(crate) use refill::{Insert, Remove};
pub(crate) use walk::Walk;

use crate::contender::Contender;
use crate::id_table::{IdTable, Object};
use crate::random::Random;

/// An operation that is measured, for any table.
pub(crate) trait Operation {
    /// Returns a contender with a new table.
    fn contender<T: IdTable>(name: &'static str) -> Contender;
}

/// About how many operations a pass is, so that the clock's own time does not show; passes are
/// whole runs over a table.
const OPERATIONS: u32 = 300_000;

/// Returns how often a pass runs over `count` objects.
fn times(count: u32) -> u32 {
    OPERATIONS.div_ceil(count)
}

/// A table and the ids of its objects in random order.
struct Filled<T: IdTable> {
    table: T,
    ids: Box<[T::Id]>,
}

impl<T: IdTable> Filled<T> {
    /// Makes a table of `count` objects that has been in use for a while: half of its objects came
    /// after others had gone, in no order.
    fn new(count: u32) -> Self {
        let mut table = T::with_capacity(count);
        let mut ids: Box<[T::Id]> =
            (0..count).map(|value| table.insert(Object::new(u64::from(value)))).collect();
        let mut random = Random::new(32);
        random.shuffle(&mut ids);
        let (gone, _) = ids.split_at_mut(count as usize / 2);
        for id in &*gone {
            found(table.remove(*id));
        }
        for (id, value) in gone.iter_mut().zip(0..) {
            *id = table.insert(Object::new(value));
        }
        random.shuffle(&mut ids);
        Self { table, ids }
    }
}

/// Unwraps what a table must have.
#[inline(always)]
fn found<O>(object: Option<O>) -> O {
    match object {
        Some(object) => object,
        None => lost(),
    }
}

/// Ends a workload whose table does not find what is in it.
#[cold]
#[inline(never)]
fn lost() -> ! {
    panic!("a table does not find an object that is in it")
}
