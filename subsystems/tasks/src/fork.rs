//! Two pieces of work, of which another thread may do one.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::error::WaitError;
use crate::hub::Hub;
use crate::id::TaskId;
use crate::local::Me;
use crate::plain::{Plain32, Plain64};
use crate::state::Waits;
use crate::sync::Owned;
use crate::task::{Name, Task};
use crate::worker::Worker;

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

/// What does not depend on the type of a fork.
pub(crate) struct Link {
    run: unsafe fn(NonNull<Link>, &Worker<'_>),
    name: Name,
    /// The next older and the next newer of its thread.
    below: AtomicPtr<Link>,
    above: AtomicPtr<Link>,
    /// The id of its task, once it is one.
    task: Plain64,
}

/// The forks of a thread that are no tasks; only that thread reads and writes it.
pub(crate) struct Forks {
    newest: AtomicPtr<Link>,
    oldest: AtomicPtr<Link>,
    /// How many are listed.
    len: Plain32,
    /// How many there were since threads sleep.
    slept: Plain32,
}

impl Forks {
    pub(crate) fn new() -> Self {
        Self {
            newest: AtomicPtr::new(null_mut()),
            oldest: AtomicPtr::new(null_mut()),
            len: Plain32::new(0),
            slept: Plain32::new(0),
        }
    }
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
        if self.me().local.forks.len.get() < LISTED {
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
            link: Link {
                run: run::<B, RB>,
                name,
                below: AtomicPtr::new(null_mut()),
                above: AtomicPtr::new(null_mut()),
                task: Plain64::new(0),
            },
            work: Owned::new(Some(second)),
            result: Owned::new(None),
        };
        let (hub, me) = (self.hub(), self.me());
        // SAFETY: the fork stays where it is, and below it is off the list or its task has
        // completed before this ends, also by a panic (invariant 2).
        unsafe { hub.fork(me, NonNull::from_ref(&fork).cast()) };
        let end = End { worker: self, link: &fork.link };
        let first = first(self);
        core::mem::forget(end);
        if hub.take_back(me, &fork.link) {
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
/// The link is that of a `Fork<B, R>` of which nobody else reaches the work and the result.
unsafe fn run<B, R>(link: NonNull<Link>, worker: &Worker<'_>)
where
    B: FnOnce(&Worker<'_>) -> R,
{
    // SAFETY: it is such a fork, whose first field the link is; it lives until its task, in the
    // midst of which this is, has completed (invariant 2).
    let fork: &Fork<B, R> = unsafe { link.cast().as_ref() };
    // SAFETY: nobody else reaches it, says the caller.
    let work = unsafe { fork.work.replace(None) };
    let Some(work) = work else { return };
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
        if !hub.take_back(me, self.link) {
            // The panic goes on and says enough.
            let _ = hub.wait_for(me, self.link);
        }
    }
}

impl Hub<'_> {
    /// Puts a fork into its thread's list.
    ///
    /// # Safety
    ///
    /// The link is the first field of a fork, which is not moved and does not end before it was
    /// taken back or its task has completed.
    #[inline]
    unsafe fn fork(&self, me: Me<'_>, link: NonNull<Link>) {
        let forks = &me.local.forks;
        let newest = forks.newest.load(Ordering::Relaxed);
        // SAFETY: it is there, says the caller.
        let new = unsafe { link.as_ref() };
        new.below.store(newest, Ordering::Relaxed);
        forks.newest.store(link.as_ptr(), Ordering::Relaxed);
        if forks.oldest.load(Ordering::Relaxed).is_null() {
            forks.oldest.store(link.as_ptr(), Ordering::Relaxed);
        } else if let Some(newest) = NonNull::new(newest) {
            // SAFETY: it is in the list, so it is there.
            unsafe { newest.as_ref() }.above.store(link.as_ptr(), Ordering::Relaxed);
        }
        forks.len.set(forks.len.get() + 1);
    }

    /// Takes a fork off its thread's list, of which it is the newest; `false` if it is a task.
    #[inline]
    fn take_back(&self, me: Me<'_>, link: &Link) -> bool {
        let forks = &me.local.forks;
        forks.newest.store(link.below.load(Ordering::Relaxed), Ordering::Relaxed);
        if link.task.get() != 0 {
            return false;
        }
        forks.len.set(forks.len.get() - 1);
        // All newer ones are off the list, so it is the oldest as well if that is it.
        if core::ptr::eq(forks.oldest.load(Ordering::Relaxed), link) {
            forks.oldest.store(null_mut(), Ordering::Relaxed);
        } else if let Some(below) = NonNull::new(link.below.load(Ordering::Relaxed)) {
            // SAFETY: it is older and in the list, so it is there.
            unsafe { below.as_ref() }.above.store(null_mut(), Ordering::Relaxed);
        }
        true
    }

    /// Makes the oldest fork of a thread a task, unless the thread has tasks to be stolen already.
    #[cold]
    fn give_away(&self, me: Me<'_>) {
        let local = me.local;
        let Some(oldest) = NonNull::new(local.forks.oldest.load(Ordering::Relaxed)) else {
            return;
        };
        if !local.ring.is_empty() {
            return;
        }
        if self.table.board.searching() == 0 {
            let slept = local.forks.slept.get() + 1;
            local.forks.slept.set(slept % FORKS_A_WAKE);
            if slept < FORKS_A_WAKE {
                return;
            }
        }
        // SAFETY: it is in the list, so it is there.
        let link = unsafe { oldest.as_ref() };
        let shared = Shared(oldest);
        let work = move |worker: &Worker<'_>| {
            let Shared(link) = { shared };
            // SAFETY: the fork is there until this task has completed.
            let run = unsafe { link.as_ref() }.run;
            // SAFETY: it is off the list, so only the thread that runs the task reaches what it has.
            unsafe { run(link, worker) };
        };
        // SAFETY: the fork stays until the task has completed.
        let added = unsafe { self.add(&mut Task::new(link.name, work), None) };
        // Where the table is full it stays in the list.
        if let Ok(id) = added {
            link.task.set(id.to_bits());
            local.forks.len.set(local.forks.len.get() - 1);
            let above = link.above.load(Ordering::Relaxed);
            local.forks.oldest.store(above, Ordering::Relaxed);
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
