//! The growable array.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), whose collections take an
//! allocator, and "Allocation Adventures 2: Arrays of Arrays" (2015), which says why an array grows
//! by doubling. Changes:
//!
//! - The capacity is what the allocator granted, not what was asked for.
//! - Running out of memory is an error where the caller wants it to be.
//! - Lengths are 32 bits.
//! - Elements that will be overwritten need not be initialised first: see
//!   [`try_extend_uninit`](Array::try_extend_uninit).

use core::ptr::{self, NonNull};

use loligo_allocators::Allocator;

use crate::arrays::buffer::Buffer;
use crate::error::{GrowError, or_panic};

mod drain;
mod extend;
mod into_iter;
pub(crate) mod range;
mod retain;
#[cfg(test)]
mod tests;
mod traits;
mod uninit;

pub use drain::ArrayDrain;
pub use into_iter::ArrayIntoIter;

/// A growable array in one block of an allocator.
///
/// ```text
/// block  | T 0 | T 1 | .. | T len-1 | room for capacity - len more |     one block of the allocator
/// ```
///
/// It is a slice in all that reads or changes elements in place: sorting, searching and walking are
/// the slice's own.
///
/// # Complexity
///
/// A push is O(1) amortised, O(len) where the block must move. References into it end when it
/// grows.
///
/// # Memory
///
/// Nothing before the first element. Then one block, without a header: `size_of::<T>()` bytes an
/// element, aligned as `T`. The first push takes room for 16 elements of a byte, 8 of up to 16
/// bytes, 4 of up to 1024 or one; the block doubles when it is full, so at most half of what was
/// asked for is room then. What the allocator granted beyond that is capacity, too. The object
/// itself is 24 bytes, 32 with `dyn Allocator`.
///
/// # Threads
///
/// `Send` where the elements are `Send` and the allocator is `Sync`; `Sync` where the elements are
/// `Sync`, too.
///
/// # When not to use it
///
/// For many small arrays: an array of arrays or a list pool keeps those together in one block.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::Array;
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut scores: Array<u32> = Array::new(&MEMORY);
/// scores.push(7);
/// scores.try_extend_from_slice(&[3, 9])?;
/// scores.sort_unstable();
/// assert_eq!(scores, [3, 7, 9]);
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. The first `len` elements of the buffer are alive, and no others; `len` is at most its
///    capacity.
pub struct Array<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    /// It holds `len`, too.
    buffer: Buffer<'a, T, A>,
}

impl<'a, T> Array<'a, T> {
    /// Returns an empty array, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty array with room for `capacity` elements at least.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    ///
    /// # Examples
    ///
    /// A reference to any allocator fits:
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use loligo_allocators::{FrameAllocator, HeapAllocator, PageAllocator, StaticHeap};
    /// use loligo_containers::{Array, GrowError};
    ///
    /// static SMALL: StaticHeap<8192> = StaticHeap::new("small");
    ///
    /// /// The three arrays are of one type.
    /// struct Names<'m> {
    ///     level: Array<'m, u32>,
    ///     frame: Array<'m, u32>,
    ///     menu: Array<'m, u32>,
    /// }
    ///
    /// let pages = PageAllocator::new("pages");
    /// let heap = HeapAllocator::new("level", &pages);
    /// let mut memory = [MaybeUninit::uninit(); 1024];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let names = Names {
    ///     level: Array::try_with_capacity(4, &heap)?,
    ///     frame: Array::try_with_capacity(4, &frame)?,
    ///     menu: Array::try_with_capacity(4, &SMALL)?,
    /// };
    /// assert_eq!(heap.stats().live, 1);
    /// # use loligo_allocators::Allocator;
    /// # drop((names.level, names.frame, names.menu));
    /// # Ok::<(), GrowError>(())
    /// ```
    pub fn try_with_capacity(
        capacity: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(capacity, memory)
    }
}

