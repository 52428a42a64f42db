//! Removing events from a stream in place.

use loligo_allocators::Allocator;

use crate::error::{GrowError, or_panic};
use crate::events::event_stream::EventStream;
use crate::events::event_stream::event::WORD;
use crate::events::event_stream::reader::{EventRecord, first};

impl<'a, A: Allocator + ?Sized> EventStream<'a, A> {
    /// Keeps the events for which `wanted` is true, in their order, and removes the others.
    ///
    /// If `wanted` panics, the event it was asked about and those after it stay.
    ///
    /// # Complexity
    ///
    /// O(bytes). Moves what is kept; allocates nothing.
    pub fn retain(&mut self, mut wanted: impl FnMut(&EventRecord<'_>) -> bool) {
        let mut sieve = Sieve { stream: self, kept: 0, run: 0, at: 0 };
        while let Some(record) = sieve.record() {
            let (words, keep) = (words(&record), wanted(&record));
            sieve.step(words, keep);
        }
    }

    /// Moves the events for which `wanted` is true to the end of another stream; both keep their
    /// order. To split by type, ask [`EventRecord::is`] or [`EventRecord::kind`].
    ///
    /// If `wanted` panics, what was moved is moved, and all else stays.
    ///
    /// # Complexity
    ///
    /// O(bytes). The other stream makes room for all events of this one first, as it is not known
    /// how many will move.
    ///
    /// # Errors
    ///
    /// [`GrowError`] if there is no memory for that; nothing has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use loligo_allocators::StaticHeap;
    /// use loligo_containers::EventStream;
    ///
    /// const SOUND: u32 = 1;
    /// const SMOKE: u32 = 2;
    /// static MEMORY: StaticHeap<8192> = StaticHeap::new("doc");
    /// let mut all: EventStream = EventStream::new(&MEMORY);
    /// for kind in [SOUND, SMOKE, SOUND] {
    ///     all.try_push_bytes(kind, &[])?;
    /// }
    /// let mut sounds: EventStream = EventStream::new(&MEMORY);
    /// all.try_split(&mut sounds, |event| event.kind() == SOUND)?;
    /// assert_eq!((all.iter().count(), sounds.iter().count()), (1, 2));
    /// # Ok::<(), loligo_containers::GrowError>(())
    /// ```
    pub fn try_split<B: Allocator + ?Sized>(
        &mut self,
        other: &mut EventStream<'_, B>,
        mut wanted: impl FnMut(&EventRecord<'_>) -> bool,
    ) -> Result<(), GrowError> {
        other.try_reserve_words(self.len as usize)?;
        let mut sieve = Sieve { stream: self, kept: 0, run: 0, at: 0 };
        while let Some(record) = sieve.record() {
            let (words, moves) = (words(&record), wanted(&record));
            if moves {
                other.try_append(record.reader())?;
            }
            sieve.step(words, !moves);
        }
        Ok(())
    }

    /// Moves events as [`try_split`](Self::try_split) does.
    ///
    /// # Panics
    ///
    /// If there is no memory, or `wanted` panics.
    pub fn split<B: Allocator + ?Sized>(
        &mut self,
        other: &mut EventStream<'_, B>,
        wanted: impl FnMut(&EventRecord<'_>) -> bool,
    ) {
        or_panic(self.try_split(other, wanted));
    }
}

/// Returns how many words a record takes.
fn words(record: &EventRecord<'_>) -> usize {
    record.as_bytes().len() / WORD
}

/// A stream out of which events are being taken. Runs of events that stay are moved together, the
/// last one, with all that was not looked at, when this is dropped: so an unwinding closure loses
/// nothing.
///
/// # Invariants
///
/// 1. `kept <= run <= at <= len`, in words; `run`, `at` and `len` are where records begin or end.
/// 2. The words before `kept` and those from `run` on are records; those between are free.
struct Sieve<'s, 'a, A: Allocator + ?Sized> {
    stream: &'s mut EventStream<'a, A>,
    kept: usize,
    /// Where the run of events begins that stay and were not moved yet.
    run: usize,
    /// The event to look at next.
    at: usize,
}

impl<A: Allocator + ?Sized> Sieve<'_, '_, A> {
    fn record(&self) -> Option<EventRecord<'_>> {
        let bytes = self.stream.as_bytes();
        first(&bytes[self.at * WORD..]).map(|(record, _)| record)
    }

    /// Goes on to the next event, `words` further, and keeps this one or drops it.
    fn step(&mut self, words: usize, keep: bool) {
        if !keep {
            self.move_run(self.at);
            self.run = self.at + words;
        }
        self.at += words;
    }

    fn move_run(&mut self, end: usize) {
        let (from, to) = (self.run, self.kept);
        if from != to {
            self.stream.words_mut().copy_within(from..end, to);
        }
        self.kept += end - from;
        self.run = end;
    }
}

impl<A: Allocator + ?Sized> Drop for Sieve<'_, '_, A> {
    fn drop(&mut self) {
        self.move_run(self.stream.len as usize);
        self.stream.len = self.kept as u32;
    }
}
