//! The loops of threads that run tasks.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::error::WaitError;
use crate::failures::{CLOSING, SOUND};
use crate::hub::Hub;
use crate::id::TaskId;
use crate::observer::{Observed, Observer};
use crate::slot::{NONE, Phase, linked};
use crate::state::Waits;
use crate::worker::Worker;

/// A task that a thread has taken to run.
#[derive(Clone, Copy)]
struct Taken {
    index: u32,
    id: TaskId,
}

impl Hub<'_> {
    /// Runs tasks until the manager shuts down: what a worker does.
    pub(crate) fn serve(&self, thread: u8) {
        self.enter(thread);
        while !self.table.board.is_closing() {
            self.step(thread, Waits::Nothing, &|| false);
        }
        self.leave(thread);
        // What this thread added since the manager began to shut down.
        self.with(|turn| turn.drain());
    }

    /// Runs tasks until what is waited for has come about, or `is_there` says so.
    pub(crate) fn work_until(
        &self,
        thread: u8,
        waits: Waits,
        is_there: &dyn Fn() -> bool,
    ) -> Result<(), WaitError> {
        if let Waits::Task(id) = waits
            && self.is_below(thread, id)
        {
            return Err(WaitError::Itself);
        }
        self.enter(thread);
        let result = loop {
            if is_there() {
                break Ok(());
            }
            if let Some(result) = self.waited(thread, waits) {
                break result;
            }
            self.step(thread, waits, is_there);
        };
        self.leave(thread);
        result
    }

    /// Runs one task, if there is one.
    pub(crate) fn run_one(&self, thread: u8) -> bool {
        self.enter(thread);
        let taken = self.take(thread);
        if let Some(index) = taken {
            self.run(thread, index);
        }
        self.leave(thread);
        taken.is_some()
    }

    /// Counts a thread as one that runs tasks.
    fn enter(&self, thread: u8) {
        let depth = &self.table.local(thread).depth;
        if depth.replace(depth.get() + 1) == 0 {
            self.table.board.awake();
        }
    }

    fn leave(&self, thread: u8) {
        self.pay(thread);
        let depth = &self.table.local(thread).depth;
        depth.set(depth.get() - 1);
        if depth.get() == 0 {
            self.table.board.not_awake();
        }
    }

    /// Returns `true` if this thread is in the midst of a task that is this one or below it.
    fn is_below(&self, thread: u8, id: TaskId) -> bool {
        let running = self.table.local(thread).running.get();
        let mut stack = linked(self.table.slots, running);
        self.table.is_open(id) && stack.any(|index| self.table.is_within(index, id.index()))
    }

    /// Returns how the wait has ended, if it has. Whether an event was set, the event knows.
    fn waited(&self, thread: u8, waits: Waits) -> Option<Result<(), WaitError>> {
        match waits {
            Waits::Task(id) | Waits::Scope(id) if !self.table.is_open(id) => {
                // What failed was counted before its id was dead.
                let none = self.table.failed.get() == 0;
                Some(if none { Ok(()) } else { self.with(|turn| turn.told(id)) })
            }
            Waits::Task(_) if self.table.local(thread).stuck.get() != 0 => {
                self.table.local(thread).stuck.set(0);
                Some(Err(WaitError::Circle))
            }
            Waits::Event(_) if self.table.board.is_closing() => Some(Err(WaitError::Closing)),
            _ => None,
        }
    }

    /// Returns `true` if a wait may have ended.
    pub(super) fn may_have_ended(&self, thread: u8, waits: Waits) -> bool {
        waits.task().is_some_and(|id| !self.table.is_open(id))
            || self.table.local(thread).stuck.get() != 0
            || self.table.board.is_closing()
    }

    /// Runs a task; if there is none, looks for some time, and then sleeps.
    #[inline]
    fn step(&self, thread: u8, waits: Waits, is_there: &dyn Fn() -> bool) {
        let taken = self.take(thread).or_else(|| self.idle(thread, waits, is_there));
        if let Some(index) = taken {
            self.run(thread, index);
        }
    }

    /// Takes the task of the greatest priority that this thread may run.
    #[inline]
    pub(super) fn take(&self, thread: u8) -> Option<u32> {
        loop {
            let index = self.pick(thread)?;
            let failure = self.table.slot(index).failure.get();
            if failure == SOUND && !self.table.board.is_closing() {
                return Some(index);
            }
            // A child has failed meanwhile, or all is given up.
            self.with(|turn| turn.give_up(index, CLOSING));
        }
    }

    #[inline]
    fn pick(&self, thread: u8) -> Option<u32> {
        let (table, local) = (&self.table, self.table.local(thread));
        let mine = if local.ring.is_empty() { 0 } else { local.level.get() + 1 };
        let locked = table.board.locked(thread);
        // What the lock guards is older than what the ring has of the same priority.
        if locked != 0
            && locked >= mine
            && let Some(index) = self.with(|turn| turn.take(thread))
        {
            return Some(index);
        }
        if let Some(index) = table.steal(thread, mine) {
            return Some(index);
        }
        local.ring.pop(table.entries(thread))
    }

    /// Runs a task and finishes it.
    #[inline]
    fn run(&self, thread: u8, index: u32) {
        let (slot, local) = (self.table.slot(index), self.table.local(thread));
        if local.pending.get() != 0 && local.pending_parent.get() != slot.parent.get() {
            self.pay(thread);
        }
        slot.set_phase(Phase::Running);
        slot.next.set(local.running.replace(index));
        let panicked = self.execute(thread, Taken { index, id: self.table.id(index) });
        local.running.set(slot.next.get());
        slot.set_phase(Phase::Open);
        if panicked {
            self.with(|turn| turn.fail(index));
        }
        self.close_items(thread, index, 1);
    }

    /// Runs a task's closure; returns whether it panicked.
    #[inline]
    fn execute(&self, thread: u8, taken: Taken) -> bool {
        let worker = Worker::new(self, thread, Some(taken.id));
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: this thread has taken it from a queue.
            let closure = unsafe { self.table.slot(taken.index).work.replace(None) };
            let Some(closure) = closure else { return };
            let _observed = self.observer.map(|observer| self.observe(observer, taken, thread));
            // SAFETY: it came in by `add`, whose caller promises that what it borrows remains valid
            // until the task has completed, which it does after this at the earliest.
            unsafe { closure.call(&worker) }
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
