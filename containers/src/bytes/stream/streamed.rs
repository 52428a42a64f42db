//! What can be read and written.

use bytemuck::Pod;
use loligo_ids::{Id, IdString32, IdString64, Repr};

use crate::bytes::stream::Stream;
use crate::bytes::stream::error::{StreamError, StreamErrorKind};

/// A value that says of what it consists, for reading and writing alike.
///
/// Numbers, `bool`, `char`, names, ids, `Option` and fixed arrays of such values are; a struct
/// calls [`Stream::field`] for each of its fields, by hand or by `#[derive(Streamed)]` with the
/// feature `derive`. See [`Stream`].
#[diagnostic::on_unimplemented(
    note = "a field that is an `Array` is derived with `#[streamed(array)]`, `#[streamed(numbers)]` \
            or `#[streamed(text)]`",
    note = "a field of a foreign type is derived with `#[streamed(with = path::of::a_function)]`"
)]
pub trait Streamed {
    /// Reads or writes all of the value.
    ///
    /// # Errors
    ///
    /// [`StreamError`] if it cannot be read or written.
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError>;
}

/// A number, of which an array is read and written as one copy. Sealed: integers and floats.
pub trait Number: Pod + Streamed + sealed::Number {}

mod sealed {
    //! Keeps numbers to those of the language.

    /// Implemented by the integers and floats alone.
    pub trait Number {
        /// Turns the machine's order of bytes into little-endian, or back.
        fn turn(&mut self);
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Streamed for $number {
            #[inline(always)]
            fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
                let mut bytes = self.to_le_bytes();
                stream.bytes(&mut bytes)?;
                if S::READING {
                    *self = Self::from_le_bytes(bytes);
                }
                Ok(())
            }
        }

        impl Number for $number {}

        impl sealed::Number for $number {
            #[inline(always)]
            fn turn(&mut self) {
                *self = Self::from_le_bytes(self.to_ne_bytes());
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

/// Reads or writes the representation of a value, and makes the value from it; a `None` is refused.
#[inline(always)]
fn through<S: Stream, T, R: Streamed + Copy>(
    stream: &mut S,
    value: &mut T,
    mut stands: R,
    make: impl FnOnce(R) -> Option<T>,
    kind: impl FnOnce(R) -> StreamErrorKind,
) -> Result<(), StreamError> {
    let offset = stream.offset();
    stands.stream(stream)?;
    if S::READING {
        match make(stands) {
            Some(made) => *value = made,
            None => return Err(StreamError { offset, field: None, kind: kind(stands) }),
        }
    }
    Ok(())
}

impl Streamed for bool {
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        let known = |byte| (byte < 2).then_some(byte == 1);
        through(stream, self, u8::from(*self), known, StreamErrorKind::Bool)
    }
}

impl Streamed for char {
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        through(stream, self, u32::from(*self), Self::from_u32, StreamErrorKind::Char)
    }
}

impl Streamed for IdString32 {
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        let made = |hash| Some(Self::from_hash(hash));
        through(stream, self, self.hash(), made, |hash| StreamErrorKind::Id(hash.into()))
    }
}

impl Streamed for IdString64 {
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        through(stream, self, self.hash(), |hash| Some(Self::from_hash(hash)), StreamErrorKind::Id)
    }
}

impl<Tag, R, const I: u32, const G: u32> Streamed for Id<Tag, R, I, G>
where
    R: Repr + Streamed + Into<u64>,
{
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        through(stream, self, self.to_bits(), Self::from_bits, |bits| {
            StreamErrorKind::Id(bits.into())
        })
    }
}

impl<T: Streamed, const N: usize> Streamed for [T; N] {
    #[inline]
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        self.iter_mut().try_for_each(|element| element.stream(stream))
    }
}

/// A byte that returns whether there is a value, and the value.
impl<T: Streamed + Default> Streamed for Option<T> {
    fn stream<S: Stream>(&mut self, stream: &mut S) -> Result<(), StreamError> {
        let mut is_there = self.is_some();
        is_there.stream(stream)?;
        if S::READING {
            *self = is_there.then(T::default);
        }
        match self {
            Some(value) => value.stream(stream),
            None => Ok(()),
        }
    }
}

/// Reads or writes an id that may be missing, as its bits or zeros.
pub(super) fn id<S: Stream, Tag, R, const I: u32, const G: u32>(
    stream: &mut S,
    id: &mut Option<Id<Tag, R, I, G>>,
) -> Result<(), StreamError>
where
    R: Repr + Streamed + Default + PartialEq + Into<u64>,
{
    let bits = id.map_or(R::default(), Id::to_bits);
    let known = |bits| {
        if bits == R::default() { Some(None) } else { Id::from_bits(bits).map(Some) }
    };
    through(stream, id, bits, known, |bits| StreamErrorKind::Id(bits.into()))
}
