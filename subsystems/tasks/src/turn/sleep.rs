//! How threads fall asleep, and what they find out then.

use crate::slot::NONE;
use crate::state::{Waits, members};
use crate::turn::Turn;

/// How a thread fell asleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fell {
    /// It did not: there is something to do.
    Awake,
    /// It sleeps.
    Asleep,
    /// It did, and has woken itself: it found out that all wait for each other.
    Woken,
}

impl Turn<'_, '_> {
    /// Notes that a thread falls asleep, unless there is something to do for it.
    pub(crate) fn fall_asleep(&mut self, thread: u8, waits: Waits) -> Fell {
        let (table, board) = (self.table, &self.table.board);
        let ends = matches!(waits, Waits::Nothing | Waits::Event(_));
        if (ends && board.is_closing()) || !self.will_be_woken(waits) {
            return Fell::Awake;
        }
        self.state.asleep |= 1 << thread;
        self.state.threads[usize::from(thread)].waits = waits;
        board.set_sleepers(self.state.asleep.count_ones());
        board.not_awake();
        let own = self.state.threads[usize::from(thread)].queue.height() != 0;
        if own || self.state.counts.shared != 0 || table.has_rings() {
            self.state.rise(table, thread);
            return Fell::Awake;
        }
        while self.is_stuck() && self.give_up_blocked() {}
        if self.is_stuck() {
            for thread in members(self.state.asleep) {
                if matches!(self.state.threads[usize::from(thread)].waits, Waits::Task(_)) {
                    table.local(thread).stuck.set(1);
                    self.state.wake(table, thread);
                }
            }
        }
        if self.state.is_asleep(thread) { Fell::Asleep } else { Fell::Woken }
    }

    /// Has the end of what is waited for wake the thread; `false` if it has come.
    fn will_be_woken(&mut self, waits: Waits) -> bool {
        waits.task().is_none_or(|id| self.watch(id).is_some())
    }

    /// Returns `true` if nothing can happen any more: threads wait, but nothing could start, none
    /// runs, and nobody outside has a task or a scope in hand.
    ///
    /// It stays so once it is: what waits then can only be let go by what waits as well. A thread
    /// that comes from its serial code meanwhile has nothing of it: it would have taken it from a
    /// ring, after it counted itself as awake, and to let go what waits it needs the lock.
    fn is_stuck(&self) -> bool {
        let (counts, board) = (&self.state.counts, &self.table.board);
        let waits = |thread: u8| self.state.threads[usize::from(thread)].waits != Waits::Nothing;
        board.count_awake() == 0
            && counts.ready == 0
            && counts.held == 0
            && counts.external == 0
            && self.table.locals.iter().all(|local| local.scopes.get() == 0)
            && members(self.state.asleep).any(waits)
            && members(self.state.asleep).all(|thread| !self.may_go_on(thread))
            && !self.table.has_rings()
            && board.count_awake() == 0
            && self.figures().0 > 0
    }

    /// Returns `true` if a sleeping thread is in the midst of a task that an event lets go on.
    fn may_go_on(&self, thread: u8) -> bool {
        self.table.local(thread).running.get() != NONE
            && matches!(self.state.threads[usize::from(thread)].waits, Waits::Event(_))
    }
}
