//! What is given up: at shutdown, as a thread goes, in a circle.

use crate::failures::{CIRCLE, CLOSING};
use crate::queue::Queue;
use crate::slot::{AWAITED, List, NONE, Phase};
use crate::state::members;
use crate::sync::Ordering;
use crate::turn::Turn;

impl Turn<'_, '_> {
    /// Gives up all that has not started, and lets nothing start any more.
    pub(crate) fn close(&mut self) {
        let table = self.table;
        table.board.close();
        let mut pending = List::EMPTY;
        while let Some(index) = self.state.shared.pop(table.slots) {
            pending.push(table.slots, index);
        }
        for thread in 0..self.state.threads.len() {
            while let Some(index) = self.state.threads[thread].queue.pop(table.slots) {
                pending.push(table.slots, index);
            }
            table.board.set_own(thread as u8, 0);
        }
        table.board.set_shared(0);
        self.state.counts.ready = 0;
        self.state.counts.shared = 0;
        for (index, slot) in table.slots.iter().enumerate() {
            match slot.phase() {
                Phase::External => self.state.counts.external -= 1,
                Phase::Held => self.state.counts.held -= 1,
                Phase::HeldBlocked => {
                    // Its dependency lets go of it.
                    slot.set_phase(Phase::Blocked);
                    self.state.counts.held -= 1;
                    continue;
                }
                _ => continue,
            }
            // In no list, and not picked up again.
            slot.set_phase(Phase::Open);
            pending.push(table.slots, index as u32);
        }
        self.settle(pending);
        self.drain();
        members(self.state.asleep).for_each(|thread| self.state.wake(table, thread));
    }

    /// Gives up all that is in rings. After the manager has begun to shut down.
    pub(crate) fn drain(&mut self) {
        for thread in 0..self.table.locals.len() as u8 {
            let ring = &self.table.local(thread).ring;
            while let Some(index) = ring.pop(self.table.entries(thread)) {
                self.give_up(index, CLOSING);
            }
        }
    }

    /// Takes the first place of a main thread that is free.
    pub(crate) fn register_main(&mut self) -> Result<u8, u32> {
        let main_threads = self.state.main_threads as usize;
        let mut mains = self.state.threads[..main_threads].iter();
        let free = mains.position(|thread| !thread.registered);
        let index = free.ok_or(self.state.main_threads)? as u8;
        self.register(index);
        Ok(index)
    }

    pub(crate) fn register(&mut self, thread: u8) {
        self.state.threads[usize::from(thread)].registered = true;
        self.count_registered();
    }

    /// Gives a place back. What only that thread might run is given up.
    pub(crate) fn unregister(&mut self, thread: u8) {
        self.state.threads[usize::from(thread)].registered = false;
        self.count_registered();
        let mut pending = List::EMPTY;
        while let Some(index) = self.state.threads[usize::from(thread)].queue.pop(self.table.slots)
        {
            self.state.counts.ready -= 1;
            pending.push(self.table.slots, index);
        }
        self.table.board.set_own(thread, 0);
        self.settle(pending);
    }

    fn count_registered(&self) {
        let count = self.state.threads.iter().filter(|thread| thread.registered).count();
        self.table.board.set_registered(count as u32);
    }

    /// Gives up all tasks that wait for another. Returns whether there were any.
    pub(super) fn give_up_blocked(&mut self) -> bool {
        let mut pending = List::EMPTY;
        for (index, slot) in self.table.slots.iter().enumerate() {
            if slot.phase() == Phase::Free {
                continue;
            }
            if slot.phase() == Phase::Blocked {
                slot.set_phase(Phase::Open);
                self.spread(index as u32, CIRCLE);
                pending.push(self.table.slots, index as u32);
            }
            // All that wait are given up, so no list has a member any more.
            if slot.open.load(Ordering::Relaxed) & AWAITED != 0 {
                slot.dependents.set(NONE);
            }
        }
        let any = pending.head != NONE;
        self.settle(pending);
        any
    }
}

/// A queue of one thread is as small as it is said.
const _: () = assert!(size_of::<Queue>() == 520, "as its documentation says");
