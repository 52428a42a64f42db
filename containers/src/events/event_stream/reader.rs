//! Reading: a stream borrowed as bytes, and the records in it.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use bytemuck::{AnyBitPattern, checked};

use crate::events::event_stream::error::{EventError, EventErrorKind};
use crate::events::event_stream::event::{
    Event, HEADER_BYTES, WORD, kind_of, record_bytes, size_of_payload, type_and_size,
};
use crate::events::event_stream::tail::EventTail;

/// A stream of events that is read in place: another's memory, a mapped file, a packet.
///
/// It is two words and `Copy`. It knows that the bytes are records from end to end; the type of
/// each is read from its header.
///
/// # Memory
///
/// 16 bytes, and the bytes that it reads, which may be at any address.
///
/// # When not to use it
///
/// Between machines of different byte order: a stream is in the order of the one that wrote it.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{EventReader, EventStream};
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut stream: EventStream = EventStream::new(&MEMORY);
/// stream.try_push_bytes(1, &[7; 12])?;
/// let mut sent = stream.as_bytes().to_vec();
///
/// let received = EventReader::open(&sent)?;
/// assert_eq!(received.iter().map(|record| record.kind()).collect::<Vec<_>>(), [1]);
///
/// sent.pop();
/// let refused = EventReader::open(&sent).expect_err("a byte is missing");
/// assert_eq!(
///     refused.to_string(),
///     "the event at byte 0 says that it is 12 bytes long where 11 are left"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Invariants
///
/// 1. `bytes` are records one after the other, and nothing follows the last. Reading is safe
///    without that, and then ends early.
#[derive(Clone, Copy, Default)]
pub struct EventReader<'s> {
    bytes: &'s [u8],
}

impl<'s> EventReader<'s> {
    /// Returns a reader of bytes from elsewhere, after it has walked them from header to header.
    ///
    /// Each size is validated: a record must end where another begins, the last one where the bytes
    /// end.
    ///
    /// # Complexity
    ///
    /// O(records). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`EventError`] with the offset of the first record that is wrong, and why.
    #[inline]
    pub fn open(bytes: &'s [u8]) -> Result<Self, EventError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match first(rest) {
                Some((record, behind)) if record.is_filled_with_zeros() => rest = behind,
                _ => return Err(record_error(bytes.len() - rest.len(), rest)),
            }
        }
        Ok(Self { bytes })
    }

    /// Returns a reader of bytes that are known to be records from end to end.
    #[inline]
    pub(super) const fn trusted(bytes: &'s [u8]) -> Self {
        Self { bytes }
    }

    /// Checks every record of one type: its size, and its bits where not all are valid.
    ///
    /// Reading takes an event that is wrong for one of another type and skips it. This is for
    /// callers that want to know.
    ///
    /// # Complexity
    ///
    /// O(records). Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`EventError`] with the offset of the first record of that type that is wrong, and why.
    pub fn check<E: Event>(&self) -> Result<(), EventError> {
        let mut offset = 0;
        for record in self.iter() {
            let size = record.payload().len() as u32;
            let expected = size_of::<E>() as u32;
            if record.kind() == E::TYPE && size != expected {
                return Err(EventError { offset, kind: EventErrorKind::Size { size, expected } });
            }
            if record.kind() == E::TYPE && record.get::<E>().is_none() {
                return Err(EventError { offset, kind: EventErrorKind::Bits });
            }
            offset += record.as_bytes().len() as u64;
        }
        Ok(())
    }

    /// Returns the records from first to last.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> EventRecords<'s> {
        EventRecords { rest: self.bytes }
    }

    /// Returns the events of one type from first to last, and skips all others.
    ///
    /// # Complexity
    ///
    /// O(records) for all; allocates nothing.
    #[inline]
    #[must_use]
    pub const fn of<E: Event>(&self) -> EventsOf<'s, E> {
        EventsOf { records: self.iter(), event: PhantomData }
    }

    /// Splits the stream after the first record for which `is_last` returns `true`: returns the
    /// records up to that one, which is included, the record itself, and those after it. Without
    /// such a record they are all records, `None` and none.
    ///
    /// # Complexity
    ///
    /// O(records before the end of the first part).
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::EventStream;
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut stream: EventStream = EventStream::new(&MEMORY);
    /// for kind in [1, 2, 3] {
    ///     stream.try_push_bytes(kind, &[0; 4])?;
    /// }
    /// let (some, last, rest) = stream.reader().split_after(|record| record.kind() == 2);
    /// assert_eq!(some.iter().count(), 2);
    /// assert_eq!(last.map(|record| record.kind()), Some(2));
    /// assert_eq!(rest.iter().map(|record| record.kind()).collect::<Vec<_>>(), [3]);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    #[must_use]
    pub fn split_after(
        self,
        mut is_last: impl FnMut(&EventRecord<'s>) -> bool,
    ) -> (Self, Option<EventRecord<'s>>, Self) {
        let mut records = self.iter();
        let last = records.find(|record| is_last(record));
        let some = &self.bytes[..self.bytes.len() - records.rest.len()];
        (Self::trusted(some), last, Self::trusted(records.rest))
    }

    /// Returns `true` if there are no events.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the stream as bytes.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'s [u8] {
        self.bytes
    }
}

