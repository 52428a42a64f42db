//! A block in which the elements of a slice are created one by one.
//!
//! After the vectors of every standard library, which double their block. Changes: the block grows
//! in place where the allocator permits it; if there is no room for twice the elements, it grows to
//! the needed size; it is left to an arena or to an owner at the end.

use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator};

/// The bytes of the first block, if the number of elements is unknown.
const BYTES_MIN: usize = 64;

/// A slice under construction.
///
/// Elements of no size need no block. If the builder is dropped, by a panic for instance, the
/// elements are dropped and the block is freed.
///
/// # Invariants
///
/// 1. If `capacity` is not zero and `T` has a size, `block` is a live block of `memory` that was
///    last requested with the layout of `capacity` elements, and no other code uses it. Else it is
///    dangling, and aligned for `T`.
/// 2. The first `len` elements are initialised; `len` is at most `capacity` if `T` has a size.
pub(super) struct SliceBuilder<'m, T, A: Allocator + ?Sized> {
    memory: &'m A,
    block: NonNull<T>,
    capacity: usize,
    len: usize,
}

impl<'m, T, A: Allocator + ?Sized> SliceBuilder<'m, T, A> {
    /// Creates a builder without a block.
    pub(super) const fn new(memory: &'m A) -> Self {
        Self { memory, block: NonNull::dangling(), capacity: 0, len: 0 }
    }

    /// Creates a builder with room for `capacity` elements.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory, or the elements are too large for a layout.
    #[inline]
    #[track_caller]
    pub(super) fn with_capacity(memory: &'m A, capacity: usize) -> Result<Self, AllocError> {
        let mut builder = Self::new(memory);
        builder.resize(capacity)?;
        Ok(builder)
    }

    /// Appends an element.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; `value` is then dropped.
    #[inline]
    #[track_caller]
    pub(super) fn push(&mut self, value: T) -> Result<(), AllocError> {
        self.reserve(1)?;
        // SAFETY: `len` is below the capacity, or the element has no size (invariants 1, 2).
        let place = unsafe { self.block.add(self.len) };
        // SAFETY: the place is in the block and not initialised.
        unsafe { place.write(value) };
        self.len += 1;
        Ok(())
    }

    /// Appends copies of `values`.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory; nothing is then appended.
    #[inline]
    #[track_caller]
    pub(super) fn extend_copy(&mut self, values: &[T]) -> Result<(), AllocError>
    where
        T: Copy,
    {
        self.reserve(values.len())?;
        // SAFETY: `len` is at most the capacity, or the elements have no size (invariants 1, 2).
        let place = unsafe { self.block.add(self.len) };
        // SAFETY: there is room for this many after `len`. No other code uses the block, so the
        // values are not in it.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(values).cast(), values.len()) };
        self.len += values.len();
        Ok(())
    }

    /// Appends all elements of an iterator. The bounds that it reports are used as a hint only.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is no memory.
    #[inline]
    #[track_caller]
    pub(super) fn extend(&mut self, values: impl IntoIterator<Item = T>) -> Result<(), AllocError> {
        let values = values.into_iter();
        let hint = values.size_hint().0;
        if self.len.checked_add(hint).is_some_and(|needed| needed > self.capacity) {
            // A wrong hint is no reason to refuse the elements that do come.
            let _ = self.resize(self.len + hint);
        }
        for value in values {
            self.push(value)?;
        }
        Ok(())
    }

    /// Leaves the elements to an arena: the block shrinks if that is possible in place, and no
    /// elements need no block.
    #[inline]
    #[track_caller]
    pub(super) fn finish(mut self) -> NonNull<[T]> {
        if self.len == 0 {
            self.free();
        } else if self.len < self.capacity && size_of::<T>() != 0 {
            let (old, new) = (self.layout(), layout_within::<T>(self.len));
            // SAFETY: the block is live and has the layout `old` (invariant 1).
            let _ = unsafe { self.memory.resize_in_place(self.block.cast(), old, new) };
        }
        let this = ManuallyDrop::new(self);
        NonNull::slice_from_raw_parts(this.block, this.len)
    }

