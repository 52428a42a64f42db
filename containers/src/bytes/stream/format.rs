//! What a stream begins with.

use loligo_allocators::Allocator;
use loligo_ids::IdString32;

use crate::arrays::array::Array;
use crate::bytes::stream::Stream;
use crate::bytes::stream::error::StreamError;
use crate::bytes::stream::reader::StreamReader;
use crate::bytes::stream::streamed::Streamed;
use crate::bytes::stream::writer::StreamWriter;

/// What the bytes of a stream are: which format, and which version of it.
///
/// ```text
/// | tag: u32 | version: u32 | values ..        both little-endian
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamFormat {
    /// The number that names the format, with which its streams begin.
    pub tag: u32,
    /// The version: that in which is written, and the newest that is read.
    pub version: u32,
}

impl StreamFormat {
    /// Returns the format whose tag is the hash of a name.
    #[must_use]
    pub const fn new(name: &str, version: u32) -> Self {
        Self { tag: IdString32::new(name).hash(), version }
    }

    /// Appends a value to the bytes of an array. The value is borrowed mutably because the same
    /// function also reads; it is not changed.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if there is no memory, or the value refuses. The array is as it was.
    pub fn save<T: Streamed, A: Allocator + ?Sized>(
        self,
        value: &mut T,
        into: &mut Array<'_, u8, A>,
    ) -> Result<(), StreamError> {
        let start = into.len();
        let saved = StreamWriter::begin(into, self).and_then(|mut stream| stream.value(value));
        if saved.is_err() {
            into.truncate(start);
        }
        saved
    }

    /// Reads a value from bytes that hold it and nothing else.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if they do not. Some of the value's fields may have been read by then: read
    /// into a fresh one.
    pub fn load<T: Streamed>(self, value: &mut T, bytes: &[u8]) -> Result<(), StreamError> {
        let mut stream = StreamReader::open(bytes, self)?;
        stream.value(value)?;
        stream.finish()
    }
}
