//! What an array is to others: a slice, something to compare, to hash, to print, to extend and to
//! write to.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::slice;

use loligo_allocators::Allocator;

use super::Array;
use crate::error::or_panic;

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

impl<T, A: Allocator + ?Sized> AsRef<[T]> for Array<'_, T, A> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T, A: Allocator + ?Sized> AsMut<[T]> for Array<'_, T, A> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T, A: Allocator + ?Sized> Borrow<[T]> for Array<'_, T, A> {
    fn borrow(&self) -> &[T] {
        self
    }
}

impl<T, A: Allocator + ?Sized> BorrowMut<[T]> for Array<'_, T, A> {
    fn borrow_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: PartialEq, A: Allocator + ?Sized, O: AsRef<[T]> + ?Sized> PartialEq<O> for Array<'_, T, A> {
    fn eq(&self, other: &O) -> bool {
        self.as_slice() == other.as_ref()
    }
}

impl<T: Eq, A: Allocator + ?Sized> Eq for Array<'_, T, A> {}

impl<T: PartialOrd, A: Allocator + ?Sized> PartialOrd for Array<'_, T, A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.as_slice().partial_cmp(other.as_slice())
    }
}

impl<T: Ord, A: Allocator + ?Sized> Ord for Array<'_, T, A> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

impl<T: Hash, A: Allocator + ?Sized> Hash for Array<'_, T, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl<T: fmt::Debug, A: Allocator + ?Sized> fmt::Debug for Array<'_, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// Clones into memory of the same allocator; panics if there is none.
/// [`try_clone`](Array::try_clone) returns an error instead.
impl<T: Clone, A: Allocator + ?Sized> Clone for Array<'_, T, A> {
    fn clone(&self) -> Self {
        or_panic(self.try_clone_in(self.memory()))
    }
}

/// Appends; panics if there is no memory. [`try_extend`](Array::try_extend) returns an error
/// instead.
impl<T, A: Allocator + ?Sized> Extend<T> for Array<'_, T, A> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        or_panic(self.try_extend(elements));
    }
}

/// Appends copies; panics if there is no memory.
impl<'t, T: Copy + 't, A: Allocator + ?Sized> Extend<&'t T> for Array<'_, T, A> {
    fn extend<I: IntoIterator<Item = &'t T>>(&mut self, elements: I) {
        or_panic(self.try_extend(elements.into_iter().copied()));
    }
}

impl<'t, T, A: Allocator + ?Sized> IntoIterator for &'t Array<'_, T, A> {
    type Item = &'t T;
    type IntoIter = slice::Iter<'t, T>;

    fn into_iter(self) -> slice::Iter<'t, T> {
        self.iter()
    }
}

impl<'t, T, A: Allocator + ?Sized> IntoIterator for &'t mut Array<'_, T, A> {
    type Item = &'t mut T;
    type IntoIter = slice::IterMut<'t, T>;

    fn into_iter(self) -> slice::IterMut<'t, T> {
        self.iter_mut()
    }
}

/// Appends what is written. Where there is no memory the error is of the kind `OutOfMemory` and
/// nothing was written.
#[cfg(feature = "std")]
impl<A: Allocator + ?Sized> std::io::Write for Array<'_, u8, A> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.try_extend_from_slice(bytes)
            .map_err(|refused| std::io::Error::new(std::io::ErrorKind::OutOfMemory, refused))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
