//! What an owner passes on to its value: access, comparison, formatting.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::slice;

use super::Own;
use crate::contract::allocator::Allocator;

impl<T: ?Sized, A: Allocator + ?Sized> Deref for Own<'_, T, A> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the value is initialised (invariant 1), and shared as the owner is.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> DerefMut for Own<'_, T, A> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the value is initialised (invariant 1), and borrowed mutably as the owner is.
        unsafe { self.value.as_mut() }
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> AsRef<T> for Own<'_, T, A> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> AsMut<T> for Own<'_, T, A> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> Borrow<T> for Own<'_, T, A> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> BorrowMut<T> for Own<'_, T, A> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: fmt::Debug + ?Sized, A: Allocator + ?Sized> fmt::Debug for Own<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display + ?Sized, A: Allocator + ?Sized> fmt::Display for Own<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized, A: Allocator + ?Sized> fmt::Pointer for Own<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}

impl<T: Error + ?Sized, A: Allocator + ?Sized> Error for Own<'_, T, A> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}

impl<T, A, B> PartialEq<Own<'_, T, B>> for Own<'_, T, A>
where
    T: PartialEq + ?Sized,
    A: Allocator + ?Sized,
    B: Allocator + ?Sized,
{
    fn eq(&self, other: &Own<'_, T, B>) -> bool {
        **self == **other
    }
}

impl<T: Eq + ?Sized, A: Allocator + ?Sized> Eq for Own<'_, T, A> {}

impl<T, A, B> PartialOrd<Own<'_, T, B>> for Own<'_, T, A>
where
    T: PartialOrd + ?Sized,
    A: Allocator + ?Sized,
    B: Allocator + ?Sized,
{
    fn partial_cmp(&self, other: &Own<'_, T, B>) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: Ord + ?Sized, A: Allocator + ?Sized> Ord for Own<'_, T, A> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: Hash + ?Sized, A: Allocator + ?Sized> Hash for Own<'_, T, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<'s, T, A: Allocator + ?Sized> IntoIterator for &'s Own<'_, [T], A> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> slice::Iter<'s, T> {
        self.iter()
    }
}

impl<'s, T, A: Allocator + ?Sized> IntoIterator for &'s mut Own<'_, [T], A> {
    type Item = &'s mut T;
    type IntoIter = slice::IterMut<'s, T>;

    fn into_iter(self) -> slice::IterMut<'s, T> {
        self.iter_mut()
    }
}
