//! The records of a frame: eight bytes for a run of equal blocks, in a table that grows down.

use core::cell::Cell;
use core::ptr;

/// The granularity of block offsets and strides.
pub(super) const GRAIN: usize = 8;

/// Returns the stride of a block of `bytes` bytes.
#[inline]
pub(super) const fn stride(bytes: usize) -> usize {
    // `bytes` is at most `isize::MAX`, as a layout's size is, or the ground's, a multiple of the
    // grain.
    (bytes + (GRAIN - 1)) & !(GRAIN - 1)
}

/// The start of a run of blocks and the size of each; a size of zero marks a gap.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(8))]
pub(super) struct Record {
    offset: u32,
    bytes: u32,
}

impl Record {
    /// The record before the first. Its blocks would be larger than any region and start after
    /// every block, so no request and no address match it. Their size is a multiple of the grain,
    /// as rounding up would wrap to zero with a 32-bit `usize`.
    pub(super) const GROUND: Self = Self { offset: u32::MAX, bytes: !(GRAIN as u32 - 1) };

    /// Both numbers must be below 2^32.
    #[inline]
    pub(super) const fn new(offset: usize, bytes: usize) -> Self {
        Self { offset: offset as u32, bytes: bytes as u32 }
    }

    /// Returns the offset of the run's first block.
    #[inline]
    pub(super) const fn offset(self) -> usize {
        self.offset as usize
    }

    /// Returns the requested size of each block.
    #[inline]
    pub(super) const fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Returns the distance between the blocks' starts.
    #[inline]
    pub(super) const fn stride(self) -> usize {
        stride(self.bytes())
    }

    pub(super) const fn is_gap(self) -> bool {
        self.bytes() == 0
    }
}

/// One bit for each grain of the region: set at the start of a block that was freed out of order.
///
/// Words from `clean` on are not written yet and count as zeros, so neither creating a frame nor
/// resetting it touches them.
pub(super) struct DeadBits {
    words: *mut Cell<u64>,
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

    /// # Safety
    ///
    /// `words` is valid for as many words as the offsets passed later need, and no other code uses
    /// it.
    pub(super) const unsafe fn new(words: *mut Cell<u64>) -> Self {
        Self { words, clean: Cell::new(0) }
    }

    pub(super) fn get(&self, offset: usize) -> bool {
        let (word, bit) = Self::place(offset);
        word < self.clean.get() && self.word(word).get() & bit != 0
    }

    pub(super) fn set(&self, offset: usize) {
        let (word, bit) = Self::place(offset);
        for fresh in self.clean.get()..=word {
            // SAFETY: the maker of the bits promises the words of all offsets.
            let fresh = unsafe { self.words.add(fresh) };
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

    /// Returns word `n`, which is below `clean`.
    fn word(&self, n: usize) -> &Cell<u64> {
        // SAFETY: the maker of the bits promises the words of all offsets.
        let word = unsafe { self.words.add(n) };
        // SAFETY: words below `clean` have been written, and are changed through cells alone.
        unsafe { &*word }
    }

    const fn place(offset: usize) -> (usize, u64) {
        let grain = offset / GRAIN;
        (grain / 64, 1 << (grain % 64))
    }
}
