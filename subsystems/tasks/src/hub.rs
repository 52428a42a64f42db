//! What all threads share, and how a thread adds, takes and finishes tasks without the lock.

mod handle;
mod help;
mod idle;
mod main_thread;
mod run;
mod worker;

use core::sync::atomic::AtomicU64;
use std::time::Instant;

use crate::error::AddError;
use crate::failures::SOUND;
use crate::id::TaskId;
use crate::lent::Lent;
use crate::local::{Local, Me};
use crate::observer::Observer;
use crate::slot::{ANYWHERE, AWAITED, List, NONE, Phase, Slot};
use crate::state::{State, ThreadRecord};
use crate::sync::{
    AtomicU32, Bell, Current, Guard, Lock, Ordering, current, handed_on, set_current,
};
use crate::table::{Pin, Sizes, Table};
use crate::task::{Name, Task, Work};
use crate::turn::Turn;

pub use handle::{Handle, Stats};
pub use main_thread::MainThread;
pub use worker::Worker;

/// How many tasks of a scope are counted at its root at once, by the thread of the scope.
const CREDIT: u32 = 64;

/// How often threads became one of some manager's. Of the core library also where the model checker
/// runs, whose atomics cannot be static.
static ARRIVALS: AtomicU64 = AtomicU64::new(0);

/// What all threads share.
pub(crate) struct Hub<'m> {
    pub(crate) table: Table<'m>,
    state: Lock<State>,
    bells: &'m [Bell],
    observer: Option<&'m dyn Observer>,
    /// From when [`help`](Self::help) counts time.
    began: Instant,
}

/// The memory of a hub.
pub(crate) struct Memory<'m> {
    pub(crate) slots: &'m [Slot],
    pub(crate) locals: &'m mut [Local],
    pub(crate) entries: &'m [AtomicU32],
    pub(crate) threads: &'m mut [ThreadRecord],
    pub(crate) bells: &'m [Bell],
}

/// The root of a scope, the thread that the scope is of, and the task that it began in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) id: TaskId,
    pub(crate) thread: u8,
    pub(crate) within: u32,
}

impl<'m> Hub<'m> {
    /// Makes the hub of an empty task manager.
    pub(crate) fn new(
        memory: Memory<'m>,
        sizes: Sizes,
        main_threads: u32,
        observer: Option<&'m dyn Observer>,
    ) -> Self {
        let Memory { slots, locals, entries, threads, bells } = memory;
        locals.iter_mut().for_each(|local| *local = Local::new());
        // SAFETY: the hub is gone when 'm ends, and the state with it.
        let threads = unsafe { Lent::new(threads) };
        let table = Table::new(slots, locals, entries, sizes);
        let state = Lock::new(State::new(threads, &table, main_threads));
        Self { table, state, bells, observer, began: Instant::now() }
    }

    /// Makes the calling thread one of the manager's, and returns what it was before.
    pub(crate) fn arrive(&self, thread: u8) -> Current {
        // A number that no other arrival has: what a thread remembers of one that is over is never
        // taken for another.
        let number = ARRIVALS.fetch_add(1, Ordering::Relaxed) + 1;
        self.table.local(thread).arrival.set(number);
        set_current((number, thread))
    }

    /// Makes the calling thread what it was before.
    pub(crate) fn depart(&self, thread: u8, before: Current) {
        self.table.local(thread).arrival.set(0);
        set_current(before);
    }

