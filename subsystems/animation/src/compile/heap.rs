//! Memory of compilers.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};

use super::error::CompressError;

/// Runs `work` with a separate heap, so that compilers that work at the same time share none.
pub(super) fn with_heap<T>(
    work: impl FnOnce(&dyn Allocator) -> Result<T, CompressError>,
) -> Result<T, CompressError> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    work(&heap)
}
