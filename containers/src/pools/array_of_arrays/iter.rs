//! Walking over all rows.

use loligo_allocators::Allocator;

use crate::pools::array_of_arrays::{ArrayOfArrays, RowId, row_id};

impl<T: Copy, A: Allocator + ?Sized> ArrayOfArrays<'_, T, A> {
    /// Visits the rows with their ids, in the order of the ids' indices.
    ///
    /// # Complexity
    ///
    /// O(1) a row, and a step for each index that has no row now. After [`compact`](Self::compact)
    /// memory is read from front to back.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (RowId<T>, &[T])> {
        let live = self.rows.iter().enumerate().filter(|(_, word)| word.is_live());
        live.map(|(index, word)| (row_id(index as u32, word.generation()), self.elements(*word)))
    }

    /// Visits the rows with their ids, to change their elements.
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (RowId<T>, &mut [T])> {
        let space = &self.space;
        let live = self.rows.iter().enumerate().filter(|(_, word)| word.is_live());
        live.map(move |(index, word)| {
            // SAFETY: the row is alive; each is visited once, rows do not overlap (invariant 1),
            // and the whole is borrowed exclusively for as long as the slices are.
            let elements = unsafe { space.elements_mut(*word) };
            (row_id(index as u32, word.generation()), elements)
        })
    }

    /// Visits the ids of the rows, in the order of their indices.
    ///
    /// # Complexity
    ///
    /// As [`iter`](Self::iter).
    #[inline]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = RowId<T>> {
        let live = self.rows.iter().enumerate().filter(|(_, word)| word.is_live());
        live.map(|(index, word)| row_id(index as u32, word.generation()))
    }
}