impl<'s> IntoIterator for EventReader<'s> {
    type Item = EventRecord<'s>;
    type IntoIter = EventRecords<'s>;

    #[inline]
    fn into_iter(self) -> EventRecords<'s> {
        self.iter()
    }
}

impl fmt::Debug for EventReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Returns the first record and the bytes after it; `None` if it does not end within the bytes.
#[inline(always)]
pub(super) fn first(bytes: &[u8]) -> Option<(EventRecord<'_>, &[u8])> {
    let header = u64::from_ne_bytes(*bytes.first_chunk::<HEADER_BYTES>()?);
    let length = record_bytes(size_of_payload(header));
    if length > bytes.len() as u64 {
        return None;
    }
    let (record, rest) = bytes.split_at(length as usize);
    Some((EventRecord { header, bytes: record }, rest))
}

/// Says what is wrong with the record that `rest` begins with.
#[cold]
#[inline(never)]
fn record_error(offset: usize, rest: &[u8]) -> EventError {
    let kind = match rest.split_first_chunk::<HEADER_BYTES>() {
        None => EventErrorKind::Header { left: rest.len() as u64 },
        Some((header, behind)) => {
            let size = size_of_payload(u64::from_ne_bytes(*header));
            let left = behind.len() as u64;
            if record_bytes(size) > rest.len() as u64 {
                EventErrorKind::Payload { size, left }
            } else {
                EventErrorKind::Filling
            }
        }
    };
    EventError { offset: offset as u64, kind }
}

/// One record of a stream: an event that may be of any type.
///
/// # Examples
///
/// ```
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Event, EventStream};
///
/// # #[derive(Clone, Copy, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
/// # #[repr(C)]
/// # struct Opened {
/// #     door: u32,
/// # }
/// # impl Event for Opened {
/// #     const TYPE: u32 = 1;
/// # }
/// # #[derive(Clone, Copy, bytemuck::AnyBitPattern, bytemuck::NoUninit)]
/// # #[repr(C)]
/// # struct Burnt {
/// #     fuel: f32,
/// # }
/// # impl Event for Burnt {
/// #     const TYPE: u32 = 2;
/// # }
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut stream: EventStream = EventStream::new(&MEMORY);
/// stream.push(Opened { door: 5 });
/// stream.push(Burnt { fuel: 0.25 });
/// stream.try_push_bytes(99, &[])?;
///
/// let (mut doors, mut fuel) = (0, 0.0);
/// for record in &stream {
///     if let Some(event) = record.get::<Opened>() {
///         doors += event.door;
///     } else if let Some(event) = record.get::<Burnt>() {
///         fuel += event.fuel;
///     } // else it is of a type that is not known here
/// }
/// assert_eq!((doors, fuel), (5, 0.25));
/// # Ok::<(), loligo_containers::GrowError>(())
/// ```
///
/// # Invariants
///
/// 1. `bytes` begin with `header` and are as long as it says.
#[derive(Clone, Copy)]
pub struct EventRecord<'s> {
    header: u64,
    bytes: &'s [u8],
}

