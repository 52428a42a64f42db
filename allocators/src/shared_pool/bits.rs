//! The bits of a chunk: which blocks are free, and where to look for one.
//!
//! # How the levels stay in step
//!
//! Who sets the first bit of a word sets the word's bit above it afterwards. Who clears the last bit of
//! a word clears the bit above it, then looks at the word again, and if there are bits, sets the bit above
//! again. Let S set the first bit of a word and C clear the bit above it. Both change the word above by a
//! read-modify-write. If S's comes after C's, the bit stays set. If C's comes after S's, it reads what S
//! wrote (Acquire and Release), so the look that follows sees S's bit, and C sets the bit above again. So
//! once both are done, a word with bits has its bit above. A bit above a word without bits is harmless:
//! who meets it clears it in the same way.

use crate::sync::shared::{AtomicUsize, Ordering};

use super::chunk::Chunk;

/// The bits of a word; two under the model checker, so that a model of few blocks has every level.
pub(super) const BITS: usize = if cfg!(loom) { 2 } else { usize::BITS as usize };

/// Returns a word whose first `bits` bits are set; all of them where it has no more.
pub(super) const fn ones(bits: usize) -> usize {
    if bits >= BITS { usize::MAX >> (usize::BITS as usize - BITS) } else { (1 << bits) - 1 }
}

/// Sets the bit of `lower`, the word number `index`, in the words above.
fn raise(above: &AtomicUsize, index: usize) -> usize {
    // Release pairs with the Acquire of who clears the bit after this; Acquire with the Release of
    // who did before.
    above.fetch_or(1 << (index % BITS), Ordering::AcqRel)
}

/// Clears the bit of the word number `index` in the word above, and tells whether that was the last.
fn lower(above: &AtomicUsize, index: usize) -> bool {
    // Acquire pairs with the Release of who set it, so the look that follows sees its reason.
    let bit = 1 << (index % BITS);
    above.fetch_and(!bit, Ordering::AcqRel) & !bit == 0
}

/// Returns the first set bit of a word from `start` on, going round. The word is not zero.
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
        // Relaxed: what was read is only believed if the exchange succeeds.
        let mut free = word.load(Ordering::Relaxed);
        while free != 0 {
            let rest = free & (free - 1);
            // Acquire pairs with the Release in `put`: what the last owner did to the block comes before
            // what the next one does.
            match word.compare_exchange(free, rest, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    if rest == 0 {
                        self.emptied(leaf);
                    }
                    return Some(leaf * BITS + free.trailing_zeros() as usize);
                }
                Err(now) => free = now,
            }
        }
        None
    }

    /// Takes a block that the upper levels lead to, looking from `start` on, a leaf.
    pub(super) fn take(&self, start: usize) -> Option<usize> {
        loop {
            // Relaxed: the levels above the leaves only say where to look.
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

    /// Takes a block of any leaf, whatever the upper levels say.
    #[cold]
    pub(super) fn take_any(&self) -> Option<usize> {
        (0..self.leaves()).find_map(|leaf| self.take_at(leaf))
    }

    /// Marks block `index` as free; false if it is so already.
    #[inline]
    pub(super) fn put(&self, index: usize) -> bool {
        let (leaf, bit) = (index / BITS, 1 << (index % BITS));
        // Release pairs with the Acquire in `take_at`.
        let before = self.leaf(leaf).fetch_or(bit, Ordering::Release);
        if before == 0 {
            self.filled(leaf);
        }
        before & bit == 0
    }

    /// Whether block `index` is free.
    pub(super) fn is_free(&self, index: usize) -> bool {
        // Relaxed: whoever asks owns the block, or is wrong.
        self.leaf(index / BITS).load(Ordering::Relaxed) >> (index % BITS) & 1 != 0
    }

    /// Sets the bits above a leaf that has got its first bit.
    fn filled(&self, leaf: usize) {
        if raise(self.middle(leaf / BITS), leaf) == 0 {
            raise(&self.root, leaf / BITS);
        }
    }

    /// Clears the bits above a leaf that was seen without bits.
    #[cold]
    fn emptied(&self, leaf: usize) {
        let middle = leaf / BITS;
        let was_last = lower(self.middle(middle), leaf);
        // Relaxed: the read-modify-write before it has made visible what must be seen.
        if self.leaf(leaf).load(Ordering::Relaxed) != 0 {
            self.filled(leaf);
        } else if was_last {
            self.emptied_middle(middle);
        }
    }

    /// Clears the bit above a middle word that was seen without bits.
    fn emptied_middle(&self, middle: usize) {
        lower(&self.root, middle);
        // Relaxed, as in `emptied`.
        if self.middle(middle).load(Ordering::Relaxed) != 0 {
            raise(&self.root, middle);
        }
    }
}
