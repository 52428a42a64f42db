//! The box: our owner, over a bump.

use core::fmt;
use core::ops::{Deref, DerefMut};

use loligo_allocators::Own;

use super::bump::Bump;

pub struct Box<'a, T: ?Sized>(Own<'a, T, Bump>);

impl<'a, T> Box<'a, T> {
    #[must_use]
    pub fn new_in(value: T, bump: &'a Bump) -> Self {
        Self(Own::new_in(value, bump).expect("there is memory"))
    }

    #[must_use]
    pub fn into_inner(boxed: Self) -> T {
        Own::into_inner(boxed.0)
    }
}

impl<'a, T> Box<'a, [T]> {
    pub fn from_iter_in<I: IntoIterator<Item = T>>(values: I, bump: &'a Bump) -> Self {
        Self(Own::new_slice_fill_iter_in(values, bump).expect("there is memory"))
    }
}

impl<'a, T: ?Sized> Box<'a, T> {
    #[must_use]
    pub fn into_raw(boxed: Self) -> *mut T {
        Own::into_raw(boxed.0).as_ptr()
    }

    #[must_use]
    pub fn leak(boxed: Self) -> &'a mut T {
        Own::leak(boxed.0)
    }
}

impl<T: ?Sized> Deref for Box<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> DerefMut for Box<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: fmt::Debug + ?Sized> fmt::Debug for Box<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
