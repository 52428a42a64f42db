//! Many growable arrays in one buffer.
//!
//! After Niklas Frykholm, "Allocation Adventures 2: Arrays of Arrays" (2015), and his "Allocation
//! Adventures 3: The Buddy Allocator" (2015), which ask for an array of growing arrays in one block
//! of memory and answer with blocks that double. Changes:
//!
//! - Free blocks are not merged as buddies are. They wait in a stack for each size, and when the
//!   buffer is full and a quarter of it is free, the rows are moved together instead, which is
//!   possible as nothing outside names a block. That needs no table besides the buffer.
//! - A row whose block is the last one grows in place, so arrays filled one after another are never
//!   copied.
//! - Rows have ids that stay valid through every move, and distinguish a row that is gone from the
//!   one that came after it.
//! - The article's other two forms, [`FixedRows`] and [`LinkedRows`], are also here, with one trait
//!   for all three, [`Rows`].

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use loligo_allocators::Allocator;
use loligo_ids::Id;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};

mod check;
mod compact;
mod edit;
mod error;
mod fixed_rows;
mod iter;
mod linked_rows;
mod rows;
mod space;
#[cfg(test)]
mod tests;
mod word;

pub use error::{RowDamage, RowError};
pub use fixed_rows::FixedRows;
pub use linked_rows::LinkedRows;
pub use rows::Rows;

use space::Space;
use word::{GENERATION_BITS, INDEX_BITS, ROWS_MAX, Word, units_of};

/// What ids of rows are ids of; there are no objects of this type.
pub struct RowOf<T>(PhantomData<fn() -> T>);

/// The id of a row of an [`ArrayOfArrays`] or of another form of [`Rows`], typed by its elements.
///
/// There may be 16 million rows; an index names 255 of them, one after another, and is used no more
/// then. So an id is never given to two rows.
pub type RowId<T> = Id<RowOf<T>, u32, INDEX_BITS, GENERATION_BITS>;

/// Many growable arrays ("rows") in one buffer.
///
/// Elements are [`Copy`]: rows move and the whole is copied as bytes, and elements that own memory
/// would again be many small blocks, which this container avoids.
///
/// ```text
/// rows    | len 3, 1u at 0 | len 0, none | dead: next 5 | len 6, 2u at 3 | ..            8 bytes a row
///             |                                               |
/// buffer  | a b c . | free 1u | x .  .  . | p q r s t u . . | untouched ..     blocks of 1u, 2u, 4u ..
///         0         1         2           3                 5                  u: a unit, 16 bytes
///
/// an entry of rows    | where the next element goes 32 bits | generation 8 | length 19 | block's size 5 |
/// ```
///
/// # Complexity
///
/// O(1) for operations on a row's last element, amortised where the row grows. A row that grows
/// moves to a block of twice the size, unless it is the last one in the buffer and has room after
/// it. The buffer moves when it is full: it grows or, where a quarter of it is free, all rows are
/// moved together. Neither invalidates an id; all references end, as the borrow checker demands.
///
/// # Memory
///
/// Nothing while it is empty. Then two blocks: a table of 8 bytes a row, which doubles, and the
/// buffer, which doubles up to 4096 units and grows by half beyond. A unit is as many elements as
/// 16 bytes hold, to a power of two, and one at least. A row that never had elements has no block,
/// any other the next power of two of units for the most that it had. The buffer is at most twice
/// as long as the blocks were at their most, 2.7 times while it doubles; after
/// [`compact`](Self::compact) just as long as the blocks are, and each of these the least for its
/// row. Rows of 0 to 8 `u32`, all lengths as likely, then take 29 bytes each, where a vector of
/// vectors takes 60 and more.
///
/// A row has at most 262 144 elements, the container at most 16 777 215 rows and 4 294 967 295
/// elements. The object itself is 184 bytes or fewer.
///
/// # Threads
///
/// `Send` where the elements are `Send` and the allocator is `Sync`; `Sync` where the elements are
/// `Sync`, too.
///
/// # When not to use it
///
/// Where a small limit holds for every row and most rows are near it, [`FixedRows`] are quicker.
/// For a few long arrays take an [`Array`] each. `docs/evidence/arrays-of-arrays.md` has figures.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::ArrayOfArrays;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut neighbours: ArrayOfArrays<u32> = ArrayOfArrays::new(&MEMORY);
/// let [door, well] = [neighbours.try_add_row()?, neighbours.try_add_row()?];
/// neighbours.try_push(door, 7)?;
/// neighbours.try_extend_from_slice(well, &[1, 2, 3, 4, 5, 6])?;
/// neighbours.try_push(door, 9)?;
/// assert_eq!(neighbours[door], [7, 9]);
///
/// neighbours.remove_row(well);
/// neighbours.try_compact()?;
/// assert_eq!((neighbours.row(door), neighbours.row(well)), (Some(&[7, 9][..]), None));
/// # Ok::<(), loligo_containers::RowError>(())
/// ```
///
/// # Invariants
///
/// 1. A live row of capacity 0 starts at 0 and has no elements. Another has a block of its
///    capacity, handed out by `space` to it alone, and its elements begin the block; there is room
///    for them.
/// 2. Every block that `space` has handed out is a row's.
/// 3. `dead` leads through the dead rows whose index may live again: an index plus 1, or 0 at the
///    end.
/// 4. `live` rows are alive.
pub struct ArrayOfArrays<'a, T: Copy, A: Allocator + ?Sized = dyn Allocator + 'a> {
    rows: Array<'a, Word, A>,
    space: Space<'a, T, A>,
    dead: u32,
    live: u32,
}

