//! Two pieces of work, of which another thread may do one.

use core::ptr::NonNull;

use crate::closure::Caller;
use crate::error::WaitError;
use crate::forks::Link;
use crate::hub::{Hub, Worker};
use crate::id::TaskId;
use crate::local::Me;
use crate::state::Waits;
use crate::sync::Owned;
use crate::task::{Name, Task};

/// How many forks there are before a thread that sleeps is woken for one: that takes as long as
/// some hundred of the smallest.
#[cfg(not(all(test, loom)))]
const FORKS_A_WAKE: u32 = 64;
#[cfg(all(test, loom))]
const FORKS_A_WAKE: u32 = 1;

/// How many forks a thread lists at most. The oldest are listed, so mostly the largest, and those
/// below are plain calls: in a tree nearly all.
const LISTED: u32 = 2;

/// The second piece of a fork, in the stack frame that waits for it.
///
/// As long as nobody asks, it is but a link in a list of its thread's, which the thread takes off
/// again and runs. A thread that has nothing to do is given the oldest, which mostly is the
/// largest, as a task.
///
/// # Invariants
///
/// 1. It is in its thread's list or was made a task, whose id then is in `task`.
/// 2. It is not moved and does not end before it is off the list and its task has completed.
#[repr(C)]
struct Fork<B, R> {
    link: Link,
    work: Owned<Option<B>>,
    result: Owned<Option<R>>,
}

/// A pointer to a fork, which may pass to another thread.
#[derive(Clone, Copy)]
struct Shared(NonNull<Link>);

// SAFETY: the work and the result of a fork are `Send`, and only the thread that runs it reaches
// them until its task has completed.
unsafe impl Send for Shared {}

