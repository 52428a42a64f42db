//! The memory of blobs while they are built: a heap for the one that is asking.

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_containers::{BlobBytes, GrowError};

use crate::error::CompileError;

/// The heap that blobs are built on.
pub(crate) type Heap<'a> = HeapAllocator<'a, PageAllocator>;

/// Calls `work` with a new heap, so that compilers that work at the same time share none and a leak
/// would be noticed.
pub fn with_heap<R>(work: impl FnOnce(&Heap<'_>) -> R) -> R {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    work(&heap)
}

/// Builds the blob of a resource with a new heap, and copies its bytes.
///
/// # Errors
///
/// [`CompileError`] if it is too large, or there is no memory.
pub fn build_blob(
    build: impl for<'a> FnOnce(&'a (dyn Allocator + 'a)) -> Result<BlobBytes<'a>, GrowError>,
) -> Result<Vec<u8>, CompileError> {
    with_heap(|heap| {
        let bytes = build(heap).map(|bytes| bytes.to_vec());
        bytes.map_err(|error| CompileError::new(error.to_string(), "make the resource smaller"))
    })
}
