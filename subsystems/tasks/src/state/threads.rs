//! What threads take, wait for, and how they fall asleep and are woken.

use crate::closure::Closure;
use crate::error::WaitError;
use crate::id::TaskId;
use crate::slot::{List, NONE, Phase, linked};
use crate::state::State;
use crate::task::Name;

/// What a thread waits for.
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

/// A task that a thread has taken to run.
pub(crate) struct Taken {
    pub(crate) index: u32,
    pub(crate) id: TaskId,
    pub(crate) name: Name,
    pub(crate) parent: Option<TaskId>,
    pub(crate) closure: Closure,
}

impl State {
    /// Takes the task of the greatest priority that this thread may run.
    #[inline]
    pub(crate) fn take(&mut self, thread: u8) -> Option<Taken> {
        loop {
            let own = &mut self.threads[usize::from(thread)].queue;
            let index = if own.height() != 0 && own.height() >= self.shared.height() {
                own.pop(&self.slots)?
            } else {
                let index = self.shared.pop(&self.slots)?;
                self.counts.shared -= 1;
                index
            };
            self.counts.ready -= 1;
            let slot = &mut self.slots[index as usize];
            let Some(closure) = slot.work.take().filter(|_| slot.failure == 0) else {
                // A child has failed meanwhile.
                slot.phase = Phase::Open;
                let mut pending = List::EMPTY;
                self.close_item(index, &mut pending);
                self.settle(pending);
                continue;
            };
            slot.phase = Phase::Running;
            let record = &mut self.threads[usize::from(thread)];
            slot.next = core::mem::replace(&mut record.running, index);
            self.counts.active += u32::from(slot.next == NONE);
            return Some(Taken {
                index,
                id: slot.id,
                name: slot.name,
                parent: slot.parent,
                closure,
            });
        }
    }

    /// Notes that the thread has run the task on top of its stack.
    #[inline]
    pub(crate) fn finish(&mut self, thread: u8, index: u32, panicked: bool) {
        let slot = &mut self.slots[index as usize];
        let below = slot.next;
        slot.phase = Phase::Open;
        self.threads[usize::from(thread)].running = below;
        self.counts.active -= u32::from(below == NONE);
        if panicked {
            let failure = self.failures.of(self.slots[index as usize].name);
            self.spread(index, failure);
        }
        let mut pending = List::EMPTY;
        self.close_item(index, &mut pending);
        if pending.head != NONE {
            self.settle(pending);
        }
    }

    /// Notes what a thread waits for, and returns what it waited for before.
    ///
    /// # Errors
    ///
    /// [`WaitError::Itself`] if that cannot complete before the thread goes on.
    pub(crate) fn begin_wait(&mut self, thread: u8, waits: Waits) -> Result<Waits, WaitError> {
        let record = &self.threads[usize::from(thread)];
        if let Waits::Task(id) = waits
            && self.is_open(id)
        {
            let mut stack = linked(&self.slots, record.running);
            if stack.any(|index| self.is_within(self.slots[index as usize].id, id)) {
                return Err(WaitError::Itself);
            }
        }
        self.waiting |= 1 << thread;
        Ok(core::mem::replace(&mut self.threads[usize::from(thread)].waits, waits))
    }

    /// Goes back to what the thread waited for before.
    pub(crate) fn end_wait(&mut self, thread: u8, before: Waits) {
        let record = &mut self.threads[usize::from(thread)];
        record.waits = before;
        record.stuck = false;
        if before == Waits::Nothing {
            self.waiting &= !(1 << thread);
        }
    }

    /// Returns how the wait has ended, if it has. Whether an event was set, the event knows.
    pub(crate) fn waited(&self, thread: u8) -> Option<Result<(), WaitError>> {
        let record = &self.threads[usize::from(thread)];
        match record.waits {
            Waits::Task(id) | Waits::Scope(id) if !self.is_open(id) => {
                Some(self.failures.told(self.failures.of_dead(id)))
            }
            Waits::Task(_) if record.stuck => Some(Err(WaitError::Circle)),
            Waits::Event(_) if self.closing => Some(Err(WaitError::Closing)),
            _ => None,
        }
    }

    /// Notes that the event at this address was set.
    pub(crate) fn set_event(&mut self, address: usize) {
        for thread in members(self.waiting) {
            if self.threads[usize::from(thread)].waits == Waits::Event(address) {
                self.changed = true;
                self.wake(thread);
            }
        }
    }