    /// Leaves the elements to an owner: in a block of exactly their size, also if that is zero.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if a block is needed and refused.
    #[inline]
    #[track_caller]
    pub(super) fn finish_exact(mut self) -> Result<NonNull<[T]>, AllocError> {
        let exact = layout_within::<T>(self.len);
        if self.has_block() {
            if self.len < self.capacity {
                let old = self.layout();
                // SAFETY: the block is live and has the layout `old` (invariant 1).
                let block = unsafe { self.memory.reallocate(self.block.cast(), old, exact) }?;
                self.block = block.cast();
            }
        } else {
            self.block = self.memory.allocate(exact)?.cast();
        }
        let this = ManuallyDrop::new(self);
        Ok(NonNull::slice_from_raw_parts(this.block, this.len))
    }

    const fn has_block(&self) -> bool {
        self.capacity != 0 && size_of::<T>() != 0
    }

    /// Returns the layout of the block.
    const fn layout(&self) -> Layout {
        layout_within::<T>(self.capacity)
    }

    #[inline]
    #[track_caller]
    fn reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        if additional > self.capacity - self.len {
            return self.grow(additional);
        }
        Ok(())
    }

    #[cold]
    #[track_caller]
    fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        let needed = self.len.checked_add(additional).ok_or(AllocError)?;
        let first = BYTES_MIN / size_of::<T>().max(1);
        let ample = needed.max(self.capacity.saturating_mul(2)).max(first);
        match self.resize(ample) {
            Err(AllocError) if needed < ample => self.resize(needed),
            result => result,
        }
    }

    /// Changes the block to one of `capacity` elements, which is not less than `len`.
    #[inline]
    #[track_caller]
    fn resize(&mut self, capacity: usize) -> Result<(), AllocError> {
        let new = Layout::array::<T>(capacity).map_err(|_| AllocError)?;
        if new.size() != 0 {
            let block = if self.has_block() {
                // SAFETY: the block is live and has this layout (invariant 1).
                unsafe { self.memory.reallocate(self.block.cast(), self.layout(), new) }?
            } else {
                self.memory.allocate(new)?
            };
            self.block = block.cast();
        }
        self.capacity = capacity;
        Ok(())
    }

    /// Frees the block, whose elements are dropped or moved out.
    #[track_caller]
    fn free(&mut self) {
        if self.has_block() {
            let (block, layout) = (self.block.cast(), self.layout());
            self.block = NonNull::dangling();
            self.capacity = 0;
            // SAFETY: the block is live, has this layout (invariant 1) and is not used again.
            unsafe { self.memory.deallocate_sized(block, layout) };
        }
    }
}

impl<T, A: Allocator + ?Sized> Drop for SliceBuilder<'_, T, A> {
    fn drop(&mut self) {
        /// Frees the block also if a destructor panics.
        struct Block<'b, 'm, T, A: Allocator + ?Sized>(&'b mut SliceBuilder<'m, T, A>);

        impl<T, A: Allocator + ?Sized> Drop for Block<'_, '_, T, A> {
            fn drop(&mut self) {
                self.0.free();
            }
        }

        let elements = NonNull::slice_from_raw_parts(self.block, self.len);
        self.len = 0;
        let _block = Block(self);
        // SAFETY: these elements are initialised (invariant 2), and are no longer counted.
        unsafe { elements.drop_in_place() };
    }
}

/// Returns the layout of `len` elements, which are at most those of a live block.
const fn layout_within<T>(len: usize) -> Layout {
    // A block of at least this size exists, or the elements have no size: no overflow.
    let bytes = len * size_of::<T>();
    match Layout::from_size_align(bytes, align_of::<T>()) {
        Ok(layout) => layout,
        Err(_) => unreachable!(),
    }
}
