//! Several streams into one: behind each other, or by a key.

use loligo_allocators::Allocator;

use crate::array::Array;
use crate::error::{GrowError, or_panic};
use crate::event_stream::EventStream;
use crate::event_stream::event::WORD;
use crate::event_stream::reader::{EventReader, EventRecord, first};

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

    /// Appends several streams, one behind the other: merged by source, as the streams of the threads of a
    /// frame are.
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
    /// Each stream is in that order already; where one is not, its events keep the order they have. Of events
    /// with one key those of an earlier stream come first, so it is stable. Events that come from one
    /// stream in a row are copied together.
    ///
    /// Floating-point times that are not negative are in order as their bits: `f32::to_bits`.
    ///
    /// # Complexity
    ///
    /// O(bytes + records * log(streams)), a call of `key` for each record at most. Needs memory for a key and
    /// four words a stream while it runs, from the stream's allocator.
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
    /// let mut here: EventStream = EventStream::new_in(&MEMORY);
    /// here.push_all(&[Shot { time_us: 10, by: 1 }, Shot { time_us: 30, by: 1 }]);
    /// let mut there: EventStream = EventStream::new_in(&MEMORY);
    /// there.push_all(&[Shot { time_us: 10, by: 2 }, Shot { time_us: 20, by: 2 }]);
    ///
    /// let mut all: EventStream = EventStream::new_in(&MEMORY);
    /// // The time is the first field of all events here.
    /// all.try_merge(&[here.reader(), there.reader()], |event| event.field::<u32>(0))?;
    /// let order: Vec<_> = all.of::<Shot>().map(|shot| (shot.time_us, shot.by)).collect();
    /// assert_eq!(order, [(10, 1), (10, 2), (20, 2), (30, 1)]);
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    pub fn try_merge<K: Ord>(
        &mut self,
        sources: &[EventReader<'_>],
        mut key: impl FnMut(&EventRecord<'_>) -> K,
    ) -> Result<(), GrowError> {
        let words = words_of(sources);
        let mut heads = Array::try_with_capacity_in(sources.len(), self.memory())?;
        self.try_reserve_words(words)?;
        for (source, stream) in sources.iter().enumerate() {
            let rest = stream.as_bytes();
            if let Some((record, _)) = first(rest) {
                heads.try_push(Head { key: key(&record), source, rest })?;
            }
        }
        // The stream's length is set at last, so an unwinding key leaves it as it was.
        let mut end = self.len as usize * WORD;
        let heads = heads.as_mut_slice();
        (0..heads.len() / 2).rev().for_each(|root| sink(heads, root));
        let mut count = heads.len();
        while count > 1 {
            let heads = &mut heads[..count];
            let run = heads[0].run(&heads[lesser_child(heads, 0)], &mut key);
            let bytes = &heads[0].rest[..run.bytes];
            self.write_at(end, bytes);
            end += bytes.len();
            heads[0].rest = &heads[0].rest[run.bytes..];
            match run.next {
                Some(key) => heads[0].key = key,
                None => {
                    count -= 1;
                    heads.swap(0, count);
                }
            }
            sink(&mut heads[..count], 0);
        }
        if let Some(last) = heads.first().filter(|_| count > 0) {
            self.write_at(end, last.rest);
            end += last.rest.len();
        }
        self.len = (end / WORD) as u32;
        Ok(())
    }
}

/// Returns how many words all streams take, or what is surely refused.
fn words_of(sources: &[EventReader<'_>]) -> usize {
    sources.iter().fold(0, |sum, source| sum.saturating_add(source.as_bytes().len() / WORD))
}

/// What is left of a stream that is being merged: at least one record.
struct Head<'s, K> {
    /// The first record's.
    key: K,
    source: usize,
    rest: &'s [u8],
}

/// The records that come from one stream in a row.
struct Run<K> {
    bytes: usize,
    /// The key of the record behind them; `None` at the end of the stream.
    next: Option<K>,
}

impl<K: Ord> Head<'_, K> {
    fn is_before(&self, other: &Self) -> bool {
        (&self.key, self.source) < (&other.key, other.source)
    }

    /// Measures the records that come before those of `other`, which is the next: the first one at least.
    fn run(&self, other: &Self, key: &mut impl FnMut(&EventRecord<'_>) -> K) -> Run<K> {
        let mut rest = self.rest;
        let mut next = None;
        while let Some((_, behind)) = first(rest) {
            rest = behind;
            let Some((record, _)) = first(rest) else { break };
            let found = key(&record);
            if (&found, self.source) > (&other.key, other.source) {
                next = Some(found);
                break;
            }
        }
        Run { bytes: self.rest.len() - rest.len(), next }
    }
}

/// Returns which of the children of `root` comes first; there is one at least.
fn lesser_child<K: Ord>(heads: &[Head<'_, K>], root: usize) -> usize {
    let (left, right) = (2 * root + 1, 2 * root + 2);
    if right < heads.len() && heads[right].is_before(&heads[left]) { right } else { left }
}

/// Puts `root` where it belongs in the heap below it, whose first head comes before all others.
fn sink<K: Ord>(heads: &mut [Head<'_, K>], mut root: usize) {
    while 2 * root + 1 < heads.len() {
        let child = lesser_child(heads, root);
        if !heads[child].is_before(&heads[root]) {
            return;
        }
        heads.swap(child, root);
        root = child;
    }
}
