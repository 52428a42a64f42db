//! Insertion and removal of many objects at once, and tables from iterators.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "what is counted was in a table or came out of an iterator, one at a time"
)]

use loligo_allocators::Allocator;

use crate::error::InsertError;
use crate::id::TableId;
use crate::policy::{FreeList, GenerationEnd};
use crate::table::Table;
use crate::table::shape::Shape;

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd> Table<'a, S, T, I, F, E> {
    /// Returns a table of the objects of `values`, with memory from `memory`: in place of
    /// `FromIterator`, which has no allocator to pass.
    ///
    /// # Complexity
    ///
    /// O(values).
    ///
    /// # Errors
    ///
    /// As [`insert_batch`](Self::insert_batch). What was inserted is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::PackedTable;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let squares: PackedTable<u32> = PackedTable::from_iter((1..4).map(|n| n * n), &MEMORY)?;
    /// assert_eq!(squares.as_slice(), [1, 4, 9]);
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    pub fn from_iter(
        values: impl IntoIterator<Item = T>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, InsertError> {
        Self::from_iter_in(values, memory)
    }
}

impl<'a, S: Shape, T, I: TableId, F: FreeList, E: GenerationEnd, A: Allocator + ?Sized>
    Table<'a, S, T, I, F, E, A>
{
    /// As [`from_iter`](Self::from_iter), and keeps the type of the allocator, so that its calls
    /// are direct.
    ///
    /// # Errors
    ///
    /// As [`from_iter`](Self::from_iter).
    pub fn from_iter_in(
        values: impl IntoIterator<Item = T>,
        memory: &'a A,
    ) -> Result<Self, InsertError> {
        let mut table = Self::new_in(memory);
        table.try_extend(values)?;
        Ok(table)
    }

    /// Inserts every object of `values` and passes their ids to `made`, in order; returns how many.
    ///
    /// Room for as many as `values` promises is made first, so that a table grows at most once and
    /// an iterator that knows its length is inserted wholly or not at all (but see `Errors`).
    ///
    /// # Complexity
    ///
    /// O(values); O(capacity) where the table grows.
    ///
    /// # Errors
    ///
    /// [`InsertError`]. If `values` yields more than its size hint promises, or a slot has used all
    /// its generations, the objects inserted before stay, and `made` was called with their ids.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_ids::{HoleTable, Id};
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut shots: HoleTable<u32> = HoleTable::new(&MEMORY);
    /// let mut ids: [Option<Id<u32>>; 3] = [None; 3];
    /// let mut next = ids.iter_mut();
    /// shots.insert_batch([10, 20, 30], |id| *next.next().unwrap() = Some(id))?;
    /// assert_eq!(shots.remove_batch(ids.into_iter().flatten()), 3);
    /// # Ok::<(), loligo_ids::InsertError>(())
    /// ```
    pub fn insert_batch(
        &mut self,
        values: impl IntoIterator<Item = T>,
        mut made: impl FnMut(I),
    ) -> Result<usize, InsertError> {
        let values = values.into_iter();
        self.reserve(values.size_hint().0)?;
        let mut count = 0;
        for value in values {
            made(self.insert(value)?);
            count += 1;
        }
        Ok(count)
    }

    /// Inserts every object of `values`; their ids are those that [`ids`](Self::ids) visits.
    ///
    /// # Complexity
    ///
    /// As [`insert_batch`](Self::insert_batch).
    ///
    /// # Errors
    ///
    /// As [`insert_batch`](Self::insert_batch).
    pub fn try_extend(&mut self, values: impl IntoIterator<Item = T>) -> Result<(), InsertError> {
        self.insert_batch(values, |_| ()).map(drop)
    }

    /// Removes and drops every object that `ids` name, and returns how many those were.
    ///
    /// # Complexity
    ///
    /// O(ids).
    pub fn remove_batch(&mut self, ids: impl IntoIterator<Item = I>) -> usize {
        let mut count = 0;
        for id in ids {
            count += usize::from(self.remove(id).is_some());
        }
        count
    }
}
