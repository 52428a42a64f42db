//! Removing half of a table's objects, in no order, and inserting as many.

use core::hint::black_box;

use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::{IdTable, Object};
use crate::random::Random;
use crate::work::ids::{Filled, Operation, found, times};

/// From half to all of `LIVE` objects, in the places that are free, which were left in random
/// order.
pub(crate) struct Insert<const LIVE: u32>;

/// From all of `LIVE` objects to half, in random order.
pub(crate) struct Remove<const LIVE: u32>;

impl<const LIVE: u32> Operation for Insert<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let mut refill = Refill::<T>::new(LIVE);
        Contender::new(name, move || refill.pass(|inserting, _| inserting))
    }
}

impl<const LIVE: u32> Operation for Remove<LIVE> {
    fn contender<T: IdTable>(name: &'static str) -> Contender {
        let mut refill = Refill::<T>::new(LIVE);
        Contender::new(name, move || refill.pass(|_, removing| removing))
    }
}

/// A table that is full, and what is exchanged in it.
struct Refill<T: IdTable> {
    filled: Filled<T>,
    /// All places of the ids in random order; a run of them is exchanged.
    order: Box<[u32]>,
    random: Random,
    /// The ids that are removed, then those that came for them: half as many as there are.
    exchanged: Box<[T::Id]>,
    /// The time of reading the clock twice, which is much compared with exchanging half of a small
    /// table.
    clock_ns: u64,
}

impl<T: IdTable> Refill<T> {
    fn new(count: u32) -> Self {
        let filled = Filled::new(count);
        let mut random = Random::new(33);
        let mut order: Box<[u32]> = (0..count).collect();
        random.shuffle(&mut order);
        let exchanged = filled.ids[..count as usize / 2].into();
        let clock_ns = (0..100).map(|_| clock::time(|| ())).min().unwrap_or(0);
        Self { filled, order, random, exchanged, clock_ns }
    }

    /// Exchanges halves, again and again, and returns one of both times: that of inserting or that
    /// of removing.
    fn pass(&mut self, which: impl Fn(u64, u64) -> u64) -> Pass {
        let half = self.exchanged.len() as u32;
        let times = times(half);
        let mut ns = 0;
        // The first time brings the table into the caches and does not count.
        for round in 0..=times {
            let start = self.random.below(self.order.len() as u32) as usize;
            let (behind, before) = self.order.split_at(start);
            let places = || before.iter().chain(behind).map(|place| *place as usize);
            for (id, place) in self.exchanged.iter_mut().zip(places()) {
                *id = self.filled.ids[place];
            }
            let table = &mut self.filled.table;
            let removing = clock::time(|| remove_all(table, &self.exchanged));
            let inserting = clock::time(|| insert_all(table, &mut self.exchanged));
            if round > 0 {
                ns += which(inserting, removing).saturating_sub(self.clock_ns);
            }
            for (id, place) in self.exchanged.iter().zip(places()) {
                self.filled.ids[place] = *id;
            }
        }
        Pass { ns, operations: u64::from(times) * u64::from(half) }
    }
}

#[inline(never)]
fn remove_all<T: IdTable>(table: &mut T, ids: &[T::Id]) {
    let mut sum = 0u64;
    for id in ids {
        sum = sum.wrapping_add(found(table.remove(*id)).value);
        look_at(table);
    }
    black_box(sum);
}

#[inline(never)]
fn insert_all<T: IdTable>(table: &mut T, ids: &mut [T::Id]) {
    for (id, value) in ids.iter_mut().zip(0..) {
        *id = table.insert(Object::new(value));
        look_at(table);
    }
}
