//! What a thread does that finds nothing to run.

use crate::hub::Hub;
use crate::hub::help::Help;
use crate::local::{LOOKS, MOMENT, Me, PAUSE_MAX};
use crate::state::Waits;
use crate::turn::{Fell, Turn};

impl Hub<'_> {
    /// Looks for a task for a while, and sleeps if there is none; returns one if it found one.
    #[cold]
    pub(super) fn idle(
        &self,
        me: Me<'_>,
        waits: Waits,
        is_there: &dyn Fn() -> bool,
    ) -> Option<u32> {
        let board = &self.table.board;
        if self.pay(me) {
            // What is waited for may have completed.
            return None;
        }
        board.begin_idle();
        board.begin_search();
        let seen = self.look(me, waits, is_there);
        if !seen {
            self.sleep(me, waits, is_there);
        }
        let taken = self.take(me, Help::Now);
        let was_last = board.end_search();
        board.end_idle();
        if taken.is_some() {
            me.local.pause.set(1);
            if seen {
                let looks = &me.local.looks;
                looks.set((looks.get() * 2).min(LOOKS.end));
            }
        }
        // One was woken for many tasks, and wakes the next. Also if it found none itself: one that was
        // added since then woke nobody, as this thread still looked.
        if was_last && self.table.sees_work(me.thread) && board.misses_somebody() {
            self.wake_one();
        }
        taken
    }

    /// Looks without the lock, for a while; `true` if it may have found something. How long is
    /// adapted to whether that was of use before.
    fn look(&self, me: Me<'_>, waits: Waits, is_there: &dyn Fn() -> bool) -> bool {
        let looks = &me.local.looks;
        let budget = looks.get();
        let mut spent = 0;
        while spent < budget {
            if self.may_have_ended(me, waits) || is_there() {
                return true;
            }
            if self.table.sees_work(me.thread) {
                // What is gone after a moment was so little that to take some of it would cost its
                // thread more than to run it. What is in no ring has no
                // thread that would run it sooner.
                let in_ring = self.table.board.locked(me.thread) == 0;
                let turns = if in_ring { me.local.moment.get() } else { MOMENT.start };
                (0..turns).for_each(|_| core::hint::spin_loop());
                return true;
            }
            // Longer and longer while what is seen is gone before it is taken: then others have so
            // little to do that to look would cost them more.
            let pause = me.local.pause.get();
            (0..pause).for_each(|_| core::hint::spin_loop());
            me.local.pause.set((pause * 2).min(PAUSE_MAX));
            spent += pause;
        }
        looks.set((budget / 2).max(LOOKS.start));
        false
    }

    /// Sleeps until woken, unless there is something to do. Before and after, the thread counts as
    /// one that looks for tasks; the thread that wakes it counts it.
    fn sleep(&self, me: Me<'_>, waits: Waits, is_there: &dyn Fn() -> bool) {
        let mut guard = self.state.lock();
        self.table.board.end_search();
        let mut turn = Turn { state: &mut guard, table: &self.table, me: Some(me) };
        let fell = if is_there() { Fell::Awake } else { turn.fall_asleep(me.thread, waits) };
        if fell == Fell::Awake {
            self.table.board.begin_search();
        }
        if fell == Fell::Asleep {
            // Others may have been woken, where all waited for each other.
            let wakes = guard.before_unlock(&self.table);
            self.ring(wakes & !(1 << me.thread));
            while guard.is_asleep(me.thread) {
                guard = self.bells[usize::from(me.thread)].sleep(guard);
            }
        }
        let wakes = guard.before_unlock(&self.table);
        drop(guard);
        self.ring(wakes & !(1 << me.thread));
    }
}
