//! Appending many elements at once, and copies of whole arrays.

use core::mem::{self, MaybeUninit};
use core::ops::RangeBounds;

use loligo_allocators::Allocator;

use super::Array;
use super::range::within;
use crate::error::{GrowError, or_panic};

impl<'a, T: Copy> Array<'a, T> {
    /// Returns an array with copies of all elements of a slice, and no more room than the allocator
    /// grants for them.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_from_slice(
        elements: &[T],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_from_slice_in(elements, memory)
    }
}

impl<'a, T: Copy, A: Allocator + ?Sized> Array<'a, T, A> {
    /// As [`try_from_slice`](Self::try_from_slice), and keeps the type of the allocator, so that
    /// its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_from_slice`](Self::try_from_slice).
    pub fn try_from_slice_in(elements: &[T], memory: &'a A) -> Result<Self, GrowError> {
        let mut array = Self::try_with_capacity_in(elements.len(), memory)?;
        array.try_extend_from_slice(elements)?;
        Ok(array)
    }

    /// Appends copies of all elements of a slice.
    ///
    /// # Complexity
    ///
    /// O(elements), in one copy of memory, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    #[inline]
    pub fn try_extend_from_slice(&mut self, elements: &[T]) -> Result<(), GrowError> {
        self.try_reserve(elements.len())?;
        // SAFETY: there is room after the last element, so this is within the block or at its end.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: room for that many was made; the slice cannot be in the block, which is borrowed
        // exclusively.
        unsafe { place.as_ptr().copy_from_nonoverlapping(elements.as_ptr(), elements.len()) };
        self.buffer.len += elements.len() as u32;
        Ok(())
    }

    /// Appends copies as [`try_extend_from_slice`](Self::try_extend_from_slice) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn extend_from_slice(&mut self, elements: &[T]) {
        or_panic(self.try_extend_from_slice(elements));
    }

    /// Appends copies of the array's elements in `range`.
    ///
    /// # Complexity
    ///
    /// O(range), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    ///
    /// # Panics
    ///
    /// If the range ends beyond the length, or before it begins.
    pub fn try_extend_from_within(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> Result<(), GrowError> {
        let range = within(range, self.buffer.len as usize);
        self.try_reserve(range.len())?;
        // SAFETY: the range is within the length.
        let from = unsafe { self.buffer.start().add(range.start) };
        // SAFETY: there is room after the last element.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: that many elements are alive from there on, and end before `place`, after which
        // room for that many was made.
        unsafe { place.copy_from_nonoverlapping(from, range.len()) };
        self.buffer.len += range.len() as u32;
        Ok(())
    }

    /// Appends copies as [`try_extend_from_within`](Self::try_extend_from_within) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or the range ends beyond the length or before it begins.
    pub fn extend_from_within(&mut self, range: impl RangeBounds<usize>) {
        or_panic(self.try_extend_from_within(range));
    }

    /// Makes the array `len` elements long: drops those beyond, or appends copies of `element`.
    ///
    /// # Complexity
    ///
    /// O(difference), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    pub fn try_resize(&mut self, len: usize, element: T) -> Result<(), GrowError> {
        let Some(more) = len.checked_sub(self.len()) else {
            self.truncate(len);
            return Ok(());
        };
        // As one piece of memory, of which several elements are written at a time.
        self.try_grow_uninit(more)?.fill(MaybeUninit::new(element));
        // SAFETY: as many elements after the last one were written, for which there is room.
        unsafe { self.set_len(len) };
        Ok(())
    }

    /// Changes the length as [`try_resize`](Self::try_resize) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn resize(&mut self, len: usize, element: T) {
        or_panic(self.try_resize(len, element));
    }
}

impl<T: Clone, A: Allocator + ?Sized> Array<'_, T, A> {
    /// Appends clones of all elements of a slice. For elements that are `Copy`,
    /// [`try_extend_from_slice`](Self::try_extend_from_slice) is one copy of memory.
    ///
    /// If a `clone` panics, the clones before it stay.
    ///
    /// # Complexity
    ///
    /// O(elements), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed and nothing was cloned.
    pub fn try_extend_cloned(&mut self, elements: &[T]) -> Result<(), GrowError> {
        self.try_reserve(elements.len())?;
        for element in elements {
            let clone = element.clone();
            // SAFETY: room for all of them was made.
            unsafe { self.push_unchecked(clone) };
        }
        Ok(())
    }

    /// Appends clones as [`try_extend_cloned`](Self::try_extend_cloned) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn extend_cloned(&mut self, elements: &[T]) {
        or_panic(self.try_extend_cloned(elements));
    }

    /// Returns an array with clones of all elements, in memory of any allocator.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them; nothing was cloned.
    pub fn try_clone<'b>(
        &self,
        memory: &'b (dyn Allocator + 'b),
    ) -> Result<Array<'b, T>, GrowError> {
        self.try_clone_in(memory)
    }

    /// As [`try_clone`](Self::try_clone), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_clone`](Self::try_clone).
    pub fn try_clone_in<'b, B: Allocator + ?Sized>(
        &self,
        memory: &'b B,
    ) -> Result<Array<'b, T, B>, GrowError> {
        let mut array = Array::try_with_capacity_in(self.len(), memory)?;
        array.try_extend_cloned(self)?;
        Ok(array)
    }
}

