//! What follows the lock: the table of tasks, the queues, and what each thread is at.
//!
//! After Niklas Frykholm, "Task Management -- A Practical Example" (2010): open tasks with counters
//! of open work, one dependency each, one queue of all that could start. Changes: those that wait
//! for a task are listed, so that nobody looks through the queue for what may start; the queue has
//! a list for each priority; a task that fails takes what depends on it along.

mod add;
mod check;
mod finish;
mod threads;

use crate::failures::Failures;
use crate::id::{Bits, TaskId};
use crate::lent::Lent;
use crate::queue::Queue;
use crate::slot::{List, NONE, Phase, Slot};

pub(crate) use threads::{Taken, Waits};

/// What a thread is at.
pub(crate) struct ThreadRecord {
    /// What only it may run.
    queue: Queue,
    /// The task on top of its stack.
    running: u32,
    waits: Waits,
    /// Whether it is there.
    registered: bool,
    /// It waits in a circle.
    stuck: bool,
}

impl ThreadRecord {
    pub(crate) const fn new() -> Self {
        Self {
            queue: Queue::new(),
            running: NONE,
            waits: Waits::Nothing,
            registered: false,
            stuck: false,
        }
    }
}

/// Counts, which distinguish a deadlock from a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Tasks that have not completed.
    open: u32,
    /// Tasks in queues.
    ready: u32,
    /// Those of them that any thread may run.
    shared: u32,
    held: u32,
    external: u32,
    /// Threads in the midst of a task that do not sleep until another completes.
    active: u32,
}

/// What follows the lock.
///
/// # Invariants
///
/// 1. A place is in the free list, or its task in exactly one of: a queue (`Queued`), the list of
///    its dependency (`Blocked`, `HeldBlocked`), the stack of a thread (`Running`), or none of them
///    (`Held`, `External`, `Open`).
/// 2. `open` of a task is the number of its open children, and one more until its own work is done.
/// 3. `counts` are what they say.
/// 4. Whenever the lock is given back, no thread sleeps while more tasks are in the shared queue
///    than threads are looking for one, and none sleeps whose own queue has one.
pub(crate) struct State {
    slots: Lent<Slot>,
    threads: Lent<ThreadRecord>,
    shared: Queue,
    free: List,
    bits: Bits,
    counts: Counts,
    failures: Failures,
    /// Threads that are awake to find a task.
    searching: u32,
    /// Threads that sleep, those that wait for something, and those to be woken once the lock is
    /// given back.
    asleep: u64,
    waiting: u64,
    wakes: u64,
    /// There is something new for searching threads.
    changed: bool,
    closing: bool,
    main_threads: u32,
    added_total: u64,
}

impl State {
    /// Makes an empty table of these places.
    pub(crate) fn new(
        mut slots: Lent<Slot>,
        mut threads: Lent<ThreadRecord>,
        main_threads: u32,
    ) -> Self {
        let bits = Bits::of(slots.len());
        let count = slots.len() as u32;
        for (index, slot) in slots.iter_mut().enumerate() {
            let next = index as u32 + 1;
            // Ids of an earlier run stay dead.
            let open = slot.phase != Phase::Free;
            let id = if open { bits.next(slot.id.to_bits()) } else { slot.id };
            *slot = Slot::free(id, if next == count { NONE } else { next });
        }
        threads.iter_mut().for_each(|thread| *thread = ThreadRecord::new());
        Self {
            free: List { head: 0, tail: count - 1 },
            slots,
            threads,
            shared: Queue::new(),
            bits,
            counts: Counts::default(),
            failures: Failures::new(),
            searching: 0,
            asleep: 0,
            waiting: 0,
            wakes: 0,
            changed: false,
            closing: false,
            main_threads,
            added_total: 0,
        }
    }

    /// Returns the place of an open task.
    #[inline]
    fn index_of(&self, id: TaskId) -> Option<u32> {
        let index = self.bits.index(id);
        let slot = self.slots.get(index)?;
        (slot.id == id && slot.phase != Phase::Free).then_some(index as u32)
    }

    #[inline]
    fn slot(&mut self, index: u32) -> &mut Slot {
        &mut self.slots[index as usize]
    }

    pub(crate) fn is_open(&self, id: TaskId) -> bool {
        self.index_of(id).is_some()
    }

    pub(crate) fn name_of(&self, id: TaskId) -> Option<&'static str> {
        self.index_of(id).map(|index| *self.slots[index as usize].name)
    }

    /// Returns how many tasks are open, in queues, were added, and failed.
    pub(crate) fn figures(&self) -> (u32, u32, u64, u64) {
        (self.counts.open, self.counts.ready, self.added_total, self.failures.total())
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }
}

#[cfg(test)]
mod tests;
