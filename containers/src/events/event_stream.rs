//! Events of many types, one after the other in one buffer.
//!
//! After Niklas Frykholm, "Events" (2009) and "Managing Coupling Part 2 -- Polling, Callbacks and
//! Events" (2011): a system writes what has happened as plain structs, each after a header, and the
//! layer above steps through them and skips those that it does not know. Changes:
//!
//! - A type and a size are compared at once, and the struct's bits are checked where not all are
//!   valid, so an event of another type is never taken for this one.
//! - An event may have a tail: any number of plain items after its struct.
//! - Streams are merged by time, split and sifted without taking them apart into lists.
//! - Bytes from elsewhere are validated, by a walk over all headers, before they are read.

use core::fmt;

use bytemuck::NoUninit;
use loligo_allocators::Allocator;

use crate::arrays::buffer::Buffer;
use crate::error::{GrowError, or_panic};

mod double_buffered;
mod error;
mod event;
mod merge;
mod reader;
mod sift;
mod tail;
#[cfg(test)]
mod tests;

pub use double_buffered::DoubleBufferedEvents;
pub use error::{EventError, EventErrorKind};
pub use event::Event;
pub use reader::{EventReader, EventRecord, EventRecords, EventsOf};
pub use tail::EventTail;

use event::{HEADER_BYTES, HEADER_WORDS, WORD, header, payload_bytes};

/// A stream of events: records of any types in the order in which they were appended.
///
/// ```text
/// record   | type: u32 | size: u32 | the event's bytes | its tail, if any | 0 to 3 zeros |
/// stream   | record | record | record | .. | room for more                  one block of the allocator
/// ```
///
/// There is no dispatcher: each system that has something to report owns a stream, writes it during
/// a frame, and the layer above reads it afterwards. A stream is bytes without pointers, so it can
/// be copied, sent, stored, and appended to another as a whole; each thread can write its own.
///
/// Records begin at multiples of 4 bytes, not 8: headers are two numbers of 4 bytes and most events
/// are made of such, so with 8 every other record would end in four wasted bytes. An event is read
/// by value, which needs no alignment.
///
/// All numbers are in the machine's order.
///
/// # Complexity
///
/// An event is appended in O(1) amortised, its bytes aside; O(stream) where the block must move.
/// Reading steps from record to record.
///
/// # Memory
///
/// Nothing while empty. Then one block, at most twice as long as the stream was at its longest. An
/// event takes 8 bytes more than its struct, rounded up to 4. In a vector of an enum each takes as
/// much as the largest of all and a tag: the stream is smaller as soon as sizes differ by a few
/// words. The object itself is 32 bytes, 40 with `dyn Allocator`.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`. It has no lock: each thread writes its own
/// stream, and one thread appends them to one.
///
/// # When not to use it
///
/// For events of a single type: an [`Array`](crate::Array) of them has no headers. For "call this
/// when that is done": that is a [`Callbacks`](crate::Callbacks).
///
/// # Examples
///
/// ```
/// use bytemuck::{AnyBitPattern, NoUninit};
/// use loligo_allocators::StaticHeap;
/// use loligo_containers::{Event, EventStream};
/// use loligo_ids::id32;
///
/// #[derive(Clone, Copy, AnyBitPattern, NoUninit)]
/// #[repr(C)]
/// struct Collision {
///     actors: [u32; 2],
///     place: [f32; 3],
/// }
/// impl Event for Collision {
///     const TYPE: u32 = id32!("collision").hash();
/// }
///
/// #[derive(Clone, Copy, AnyBitPattern, NoUninit)]
/// #[repr(C)]
/// struct FellAsleep {
///     actor: u32,
/// }
/// impl Event for FellAsleep {
///     const TYPE: u32 = id32!("fell_asleep").hash();
/// }
///
/// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
/// let mut physics: EventStream = EventStream::new(&MEMORY);
/// physics.push(Collision { actors: [4, 9], place: [0.0, 1.5, 3.0] });
/// physics.push(FellAsleep { actor: 9 });
/// physics.push(Collision { actors: [4, 2], place: [0.0, 0.0, 7.0] });
///
/// // The sound system knows collisions alone, and skips the rest.
/// let heard: Vec<u32> = physics.of::<Collision>().map(|event| event.actors[1]).collect();
/// assert_eq!(heard, [9, 2]);
///
/// physics.clear();
/// assert!(physics.is_empty());
/// ```
///
/// # Invariants
///
/// 1. `len` words of the buffer are written, and no more than its capacity.
/// 2. They are records one after the other, as drawn above, and nothing follows the last.
pub struct EventStream<'a, A: Allocator + ?Sized = dyn Allocator + 'a> {
    buffer: Buffer<'a, u32, A>,
    len: u32,
}

