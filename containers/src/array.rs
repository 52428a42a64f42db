//! The growable array.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose collections take an allocator, and
//! "Allocation Adventures 2: Arrays of Arrays" (2015), which tells why an array grows by doubling. Changes:
//!
//! - The capacity is what the allocator granted, not what was asked for.
//! - Running out of memory is an error where the caller wants it to be.
//! - Lengths are 32 bits.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr;

use loligo_allocators::Allocator;

use crate::buffer::Buffer;
use crate::error::{GrowError, or_panic};

#[cfg(test)]
mod tests;

/// A growable array in one block of an allocator.
///
/// ```text
/// block  | T 0 | T 1 | .. | T len-1 | room for capacity - len more |     one block of the allocator
/// ```
///
/// It is a slice in all that reads or changes elements in place.
///
/// # Complexity
///
/// A push is O(1) amortised, O(len) where the block must move. References into it end when it grows.
///
/// # Memory
///
/// Nothing while it is empty. Else one block, at most twice as long as the elements it held at its longest.
/// The object itself is 24 bytes, 32 with `dyn Allocator`.
///
/// # When not to use it
///
/// For many small arrays: those lie together in an array of arrays or a list pool.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::Array;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut scores: Array<u32> = Array::new_in(&MEMORY);
/// scores.push(7);
/// scores.try_extend_from_slice(&[3, 9])?;
/// scores.sort_unstable();
/// assert_eq!(scores, [3, 7, 9]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The first `len` elements of the buffer are alive, and no others; `len` is at most its capacity.
pub struct Array<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    buffer: Buffer<'a, T, A>,
    len: u32,
}

impl<'a, T, A: Allocator + ?Sized> Array<'a, T, A> {
    /// Returns an empty array, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { buffer: Buffer::new(memory), len: 0 }
    }

    /// Returns an empty array with room for `capacity` elements at least.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity_in(capacity: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut array = Self::new_in(memory);
        array.buffer.grow_exact(0, capacity)?;
        Ok(array)
    }

    /// Returns how many elements there is room for.
    #[inline]
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.buffer.capacity() as usize
    }

    /// Returns the allocator that the memory is from.
    #[inline]
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    /// Returns the elements.
    #[inline]
    #[must_use]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: so many elements are alive (invariant 1), at an address that is aligned and not null; the
        // borrow of the array keeps them.
        unsafe { core::slice::from_raw_parts(self.buffer.start().as_ptr(), self.len as usize) }
    }

    /// Returns the elements, to be changed.
    #[inline]
    #[must_use]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        let start = self.buffer.start().as_ptr();
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        unsafe { core::slice::from_raw_parts_mut(start, self.len as usize) }
    }

    /// Makes room for `more` elements, and for growing after that one by one.
    ///
    /// # Complexity
    ///
    /// O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    #[inline]
    pub fn try_reserve(&mut self, more: usize) -> Result<(), GrowError> {
        if more > (self.buffer.capacity() - self.len) as usize {
            return self.buffer.grow(self.len, more);
        }
        Ok(())
    }

    /// Makes room as [`try_reserve`](Self::try_reserve) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn reserve(&mut self, more: usize) {
        or_panic(self.try_reserve(more));
    }

    /// Appends an element.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the element is dropped and nothing else has changed.
    #[inline]
    pub fn try_push(&mut self, element: T) -> Result<(), GrowError> {
        if self.len == self.buffer.capacity() {
            self.buffer.grow(self.len, 1)?;
        }
        // SAFETY: `len` is below the capacity, so the place is within the block.
        let place = unsafe { self.buffer.start().add(self.len as usize) };
        // SAFETY: the place is within the block, aligned, and no element lives there (invariant 1).
        unsafe { place.write(element) };
        self.len += 1;
        Ok(())
    }

    /// Appends an element as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push(&mut self, element: T) {
        or_panic(self.try_push(element));
    }

    /// Takes the last element off and returns it, or `None` if there is none. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: `len` was greater, so this is within the block.
        let place = unsafe { self.buffer.start().add(self.len as usize) };
        // SAFETY: the element was alive and is counted no more, so it is moved out once.
        Some(unsafe { place.read() })
    }

    /// Drops all elements beyond the first `len`. O(dropped).
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len as usize {
            return;
        }
        let tail = ptr::from_mut(&mut self.as_mut_slice()[len..]);
        // They are counted no more before the first is dropped, so a panic leaks and never drops twice.
        self.len = len as u32;
        // SAFETY: the elements were alive, and nothing counts or names them now.
        unsafe { tail.drop_in_place() };
    }

    /// Drops all elements and keeps the block. O(len).
    pub fn clear(&mut self) {
        self.truncate(0);
    }
}

impl<T: Copy, A: Allocator + ?Sized> Array<'_, T, A> {
    /// Appends copies of all elements of a slice.
    ///
    /// # Complexity
    ///
    /// O(elements), and O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    #[inline]
    pub fn try_extend_from_slice(&mut self, elements: &[T]) -> Result<(), GrowError> {
        self.try_reserve(elements.len())?;
        // SAFETY: there is room behind the last element, so this is within the block or at its end.
        let place = unsafe { self.buffer.start().add(self.len as usize) };
        // SAFETY: room for so many was made; the slice cannot be in the block, which is borrowed
        // exclusively.
        unsafe { place.as_ptr().copy_from_nonoverlapping(elements.as_ptr(), elements.len()) };
        self.len += elements.len() as u32;
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
        let Some(more) = len.checked_sub(self.len as usize) else {
            self.truncate(len);
            return Ok(());
        };
        self.try_reserve(more)?;
        for index in self.len as usize..len {
            // SAFETY: room for `len` was made.
            let place = unsafe { self.buffer.start().add(index) };
            // SAFETY: as above; no element lives there.
            unsafe { place.write(element) };
        }
        self.len = len as u32;
        Ok(())
    }
}

impl<T, A: Allocator + ?Sized> Deref for Array<'_, T, A> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T, A: Allocator + ?Sized> DerefMut for Array<'_, T, A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T: PartialEq, A: Allocator + ?Sized, O: AsRef<[T]>> PartialEq<O> for Array<'_, T, A> {
    fn eq(&self, other: &O) -> bool {
        self.as_slice() == other.as_ref()
    }
}

impl<T, A: Allocator + ?Sized> AsRef<[T]> for Array<'_, T, A> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for Array<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl<T, A: Allocator + ?Sized> Drop for Array<'_, T, A> {
    fn drop(&mut self) {
        self.clear();
    }
}
