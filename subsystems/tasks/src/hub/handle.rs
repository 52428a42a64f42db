//! The task manager as every thread sees it.

use core::fmt;

use crate::error::{AddError, ChangeError};
use crate::event::Event;
use crate::hub::Hub;
use crate::id::TaskId;
use crate::task::{Name, Task};

/// The task manager, from any thread.
///
/// # Complexity
///
/// O(1) but where it says otherwise. [`add`](Self::add) by a thread of the manager takes no lock if
/// the task may start at once; other changes take one short lock. None allocates.
#[derive(Clone, Copy)]
pub struct Handle<'t> {
    hub: &'t Hub<'t>,
}

/// The counts of a task manager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Tasks that have not completed.
    pub open: u32,
    /// Those of them that could start.
    pub ready: u32,
    /// Tasks that were ever added.
    pub added_total: u64,
    /// Tasks that have completed otherwise than well.
    pub failed_total: u64,
}

impl<'t> Handle<'t> {
    #[inline]
    pub(crate) fn new(hub: &'t Hub<'t>) -> Self {
        Self { hub }
    }

    #[inline]
    pub(crate) fn hub(&self) -> &'t Hub<'t> {
        self.hub
    }

    /// Adds a task, which may start at once. What it captures lives as long as the program;
    /// [`scope`](crate::Worker::scope) lets tasks borrow.
    ///
    /// # Complexity
    ///
    /// O(1); if it starts at once and is empty, also what waited for it.
    ///
    /// # Errors
    ///
    /// [`AddError`]; nothing has changed then.
    #[inline]
    pub fn add(&self, mut task: Task<'static>) -> Result<TaskId, AddError> {
        // SAFETY: it borrows nothing that ends.
        unsafe { self.hub.add(&mut task, None) }
    }

    /// Adds an empty task whose children all these become: it has completed when they have. Those
    /// that have completed already do not matter, unless they failed. So one dependency is enough
    /// for everybody.
    ///
    /// # Complexity
    ///
    /// O(`tasks`).
    ///
    /// # Errors
    ///
    /// [`AddError::HasParent`] if one of them is another's child, or as [`add`](Self::add).
    pub fn join(&self, name: Name, tasks: &[TaskId]) -> Result<TaskId, AddError> {
        self.hub.with(|turn| turn.join(name, tasks, None))
    }

    /// Makes an open task the child of another open task.
    ///
    /// # Complexity
    ///
    /// O(ancestors of the parent).
    ///
    /// # Errors
    ///
    /// [`ChangeError`]; nothing has changed then.
    pub fn add_child(&self, parent: TaskId, child: TaskId) -> Result<(), ChangeError> {
        self.hub.with(|turn| turn.add_child(parent, child))
    }

    /// Gives a task that is held its dependency. One that has completed does not matter.
    ///
    /// # Errors
    ///
    /// [`ChangeError`]; nothing has changed then.
    pub fn depends_on(&self, task: TaskId, on: TaskId) -> Result<(), ChangeError> {
        self.hub.with(|turn| turn.depends_on(task, on))
    }

    /// Lets a task start that was held.
    ///
    /// # Errors
    ///
    /// [`ChangeError::NotHeld`], [`ChangeError::Dead`].
    pub fn start(&self, task: TaskId) -> Result<(), ChangeError> {
        self.hub.with(|turn| turn.start(task))
    }

    /// Says that what was done elsewhere is done. Once its children are, too, the task has
    /// completed.
    ///
    /// # Errors
    ///
    /// [`ChangeError::NotExternal`], [`ChangeError::Dead`].
    pub fn complete(&self, task: TaskId) -> Result<(), ChangeError> {
        self.hub.with(|turn| turn.complete(task, false))
    }

    /// Reports that what was done elsewhere has failed: as [`complete`](Self::complete), but what
    /// depends on it is not run, and waiting threads get the error.
    ///
    /// # Errors
    ///
    /// As [`complete`](Self::complete).
    pub fn fail(&self, task: TaskId) -> Result<(), ChangeError> {
        self.hub.with(|turn| turn.complete(task, true))
    }

    /// Sets an event and wakes all threads that wait for it.
    pub fn set(&self, event: &Event) {
        self.hub.with(|turn| {
            event.raise();
            turn.set_event(event.address());
        });
    }

    /// Returns `true` if a task has not completed.
    #[must_use]
    pub fn is_open(&self, task: TaskId) -> bool {
        self.hub.table.is_open(task)
    }

    /// Returns the name of an open task.
    #[must_use]
    pub fn name_of(&self, task: TaskId) -> Option<&'static str> {
        self.hub.table.name_of(task)
    }

    /// Returns how many threads run tasks: workers and registered main threads.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.hub.table.board.registered()
    }

    /// Returns how it is at this moment.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let (open, ready, added_total, failed_total) = self.hub.with(|turn| turn.figures());
        Stats { open, ready, added_total, failed_total }
    }

    /// Checks everything that the lock guards.
    ///
    /// # Complexity
    ///
    /// O(table), with the lock held; takes memory of the global heap, 24 bytes a task.
    ///
    /// # Panics
    ///
    /// If a list, a counter or a set is not what it should be.
    pub fn validate(&self) {
        let damage = self.hub.check();
        assert!(damage.is_none(), "the tasks are damaged: {}", damage.unwrap_or_default());
    }
}

impl fmt::Debug for Handle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("stats", &self.stats()).finish()
    }
}
