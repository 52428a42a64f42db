//! Adding elements to rows and taking them out.

use loligo_allocators::Allocator;

use crate::error::{GrowError, or_panic};
use crate::pools::array_of_arrays::word::{LEN_MAX, class_for, units_of};
use crate::pools::array_of_arrays::{ArrayOfArrays, RowError, RowId, index_of, unknown};

impl<T: Copy, A: Allocator + ?Sized> ArrayOfArrays<'_, T, A> {
    /// Appends an element to a row.
    ///
    /// # Complexity
    ///
    /// O(1) amortised. The row moves where it is full, and the buffer where that is.
    ///
    /// # Errors
    ///
    /// [`RowError`] if the id names no row or there is no memory; nothing has changed.
    #[inline]
    pub fn try_push(&mut self, row: RowId<T>, element: T) -> Result<(), RowError> {
        let index = index_of(row);
        let Some(word) = self.rows.get_mut(index).filter(|word| word.is_named_by(row)) else {
            return Err(unknown(row));
        };
        if word.is_full() {
            return self.push_full(index, element).map_err(RowError::Grow);
        }
        // SAFETY: the row has a block with room (invariant 1), and this is in it.
        let place = unsafe { self.space.element(word.end()) };
        // SAFETY: as above; nothing else accesses the block.
        unsafe { place.write(element) };
        word.count_up();
        Ok(())
    }

    /// Appends an element as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If the id names no row or there is no memory.
    #[inline]
    pub fn push(&mut self, row: RowId<T>, element: T) {
        or_panic(self.try_push(row, element));
    }

    /// Takes the last element of a row off and returns it; `None` if the row is empty or the id
    /// names none. The row keeps its block.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    pub fn pop(&mut self, row: RowId<T>) -> Option<T> {
        let word = self.rows.get_mut(index_of(row)).filter(|word| word.is_named_by(row))?;
        if word.is_empty() {
            return None;
        }
        word.count_down();
        // SAFETY: the element was counted until now, so it is within the row's block (invariant 1).
        let place = unsafe { self.space.element(word.end()) };
        // SAFETY: as above, and elements that are counted are initialised.
        Some(unsafe { place.read() })
    }

    /// Inserts an element before the one at `at`, or after the last.
    ///
    /// # Complexity
    ///
    /// O(elements after it), and that of [`try_push`](Self::try_push).
    ///
    /// # Errors
    ///
    /// As [`try_push`](Self::try_push).
    ///
    /// # Panics
    ///
    /// If the row has fewer elements than `at`.
    pub fn try_insert(&mut self, row: RowId<T>, at: usize, element: T) -> Result<(), RowError> {
        let len = self.row(row).ok_or(unknown(row))?.len();
        assert!(at <= len, "an element cannot be put at {at} of a row of {len}");
        self.try_push(row, element)?;
        let elements = &mut self[row];
        elements.copy_within(at..len, at + 1);
        elements[at] = element;
        Ok(())
    }

    /// Puts an element into a row as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If the row has fewer elements than `at`, the id names no row, or there is no memory.
    pub fn insert(&mut self, row: RowId<T>, at: usize, element: T) {
        or_panic(self.try_insert(row, at, element));
    }

    /// Removes an element, moves those after it forward and returns it; `None` if there is none or
    /// the id names no row.
    ///
    /// # Complexity
    ///
    /// O(elements after it).
    pub fn remove(&mut self, row: RowId<T>, at: usize) -> Option<T> {
        let elements = self.row_mut(row)?;
        let element = *elements.get(at)?;
        elements.copy_within(at + 1.., at);
        self.pop(row);
        Some(element)
    }

    /// Takes an element out, puts the row's last one into its place and returns it; `None` if there
    /// is none or the id names no row.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn swap_remove(&mut self, row: RowId<T>, at: usize) -> Option<T> {
        let elements = self.row_mut(row)?;
        let element = *elements.get(at)?;
        elements[at] = elements[elements.len() - 1];
        self.pop(row);
        Some(element)
    }

    /// Appends copies of all elements of a slice to a row.
    ///
    /// # Complexity
    ///
    /// O(elements) and, where the row moves, O(its length).
    ///
    /// # Errors
    ///
    /// [`RowError`] if the id names no row or there is no memory for all; nothing has changed.
    pub fn try_extend_from_slice(&mut self, row: RowId<T>, elements: &[T]) -> Result<(), RowError> {
        let index = self.find(row).ok_or(unknown(row))?;
        self.reserve_in(index, elements.len())?;
        let len = self.rows[index].len();
        self.rows[index].set_len(len + elements.len() as u32);
        // SAFETY: the row is alive, with room for that many elements, and `self` is borrowed for
        // them alone. Uninitialised ones are written before they are read.
        let all = unsafe { self.space.uninit_mut(self.rows[index]) };
        all[len as usize..].write_copy_of_slice(elements);
        Ok(())
    }

    /// Appends copies as [`try_extend_from_slice`](Self::try_extend_from_slice) does.
    ///
    /// # Panics
    ///
    /// If the id names no row or there is no memory.
    pub fn extend_from_slice(&mut self, row: RowId<T>, elements: &[T]) {
        or_panic(self.try_extend_from_slice(row, elements));
    }

    /// Adds a row with copies of the elements of a slice and returns its id.
    ///
    /// # Complexity
    ///
    /// O(elements), and that of [`try_add_row`](Self::try_add_row).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; no row is added.
    pub fn try_add_row_from(&mut self, elements: &[T]) -> Result<RowId<T>, GrowError> {
        let class = Self::class_of(0, elements.len())?;
        // The block first: it can be given back without a trace, an id cannot.
        let offset = if class == 0 { 0 } else { self.take_block(class)? };
        let row = match self.try_add_row() {
            Ok(row) => row,
            Err(error) if class == 0 => return Err(error),
            Err(error) => {
                // SAFETY: the block was just handed out, and nothing refers to it.
                unsafe { self.space.release(offset, class) };
                return Err(error);
            }
        };
        let word = &mut self.rows[index_of(row)];
        Self::set_block(word, class, offset);
        word.set_len(elements.len() as u32);
        // SAFETY: as in `try_extend_from_slice`.
        unsafe { self.space.uninit_mut(*word) }.write_copy_of_slice(elements);
        Ok(row)
    }

    /// Adds a row as [`try_add_row_from`](Self::try_add_row_from) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn add_row_from(&mut self, elements: &[T]) -> RowId<T> {
        or_panic(self.try_add_row_from(elements))
    }

    /// Makes room in a row for `more` elements beyond those it has.
    ///
    /// # Complexity
    ///
    /// O(its length) where the row moves.
    ///
    /// # Errors
    ///
    /// As [`try_push`](Self::try_push).
    pub fn try_reserve(&mut self, row: RowId<T>, more: usize) -> Result<(), RowError> {
        let index = self.find(row).ok_or(unknown(row))?;
        self.reserve_in(index, more)?;
        Ok(())
    }

    /// Makes room in a row as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If the id names no row or there is no memory.
    pub fn reserve(&mut self, row: RowId<T>, more: usize) {
        or_panic(self.try_reserve(row, more));
    }

    /// Removes all elements of a row beyond the first `len`; `false` if the id names no row. The
    /// row keeps its block, unless it is left empty.
    ///
    /// # Complexity
    ///
    /// O(1).
    pub fn truncate(&mut self, row: RowId<T>, len: usize) -> bool {
        let Some(index) = self.find(row) else { return false };
        if len == 0 {
            self.release_block(index);
        } else if len < self.rows[index].len() as usize {
            self.rows[index].set_len(len as u32);
        }
        true
    }

    /// Appends an element to a row that is full.
    #[inline(never)]
    fn push_full(&mut self, index: usize, element: T) -> Result<(), GrowError> {
        let mut word = self.rows[index];
        if word.capacity() == 0 {
            // Where this moves other rows, this one stays as it is: it has nothing to be moved.
            word.set_block(self.take_block(1)? * Self::UNIT, Self::UNIT);
        } else if word.capacity() == LEN_MAX {
            return Err(Self::too_long(u64::from(LEN_MAX) + 1));
        } else if self.space.double_in_place(word.end() / Self::UNIT, word.capacity() / Self::UNIT)
        {
            word.double();
        } else {
            let (class, _) = Self::block(word);
            self.enlarge(index, class + 1)?;
            word = self.rows[index];
        }
        // SAFETY: the row has a block with room now, and this is in it.
        let place = unsafe { self.space.element(word.end()) };
        // SAFETY: as above; nothing else accesses the block.
        unsafe { place.write(element) };
        word.count_up();
        self.rows[index] = word;
        Ok(())
    }

    /// Makes room in a live row for `more` elements.
    fn reserve_in(&mut self, index: usize, more: usize) -> Result<(), GrowError> {
        let word = self.rows[index];
        let class = Self::class_of(word.len(), more)?;
        let (old, offset) = Self::block(word);
        if class <= old {
            return Ok(());
        }
        let units = units_of(old);
        if units > 0 && class == old + 1 && self.space.double_in_place(offset + units, units) {
            self.rows[index].double();
            return Ok(());
        }
        self.enlarge(index, class)
    }

    /// Moves a live row to a block of a greater class than it has.
    #[inline]
    fn enlarge(&mut self, index: usize, class: u32) -> Result<(), GrowError> {
        let to = self.take_block(class)?;
        // Taking a block may have moved all others.
        let word = self.rows[index];
        let (old, offset) = Self::block(word);
        if old > 0 {
            // SAFETY: the row's block was handed out (invariant 1).
            let from = unsafe { self.space.at(offset) };
            // SAFETY: the new block is larger than the old one, and both were handed out.
            unsafe { self.space.copy_block(to, from, word.len().div_ceil(Self::UNIT)) };
            // SAFETY: the block was the row's, which is given the other one now.
            unsafe { self.space.release(offset, old) };
        }
        Self::set_block(&mut self.rows[index], class, to);
        Ok(())
    }

    /// Returns the class of a block for `len` elements and `more`.
    fn class_of(len: u32, more: usize) -> Result<u32, GrowError> {
        let wanted = u64::from(len).saturating_add(more as u64);
        if wanted > u64::from(LEN_MAX) {
            return Err(Self::too_long(wanted));
        }
        Ok(class_for((wanted as u32).div_ceil(Self::UNIT)))
    }

    #[cold]
    fn too_long(wanted: u64) -> GrowError {
        GrowError::Length { wanted, limit: u64::from(LEN_MAX) }
    }
}
