//! Memory of compilers.

use std::string::ToString;
use std::vec::Vec;

use loligo_allocators::{Allocator, HeapAllocator, PageAllocator};
use loligo_compiler::CompileError;
use loligo_containers::{BlobBytes, GrowError};

/// Runs `build` with a separate heap, so that compilers that work at the same time share none, and copies
/// the bytes that it makes.
pub(super) fn built(
    build: impl for<'a> FnOnce(&'a (dyn Allocator + 'a)) -> Result<BlobBytes<'a>, GrowError>,
) -> Result<Vec<u8>, CompileError> {
    let pages = PageAllocator::new("compiler pages");
    let heap = HeapAllocator::new_in("compiler", &pages);
    let bytes = build(&heap).map(|bytes| bytes.to_vec());
    bytes.map_err(|error| CompileError::new(error.to_string(), "make the resource smaller"))
}
