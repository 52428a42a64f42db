//! The suite for [`GlobalAlloc`].

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::NonNull;

use crate::limits::Limits;

use super::allocator::some_allocator_outcomes;
use super::foreign::{Adapted, Foreign};
use super::run::{Wanted, every};
use super::{Outcome, assert_all};

/// Holds a `GlobalAlloc` to the contract of its trait; panics with all that was found.
///
/// What the trait does not report (counters, walks, ownership, leaks) is not checked.
///
/// # Panics
///
/// If a check fails.
///
/// # Examples
///
/// ```
/// use loligo_tests::{Limits, conformance};
///
/// let limits = Limits { size_max: 1 << 20, align_max: 4096, ..Limits::growing() };
/// conformance::global_alloc(&limits, |test| test(&std::alloc::System));
/// ```
pub fn global_alloc(limits: &Limits, make: impl FnMut(&mut dyn FnMut(&dyn GlobalAlloc))) {
    assert_all(&global_alloc_outcomes(limits, make));
}

/// As [`global_alloc()`], but returns what each check came to.
pub fn global_alloc_outcomes(
    limits: &Limits,
    make: impl FnMut(&mut dyn FnMut(&dyn GlobalAlloc)),
) -> Vec<Outcome> {
    some_global_alloc_outcomes(limits, &every, make)
}

/// As [`global_alloc_outcomes`], but runs the wanted checks only.
pub fn some_global_alloc_outcomes(
    limits: &Limits,
    wanted: Wanted<'_>,
    mut make: impl FnMut(&mut dyn FnMut(&dyn GlobalAlloc)),
) -> Vec<Outcome> {
    some_allocator_outcomes(&limits.foreign(), wanted, |test| {
        make(&mut |global| test(&Adapted::new(Global(global))));
    })
}

/// A `GlobalAlloc` as a foreign allocator.
pub(super) struct Global<'a>(pub(super) &'a dyn GlobalAlloc);

impl Foreign for Global<'_> {
    const SIZES_FIT: bool = false;
    const REALIGNS: bool = false;

    fn take(&self, layout: Layout, zeroed: bool) -> Option<NonNull<[u8]>> {
        let block = if zeroed {
            // SAFETY: the size is at least one byte.
            unsafe { self.0.alloc_zeroed(layout) }
        } else {
            // SAFETY: the size is at least one byte.
            unsafe { self.0.alloc(layout) }
        };
        Some(NonNull::slice_from_raw_parts(NonNull::new(block)?, layout.size()))
    }

    unsafe fn give(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.dealloc(block.as_ptr(), layout) }
    }

    unsafe fn change(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>> {
        // SAFETY: the caller's promise, passed on; the new layout has the old alignment, and its
        // size is that of a layout.
        let moved = unsafe { self.0.realloc(block.as_ptr(), old, new.size()) };
        Some(NonNull::slice_from_raw_parts(NonNull::new(moved)?, new.size()))
    }
}
