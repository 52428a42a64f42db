//! Filling a table whose objects had gone in no order, and emptying it again.

use crate::blocks::look_at;
use crate::clock;
use crate::contender::{Contender, Pass};
use crate::id_table::{IdTable, Object};
use crate::random::Random;
use crate::work::ids::{Filled, Operation, found, times};

/// From no objects to so many, in the places that are free, which were left in random order.
pub(crate) struct Insert<const LIVE: u32>;

/// From so many objects to none, in random order.
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

/// A table that is full, and in which order it is emptied.
struct Refill<T: IdTable> {
    filled: Filled<T>,
    order: Box<[u32]>,
    victims: Box<[T::Id]>,
    /// What reading the clock twice takes, which is much beside filling a small table once.
    clock_ns: u64,
}

impl<T: IdTable> Refill<T> {
    fn new(count: u32) -> Self {
        let filled = Filled::new(count);
        let mut order: Box<[u32]> = (0..count).collect();
        Random::new(33).shuffle(&mut order);
        let victims = filled.ids.clone();
        let clock_ns = (0..100).map(|_| clock::time(|| ())).min().unwrap_or(0);
        Self { filled, order, victims, clock_ns }
    }

    /// Empties and fills the table, again and again, and returns one of both times: that of filling or
    /// that of emptying it.
    fn pass(&mut self, which: impl Fn(u64, u64) -> u64) -> Pass {
        let count = self.order.len() as u32;
        let times = times(count);
        let mut ns = 0;
        // The first time brings the table into the caches and does not count.
        for round in 0..=times {
            for (victim, at) in self.victims.iter_mut().zip(&self.order) {
                *victim = self.filled.ids[*at as usize];
            }
            let removing = clock::time(|| remove_all(&mut self.filled.table, &self.victims));
            let inserting = clock::time(|| insert_all(&mut self.filled));
            if round > 0 {
                ns += which(inserting, removing).saturating_sub(self.clock_ns);
            }
        }
        Pass { ns, operations: u64::from(times) * u64::from(count) }
    }
}

#[inline(never)]
fn remove_all<T: IdTable>(table: &mut T, victims: &[T::Id]) {
    let mut sum = 0u64;
    for id in victims {
        sum = sum.wrapping_add(found(table.remove(*id)).value);
        look_at(table);
    }
    core::hint::black_box(sum);
}

#[inline(never)]
fn insert_all<T: IdTable>(filled: &mut Filled<T>) {
    for (id, value) in filled.ids.iter_mut().zip(0..) {
        *id = filled.table.insert(Object::new(value));
        look_at(&mut filled.table);
    }
}
