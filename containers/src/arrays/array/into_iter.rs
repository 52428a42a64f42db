//! Taking an array apart.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::ManuallyDrop;
use core::ptr;
use core::slice;

use loligo_allocators::Allocator;

use super::Array;
use crate::arrays::buffer::Buffer;

/// What an [`Array`] taken by value is as an iterator. It owns the block, and gives it back when
/// dropped.
///
/// # Invariants
///
/// 1. The elements from `next` to `end` are alive and no others; `next <= end`, at most the
///    capacity.
pub struct ArrayIntoIter<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a> {
    buffer: Buffer<'a, T, A>,
    next: u32,
    end: u32,
}

impl<T, A: Allocator + ?Sized> ArrayIntoIter<'_, T, A> {
    /// Returns the elements not yet yielded.
    #[must_use]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: `next` is at most the capacity.
        let place = unsafe { self.buffer.start().add(self.next as usize) };
        // SAFETY: that many are alive there (invariant 1), and the borrow of the iterator keeps
        // them.
        unsafe { slice::from_raw_parts(place.as_ptr(), (self.end - self.next) as usize) }
    }
}

impl<'a, T, A: Allocator + ?Sized> IntoIterator for Array<'a, T, A> {
    type Item = T;
    type IntoIter = ArrayIntoIter<'a, T, A>;

    #[inline]
    fn into_iter(self) -> ArrayIntoIter<'a, T, A> {
        let array = ManuallyDrop::new(self);
        // SAFETY: the array is not dropped and not used again, so the buffer is moved out once.
        let buffer = unsafe { ptr::read(&raw const array.buffer) };
        let end = buffer.len;
        ArrayIntoIter { buffer, next: 0, end }
    }
}

impl<T, A: Allocator + ?Sized> Iterator for ArrayIntoIter<'_, T, A> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: `next` is below `end`, which is at most the capacity.
        let place = unsafe { self.buffer.start().add(self.next as usize) };
        self.next += 1;
        // SAFETY: the element was alive (invariant 1) and is passed now, so it is moved out once.
        Some(unsafe { place.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl<T, A: Allocator + ?Sized> DoubleEndedIterator for ArrayIntoIter<'_, T, A> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: `end` was above `next` and at most the capacity.
        let place = unsafe { self.buffer.start().add(self.end as usize) };
        // SAFETY: the element was alive (invariant 1) and is passed now, so it is moved out once.
        Some(unsafe { place.read() })
    }
}

impl<T, A: Allocator + ?Sized> ExactSizeIterator for ArrayIntoIter<'_, T, A> {}

impl<T, A: Allocator + ?Sized> FusedIterator for ArrayIntoIter<'_, T, A> {}

impl<T, A: Allocator + ?Sized> Drop for ArrayIntoIter<'_, T, A> {
    fn drop(&mut self) {
        // SAFETY: `next` is at most the capacity.
        let place = unsafe { self.buffer.start().add(self.next as usize) };
        let rest = ptr::slice_from_raw_parts_mut(place.as_ptr(), (self.end - self.next) as usize);
        self.next = self.end;
        // SAFETY: they were alive (invariant 1) and are passed now, so they are dropped once. The
        // buffer goes after them, also when a destructor panics.
        unsafe { rest.drop_in_place() };
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for ArrayIntoIter<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ArrayIntoIter").field(&self.as_slice()).finish()
    }
}
