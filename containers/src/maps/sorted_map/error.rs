//! What can be wrong with entries that are said to be sorted.

use core::error::Error;
use core::fmt;

use crate::error::GrowError;

/// Entries are not what a sorted map is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortedError {
    /// A key is not greater than the one before it.
    Order {
        /// Its place.
        index: usize,
    },
    /// There are not as many keys as values.
    Count {
        /// How many keys there are.
        keys: usize,
        /// How many values there are.
        values: usize,
    },
    /// Less room was kept for entries that wait than was counted on.
    Room {
        /// How many wait, or may wait until room is made.
        waiting: usize,
        /// How many there is room for.
        room: usize,
    },
    /// There is no memory for them.
    Grow(GrowError),
}

impl fmt::Display for SortedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order { index } => {
                write!(f, "the key {index} is not greater than the one before it")
            }
            Self::Count { keys, values } => {
                write!(f, "there are {keys} keys and {values} values")
            }
            Self::Room { waiting, room } => {
                write!(f, "{waiting} entries may wait where there is room for {room}")
            }
            Self::Grow(refused) => refused.fmt(f),
        }
    }
}

impl Error for SortedError {}

impl From<GrowError> for SortedError {
    fn from(refused: GrowError) -> Self {
        Self::Grow(refused)
    }
}

/// Checks that keys are in ascending order, without duplicates, and as many as the values.
pub(super) fn check<K: Ord>(keys: &[K], values: usize) -> Result<(), SortedError> {
    if keys.len() != values {
        return Err(SortedError::Count { keys: keys.len(), values });
    }
    match keys.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(before) => Err(SortedError::Order { index: before + 1 }),
        None => Ok(()),
    }
}
