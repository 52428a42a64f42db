//! What starts, what completes, and what is given up.

use crate::failures::{CIRCLE, CLOSING, SOUND, THREAD_GONE};
use crate::queue::Queue;
use crate::slot::{ANYWHERE, List, NONE, Phase};
use crate::state::State;

impl State {
    /// Lets tasks start that wait for nothing any more: into a queue, or, if there is nothing to
    /// run, on to those that wait for them.
    pub(super) fn settle(&mut self, mut pending: List) {
        while let Some(index) = pending.pop(&self.slots) {
            let failure = self.failure_of_start(index);
            let slot = &mut self.slots[index as usize];
            if failure == SOUND && slot.work.is_some() {
                self.enqueue(index);
                continue;
            }
            slot.failure = failure;
            slot.work = None;
            slot.phase = Phase::Open;
            self.close_item(index, &mut pending);
        }
    }

    /// As [`settle`](Self::settle), for one task, which mostly can be run.
    #[inline]
    pub(super) fn settle_one(&mut self, index: u32) {
        let slot = &self.slots[index as usize];
        let runs = slot.work.is_some() && slot.failure == SOUND && slot.affinity == ANYWHERE;
        if runs && !self.closing {
            self.enqueue(index);
        } else {
            let mut pending = List::EMPTY;
            pending.push(&mut self.slots, index);
            self.settle(pending);
        }
    }

    /// Returns why a task may not start, if so.
    fn failure_of_start(&self, index: u32) -> u8 {
        let slot = &self.slots[index as usize];
        if slot.failure != SOUND {
            slot.failure
        } else if self.closing {
            CLOSING
        } else if slot.affinity != ANYWHERE && !self.threads[usize::from(slot.affinity)].registered
        {
            THREAD_GONE
        } else {
            SOUND
        }
    }

    #[inline]
    fn enqueue(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        slot.phase = Phase::Queued;
        let affinity = slot.affinity;
        self.counts.ready += 1;
        self.changed = true;
        if affinity == ANYWHERE {
            self.counts.shared += 1;
            self.shared.push(&mut self.slots, index);
        } else {
            self.threads[usize::from(affinity)].queue.push(&mut self.slots, index);
            self.wake(affinity);
        }
    }

    /// Takes one off a task's open work: its own, or a child's. At zero it has completed, which
    /// takes one off its parent's. Those that waited for it are put into `pending`.
    pub(super) fn close_item(&mut self, mut index: u32, pending: &mut List) {
        loop {
            let slot = &mut self.slots[index as usize];
            slot.open -= 1;
            if slot.open > 0 {
                return;
            }
            let (id, failure, parent) = (slot.id, slot.failure, slot.parent);
            let dependents = slot.dependents;
            slot.phase = Phase::Free;
            slot.id = self.bits.next(id.to_bits());
            self.free.push(&mut self.slots, index);
            self.counts.open -= 1;
            if dependents != NONE {
                self.release(dependents, failure, pending);
            }
            if failure != SOUND {
                self.failures.remember(id, failure);
            }
            if self.waiting != 0 {
                self.wake_waiting_for(id);
            }
            let Some(parent) = parent else {
                return;
            };
            index = self.bits.index(parent) as u32;
            self.spread(index, failure);
        }
    }

    /// Marks a task as failed, unless it is already.
    #[inline]
    pub(super) fn spread(&mut self, index: u32, failure: u8) {
        let slot = self.slot(index);
        if slot.failure == SOUND {
            slot.failure = failure;
        }
    }

    /// Lets go those that waited for a task, the oldest first.
    fn release(&mut self, youngest: u32, failure: u8, pending: &mut List) {
        let mut oldest = NONE;
        let mut next = youngest;
        while next != NONE {
            let slot = self.slot(next);
            let after = core::mem::replace(&mut slot.next, oldest);
            oldest = next;
            next = after;
        }
        while oldest != NONE {
            let index = oldest;
            oldest = self.slot(index).next;
            self.spread(index, failure);
            let slot = self.slot(index);
            if slot.phase == Phase::HeldBlocked {
                slot.phase = Phase::Held;
            } else {
                pending.push(&mut self.slots, index);
            }
        }
    }

    /// Gives up all that has not started, and lets nothing start any more.
    pub(crate) fn close(&mut self) {
        self.closing = true;
        self.changed = true;
        self.shared = Queue::new();
        self.threads.iter_mut().for_each(|thread| thread.queue = Queue::new());
        self.counts.ready = 0;
        self.counts.shared = 0;
        let mut pending = List::EMPTY;
        for index in 0..self.slots.len() as u32 {
            let slot = self.slot(index);
            match slot.phase {
                Phase::Queued => {}
                Phase::External => self.counts.external -= 1,
                Phase::Held => self.counts.held -= 1,
                Phase::HeldBlocked => {
                    // Its dependency lets go of it.
                    slot.phase = Phase::Blocked;
                    self.counts.held -= 1;
                    continue;
                }
                _ => continue,
            }
            // In no list, and not picked up again below.
            self.slot(index).phase = Phase::Open;
            pending.push(&mut self.slots, index);
        }
        self.settle(pending);
        self.wake_all();
    }

    /// Gives up what only one thread may run and has not started, as that thread is gone.
    pub(super) fn abandon(&mut self, thread: u8) {
        let mut pending = List::EMPTY;
        while let Some(index) = self.threads[usize::from(thread)].queue.pop(&self.slots) {
            self.counts.ready -= 1;
            pending.push(&mut self.slots, index);
        }
        self.settle(pending);
    }

    /// Gives up all tasks that wait for another. Returns whether there were any.
    pub(super) fn give_up_blocked(&mut self) -> bool {
        let mut pending = List::EMPTY;
        for index in 0..self.slots.len() as u32 {
            let slot = self.slot(index);
            // All that wait are given up, so no list has a member any more.
            slot.dependents = NONE;
            if slot.phase == Phase::Blocked {
                slot.phase = Phase::Open;
                self.spread(index, CIRCLE);
                pending.push(&mut self.slots, index);
            }
        }
        let any = pending.head != NONE;
        self.settle(pending);
        any
    }
}
