//! The end of a stream that writes.

use core::fmt;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::bytes::stream::error::{StreamError, StreamErrorKind};
use crate::bytes::stream::format::StreamFormat;
use crate::bytes::stream::{Stream, sealed};

/// Appends values to the bytes of an array.
///
/// [`StreamFormat::save`] is the short way to write one value and no more.
///
/// # Memory
///
/// 24 bytes and what the array takes.
pub struct StreamWriter<'w, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    into: &'w mut Array<'a, u8, A>,
    /// The bytes that were there before; no more than there are now.
    start: usize,
    version: u32,
    depth: u32,
}

impl<'w, 'a, A: Allocator + ?Sized> StreamWriter<'w, 'a, A> {
    /// Writes the head of a format and returns a writer of what is to follow. `version` may be an
    /// older one than the program's newest, for another program that knows no newer.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if there is no memory for it; nothing has changed.
    pub fn begin(
        into: &'w mut Array<'a, u8, A>,
        format: StreamFormat,
    ) -> Result<Self, StreamError> {
        let start = into.len();
        let mut writer = Self { into, start, version: format.version, depth: 0 };
        let head = (u64::from(format.version) << 32 | u64::from(format.tag)).to_le_bytes();
        writer.bytes(&mut { head }).map_err(|error| error.in_field("format"))?;
        Ok(writer)
    }
}

impl<A: Allocator + ?Sized> Stream for StreamWriter<'_, '_, A> {
    const READING: bool = false;

    #[inline(always)]
    fn version(&self) -> u32 {
        self.version
    }

    #[inline(always)]
    fn offset(&self) -> u64 {
        (self.into.len() - self.start) as u64
    }

    #[inline(always)]
    fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), StreamError> {
        match self.into.try_extend_from_slice(bytes) {
            Ok(()) => Ok(()),
            Err(refused) => Err(self.error(StreamErrorKind::Memory(refused))),
        }
    }
}

impl<A: Allocator + ?Sized> sealed::Ends for StreamWriter<'_, '_, A> {
    #[inline(always)]
    fn left(&self) -> u64 {
        u64::MAX
    }

    #[inline(always)]
    fn depth(&mut self) -> &mut u32 {
        &mut self.depth
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for StreamWriter<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter")
            .field("offset", &self.offset())
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