impl<'a, T: Copy> ArrayOfArrays<'a, T> {
    /// Returns a container without rows, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns a container with room for `rows` rows, and for `elements` elements in rows that are
    /// full: a row whose length is not a power of two of units needs more.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        rows: usize,
        elements: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(rows, elements, memory)
    }
}

impl<'a, T: Copy, A: Allocator + ?Sized> ArrayOfArrays<'a, T, A> {
    /// The elements of a unit.
    const UNIT: u32 = Space::<'a, T, A>::UNIT;

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { rows: Array::new_in(memory), space: Space::new(memory), dead: 0, live: 0 }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(
        rows: usize,
        elements: usize,
        memory: &'a A,
    ) -> Result<Self, GrowError> {
        let mut all = Self::new_in(memory);
        all.rows = Array::try_with_capacity_in(rows, memory)?;
        all.space = Space::with_elements(elements, memory)?;
        Ok(all)
    }

    /// Returns how many rows there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.live as usize
    }

    /// Returns `true` if there are no rows.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Returns the allocator that the memory is from.
    #[inline]
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.space.memory()
    }

    /// Returns how many bytes it has taken from its allocator, used or not.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Word>() + self.space.bytes()
    }

    /// Adds a row without elements and returns its id.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(rows) where the table of rows grows. No element moves.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or if 16 777 215 indices have been used up; nothing has
    /// changed.
    #[inline]
    pub fn try_add_row(&mut self) -> Result<RowId<T>, GrowError> {
        let (index, generation) = match self.dead.checked_sub(1) {
            None => (self.add_index()?, 1),
            Some(index) => (index, self.revive(index)),
        };
        self.live += 1;
        Ok(row_id(index, generation))
    }

    /// Adds a row as [`try_add_row`](Self::try_add_row) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn add_row(&mut self) -> RowId<T> {
        or_panic(self.try_add_row())
    }

    /// Removes a row and its elements; `false` if the id names none.
    ///
    /// # Complexity
    ///
    /// O(1). Nothing moves.
    pub fn remove_row(&mut self, row: RowId<T>) -> bool {
        let Some(index) = self.find(row) else { return false };
        self.release_block(index);
        let last = self.rows[index].generation();
        self.rows[index] = Word::dead(last, self.dead);
        if Word::may_live_after(last) {
            self.dead = index as u32 + 1;
        }
        self.live -= 1;
        true
    }

    /// Returns `true` if the id names a row.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, row: RowId<T>) -> bool {
        self.find(row).is_some()
    }

    /// Returns the elements of a row; `None` if the id names none.
    ///
    /// # Complexity
    ///
    /// O(1): a load of the row's entry, then one of what is read.
    #[inline]
    #[must_use]
    pub fn row(&self, row: RowId<T>) -> Option<&[T]> {
        let word = self.rows[self.find(row)?];
        Some(self.elements(word))
    }

    /// Returns the elements of a row, to be changed; `None` if the id names none.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn row_mut(&mut self, row: RowId<T>) -> Option<&mut [T]> {
        let word = self.rows[self.find(row)?];
        // SAFETY: the row is alive, and `self` is borrowed for its elements alone.
        Some(unsafe { self.space.elements_mut(word) })
    }

    /// Returns the elements of several rows, to be changed; `None` if two ids are equal or any
    /// names no row.
    ///
    /// # Complexity
    ///
    /// O(N^2) comparisons of ids.
    #[must_use]
    pub fn rows_mut<const N: usize>(&mut self, rows: [RowId<T>; N]) -> Option<[&mut [T]; N]> {
        for (at, row) in rows.iter().enumerate() {
            if rows[..at].contains(row) || !self.contains(*row) {
                return None;
            }
        }
        Some(rows.map(|row| {
            let word = self.rows[index_of(row)];
            // SAFETY: every row is alive, and they are different ones, whose blocks do not overlap
            // (invariant 1); `self` is borrowed for them.
            unsafe { self.space.elements_mut(word) }
        }))
    }

    /// Removes all rows and keeps the memory. The ids given out so far name nothing from here on.
    ///
    /// # Complexity
    ///
    /// O(rows).
    pub fn clear(&mut self) {
        self.dead = 0;
        // From the end, so that indices are given out again from the beginning.
        for index in (0..self.rows.len() as u32).rev() {
            let word = &mut self.rows[index as usize];
            let last = if word.is_live() { word.generation() } else { word.last_generation() };
            *word = Word::dead(last, self.dead);
            if Word::may_live_after(last) {
                self.dead = index + 1;
            }
        }
        self.live = 0;
        self.space.clear();
    }

    /// Returns the index of a live row.
    #[inline(always)]
    fn find(&self, row: RowId<T>) -> Option<usize> {
        let index = index_of(row);
        let word = self.rows.get(index)?;
        word.is_named_by(row).then_some(index)
    }

    /// Returns the elements of a live row.
    #[inline(always)]
    fn elements(&self, word: Word) -> &[T] {
        // SAFETY: the row is alive (invariant 1), and `self` is borrowed.
        unsafe { self.space.elements(word) }
    }

    /// Returns the class of a live row's block, and where it begins, in units.
    #[inline]
    fn block(word: Word) -> (u32, u32) {
        (word.class(Self::UNIT.ilog2()), word.start() / Self::UNIT)
    }

    /// Sets a live row's block, which has room for its elements; of class 0, none, where it has
    /// none.
    #[inline]
    fn set_block(word: &mut Word, class: u32, offset: u32) {
        if class == 0 {
            *word = Word::empty(word.generation());
        } else {
            word.set_block(offset * Self::UNIT, units_of(class) * Self::UNIT);
        }
    }

    /// Gives a row's block back. The row is left without elements.
    fn release_block(&mut self, index: usize) {
        let word = &mut self.rows[index];
        let (class, offset) = Self::block(*word);
        *word = Word::empty(word.generation());
        if class > 0 {
            // SAFETY: the block was the row's alone (invariant 1), which has forgotten it.
            unsafe { self.space.release(offset, class) };
        }
    }

    /// Appends an entry to the table of rows, for a row of generation 1.
    fn add_index(&mut self) -> Result<u32, GrowError> {
        let index = self.rows.len() as u32;
        if index >= ROWS_MAX {
            let limit = u64::from(ROWS_MAX);
            return Err(GrowError::Length { wanted: limit + 1, limit });
        }
        self.rows.try_push(Word::empty(1))?;
        Ok(index)
    }

    /// Lets the first of the dead rows live again, and returns its generation.
    fn revive(&mut self, index: u32) -> u32 {
        let word = &mut self.rows[index as usize];
        self.dead = word.next_dead();
        let generation = word.last_generation() + 1;
        *word = Word::empty(generation);
        generation
    }
}

