//! Where a table of bookkeeping gets its memory.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator};

/// Memory for tables: any allocator, or a source that cannot free a block without its layout.
///
/// # Safety
///
/// A table that is returned is zeroed, has the layout asked for, and is used by nothing else until
/// it is given back.
pub(crate) unsafe trait TableMemory {
    /// Returns zeroed memory for a table.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is none. Nothing has changed.
    #[track_caller]
    fn take_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError>;

    /// Frees the memory of a table.
    ///
    /// # Safety
    ///
    /// `table` was taken here with that layout and is not used afterwards.
    #[track_caller]
    unsafe fn give_back_table(&self, table: NonNull<u8>, layout: Layout);
}

// SAFETY: a zeroed block of an allocator is what is asked for, by the allocator's own contract.
unsafe impl<K: Allocator + ?Sized> TableMemory for K {
    #[inline]
    fn take_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.allocate_zeroed(layout).map(NonNull::cast)
    }

    #[inline]
    unsafe fn give_back_table(&self, table: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.deallocate_sized(table, layout) }
    }
}