impl Worker<'_> {
    /// Runs `first` here and `second` here or on another thread, and returns both results when both
    /// are done: for work that divides itself, such as trees and sorting.
    ///
    /// Costs about as much as a call as long as all threads are busy: a thread that has nothing to
    /// do is given one of the oldest `second` that this thread has not begun, of whatever call.
    /// Nothing is allocated, and what is given away takes a place in the table.
    ///
    /// # Errors
    ///
    /// [`WaitError`] if `second` panicked on another thread, or was given up there as the manager
    /// shut down.
    ///
    /// # Panics
    ///
    /// If `first` panics, once `second` is done if another thread has begun it, else without it; if
    /// `second` does here.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_tasks::{Settings, Tasks, Worker};
    ///
    /// fn sum(worker: &Worker<'_>, numbers: &[u64]) -> u64 {
    ///     if numbers.len() < 64 {
    ///         return numbers.iter().sum();
    ///     }
    ///     let (left, right) = numbers.split_at(numbers.len() / 2);
    ///     let sums = worker.both(&"sum", |w| sum(w, left), |w| sum(w, right));
    ///     sums.map(|(left, right)| left + right).expect("nothing panics")
    /// }
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("tasks", &pages);
    /// let mut tasks = Tasks::try_new(&Settings::default(), &heap).unwrap();
    /// let numbers: Vec<u64> = (0..10_000).collect();
    /// assert_eq!(tasks.run(|main| sum(main, &numbers)), 49_995_000);
    /// ```
    #[inline]
    pub fn both<A, B, RA, RB>(&self, name: Name, first: A, second: B) -> Result<(RA, RB), WaitError>
    where
        A: FnOnce(&Worker<'_>) -> RA,
        B: FnOnce(&Worker<'_>) -> RB + Send,
        RB: Send,
    {
        if self.hub().table.board.asks() {
            self.hub().give_away(self.me());
        }
        if self.me().local.forks.len() < LISTED {
            return self.both_listed(name, first, second);
        }
        let first = first(self);
        Ok((first, second(self)))
    }

    /// As [`both`](Self::both), and other threads may be given the second.
    #[cold]
    #[inline(never)]
    fn both_listed<A, B, RA, RB>(
        &self,
        name: Name,
        first: A,
        second: B,
    ) -> Result<(RA, RB), WaitError>
    where
        A: FnOnce(&Worker<'_>) -> RA,
        B: FnOnce(&Worker<'_>) -> RB + Send,
        RB: Send,
    {
        let fork = Fork {
            link: Link::new(name, run::<B, RB>),
            work: Owned::new(Some(second)),
            result: Owned::new(None),
        };
        let (hub, me) = (self.hub(), self.me());
        // SAFETY: the fork stays where it is, and below it is off the list or its task has
        // completed before this ends, also by a panic (invariant 2).
        unsafe { me.local.forks.push(NonNull::from_ref(&fork).cast()) };
        let end = End { worker: self, link: &fork.link };
        let first = first(self);
        core::mem::forget(end);
        if me.local.forks.take_back(&fork.link) {
            // SAFETY: it is off the list and no task, so only this thread has it.
            let second = unsafe { fork.work.replace(None) };
            let Some(second) = second else { unreachable!("nobody has run it") };
            return Ok((first, second(self)));
        }
        hub.wait_for(me, &fork.link)?;
        // SAFETY: its task has completed.
        let second = unsafe { fork.result.replace(None) };
        match second {
            Some(second) => Ok((first, second)),
            None => Err(WaitError::Closing),
        }
    }
}

/// Runs a fork on the thread that was given it.
///
/// # Safety
///
/// The link is that of a `Fork<B, R>` of which nobody else reaches the work and the result, and the
/// caller is a worker.
unsafe fn run<B, R>(link: NonNull<Link>, caller: Caller<'_>)
where
    B: FnOnce(&Worker<'_>) -> R,
{
    // SAFETY: it is such a fork, whose first field the link is; it lives until its task, in the
    // midst of which this is, has completed (invariant 2).
    let fork: &Fork<B, R> = unsafe { link.cast().as_ref() };
    // SAFETY: nobody else reaches it, says the caller.
    let work = unsafe { fork.work.replace(None) };
    let Some(work) = work else { return };
    // SAFETY: it is a worker, says the caller.
    let worker = unsafe { Worker::of(caller) };
    let result = work(worker);
    // SAFETY: as above.
    unsafe { fork.result.set(Some(result)) };
}

/// Ends a fork whose first piece panicked.
struct End<'e, 't> {
    worker: &'e Worker<'t>,
    link: &'e Link,
}

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        let (hub, me) = (self.worker.hub(), self.worker.me());
        if !me.local.forks.take_back(self.link) {
            // The panic goes on and says enough.
            let _ = hub.wait_for(me, self.link);
        }
    }
}

impl Hub<'_> {
    /// Makes the oldest fork of a thread a task, unless the thread has tasks to be stolen already.
    #[cold]
    fn give_away(&self, me: Me<'_>) {
        let local = me.local;
        let Some(oldest) = local.forks.oldest() else { return };
        if !local.ring.is_empty() {
            return;
        }
        if self.table.board.searching() == 0 && !local.forks.wakes_one_of(FORKS_A_WAKE) {
            return;
        }
        // SAFETY: it is in the list, so it is there.
        let link = unsafe { oldest.as_ref() };
        let shared = Shared(oldest);
        let work = move |worker: &Worker<'_>| {
            let Shared(link) = { shared };
            // SAFETY: the fork is there until this task has completed.
            let run = unsafe { link.as_ref() }.run;
            // SAFETY: it is off the list, so only the thread that runs the task reaches what it has;
            // the caller is a worker.
            unsafe { run(link, worker.caller()) };
        };
        // SAFETY: the fork stays until the task has completed.
        let added = unsafe { self.add(&mut Task::new(link.name, work), None) };
        // Where the table is full it stays in the list.
        if let Ok(id) = added {
            local.forks.give_oldest(link, id);
        }
    }

    /// Runs tasks until that of a fork has completed.
    #[cold]
    fn wait_for(&self, me: Me<'_>, link: &Link) -> Result<(), WaitError> {
        let Some(id) = TaskId::from_bits(link.task.get()) else {
            return Ok(());
        };
        self.work_until(me, Waits::Scope(id), &|| false)
    }
}
