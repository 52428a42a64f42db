//! What threads share without the lock: the tasks, the rings, the signs.

use crate::board::Board;
use crate::closure::Closure;
use crate::failures::SOUND;
use crate::id::TaskId;
use crate::local::{Local, Me};
use crate::plain::Plain64;
use crate::slot::{AWAITED, NONE, Phase, Slot};
use crate::sync::{AtomicU32, Ordering, fence};
use crate::task::{PRIORITY_MAX, Task};

/// The most tasks that a ring has room for; more go to the queue that the lock guards.
const RING_MAX: usize = 4096;

/// The most free places that pass between threads at once.
const BATCH_MAX: u32 = 64;

/// How large the tables of a manager are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// As many as were asked for.
    pub(crate) tasks: u32,
    /// With those that threads keep as free for themselves.
    pub(crate) slots: u32,
    pub(crate) batch: u32,
    pub(crate) ring: usize,
}

impl Sizes {
    pub(crate) fn of(tasks: u32, threads: u32) -> Self {
        let batch = (tasks / (8 * threads)).clamp(1, BATCH_MAX);
        // A thread keeps less than three batches, one in part; with one thread none are missing.
        let kept = if threads == 1 { 0 } else { threads * 2 * batch };
        let slots = tasks + kept;
        let ring = (slots as usize).next_power_of_two().min(RING_MAX);
        Self { tasks, slots, batch, ring }
    }
}

/// Whether a task could be kept from completing.
pub(crate) enum Pin {
    /// It is: one was added to its open work.
    Open(u32),
    /// It has completed, and one was added to the open work of the next task in this place.
    Other(u32),
    /// It has completed.
    Dead,
}

/// What threads share without the lock.
pub(crate) struct Table<'m> {
    pub(crate) slots: &'m [Slot],
    pub(crate) locals: &'m [Local],
    entries: &'m [AtomicU32],
    pub(crate) sizes: Sizes,
    pub(crate) board: Board,
    /// How many tasks have failed. Written with the lock held.
    pub(crate) failed: Plain64,
}

impl<'m> Table<'m> {
    pub(crate) fn new(
        slots: &'m [Slot],
        locals: &'m [Local],
        entries: &'m [AtomicU32],
        sizes: Sizes,
    ) -> Self {
        Self { slots, locals, entries, sizes, board: Board::new(), failed: Plain64::new(0) }
    }

