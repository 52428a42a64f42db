//! What starts and what completes with the lock held.

use crate::failures::{CLOSING, SOUND, THREAD_GONE};
use crate::id::TaskId;
use crate::slot::{ANYWHERE, AWAITED, List, NONE, Phase};
use crate::state::{Waits, members};
use crate::sync::Ordering;
use crate::table::Table;
use crate::turn::Turn;

impl Turn<'_, '_> {
    /// Lets tasks start that wait for nothing any more: into a queue, or, if there is nothing to
    /// run, on to those that wait for them.
    pub(crate) fn settle(&mut self, mut pending: List) {
        while let Some(index) = pending.pop(self.table.slots) {
            let failure = self.failure_of_start(index);
            let slot = self.table.slot(index);
            // SAFETY: it is in no queue, and its work does not run: the thread that settles it has it.
            let has_work = unsafe { slot.work.with(Option::is_some) };
            if failure == SOUND && has_work {
                self.enqueue(index);
                continue;
            }
            // SAFETY: as above.
            unsafe { slot.work.set(None) };
            slot.failure.set(failure);
            slot.set_phase(Phase::Open);
            self.close_items(index, 1, &mut pending);
        }
    }

    /// Returns why a task may not start, if so.
    fn failure_of_start(&self, index: u32) -> u8 {
        let slot = self.table.slot(index);
        let affinity = slot.affinity.get();
        if slot.failure.get() != SOUND {
            slot.failure.get()
        } else if self.table.board.is_closing() {
            CLOSING
        } else if affinity != ANYWHERE && !self.state.threads[usize::from(affinity)].registered {
            THREAD_GONE
        } else {
            SOUND
        }
    }

    fn enqueue(&mut self, index: u32) {
        let (table, slot) = (self.table, self.table.slot(index));
        slot.set_phase(Phase::Queued);
        let affinity = slot.affinity.get();
        if affinity != ANYWHERE {
            let queue = &mut self.state.threads[usize::from(affinity)].queue;
            queue.push(table.slots, index);
            table.board.set_own(affinity, queue.height());
            self.state.counts.ready += 1;
            self.state.wake(table, affinity);
        } else if self.me.is_some_and(|me| table.push(me, index)) {
            self.state.fresh += 1;
        } else {
            self.enqueue_shared(index);
        }
    }

    /// Puts a task that may start into the queue that the lock guards.
    pub(crate) fn enqueue_shared(&mut self, index: u32) {
        self.state.counts.ready += 1;
        self.state.counts.shared += 1;
        self.state.shared.push(self.table.slots, index);
        self.table.board.set_shared(self.state.shared.height());
    }

    /// Takes the task of the greatest priority that is in no ring and that this thread may run.
    pub(crate) fn take(&mut self, thread: u8) -> Option<u32> {
        let slots = self.table.slots;
        let own = &mut self.state.threads[usize::from(thread)].queue;
        let index = if own.height() != 0 && own.height() >= self.state.shared.height() {
            let index = own.pop(slots)?;
            self.table.board.set_own(thread, own.height());
            index
        } else {
            let index = self.state.shared.pop(slots)?;
            self.state.counts.shared -= 1;
            self.table.board.set_shared(self.state.shared.height());
            index
        };
        self.state.counts.ready -= 1;
        Some(index)
    }

    /// Gives up a task that was taken from a queue, and does not run.
    pub(crate) fn give_up(&mut self, index: u32, failure: u8) {
        let slot = self.table.slot(index);
        // SAFETY: this thread has taken it.
        unsafe { slot.work.set(None) };
        self.spread(index, failure);
        slot.set_phase(Phase::Open);
        self.unpin(index);
    }

    /// Marks a task as failed that has panicked.
    pub(crate) fn fail(&mut self, index: u32) {
        let failure = self.state.failures.of(self.table.slot(index).name());
        self.spread(index, failure);
    }

    /// Takes some off a task's open work: its own, or children's. At zero it has completed, which
    /// takes one off its parent's. Those that waited for it are put into `pending`.
    pub(crate) fn close_items(&mut self, index: u32, count: u32, pending: &mut List) {
        // Release: all that was done for it is handed on to the thread that completes it; Acquire:
        // that is this one if none is left.
        let before = self.table.slot(index).open.fetch_sub(count, Ordering::AcqRel);
        if before & !AWAITED == count {
            self.end(index, before & AWAITED != 0, pending);
        }
    }

    /// Ends a task whose open work is none, and what completes with it.
    fn end(&mut self, mut index: u32, mut awaited: bool, pending: &mut List) {
        loop {
            let parent = self.end_one(index, awaited, pending);
            if parent == NONE {
                return;
            }
            let before = self.table.slot(parent).open.fetch_sub(1, Ordering::AcqRel);
            if before & !AWAITED != 1 {
                return;
            }
            (index, awaited) = (parent, before & AWAITED != 0);
        }
    }

    /// Ends one task and returns the place of its parent.
    fn end_one(&mut self, index: u32, awaited: bool, pending: &mut List) -> u32 {
        let (table, slot) = (self.table, self.table.slot(index));
        let (id, failure, parent) = (table.id(index), slot.failure.get(), slot.parent.get());
        let dependents = if awaited { slot.dependents.replace(NONE) } else { NONE };
        if failure != SOUND {
            self.state.failures.remember(id, failure);
            table.failed.set(self.state.failures.total());
            if parent != NONE {
                self.spread(parent, failure);
            }
        }
        Table::end(slot);
        self.free(index);
        if dependents != NONE {
            self.release(dependents, failure, pending);
        }
        if awaited {
            self.wake_waiting_for(id);
        }
        parent
    }

    /// Keeps a free place.
    fn free(&mut self, index: u32) {
        let (slots, batch) = (self.table.slots, self.table.sizes.batch);
        let Some(me) = self.me else {
            self.state.completed += 1;
            self.state.places.free(slots, index, batch);
            return;
        };
        let completed = &me.local.completed;
        completed.set(completed.get() + 1);
        if let Some(batch) = self.table.keep_place(me, index, self.table.slot(index)) {
            self.state.places.free_batch(slots, batch);
        }
    }

    /// Lets go those that waited for a task, the oldest first.
    fn release(&mut self, youngest: u32, failure: u8, pending: &mut List) {
        let mut oldest = NONE;
        let mut next = youngest;
        while next != NONE {
            let after = self.table.slot(next).next.replace(oldest);
            oldest = next;
            next = after;
        }
        while oldest != NONE {
            let index = oldest;
            let slot = self.table.slot(index);
            oldest = slot.next.get();
            self.spread(index, failure);
            if slot.phase() == Phase::HeldBlocked {
                slot.set_phase(Phase::Held);
            } else {
                pending.push(self.table.slots, index);
            }
        }
    }

    fn wake_waiting_for(&mut self, id: TaskId) {
        for thread in members(self.state.asleep) {
            if self.state.threads[usize::from(thread)].waits.task() == Some(id) {
                self.state.wake(self.table, thread);
            }
        }
    }

    /// Notes that the event at this address was set.
    pub(crate) fn set_event(&mut self, address: usize) {
        for thread in members(self.state.asleep) {
            if self.state.threads[usize::from(thread)].waits == Waits::Event(address) {
                self.state.wake(self.table, thread);
            }
        }
    }
}
