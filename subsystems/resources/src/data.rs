//! The bytes of a file, aligned for blobs.

use core::fmt;

use loligo_allocators::Allocator;
use loligo_containers::Array;
#[cfg(feature = "std")]
use loligo_containers::GrowError;

/// A unit of data: its type aligns the data as a blob must be.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Chunk([u8; 16]);

// SAFETY: 16 bytes at an alignment of 16, no padding; zero is a value of each.
unsafe impl bytemuck::Zeroable for Chunk {}

// SAFETY: 16 bytes at an alignment of 16, no padding; every pattern of bits is a value.
unsafe impl bytemuck::Pod for Chunk {}

/// The front of a file, up to its tail, that was read into memory that was passed in, or mapped.
pub(crate) enum FileBytes<'a, A: Allocator + ?Sized> {
    Read(Array<'a, Chunk, A>, usize),
    #[cfg(feature = "map")]
    Mapped(memmap2::Mmap, usize),
}

impl<'a, A: Allocator + ?Sized> FileBytes<'a, A> {
    /// Allocates `bytes` bytes, all zero.
    #[cfg(feature = "std")]
    pub(crate) fn try_zeroed_in(bytes: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut chunks = Array::new_in(memory);
        chunks.try_resize(bytes.div_ceil(size_of::<Chunk>()), Chunk([0; 16]))?;
        Ok(Self::Read(chunks, bytes))
    }

    /// Returns the bytes to be read into; a mapped file has none.
    #[cfg(feature = "std")]
    pub(crate) fn as_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Read(chunks, bytes) => {
                &mut bytemuck::cast_slice_mut(chunks.as_mut_slice())[..*bytes]
            }
            #[cfg(feature = "map")]
            Self::Mapped(..) => &mut [],
        }
    }
}

impl<A: Allocator + ?Sized> core::ops::Deref for FileBytes<'_, A> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(chunks, bytes) => &bytemuck::cast_slice(chunks.as_slice())[..*bytes],
            #[cfg(feature = "map")]
            Self::Mapped(map, bytes) => &map[..*bytes],
        }
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for FileBytes<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileBytes").field("bytes", &self.len()).finish_non_exhaustive()
    }
}
