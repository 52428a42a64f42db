//! Rows with room for a fixed number of elements each.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), the first of its
//! three forms: a count and an array of the most elements that a row may have. Change: rows have
//! ids.

use core::fmt;
use core::mem::MaybeUninit;

use loligo_allocators::Allocator;
use loligo_ids::{HoleTable, InsertError, Lifo, Retire};

use crate::error::{GrowError, or_panic};
use crate::pools::array_of_arrays::rows::by_slices;
use crate::pools::array_of_arrays::{RowError, RowId, Rows, unknown};

/// Rows of at most `N` elements, one next to the other.
///
/// ```text
/// rows    | n | e 0 | e 1 | .. | e N-1 |  n | e 0 | .. | e N-1 | ..        4 + N elements a row
/// ids     | id | id | dead | ..                                            4 bytes a row, and a bit
/// ```
///
/// # Complexity
///
/// O(1) for everything, amortised for adding a row, which may move all. Nothing else moves a row.
///
/// # Memory
///
/// Nothing while it is empty. Then one block: `N` elements, 4 bytes for their number and 4 bytes
/// and a bit for the id of each row, whether the row is full or empty, doubled when it is full.
///
/// # Threads
///
/// `Send` where the elements are `Send` and the allocator is `Sync`; `Sync` where the elements are
/// `Sync`, too.
///
/// # When not to use it
///
/// Where few rows are near the limit, or no limit is sound: an
/// [`ArrayOfArrays`](crate::ArrayOfArrays).
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::FixedRows;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// // No vertex is moved by more than four bones.
/// let mut influences: FixedRows<(u16, f32), 4> = FixedRows::new(&MEMORY);
/// let vertex = influences.try_add_row()?;
/// influences.try_push(vertex, (3, 0.75))?;
/// influences.try_push(vertex, (9, 0.25))?;
/// assert_eq!(influences.row(vertex).map(<[_]>::len), Some(2));
/// # Ok::<(), loligo_containers::RowError>(())
/// ```
///
/// # Invariants
///
/// 1. The first `len` elements of a row are initialised; `len` is at most `N`.
pub struct FixedRows<'a, T: Copy, const N: usize, A: Allocator + ?Sized = dyn Allocator + 'a> {
    rows: HoleTable<'a, FixedRow<T, N>, RowId<T>, Lifo, Retire, A>,
}

/// A row: what of it is in use, and all that may be.
struct FixedRow<T, const N: usize> {
    len: u32,
    elements: [MaybeUninit<T>; N],
}

impl<T: Copy, const N: usize> FixedRow<T, N> {
    #[inline]
    fn as_slice(&self) -> &[T] {
        // SAFETY: that many are initialised (invariant 1).
        unsafe { self.elements[..self.len as usize].assume_init_ref() }
    }
}

impl<'a, T: Copy, const N: usize> FixedRows<'a, T, N> {
    /// Returns a container without rows, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }
}

impl<'a, T: Copy, const N: usize, A: Allocator + ?Sized> FixedRows<'a, T, N, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub fn new_in(memory: &'a A) -> Self {
        Self { rows: HoleTable::new_in(memory) }
    }

    /// Adds a row without elements and returns its id.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(rows) where the block of all is moved.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory or no index left; nothing has changed.
    #[inline]
    pub fn try_add_row(&mut self) -> Result<RowId<T>, GrowError> {
        let row = FixedRow { len: 0, elements: [const { MaybeUninit::uninit() }; N] };
        self.rows.insert(row).map_err(refusal)
    }

    /// Adds a row as [`try_add_row`](Self::try_add_row) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn add_row(&mut self) -> RowId<T> {
        or_panic(self.try_add_row())
    }

    /// Removes a row and its elements; `false` if the id names none. O(1).
    pub fn remove_row(&mut self, row: RowId<T>) -> bool {
        self.rows.remove(row).is_some()
    }

    /// Returns the elements of a row; `None` if the id names none. O(1).
    #[inline]
    #[must_use]
    pub fn row(&self, row: RowId<T>) -> Option<&[T]> {
        Some(self.rows.get(row)?.as_slice())
    }

    /// Returns the elements of a row, to be changed; `None` if the id names none. O(1).
    #[inline]
    #[must_use]
    pub fn row_mut(&mut self, row: RowId<T>) -> Option<&mut [T]> {
        let FixedRow { len, elements } = self.rows.get_mut(row)?;
        // SAFETY: that many are initialised (invariant 1).
        Some(unsafe { elements[..*len as usize].assume_init_mut() })
    }

    /// Appends an element to a row. O(1); takes no memory.
    ///
    /// # Errors
    ///
    /// [`RowError`] if the id names no row or the row has `N` elements; nothing has changed.
    #[inline]
    pub fn try_push(&mut self, row: RowId<T>, element: T) -> Result<(), RowError> {
        let Some(FixedRow { len, elements }) = self.rows.get_mut(row) else {
            return Err(unknown(row));
        };
        let Some(place) = elements.get_mut(*len as usize) else {
            let limit = N as u64;
            return Err(RowError::Grow(GrowError::Length { wanted: limit + 1, limit }));
        };
        place.write(element);
        *len += 1;
        Ok(())
    }

    /// Appends an element as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If the id names no row or the row has `N` elements.
    #[inline]
    pub fn push(&mut self, row: RowId<T>, element: T) {
        or_panic(self.try_push(row, element));
    }

    /// Takes the last element of a row off and returns it; `None` if the row is empty or the id
    /// names none. O(1).
    #[inline]
    pub fn pop(&mut self, row: RowId<T>) -> Option<T> {
        let row = self.rows.get_mut(row)?;
        let last = row.as_slice().last().copied()?;
        row.len -= 1;
        Some(last)
    }

    /// Visits the rows with their ids, in the order of the ids' indices.
    ///
    /// # Complexity
    ///
    /// O(1) a row, and a step for every 64 indices.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (RowId<T>, &[T])> {
        self.rows.iter_with_ids().map(|(row, elements)| (row, elements.as_slice()))
    }
}

/// Returns what a table of ids refused as a container says it.
#[cold]
pub(super) fn refusal(error: InsertError) -> GrowError {
    match error {
        InsertError::Memory { slots, bytes } => GrowError::Memory { elements: slots, bytes },
        InsertError::Full { limit, .. } => GrowError::Length { wanted: limit + 1, limit },
        InsertError::Spent { generations, .. } => {
            GrowError::Length { wanted: generations + 1, limit: generations }
        }
    }
}

impl<T: Copy, const N: usize, A: Allocator + ?Sized> Rows<T> for FixedRows<'_, T, N, A> {
    by_slices!(FixedRows);

    fn row_count(&self) -> usize {
        self.rows.len()
    }

    fn bytes(&self) -> usize {
        self.rows.stats().bytes as usize
    }
}

impl<T: Copy + fmt::Debug, const N: usize, A: Allocator + ?Sized> fmt::Debug
    for FixedRows<'_, T, N, A>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