impl<'s> EventRecord<'s> {
    /// Returns the number that names the event's type.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> u32 {
        kind_of(self.header)
    }

    /// Returns `true` if the event is of a type: whether number and size are its.
    #[inline]
    #[must_use]
    pub const fn is<E: Event>(&self) -> bool {
        self.header == const { type_and_size::<E>() }
    }

    /// Returns the event, if it is of that type and has that type's size and valid bits.
    ///
    /// # Complexity
    ///
    /// O(1): one comparison of 8 bytes.
    #[inline]
    #[must_use]
    pub fn get<E: Event>(&self) -> Option<E> {
        if !self.is::<E>() {
            return None;
        }
        let bytes = self.bytes.get(HEADER_BYTES..HEADER_BYTES + size_of::<E>())?;
        checked::try_pod_read_unaligned(bytes).ok()
    }

    /// Returns the event and its tail, if it is of that type and the bytes after its struct make up
    /// a whole number of items, perhaps none.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[must_use]
    pub fn get_with_tail<E: Event, T: AnyBitPattern>(&self) -> Option<(E, EventTail<'s, T>)> {
        if self.kind() != E::TYPE {
            return None;
        }
        let (event, tail) = self.payload().split_at_checked(size_of::<E>())?;
        Some((checked::try_pod_read_unaligned(event).ok()?, EventTail::new(tail)?))
    }

    /// Returns a value at an offset of the event's struct, whatever type that is; `None` if it is
    /// not that long. For what all events of a stream have in one place, as the time in front.
    ///
    /// # Complexity
    ///
    /// O(1).
    #[inline]
    #[must_use]
    pub fn field<T: AnyBitPattern>(&self, offset: usize) -> Option<T> {
        let bytes = self.payload().get(offset..)?.get(..size_of::<T>())?;
        Some(bytemuck::pod_read_unaligned(bytes))
    }

    /// Returns the event's bytes and those of its tail.
    #[inline]
    #[must_use]
    pub fn payload(&self) -> &'s [u8] {
        let size = size_of_payload(self.header) as usize;
        self.bytes.get(HEADER_BYTES..).and_then(|bytes| bytes.get(..size)).unwrap_or_default()
    }

    /// Returns the whole record in place, which is a stream of one event.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'s [u8] {
        self.bytes
    }

    /// Returns a reader of this event alone, to append it to another stream.
    #[inline]
    #[must_use]
    pub const fn reader(&self) -> EventReader<'s> {
        EventReader::trusted(self.bytes)
    }

    /// Returns `true` if the bytes after the payload are zero.
    #[inline(always)]
    fn is_filled_with_zeros(&self) -> bool {
        let used = size_of_payload(self.header) as usize % WORD;
        if used == 0 {
            return true;
        }
        self.bytes.last_chunk::<WORD>().is_some_and(|word| word[used..].iter().all(|&b| b == 0))
    }
}

impl fmt::Debug for EventRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecord")
            .field("kind", &self.kind())
            .field("payload", &self.payload())
            .finish()
    }
}

/// The records of a stream, from first to last.
#[derive(Clone, Debug)]
pub struct EventRecords<'s> {
    rest: &'s [u8],
}

impl<'s> Iterator for EventRecords<'s> {
    type Item = EventRecord<'s>;

    #[inline]
    fn next(&mut self) -> Option<EventRecord<'s>> {
        let (record, rest) = first(self.rest)?;
        self.rest = rest;
        Some(record)
    }

    /// Where a record has the header of the one before, its length is that one's: a step does not
    /// wait for the header to be loaded, and a comparison of types is made once for all of them.
    #[inline]
    fn fold<B, F: FnMut(B, EventRecord<'s>) -> B>(self, init: B, mut visit: F) -> B {
        let (mut all, mut rest) = (init, self.rest);
        while let Some((record, after)) = first(rest) {
            let EventRecord { header, bytes } = record;
            all = visit(all, record);
            rest = after;
            while let Some((bytes, after)) = rest.split_at_checked(bytes.len())
                && bytes.first_chunk::<HEADER_BYTES>() == Some(&header.to_ne_bytes())
            {
                all = visit(all, EventRecord { header, bytes });
                rest = after;
            }
        }
        all
    }
}

impl FusedIterator for EventRecords<'_> {}

/// The events of one type in a stream, from first to last.
#[derive(Clone, Debug)]
pub struct EventsOf<'s, E> {
    records: EventRecords<'s>,
    event: PhantomData<fn() -> E>,
}

impl<E: Event> Iterator for EventsOf<'_, E> {
    type Item = E;

    #[inline]
    fn next(&mut self) -> Option<E> {
        self.records.find_map(|record| record.get())
    }
}

impl<E: Event> FusedIterator for EventsOf<'_, E> {}
