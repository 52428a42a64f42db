//! Several streams into one: one after the other, or by a key.

use loligo_allocators::Allocator;

use crate::error::{GrowError, or_panic};
use crate::events::event_stream::EventStream;
use crate::events::event_stream::event::WORD;
use crate::events::event_stream::reader::{EventReader, EventRecord};

mod index;

use index::{USUAL, try_index};

impl<A: Allocator + ?Sized> EventStream<'_, A> {
    /// Appends all events of another stream, as one copy of its bytes.
    ///
    /// # Complexity
    ///
    /// O(bytes of the other), and O(stream) where the block must move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    #[inline]
    pub fn try_append(&mut self, other: EventReader<'_>) -> Result<(), GrowError> {
        let words = other.as_bytes().len() / WORD;
        self.try_reserve_words(words)?;
        self.write_at(self.len as usize * WORD, other.as_bytes());
        self.len += words as u32;
        Ok(())
    }

    /// Appends all events of another stream as [`try_append`](Self::try_append) does.
    ///
    /// # Panics
    ///
    /// If there is no memory.
    #[inline]
    pub fn append(&mut self, other: EventReader<'_>) {
        or_panic(self.try_append(other));
    }

    /// Appends several streams, one after the other: merged by source, as the streams of the
    /// threads of a frame are.
    ///
    /// # Complexity
    ///
    /// O(bytes of all), and O(stream) where the block must move, once.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    pub fn try_append_all(&mut self, sources: &[EventReader<'_>]) -> Result<(), GrowError> {
        self.try_reserve_words(words_of(sources))?;
        sources.iter().try_for_each(|source| self.try_append(*source))
    }

    /// Appends the events of several streams in the order of a key, as of their time.
    ///
    /// Each stream is in that order already; where one is not, its events keep the order they have.
    /// Of events with one key those of an earlier stream come first, so it is stable.
    ///
    /// Floating-point times that are not negative are in order as their bits: `f32::to_bits`.
    ///
    /// # Complexity
    ///
    /// O(bytes + records * log(streams)), and a call of `key` for each record of more than one
    /// stream; a number compares quicker than an `Option` of one. While it runs it takes an index
    /// from the stream's allocator, twice: for each record its key, its length and two words.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for all; nothing has changed.
    ///
    /// # Panics
    ///
    /// If `key` does; nothing has changed then, either.
    ///
    /// # Examples
    ///
    /// ```
    /// # use bytemuck::{AnyBitPattern, NoUninit};
    /// # use loligo_allocators::StaticHeap;
    /// # use loligo_containers::{Event, EventStream};
    /// #[derive(Clone, Copy, Debug, PartialEq, AnyBitPattern, NoUninit)]
    /// #[repr(C)]
    /// struct Shot {
    ///     time_us: u32,
    ///     by: u32,
    /// }
    /// impl Event for Shot {
    ///     const TYPE: u32 = 1;
    /// }
    ///
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut here: EventStream = EventStream::new(&MEMORY);
    /// here.push_all(&[Shot { time_us: 10, by: 1 }, Shot { time_us: 30, by: 1 }]);
    /// let mut there: EventStream = EventStream::new(&MEMORY);
    /// there.push_all(&[Shot { time_us: 10, by: 2 }, Shot { time_us: 20, by: 2 }]);
    ///
    /// let mut all: EventStream = EventStream::new(&MEMORY);
    /// // The time is the first field of all events here.
    /// all.try_merge(&[here.reader(), there.reader()], |event| event.field::<u32>(0))?;
    /// let order: Vec<_> = all.of::<Shot>().map(|shot| (shot.time_us, shot.by)).collect();
    /// assert_eq!(order, [(10, 1), (10, 2), (20, 2), (30, 1)]);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    pub fn try_merge<K: Ord + Copy>(
        &mut self,
        sources: &[EventReader<'_>],
        mut key: impl FnMut(&EventRecord<'_>) -> K,
    ) -> Result<(), GrowError> {
        if let [source] = sources {
            return self.try_append(*source);
        }
        let index = try_index(sources, &mut key, self.memory())?;
        self.try_reserve_words(words_of(sources))?;
        let mut end = self.len as usize * WORD;
        for entry in &index {
            let (bytes, from) = entry.record();
            self.write_first(end, from, bytes);
            end += bytes;
        }
        self.len = (end / WORD) as u32;
        Ok(())
    }

    /// Writes the first `bytes` of a slice at an offset, in bytes, for which room was made. It may
    /// write more after them, where nothing is yet: a copy of constant length is quicker than one
    /// of `bytes` bytes.
    #[inline(always)]
    fn write_first(&mut self, at: usize, from: &[u8], bytes: usize) {
        match from.first_chunk::<USUAL>() {
            Some(chunk) if bytes <= USUAL && at.saturating_add(USUAL) <= self.buffer.bytes() => {
                // SAFETY: the block has as many bytes after `at`, as was just compared.
                let place = unsafe { self.buffer.start().cast::<[u8; USUAL]>().byte_add(at) };
                // SAFETY: as above; bytes need no alignment.
                unsafe { place.write_unaligned(*chunk) };
            }
            _ => self.write_at(at, &from[..bytes]),
        }
    }
}

/// Returns how many words all streams take, or what is surely refused.
fn words_of(sources: &[EventReader<'_>]) -> usize {
    sources.iter().fold(0, |sum, source| sum.saturating_add(source.as_bytes().len() / WORD))
}
