//! What can go wrong, and what to do about it.

use core::error::Error;
use core::fmt;

use loligo_containers::GrowError;

/// A task manager could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The allocator refused memory for the tables.
    Memory,
    /// More tasks than an id can name, or none.
    Tasks {
        /// How many were asked for.
        asked: u32,
    },
    /// More threads than there may be, or no main thread.
    Threads {
        /// How many main threads were asked for.
        main_threads: u32,
        /// How many workers were asked for.
        workers: u32,
    },
}

/// The most tasks in a table.
pub const TASKS_MAX: u32 = 1 << 20;

/// The most threads.
pub const THREADS_MAX: u32 = 64;

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str(
                "the allocator refused the memory of the task tables; give it more, or ask for fewer tasks",
            ),
            Self::Tasks { asked } => {
                write!(f, "a table cannot have {asked} tasks; ask for 1 to {TASKS_MAX}")
            }
            Self::Threads { main_threads, workers } => write!(
                f,
                "{main_threads} main threads and {workers} workers were asked for; there must be one main thread \
                 at least and {THREADS_MAX} threads at most"
            ),
        }
    }
}

impl Error for StartError {}

impl From<GrowError> for StartError {
    fn from(_: GrowError) -> Self {
        Self::Memory
    }
}

/// A task could not be added. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddError {
    /// The table is full.
    Full {
        /// How many tasks it has room for.
        capacity: u32,
    },
    /// The parent has completed, so nothing can be added to it.
    DeadParent,
    /// The parent is not one of the scope's tasks, which would let the scope end too early.
    OutsideScope,
    /// It is to run on a thread that is not there.
    NoSuchThread {
        /// The index of that thread.
        thread: u8,
    },
    /// It is done elsewhere, and yet has a dependency, an affinity, or is held.
    External,
    /// A task to be joined has a parent already.
    HasParent,
    /// The manager is shutting down.
    Closing,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { capacity } => write!(
                f,
                "all {capacity} places for tasks are taken; wait for some to complete (`run_one` helps), or ask \
                 for more in `Settings::tasks`"
            ),
            Self::DeadParent => f.write_str(
                "the parent has completed; keep it open with `Task::external` or `Task::held` while children are added",
            ),
            Self::OutsideScope => f.write_str(
                "the parent is none of the scope's tasks, and might end after it; leave it out, or join the tasks \
                 in the scope",
            ),
            Self::NoSuchThread { thread } => write!(
                f,
                "there is no thread {thread}; register it first, or leave the affinity out"
            ),
            Self::External => f.write_str(
                "a task that is done elsewhere has no dependency, no affinity and is not held; let a task that has \
                 them begin it",
            ),
            Self::HasParent => f.write_str(
                "a task to be joined has a parent already; join an empty task that depends on it",
            ),
            Self::Closing => f.write_str("the task manager is shutting down; add nothing more"),
        }
    }
}

impl Error for AddError {}

/// A task could not be changed. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeError {
    /// It has completed, or never was.
    Dead,
    /// It is not held, so it may have started.
    NotHeld,
    /// It would wait for itself.
    Itself,
    /// It has a dependency already.
    HasDependency,
    /// It has a parent already.
    HasParent,
    /// The parent is a child of the child.
    Circle,
    /// It is not done elsewhere.
    NotExternal,
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dead => "the task has completed; change it earlier, while it is held",
            Self::NotHeld => {
                "the task may have started; add it with `Task::held`, change it, and start it"
            }
            Self::Itself => "a task cannot wait for itself; name another",
            Self::HasDependency => {
                "the task has a dependency already; join both, and depend on that"
            }
            Self::HasParent => {
                "the task has a parent already; add an empty child that depends on it"
            }
            Self::Circle => "the parent is a child of the child; turn it round",
            Self::NotExternal => "the task is not done elsewhere; make it with `Task::external`",
        })
    }
}

impl Error for ChangeError {}

/// A wait has ended, but not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitError {
    /// The task, a child of it, or a task that one of them depends on, has panicked or was failed.
    /// What depends on it was not run.
    Failed {
        /// The name of the first.
        task: &'static str,
    },
    /// A task waits for itself or for what it is a child of, or does so below on this thread's
    /// stack.
    Itself,
    /// Tasks wait for each other in a circle, and nothing else is left to do. Those that had not
    /// started were given up.
    Circle,
    /// It was to run on a thread that is no longer registered, and was given up.
    ThreadGone,
    /// The manager is shutting down, and the task was given up.
    Closing,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { task } => write!(
                f,
                "task `{task}` panicked or was failed, and what depends on it was not run; see its own report"
            ),
            Self::Itself => f.write_str(
                "a task waits for itself, or for what cannot complete before it; add a task that depends on the \
                 other in place of waiting",
            ),
            Self::Circle => {
                f.write_str("tasks wait for each other in a circle; look at their dependencies and waits")
            }
            Self::ThreadGone => f.write_str(
                "the thread that was to run the task is no longer registered; keep it until its tasks are done",
            ),
            Self::Closing => f.write_str("the task manager is shutting down; the task was not run"),
        }
    }
}

impl Error for WaitError {}

/// A scope could not begin, or did not end well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeError {
    /// It could not begin.
    Add(AddError),
    /// One of its tasks failed.
    Wait(WaitError),
}

impl fmt::Display for ScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(error) => write!(f, "the scope could not begin: {error}"),
            Self::Wait(error) => write!(f, "a task of the scope did not end well: {error}"),
        }
    }
}

impl Error for ScopeError {}

/// There is no room for one more main thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterError {
    pub(crate) main_threads: u32,
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { main_threads } = self;
        write!(
            f,
            "all {main_threads} main threads are registered; ask for more in `Settings::main_threads`"
        )
    }
}

impl Error for RegisterError {}
