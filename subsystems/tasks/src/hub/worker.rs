//! A thread at work: what it may do besides what every thread may, and the tasks that are passed
//! it.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::closure::{Caller, Closure};
use crate::error::WaitError;
use crate::event::Event;
use crate::hub::Hub;
use crate::hub::handle::Handle;
use crate::id::TaskId;
use crate::local::Me;
use crate::state::Waits;
use crate::task::{Name, Task, ThreadIndex, Work};

/// A thread of the task manager, in its serial code or in the midst of a task.
///
/// A thread that waits here does not idle: it runs other tasks until what it waits for has
/// happened, and sleeps when there are none. They run on the stack of the waiting thread, and may
/// themselves wait: prefer dependencies to waits within tasks.
pub struct Worker<'t> {
    handle: Handle<'t>,
    me: Me<'t>,
    task: Option<TaskId>,
    /// It belongs to one thread.
    not_send: PhantomData<*const ()>,
}

impl<'t> Worker<'t> {
    #[inline]
    pub(crate) fn new(hub: &'t Hub<'t>, me: Me<'t>, task: Option<TaskId>) -> Self {
        Self { handle: Handle::new(hub), me, task, not_send: PhantomData }
    }

    /// Returns the task manager, for any thread.
    #[must_use]
    pub fn handle(&self) -> Handle<'t> {
        self.handle
    }

    /// Returns the thread's index.
    #[must_use]
    pub fn thread(&self) -> ThreadIndex {
        ThreadIndex(self.me.thread)
    }

    /// Returns the task that it is in the midst of; `None` in serial code.
    #[must_use]
    pub fn task(&self) -> Option<TaskId> {
        self.task
    }

    /// Runs tasks until this one has completed. A dead id has.
    ///
    /// # Complexity
    ///
    /// O(height of the tasks of this thread's stack), and the tasks that are run meanwhile.
    ///
    /// # Errors
    ///
    /// [`WaitError`] says how it ended otherwise than well, if that was one of the last 256 that
    /// did.
    pub fn wait(&self, task: TaskId) -> Result<(), WaitError> {
        self.hub().work_until(self.me, Waits::Task(task), &|| false)
    }

    /// Runs tasks until the event is set.
    ///
    /// # Errors
    ///
    /// [`WaitError::Closing`] if the manager shuts down first.
    pub fn do_work_while_waiting_for(&self, event: &Event) -> Result<(), WaitError> {
        self.hub().work_until(self.me, Waits::Event(event.address()), &|| event.is_set())
    }

    /// Runs one task, if one could start; returns whether there was one.
    pub fn run_one(&self) -> bool {
        self.hub().run_one(self.me)
    }

    /// Runs tasks until the root of a scope has completed, however that may end: what its tasks
    /// borrow ends then.
    pub(crate) fn wait_for_scope(&self, root: TaskId) -> Result<(), WaitError> {
        self.hub().work_until(self.me, Waits::Scope(root), &|| false)
    }

    #[inline]
    pub(crate) fn hub(&self) -> &'t Hub<'t> {
        self.handle.hub()
    }

    /// Returns the thread as it knows itself.
    #[inline]
    pub(crate) fn me(&self) -> Me<'t> {
        self.me
    }

    /// Returns the thread as closures are passed it.
    #[inline]
    pub(crate) fn caller(&self) -> Caller<'_> {
        Caller::new(self)
    }

    /// Returns the thread that a closure was passed.
    ///
    /// # Safety
    ///
    /// [`caller`](Self::caller) made `caller`.
    #[inline]
    pub(crate) unsafe fn of(caller: Caller<'t>) -> &'t Self {
        // SAFETY: it was made of a worker, says the caller, whose lifetime may be made shorter.
        unsafe { caller.thread() }
    }
}

impl<'t> Deref for Worker<'t> {
    type Target = Handle<'t>;

    fn deref(&self) -> &Handle<'t> {
        &self.handle
    }
}

impl fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("thread", &self.me.thread)
            .field("task", &self.task)
            .finish_non_exhaustive()
    }
}

impl<'f> Task<'f> {
    /// Returns a task that runs `work`, which captures at most 24 bytes and nothing that is
    /// dropped: references, numbers, slices. A larger closure does not compile.
    #[inline]
    pub fn new<F: FnOnce(&Worker<'_>) + Send + 'f>(name: Name, work: F) -> Self {
        let work = move |caller: Caller<'_>| {
            // SAFETY: the work of a task is called in two places, both with what `Worker::caller`
            // returns: below, and where a thread of the hub runs the task.
            work(unsafe { Worker::of(caller) });
        };
        Self::with(name, Work::Run(Closure::new(work)))
    }

    /// Runs it where it is; a panic ends as it would in a task.
    pub(crate) fn run_in_place(self, worker: &Worker<'_>) -> Result<(), WaitError> {
        let Work::Run(closure) = self.work else {
            return Ok(());
        };
        let call = || {
            // SAFETY: what it borrows is there as long as the task is; the caller is a worker.
            unsafe { closure.call(worker.caller()) }
        };
        catch_unwind(AssertUnwindSafe(call)).map_err(|_| WaitError::Failed { task: self.name })
    }
}
