//! What a ring is to others: something to index, to compare, to hash, to print and to extend.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Index, IndexMut};

use loligo_allocators::Allocator;

use super::Ring;
use crate::error::or_panic;

impl<T, A: Allocator + ?Sized> Index<usize> for Ring<'_, T, A> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => absent(index, self.len()),
        }
    }
}

impl<T, A: Allocator + ?Sized> IndexMut<usize> for Ring<'_, T, A> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let len = self.len();
        match self.get_mut(index) {
            Some(element) => element,
            None => absent(index, len),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn absent(index: usize, len: usize) -> ! {
    panic!("there is no element {index} in a ring of {len}")
}

impl<T: PartialEq, A: Allocator + ?Sized, B: Allocator + ?Sized> PartialEq<Ring<'_, T, B>>
    for Ring<'_, T, A>
{
    fn eq(&self, other: &Ring<'_, T, B>) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<T: PartialEq, A: Allocator + ?Sized, O: AsRef<[T]> + ?Sized> PartialEq<O> for Ring<'_, T, A> {
    fn eq(&self, other: &O) -> bool {
        let (first, second) = self.as_slices();
        let other = other.as_ref();
        self.len() == other.len()
            && first == &other[..first.len()]
            && second == &other[first.len()..]
    }
}

impl<T: Eq, A: Allocator + ?Sized> Eq for Ring<'_, T, A> {}

impl<T: PartialOrd, A: Allocator + ?Sized> PartialOrd for Ring<'_, T, A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<T: Ord, A: Allocator + ?Sized> Ord for Ring<'_, T, A> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

impl<T: Hash, A: Allocator + ?Sized> Hash for Ring<'_, T, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Element by element, so that the hash does not depend on where the ring wraps around.
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for Ring<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// Clones into memory of the same allocator; panics if there is none.
/// [`try_clone`](Ring::try_clone) returns an error instead.
impl<T: Clone, A: Allocator + ?Sized> Clone for Ring<'_, T, A> {
    fn clone(&self) -> Self {
        or_panic(self.try_clone_in(self.memory()))
    }
}

/// Appends elements; panics if there is no memory. [`try_extend`](Ring::try_extend) returns an
/// error instead.
impl<T, A: Allocator + ?Sized> Extend<T> for Ring<'_, T, A> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        or_panic(self.try_extend(elements));
    }
}
