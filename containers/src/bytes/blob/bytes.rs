//! Bytes of a blob, aligned.

use core::fmt;
use core::ops::Deref;

use loligo_allocators::Allocator;

use super::BLOB_ALIGN;
use crate::arrays::array::Array;
use crate::error::GrowError;

/// [`BLOB_ALIGN`] bytes, which their type aligns as a blob must be.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Chunk([u8; BLOB_ALIGN]);

/// What fresh chunks hold.
pub(super) const ZERO: Chunk = Chunk([0; BLOB_ALIGN]);

// SAFETY: bytes alone, and 0 is a byte.
unsafe impl bytemuck::Zeroable for Chunk {}

// SAFETY: bytes alone, as many as the alignment, so there is no padding.
unsafe impl bytemuck::Pod for Chunk {}

/// The bytes of a blob in memory of an allocator, aligned for [`Blob::open`](super::Blob::open).
///
/// # Complexity
///
/// Copying is O(bytes), once. Reading is that of a slice.
///
/// # Memory
///
/// One block, the bytes rounded up to 16. Nothing while there is no byte.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`.
///
/// # When not to use it
///
/// For a mapped file, which is aligned, or bytes of the program in an `align(16)` type.
pub struct BlobBytes<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    chunks: Array<'a, Chunk, A>,
    bytes: usize,
}

impl<'a> BlobBytes<'a> {
    /// Copies bytes of any alignment: a part of a file that was read, or of a message.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::{Blob, BlobBytes, BlobError};
    ///
    /// static HEAP: StaticHeap<65536> = StaticHeap::new("doc");
    /// let bytes = BlobBytes::try_copy(b"no blob at all", &HEAP)?;
    /// assert_eq!(Blob::<u32>::open(&bytes).unwrap_err(), BlobError::NoBlob);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    pub fn try_copy(bytes: &[u8], memory: &'a (dyn Allocator + 'a)) -> Result<Self, GrowError> {
        Self::try_copy_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> BlobBytes<'a, A> {
    /// As [`try_copy`](Self::try_copy), and keeps the type of the allocator, so that its calls are
    /// direct.
    ///
    /// # Errors
    ///
    /// As [`try_copy`](Self::try_copy).
    pub fn try_copy_in(bytes: &[u8], memory: &'a A) -> Result<Self, GrowError> {
        let mut copy = Self::new(memory);
        copy.extend(bytes.len(), 1)?;
        copy.as_mut().copy_from_slice(bytes);
        Ok(copy)
    }

    pub(super) const fn new(memory: &'a A) -> Self {
        Self { chunks: Array::new_in(memory), bytes: 0 }
    }

    /// Appends `bytes` zeroes at a multiple of `align`, and returns where they begin.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub(super) fn extend(&mut self, bytes: usize, align: usize) -> Result<usize, GrowError> {
        let limit = u64::from(u32::MAX);
        let start = self.bytes.next_multiple_of(align);
        let wanted = (start as u64).saturating_add(bytes as u64);
        if wanted > limit {
            return Err(GrowError::Length { wanted, limit });
        }
        let end = start + bytes;
        let chunks = end.div_ceil(BLOB_ALIGN);
        if chunks > self.chunks.len() {
            self.chunks.try_resize(chunks, ZERO)?;
        }
        self.bytes = end;
        Ok(start)
    }

    pub(super) fn as_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(self.chunks.as_mut_slice())[..self.bytes]
    }
}

impl<A: Allocator + ?Sized> Deref for BlobBytes<'_, A> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(self.chunks.as_slice())[..self.bytes]
    }
}

impl<A: Allocator + ?Sized> AsRef<[u8]> for BlobBytes<'_, A> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for BlobBytes<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlobBytes").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
