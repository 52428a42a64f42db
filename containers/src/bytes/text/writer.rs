//! What formatting writes to.

use core::fmt;

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::GrowError;

/// Appends formatted output to a text, where a [`fmt::Write`] is needed.
///
/// Where there is no memory, writing returns an error, and [`refusal`](Self::refusal) says which.
/// Pieces written before that stay; [`try_format`](crate::bytes::text::try_format) takes them off.
///
/// # Memory
///
/// The text's alone.
///
/// # Examples
///
/// ```
/// use core::fmt::Write;
///
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Array, text};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut line: Array<u8> = Array::new(&MEMORY);
/// let mut writer = text::Writer::new(&mut line);
/// for lap in 1..=3 {
///     write!(writer, "{lap} ")?;
/// }
/// assert_eq!(text::view(&line), Ok("1 2 3 "));
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub struct Writer<'t, 'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    text: &'t mut Array<'a, u8, A>,
    refusal: Option<GrowError>,
}

impl<'t, 'a, A: Allocator + ?Sized> Writer<'t, 'a, A> {
    /// Returns a writer to the end of `text`.
    #[must_use]
    pub const fn new(text: &'t mut Array<'a, u8, A>) -> Self {
        Self { text, refusal: None }
    }

    /// Returns why memory was refused, where it was.
    #[must_use]
    pub const fn refusal(&self) -> Option<GrowError> {
        self.refusal
    }
}

impl<A: Allocator + ?Sized> fmt::Write for Writer<'_, '_, A> {
    #[inline]
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.text.try_extend_from_slice(piece.as_bytes()).map_err(|error| {
            self.refusal = Some(error);
            fmt::Error
        })
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for Writer<'_, '_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("written", &self.text.len())
            .field("refusal", &self.refusal)
            .finish()
    }
}