/// Returns the index in an id.
#[inline(always)]
fn index_of<T>(row: RowId<T>) -> usize {
    row.index() as usize
}

/// Returns the id of a row that lives.
#[inline(always)]
fn row_id<T>(index: u32, generation: u32) -> RowId<T> {
    match RowId::from_bits(generation << INDEX_BITS | index) {
        Some(id) => id,
        None => unreachable!("generations of live rows begin at 1"),
    }
}

impl<T: Copy, A: Allocator + ?Sized> Index<RowId<T>> for ArrayOfArrays<'_, T, A> {
    type Output = [T];

    /// Returns the elements of a row.
    ///
    /// # Panics
    ///
    /// If the id names no row.
    #[inline]
    fn index(&self, row: RowId<T>) -> &[T] {
        match self.row(row) {
            Some(elements) => elements,
            None => no_row(row),
        }
    }
}

impl<T: Copy, A: Allocator + ?Sized> IndexMut<RowId<T>> for ArrayOfArrays<'_, T, A> {
    #[inline]
    fn index_mut(&mut self, row: RowId<T>) -> &mut [T] {
        match self.row_mut(row) {
            Some(elements) => elements,
            None => no_row(row),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_row<T>(row: RowId<T>) -> ! {
    panic!("{}", unknown(row))
}

/// Returns the error about an id that names no row.
#[cold]
fn unknown<T>(row: RowId<T>) -> RowError {
    RowError::Unknown { index: row.index(), generation: row.generation() }
}

impl<T: Copy + fmt::Debug, A: Allocator + ?Sized> fmt::Debug for ArrayOfArrays<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
