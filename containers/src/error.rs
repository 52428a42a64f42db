//! What can go wrong where a container grows.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose collections take their
//! memory from an allocator object and stop the program when it has none. Change: that is an answer
//! here, with the numbers that say what to do.

use core::error::Error;
use core::fmt;

/// A container could not grow. It is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrowError {
    /// More elements than the container can count.
    Length {
        /// How many there were to be.
        wanted: u64,
        /// The most that there may be.
        limit: u64,
    },
    /// The allocator refused.
    Memory {
        /// The elements that there was to be room for.
        elements: u64,
        /// The bytes that they need.
        bytes: u64,
    },
}

impl fmt::Display for GrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { wanted, limit } => {
                write!(f, "{wanted} elements were wanted where there may be {limit} at most")
            }
            Self::Memory { elements, bytes } => {
                write!(
                    f,
                    "the allocator has no memory for {elements} elements, which take {bytes} bytes; \
                     free blocks, or give it more"
                )
            }
        }
    }
}

impl Error for GrowError {}

/// Returns what is in `result`: the end of the forms that panic where their `try_` twins return an
/// error.
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
