//! The records of a frame: eight bytes for a run of equal blocks, in a table that grows down.

use core::cell::Cell;
use core::ptr::{self, NonNull};

/// The least alignment of blocks, and the granularity of the dead bits.
pub(super) const GRAIN: usize = 8;

/// The start of a run of blocks and the size of each; a size of zero marks a gap or a span.
///
/// The start is the lower half of the address, which needs neither the memory's address when a
/// record is written nor when the last block is freed. Blocks begin at multiples of 8, so the
/// lowest bit is free for the mark of a span.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub(super) struct Record {
    low: u32,
    bytes: u32,
}

impl Record {
    /// The record before the first. Its blocks would be larger than any region, so no request
    /// matches it, and no block starts at its odd address.
    pub(super) const GROUND: Self = Self { low: u32::MAX, bytes: !(GRAIN as u32 - 1) };

    /// Creates the record of a run of blocks of `bytes` bytes, less than 2^32, or of a gap.
    #[inline]
    pub(super) fn new(start: NonNull<u8>, bytes: usize) -> Self {
        Self { low: start.addr().get() as u32, bytes: bytes as u32 }
    }

    /// Creates the record of a span.
    pub(super) fn span(start: NonNull<u8>) -> Self {
        Self { low: start.addr().get() as u32 | 1, bytes: 0 }
    }

    /// Returns whether the run starts at `block`, which is in the same region.
    #[inline]
    pub(super) fn starts_at(self, block: NonNull<u8>) -> bool {
        self.low == block.addr().get() as u32
    }

    /// Returns the distance of the run's first block from `memory`, the start of the region.
    #[inline]
    pub(super) fn offset(self, memory: NonNull<u8>) -> usize {
        (self.low & !1).wrapping_sub(memory.addr().get() as u32) as usize
    }

    /// Returns the requested size of each block.
    #[inline]
    pub(super) const fn bytes(self) -> usize {
        self.bytes as usize
    }

    pub(super) const fn is_gap(self) -> bool {
        self.bytes == 0 && self.low & 1 == 0
    }

    pub(super) const fn is_span(self) -> bool {
        self.bytes == 0 && self.low & 1 != 0
    }
}

/// One bit for each grain of the region: set at the start of a block that was freed out of order.
///
/// Words from `clean` on are not written yet and count as zeros, so neither creating a frame nor
/// resetting it touches them.
#[derive(Clone)]
pub(super) struct DeadBits {
    words: Cell<*mut Cell<u64>>,
    clean: Cell<usize>,
}

impl DeadBits {
    /// Returns how many words cover `bytes` bytes.
    pub(super) const fn words_for(bytes: usize) -> usize {
        bytes.div_ceil(GRAIN * 64)
    }

    /// Creates empty bits, for a frame without room.
    pub(super) const fn none() -> Self {
        // SAFETY: no offset has a bit in a frame without room, so no word is touched.
        unsafe { Self::new(ptr::null_mut()) }
    }

    pub(super) fn is_none(&self) -> bool {
        self.words.get().is_null()
    }

    /// # Safety
    ///
    /// `words` is valid for as many words as the offsets passed later need, and no other code uses
    /// it.
    pub(super) const unsafe fn new(words: *mut Cell<u64>) -> Self {
        Self { words: Cell::new(words), clean: Cell::new(0) }
    }

    pub(super) fn get(&self, offset: usize) -> bool {
        let (word, bit) = Self::place(offset);
        word < self.clean.get() && self.word(word).get() & bit != 0
    }

    pub(super) fn set(&self, offset: usize) {
        let (word, bit) = Self::place(offset);
        for fresh in self.clean.get()..=word {
            // SAFETY: the maker of the bits promises the words of all offsets.
            let fresh = unsafe { self.words.get().add(fresh) };
            // SAFETY: as above; no reference exists to a word that was not written yet.
            unsafe { fresh.write(Cell::new(0)) };
        }
        self.clean.set(self.clean.get().max(word + 1));
        self.word(word).set(self.word(word).get() | bit);
    }

    pub(super) fn clear(&self, offset: usize) {
        let (word, bit) = Self::place(offset);
        if word < self.clean.get() {
            self.word(word).set(self.word(word).get() & !bit);
        }
    }

    pub(super) fn clear_all(&self) {
        self.clean.set(0);
    }

    /// Continues with the words and the state of `other`.
    pub(super) fn set_all(&self, other: &Self) {
        self.words.set(other.words.get());
        self.clean.set(other.clean.get());
    }

    /// Returns word `n`, which is below `clean`.
    fn word(&self, n: usize) -> &Cell<u64> {
        // SAFETY: the maker of the bits promises the words of all offsets.
        let word = unsafe { self.words.get().add(n) };
        // SAFETY: words below `clean` have been written, and are changed through cells alone.
        unsafe { &*word }
    }

    const fn place(offset: usize) -> (usize, u64) {
        let grain = offset / GRAIN;
        (grain / 64, 1 << (grain % 64))
    }
}
