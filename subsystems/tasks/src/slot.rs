//! A task in the table: one cache line.

use core::sync::atomic::AtomicPtr;

use crate::closure::Closure;
use crate::id::TaskId;
use crate::plain::{Plain8, Plain32};
use crate::sync::{AtomicU32, Ordering, Owned, fence};
use crate::task::Name;

/// No place: the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// May run on any thread.
pub(crate) const ANYWHERE: u8 = u8::MAX;

/// Added to the open work of a task for which something waits: the thread that completes it takes
/// the lock and sees to that.
pub(crate) const AWAITED: u32 = 1 << 31;

/// The phase of a task.
///
/// What is held, elsewhere or blocked becomes and stays so only with the lock held; the others
/// change without.
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
    /// It is the root of a scope that has not ended.
    Scope,
}

impl Phase {
    const ALL: [Self; 9] = [
        Self::Free,
        Self::Held,
        Self::HeldBlocked,
        Self::External,
        Self::Blocked,
        Self::Queued,
        Self::Running,
        Self::Open,
        Self::Scope,
    ];
}

/// A task in the table.
///
/// # Invariants
///
/// 1. `open` is the number of open children, one more until the task's own work is done, and one
///    more for each thread that keeps it from completing for a moment. The thread that takes it to 0
///    owns the place, until it is in a list of free places.
/// 2. The rest is written by the thread that adds the task, before a queue hands it on; then by the
///    thread that has it. What others read or write meanwhile (`parent`, `dependents`, `failure`)
///    they do with the lock held, while they keep it from completing.
#[repr(C, align(64))]
pub(crate) struct Slot {
    /// What to run, until it is run.
    pub(crate) work: Owned<Option<Closure>>,
    name: AtomicPtr<&'static str>,
    /// Of its id, which is odd; even if there is no task.
    pub(crate) generation: AtomicU32,
    /// Its own work, if not done, and its open children.
    pub(crate) open: AtomicU32,
    pub(crate) parent: Plain32,
    /// The next in the list that it is in: of free places, of a queue, of a task's dependents. Of a
    /// running task, the one below it on its thread's stack.
    pub(crate) next: Plain32,
    /// The first of those that wait for it. Of a free place that begins a batch, the next batch.
    pub(crate) dependents: Plain32,
    pub(crate) priority: Plain8,
    pub(crate) affinity: Plain8,
    phase: Plain8,
    /// Why it failed; 0 if it has not.
    pub(crate) failure: Plain8,
}

#[cfg(not(all(test, loom)))]
const _: () = assert!(size_of::<Slot>() == 64, "a task is one cache line");

impl Slot {
    /// Returns a free place.
    pub(crate) fn free() -> Self {
        Self {
            work: Owned::new(None),
            name: AtomicPtr::new(core::ptr::from_ref::<&'static str>(&"").cast_mut()),
            generation: AtomicU32::new(0),
            open: AtomicU32::new(0),
            parent: Plain32::new(NONE),
            next: Plain32::new(NONE),
            dependents: Plain32::new(NONE),
            priority: Plain8::new(0),
            affinity: Plain8::new(ANYWHERE),
            phase: Plain8::new(Phase::Free as u8),
            failure: Plain8::new(0),
        }
    }

    #[inline]
    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.get()) % Phase::ALL.len()]
    }

    #[inline]
    pub(crate) fn set_phase(&self, phase: Phase) {
        self.phase.set(phase as u8);
    }

    /// Returns the name of the task that is or was last in this place.
    #[inline]
    pub(crate) fn name(&self) -> Name {
        let name = self.name.load(Ordering::Relaxed);
        // SAFETY: only `set_name` and `free` write it, from references that live for ever.
        unsafe { &*name }
    }

    #[inline]
    pub(crate) fn set_name(&self, name: Name) {
        // Pairs with the fence where the name of a task is read that may complete meanwhile: where
        // this name is seen, it is seen that the generation is another.
        fence(Ordering::Release);
        self.name.store(core::ptr::from_ref(name).cast_mut(), Ordering::Relaxed);
    }

    /// Returns `true` if the task of this id has not completed. If it has, all is visible that it
    /// did.
    #[inline]
    pub(crate) fn is(&self, id: TaskId) -> bool {
        // Acquire pairs with the Release with which the generation is raised. What was never an id
        // may have the generation of a free place, which is even.
        self.generation.load(Ordering::Acquire) == id.generation() && id.generation() & 1 == 1
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
    pub(crate) fn push(&mut self, slots: &[Slot], index: u32) {
        slots[index as usize].next.set(NONE);
        if self.head == NONE {
            self.head = index;
        } else {
            slots[self.tail as usize].next.set(index);
        }
        self.tail = index;
    }

    #[inline]
    pub(crate) fn pop(&mut self, slots: &[Slot]) -> Option<u32> {
        let index = self.head;
        if index == NONE {
            return None;
        }
        self.head = slots[index as usize].next.get();
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
    let step = |&index: &u32| slots.get(index as usize).map(|slot| slot.next.get());
    core::iter::successors(Some(first), step)
        .take_while(|&index| (index as usize) < slots.len())
        .take(slots.len())
}
