//! A walk over the set bits of a bitmap.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "counts of bits of a word, and places of a bitmap that lies in memory; a word \
              that is lowered by one is not 0"
)]

use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// From how many bits on a word is walked by its runs.
const DENSE: u32 = 56;

/// Bit n is set if n, as the first four bits of a word, has a hole at most. Of the words that are
/// dense this misses one in seventy, and it spares the others the counting of all bits.
const MAY_BE_DENSE: u64 = 1 << 0b0111 | 1 << 0b1011 | 1 << 0b1101 | 1 << 0b1110 | 1 << 0b1111;

/// Visits the set bits of a bitmap in order, from either end.
///
/// A word is walked bit by bit: no branch depends on where the bits are. But each bit waits for the
/// one before to be cleared, so a word that has few holes is walked by its runs, where the next
/// place is the last one plus one and only the holes are mispredicted.
///
/// # Invariants
///
/// 1. `base` is the place of the lowest bit of the last word taken; `word` or `rest` is what is
///    left of it, `rest` if it is walked by its runs, and the other is 0.
/// 2. `place..run` is what is left of a run, and empty while `word` is not 0.
/// 3. `next` points to the next word, `end` past the last word that neither end has taken.
/// 4. `back` is what is left of the last word taken from the end, `back_base` the place of its
///    lowest bit.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct HoleWalk {
    word: u64,
    base: usize,
    place: usize,
    run: usize,
    rest: u64,
    next: NonNull<u64>,
    end: NonNull<u64>,
    back: u64,
    back_base: usize,
    /// The bitmap is another's.
    table: PhantomData<*const u64>,
}

impl HoleWalk {
    /// Returns a walk over `words` words.
    ///
    /// # Safety
    ///
    /// They are there, and are not changed while the walk is used.
    #[inline]
    pub(super) unsafe fn new(bitmap: NonNull<u64>, words: usize) -> Self {
        // SAFETY: the caller's promise.
        let end = unsafe { bitmap.add(words) };
        // Before the first word, which begins at place 0.
        let base = 0_usize.wrapping_sub(64);
        let table = PhantomData;
        let (back, back_base) = (0, words.wrapping_mul(64));
        Self { word: 0, base, place: 0, run: 0, rest: 0, next: bitmap, end, back, back_base, table }
    }

    /// Takes the next run or the next word with a bit set. Returns whether there was one.
    #[inline]
    fn refill(&mut self) -> bool {
        if self.rest == 0 {
            while self.word == 0 {
                if !self.advance() {
                    return false;
                }
            }
            if MAY_BE_DENSE >> (self.word & 15) & 1 == 0 || self.word.count_ones() < DENSE {
                return true;
            }
            self.rest = self.word;
            self.word = 0;
        }
        let first = self.rest.trailing_zeros();
        let behind = first + (self.rest >> first).trailing_ones();
        self.place = self.base | first as usize;
        self.run = self.base + behind as usize;
        self.rest &= u64::MAX.checked_shl(behind).unwrap_or(0);
        true
    }

    /// Goes on to the next word, if there is one, and last to that which the other end began.
    #[inline]
    fn advance(&mut self) -> bool {
        if self.next == self.end {
            if self.back == 0 {
                return false;
            }
            self.base = self.back_base;
            self.word = core::mem::take(&mut self.back);
            return true;
        }
        // SAFETY: the end is not reached, so a word of the bitmap is there (invariant 3).
        self.word = unsafe { self.next.read() };
        // SAFETY: as above, so this leads to the end at most.
        self.next = unsafe { self.next.add(1) };
        self.base = self.base.wrapping_add(64);
        true
    }

    /// Goes on to the word before those taken from the end, if there is one, and last to that which
    /// the walk from the front began. Only where nothing is left of the word that it had.
    fn retreat(&mut self) -> bool {
        if self.next != self.end {
            // SAFETY: there is a word of the bitmap between both (invariant 3).
            self.end = unsafe { self.end.sub(1) };
            // SAFETY: as above.
            self.back = unsafe { self.end.read() };
            self.back_base -= 64;
            return true;
        }
        // In a run, which ends at most 64 places after the word begins.
        let run = (self.place..self.run).fold(0, |bits, place| bits | 1 << (place % 64));
        self.back = self.word | self.rest | run;
        self.back_base = self.base;
        (self.word, self.rest, self.place) = (0, 0, self.run);
        self.back != 0
    }

    /// Takes the lowest bit of the word, which is not 0.
    #[inline]
    fn take_bit(&mut self) -> usize {
        // The same as a sum, but left as it is when the place is scaled to the object's address.
        let place = self.base | self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        place
    }

    /// Takes the first place of the run, which is not empty.
    #[inline]
    fn take_place(&mut self) -> usize {
        let place = self.place;
        self.place += 1;
        place
    }
}

impl Iterator for HoleWalk {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.word == 0 {
            if self.place < self.run {
                return Some(self.take_place());
            }
            if !self.refill() {
                return None;
            }
            if self.word == 0 {
                return Some(self.take_place());
            }
        }
        Some(self.take_bit())
    }

    /// Counts what is left, a word at a time.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let mut left = self.run - self.place;
        left += (self.word | self.rest).count_ones() as usize;
        left += self.back.count_ones() as usize;
        let mut next = self.next;
        while next != self.end {
            // SAFETY: the end is not reached, so a word of the bitmap is there (invariant 3).
            left += unsafe { next.read() }.count_ones() as usize;
            // SAFETY: as above.
            next = unsafe { next.add(1) };
        }
        (left, Some(left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, usize) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            while self.word != 0 {
                folded = f(folded, self.take_bit());
            }
            while self.place < self.run {
                folded = f(folded, self.take_place());
            }
            if !self.refill() {
                return folded;
            }
        }
    }
}

impl DoubleEndedIterator for HoleWalk {
    #[inline]
    fn next_back(&mut self) -> Option<usize> {
        while self.back == 0 {
            if !self.retreat() {
                return None;
            }
        }
        let highest = 63 - self.back.leading_zeros();
        self.back &= !(1 << highest);
        Some(self.back_base | highest as usize)
    }
}

impl ExactSizeIterator for HoleWalk {}

impl FusedIterator for HoleWalk {}
