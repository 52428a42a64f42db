//! Objects in the boot heap that are freed at the end.

use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::NonNull;
use core::str;

use crate::contract::allocator::{AllocError, SharedRef};
use crate::contract::make::Make;

/// An object in its own block, dropped with this. It stays in place when this is moved.
///
/// # Invariants
///
/// 1. `object` is alive, in a block of `boot`, and only this drops and frees it.
pub(super) struct Placed<'s, T> {
    object: NonNull<T>,
    boot: SharedRef<'s>,
}

// SAFETY: this owns its object as a box does; the boot heap may be used by any thread.
unsafe impl<T: Send> Send for Placed<'_, T> {}
// SAFETY: a shared one gives shared references to the object alone.
unsafe impl<T: Sync> Sync for Placed<'_, T> {}

impl<'s, T> Placed<'s, T> {
    /// Moves `value` into `boot`; drops it if there is no room.
    pub(super) fn new(boot: SharedRef<'s>, value: T) -> Result<Self, AllocError> {
        Ok(Self { object: boot.create(value)?, boot })
    }

    /// Returns a reference with an unchecked lifetime.
    ///
    /// # Safety
    ///
    /// It is not used after this is dropped.
    pub(super) unsafe fn forever<'f>(&self) -> &'f T {
        // SAFETY: the object is alive until this is dropped (invariant 1), and never borrowed
        // uniquely before.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Deref for Placed<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the object is alive (invariant 1), and never borrowed uniquely before it is
        // dropped.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Drop for Placed<'_, T> {
    fn drop(&mut self) {
        // Frees the block even if the object's drop panics.
        let _block =
            Bytes { start: self.object.cast(), layout: Layout::new::<T>(), boot: self.boot };
        // SAFETY: the object is alive, and is no longer used (invariant 1).
        unsafe { self.object.drop_in_place() };
    }
}

/// A block of the boot heap, freed when this is dropped.
struct Bytes<'s> {
    start: NonNull<u8>,
    layout: Layout,
    boot: SharedRef<'s>,
}

impl Drop for Bytes<'_> {
    fn drop(&mut self) {
        // SAFETY: the block came from this heap with this layout, and is freed here alone.
        unsafe { self.boot.deallocate_sized(self.start, self.layout) };
    }
}

/// The suffixes that follow the boot heap's name in the names of the others.
const ENDINGS: [&str; 3] = ["/pages", "/heap", "/scratch"];

/// The names of the allocators, concatenated in a block of the boot heap.
pub(super) struct Names<'s> {
    block: Bytes<'s>,
    ends: [usize; 3],
}

// SAFETY: this owns its block, which is written before it is shared and only read afterwards; the
// boot heap may be used by any thread.
unsafe impl Send for Names<'_> {}
// SAFETY: as above.
unsafe impl Sync for Names<'_> {}

impl<'s> Names<'s> {
    pub(super) fn new(boot: SharedRef<'s>) -> Result<Self, AllocError> {
        let name = boot.name();
        let mut ends = [0; 3];
        let mut end = 0_usize;
        for (ending, at) in ENDINGS.iter().zip(&mut ends) {
            end = end.saturating_add(name.len()).saturating_add(ending.len());
            *at = end;
        }
        let layout = Layout::array::<u8>(end).map_err(|_| AllocError)?;
        let start = boot.allocate(layout)?.cast();
        let names = Self { block: Bytes { start, layout, boot }, ends };
        let mut at = start;
        for part in ENDINGS.iter().flat_map(|ending| [name, ending]) {
            // SAFETY: the parts together are as long as the block, which no other code writes to.
            unsafe { at.copy_from_nonoverlapping(NonNull::from(part).cast(), part.len()) };
            // SAFETY: as above: the next part begins in the block or at its end.
            at = unsafe { at.add(part.len()) };
        }
        Ok(names)
    }

    /// Returns the names of the pages, the heap and the scratch memory, with unchecked lifetimes.
    ///
    /// # Safety
    ///
    /// They are not used after this is dropped.
    pub(super) unsafe fn forever<'f>(&self) -> [&'f str; 3] {
        let mut from = 0;
        self.ends.map(|to| {
            // SAFETY: the name is within the block.
            let start = unsafe { self.block.start.add(from) };
            let bytes = NonNull::slice_from_raw_parts(start, to - from);
            from = to;
            // SAFETY: the bytes were written in `new`, and are neither written again nor freed
            // before this is dropped.
            let bytes = unsafe { bytes.as_ref() };
            // SAFETY: they are two texts one after the other.
            unsafe { str::from_utf8_unchecked(bytes) }
        })
    }
}
