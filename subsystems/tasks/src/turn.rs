//! One turn of the lock: what needs more than one place of the table at once.
//!
//! After Niklas Frykholm, "Task Management -- A Practical Example" (2010): open tasks with counters
//! of open work, one dependency each. Changes: what could start without waiting is in a ring of the
//! thread that added it and needs no lock; those that wait for a task are listed, so that nobody
//! looks through a queue for what may start; the queue has a list for each priority; a task that
//! fails takes what depends on it along.

mod add;
mod change;
mod check;
mod close;
mod finish;
mod sleep;

use crate::id::TaskId;
use crate::local::Me;
use crate::slot::{AWAITED, List};
use crate::state::State;
use crate::sync::{Ordering, yield_now};
use crate::table::{Pin, Table};

pub(crate) use sleep::Fell;

/// What a thread does with the lock held.
pub(crate) struct Turn<'t, 'm> {
    pub(crate) state: &'t mut State,
    pub(crate) table: &'t Table<'m>,
    /// The thread, if it is one of the manager's.
    pub(crate) me: Option<Me<'m>>,
}

impl Turn<'_, '_> {
    /// Keeps a task from completing until [`unpin`](Self::unpin); `None` if it has.
    fn pin(&mut self, id: TaskId) -> Option<u32> {
        match self.table.pin(id) {
            Pin::Open(index) => Some(index),
            Pin::Other(index) => {
                self.unpin(index);
                None
            }
            Pin::Dead => {
                // A thread may be about to raise the generation: it has nothing else to do first,
                // and what starts now since the task has completed must find that it has.
                while self.table.is_open(id) {
                    yield_now();
                }
                None
            }
        }
    }

    /// Lets a task complete again, which it may do here.
    fn unpin(&mut self, index: u32) {
        let mut pending = List::EMPTY;
        self.close_items(index, 1, &mut pending);
        self.settle(pending);
    }

    /// Has the thread that completes a task take the lock, which this one holds: so the task cannot
    /// complete before it is given back. `None` if it has.
    fn watch(&mut self, id: TaskId) -> Option<u32> {
        while self.table.is_open(id) {
            let slot = self.table.slot(id.index());
            let open = slot.open.load(Ordering::Relaxed);
            if open & !AWAITED == 0 {
                // As in `pin`.
                yield_now();
                continue;
            }
            // Acquire: the generation below is read after. Where it is another task that is watched
            // now, that costs it a turn of the lock.
            let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
            let watched = open | AWAITED;
            if slot.open.compare_exchange(open, watched, success, failure).is_ok() {
                return self.table.is_open(id).then_some(id.index());
            }
        }
        None
    }

    /// Returns the result of a wait for a task that has completed.
    pub(crate) fn told(&self, id: TaskId) -> Result<(), crate::error::WaitError> {
        self.state.failures.told(self.state.failures.of_dead(id))
    }

    /// Returns how many tasks are open, in queues, were added, and failed.
    pub(crate) fn figures(&self) -> (u32, u32, u64, u64) {
        let (mut added, mut completed) = (self.state.added, self.state.completed);
        let mut ready = self.state.counts.ready;
        for local in self.table.locals {
            // What has completed was added: counted in this order, the difference is not negative.
            completed += local.completed.get();
            ready += local.ring.len() as u32;
        }
        for local in self.table.locals {
            added += local.added.get();
        }
        (added.saturating_sub(completed) as u32, ready, added, self.state.failures.total())
    }
}

#[cfg(test)]
mod tests;
