//! Observers of the beginning and end of tasks: the way to a timeline.

use crate::id::TaskId;
use crate::task::{Name, ThreadIndex};

/// Is called when tasks begin and end, on the thread that runs them.
///
/// Begins and ends of one thread are nested: a task that waits runs others meanwhile. Tasks that do
/// nothing themselves, or that are done elsewhere, do not begin. A panic in here while a task
/// begins is the task's; while it ends after a panic, the program's end.
///
/// Without an observer, a task takes one branch more, which always goes the same way.
pub trait Observer: Sync {
    /// A task begins.
    fn begin(&self, task: &Begun);

    /// The task that began last on this thread, and has not ended, ends; also where it panicked.
    fn end(&self, task: &Begun);

    /// A worker's thread begins; `life` is all that it does, to be called once. Here is the place
    /// for what belongs to a thread: a recorder for its timeline, its name in a debugger. It is not
    /// called for main threads, which belong to their owners.
    ///
    /// Where `life` is not called, there is a worker less. The work of
    /// [`Tasks::run`](crate::Tasks::run) begins when every worker has called it or returned.
    fn thread(&self, thread: ThreadIndex, life: &mut dyn FnMut()) {
        let _ = thread;
        life();
    }
}

/// A task that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its name.
    pub name: Name,
    /// Its id.
    pub id: TaskId,
    /// What it is a part of. That began itself if it was not empty, so its name may be known from
    /// there; [`Handle::name_of`](crate::Handle::name_of) knows it in any case.
    pub parent: Option<TaskId>,
    /// The thread that runs it.
    pub thread: ThreadIndex,
}

/// Ends what was begun when dropped, also by a panic.
pub(crate) struct Observed<'o> {
    observer: &'o dyn Observer,
    task: Begun,
}

impl<'o> Observed<'o> {
    #[inline]
    pub(crate) fn begin(
        observer: &'o dyn Observer,
        name: Name,
        id: TaskId,
        parent: Option<TaskId>,
        thread: ThreadIndex,
    ) -> Self {
        let task = Begun { name, id, parent, thread };
        observer.begin(&task);
        Self { observer, task }
    }
}

impl Drop for Observed<'_> {
    fn drop(&mut self) {
        self.observer.end(&self.task);
    }
}