impl<'a, T, A: Allocator + ?Sized> Array<'a, T, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { buffer: Buffer::new(memory) }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
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
        // SAFETY: that many elements are alive (invariant 1), at an address that is aligned and not
        // null; the borrow of the array keeps them.
        unsafe {
            core::slice::from_raw_parts(self.buffer.start().as_ptr(), self.buffer.len as usize)
        }
    }

    /// Returns the elements, to be changed.
    #[inline]
    #[must_use]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        let start = self.buffer.start().as_ptr();
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        unsafe { core::slice::from_raw_parts_mut(start, self.buffer.len as usize) }
    }

    /// Returns where the elements begin; unlike a slice's, this address leads to the whole block.
    #[inline(always)]
    pub(crate) const fn start(&self) -> NonNull<T> {
        self.buffer.start()
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
        if more > (self.buffer.capacity() - self.buffer.len) as usize {
            return self.buffer.grow(self.buffer.len, more);
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
        if self.buffer.len == self.buffer.capacity() {
            self.buffer.grow(self.buffer.len, 1)?;
        }
        // SAFETY: `len` is below the capacity, so the place is within the block.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: the place is within the block, aligned, and no element lives there (invariant 1).
        unsafe { place.write(element) };
        self.buffer.len += 1;
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
        self.buffer.len = self.buffer.len.checked_sub(1)?;
        // SAFETY: `len` was greater, so this is within the block.
        let place = unsafe { self.buffer.start().add(self.buffer.len as usize) };
        // SAFETY: the element was alive and is counted no more, so it is moved out once.
        Some(unsafe { place.read() })
    }

    /// Puts an element at `index` and moves those from there on up by one.
    ///
    /// # Complexity
    ///
    /// O(len - index), O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; the element is dropped and nothing else has changed.
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length.
    pub fn try_insert(&mut self, index: usize, element: T) -> Result<(), GrowError> {
        let len = self.buffer.len as usize;
        assert!(index <= len, "an element was to be inserted at {index} of {len}");
        self.try_reserve(1)?;
        // SAFETY: `index` is at most `len`, which is below the capacity now.
        let place = unsafe { self.buffer.start().add(index) };
        // SAFETY: as above, one element on.
        let above = unsafe { place.add(1) };
        // SAFETY: that many elements are alive from `place` on (invariant 1), and there is room for
        // one more.
        unsafe { place.copy_to(above, len - index) };
        // SAFETY: the element that was there was moved up.
        unsafe { place.write(element) };
        self.buffer.len += 1;
        Ok(())
    }

    /// Puts an element at `index` as [`try_insert`](Self::try_insert) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or `index` is beyond the length.
    pub fn insert(&mut self, index: usize, element: T) {
        or_panic(self.try_insert(index, element));
    }

    /// Removes and returns the element at `index` and moves those after it down by one. O(len -
    /// index).
    ///
    /// # Panics
    ///
    /// If there is no such element.
    pub fn remove(&mut self, index: usize) -> T {
        let len = self.buffer.len as usize;
        assert!(index < len, "the element {index} of {len} was to be removed");
        // SAFETY: `index` is below `len`.
        let place = unsafe { self.buffer.start().add(index) };
        // SAFETY: the element is alive, and its place is overwritten or counted no more.
        let element = unsafe { place.read() };
        // SAFETY: `index` is below `len`, so this is within the block or at its end.
        let above = unsafe { place.add(1) };
        // SAFETY: that many elements are alive after it (invariant 1).
        unsafe { above.copy_to(place, len - index - 1) };
        self.buffer.len -= 1;
        element
    }

    /// Takes the element at `index` out and moves the last one to its place. O(1).
    ///
    /// # Panics
    ///
    /// If there is no such element.
    ///
    /// # Examples
    ///
    /// ```
    /// # use loligo_allocators::StaticHeap;
    /// # static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// # let mut sparks = loligo_containers::Array::new(&MEMORY);
    /// sparks.extend_from_slice(&[10, 20, 30, 40]);
    /// assert_eq!(sparks.swap_remove(1), 20);
    /// assert_eq!(sparks, [10, 40, 30]);
    /// ```
    #[inline]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let len = self.buffer.len as usize;
        assert!(index < len, "the element {index} of {len} was to be removed");
        self.swap(index, len - 1);
        self.buffer.len -= 1;
        // SAFETY: `len` was not 0, so this is within the block.
        let last = unsafe { self.buffer.start().add(len - 1) };
        // SAFETY: the element was alive and is counted no more, so it is moved out once.
        unsafe { last.read() }
    }

    /// Drops all elements beyond the first `len`. O(dropped).
    pub fn truncate(&mut self, len: usize) {
        if len >= self.buffer.len as usize {
            return;
        }
        let tail = ptr::from_mut(&mut self.as_mut_slice()[len..]);
        // They are counted no more before the first is dropped, so a panic leaks and never drops
        // twice.
        self.buffer.len = len as u32;
        // SAFETY: the elements were alive, and nothing counts or names them now.
        unsafe { tail.drop_in_place() };
    }

    /// Drops all elements and keeps the block. O(len).
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Shrinks the block to the elements, as far as the allocator can shrink it.
    ///
    /// # Complexity
    ///
    /// O(len) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError::Memory`] if the allocator cannot; the block is as it was.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), GrowError> {
        self.buffer.shrink(self.buffer.len)
    }

    /// Shrinks as [`try_shrink_to_fit`](Self::try_shrink_to_fit) does, or keeps the block where the
    /// allocator cannot shrink it, which does no harm.
    pub fn shrink_to_fit(&mut self) {
        let _ = self.try_shrink_to_fit();
    }

    /// Forgets the array and returns its elements, which stay for as long as the allocator is
    /// borrowed and are never dropped. For arrays built in a frame's memory, which goes all at
    /// once.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// # use loligo_allocators::FrameAllocator;
    /// # use loligo_containers::Array;
    /// let mut memory = [MaybeUninit::uninit(); 1024];
    /// let frame = FrameAllocator::from_region("frame", &mut memory);
    /// let mut visible = Array::new(&frame);
    /// visible.extend_from_slice(&[3_u32, 5, 8]);
    /// // Plain slices are passed on: the renderer need not know where they are.
    /// let visible: &[u32] = visible.leak();
    /// assert_eq!(visible, [3, 5, 8]);
    /// ```
    #[must_use = "nothing else leads to the elements any more"]
    pub fn leak(self) -> &'a mut [T] {
        let mut array = core::mem::ManuallyDrop::new(self);
        let elements = ptr::from_mut(array.as_mut_slice());
        // SAFETY: the elements are alive, aligned, and nothing else names them; their block is
        // never given back, so it stays valid while the allocator is neither moved nor dropped,
        // which is borrowed so long.
        unsafe { &mut *elements }
    }
}

impl<T, A: Allocator + ?Sized> Drop for Array<'_, T, A> {
    fn drop(&mut self) {
        self.clear();
    }
}
