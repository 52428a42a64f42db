//! Walking over a ring, and taking one apart.

use core::fmt;
use core::iter::FusedIterator;
use core::mem;
use core::slice;

use loligo_allocators::Allocator;

use super::Ring;

impl<T, A: Allocator + ?Sized> Ring<'_, T, A> {
    /// Visits the elements from the first to the last.
    ///
    /// # Complexity
    ///
    /// O(1) an element. `for_each`, `sum` and the like run over both slices without a check for
    /// each element which one it is in.
    #[inline]
    pub fn iter(&self) -> RingIter<slice::Iter<'_, T>> {
        let (first, second) = self.as_slices();
        RingIter { first: first.iter(), second: second.iter() }
    }

    /// Visits the elements from the first to the last, to change them. As [`iter`](Self::iter).
    #[inline]
    pub fn iter_mut(&mut self) -> RingIter<slice::IterMut<'_, T>> {
        let (first, second) = self.as_mut_slices();
        RingIter { first: first.iter_mut(), second: second.iter_mut() }
    }
}

/// What [`Ring::iter`] and [`Ring::iter_mut`] return: the iterators of two slices, one after the
/// other.
#[derive(Clone, Debug)]
pub struct RingIter<I> {
    first: I,
    second: I,
}

impl<I: ExactSizeIterator> Iterator for RingIter<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if let Some(element) = self.first.next() {
            return Some(element);
        }
        // The first is empty; as the second it does no harm.
        mem::swap(&mut self.first, &mut self.second);
        self.first.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.first.len() + self.second.len();
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, I::Item) -> B>(self, start: B, mut join: F) -> B {
        let joined = self.first.fold(start, &mut join);
        self.second.fold(joined, join)
    }
}

impl<I: ExactSizeIterator + DoubleEndedIterator> DoubleEndedIterator for RingIter<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        if let Some(element) = self.second.next_back() {
            return Some(element);
        }
        mem::swap(&mut self.first, &mut self.second);
        self.second.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for RingIter<I> {}

impl<I: ExactSizeIterator + FusedIterator> FusedIterator for RingIter<I> {}

/// What a [`Ring`] taken by value is as an iterator.
pub struct RingIntoIter<'a, T, A: Allocator + ?Sized = dyn Allocator + 'a>(Ring<'a, T, A>);

impl<T, A: Allocator + ?Sized> Iterator for RingIntoIter<'_, T, A> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.pop_front()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl<T, A: Allocator + ?Sized> DoubleEndedIterator for RingIntoIter<'_, T, A> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.0.pop_back()
    }
}

impl<T, A: Allocator + ?Sized> ExactSizeIterator for RingIntoIter<'_, T, A> {}

impl<T, A: Allocator + ?Sized> FusedIterator for RingIntoIter<'_, T, A> {}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for RingIntoIter<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RingIntoIter").field(&self.0).finish()
    }
}

impl<'a, T, A: Allocator + ?Sized> IntoIterator for Ring<'a, T, A> {
    type Item = T;
    type IntoIter = RingIntoIter<'a, T, A>;

    fn into_iter(self) -> RingIntoIter<'a, T, A> {
        RingIntoIter(self)
    }
}

impl<'t, T, A: Allocator + ?Sized> IntoIterator for &'t Ring<'_, T, A> {
    type Item = &'t T;
    type IntoIter = RingIter<slice::Iter<'t, T>>;

    fn into_iter(self) -> RingIter<slice::Iter<'t, T>> {
        self.iter()
    }
}

impl<'t, T, A: Allocator + ?Sized> IntoIterator for &'t mut Ring<'_, T, A> {
    type Item = &'t mut T;
    type IntoIter = RingIter<slice::IterMut<'t, T>>;

    fn into_iter(self) -> RingIter<slice::IterMut<'t, T>> {
        self.iter_mut()
    }
}
