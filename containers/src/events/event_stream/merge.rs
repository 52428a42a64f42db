//! Several streams into one: one after the other, or by a key.

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::{GrowError, or_panic};
use crate::events::event_stream::EventStream;
use crate::events::event_stream::event::WORD;
use crate::events::event_stream::reader::{EventReader, EventRecord, first};

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
    /// O(bytes + records * log(streams)), a call of `key` for each record at most. While it runs it
    /// takes two blocks from the stream's allocator, of a key and about four words a stream.
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
    pub fn try_merge<K: Ord>(
        &mut self,
        sources: &[EventReader<'_>],
        mut key: impl FnMut(&EventRecord<'_>) -> K,
    ) -> Result<(), GrowError> {
        let mut heads = Heads::try_new(sources, self.memory())?;
        self.try_reserve_words(words_of(sources))?;
        heads.begin(sources, &mut key);
        // The stream's length is set at last, so an unwinding key leaves it as it was.
        let mut end = self.len as usize * WORD;
        while heads.left > 1 {
            let (bytes, rest) = heads.take(&mut key);
            self.write_first(end, rest, bytes);
            end += bytes;
        }
        let rest = heads.rest();
        self.write_at(end, rest);
        self.len = ((end + rest.len()) / WORD) as u32;
        Ok(())
    }

    /// Writes the first `bytes` of a slice at an offset, in bytes, for which room was made. It may
    /// write more after them, where nothing is yet: a copy of constant length is quicker than one
    /// of `bytes` bytes.
    #[inline(always)]
    fn write_first(&mut self, at: usize, from: &[u8], bytes: usize) {
        const USUAL: usize = 64;
        match from.first_chunk::<USUAL>() {
            Some(chunk) if bytes <= USUAL && self.buffer.bytes() - at >= USUAL => {
                self.write_at(at, chunk);
            }
            _ => self.write_at(at, &from[..bytes]),
        }
    }
}

/// Returns how many words all streams take, or what is surely refused.
fn words_of(sources: &[EventReader<'_>]) -> usize {
    sources.iter().fold(0, |sum, source| sum.saturating_add(source.as_bytes().len() / WORD))
}

/// What is left of a stream that is being merged.
struct Head<'s, K> {
    /// The key of the first record; `None` at the end.
    key: Option<K>,
    rest: &'s [u8],
}

/// The streams that are being merged, as a tournament tree: it finds the next one with as many
/// comparisons as the tree is high, none of which is a branch.
///
/// ```text
/// nodes    1: the next | 2: the first of 0, 1 | 3: the first of 2, 3 | 4: 0 | 5: 1 | 6: 2 | 7: 3
/// ```
struct Heads<'s, 'a, K, A: Allocator + ?Sized> {
    /// As many as the lowest row of the tree has places; those beyond the streams are at their end.
    heads: Array<'a, Head<'s, K>, A>,
    /// In each node the head that comes first of those below; the first node is not used.
    nodes: Array<'a, u32, A>,
    /// How many streams are not at their end.
    left: usize,
}

impl<'s, 'a, K: Ord, A: Allocator + ?Sized> Heads<'s, 'a, K, A> {
    /// Takes the memory.
    fn try_new(sources: &[EventReader<'s>], memory: &'a A) -> Result<Self, GrowError> {
        let places = sources.len().next_power_of_two();
        let mut heads = Array::try_with_capacity_in(places, memory)?;
        let mut nodes = Array::try_with_capacity_in(2 * places, memory)?;
        nodes.try_resize(places, 0)?;
        for place in 0..places {
            heads.try_push(Head { key: None, rest: &[] })?;
            nodes.try_push(place as u32)?;
        }
        Ok(Self { heads, nodes, left: 0 })
    }

    fn begin(&mut self, sources: &[EventReader<'s>], key: &mut impl FnMut(&EventRecord<'_>) -> K) {
        for (head, stream) in self.heads.iter_mut().zip(sources) {
            head.rest = stream.as_bytes();
            head.key = first(head.rest).map(|(record, _)| key(&record));
            self.left += usize::from(head.key.is_some());
        }
        (1..self.heads.len()).rev().for_each(|node| self.play(node));
    }

    /// Takes the next record off its stream and returns how long it is, and the stream from it on.
    #[inline(always)]
    fn take(&mut self, key: &mut impl FnMut(&EventRecord<'_>) -> K) -> (usize, &'s [u8]) {
        let next = self.next();
        let head = &mut self.heads[next];
        let from = head.rest;
        head.rest = first(from).map_or(&[], |(_, behind)| behind);
        head.key = first(head.rest).map(|(record, _)| key(&record));
        self.left -= usize::from(head.key.is_none());
        let bytes = from.len() - head.rest.len();
        let mut node = (self.heads.len() + next) / 2;
        while node > 0 {
            self.play(node);
            node /= 2;
        }
        (bytes, from)
    }

    /// Returns what is left of the stream that is next.
    fn rest(&self) -> &'s [u8] {
        self.heads[self.next()].rest
    }

    /// Returns which head is next. With one place there is one node, for that place.
    fn next(&self) -> usize {
        self.nodes[1] as usize
    }

    /// Finds which of the two heads below a node comes first: of equals the left one.
    #[inline(always)]
    fn play(&mut self, node: usize) {
        let pair = [self.nodes[2 * node], self.nodes[2 * node + 1]];
        let [left, right] = pair.map(|head| &self.heads[head as usize].key);
        let is_right = match (left, right) {
            (Some(left), Some(right)) => right < left,
            (None, right) => right.is_some(),
            (Some(_), None) => false,
        };
        // An index and no branch: which stream is next cannot be predicted.
        self.nodes[node] = pair[usize::from(is_right)];
    }
}
