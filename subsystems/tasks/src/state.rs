//! What the lock guards: the queues of what is in no ring, free places, and who sleeps.

use crate::failures::Failures;
use crate::id::TaskId;
use crate::lent::Lent;
use crate::queue::Queue;
use crate::slot::{NONE, Slot};
use crate::sync::Ordering;
use crate::table::Table;

/// What a thread waits for while it sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Anything to do.
    Nothing,
    /// A task.
    Task(TaskId),
    /// The root of a scope, before whose end the thread may not go on.
    Scope(TaskId),
    /// The event at this address.
    Event(usize),
}

impl Waits {
    /// Returns the task that is waited for.
    pub(crate) fn task(self) -> Option<TaskId> {
        match self {
            Self::Task(id) | Self::Scope(id) => Some(id),
            Self::Nothing | Self::Event(_) => None,
        }
    }
}

/// What a thread is at.
pub(crate) struct ThreadRecord {
    /// What only it may run.
    pub(crate) queue: Queue,
    /// What it sleeps for; `Nothing` while it does not.
    pub(crate) waits: Waits,
    /// Whether it is there.
    pub(crate) registered: bool,
}

impl ThreadRecord {
    pub(crate) const fn new() -> Self {
        Self { queue: Queue::new(), waits: Waits::Nothing, registered: false }
    }
}

/// Counts, which distinguish a deadlock from a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tasks in queues; not those in rings.
    pub(crate) ready: u32,
    /// Those of them that any thread may run.
    pub(crate) shared: u32,
    pub(crate) held: u32,
    pub(crate) external: u32,
}

/// Free places that no thread keeps for itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// The first of each batch, linked by `dependents`; the places of a batch by `next`.
    pub(crate) batches: u32,
    /// Single ones.
    pub(crate) loose: u32,
    pub(crate) loose_count: u32,
}

impl Places {
    const EMPTY: Self = Self { batches: NONE, loose: NONE, loose_count: 0 };

    /// Adds a place.
    pub(crate) fn free(&mut self, slots: &[Slot], index: u32, batch: u32) {
        slots[index as usize].next.set(self.loose);
        self.loose_count += 1;
        if self.loose_count < batch {
            self.loose = index;
        } else {
            (self.loose, self.loose_count) = (NONE, 0);
            self.free_batch(slots, index);
        }
    }

    /// Adds a batch.
    pub(crate) fn free_batch(&mut self, slots: &[Slot], first: u32) {
        slots[first as usize].dependents.set(self.batches);
        self.batches = first;
    }

    /// Takes a list of free places and how many it has.
    pub(crate) fn take(&mut self, slots: &[Slot], batch: u32) -> Option<(u32, u32)> {
        if self.batches != NONE {
            let first = self.batches;
            self.batches = slots[first as usize].dependents.replace(NONE);
            return Some((first, batch));
        }
        let taken = (self.loose != NONE).then_some((self.loose, self.loose_count));
        (self.loose, self.loose_count) = (NONE, 0);
        taken
    }
}

/// What the lock guards.
///
/// # Invariants
///
/// 1. A place is free and in one list of free places, or its task is in exactly one of: a ring or a
///    queue (`Queued`), the list of its dependency (`Blocked`, `HeldBlocked`), the stack of a thread
///    (`Running`), or none of them (`Held`, `External`, `Open`).
/// 2. `counts` are what they say.
/// 3. Whenever the lock is given back and no thread looks for tasks or is about to wake another, no
///    thread sleeps while tasks are in the shared queue, and none ever sleeps whose own queue has
///    one.
pub(crate) struct State {
    pub(crate) threads: Lent<ThreadRecord>,
    pub(crate) shared: Queue,
    pub(crate) places: Places,
    pub(crate) counts: Counts,
    pub(crate) failures: Failures,
    /// Threads that sleep, and those to be woken once the lock is given back.
    pub(crate) asleep: u64,
    pub(crate) wakes: u64,
    /// Tasks that went into a ring since the lock was taken.
    pub(crate) fresh: u32,
    pub(crate) main_threads: u32,
    /// Tasks that threads from outside added and completed.
    pub(crate) added: u64,
    pub(crate) completed: u64,
}

impl State {
    /// Makes the state of an empty table, all of whose places become free.
    pub(crate) fn new(
        mut threads: Lent<ThreadRecord>,
        table: &Table<'_>,
        main_threads: u32,
    ) -> Self {
        threads.iter_mut().for_each(|thread| *thread = ThreadRecord::new());
        let mut places = Places::EMPTY;
        for (index, slot) in table.slots.iter().enumerate().rev() {
            // Ids of an earlier run stay dead.
            if slot.generation.load(Ordering::Relaxed) & 1 == 1 {
                Table::end(slot);
            }
            slot.open.store(0, Ordering::Relaxed);
            slot.dependents.set(NONE);
            places.free(table.slots, index as u32, table.sizes.batch);
        }
        Self {
            threads,
            shared: Queue::new(),
            places,
            counts: Counts::default(),
            failures: Failures::new(),
            asleep: 0,
            wakes: 0,
            fresh: 0,
            main_threads,
            added: 0,
            completed: 0,
        }
    }

    /// Wakes as many threads as there are tasks that nobody looks for (invariant 3), and returns
    /// the threads to wake.
    #[inline]
    pub(crate) fn before_unlock(&mut self, table: &Table<'_>) -> u64 {
        let fresh = core::mem::take(&mut self.fresh);
        while self.asleep != 0 && self.counts.shared + fresh > table.board.searching() {
            // Workers first: they have nothing else to do.
            let workers = self.asleep >> self.main_threads << self.main_threads;
            let pick = if workers == 0 { self.asleep } else { workers };
            self.wake(table, pick.trailing_zeros() as u8);
        }
        core::mem::take(&mut self.wakes)
    }

    /// Wakes a thread, if it sleeps. It is counted as one that looks for tasks.
    #[inline]
    pub(crate) fn wake(&mut self, table: &Table<'_>, thread: u8) {
        if self.asleep >> thread & 1 == 1 {
            self.rise(table, thread);
            self.wakes |= 1 << thread;
            table.board.begin_search();
        }
    }

    /// Notes that a thread sleeps no more.
    pub(crate) fn rise(&mut self, table: &Table<'_>, thread: u8) {
        self.asleep &= !(1 << thread);
        self.threads[usize::from(thread)].waits = Waits::Nothing;
        table.board.set_sleepers(self.asleep.count_ones());
        table.board.awake();
    }

    pub(crate) fn is_asleep(&self, thread: u8) -> bool {
        self.asleep >> thread & 1 == 1
    }
}

/// Returns the threads of a set.
pub(crate) fn members(mut set: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < u64::BITS).then_some(first as u8)
    })
}
