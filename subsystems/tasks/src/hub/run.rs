//! The loops of threads that run tasks.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::error::WaitError;
use crate::failures::{CLOSING, SOUND};
use crate::hub::help::Help;
use crate::hub::{Hub, Worker};
use crate::id::TaskId;
use crate::local::Me;
use crate::observer::{Observed, Observer};
use crate::slot::{NONE, Phase, linked};
use crate::state::Waits;

/// A task that a thread has taken to run.
#[derive(Clone, Copy)]
struct Taken {
    index: u32,
    id: TaskId,
}

impl Hub<'_> {
    /// Runs tasks until the manager shuts down: what a worker does.
    pub(crate) fn serve(&self, me: Me<'_>) {
        self.enter(me);
        while !self.table.board.is_closing() {
            self.step(me, Waits::Nothing, &|| false);
        }
        self.leave(me);
        // What this thread added since the manager began to shut down.
        self.with(|turn| turn.drain());
    }

    /// Runs tasks until what is waited for has come about, or `is_there` says so.
    pub(crate) fn work_until(
        &self,
        me: Me<'_>,
        waits: Waits,
        is_there: &dyn Fn() -> bool,
    ) -> Result<(), WaitError> {
        if let Waits::Task(id) = waits
            && self.is_below(me, id)
        {
            return Err(WaitError::Itself);
        }
        self.enter(me);
        let result = loop {
            if is_there() {
                break Ok(());
            }
            if let Some(result) = self.waited(me, waits) {
                break result;
            }
            self.step(me, waits, is_there);
        };
        self.leave(me);
        result
    }

    /// Runs one task, if there is one.
    pub(crate) fn run_one(&self, me: Me<'_>) -> bool {
        self.enter(me);
        let taken = self.take(me, Help::Now);
        if let Some(index) = taken {
            self.run(me, index);
        }
        self.leave(me);
        taken.is_some()
    }

    /// Counts a thread as one that runs tasks.
    fn enter(&self, me: Me<'_>) {
        let depth = &me.local.depth;
        if depth.replace(depth.get() + 1) == 0 {
            self.table.board.awake();
        }
    }

    fn leave(&self, me: Me<'_>) {
        self.pay(me);
        // What the thread does now is not what it took.
        me.local.helped_at.set(0);
        let depth = &me.local.depth;
        depth.set(depth.get() - 1);
        if depth.get() == 0 {
            self.table.board.not_awake();
        }
    }

    /// Returns `true` if this thread is in the midst of a task that is this one or below it.
    fn is_below(&self, me: Me<'_>, id: TaskId) -> bool {
        let running = me.local.running.get();
        let mut stack = linked(self.table.slots, running);
        self.table.is_open(id) && stack.any(|index| self.table.is_within(index, id.index()))
    }

    /// Returns how the wait has ended, if it has. Whether an event was set, the event knows.
    fn waited(&self, me: Me<'_>, waits: Waits) -> Option<Result<(), WaitError>> {
        match waits {
            Waits::Task(id) | Waits::Scope(id) if !self.table.is_open(id) => {
                // What failed was counted before its id was dead.
                let none = self.table.failed.get() == 0;
                Some(if none { Ok(()) } else { self.with(|turn| turn.told(id)) })
            }
            Waits::Task(_) if me.local.stuck.get() != 0 => {
                me.local.stuck.set(0);
                Some(Err(WaitError::Circle))
            }
            Waits::Event(_) if self.table.board.is_closing() => Some(Err(WaitError::Closing)),
            _ => None,
        }
    }

    /// Returns `true` if a wait may have ended.
    pub(super) fn may_have_ended(&self, me: Me<'_>, waits: Waits) -> bool {
        waits.task().is_some_and(|id| !self.table.is_open(id))
            || me.local.stuck.get() != 0
            || self.table.board.is_closing()
    }

    /// Runs a task; if there is none, looks for some time, and then sleeps.
    #[inline]
    fn step(&self, me: Me<'_>, waits: Waits, is_there: &dyn Fn() -> bool) {
        let taken = self.take(me, Help::IfWorth).or_else(|| self.idle(me, waits, is_there));
        if let Some(index) = taken {
            self.run(me, index);
        }
    }

    /// Takes the task of the greatest priority that this thread may run.
    #[inline]
    pub(super) fn take(&self, me: Me<'_>, help: Help) -> Option<u32> {
        loop {
            let index = self.pick(me, help)?;
            let failure = self.table.slot(index).failure.get();
            if failure == SOUND && !self.table.board.is_closing() {
                return Some(index);
            }
            // A child has failed meanwhile, or all is given up.
            self.with(|turn| turn.give_up(index, CLOSING));
        }
    }

    #[inline]
    fn pick(&self, me: Me<'_>, help: Help) -> Option<u32> {
        let (table, local) = (&self.table, me.local);
        let mine = if local.ring.is_empty() { 0 } else { local.level.get() + 1 };
        let locked = table.board.locked(me.thread);
        // What the lock guards is older than what the ring has of the same priority.
        if locked != 0
            && locked >= mine
            && let Some(index) = self.with(|turn| turn.take(me.thread))
        {
            return Some(index);
        }
        if table.is_alone() {
            return local.ring.pop_alone(table.entries(me.thread));
        }
        if table.board.highest() > mine
            && let Some(index) = self.help(me, mine, help)
        {
            return Some(index);
        }
        local.ring.pop(table.entries(me.thread))
    }

    /// Runs a task and finishes it.
    #[inline]
    fn run(&self, me: Me<'_>, index: u32) {
        let (slot, local) = (self.table.slot(index), me.local);
        if local.pending.get() != 0 && local.pending_parent.get() != slot.parent.get() {
            self.pay(me);
        }
        slot.set_phase(Phase::Running);
        slot.next.set(local.running.replace(index));
        let panicked = self.execute(me, Taken { index, id: self.table.id(index) });
        local.running.set(slot.next.get());
        slot.set_phase(Phase::Open);
        if panicked {
            self.with(|turn| turn.fail(index));
        }
        self.close_items(me, index, 1);
    }

    /// Runs a task's closure; returns whether it panicked.
    #[inline]
    fn execute(&self, me: Me<'_>, taken: Taken) -> bool {
        let worker = Worker::new(self, me, Some(taken.id));
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: this thread has taken it from a queue.
            let closure = unsafe { self.table.slot(taken.index).work.replace(None) };
            let Some(closure) = closure else { return };
            let _observed = self.observer.map(|observer| self.observe(observer, taken, me.thread));
            // SAFETY: it came in by `add`, whose caller promises that what it borrows remains valid
            // until the task has completed, which it does after this at the earliest. The caller is a
            // worker, as closures of tasks expect.
            unsafe { closure.call(worker.caller()) }
        }));
        let Err(payload) = result else {
            return false;
        };
        // What is dropped here is the program's, and may panic again: that is the same failure.
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            core::mem::forget(again);
        }
        true
    }

    #[cold]
    fn observe<'o>(&self, observer: &'o dyn Observer, taken: Taken, thread: u8) -> Observed<'o> {
        let slot = self.table.slot(taken.index);
        let parent = slot.parent.get();
        let parent = (parent != NONE).then(|| self.table.id(parent));
        let index = crate::task::ThreadIndex(thread);
        Observed::begin(observer, slot.name(), taken.id, parent, index)
    }
}
