//! Looking objects up, in random order.

use core::hint::black_box;

use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::IdTable;
use crate::work::ids::{Filled, Operation, found, times};

/// Ids that are known beforehand, so that lookups may overlap.
pub(crate) struct Lookup<const LIVE: u32>;

/// Each id comes out of the object found before it, so each lookup waits for the last.
pub(crate) struct Dependent<const LIVE: u32>;

/// Ids of objects that are gone and whose places others have taken.
pub(crate) struct Stale<const LIVE: u32>;

impl<const LIVE: u32> Operation for Lookup<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let Filled { table, ids } = Filled::<T>::new(LIVE);
        timed(name, LIVE, move |times| {
            let sum = sum_of_found(&table, &ids, times);
            let count = u64::from(LIVE);
            assert!(sum > count, "the objects' values are not those that were put in");
        })
    }
}

impl<const LIVE: u32> Operation for Dependent<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let Filled { mut table, ids } = Filled::<T>::new(LIVE);
        for (at, id) in ids.iter().enumerate() {
            let next = ids[(at + 1) % ids.len()];
            found(table.get_mut(*id)).lead_to(next);
        }
        let first = ids[0];
        // SAFETY: every object leads to another.
        timed(name, LIVE, move |times| unsafe { follow(&table, first, times * LIVE) })
    }
}

impl<const LIVE: u32> Operation for Stale<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let Filled { mut table, ids } = Filled::<T>::new(LIVE);
        for id in &ids {
            let object = found(table.remove(*id));
            table.insert(object);
        }
        timed(name, LIVE, move |times| {
            assert_eq!(count_found(&table, &ids, times), 0, "an id outlived its object");
        })
    }
}

/// Returns a contender of the given number of runs over `count` objects. Untimed runs go before, so
/// that the caches do not hold the data of the contender before; the last level takes more than one
/// run to be rid of it.
fn timed(name: &'static str, count: u32, mut run: impl FnMut(u32) + 'static) -> Contender {
    let times = times(count);
    let operations = u64::from(times) * u64::from(count);
    Contender::new(name, move || {
        run(WARM);
        Pass { ns: clock::time(|| run(times)), operations }
    })
}

/// Runs that are not timed.
const WARM: u32 = 2;

/// Adds up the values of all objects, `times` over.
#[inline(never)]
fn sum_of_found<T: IdTable>(table: &T, ids: &[T::Id], times: u32) -> u64 {
    let mut sum = 0u64;
    for _ in 0..times {
        for id in black_box(ids) {
            if let Some(object) = table.get(*id) {
                sum = sum.wrapping_add(object.value);
            }
        }
    }
    sum
}

/// Counts the ids that name an object, `times` over. Without a branch on the answer: which way the
/// compiler lays one out would show more than what the table does.
#[inline(never)]
fn count_found<T: IdTable>(table: &T, ids: &[T::Id], times: u32) -> u64 {
    let mut count = 0;
    for _ in 0..times {
        for id in black_box(ids) {
            count += u64::from(table.get(*id).is_some());
        }
    }
    count
}

/// Goes `steps` steps from object to object.
///
/// # Safety
///
/// Every object leads to another.
#[inline(never)]
unsafe fn follow<T: IdTable>(table: &T, first: T::Id, steps: u32) {
    let mut id = first;
    for _ in 0..steps {
        // SAFETY: the objects lead on, as promised.
        id = unsafe { found(table.get(id)).next() };
    }
    black_box(id);
}
