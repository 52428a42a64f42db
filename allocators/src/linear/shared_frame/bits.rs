//! The starts and ends of a shared frame's live blocks: two bits for each 8 bytes.

use core::ptr::NonNull;

use crate::threads::sync::shared::{AtomicUsize, Ordering};

/// The granularity of block offsets and strides.
pub(super) const GRAIN: usize = 8;

/// The number of grains in a word; two under the model checker, so that small blocks cross words.
const GRAINS: usize = if cfg!(all(test, loom)) { 2 } else { usize::BITS as usize / 2 };

/// The bits of the starts in a word.
const STARTS: usize = usize::MAX / 3;
/// The bits of the ends in a word.
const ENDS: usize = STARTS << 1;

/// The bits of a frame. Grain `i` has bit `2 i` of its word for a start and the next for an end.
///
/// # Invariants
///
/// 1. `words` points to as many words as `grains` need, which are accessed only by atomic
///    operations.
pub(super) struct Bits {
    words: NonNull<AtomicUsize>,
    grains: usize,
}

/// The word of a grain and the bit of a start in it.
#[inline]
const fn start_place(grain: usize) -> (usize, usize) {
    (grain / GRAINS, 1 << (2 * (grain % GRAINS)))
}

/// The word and the bit of the last grain of a block that ends before grain `end`.
#[inline]
const fn end_place(end: usize) -> (usize, usize) {
    let (word, bit) = start_place(end - 1);
    (word, bit << 1)
}

impl Bits {
    /// Returns how many of `bytes` bytes are left for blocks when their bits follow them.
    pub(super) const fn room_in(bytes: usize) -> usize {
        let bits = bytes.div_ceil(GRAINS * GRAIN + size_of::<AtomicUsize>());
        // Whole words, so that the bits are aligned if the blocks are.
        let words =
            bytes.saturating_sub(bits * size_of::<AtomicUsize>()) / size_of::<AtomicUsize>();
        words * size_of::<AtomicUsize>() / GRAIN * GRAIN
    }

    /// Creates the bits of `grains` grains, all clear.
    ///
    /// # Safety
    ///
    /// `memory` is aligned for words, valid for as many as the grains need, and used by no other
    /// code.
    pub(super) unsafe fn new(memory: NonNull<u8>, grains: usize) -> Self {
        let words = memory.cast::<AtomicUsize>();
        for index in 0..grains.div_ceil(GRAINS) {
            // SAFETY: the caller's promise.
            let word = unsafe { words.add(index) };
            // SAFETY: the caller's promise.
            unsafe { word.write(AtomicUsize::new(0)) };
        }
        Self { words, grains }
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicUsize {
        debug_assert!(index < self.grains.div_ceil(GRAINS), "word {index}");
        // SAFETY: invariant 1; callers pass the words of grains.
        let word = unsafe { self.words.add(index) };
        // SAFETY: as above.
        unsafe { word.as_ref() }
    }

    /// Sets the bits of a block from grain `start` to before `end`, which this thread has just
    /// taken.
    #[inline]
    pub(super) fn set(&self, start: usize, end: usize) {
        let ((first, s), (last, e)) = (start_place(start), end_place(end));
        // Release pairs with the Acquire in `load`: a thread that sees the start also sees the end,
        // and all that the cursor's Acquire has shown.
        if first == last {
            self.word(first).fetch_or(s | e, Ordering::Release);
        } else {
            self.word(last).fetch_or(e, Ordering::Release);
            self.word(first).fetch_or(s, Ordering::Release);
        }
    }

    /// Clears the bits of the live block that starts at `start` and returns the grain after it.
    /// `None` if none starts there (any more): of several threads that claim one block, one gets
    /// it.
    #[inline]
    pub(super) fn claim(&self, start: usize) -> Option<usize> {
        let (first, s) = start_place(start);
        let mut word = self.load(first);
        loop {
            let ends = word & ENDS & !(s - 1);
            // The lowest of them, or nothing.
            let e = ends & ends.wrapping_neg();
            if word & s == 0 {
                return None;
            }
            let cell = self.word(first);
            // Release pairs with the Acquire of the next allocation here; Acquire with the Release
            // in `set`, as the end may be in another word.
            match cell.compare_exchange(word, word & !(s | e), Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) if e != 0 => {
                    return Some(first * GRAINS + e.trailing_zeros() as usize / 2 + 1);
                }
                // The start was cleared here, so the block and its end are this thread's.
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        let end = self.end_of(start)?;
        let (last, e) = end_place(end);
        // Release, as above.
        self.word(last).fetch_and(!e, Ordering::Release);
        Some(end)
    }

    /// Moves the end of a block that this thread owns.
    pub(super) fn move_end(&self, from: usize, to: usize) {
        let ((old, e), (new, bit)) = (end_place(from), end_place(to));
        // Release, as in `set`.
        self.word(new).fetch_or(bit, Ordering::Release);
        self.word(old).fetch_and(!e, Ordering::Release);
    }

    /// Clears the words of the grains below `end`. No other thread uses the frame.
    pub(super) fn clear_below(&mut self, end: usize) {
        for index in 0..end.div_ceil(GRAINS) {
            // Relaxed: no other thread uses the frame.
            self.word(index).store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn load(&self, index: usize) -> usize {
        // Acquire pairs with the Release in `set`.
        self.word(index).load(Ordering::Acquire)
    }

    /// Whether a live block starts at `grain`.
    #[inline]
    pub(super) fn starts(&self, grain: usize) -> bool {
        let (word, bit) = start_place(grain);
        self.load(word) & bit != 0
    }

    /// Returns the grain after the live block that starts at `grain`.
    pub(super) fn end_of(&self, grain: usize) -> Option<usize> {
        let (first, bit) = start_place(grain);
        let mut ends = self.load(first) & ENDS & !(bit - 1);
        let mut index = first;
        while ends == 0 {
            index += 1;
            if index * GRAINS >= self.grains {
                return None;
            }
            ends = self.load(index) & ENDS;
        }
        Some(index * GRAINS + ends.trailing_zeros() as usize / 2 + 1)
    }

    /// Returns the first grain from `grain` on at which a live block starts.
    pub(super) fn next_start(&self, grain: usize) -> Option<usize> {
        let mut index = grain / GRAINS;
        let mut mask = !(start_place(grain).1 - 1);
        while index * GRAINS < self.grains {
            let starts = self.load(index) & STARTS & mask;
            if starts != 0 {
                return Some(index * GRAINS + starts.trailing_zeros() as usize / 2);
            }
            (index, mask) = (index + 1, usize::MAX);
        }
        None
    }

    /// Whether `grain` is in a live block that starts before it: the closest set bit below is a
    /// start.
    pub(super) fn is_within(&self, grain: usize) -> bool {
        let (first, bit) = start_place(grain);
        let mut index = first;
        let mut below = self.load(first) & (bit - 1);
        while below == 0 && index > 0 {
            index -= 1;
            below = self.load(index);
        }
        below != 0 && below.ilog2().is_multiple_of(2)
    }
}
