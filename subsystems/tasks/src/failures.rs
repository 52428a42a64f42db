//! Why tasks failed: a byte in the task, the names that it indexes, and the last that failed.

use crate::error::WaitError;
use crate::id::TaskId;
use crate::task::Name;

/// Not failed.
pub(crate) const SOUND: u8 = 0;

/// The thread that was to run it is gone.
pub(crate) const THREAD_GONE: u8 = u8::MAX;

/// It was given up as the manager shut down.
pub(crate) const CLOSING: u8 = u8::MAX - 1;

/// It was given up as tasks waited for each other.
pub(crate) const CIRCLE: u8 = u8::MAX - 2;

/// It panicked or was failed, and too many names have before for its own to be kept.
const NAMELESS: u8 = u8::MAX - 3;

/// How many names of tasks that failed are kept.
const NAMES: usize = NAMELESS as usize - 1;

/// How many tasks that failed are remembered.
const RECENT: usize = 256;

/// The failures of a manager's tasks.
///
/// # Memory
///
/// About 4 KiB.
pub(crate) struct Failures {
    /// Each name once; number `n` is failure `n + 1`.
    names: [Name; NAMES],
    named: usize,
    /// The tasks that failed and have completed, in turn.
    recent: [(Option<TaskId>, u8); RECENT],
    total: u64,
}

impl Failures {
    pub(crate) const fn new() -> Self {
        Self { names: [&""; NAMES], named: 0, recent: [(None, SOUND); RECENT], total: 0 }
    }

    /// Returns the failure of a task of this name.
    #[cold]
    pub(crate) fn of(&mut self, name: Name) -> u8 {
        let known = self.names[..self.named].iter().position(|known| *known == name);
        let index = known.unwrap_or(self.named);
        if index == NAMES {
            return NAMELESS;
        }
        self.names[index] = name;
        self.named = self.named.max(index + 1);
        index as u8 + 1
    }

    /// Notes that a task completed which had failed.
    #[cold]
    pub(crate) fn remember(&mut self, id: TaskId, failure: u8) {
        self.recent[(self.total % RECENT as u64) as usize] = (Some(id), failure);
        self.total += 1;
    }

    /// Returns the failure of a task that has completed, if it is one of the last that failed.
    #[inline]
    pub(crate) fn of_dead(&self, id: TaskId) -> u8 {
        if self.total == 0 { SOUND } else { self.find(id) }
    }

    #[cold]
    fn find(&self, id: TaskId) -> u8 {
        let found = self.recent.iter().find(|(failed, _)| *failed == Some(id));
        found.map_or(SOUND, |(_, failure)| *failure)
    }

    /// Returns how many tasks have failed.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the result for a waiting thread.
    pub(crate) fn told(&self, failure: u8) -> Result<(), WaitError> {
        match failure {
            SOUND => Ok(()),
            THREAD_GONE => Err(WaitError::ThreadGone),
            CLOSING => Err(WaitError::Closing),
            CIRCLE => Err(WaitError::Circle),
            NAMELESS => Err(WaitError::Failed { task: "one of many" }),
            named => Err(WaitError::Failed { task: self.names[usize::from(named) - 1] }),
        }
    }
}
