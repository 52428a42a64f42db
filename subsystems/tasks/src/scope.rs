//! Tasks that borrow: they have completed before what they borrow ends.

use core::fmt;
use core::marker::PhantomData;

use crate::error::{AddError, ScopeError, WaitError};
use crate::hub::{Hub, Root, Worker};
use crate::id::TaskId;
use crate::task::{Name, Task};

/// Where tasks are added that borrow. See [`Worker::scope`].
pub struct Scope<'scope, 'env: 'scope> {
    hub: &'env Hub<'env>,
    root: Root,
    /// As in `std::thread::Scope`: neither lifetime may be made shorter.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Adds a task, a child of the scope unless it names a parent, which is one of the scope's
    /// tasks.
    ///
    /// # Complexity
    ///
    /// O(1), and O(ancestors) of a parent that it names.
    ///
    /// # Errors
    ///
    /// As [`Handle::add`](crate::Handle::add), and [`AddError::OutsideScope`].
    #[inline]
    pub fn add(&'scope self, mut task: Task<'scope>) -> Result<TaskId, AddError> {
        self.add_from(&mut task)
    }

    /// Adds a task; if it cannot be, `task` is as before.
    #[inline]
    pub(crate) fn add_from(&'scope self, task: &mut Task<'scope>) -> Result<TaskId, AddError> {
        // SAFETY: it becomes a child of the root, which is open as long as there are references to
        // the scope, or of a task below it; `Worker::scope` ends when the root has completed, and
        // what lives for 'scope after that.
        unsafe { self.hub.add(task, Some(self.root)) }
    }

    /// As [`Handle::join`](crate::Handle::join), of tasks of the scope that have no other parent.
    ///
    /// # Errors
    ///
    /// As [`Handle::join`](crate::Handle::join).
    pub fn join(&'scope self, name: Name, tasks: &[TaskId]) -> Result<TaskId, AddError> {
        self.hub.with(|turn| turn.join(name, tasks, Some(self.root.id)))
    }

    /// Returns the task that all tasks of the scope are below.
    #[must_use]
    pub fn id(&self) -> TaskId {
        self.root.id
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("root", &self.root.id).finish_non_exhaustive()
    }
}

impl<'t> Worker<'t> {
    /// Runs `work`, which may add tasks that borrow whatever outlives the scope, then runs tasks
    /// until all of the scope have completed. The scope is a task of this name, a child of the task
    /// that this is called in.
    ///
    /// # Errors
    ///
    /// [`ScopeError::Add`] if the scope could not begin; `work` was not run then.
    /// [`ScopeError::Wait`] if a task of the scope failed; all have completed nevertheless.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::{HeapAllocator, PageAllocator};
    /// use loligo_tasks::{Settings, Task, Tasks};
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("tasks", &pages);
    /// let mut tasks = Tasks::try_new(&Settings::default(), &heap).unwrap();
    /// let (mut left, mut right) = (0, 0);
    /// tasks.run(|main| {
    ///     main.scope(&"sums", |scope| {
    ///         scope.add(Task::new(&"left", |_| left = (0..1000).sum())).unwrap();
    ///         scope.add(Task::new(&"right", |_| right = (1000..2000).sum())).unwrap();
    ///     })
    ///     .unwrap();
    /// });
    /// assert_eq!(left + right, (0..2000).sum::<i32>());
    /// ```
    pub fn scope<'env, R>(
        &'env self,
        name: Name,
        work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R,
    ) -> Result<R, ScopeError> {
        let hub: &'env Hub<'env> = self.hub();
        let me = self.me();
        let root = hub.begin_scope(me, name, self.task()).map_err(ScopeError::Add)?;
        let end = End { worker: self, root };
        let within = me.local.running.get();
        let root_of_scope = Root { id: root, thread: me.thread, within };
        let scope = Scope { hub, root: root_of_scope, scope: PhantomData, env: PhantomData };
        let result = work(&scope);
        core::mem::forget(end);
        self.end_scope(root).map_err(ScopeError::Wait)?;
        Ok(result)
    }

    fn end_scope(&self, root: TaskId) -> Result<(), WaitError> {
        self.hub().end_scope(self.me(), root);
        self.wait_for_scope(root)
    }
}

/// Ends a scope whose closure panicked.
struct End<'w, 't> {
    worker: &'w Worker<'t>,
    root: TaskId,
}

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        // The panic goes on and says enough.
        let _ = self.worker.end_scope(self.root);
    }
}
