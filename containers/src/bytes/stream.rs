//! Reading and writing by one function.
//!
//! After Niklas Frykholm, "Two way serialization function" (2009): what is written and what is read
//! cannot drift apart where the same lines do both. Changes:
//!
//! - Numbers are little-endian on every machine.
//! - Fields that came or went with a version of the format say so in the same lines.
//! - All input is validated: an error has the offset, the field's name and the reason, and memory
//!   is allocated for the data that is there, not for what a length claims.

use loligo_allocators::Allocator;
use loligo_ids::{Id, Repr};

use crate::arrays::array::Array;

mod arrays;
mod error;
mod format;
mod reader;
mod streamed;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{StreamError, StreamErrorKind};
pub use format::StreamFormat;
pub use reader::StreamReader;
pub use streamed::{Number, Streamed};
pub use writer::StreamWriter;

/// How deep arrays may be in arrays, so that a type that holds an array of itself cannot be made to
/// overflow the program's stack.
const DEPTH_MAX: u32 = 64;

/// Where the values of an object are read from or written to: [`StreamReader`] or [`StreamWriter`].
/// Sealed.
///
/// An object says in [`Streamed::stream`] what it consists of, field by field. The same function
/// then writes it and reads it back; it is compiled for either, so there is nothing left of the
/// other and no call through a table.
///
/// ```text
/// numbers       little-endian, as long as their type
/// arrays        u32 length | elements
/// structs       their fields, nothing between or around
/// bool, Option  a byte, 0 or 1 (1: the value follows)
/// text          u32 length | UTF-8
/// choice        u32, the place among the choices
/// ```
///
/// # When not to use it
///
/// For data that are used as they are in the file: that is a blob. For many events of plain
/// structs: an [`EventStream`](crate::EventStream) copies them as they are.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Array, Stream, StreamError, StreamFormat, Streamed};
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Knight {
///     health: f32,
///     armour: u16,
///     squire: Option<u32>,
/// }
///
/// impl Streamed for Knight {
///     fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
///         stream.field("health", &mut self.health)?;
///         // Version 2 brought armour; knights of before wear what was usual.
///         stream.added_or(2, "armour", &mut self.armour, 10)?;
///         // Version 3 dropped the mood, which is read over.
///         stream.removed(3, "mood", &mut 0u8)?;
///         stream.field("squire", &mut self.squire)
///     }
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// const FORMAT: StreamFormat = StreamFormat::new("knight", 3);
/// let mut bytes: Array<u8> = Array::new(&MEMORY);
/// let mut galahad = Knight { health: 0.5, armour: 30, squire: Some(7) };
/// FORMAT.save(&mut galahad, &mut bytes)?;
///
/// let mut read = Knight::default();
/// FORMAT.load(&mut read, &bytes)?;
/// assert_eq!(read, galahad);
///
/// let refused = FORMAT.load(&mut read, &bytes[..bytes.len() - 1]).expect_err("it is cut");
/// assert_eq!(refused.to_string(), "`squire` at byte 15: 4 bytes are needed where 3 are left");
/// # Ok::<(), StreamError>(())
/// ```
pub trait Stream: sealed::Ends {
    /// Whether values are read, and not written.
    const READING: bool;

    /// Returns the version of the format in which the bytes are.
    fn version(&self) -> u32;

    /// Returns how many bytes were read or written, those of the format's head included.
    fn offset(&self) -> u64;

    /// Reads or writes bytes as they are.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if fewer are left, or there is no memory for them.
    fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), StreamError>;

    /// Reads or writes a value that has no name.
    ///
    /// # Errors
    ///
    /// [`StreamError`]. What was read until then is in the value, and the rest is as it was.
    #[inline(always)]
    fn value<T: Streamed>(&mut self, value: &mut T) -> Result<(), StreamError> {
        value.stream(self)
    }

    /// Reads or writes a field. Its name is for errors alone and is not in the stream.
    ///
    /// # Errors
    ///
    /// As [`value`](Self::value), with the field's name.
    #[inline(always)]
    fn field<T: Streamed>(&mut self, name: &'static str, value: &mut T) -> Result<(), StreamError> {
        self.named(name, |stream| value.stream(stream))
    }

    /// Reads or writes a field that came with version `since`; from an older stream its default is
    /// read.
    ///
    /// # Errors
    ///
    /// As [`field`](Self::field).
    #[inline(always)]
    fn added<T: Streamed + Default>(
        &mut self,
        since: u32,
        name: &'static str,
        value: &mut T,
    ) -> Result<(), StreamError> {
        if self.version() >= since {
            return self.field(name, value);
        }
        if Self::READING {
            *value = T::default();
        }
        Ok(())
    }

    /// Reads or writes a field that came with version `since`; from an older stream `default` is
    /// read.
    ///
    /// # Errors
    ///
    /// As [`field`](Self::field).
    #[inline(always)]
    fn added_or<T: Streamed>(
        &mut self,
        since: u32,
        name: &'static str,
        value: &mut T,
        default: T,
    ) -> Result<(), StreamError> {
        if self.version() >= since {
            return self.field(name, value);
        }
        if Self::READING {
            *value = default;
        }
        Ok(())
    }

    /// Reads or writes a field that went with version `since`: it is there in an older stream, and
    /// there alone. `value` is a variable of the function, from which what was read can be taken
    /// over into what has replaced it, and which is written to an older version.
    ///
    /// A field that came with one version and went with a later one is removed within
    /// `if stream.version() >= came`.
    ///
    /// # Errors
    ///
    /// As [`field`](Self::field).
    #[inline(always)]
    fn removed<T: Streamed>(
        &mut self,
        since: u32,
        name: &'static str,
        value: &mut T,
    ) -> Result<(), StreamError> {
        if self.version() < since { self.field(name, value) } else { Ok(()) }
    }

    /// Reads or writes one of several choices: as the number of its place among them, so the order
    /// of `choices` belongs to the format and new ones are added at the end.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if the number read is no place, or the value written is none of the choices.
    fn choice<T: Copy + PartialEq>(
        &mut self,
        name: &'static str,
        value: &mut T,
        choices: &[T],
    ) -> Result<(), StreamError> {
        self.named(name, |stream| {
            let place = choices.iter().position(|choice| choice == value);
            let place = place.map_or(u32::MAX, |place| place as u32);
            let place = stream.place(place, choices.len() as u32)?;
            *value = choices[place as usize];
            Ok(())
        })
    }

    /// Reads or writes the number of a place among `count` and returns it: how an enum says which
    /// variant it is. For enums with fields, where [`choice`](Self::choice) does not serve;
    /// `#[derive(Streamed)]` calls it.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if the number is no such place.
    fn place(&mut self, mut place: u32, count: u32) -> Result<u32, StreamError> {
        let offset = self.offset();
        let refused = |place| {
            let kind = StreamErrorKind::Choice { place, choices: count };
            Err(StreamError { offset, field: None, kind })
        };
        if !Self::READING && place >= count {
            return refused(place);
        }
        place.stream(self)?;
        if place < count { Ok(place) } else { refused(place) }
    }

    /// Reads or writes an id that may be missing: its bits, or zeros.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if the bits read are neither an id nor zero.
    fn id<Tag, R, const I: u32, const G: u32>(
        &mut self,
        name: &'static str,
        id: &mut Option<Id<Tag, R, I, G>>,
    ) -> Result<(), StreamError>
    where
        R: Repr + Streamed + Default + PartialEq + Into<u64>,
    {
        self.named(name, |stream| streamed::id(stream, id))
    }

    /// Reads or writes an array of numbers as one copy of its bytes.
    ///
    /// # Errors
    ///
    /// [`StreamError`], before any memory is taken, if there are fewer elements than the length
    /// says; then, or where memory is refused, the array is empty.
    fn numbers<T: Number, A: Allocator + ?Sized>(
        &mut self,
        name: &'static str,
        array: &mut Array<'_, T, A>,
    ) -> Result<(), StreamError> {
        self.named(name, |stream| arrays::numbers(stream, array))
    }

    /// Reads or writes text: UTF-8 in an array of bytes.
    ///
    /// # Errors
    ///
    /// As [`numbers`](Self::numbers), and if the bytes read or to be written are not UTF-8; a text
    /// that was read is then empty.
    fn text<A: Allocator + ?Sized>(
        &mut self,
        name: &'static str,
        text: &mut Array<'_, u8, A>,
    ) -> Result<(), StreamError> {
        self.named(name, |stream| arrays::text(stream, text))
    }

    /// Reads or writes an array of anything.
    ///
    /// An array that holds arrays, and those others, may be 64 deep.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if an element cannot be read, or more elements are claimed than there are
    /// bytes, or were read or written than they took: each takes one at least. The array that is
    /// read then holds the elements before that. Memory is taken element by element as they are
    /// read.
    fn array<T: Streamed + Default, A: Allocator + ?Sized>(
        &mut self,
        name: &'static str,
        array: &mut Array<'_, T, A>,
    ) -> Result<(), StreamError> {
        self.array_with(name, array, T::default)
    }

    /// Reads or writes an array as [`array`](Self::array) does, where an element cannot be made
    /// from nothing: `make` makes those that are read into, for instance with an allocator of
    /// theirs.
    ///
    /// # Errors
    ///
    /// As [`array`](Self::array).
    fn array_with<T: Streamed, A: Allocator + ?Sized>(
        &mut self,
        name: &'static str,
        array: &mut Array<'_, T, A>,
        make: impl FnMut() -> T,
    ) -> Result<(), StreamError> {
        self.named(name, |stream| stream.nested(|stream| arrays::any(stream, array, make)))
    }

    /// Reads or writes values one level deeper. Arrays do so by themselves; a type that holds
    /// others of its own type by other means must call this, as nothing else keeps a forged stream
    /// from overflowing the program's stack.
    ///
    /// # Errors
    ///
    /// What `inner` returns, and [`StreamError`] where it is 64 levels deep already.
    fn nested<R>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<R, StreamError>,
    ) -> Result<R, StreamError> {
        if *self.depth() >= DEPTH_MAX {
            return Err(self.error(StreamErrorKind::Depth { limit: DEPTH_MAX }));
        }
        *self.depth() += 1;
        let result = inner(self);
        *self.depth() -= 1;
        result
    }

    /// Returns an error at this place of the stream, for values that can be read and yet are wrong,
    /// or that cannot be written.
    #[cold]
    fn refuse(&self, reason: &'static str) -> StreamError {
        self.error(StreamErrorKind::Refused(reason))
    }

    /// Does something in the name of a field: errors that do not know theirs are given this one.
    ///
    /// # Errors
    ///
    /// What `inner` returns.
    #[inline(always)]
    fn named<R>(
        &mut self,
        name: &'static str,
        inner: impl FnOnce(&mut Self) -> Result<R, StreamError>,
    ) -> Result<R, StreamError> {
        inner(self).map_err(|error| error.in_field(name))
    }

    /// Returns an error at this place of the stream.
    #[doc(hidden)]
    #[cold]
    fn error(&self, kind: StreamErrorKind) -> StreamError {
        StreamError { offset: self.offset(), field: None, kind }
    }
}

mod sealed {
    //! What readers and writers know of themselves and no one else needs.

    /// Keeps [`Stream`](super::Stream) to the reader and the writer.
    pub trait Ends: Sized {
        /// Returns how many bytes are left to be read; without bound where they are written.
        fn left(&self) -> u64;

        /// Returns how deep in arrays the stream is.
        fn depth(&mut self) -> &mut u32;
    }
}