    #[inline]
    pub(crate) fn slot(&self, index: u32) -> &'m Slot {
        &self.slots[index as usize]
    }

    #[inline]
    pub(crate) fn local(&self, thread: u8) -> &'m Local {
        &self.locals[usize::from(thread)]
    }

    /// Returns a thread as it knows itself. Only for that thread.
    #[inline]
    pub(crate) fn me(&self, thread: u8) -> Me<'m> {
        Me { thread, local: self.local(thread) }
    }

    /// Returns the entries of a thread's ring.
    #[inline]
    pub(crate) fn entries(&self, thread: u8) -> &'m [AtomicU32] {
        let first = usize::from(thread) * self.sizes.ring;
        &self.entries[first..first + self.sizes.ring]
    }

    /// Returns `true` if there are no other threads.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.locals.len() == 1
    }

    /// Returns the id of the task in a place.
    #[inline]
    pub(crate) fn id(&self, index: u32) -> TaskId {
        TaskId::of(index, self.slot(index).generation.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn is_open(&self, id: TaskId) -> bool {
        self.slots.get(id.index() as usize).is_some_and(|slot| slot.is(id))
    }

    pub(crate) fn name_of(&self, id: TaskId) -> Option<&'static str> {
        let slot = self.slots.get(id.index() as usize)?;
        if !slot.is(id) {
            return None;
        }
        let name = slot.name();
        // Pairs with the one of `Slot::set_name`: if the name was that of a later task, the
        // generation below is another.
        fence(Ordering::Acquire);
        slot.is(id).then_some(*name)
    }

    /// Returns `true` if the open task in this place is `outer` or below it.
    pub(crate) fn is_within(&self, index: u32, outer: u32) -> bool {
        let parent = |index: &u32| {
            let parent = self.slot(*index).parent.get();
            (parent != NONE).then_some(parent)
        };
        core::iter::successors(Some(index), parent).any(|index| index == outer)
    }

    /// Keeps a task from completing until one is taken off its open work.
    pub(crate) fn pin(&self, id: TaskId) -> Pin {
        let index = id.index();
        let Some(slot) = self.slots.get(index as usize) else {
            return Pin::Dead;
        };
        let mut open = slot.open.load(Ordering::Relaxed);
        loop {
            if open & !AWAITED == 0 || !slot.is(id) {
                return Pin::Dead;
            }
            // Acquire: the generation below is read after, and is that of the task whose work this
            // counts for.
            let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
            match slot.open.compare_exchange_weak(open, open + 1, success, failure) {
                Ok(_) if slot.is(id) => return Pin::Open(index),
                Ok(_) => return Pin::Other(index),
                Err(now) => open = now,
            }
        }
    }

    /// Puts a task into a free place that this thread has.
    #[inline]
    pub(crate) fn fill(
        &self,
        index: u32,
        task: &Task<'_>,
        work: Option<Closure>,
        (parent, affinity, phase): (u32, u8, Phase),
    ) -> TaskId {
        let slot = self.slot(index);
        // SAFETY: the place is this thread's (invariant 2 of `Slot`).
        unsafe { slot.work.set(work) };
        slot.set_name(task.name);
        slot.parent.set(parent);
        slot.next.set(NONE);
        slot.dependents.set(NONE);
        slot.priority.set(task.priority.min(PRIORITY_MAX));
        slot.affinity.set(affinity);
        slot.set_phase(phase);
        slot.failure.set(SOUND);
        let generation = slot.generation.load(Ordering::Relaxed).wrapping_add(1);
        slot.generation.store(generation, Ordering::Relaxed);
        // Release: a thread that pins the task which was here before finds another generation.
        slot.open.store(1, Ordering::Release);
        TaskId::of(index, generation)
    }

    /// Ends the task in a place whose open work is none: its id is dead from now on.
    #[inline]
    pub(crate) fn end(slot: &Slot) {
        slot.set_phase(Phase::Free);
        let generation = slot.generation.load(Ordering::Relaxed).wrapping_add(1);
        // Release pairs with the Acquire of `Slot::is`: all that the task did is visible.
        slot.generation.store(generation, Ordering::Release);
    }

    /// Adds a task to this thread's ring; `false` if it must go to the queue that the lock guards.
    #[inline]
    pub(crate) fn push(&self, me: Me<'_>, index: u32) -> bool {
        let Me { thread, local } = me;
        let priority = self.slot(index).priority.get();
        if local.level.get() != priority {
            if !local.ring.is_empty() {
                return false;
            }
            local.level.set(priority);
        }
        let is_alone = self.is_alone();
        if !local.ring.push(self.entries(thread), index, is_alone) {
            return false;
        }
        if !is_alone {
            self.board.show(thread, priority + 1);
        }
        true
    }

    /// Takes a free place of this thread's.
    #[inline]
    pub(crate) fn take_place(&self, me: Me<'_>) -> Option<u32> {
        let local = me.local;
        let mut index = local.free.get();
        if index == NONE {
            index = local.spare.replace(NONE);
            if index == NONE {
                return None;
            }
            local.free_count.set(self.sizes.batch);
        }
        local.free.set(self.slot(index).next.get());
        local.free_count.set(local.free_count.get() - 1);
        Some(index)
    }

    /// Keeps a free place for this thread. Returns a batch that is too much for it.
    #[inline]
    pub(crate) fn keep_place(&self, me: Me<'_>, index: u32, slot: &Slot) -> Option<u32> {
        let local = me.local;
        slot.next.set(local.free.get());
        let count = local.free_count.get() + 1;
        if count < self.sizes.batch {
            local.free.set(index);
            local.free_count.set(count);
            return None;
        }
        local.free.set(NONE);
        local.free_count.set(0);
        let batch = local.spare.replace(index);
        (batch != NONE).then_some(batch)
    }

    /// Takes tasks of the greatest height that rings show, if that is more than `mine`: one, and
    /// more for this thread's ring if that is empty.
    #[cold]
    pub(crate) fn steal(&self, me: Me<'_>, mine: u8, many: bool) -> Option<u32> {
        loop {
            let height = self.board.highest();
            if height <= mine {
                return None;
            }
            if let Some(index) = self.steal_of(me, height, many) {
                return Some(index);
            }
            self.board.clear(height, self.locals.len());
        }
    }

    fn steal_of(&self, me: Me<'_>, height: u8, many: bool) -> Option<u32> {
        let thread = me.thread;
        let count = self.locals.len() as u8;
        let others = (thread + 1..count).chain(0..=thread);
        for other in others.filter(|other| self.board.shown(*other) == height) {
            let ring = &self.local(other).ring;
            if other != thread {
                let taken =
                    if many { self.steal_many(me, other) } else { ring.pop(self.entries(other)) };
                if taken.is_some() {
                    return taken;
                }
            }
            self.board.hide(other, height, || ring.is_empty());
        }
        None
    }

    fn steal_many(&self, me: Me<'_>, from: u8) -> Option<u32> {
        let (Me { thread, local }, other) = (me, self.local(from));
        let index = local.ring.steal(self.entries(thread), &other.ring, self.entries(from))?;
        // All that was taken has one priority, since what one ring has does.
        let priority = self.slot(index).priority.get();
        local.level.set(priority);
        if !local.ring.is_empty() {
            self.board.show(thread, priority + 1);
        }
        Some(index)
    }

    /// Returns `true` if this thread might find a task.
    #[inline]
    pub(crate) fn sees_work(&self, thread: u8) -> bool {
        self.board.locked(thread) != 0 || self.board.highest() != 0
    }

    pub(crate) fn has_rings(&self) -> bool {
        self.locals.iter().any(|local| !local.ring.is_empty())
    }
}
