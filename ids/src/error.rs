//! What can go wrong in a table, each with the numbers that say what to do.
//!
//! After Niklas Frykholm, "Managing Decoupling Part 4 -- The ID Lookup Table" (2011), whose tables
//! take a full list and an id of another system as given. Changes: each is an answer, not an
//! accident.

use core::error::Error;
use core::fmt;

#[cfg(test)]
mod tests;

/// An object could not be inserted, or an id not be reserved. The table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InsertError {
    /// Every slot that the table may have is in use.
    Full {
        /// How many slots the table may have: its limit, its fixed capacity or what the index can
        /// name.
        limit: u64,
        /// How many of them hold an object.
        live: u64,
        /// How many are reserved and not yet filled.
        reserved: u64,
        /// How many have lived all their lives.
        retired: u64,
        /// How many are free, but held back by the free list's least length.
        held_back: u64,
    },
    /// The allocator refused, or the caller's memory is too short.
    Memory {
        /// The slots that there was to be room for.
        slots: u64,
        /// The bytes that they need, or `u64::MAX` for more than can be asked for.
        bytes: u64,
    },
    /// The slot whose turn it is has lived all its lives, and the table is to say so.
    Spent {
        /// The slot.
        index: u64,
        /// How many lives it had.
        generations: u64,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { limit, live, reserved, retired, held_back } => {
                write!(
                    f,
                    "the table is full: of {limit} slots {live} are live, {reserved} reserved, \
                     {retired} retired and {held_back} held back by the least length of the free list"
                )
            }
            Self::Memory { slots, bytes } => {
                write!(f, "no memory for a table of {slots} slots, which takes {bytes} bytes")
            }
            Self::Spent { index, generations } => {
                write!(f, "slot {index} has lived all its {generations} generations")
            }
        }
    }
}

impl Error for InsertError {}

/// An object could not be inserted at the id given. The table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InsertAtError {
    /// The slot holds an object, or is reserved.
    Taken {
        /// The slot.
        index: u64,
    },
    /// The index is beyond what the table may have.
    Beyond {
        /// The slot.
        index: u64,
        /// How many slots the table may have.
        limit: u64,
    },
    /// The id was made by a table with another tag, or is not an id.
    Foreign {
        /// The tag of the id.
        tag: u64,
        /// The tag of the table.
        own: u64,
    },
    /// The allocator refused.
    Memory {
        /// The slots that there was to be room for.
        slots: u64,
        /// The bytes that they need, or `u64::MAX` for more than can be asked for.
        bytes: u64,
    },
}

impl fmt::Display for InsertAtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { index } => write!(f, "slot {index} is taken"),
            Self::Beyond { index, limit } => {
                write!(f, "slot {index} is beyond the {limit} slots of the table")
            }
            Self::Foreign { tag, own } => {
                write!(f, "the id is of a table with tag {tag}, or none; this one has tag {own}")
            }
            Self::Memory { slots, bytes } => {
                write!(f, "no memory for a table of {slots} slots, which takes {bytes} bytes")
            }
        }
    }
}

impl Error for InsertAtError {}

/// The id to be filled is not reserved. The table is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NotReserved;

impl fmt::Display for NotReserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id is not reserved in this table")
    }
}

impl Error for NotReserved {}

/// What [`Table::validate`](crate::Table::validate) found broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableDamage {
    /// What is wrong, in words.
    pub what: &'static str,
    /// The slot nearest to it.
    pub index: u64,
}

impl fmt::Display for TableDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at slot {}", self.what, self.index)
    }
}

impl Error for TableDamage {}

/// The bytes are not the image of a table of this type, or are damaged, or there is no memory. Nothing was
/// restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RestoreError {
    /// Where in the image, in bytes.
    pub offset: u64,
    /// What is wrong, in words.
    pub what: &'static str,
    /// The bytes that the allocator refused, where the image is right and there is no memory; `u64::MAX` for
    /// more than can be asked for.
    pub refused: Option<u64>,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl Error for RestoreError {}

/// Returns the value, or panics with the error: for what has a twin that returns the error.
#[inline]
#[track_caller]
pub(crate) fn or_panic<T, E: fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => stop(&error),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn stop(error: &dyn fmt::Display) -> ! {
    panic!("{error}")
}

/// The bytes to save a table into are not as many as it takes. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SaveError {
    /// How many it takes.
    pub needed: u64,
    /// How many were given.
    pub given: u64,
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the image takes {} bytes, but {} were given", self.needed, self.given)
    }
}

impl Error for SaveError {}
