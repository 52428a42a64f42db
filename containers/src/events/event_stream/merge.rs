//! Several streams into one: one after the other, or by a key.

use core::hint::select_unpredictable;

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
    /// takes two blocks from the stream's allocator, of two keys and about eight words a stream.
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

/// The key of a record, or the end of its stream, which comes after all keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next<K> {
    Key(K),
    End,
}

/// What is left of a stream that is being merged, without its first record's key, which the
/// tournament has.
struct Head<'s, K> {
    /// From the first record on.
    rest: &'s [u8],
    /// From the second record on.
    second: &'s [u8],
    /// From the third record on.
    third: &'s [u8],
    /// The key of the second record: read when the first comes to the tournament, long before it is
    /// needed.
    key: Next<K>,
}

impl<'s, K> Head<'s, K> {
    const END: Self = Self { rest: &[], second: &[], third: &[], key: Next::End };

    /// Goes on to the second record and returns its key.
    #[inline(always)]
    fn advance(&mut self, key: &mut impl FnMut(&EventRecord<'_>) -> K) -> Next<K> {
        self.rest = self.second;
        self.read_second(self.third, key)
    }

    /// Takes what follows as the second record, and returns the key of the one before.
    #[inline(always)]
    fn read_second(
        &mut self,
        second: &'s [u8],
        key: &mut impl FnMut(&EventRecord<'_>) -> K,
    ) -> Next<K> {
        self.second = second;
        let next = match first(second) {
            Some((record, third)) => {
                self.third = third;
                Next::Key(key(&record))
            }
            None => Next::End,
        };
        core::mem::replace(&mut self.key, next)
    }
}

/// Who plays in the tournament: a stream, by its first record's key.
#[derive(Clone, Copy)]
struct Player<K> {
    key: Next<K>,
    head: u32,
}

/// The streams that are being merged, as a tournament whose nodes keep who lost there: the next
/// winner plays against one loser a level, none of these games is a branch, and nothing but the
/// games is between one winner and the next.
///
/// ```text
/// winner   the next
/// losers   - | 1: of 0, 1 against 2, 3 | 2: of 0 against 1 | 3: of 2 against 3
/// ```
struct Heads<'s, 'a, K, A: Allocator + ?Sized> {
    /// As many as the lowest row of the tree has places; those beyond the streams are at their end.
    heads: Array<'a, Head<'s, K>, A>,
    /// The first node is not used.
    losers: Array<'a, Player<K>, A>,
    winner: Player<K>,
    /// How many streams are not at their end.
    left: usize,
}

impl<'s, 'a, K: Ord + Copy, A: Allocator + ?Sized> Heads<'s, 'a, K, A> {
    /// Takes the memory.
    fn try_new(sources: &[EventReader<'s>], memory: &'a A) -> Result<Self, GrowError> {
        let places = sources.len().next_power_of_two();
        let mut heads = Array::try_with_capacity_in(places, memory)?;
        let mut losers = Array::try_with_capacity_in(places, memory)?;
        let none = Player { key: Next::End, head: 0 };
        for _ in 0..places {
            heads.try_push(Head::END)?;
            losers.try_push(none)?;
        }
        Ok(Self { heads, losers, winner: none, left: 0 })
    }

    fn begin(&mut self, sources: &[EventReader<'s>], key: &mut impl FnMut(&EventRecord<'_>) -> K) {
        for (head, stream) in self.heads.iter_mut().zip(sources) {
            head.read_second(stream.as_bytes(), key);
            self.left += usize::from(head.key != Next::End);
        }
        self.winner = self.play_all(1, key);
    }

    /// Plays all games below a node for the first time and returns who wins there. Trees are as
    /// high as the number of streams has bits.
    fn play_all(&mut self, node: usize, key: &mut impl FnMut(&EventRecord<'_>) -> K) -> Player<K> {
        if node >= self.heads.len() {
            let head = node - self.heads.len();
            return Player { key: self.heads[head].advance(key), head: head as u32 };
        }
        let [left, right] = [2 * node, 2 * node + 1].map(|below| self.play_all(below, key));
        let (winner, loser) = if right.key < left.key { (right, left) } else { (left, right) };
        self.losers[node] = loser;
        winner
    }

    /// Takes the next record off its stream and returns how long it is, and the stream from it on.
    #[inline(always)]
    fn take(&mut self, key: &mut impl FnMut(&EventRecord<'_>) -> K) -> (usize, &'s [u8]) {
        let place = self.winner.head;
        let head = &mut self.heads[place as usize];
        let from = head.rest;
        let bytes = from.len() - head.second.len();
        let mut winner = Player { key: head.advance(key), head: place };
        self.left -= usize::from(winner.key == Next::End);
        let mut node = (self.heads.len() + place as usize) / 2;
        // Whether the winner comes from the right of the node: a bit of its place.
        let mut side = place;
        while node > 0 {
            let loser = &mut self.losers[node];
            let met = *loser;
            // Of equals the left one comes first.
            let from_right = side & 1 == 1;
            let loses = (from_right & (met.key <= winner.key)) | (met.key < winner.key);
            // Field by field, so that no choice goes through memory.
            loser.key = select_unpredictable(loses, winner.key, met.key);
            loser.head = select_unpredictable(loses, winner.head, met.head);
            winner.key = select_unpredictable(loses, met.key, winner.key);
            winner.head = select_unpredictable(loses, met.head, winner.head);
            node /= 2;
            side /= 2;
        }
        self.winner = winner;
        (bytes, from)
    }

    /// Returns what is left of the stream that is next.
    fn rest(&self) -> &'s [u8] {
        self.heads[self.winner.head as usize].rest
    }
}
