//! What the replayer drives, as an allocator of this family.

use core::alloc::Layout;
use core::cell::RefCell;
use core::ptr::NonNull;

use loligo_allocators::Allocator;
use loligo_replay::subject::Subject;

use super::foreign::{Adapted, Foreign};

/// Hands a row of the replayer to `test` as an allocator, with the records kept that it does not
/// keep itself. Hold it to limits that are [`foreign`](crate::Limits::foreign).
pub fn with_subject(subject: &mut dyn Subject, test: &mut dyn FnMut(&dyn Allocator)) {
    test(&Adapted::new(Driven(RefCell::new(subject))));
}

struct Driven<'a>(RefCell<&'a mut dyn Subject>);

impl Foreign for Driven<'_> {
    const SIZES_FIT: bool = false;
    const REALIGNS: bool = false;

    fn take(&self, layout: Layout, zeroed: bool) -> Option<NonNull<[u8]>> {
        let mut subject = self.0.borrow_mut();
        let block = if zeroed { subject.allocate_zeroed(layout) } else { subject.allocate(layout) };
        Some(NonNull::slice_from_raw_parts(NonNull::new(block)?, layout.size()))
    }

    unsafe fn give(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.borrow_mut().deallocate(block.as_ptr(), layout) }
    }

    unsafe fn change(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>> {
        // SAFETY: the caller's promise, passed on; the new size is at least one byte.
        let moved = unsafe { self.0.borrow_mut().reallocate(block.as_ptr(), old, new.size()) };
        Some(NonNull::slice_from_raw_parts(NonNull::new(moved)?, new.size()))
    }
}
