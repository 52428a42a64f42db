//! What all forms of an array of arrays can do.

use loligo_allocators::Allocator;

use crate::error::GrowError;
use crate::pools::array_of_arrays::{ArrayOfArrays, RowError, RowId};

/// Many small arrays with ids: the interface that the forms of an array of arrays share, so that
/// one can be exchanged for another and measured against it. `docs/evidence/arrays-of-arrays.md`
/// says which wins when.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{FixedRows, GrowError, LinkedRows, RowError, RowId, Rows};
///
/// fn count_up(rows: &mut impl Rows<u32>) -> Result<RowId<u32>, RowError> {
///     let row = rows.try_add_row()?;
///     for number in 0..5 {
///         rows.try_push(row, number)?;
///     }
///     Ok(row)
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut linked: LinkedRows<u32> = LinkedRows::new(&MEMORY);
/// let row = count_up(&mut linked)?;
/// assert_eq!(linked.row_len(row), Some(5));
///
/// let mut fixed: FixedRows<u32, 4> = FixedRows::new(&MEMORY);
/// let full = RowError::Grow(GrowError::Length { wanted: 5, limit: 4 });
/// assert_eq!(count_up(&mut fixed), Err(full));
/// # Ok::<(), RowError>(())
/// ```
pub trait Rows<T: Copy> {
    /// Adds a row without elements and returns its id.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory or no index left; nothing has changed.
    fn try_add_row(&mut self) -> Result<RowId<T>, GrowError>;

    /// Removes a row and its elements; `false` if the id names none.
    fn remove_row(&mut self, row: RowId<T>) -> bool;

    /// Appends an element to a row.
    ///
    /// # Errors
    ///
    /// [`RowError`] if the id names no row, the row may not be longer, or there is no memory;
    /// nothing has changed.
    fn try_push(&mut self, row: RowId<T>, element: T) -> Result<(), RowError>;

    /// Takes the element that was pushed last off a row and returns it; `None` if the row is empty
    /// or the id names none.
    fn pop(&mut self, row: RowId<T>) -> Option<T>;

    /// Returns how many elements a row has; `None` if the id names none.
    fn row_len(&self, row: RowId<T>) -> Option<usize>;

    /// Shows the elements of a row in one or more runs, those of a run in the order in which they
    /// were pushed; `false` if the id names none.
    fn visit_row(&self, row: RowId<T>, visit: impl FnMut(&[T])) -> bool;

    /// Shows the elements of all rows, as [`visit_row`](Self::visit_row) does, those of a row one
    /// run after another. A row without elements may be left out.
    fn visit_rows(&self, visit: impl FnMut(RowId<T>, &[T]));

    /// Returns how many rows there are.
    fn row_count(&self) -> usize;

    /// Returns how many bytes were taken from the allocator, used or not.
    fn bytes(&self) -> usize;
}

/// The methods of a form whose rows are slices, which has methods of these names itself.
macro_rules! by_slices {
    ($form:ident) => {
        #[inline]
        fn try_add_row(&mut self) -> Result<RowId<T>, GrowError> {
            $form::try_add_row(self)
        }

        fn remove_row(&mut self, row: RowId<T>) -> bool {
            $form::remove_row(self, row)
        }

        #[inline]
        fn try_push(&mut self, row: RowId<T>, element: T) -> Result<(), RowError> {
            $form::try_push(self, row, element)
        }

        #[inline]
        fn pop(&mut self, row: RowId<T>) -> Option<T> {
            $form::pop(self, row)
        }

        #[inline]
        fn row_len(&self, row: RowId<T>) -> Option<usize> {
            Some(self.row(row)?.len())
        }

        #[inline]
        fn visit_row(&self, row: RowId<T>, mut visit: impl FnMut(&[T])) -> bool {
            self.row(row).map(&mut visit).is_some()
        }

        #[inline]
        fn visit_rows(&self, mut visit: impl FnMut(RowId<T>, &[T])) {
            self.iter().for_each(|(row, elements)| visit(row, elements));
        }
    };
}
pub(super) use by_slices;

impl<T: Copy, A: Allocator + ?Sized> Rows<T> for ArrayOfArrays<'_, T, A> {
    by_slices!(ArrayOfArrays);

    fn row_count(&self) -> usize {
        self.len()
    }

    fn bytes(&self) -> usize {
        ArrayOfArrays::bytes(self)
    }
}
