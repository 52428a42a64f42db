//! A task as it is handed in.

use core::fmt;
use core::marker::PhantomData;

use crate::closure::Closure;
use crate::id::TaskId;

/// The name of a task: a reference to a static text, which fits in eight bytes. Written
/// `&"animation"`.
pub type Name = &'static &'static str;

/// The highest priority; greater numbers count as this one.
pub const PRIORITY_MAX: u8 = 63;

/// One of the threads of a task manager: the main threads in order of their registering, then the
/// workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadIndex(pub u8);

/// What a task does.
pub(crate) enum Work {
    /// A closure.
    Run(Closure),
    /// Nothing: it is there for those that are its children or wait for it.
    Nothing,
    /// It is done elsewhere, and somebody will say so.
    Elsewhere,
}

/// A task as it is handed in: plain data.
///
/// # Memory
///
/// In the table, 64 bytes: one cache line.
///
/// # Examples
///
/// ```
/// use loligo_tasks::{Settings, Task, Tasks};
/// use loligo_allocators::{HeapAllocator, PageAllocator};
///
/// let pages = PageAllocator::new("pages");
/// let heap = HeapAllocator::new("tasks", &pages);
/// let mut tasks = Tasks::try_new(&Settings::default(), &heap).unwrap();
/// tasks.run(|main| {
///     let load = main.add(Task::new(&"load", |_| println!("first"))).unwrap();
///     let spawn = Task::new(&"spawn", |_| println!("then")).after(load).priority(9);
///     let spawn = main.add(spawn).unwrap();
///     main.wait(spawn).unwrap();
/// });
/// ```
#[must_use = "a task does nothing until it is added"]
pub struct Task<'f> {
    pub(crate) name: Name,
    pub(crate) work: Work,
    pub(crate) parent: Option<TaskId>,
    pub(crate) dependency: Option<TaskId>,
    pub(crate) affinity: Option<ThreadIndex>,
    pub(crate) priority: u8,
    pub(crate) held: bool,
    borrows: PhantomData<&'f ()>,
}

impl Task<'_> {
    /// Returns a task that does nothing itself. It starts like any other and has completed when its
    /// children have; [`Handle::join`](crate::Handle::join) makes one of tasks that are there.
    #[inline]
    pub fn empty(name: Name) -> Self {
        Self::with(name, Work::Nothing)
    }

    /// Returns a task that is done elsewhere, by the graphics processor or by a thread that reads
    /// files: it stays open until [`Handle::complete`](crate::Handle::complete) or
    /// [`Handle::fail`](crate::Handle::fail) is called. It can also keep a group of tasks open
    /// while children are added. It has neither dependency nor affinity: let a task that has them
    /// begin what is done elsewhere.
    #[inline]
    pub fn external(name: Name) -> Self {
        Self::with(name, Work::Elsewhere)
    }

    /// Sets the priority: of the tasks that could start, one with the greatest does. 0 unless set;
    /// more than [`PRIORITY_MAX`] counts as that.
    #[inline]
    pub fn priority(self, priority: u8) -> Self {
        Self { priority, ..self }
    }

    /// Keeps it from starting until `dependency` has completed. Several are joined first, by
    /// [`Handle::join`](crate::Handle::join). The last call counts.
    #[inline]
    pub fn after(self, dependency: TaskId) -> Self {
        Self { dependency: Some(dependency), ..self }
    }

    /// Makes it a child of `parent`, which will not have completed before it. The last call counts.
    #[inline]
    pub fn child_of(self, parent: TaskId) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// Lets it run on this thread alone.
    #[inline]
    pub fn on(self, thread: ThreadIndex) -> Self {
        Self { affinity: Some(thread), ..self }
    }

    /// Keeps it from starting until [`Handle::start`](crate::Handle::start) is called.
    #[inline]
    pub fn held(self) -> Self {
        Self { held: true, ..self }
    }

    /// Returns a task that does this. `Task::new` is in `hub/worker.rs`, where the
    /// type is known that its closure is passed.
    #[inline]
    pub(crate) fn with(name: Name, work: Work) -> Self {
        Self {
            name,
            work,
            parent: None,
            dependency: None,
            affinity: None,
            priority: 0,
            held: false,
            borrows: PhantomData,
        }
    }
}

impl fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("name", self.name)
            .field("parent", &self.parent)
            .field("dependency", &self.dependency)
            .field("affinity", &self.affinity)
            .field("priority", &self.priority)
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}
