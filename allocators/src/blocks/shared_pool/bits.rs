//! The bits of a chunk: which blocks are free, and where to search for one.
//!
//! # How the levels stay in step
//!
//! The thread that sets the first bit of a word then reads the word's bit in the level above and
//! sets it if it is clear. One that clears the last bit of a word does not change the bit above it:
//! a block that is repeatedly allocated and freed so changes only its leaf. Only a search that is
//! led to a word without bits clears the bit above it, then reads the word again, by a
//! read-modify-write, and if there are bits, sets the bit above again.
//!
//! Let S set the first bit of a word and C clear the bit above it. S's change of the word and C's
//! second read of it are both read-modify-writes, so one comes before the other. If S's is first, C
//! sees the bit (or that it was taken again) and sets the bit above again. If C's is first, S's
//! reads its value, or a later one of its release sequence (Acquire and Release), so S sees that
//! the bit above was cleared and sets it. So once both are done, a word with bits has its bit
//! above.

use crate::threads::sync::shared::{AtomicUsize, Ordering};

use super::chunk::Chunk;

/// The bits of a word; two under the model checker, so that a model of few blocks has every level.
pub(super) const BITS: usize = if cfg!(all(test, loom)) { 2 } else { usize::BITS as usize };

/// Returns a word whose first `bits` bits are set; all of them if it has no more.
pub(super) const fn ones(bits: usize) -> usize {
    if bits >= BITS { usize::MAX >> (usize::BITS as usize - BITS) } else { (1 << bits) - 1 }
}

/// Sets the bit of the word number `index` in the word above if it is clear, and returns whether it
/// is now the first there.
fn raise(above: &AtomicUsize, index: usize) -> bool {
    let bit = 1 << (index % BITS);
    // Relaxed: the change of the word below, before this, has made the needed writes visible.
    if above.load(Ordering::Relaxed) & bit != 0 {
        return false;
    }
    // Acquire and Release pair with the second read of this word in `lower`.
    above.fetch_or(bit, Ordering::AcqRel) == 0
}

/// Clears the bit of `word`, number `index`, in the word above, and returns whether that was wrong
/// because the word has bits.
fn lower(above: &AtomicUsize, word: &AtomicUsize, index: usize) -> bool {
    // Release by the next operation.
    above.fetch_and(!(1 << (index % BITS)), Ordering::Relaxed);
    // Does not change the value, but has its place in the modification order. Release pairs with
    // the Acquire of a thread that sets the first bit after this, and then sees the bit above
    // cleared; Acquire with the Release of one that did before, so that the bit above is set again
    // after its own.
    word.fetch_or(0, Ordering::AcqRel) != 0
}

/// Returns the first set bit of a word from `start` on, wrapping around. The word is not zero.
#[inline]
fn next_bit(word: usize, start: usize) -> usize {
    let later = word & (usize::MAX << start);
    (if later != 0 { later } else { word }).trailing_zeros() as usize
}

impl Chunk {
    /// Takes a block of leaf `leaf`, if one is free.
    #[inline]
    pub(super) fn take_at(&self, leaf: usize) -> Option<usize> {
        let word = self.leaf(leaf);
        // Relaxed: the value is used only if the exchange succeeds.
        let mut free = word.load(Ordering::Relaxed);
        while free != 0 {
            let rest = free & (free - 1);
            // Acquire pairs with the Release in `put`: the last owner's writes to the block happen
            // before the next owner's.
            match word.compare_exchange(free, rest, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(leaf * BITS + free.trailing_zeros() as usize),
                Err(now) => free = now,
            }
        }
        None
    }

    /// Takes a block that the upper levels lead to, searching from the leaf `start` on.
    pub(super) fn take(&self, start: usize) -> Option<usize> {
        loop {
            // Relaxed: the levels above the leaves are only hints for the search.
            let root = self.root.load(Ordering::Relaxed);
            if root == 0 {
                return None;
            }
            let middle = next_bit(root, start / BITS % BITS);
            let word = self.middle(middle).load(Ordering::Relaxed);
            if word == 0 {
                self.emptied_middle(middle);
                continue;
            }
            let leaf = middle * BITS + next_bit(word, start % BITS);
            let taken = self.take_at(leaf);
            if taken.is_some() {
                return taken;
            }
            self.emptied(leaf);
        }
    }

    /// Takes a block of any leaf, ignoring the upper levels.
    #[cold]
    pub(super) fn take_any(&self) -> Option<usize> {
        (0..self.leaves()).find_map(|leaf| self.take_at(leaf))
    }

    /// Marks block `index` as free; false if it is already free.
    #[inline]
    pub(super) fn put(&self, index: usize) -> bool {
        let (leaf, bit) = (index / BITS, 1 << (index % BITS));
        // Release pairs with the Acquire in `take_at`, both with those of the second read in
        // `lower`.
        let before = self.leaf(leaf).fetch_or(bit, Ordering::AcqRel);
        if before == 0 {
            self.filled(leaf);
        }
        before & bit == 0
    }

    /// Whether block `index` is free.
    pub(super) fn is_free(&self, index: usize) -> bool {
        // Relaxed: the caller owns the block, or it is a misuse.
        self.leaf(index / BITS).load(Ordering::Relaxed) >> (index % BITS) & 1 != 0
    }

    /// Sets the bits above a leaf that got its first bit.
    #[inline]
    fn filled(&self, leaf: usize) {
        if raise(self.middle(leaf / BITS), leaf) {
            raise(&self.root, leaf / BITS);
        }
    }

    /// Clears the bit above a leaf that was found empty.
    #[cold]
    fn emptied(&self, leaf: usize) {
        if lower(self.middle(leaf / BITS), self.leaf(leaf), leaf) {
            self.filled(leaf);
        }
    }

    /// Clears the bit above a middle word that was found empty.
    #[cold]
    fn emptied_middle(&self, middle: usize) {
        if lower(&self.root, self.middle(middle), middle) {
            raise(&self.root, middle);
        }
    }
}
