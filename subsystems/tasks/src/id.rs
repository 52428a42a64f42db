//! The ids of tasks.

use core::fmt;
use core::num::NonZeroU32;

/// A task, by its place in the table and by how often that place was used.
///
/// An id stays an id of its task: once that has completed, the id is dead, and a query answers that
/// the task has completed. Places are used in turn, so an id comes back after about 2^32 tasks at
/// the earliest, as long as most of the table is free.
///
/// # Memory
///
/// 4 bytes, with `Option` too. Of the 32 bits as many are the place as the table's capacity needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(NonZeroU32);

impl TaskId {
    /// Returns the id as a number, never 0.
    #[must_use]
    pub const fn to_bits(self) -> u32 {
        self.0.get()
    }

    /// Returns the id of a number that [`to_bits`](Self::to_bits) gave; `None` for 0.
    ///
    /// A number that no task ever had is a dead id.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Option<Self> {
        match NonZeroU32::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
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

/// How the bits of an id are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(u32);

impl Bits {
    /// Returns the division for a table of `capacity` places.
    pub(crate) const fn of(capacity: usize) -> Self {
        Self(capacity.next_power_of_two().trailing_zeros())
    }

    pub(crate) const fn index(self, id: TaskId) -> usize {
        (id.to_bits() & ((1 << self.0) - 1)) as usize
    }

    /// Returns the first id of a place.
    pub(crate) const fn first(self, index: usize) -> TaskId {
        self.next(index as u32)
    }

    /// Returns the id that a place has next, after `bits`.
    pub(crate) const fn next(self, bits: u32) -> TaskId {
        let next = bits.wrapping_add(1 << self.0);
        match TaskId::from_bits(next) {
            // Generation 0 is left out, so that no id of any place is 0.
            Some(id) if next >> self.0 != 0 => id,
            _ => self.next(next),
        }
    }
}

#[cfg(test)]
mod tests;