    /// Notes that a thread falls asleep. `false` if it has found out that everything waits for
    /// everything, and has changed that.
    pub(crate) fn fall_asleep(&mut self, thread: u8) -> bool {
        self.asleep |= 1 << thread;
        self.counts.active -= u32::from(self.holds_up(thread));
        if !self.is_stuck() {
            return true;
        }
        while self.is_stuck() && self.give_up_blocked() {}
        if self.is_stuck() {
            for thread in members(self.waiting & self.asleep) {
                let record = &mut self.threads[usize::from(thread)];
                if matches!(record.waits, Waits::Task(_)) {
                    record.stuck = true;
                    self.wake(thread);
                }
            }
        }
        // If it woke itself it is not asleep; else it sleeps on.
        self.asleep >> thread & 1 == 1
    }

    pub(crate) fn is_asleep(&self, thread: u8) -> bool {
        self.asleep >> thread & 1 == 1
    }

    /// Counts a thread that begins or ends to look for a task.
    pub(crate) fn search(&mut self, begins: bool) {
        if begins {
            self.searching += 1;
        } else {
            self.searching -= 1;
        }
    }

    /// Returns `true` if this thread is in the midst of a task and sleeps until another completes.
    fn holds_up(&self, thread: u8) -> bool {
        let record = &self.threads[usize::from(thread)];
        record.running != NONE && matches!(record.waits, Waits::Task(_) | Waits::Scope(_))
    }

    /// Returns `true` if nothing can happen any more: tasks are open, but none could start, none
    /// runs but those that sleep until another completes, and nobody outside has one in hand.
    fn is_stuck(&self) -> bool {
        let counts = &self.counts;
        counts.open > 0
            && counts.active == 0
            && counts.ready == 0
            && counts.held == 0
            && counts.external == 0
            && self.waiting & self.asleep != 0
    }

    /// Wakes a thread, if it sleeps.
    #[inline]
    pub(super) fn wake(&mut self, thread: u8) {
        let bit = 1 << thread;
        if self.asleep & bit != 0 {
            self.asleep &= !bit;
            self.wakes |= bit;
            self.searching += 1;
            self.counts.active += u32::from(self.holds_up(thread));
        }
    }

    pub(super) fn wake_all(&mut self) {
        members(self.asleep).for_each(|thread| self.wake(thread));
    }

    #[inline]
    pub(super) fn wake_waiting_for(&mut self, id: TaskId) {
        for thread in members(self.waiting) {
            let waits = self.threads[usize::from(thread)].waits;
            if waits == Waits::Task(id) || waits == Waits::Scope(id) {
                self.changed = true;
                self.wake(thread);
            }
        }
    }

    /// Wakes as many threads as there are tasks that nobody looks for (invariant 4), and returns
    /// the threads to wake, and whether searching threads should look.
    #[inline]
    pub(crate) fn before_unlock(&mut self) -> (u64, bool) {
        while self.asleep != 0 && self.counts.shared > self.searching {
            // Workers first: they have nothing else to do.
            let workers = self.asleep >> self.main_threads << self.main_threads;
            let pick = if workers == 0 { self.asleep } else { workers };
            self.wake(pick.trailing_zeros() as u8);
        }
        let wakes = core::mem::take(&mut self.wakes);
        let changed = core::mem::take(&mut self.changed) && self.searching > 0;
        (wakes, changed)
    }

    /// Takes the first place of a main thread that is free.
    pub(crate) fn register_main(&mut self) -> Result<u8, u32> {
        let main_threads = self.main_threads as usize;
        let free = self.threads[..main_threads].iter().position(|thread| !thread.registered);
        let index = free.ok_or(self.main_threads)? as u8;
        self.register(index);
        Ok(index)
    }

    pub(crate) fn register(&mut self, thread: u8) {
        self.threads[usize::from(thread)].registered = true;
    }

    /// Gives a place back. What only that thread might run is given up.
    pub(crate) fn unregister(&mut self, thread: u8) {
        self.threads[usize::from(thread)].registered = false;
        self.abandon(thread);
    }

    pub(crate) fn registered(&self) -> u32 {
        self.threads.iter().filter(|thread| thread.registered).count() as u32
    }
}

/// Returns the threads of a set.
fn members(mut set: u64) -> impl Iterator<Item = u8> {
    core::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < u64::BITS).then_some(first as u8)
    })
}
