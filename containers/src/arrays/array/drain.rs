//! Taking a range of elements out one by one.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::RangeBounds;
use core::ptr;
use core::slice;

use loligo_allocators::Allocator;

use super::Array;
use super::range::within;

impl<'a, T, A: Allocator + ?Sized> Array<'a, T, A> {
    /// Takes the elements of a range out, one by one. When the iterator is dropped, those that it
    /// has not yielded are dropped and the gap is closed.
    ///
    /// If the iterator is forgotten, its elements and those after the range are leaked.
    ///
    /// # Complexity
    ///
    /// O(range + elements after it).
    ///
    /// # Panics
    ///
    /// If the range ends beyond the length, or before it begins.
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> ArrayDrain<'_, 'a, T, A> {
        let len = self.buffer.len as usize;
        let range = within(range, len);
        // Forgetting the iterator must leave nothing counted that was moved out.
        self.buffer.len = range.start as u32;
        ArrayDrain { array: self, next: range.start, end: range.end, tail: range.end, len }
    }
}

/// What [`Array::drain`] returns.
///
/// ```text
/// | counted | yielded .. | not yet yielded | yielded at the end | tail |
/// 0         array.len    next              end                   tail   len
/// ```
///
/// # Invariants
///
/// 1. The elements from `next` to `end` and from `tail` to `len` are alive and the array does not
///    count them; `array.len <= next <= end <= tail <= len`, and `len` is at most the capacity.
pub struct ArrayDrain<'d, 'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    array: &'d mut Array<'a, T, A>,
    next: usize,
    end: usize,
    tail: usize,
    len: usize,
}

impl<T, A: Allocator + ?Sized> ArrayDrain<'_, '_, T, A> {
    /// Returns the elements not yet yielded.
    #[must_use]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: `next` is at most the capacity.
        let place = unsafe { self.array.buffer.start().add(self.next) };
        // SAFETY: that many are alive there (invariant 1), and the borrow of the iterator keeps
        // them.
        unsafe { slice::from_raw_parts(place.as_ptr(), self.end - self.next) }
    }
}

impl<T, A: Allocator + ?Sized> Iterator for ArrayDrain<'_, '_, T, A> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: `next` is below `end`, which is at most the capacity.
        let place = unsafe { self.array.buffer.start().add(self.next) };
        self.next += 1;
        // SAFETY: the element was alive (invariant 1) and is passed now, so it is moved out once.
        Some(unsafe { place.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl<T, A: Allocator + ?Sized> DoubleEndedIterator for ArrayDrain<'_, '_, T, A> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: `end` was above `next` and at most the capacity.
        let place = unsafe { self.array.buffer.start().add(self.end) };
        // SAFETY: the element was alive (invariant 1) and is passed now, so it is moved out once.
        Some(unsafe { place.read() })
    }
}

impl<T, A: Allocator + ?Sized> ExactSizeIterator for ArrayDrain<'_, '_, T, A> {}

impl<T, A: Allocator + ?Sized> FusedIterator for ArrayDrain<'_, '_, T, A> {}

impl<T, A: Allocator + ?Sized> Drop for ArrayDrain<'_, '_, T, A> {
    fn drop(&mut self) {
        /// Closes the gap, also when a destructor panics.
        struct Close<'c, 'd, 'a, T, A: Allocator + ?Sized>(&'c mut ArrayDrain<'d, 'a, T, A>);
        impl<T, A: Allocator + ?Sized> Drop for Close<'_, '_, '_, T, A> {
            fn drop(&mut self) {
                let ArrayDrain { array, tail, len, .. } = &mut *self.0;
                let behind = *len - *tail;
                // SAFETY: `tail` is at most the capacity (invariant 1).
                let from = unsafe { array.buffer.start().add(*tail) };
                // SAFETY: the array's length is at most `tail`.
                let place = unsafe { array.buffer.start().add(array.buffer.len as usize) };
                // SAFETY: that many elements are alive there (invariant 1), and none between the
                // two places.
                unsafe { place.copy_from(from, behind) };
                array.buffer.len += behind as u32;
            }
        }
        let close = Close(self);
        let drain = &mut *close.0;
        // SAFETY: `next` is at most the capacity.
        let place = unsafe { drain.array.buffer.start().add(drain.next) };
        let rest = ptr::slice_from_raw_parts_mut(place.as_ptr(), drain.end - drain.next);
        drain.next = drain.end;
        // SAFETY: they were alive (invariant 1) and are passed now, so they are dropped once.
        unsafe { rest.drop_in_place() };
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for ArrayDrain<'_, '_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ArrayDrain").field(&self.as_slice()).finish()
    }
}
