//! Which nodes are in use: a bit each, and a bit for each 64 of those that are all set.

use loligo_allocators::Allocator;

use crate::arrays::array::Array;
use crate::error::GrowError;

#[cfg(test)]
mod tests;

/// Bits of a word.
const WORD: u32 = u64::BITS;

/// The bits of the nodes, 1 for one in use, so that zeroed memory is that of free nodes.
///
/// ```text
/// used  | 64 nodes | 64 nodes | ..           1 bit a node
/// full  | 64 words of `used`  | ..           1 bit for 64 nodes
/// ```
///
/// # Invariants
///
/// 1. `used` has a word for each 64 of `nodes`, rounded up; bits from `nodes` on are 0.
/// 2. `full` has a bit for each word of `used`, which is 1 where all bits of that word are.
pub(super) struct NodeBits<'a, A: Allocator + ?Sized> {
    used: Array<'a, u64, A>,
    full: Array<'a, u64, A>,
    nodes: u32,
}

impl<'a, A: Allocator + ?Sized> NodeBits<'a, A> {
    pub(super) const fn new(memory: &'a A) -> Self {
        Self { used: Array::new_in(memory), full: Array::new_in(memory), nodes: 0 }
    }

    /// Returns how many nodes there are bits for.
    pub(super) const fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Makes these the bits of `nodes` nodes, no fewer than now. The new ones are free.
    ///
    /// # Errors
    ///
    /// [`GrowError`]; nothing has changed.
    pub(super) fn try_grow(&mut self, nodes: u32) -> Result<(), GrowError> {
        let words = nodes.div_ceil(WORD) as usize;
        let full = words.div_ceil(WORD as usize);
        self.used.try_reserve(words - self.used.len())?;
        self.full.try_resize(full, 0)?;
        self.used.try_resize(words, 0)?;
        self.nodes = nodes;
        Ok(())
    }

    /// Returns the bytes of memory that the bits take.
    pub(super) fn bytes(&self) -> usize {
        (self.used.capacity() + self.full.capacity()) * size_of::<u64>()
    }

    #[inline]
    pub(super) fn is_used(&self, node: u32) -> bool {
        self.used[(node / WORD) as usize] >> (node % WORD) & 1 != 0
    }

    #[inline]
    pub(super) fn set(&mut self, node: u32) {
        let word = &mut self.used[(node / WORD) as usize];
        *word |= 1 << (node % WORD);
        if *word == u64::MAX {
            let at = node / WORD;
            self.full[(at / WORD) as usize] |= 1 << (at % WORD);
        }
    }

    #[inline]
    pub(super) fn unset(&mut self, node: u32) {
        let word = &mut self.used[(node / WORD) as usize];
        let was_full = *word == u64::MAX;
        *word &= !(1 << (node % WORD));
        if was_full {
            let at = node / WORD;
            self.full[(at / WORD) as usize] &= !(1 << (at % WORD));
        }
    }

    /// Returns a free node near `node`: the one after it, or else another of the same word.
    #[inline]
    pub(super) fn free_near(&self, node: u32) -> Option<u32> {
        let behind = node + 1;
        if behind < self.nodes && !self.is_used(behind) {
            return Some(behind);
        }
        let base = node / WORD * WORD;
        let free = !self.used[(node / WORD) as usize];
        let after = free & (u64::MAX << (node % WORD));
        let bits = if after == 0 { free } else { after };
        let found = base + bits.trailing_zeros();
        (bits != 0 && found < self.nodes).then_some(found)
    }

    /// Returns the first free node from `from` on, or else the first of all.
    pub(super) fn free_from(&self, from: u32) -> Option<u32> {
        self.free_behind(from).or_else(|| self.free_behind(0))
    }

    fn free_behind(&self, from: u32) -> Option<u32> {
        let at = from / WORD;
        let free = !self.used.get(at as usize)? & (u64::MAX << (from % WORD));
        let found = if free == 0 {
            let at = self.open_word(at + 1)?;
            at * WORD + (!self.used.get(at as usize)?).trailing_zeros()
        } else {
            at * WORD + free.trailing_zeros()
        };
        (found < self.nodes).then_some(found)
    }

    /// Returns the first word from `from` on that is not full. It may follow the last one.
    fn open_word(&self, from: u32) -> Option<u32> {
        let mut at = from / WORD;
        let mut open = !self.full.get(at as usize)? & (u64::MAX << (from % WORD));
        while open == 0 {
            at += 1;
            open = !*self.full.get(at as usize)?;
        }
        Some(at * WORD + open.trailing_zeros())
    }

    /// Returns the first used node from `from` on.
    #[inline]
    pub(super) fn used_from(&self, from: u32) -> Option<u32> {
        let mut at = from / WORD;
        let mut used = self.used.get(at as usize)? & (u64::MAX << (from % WORD));
        while used == 0 {
            at += 1;
            used = *self.used.get(at as usize)?;
        }
        Some(at * WORD + used.trailing_zeros())
    }

    /// Returns how many nodes are in use.
    pub(super) fn count(&self) -> u32 {
        self.used.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns `true` if the second level says what the first does, and no bit is beyond the nodes.
    pub(super) fn is_sound(&self) -> bool {
        let words = self.used.len();
        let full = |at: usize| self.full[at / 64] >> (at % 64) & 1 != 0;
        words == self.nodes.div_ceil(WORD) as usize
            && self.full.len() == words.div_ceil(64)
            && (0..words).all(|at| full(at) == (self.used[at] == u64::MAX))
            && self.used_from(self.nodes).is_none()
    }
}
