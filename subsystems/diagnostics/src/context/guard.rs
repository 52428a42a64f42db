//! What a context leaves in the frame of its scope.

use core::cell::Cell;
use core::marker::{PhantomData, PhantomPinned};
use core::pin::Pin;

use super::data::sealed::Shown;
use super::stack::{STACK, Site};

/// The name of a context, as a type, so that one address stands for the name and for the type of the data.
pub trait ContextPlace {
    /// What the scope is about.
    const NAME: &'static str;
}

/// A context in the frame of its scope; the stack of the thread points to it.
///
/// # Invariants
///
/// 1. While an entry of the thread's stack has this guard's index and is below its depth, this guard has been pushed by
///    that thread and not been dropped. It may have been leaked.
///
/// It cannot be sent to another thread, so it is dropped where it was pushed.
#[derive(Debug)]
pub struct Guard<'a, T: ?Sized> {
    data: &'a T,
    /// Which entry is its own; `usize::MAX` before it has been pushed.
    index: Cell<usize>,
    /// The stack points to it, so it stays where it is, and on its thread.
    stays: PhantomData<(*const (), PhantomPinned)>,
}

impl<'a, T: Shown + ?Sized> Guard<'a, T> {
    /// Returns a guard that is no context yet.
    #[inline(always)]
    #[must_use]
    pub const fn new(data: &'a T) -> Self {
        Self { data, index: Cell::new(usize::MAX), stays: PhantomData }
    }

    /// Makes it the innermost context of this thread, until it is dropped. A second call does nothing.
    #[inline(always)]
    pub fn push<P: ContextPlace>(self: Pin<&Self>, _place: P) {
        if self.index.get() == usize::MAX {
            let slot = (&raw const self.get_ref().data).cast::<()>();
            self.index.set(STACK.with(|stack| stack.push(Told::<P, T>::SITE, slot)));
        }
    }
}

impl<T: ?Sized> Drop for Guard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        STACK.with(|stack| stack.pop(self.index.get()));
    }
}

/// Joins a place and a type of data.
struct Told<P, T: ?Sized>(PhantomData<(P, *const T)>);

impl<P: ContextPlace, T: Shown + ?Sized> Told<P, T> {
    const SITE: &'static Site = &Site::new::<T>(P::NAME);
}
