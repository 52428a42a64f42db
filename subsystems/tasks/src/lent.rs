//! A slice that is lent to what follows a lock.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A borrowed slice whose borrow is written down elsewhere.
///
/// A `&'m mut [T]` inside of a lock would make everything around the lock invariant in `'m`, and so
/// give every public type a second lifetime. Here the owner of the lock keeps the borrow.
///
/// # Invariants
///
/// 1. The slice remains valid, and is reached through this alone, as long as this is used.
pub(crate) struct Lent<T> {
    slice: NonNull<[T]>,
    owns: PhantomData<T>,
}

impl<T> Lent<T> {
    /// Lends a slice.
    ///
    /// # Safety
    ///
    /// What is returned is not used once the borrow of `slice` has ended.
    pub(crate) const unsafe fn new(slice: &mut [T]) -> Self {
        Self { slice: NonNull::from_mut(slice), owns: PhantomData }
    }
}

impl<T> Deref for Lent<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: invariant 1: it is valid, and nobody else writes it.
        unsafe { self.slice.as_ref() }
    }
}

impl<T> DerefMut for Lent<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: invariant 1: it is valid, and nobody else reaches it.
        unsafe { self.slice.as_mut() }
    }
}

// SAFETY: it is a `&mut [T]`, which may pass to another thread if `T` may.
unsafe impl<T: Send> Send for Lent<T> {}
