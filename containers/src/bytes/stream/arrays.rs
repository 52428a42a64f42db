//! Reading and writing arrays: lengths, which are validated, and elements.

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::bytes::stream::Stream;
use crate::bytes::stream::error::{StreamError, StreamErrorKind};
use crate::bytes::stream::streamed::{Number, Streamed};

/// Reads or writes the length of an array whose elements take `bytes` bytes each or more. One that
/// is read is no more than there are bytes for.
fn length<S: Stream>(stream: &mut S, len: usize, bytes: usize) -> Result<u32, StreamError> {
    let offset = stream.offset();
    let at = |kind| Err(StreamError { offset, field: None, kind });
    let Ok(mut claimed) = u32::try_from(len) else { return at(StreamErrorKind::TooLong) };
    claimed.stream(stream)?;
    let left = stream.left();
    if S::READING && u64::from(claimed).saturating_mul(bytes as u64) > left {
        return at(StreamErrorKind::Length { claimed, left });
    }
    Ok(claimed)
}

/// Reads or writes an array of numbers.
pub(super) fn numbers<S: Stream, T: Number, A: Allocator + ?Sized>(
    stream: &mut S,
    array: &mut Array<'_, T, A>,
) -> Result<(), StreamError> {
    if S::READING {
        array.clear();
        let len = length(stream, 0, size_of::<T>())?;
        let resized = array.try_resize(len as usize, T::zeroed());
        resized.map_err(|refused| stream.error(StreamErrorKind::Memory(refused)))?;
        stream.bytes(bytemuck::cast_slice_mut(array))?;
        turn(array);
        return Ok(());
    }
    length(stream, array.len(), size_of::<T>())?;
    turn(array);
    let written = stream.bytes(bytemuck::cast_slice_mut(array));
    turn(array);
    written
}

/// Turns numbers from the machine's order into little-endian, or back; nothing where those are one.
fn turn<T: Number>(numbers: &mut [T]) {
    if cfg!(target_endian = "big") {
        numbers.iter_mut().for_each(T::turn);
    }
}

/// Reads or writes text.
pub(super) fn text<S: Stream, A: Allocator + ?Sized>(
    stream: &mut S,
    text: &mut Array<'_, u8, A>,
) -> Result<(), StreamError> {
    let offset = stream.offset();
    let refused = StreamError { offset, field: None, kind: StreamErrorKind::Text };
    if !S::READING && core::str::from_utf8(text).is_err() {
        return Err(refused);
    }
    numbers(stream, text)?;
    if S::READING && core::str::from_utf8(text).is_err() {
        text.clear();
        return Err(refused);
    }
    Ok(())
}

/// Reads or writes an array of anything.
pub(super) fn any<S: Stream, T: Streamed, A: Allocator + ?Sized>(
    stream: &mut S,
    array: &mut Array<'_, T, A>,
    mut make: impl FnMut() -> T,
) -> Result<(), StreamError> {
    if S::READING {
        array.clear();
    }
    let len = length(stream, array.len(), 1)?;
    let start = stream.offset();
    if S::READING {
        for _ in 0..len {
            let mut element = make();
            element.stream(stream)?;
            let pushed = array.try_push(element);
            pushed.map_err(|refused| stream.error(StreamErrorKind::Memory(refused)))?;
        }
    } else {
        array.iter_mut().try_for_each(|element| element.stream(stream))?;
    }
    // Reading expects at least a byte of each element, to detect a length that is too large. Here
    // it requires them: else arrays of arrays of nothing could each have as many elements as bytes
    // follow them.
    if stream.offset() - start < u64::from(len) {
        return Err(stream.error(StreamErrorKind::NoBytes));
    }
    Ok(())
}
