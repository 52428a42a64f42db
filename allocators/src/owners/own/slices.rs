//! Owners of slices.

use super::Own;
use crate::contract::allocator::{AllocError, Allocator};
use crate::owners::slice_builder::SliceBuilder;

impl<'a, T> Own<'a, [T]> {
    /// Copies a slice into a block of `memory`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[track_caller]
    pub fn new_slice_copy(
        values: &[T],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError>
    where
        T: Copy,
    {
        Self::new_slice_copy_in(values, memory)
    }

    /// Clones the elements of a slice into a block of `memory`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; nothing is then cloned.
    #[track_caller]
    pub fn new_slice_clone(
        values: &[T],
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError>
    where
        T: Clone,
    {
        Self::new_slice_clone_in(values, memory)
    }

    /// Makes a slice of `len` elements, each the result of `f` for its index.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `f` is then not called.
    #[track_caller]
    pub fn new_slice_fill_with(
        len: usize,
        f: impl FnMut(usize) -> T,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_slice_fill_with_in(len, f, memory)
    }

    /// Makes a slice of all elements of an iterator, whose number need not be known before.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; the elements are then dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::{AllocError, Allocator, HeapAllocator, Own, PageAllocator};
    /// # let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("heap", &pages);
    /// let odd = Own::new_slice_fill_iter((0..10).filter(|number| number % 2 == 1), &heap)?;
    /// assert_eq!(*odd, [1, 3, 5, 7, 9]);
    /// # Ok::<(), AllocError>(())
    /// ```
    #[track_caller]
    pub fn new_slice_fill_iter(
        values: impl IntoIterator<Item = T>,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, AllocError> {
        Self::new_slice_fill_iter_in(values, memory)
    }
}

impl<'a, T, A: Allocator + ?Sized> Own<'a, [T], A> {
    /// As [`new_slice_copy`](Own::new_slice_copy), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new_slice_copy`](Own::new_slice_copy).
    #[track_caller]
    pub fn new_slice_copy_in(values: &[T], memory: &'a A) -> Result<Self, AllocError>
    where
        T: Copy,
    {
        let mut builder = SliceBuilder::with_capacity(memory, values.len())?;
        builder.extend_copy(values)?;
        Self::from_builder(builder, memory)
    }

    /// As [`new_slice_clone`](Own::new_slice_clone), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new_slice_clone`](Own::new_slice_clone).
    #[track_caller]
    pub fn new_slice_clone_in(values: &[T], memory: &'a A) -> Result<Self, AllocError>
    where
        T: Clone,
    {
        Self::new_slice_fill_with_in(values.len(), |index| values[index].clone(), memory)
    }

    /// As [`new_slice_fill_with`](Own::new_slice_fill_with), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new_slice_fill_with`](Own::new_slice_fill_with).
    #[track_caller]
    pub fn new_slice_fill_with_in(
        len: usize,
        mut f: impl FnMut(usize) -> T,
        memory: &'a A,
    ) -> Result<Self, AllocError> {
        let mut builder = SliceBuilder::with_capacity(memory, len)?;
        for index in 0..len {
            builder.push(f(index))?;
        }
        Self::from_builder(builder, memory)
    }

    /// As [`new_slice_fill_iter`](Own::new_slice_fill_iter), and keeps the type of the allocator.
    ///
    /// # Errors
    ///
    /// As [`new_slice_fill_iter`](Own::new_slice_fill_iter).
    #[track_caller]
    pub fn new_slice_fill_iter_in(
        values: impl IntoIterator<Item = T>,
        memory: &'a A,
    ) -> Result<Self, AllocError> {
        let mut builder = SliceBuilder::new(memory);
        builder.extend(values)?;
        Self::from_builder(builder, memory)
    }

    #[track_caller]
    fn from_builder(builder: SliceBuilder<'a, T, A>, memory: &'a A) -> Result<Self, AllocError> {
        let values = builder.finish_exact()?;
        // SAFETY: the elements are in a block of `memory` with exactly their layout, which is used
        // by no other code.
        Ok(unsafe { Self::from_raw_in(values, memory) })
    }
}
