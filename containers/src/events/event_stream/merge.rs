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
        heads.begin(sources, &mut key)?;
        // The stream's length is set at last, so an unwinding key leaves it as it was.
        let mut end = self.len as usize * WORD;
        while heads.heads.len() > 1 {
            heads.run(&mut key, |from, bytes| {
                self.write_first(end, from, bytes);
                end += bytes;
            });
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

/// What is left of a stream that is being merged.
struct Head<'s, K> {
    /// From the first record on, whose key the tournament has.
    rest: &'s [u8],
    /// From the second record on; empty if there is none.
    second: &'s [u8],
    /// From the third record on.
    third: &'s [u8],
    /// The key of the second record: read when the first comes to the tournament, long before it is
    /// needed. If there is none, any key.
    key: K,
    /// The key of the first record, where all games are played again.
    first: K,
}

impl<'s, K> Head<'s, K> {
    /// Takes what follows the second record as the second, and reads its key.
    #[inline(always)]
    fn read_second(&mut self, key: &mut impl FnMut(&EventRecord<'_>) -> K) {
        self.second = self.third;
        match first(self.third) {
            Some((record, third)) => {
                self.third = third;
                self.key = key(&record);
            }
            None => self.second = &[],
        }
    }
}

/// Who plays in the tournament: a stream, by its first record's key.
#[derive(Clone, Copy)]
struct Player<K> {
    key: K,
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
///
/// A stream that ends leaves, and all games are played again: so a key is only a key, and no game
/// has to ask for an end.
///
/// # Invariants
///
/// 1. There are as many players as heads, and each names one of the heads.
/// 2. `leaf` is the number of heads, rounded up to a power of two.
struct Heads<'s, 'a, K, A: Allocator + ?Sized> {
    /// The streams with a record left, in their order.
    heads: Array<'a, Head<'s, K>, A>,
    /// Who lost at each node, as many as heads. The first is who lost nowhere: the next.
    players: Array<'a, Player<K>, A>,
    /// The leaf of the first stream.
    leaf: u32,
}

impl<'s, 'a, K: Ord + Copy, A: Allocator + ?Sized> Heads<'s, 'a, K, A> {
    /// Takes the memory.
    fn try_new(sources: &[EventReader<'s>], memory: &'a A) -> Result<Self, GrowError> {
        Ok(Self {
            heads: Array::try_with_capacity_in(sources.len(), memory)?,
            players: Array::try_with_capacity_in(sources.len(), memory)?,
            leaf: 0,
        })
    }

    /// Reads the first two keys of each stream and plays all games.
    fn begin(
        &mut self,
        sources: &[EventReader<'s>],
        key: &mut impl FnMut(&EventRecord<'_>) -> K,
    ) -> Result<(), GrowError> {
        for stream in sources {
            let rest = stream.as_bytes();
            let Some((record, third)) = first(rest) else { continue };
            let first = key(&record);
            let mut head = Head { rest, second: third, third, key: first, first };
            head.read_second(key);
            self.players.try_push(Player { key: first, head: self.heads.len() as u32 })?;
            self.heads.try_push(head)?;
        }
        self.play_all();
        Ok(())
    }

    /// Plays all games. Trees are as high as the number of streams has bits.
    fn play_all(&mut self) {
        self.leaf = self.heads.len().next_power_of_two() as u32;
        if !self.heads.is_empty() {
            self.players[0] = self.play_below(1);
        }
    }

    /// Plays all games below a node and returns who wins there.
    fn play_below(&mut self, node: usize) -> Player<K> {
        let count = self.heads.len();
        if node >= count {
            // All levels but the lowest are full, and that is filled from the left.
            let lowest = self.leaf as usize;
            let head = if node >= lowest { node - lowest } else { node + count - lowest };
            return Player { key: self.heads[head].first, head: head as u32 };
        }
        let [left, right] = [2 * node, 2 * node + 1].map(|below| self.play_below(below));
        let (winner, loser) = if right.key < left.key { (right, left) } else { (left, right) };
        self.players[node] = loser;
        winner
    }

    /// Takes one record after the other off its stream and hands over the stream from it on, and how
    /// long it is, until a stream ends.
    #[inline(always)]
    fn run(
        &mut self,
        key: &mut impl FnMut(&EventRecord<'_>) -> K,
        mut take: impl FnMut(&'s [u8], usize),
    ) {
        let (heads, players) = (self.heads.as_mut_slice(), self.players.as_mut_slice());
        let count = heads.len() as u32;
        let mut winner = players[0];
        loop {
            // SAFETY: players name heads (invariant 1).
            let head = unsafe { heads.get_unchecked_mut(winner.head as usize) };
            take(head.rest, head.rest.len() - head.second.len());
            if head.second.is_empty() {
                break;
            }
            winner.key = head.key;
            head.rest = head.second;
            head.read_second(key);
            let leaf = winner.head + self.leaf;
            let mut node = if leaf < 2 * count { leaf } else { leaf - count };
            while node > 1 {
                // Of equals the left one comes first.
                let from_right = node & 1 == 1;
                node /= 2;
                // SAFETY: the leaves are below twice the number of players (invariant 2), so the
                // nodes above them are below it.
                let loser = unsafe { players.get_unchecked_mut(node as usize) };
                let met = *loser;
                let loses = (from_right & (met.key <= winner.key)) | (met.key < winner.key);
                // Field by field, so that no choice goes through memory.
                loser.key = select_unpredictable(loses, winner.key, met.key);
                loser.head = select_unpredictable(loses, winner.head, met.head);
                winner.key = select_unpredictable(loses, met.key, winner.key);
                winner.head = select_unpredictable(loses, met.head, winner.head);
            }
        }
        self.end(winner.head as usize);
    }

    /// Takes the stream of the winner out, as its last record was taken.
    #[cold]
    #[inline(never)]
    fn end(&mut self, place: usize) {
        self.heads.remove(place);
        for player in &self.players[1..] {
            let head = player.head as usize;
            self.heads[head - usize::from(head > place)].first = player.key;
        }
        self.players.truncate(self.heads.len());
        self.play_all();
    }

    /// Returns what is left of the one stream that is left.
    fn rest(&self) -> &'s [u8] {
        self.heads.first().map_or(&[], |head| head.rest)
    }
}