    /// Returns the calling thread, if it is one of the manager's.
    #[inline]
    pub(crate) fn me(&self) -> Option<Me<'m>> {
        let (arrival, thread) = current();
        let local = self.table.locals.get(usize::from(thread))?;
        (arrival != 0 && local.arrival.get() == arrival).then_some(Me { thread, local })
    }

    /// Does something under the lock, and wakes whom it concerns.
    #[inline]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut Turn<'_, 'm>) -> R) -> R {
        let mut guard = self.state.lock();
        let mut turn = Turn { state: &mut guard, table: &self.table, me: self.me() };
        let result = work(&mut turn);
        self.unlock(guard);
        result
    }

    /// Gives the lock back, and wakes whom it concerns.
    #[inline]
    fn unlock(&self, mut guard: Guard<'_, State>) {
        let wakes = guard.before_unlock(&self.table);
        drop(guard);
        if wakes != 0 {
            self.ring(wakes);
        }
    }

    #[cold]
    fn ring(&self, wakes: u64) {
        for (thread, bell) in self.bells.iter().enumerate() {
            if wakes >> thread & 1 == 1 {
                bell.ring();
            }
        }
    }

    /// Adds a task.
    ///
    /// # Safety
    ///
    /// What the task borrows remains valid until it has completed.
    #[inline]
    pub(crate) unsafe fn add(
        &self,
        task: &mut Task<'_>,
        root: Option<Root>,
    ) -> Result<TaskId, AddError> {
        let waits = task.held || task.dependency.is_some() || task.affinity.is_some();
        if let Some(me) = self.me()
            && !waits
            && matches!(task.work, Work::Run(_))
            && !self.table.board.is_closing()
            && let Some(index) = self.table.take_place(me)
        {
            return self.add_ready(me, index, task, root);
        }
        // SAFETY: the caller's promise is the one that is asked for.
        self.with(|turn| unsafe { turn.add(task, root.map(|root| root.id)) })
    }

    /// Adds a task that may start at once.
    #[inline]
    fn add_ready(
        &self,
        me: Me<'_>,
        index: u32,
        task: &mut Task<'_>,
        root: Option<Root>,
    ) -> Result<TaskId, AddError> {
        let parent = match (task.parent, root) {
            (None, None) => NONE,
            (None, Some(root)) => self.count_at_root(me, root),
            (Some(parent), root) => match self.count_at(me, parent, root) {
                Ok(parent) => parent,
                Err(error) => {
                    self.keep_place(me, index, self.table.slot(index));
                    return Err(error);
                }
            },
        };
        let work = match core::mem::replace(&mut task.work, Work::Nothing) {
            Work::Run(closure) => Some(closure),
            Work::Nothing | Work::Elsewhere => None,
        };
        let id = self.table.fill(index, task, work, (parent, ANYWHERE, Phase::Queued));
        let added = &me.local.added;
        added.set(added.get() + 1);
        if !self.table.push(me, index) {
            self.with(|turn| turn.enqueue_shared(index));
        } else if self.table.board.misses_somebody() {
            self.wake_one();
        }
        Ok(id)
    }

    /// Adds one to the open work of a task; it has to be the root or below it.
    fn count_at(&self, me: Me<'_>, parent: TaskId, root: Option<Root>) -> Result<u32, AddError> {
        let index = match self.table.pin(parent) {
            Pin::Open(index) => index,
            Pin::Other(index) => {
                self.close_items(me, index, 1);
                return Err(AddError::DeadParent);
            }
            Pin::Dead => return Err(AddError::DeadParent),
        };
        if root.is_some_and(|root| !self.table.is_within(index, root.id.index())) {
            self.close_items(me, index, 1);
            return Err(AddError::OutsideScope);
        }
        Ok(index)
    }

    /// Adds one to the open work of the root of a scope, which is open as long as there is the
    /// scope: from this thread's credit there if the scope's own code runs. Not if a task does while
    /// the scope ends, which has given its credit back.
    #[inline]
    fn count_at_root(&self, me: Me<'_>, root: Root) -> u32 {
        let (local, index) = (me.local, root.id.index());
        let open = &self.table.slot(index).open;
        if root.thread != me.thread || root.within != local.running.get() {
            // Relaxed, here and below: it is open, and nothing is handed on.
            open.fetch_add(1, Ordering::Relaxed);
            return index;
        }
        if local.credit_root.get() != index {
            self.return_credit(me);
            local.credit_root.set(index);
        }
        if local.credit.get() == 0 {
            open.fetch_add(CREDIT, Ordering::Relaxed);
            local.credit.set(CREDIT);
        }
        local.credit.set(local.credit.get() - 1);
        index
    }

    /// Begins a scope on a thread, within the task that it runs: adds the task that is its root.
    pub(crate) fn begin_scope(
        &self,
        me: Me<'_>,
        name: Name,
        within: Option<TaskId>,
    ) -> Result<TaskId, AddError> {
        if self.table.board.is_closing() {
            return Err(AddError::Closing);
        }
        let index = match self.table.take_place(me) {
            Some(index) => index,
            None => self.with(|turn| turn.take_place())?,
        };
        let parent = within.map_or(NONE, TaskId::index);
        if within.is_some() {
            // Relaxed: this thread runs it, so it is open.
            self.table.slot(parent).open.fetch_add(1, Ordering::Relaxed);
        }
        let task = Task::empty(name);
        let id = self.table.fill(index, &task, None, (parent, ANYWHERE, Phase::Scope));
        let local = me.local;
        local.added.set(local.added.get() + 1);
        local.scopes.set(local.scopes.get() + 1);
        Ok(id)
    }

    /// Ends a scope: its root completes once its tasks have.
    pub(crate) fn end_scope(&self, me: Me<'_>, root: TaskId) {
        let (local, index) = (me.local, root.index());
        let mut count = 1;
        if local.credit_root.get() == index {
            local.credit_root.set(NONE);
            count += local.credit.replace(0);
        }
        self.table.slot(index).set_phase(Phase::Open);
        self.close_items(me, index, count);
        // After what waited for the root was let go: see `Turn::is_stuck`.
        local.scopes.set(local.scopes.get() - 1);
    }

    /// Gives back what the root of a scope was counted for tasks that were not added.
    fn return_credit(&self, me: Me<'_>) {
        let local = me.local;
        let (root, credit) = (local.credit_root.replace(NONE), local.credit.replace(0));
        if credit != 0 {
            self.close_items(me, root, credit);
        }
    }

    /// Takes some off a task's open work, as [`Turn::close_items`] does, without the lock unless
    /// something waits for it or it has failed.
    pub(crate) fn close_items(&self, me: Me<'_>, index: u32, count: u32) {
        let slot = self.table.slot(index);
        // Acquire: if this thread takes off the last, all is visible that the others did.
        let mut open = slot.open.load(Ordering::Acquire);
        loop {
            let is_last = open & !AWAITED == count;
            if is_last && (open & AWAITED != 0 || slot.failure.get() != SOUND) {
                // The last is taken off with the lock held: there, the task is seen as open or as
                // dead, with its failure.
                return self.close_slowly(index, count);
            }
            let (success, failure) = (handed_on(), Ordering::Acquire);
            match slot.open.compare_exchange_weak(open, open - count, success, failure) {
                Ok(_) if is_last => break,
                Ok(_) => return,
                Err(now) => open = now,
            }
        }
        let parent = slot.parent.get();
        Table::end(slot);
        self.keep_place(me, index, slot);
        let completed = &me.local.completed;
        completed.set(completed.get() + 1);
        if parent != NONE {
            self.owe(me, parent);
        }
    }

    #[cold]
    fn close_slowly(&self, index: u32, count: u32) {
        self.with(|turn| {
            let mut pending = List::EMPTY;
            turn.close_items(index, count, &mut pending);
            turn.settle(pending);
        });
    }

    #[inline]
    fn keep_place(&self, me: Me<'_>, index: u32, slot: &Slot) {
        if let Some(batch) = self.table.keep_place(me, index, slot) {
            self.with(|turn| turn.state.places.free_batch(turn.table.slots, batch));
        }
    }

    /// Notes that one is to be taken off the open work of a task, for a child that is done. It is
    /// before this thread does anything but run a child of the same task, and at once if that was
    /// the last, so nobody waits longer for that task.
    #[inline]
    fn owe(&self, me: Me<'_>, parent: u32) {
        let local = me.local;
        if local.pending.get() != 0 && local.pending_parent.get() != parent {
            self.pay(me);
        }
        local.pending_parent.set(parent);
        let pending = local.pending.get() + 1;
        local.pending.set(pending);
        // Relaxed: if it is seen late, it is taken off a little later.
        if self.table.slot(parent).open.load(Ordering::Relaxed) & !AWAITED == pending {
            self.pay(me);
        }
    }

    /// Takes off what [`owe`](Self::owe) noted; `false` if that was nothing.
    pub(crate) fn pay(&self, me: Me<'_>) -> bool {
        let local = me.local;
        let mut any = false;
        loop {
            let count = local.pending.replace(0);
            if count == 0 {
                return any;
            }
            any = true;
            self.close_items(me, local.pending_parent.get(), count);
        }
    }

    /// Returns what is wrong, if anything is.
    pub(crate) fn check(&self) -> Option<std::string::String> {
        self.with(|turn| turn.check())
    }

    /// Wakes a thread that sleeps, if there is one.
    #[cold]
    fn wake_one(&self) {
        self.with(|turn| turn.state.fresh += 1);
    }
}

#[cfg(test)]
mod tests;
