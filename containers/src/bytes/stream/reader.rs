//! The end of a stream that reads.

use crate::bytes::stream::error::{StreamError, StreamErrorKind};
use crate::bytes::stream::format::StreamFormat;
use crate::bytes::stream::{Stream, sealed};

/// Reads values from bytes, all of which are validated.
///
/// [`StreamFormat::load`] is the short way to read one value and no more.
///
/// # Memory
///
/// 40 bytes; it allocates nothing.
///
/// # Examples
///
/// ```
/// use loligo_containers::{Stream, StreamFormat, StreamReader};
///
/// let bytes = [0x9e, 0xb3, 0x93, 0x2b, 1, 0, 0, 0, 5, 0];
/// let format = StreamFormat { tag: 0x2b93_b39e, version: 1 };
/// let mut stream = StreamReader::open(&bytes, format)?;
/// let mut lives = 0u16;
/// stream.field("lives", &mut lives)?;
/// stream.finish()?;
/// assert_eq!(lives, 5);
/// # Ok::<(), loligo_containers::StreamError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamReader<'b> {
    bytes: &'b [u8],
    /// Those that were read; at most all.
    at: usize,
    version: u32,
    depth: u32,
}

impl<'b> StreamReader<'b> {
    /// Returns a reader of bytes that begin with the head of a format, of its version or an older
    /// one.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if they begin with anything else.
    pub fn open(bytes: &'b [u8], format: StreamFormat) -> Result<Self, StreamError> {
        let mut reader = Self { bytes, at: 0, version: 0, depth: 0 };
        let mut found = StreamFormat { tag: 0, version: 0 };
        reader.field("format", &mut found.tag)?;
        if found.tag != format.tag {
            let kind = StreamErrorKind::Format { found: found.tag, expected: format.tag };
            return Err(StreamError { offset: 0, field: Some("format"), kind });
        }
        reader.field("version", &mut found.version)?;
        if found.version > format.version {
            let kind = StreamErrorKind::Version { found: found.version, newest: format.version };
            return Err(StreamError { offset: 4, field: Some("version"), kind });
        }
        reader.version = found.version;
        Ok(reader)
    }

    /// Ends reading.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if bytes are left.
    pub fn finish(self) -> Result<(), StreamError> {
        match sealed::Ends::left(&self) {
            0 => Ok(()),
            left => Err(self.error(StreamErrorKind::Trailing { left })),
        }
    }

    /// Returns the bytes that are not read yet.
    #[must_use]
    pub fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[cold]
    fn ends(&self, needed: usize) -> StreamError {
        let left = sealed::Ends::left(self);
        self.error(StreamErrorKind::Ends { needed: needed as u64, left })
    }
}

impl Stream for StreamReader<'_> {
    const READING: bool = true;

    #[inline(always)]
    fn version(&self) -> u32 {
        self.version
    }

    #[inline(always)]
    fn offset(&self) -> u64 {
        self.at as u64
    }

    #[inline(always)]
    fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), StreamError> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.get(..bytes.len()));
        let Some(found) = found else { return Err(self.ends(bytes.len())) };
        bytes.copy_from_slice(found);
        self.at += bytes.len();
        Ok(())
    }
}

impl sealed::Ends for StreamReader<'_> {
    #[inline(always)]
    fn left(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    #[inline(always)]
    fn depth(&mut self) -> &mut u32 {
        &mut self.depth
    }
}
