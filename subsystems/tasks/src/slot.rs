//! A task in the table: one cache line.

use crate::closure::Closure;
use crate::id::TaskId;
use crate::task::Name;

/// No place: the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// May run on any thread.
pub(crate) const ANYWHERE: u8 = u8::MAX;

/// The phase of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// There is no task.
    Free,
    /// It may not start until it is released.
    Held,
    /// As `Held`, and its dependency is open.
    HeldBlocked,
    /// It is done elsewhere.
    External,
    /// Its dependency is open.
    Blocked,
    /// It is in a queue.
    Queued,
    /// A thread runs it.
    Running,
    /// Its own work is done, a child's is not.
    Open,
}

/// A task in the table.
#[repr(C, align(64))]
pub(crate) struct Slot {
    /// What to run, until it is run.
    pub(crate) work: Option<Closure>,
    pub(crate) name: Name,
    /// Its id; the next task's if there is none.
    pub(crate) id: TaskId,
    pub(crate) parent: Option<TaskId>,
    /// The next in the list that it is in: of free places, of a queue, of a task's dependents. Of a
    /// running task, the one below it on its thread's stack.
    pub(crate) next: u32,
    /// The first of those that wait for it.
    pub(crate) dependents: u32,
    /// Its own work, if not done, and its open children.
    pub(crate) open: u32,
    pub(crate) priority: u8,
    pub(crate) affinity: u8,
    pub(crate) phase: Phase,
    /// Why it failed; 0 if it has not.
    pub(crate) failure: u8,
}

const _: () = assert!(size_of::<Slot>() == 64, "a task is one cache line");

impl Slot {
    pub(crate) fn free(id: TaskId, next: u32) -> Self {
        Self {
            work: None,
            name: &"",
            id,
            parent: None,
            next,
            dependents: NONE,
            open: 0,
            priority: 0,
            affinity: ANYWHERE,
            phase: Phase::Free,
            failure: 0,
        }
    }
}

/// A first-in, first-out list of tasks, linked through their slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) head: u32,
    pub(crate) tail: u32,
}

impl List {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: NONE };

    #[inline]
    pub(crate) fn push(&mut self, slots: &mut [Slot], index: u32) {
        slots[index as usize].next = NONE;
        if self.head == NONE {
            self.head = index;
        } else {
            slots[self.tail as usize].next = index;
        }
        self.tail = index;
    }

    #[inline]
    pub(crate) fn pop(&mut self, slots: &[Slot]) -> Option<u32> {
        let index = self.head;
        if index == NONE {
            return None;
        }
        self.head = slots[index as usize].next;
        Some(index)
    }

    /// Returns the members.
    pub(crate) fn iter(self, slots: &[Slot]) -> impl Iterator<Item = u32> {
        linked(slots, self.head)
    }
}

/// Returns a task and those that its links lead to, as many as there are slots at most: a damaged
/// list may have no end.
pub(crate) fn linked(slots: &[Slot], first: u32) -> impl Iterator<Item = u32> {
    // The step looks one link ahead, so it must accept the end of the list.
    let step = |&index: &u32| slots.get(index as usize).map(|slot| slot.next);
    core::iter::successors(Some(first), step)
        .take_while(|&index| (index as usize) < slots.len())
        .take(slots.len())
}