impl<'a> EventStream<'a> {
    /// Returns an empty stream, which takes its memory from `memory` when it needs some.
    #[must_use]
    pub const fn new(memory: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(memory)
    }

    /// Returns an empty stream with room for `bytes` bytes at least, headers included.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for them.
    pub fn try_with_capacity(
        bytes: usize,
        memory: &'a (dyn Allocator + 'a),
    ) -> Result<Self, GrowError> {
        Self::try_with_capacity_in(bytes, memory)
    }
}

impl<'a, A: Allocator + ?Sized> EventStream<'a, A> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(memory: &'a A) -> Self {
        Self { buffer: Buffer::new(memory), len: 0 }
    }

    /// As [`try_with_capacity`](Self::try_with_capacity), and keeps the type of the allocator, so
    /// that its calls are direct.
    ///
    /// # Errors
    ///
    /// As [`try_with_capacity`](Self::try_with_capacity).
    pub fn try_with_capacity_in(bytes: usize, memory: &'a A) -> Result<Self, GrowError> {
        let mut stream = Self::new_in(memory);
        stream.buffer.grow_exact(0, bytes.div_ceil(WORD))?;
        Ok(stream)
    }

    /// Appends an event.
    ///
    /// # Complexity
    ///
    /// O(1) amortised, O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory; nothing has changed.
    #[inline]
    pub fn try_push<E: Event>(&mut self, event: E) -> Result<(), GrowError> {
        let words = const { record_words::<E>() };
        if words > self.buffer.capacity() - self.len {
            self.buffer.grow(self.len, words as usize)?;
        }
        // SAFETY: room for the record was made, so it begins within the block.
        let place = unsafe { self.buffer.start().add(self.len as usize) };
        // SAFETY: there is room for its words, which nothing else uses.
        unsafe { write_record(place.as_ptr(), &event) };
        self.len += words;
        Ok(())
    }

    /// Appends an event as [`try_push`](Self::try_push) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn push<E: Event>(&mut self, event: E) {
        or_panic(self.try_push(event));
    }

    /// Appends several events of a type, a record each.
    ///
    /// # Complexity
    ///
    /// O(events), and O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    #[inline]
    pub fn try_push_all<E: Event>(&mut self, events: &[E]) -> Result<(), GrowError> {
        let words = const { record_words::<E>() };
        self.try_reserve_words(events.len().saturating_mul(words as usize))?;
        let mut len = self.len;
        for event in events {
            // SAFETY: room for all records was made, so this one begins within the block.
            let place = unsafe { self.buffer.start().add(len as usize) };
            // SAFETY: there is room for its words, which nothing else uses.
            unsafe { write_record(place.as_ptr(), event) };
            len += words;
        }
        self.len = len;
        Ok(())
    }

    /// Appends several events as [`try_push_all`](Self::try_push_all) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    pub fn push_all<E: Event>(&mut self, events: &[E]) {
        or_panic(self.try_push_all(events));
    }

    /// Appends an event with a tail: the items follow its struct, in the same record.
    ///
    /// [`EventRecord::get_with_tail`] reads it. The items are aligned to 4 bytes in the stream if
    /// the struct's size is a multiple of 4.
    ///
    /// # Complexity
    ///
    /// O(tail) amortised, O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory, or if the record would be 4 GiB or longer; nothing has
    /// changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use bytemuck::{AnyBitPattern, NoUninit};
    /// # use loligo_allocators::StaticHeap;
    /// # use loligo_containers::{Event, EventStream};
    /// #[derive(Clone, Copy, AnyBitPattern, NoUninit)]
    /// #[repr(C)]
    /// struct Said {
    ///     unit: u32,
    /// }
    /// impl Event for Said {
    ///     const TYPE: u32 = 7;
    /// }
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut chat: EventStream = EventStream::new(&MEMORY);
    /// chat.try_push_with_tail(Said { unit: 3 }, b"to the left")?;
    ///
    /// let record = chat.iter().next().expect("one was pushed");
    /// let (said, text) = record.get_with_tail::<Said, u8>().expect("it is of that type");
    /// assert_eq!((said.unit, text.as_bytes()), (3, &b"to the left"[..]));
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    pub fn try_push_with_tail<E: Event, T: NoUninit>(
        &mut self,
        event: E,
        tail: &[T],
    ) -> Result<(), GrowError> {
        self.push_parts(E::TYPE, bytemuck::bytes_of(&event), bytemuck::cast_slice(tail))
    }

    /// Appends a record whose type is known at run time alone: `payload` is the event's struct as
    /// bytes.
    ///
    /// # Complexity
    ///
    /// O(payload) amortised, O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// As [`try_push_with_tail`](Self::try_push_with_tail).
    pub fn try_push_bytes(&mut self, kind: u32, payload: &[u8]) -> Result<(), GrowError> {
        self.push_parts(kind, payload, &[])
    }

    /// Makes room for `bytes` more bytes, headers included, and for growing after that event by
    /// event.
    ///
    /// # Complexity
    ///
    /// O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub fn try_reserve(&mut self, bytes: usize) -> Result<(), GrowError> {
        self.try_reserve_words(bytes.div_ceil(WORD))
    }

    /// Removes all events and keeps the block. O(1).
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// Shrinks the block to the events, as far as the allocator can shrink it.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if it refuses; nothing has changed.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), GrowError> {
        self.buffer.shrink(self.len)
    }

    /// Returns `true` if there are no events.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns how many bytes there is room for, headers included.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.buffer.bytes()
    }

    /// Returns the allocator that the memory is from.
    #[must_use]
    pub const fn memory(&self) -> &'a A {
        self.buffer.memory()
    }

    /// Returns the stream as bytes, which [`EventReader::open`] reads. O(1).
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self.words())
    }

    /// Returns a reader of the stream, which is what appending, merging and visiting take. O(1).
    #[inline]
    #[must_use]
    pub fn reader(&self) -> EventReader<'_> {
        EventReader::trusted(self.as_bytes())
    }

    /// Returns the records from first to last.
    #[inline]
    pub fn iter(&self) -> EventRecords<'_> {
        self.reader().iter()
    }

    /// Returns the events of one type from first to last, and skips all others.
    ///
    /// # Complexity
    ///
    /// O(records) for all; allocates nothing.
    #[inline]
    pub fn of<E: Event>(&self) -> EventsOf<'_, E> {
        self.reader().of()
    }

    /// Walks the stream and says what is broken of its invariants. O(records).
    ///
    /// # Errors
    ///
    /// [`EventError`] with where and what; then there is a fault in this crate, or memory was
    /// overwritten.
    ///
    /// # Panics
    ///
    /// If more is written than there is room for: as above.
    pub fn validate(&self) -> Result<(), EventError> {
        assert!(
            self.len <= self.buffer.capacity(),
            "{} words are written where there is room for {}",
            self.len,
            self.buffer.capacity()
        );
        EventReader::open(self.as_bytes()).map(|_| ())
    }

    #[inline]
    fn words(&self) -> &[u32] {
        // SAFETY: that many words are written (invariant 1), at an address that is aligned and not
        // null; the borrow of the stream keeps them.
        unsafe { core::slice::from_raw_parts(self.buffer.start().as_ptr(), self.len as usize) }
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u32] {
        let start = self.buffer.start().as_ptr();
        // SAFETY: as in `words`, and the borrow is exclusive.
        unsafe { core::slice::from_raw_parts_mut(start, self.len as usize) }
    }

    #[inline]
    fn try_reserve_words(&mut self, words: usize) -> Result<(), GrowError> {
        if words > (self.buffer.capacity() - self.len) as usize {
            return self.buffer.grow(self.len, words);
        }
        Ok(())
    }

    /// Appends a record whose payload comes in two parts.
    fn push_parts(&mut self, kind: u32, first: &[u8], second: &[u8]) -> Result<(), GrowError> {
        let size = payload_bytes(first.len(), second.len())?;
        let words = HEADER_WORDS as usize + (size as usize).div_ceil(WORD);
        self.try_reserve_words(words)?;
        let from = self.len as usize * WORD;
        self.write_at(from, bytemuck::bytes_of(&header(kind, size)));
        // Where the payload does not fill its last word, the rest is zeros.
        if !(size as usize).is_multiple_of(WORD) {
            self.write_at(from + (words - 1) * WORD, &[0; WORD]);
        }
        self.write_at(from + HEADER_BYTES, first);
        self.write_at(from + HEADER_BYTES + first.len(), second);
        self.len += words as u32;
        Ok(())
    }

    /// Writes bytes at an offset, in bytes, for which room was made.
    #[inline]
    fn write_at(&mut self, at: usize, bytes: &[u8]) {
        let room = self.buffer.bytes().saturating_sub(at);
        assert!(bytes.len() <= room, "{} bytes are written where {room} have room", bytes.len());
        if bytes.is_empty() {
            return;
        }
        // SAFETY: `at` is below the block's end, as there is room after it.
        let place = unsafe { self.buffer.start().cast::<u8>().add(at) };
        // SAFETY: there is room for them; they are not in the block, which is borrowed exclusively.
        unsafe { place.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

/// Returns how many words the record of an event without a tail takes.
const fn record_words<E: Event>() -> u32 {
    HEADER_WORDS + event::size::<E>().div_ceil(WORD as u32)
}

/// Writes the record of an event without a tail.
///
/// # Safety
///
/// `place` is valid for writes of [`record_words`] words.
#[inline(always)]
unsafe fn write_record<E: Event>(place: *mut u32, event: &E) {
    // SAFETY: the header is the first two words of what may be written.
    unsafe { place.cast::<u64>().write_unaligned(const { event::type_and_size::<E>() }) };
    if !size_of::<E>().is_multiple_of(WORD) {
        // SAFETY: a record has more words than its header where the event has a size.
        let last = unsafe { place.add(record_words::<E>() as usize - 1) };
        // SAFETY: the last word of what may be written. The event's bytes follow, and fill it in
        // part.
        unsafe { last.write_unaligned(0) };
    }
    // SAFETY: the words after the header, or the end where the event has no size.
    let payload = unsafe { place.add(HEADER_WORDS as usize) };
    // SAFETY: the event fits into them, by `record_words`. It has no padding (`NoUninit`), so all
    // its bytes are written.
    unsafe { payload.cast::<E>().write_unaligned(*event) };
}

impl<'s, A: Allocator + ?Sized> IntoIterator for &'s EventStream<'_, A> {
    type Item = EventRecord<'s>;
    type IntoIter = EventRecords<'s>;

    fn into_iter(self) -> EventRecords<'s> {
        self.iter()
    }
}

impl<A: Allocator + ?Sized> fmt::Debug for EventStream<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.reader(), f)
    }
}
