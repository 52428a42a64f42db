//! A saved table that owns its memory.
#![forbid(unsafe_code)]

use core::fmt;
use core::ops::Deref;

use loligo_allocators::Allocator;

use crate::hash::buffer::Buffer;

/// The bytes of a table, as [`ReverseLookupBuilder::save`](crate::ReverseLookupBuilder::save)
/// returns them: to be written to a file, or opened where they are.
///
/// # Complexity
///
/// Reading is that of a slice.
///
/// # Memory
///
/// One block of the allocator, which dropping frees.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
pub struct LookupBytes<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    pub(super) bytes: Buffer<'a, u8, A>,
}

impl<A: Allocator + ?Sized> Deref for LookupBytes<'_, A> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.as_slice()
    }
}

impl<A: Allocator + ?Sized> AsRef<[u8]> for LookupBytes<'_, A> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for LookupBytes<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LookupBytes({} bytes)", self.len())
    }
}
