//! What names a list, where it begins, and what can go wrong with it.

use core::error::Error;
use core::fmt;

use loligo_ids::{Id, TableId};

use crate::error::GrowError;

/// The name of a list in a [`ListPool`](crate::ListPool) of items of type `T`.
///
/// It is 4 bytes; `Option<List>` is no more, its `None` is stored as 0 and it is plain data, so an
/// object in zeroed memory has no list. It must not be passed to any pool but the one that made it:
/// another would take it for its own.
pub type List<T> = Id<T, u32, 24, 8>;

/// A list could not be changed. The pool is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListError {
    /// The id names no list: that was destroyed, or never made.
    Gone,
    /// The pool could not grow.
    Grow(GrowError),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("the list is gone; its id was kept too long"),
            Self::Grow(error) => error.fmt(f),
        }
    }
}

impl Error for ListError {}

impl From<GrowError> for ListError {
    fn from(error: GrowError) -> Self {
        Self::Grow(error)
    }
}

/// Marks in a head that the list is contiguous.
pub(super) const TOGETHER: u32 = 1 << 31;

/// Where a list begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The first node, and [`TOGETHER`]; 0 for an empty list.
    pub(super) first: u32,
    /// The index of the place after the last item; 0 for an empty list.
    pub(super) end: u32,
    /// The number of items.
    pub(super) len: u32,
}

impl Head {
    pub(super) const EMPTY: Self = Self { first: 0, end: 0, len: 0 };

    /// Returns the first node.
    #[inline]
    pub(super) const fn first(self) -> u32 {
        self.first & !TOGETHER
    }

    /// Returns `true` if the nodes follow one another.
    #[inline]
    pub(super) const fn is_together(self) -> bool {
        self.first & TOGETHER != 0
    }
}

/// Returns the id of a list; the life is not 0.
#[inline]
pub(super) fn id<T>(index: u32, life: u8) -> List<T> {
    let bits = u32::from(life) << List::<T>::INDEX_BITS | index;
    List::from_bits(bits).expect("the life of a list that is there is not 0")
}
