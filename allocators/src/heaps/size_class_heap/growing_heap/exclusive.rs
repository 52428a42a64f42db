//! The one way from a shared growing heap to its size-class heap.

use core::cell::UnsafeCell;

/// A value that is changed through shared references, by one borrow at a time.
///
/// # Invariants
///
/// 1. No borrow of the value begins while another one lasts. Debug builds check this.
#[derive(Debug)]
pub(super) struct Exclusive<T> {
    value: UnsafeCell<T>,
    #[cfg(debug_assertions)]
    is_borrowed: core::cell::Cell<bool>,
}

impl<T> Exclusive<T> {
    pub(super) const fn new(value: T) -> Self {
        Self {
            value: UnsafeCell::new(value),
            #[cfg(debug_assertions)]
            is_borrowed: core::cell::Cell::new(false),
        }
    }

    /// Runs `act` on the value. `act` must not lead back here: it calls the value's own methods,
    /// which know nothing of the growing heap around them, and neither the backing nor a visitor.
    #[inline(always)]
    pub(super) fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        #[cfg(debug_assertions)]
        let _borrowed = Borrowed::begin(&self.is_borrowed);
        // SAFETY: the type is not `Sync`, so no other thread borrows the value, and what `act` may
        // do keeps invariant 1 in this one. The borrow ends with the call: the closure type gives
        // it a lifetime that no result can have.
        act(unsafe { &mut *self.value.get() })
    }
}

/// A borrow that lasts until this is dropped, also by a panic.
#[cfg(debug_assertions)]
struct Borrowed<'a>(&'a core::cell::Cell<bool>);

#[cfg(debug_assertions)]
impl<'a> Borrowed<'a> {
    fn begin(flag: &'a core::cell::Cell<bool>) -> Self {
        assert!(!flag.replace(true), "a call of the heap leads back into it");
        Self(flag)
    }
}

#[cfg(debug_assertions)]
impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

#[cfg(test)]
mod tests {
    use core::panic::AssertUnwindSafe;
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_borrow_within_a_borrow_is_noticed_and_the_value_stays_usable() {
        let value = Exclusive::new(1);
        value.with(|value| *value += 1);
        let nested = catch_unwind(AssertUnwindSafe(|| value.with(|_| value.with(|value| *value))));
        assert_eq!(nested.is_err(), cfg!(debug_assertions), "debug builds check it");
        assert_eq!(value.with(|value| *value), 2, "the borrows have ended");
    }
}
