//! A plain stream of events in words of eight bytes, with one thing wrong.

use crate::conformance::Stream;

/// Something that a [`FaultyStream`] does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamFault {
    /// None: a stream as it should be.
    None,
    /// Says that it is not empty when it is.
    NeverEmpty,
    /// Reads the last event first.
    LastFirst,
    /// Keeps 31 bits of a kind.
    CutsKind,
    /// Rounds a payload up to whole words.
    RoundsLength,
    /// Lets payloads begin in the middle of a word.
    Misaligned,
    /// Forgets the first event when all were read.
    ReadTakes,
    /// Keeps the last event when it is cleared.
    ClearKeepsLast,
    /// Loses the last byte of the payload that makes it grow beyond 64 KiB.
    LosesOnGrowth,
    /// Keeps 16 bits of a payload's length.
    CutsLength,
    /// Appends half of the event that it refuses.
    AppendsHalf,
    /// Takes twice as much as it may.
    TakesTwice,
    /// Drops the third event of one kind in a row.
    DropsThird,
}

impl StreamFault {
    /// Every fault that the suite must catch, with the check that catches it.
    pub const CAUGHT: [(Self, &'static str); 12] = [
        (Self::NeverEmpty, "empty"),
        (Self::LastFirst, "order"),
        (Self::CutsKind, "kinds"),
        (Self::RoundsLength, "lengths"),
        (Self::Misaligned, "alignment"),
        (Self::ReadTakes, "read_again"),
        (Self::ClearKeepsLast, "clear"),
        (Self::LosesOnGrowth, "growth"),
        (Self::CutsLength, "great_payload"),
        (Self::AppendsHalf, "full"),
        (Self::TakesTwice, "full"),
        (Self::DropsThird, "programs"),
    ];
}

/// A stream of events, with one planted [`StreamFault`], which the suite must find. Payloads are
/// aligned to 8.
#[derive(Debug)]
pub struct FaultyStream {
    fault: StreamFault,
    bytes_max: usize,
    words: Vec<u64>,
    /// Kind, first word and bytes of each event.
    events: Vec<(u32, usize, usize)>,
    bytes: usize,
    reads: core::cell::Cell<u32>,
}

impl FaultyStream {
    /// Makes a stream with that fault, for at most `bytes_max` bytes of payload.
    #[must_use]
    pub fn new(fault: StreamFault, bytes_max: Option<usize>) -> Self {
        Self {
            fault,
            bytes_max: bytes_max.unwrap_or(usize::MAX),
            words: Vec::new(),
            events: Vec::new(),
            bytes: 0,
            reads: core::cell::Cell::new(0),
        }
    }

    fn has(&self, fault: StreamFault) -> bool {
        self.fault == fault
    }

    /// Writes the payload after all others and returns its first word.
    fn write(&mut self, payload: &[u8]) -> usize {
        let first = self.words.len();
        self.words.extend(payload.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        }));
        first
    }

    /// The bytes of an event's payload as they are read.
    fn payload(&self, first: usize, bytes: usize) -> &[u8] {
        let words = &self.words[first..];
        // SAFETY: words are readable as bytes, eight each.
        let all =
            unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<u8>(), 8 * words.len()) };
        match self.fault {
            StreamFault::RoundsLength => &all[..bytes.next_multiple_of(8)],
            StreamFault::CutsLength => &all[..bytes % 65536],
            _ => &all[..bytes],
        }
    }

    /// Whether this event would be the third of its kind in a row.
    fn is_third(&self, kind: u32) -> bool {
        let mut last = self.events.iter().rev().take(2);
        self.events.len() >= 2 && last.all(|&(other, ..)| other == kind)
    }
}

impl Stream for FaultyStream {
    fn append(&mut self, kind: u32, payload: &[u8]) -> bool {
        let most =
            self.bytes_max.saturating_mul(if self.has(StreamFault::TakesTwice) { 2 } else { 1 });
        let bytes = self.bytes + payload.len();
        if bytes > most {
            if self.has(StreamFault::AppendsHalf) {
                let first = self.write(&payload[..payload.len() / 2]);
                self.events.push((kind, first, payload.len() / 2));
            }
            return false;
        }
        let grows = self.bytes / 65536 != bytes / 65536;
        self.bytes = bytes;
        if self.has(StreamFault::DropsThird) && self.is_third(kind) {
            return true;
        }
        let first = self.write(payload);
        if self.has(StreamFault::LosesOnGrowth) && grows && !payload.is_empty() {
            self.words[first] ^= 1;
        }
        let kind = if self.has(StreamFault::CutsKind) { kind & 0x7fff_ffff } else { kind };
        self.events.push((kind, first, payload.len()));
        true
    }

    fn read(&self, each: &mut dyn FnMut(u32, &[u8])) {
        let reads = self.reads.get();
        self.reads.set(reads + 1);
        let mut show = |&(kind, first, bytes): &(u32, usize, usize)| match self.fault {
            // Payloads are shown from the middle of a word.
            StreamFault::Misaligned => {
                let mut shifted = vec![0_u64; bytes / 8 + 2];
                // SAFETY: the words are writable as bytes, more of them than are copied.
                let target = unsafe {
                    core::slice::from_raw_parts_mut(shifted.as_mut_ptr().cast::<u8>(), bytes + 4)
                };
                target[4..].copy_from_slice(self.payload(first, bytes));
                each(kind, &target[4..]);
            }
            _ => each(kind, self.payload(first, bytes)),
        };
        match self.fault {
            StreamFault::LastFirst => self.events.iter().rev().for_each(&mut show),
            StreamFault::ReadTakes if reads > 1 => self.events.iter().skip(1).for_each(&mut show),
            _ => self.events.iter().for_each(&mut show),
        }
    }

    fn is_empty(&self) -> bool {
        self.events.is_empty() && !self.has(StreamFault::NeverEmpty)
    }

    fn clear(&mut self) {
        let kept = self.events.len().min(usize::from(self.has(StreamFault::ClearKeepsLast)));
        self.events.drain(..self.events.len() - kept);
        if kept == 0 {
            self.words.clear();
        }
        self.bytes = 0;
    }
}