impl<T, A: Allocator + ?Sized> Array<'_, T, A> {
    /// Appends all that an iterator yields.
    ///
    /// # Complexity
    ///
    /// O(elements); the block moves at most once where the iterator says how many they are.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for one of them: that one and those appended before it
    /// are dropped, and the array is as it was. What the iterator holds is not asked for.
    pub fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), GrowError> {
        let before = self.buffer.len as usize;
        let mut elements = elements.into_iter();
        let (at_least, _) = elements.size_hint();
        self.try_reserve(at_least)?;
        loop {
            let mut filling = Filling { len: self.buffer.len, array: self };
            if filling.fill(&mut elements) {
                return Ok(());
            }
            drop(filling);
            let Some(element) = elements.next() else { return Ok(()) };
            let (more, _) = elements.size_hint();
            if let Err(refused) = self.try_reserve(more.saturating_add(1)) {
                self.truncate(before);
                return Err(refused);
            }
            // SAFETY: room for one at least was made.
            unsafe { self.push_unchecked(element) };
        }
    }

    /// Appends all elements of another array, which is empty afterwards and keeps its block.
    ///
    /// # Complexity
    ///
    /// O(elements) in one copy of memory, and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; neither array has changed.
    pub fn try_append<B: Allocator + ?Sized>(
        &mut self,
        other: &mut Array<'_, T, B>,
    ) -> Result<(), GrowError> {
        let count = other.buffer.len as usize;
        self.try_reserve(count)?;
        // SAFETY: there is room after the last element, so this is within the block or at its end.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: that many are alive there, room for as many was made here, and the blocks are
        // two.
        unsafe { place.copy_from_nonoverlapping(other.buffer.start(), count) };
        self.buffer.len += mem::take(&mut other.buffer.len);
        Ok(())
    }

    /// Appends all elements of another array as [`try_append`](Self::try_append) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn append<B: Allocator + ?Sized>(&mut self, other: &mut Array<'_, T, B>) {
        or_panic(self.try_append(other));
    }

    /// Makes the array `len` elements long: drops those beyond, or appends what `make` returns,
    /// call by call.
    ///
    /// If `make` panics, what it returned before stays.
    ///
    /// # Complexity
    ///
    /// O(difference), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed and nothing was made.
    pub fn try_resize_with(
        &mut self,
        len: usize,
        mut make: impl FnMut() -> T,
    ) -> Result<(), GrowError> {
        let Some(more) = len.checked_sub(self.buffer.len as usize) else {
            self.truncate(len);
            return Ok(());
        };
        self.try_reserve(more)?;
        for _ in 0..more {
            let element = make();
            // SAFETY: room for all of them was made.
            unsafe { self.push_unchecked(element) };
        }
        Ok(())
    }

    /// Changes the length as [`try_resize_with`](Self::try_resize_with) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn resize_with(&mut self, len: usize, make: impl FnMut() -> T) {
        or_panic(self.try_resize_with(len, make));
    }

    /// Moves the elements from `at` on to an array of their own, of the same allocator.
    ///
    /// # Complexity
    ///
    /// O(moved).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for the other array; nothing has changed.
    ///
    /// # Panics
    ///
    /// If `at` is beyond the length.
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, GrowError> {
        let len = self.buffer.len as usize;
        assert!(at <= len, "an array of {len} elements was to be split at {at}");
        let mut other = Self::try_with_capacity_in(len - at, self.memory())?;
        // SAFETY: `at` is at most `len`.
        let from = unsafe { self.buffer.start().add(at) };
        // SAFETY: that many are alive from there on; the other block has room for them and is a
        // different block.
        unsafe { other.buffer.start().copy_from_nonoverlapping(from, len - at) };
        self.buffer.len = at as u32;
        other.buffer.len = (len - at) as u32;
        Ok(other)
    }

    /// Moves elements to an array of their own as [`try_split_off`](Self::try_split_off) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or `at` is beyond the length.
    #[must_use = "the elements are in it"]
    pub fn split_off(&mut self, at: usize) -> Self {
        or_panic(self.try_split_off(at))
    }

    /// Appends an element where there is room.
    ///
    /// # Safety
    ///
    /// The length is below the capacity.
    #[inline(always)]
    pub(super) unsafe fn push_unchecked(&mut self, element: T) {
        debug_assert!(
            self.buffer.len < self.buffer.capacity(),
            "{} elements fill it",
            self.buffer.len
        );
        // SAFETY: `len` is below the capacity, as promised, so the place is within the block.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: as above; no element lives there (invariant 1).
        unsafe { place.write(element) };
        self.buffer.len += 1;
    }
}

/// An array while it is filled to its capacity. The length is counted here, so that it can stay in
/// a register, and written to the array at the end, also when the iterator panics.
struct Filling<'f, 'a, T, A: Allocator + ?Sized> {
    array: &'f mut Array<'a, T, A>,
    len: u32,
}

impl<T, A: Allocator + ?Sized> Filling<'_, '_, T, A> {
    /// Appends elements while there are some and room for them; returns whether the iterator has
    /// ended.
    #[inline]
    fn fill(&mut self, elements: &mut impl Iterator<Item = T>) -> bool {
        let start = self.array.buffer.start();
        let capacity = self.array.buffer.capacity();
        while self.len < capacity {
            let Some(element) = elements.next() else { return true };
            // SAFETY: the index is below the capacity.
            let place = unsafe { start.add(self.len as usize) };
            // SAFETY: as above; no element lives there, as those that do end at `len`.
            unsafe { place.write(element) };
            self.len += 1;
        }
        false
    }
}

impl<T, A: Allocator + ?Sized> Drop for Filling<'_, '_, T, A> {
    fn drop(&mut self) {
        self.array.buffer.len = self.len;
    }
}
