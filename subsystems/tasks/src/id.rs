//! The ids of tasks.

use core::fmt;
use core::num::NonZeroU64;

/// A task, by its place in the table and by how often that place was used.
///
/// An id stays an id of its task: once that has completed, the id is dead, and a query answers that
/// the task has completed. An id comes back after 2^31 tasks of its place at the earliest.
///
/// # Memory
///
/// 8 bytes, with `Option` too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(NonZeroU64);

impl TaskId {
    /// Returns the id as a number, never 0.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// Returns the id of a number that [`to_bits`](Self::to_bits) gave; `None` for 0.
    ///
    /// A number that no task ever had is a dead id.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// Returns the id of a place in one of its generations in which a task is there, which are odd.
    #[inline]
    pub(crate) const fn of(index: u32, generation: u32) -> Self {
        match NonZeroU64::new((generation as u64 | 1) << 32 | index as u64) {
            Some(bits) => Self(bits),
            None => unreachable!(),
        }
    }

    #[inline]
    pub(crate) const fn index(self) -> u32 {
        self.0.get() as u32
    }

    #[inline]
    pub(crate) const fn generation(self) -> u32 {
        (self.0.get() >> 32) as u32
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskId({:#x})", self.0)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

#[cfg(test)]
mod tests;
