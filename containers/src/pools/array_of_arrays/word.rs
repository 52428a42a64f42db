//! What is known of a row, in 64 bits.
//!
//! ```text
//! live   | end 32                | generation 8, from 1 | length 19              | full 5 |
//! dead   | last generation 32    | 0                  8 | next dead row, or 0                24 |
//! ```

use crate::pools::array_of_arrays::RowId;

/// A row as its table holds it.
///
/// `end` is the place in the buffer, in elements, where the next element goes: so a push and a pop
/// add the same constant, forward or back, to length and end at once. `full` is the number of a bit
/// of the lower half that is set where the row is full and clear where it is not: of a block of 2^k
/// elements it is bit k of the length, without a block it is a bit of the generation that is set.
/// So whether there is room is one instruction. A dead row has generation 0, which no id has, so
/// one comparison distinguishes live from dead and from another life.
///
/// # Invariants
///
/// 1. Of a live row, `full` is the number of such a bit, and `end` is at least the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Word(u64);

const FULL_BITS: u32 = 5;
const FULL_MASK: u32 = (1 << FULL_BITS) - 1;
const LEN_SHIFT: u32 = FULL_BITS;
const LEN_BITS: u32 = 19;
const LEN_MASK: u32 = ((1 << LEN_BITS) - 1) << LEN_SHIFT;
const GENERATION_SHIFT: u32 = LEN_SHIFT + LEN_BITS;
const END_SHIFT: u32 = 32;

/// An element more: one is added to the length and to the end.
const ELEMENT: u64 = 1 << END_SHIFT | 1 << LEN_SHIFT;

/// The bits of an id that are its index; the rest are its generation.
pub(super) const INDEX_BITS: u32 = 24;
/// The bits of an id that are its generation.
pub(super) const GENERATION_BITS: u32 = 8;
/// How often an index may name a row.
const GENERATIONS: u32 = (1 << GENERATION_BITS) - 1;
/// The rows that there may be: one fewer than indices, so that a link may be an index plus 1.
pub(super) const ROWS_MAX: u32 = (1 << INDEX_BITS) - 1;
/// The elements that a row may have: a power of two, so that the greatest block is full with them
/// and its row needs no other test.
pub(super) const LEN_MAX: u32 = 1 << (LEN_BITS - 1);
/// One more than the greatest class: that of a block for `LEN_MAX` elements of a unit each.
pub(super) const CLASSES: usize = LEN_BITS as usize + 1;

const _: () = assert!(GENERATION_SHIFT + GENERATION_BITS == END_SHIFT, "the parts make a word");
const _: () = assert!(GENERATION_SHIFT == INDEX_BITS, "ids and words have it at the same place");

impl Word {
    /// Returns a live row without a block, of a generation of at least 1.
    pub(super) const fn empty(generation: u32) -> Self {
        let low = generation << GENERATION_SHIFT;
        Self((low | low.trailing_zeros()) as u64)
    }

    /// Returns a dead row with its last generation and the link of its list.
    pub(super) const fn dead(last_generation: u32, next: u32) -> Self {
        Self((last_generation as u64) << END_SHIFT | next as u64)
    }

    #[inline(always)]
    const fn low(self) -> u32 {
        self.0 as u32
    }

    /// Returns `true` if the row is alive and the id is its own.
    #[inline(always)]
    pub(super) fn is_named_by<T>(self, id: RowId<T>) -> bool {
        (self.low() ^ id.to_bits()) >> GENERATION_SHIFT == 0
    }

    #[inline(always)]
    pub(super) const fn is_live(self) -> bool {
        self.generation() != 0
    }

    /// Returns the generation of a live row; 0 of a dead one.
    #[inline(always)]
    pub(super) const fn generation(self) -> u32 {
        self.low() >> GENERATION_SHIFT
    }

    /// Returns the link of a dead row.
    pub(super) const fn next_dead(self) -> u32 {
        self.low()
    }

    /// Returns the last generation of a dead row.
    pub(super) const fn last_generation(self) -> u32 {
        (self.0 >> END_SHIFT) as u32
    }

    /// Returns whether an index whose last generation is this may live again.
    pub(super) const fn may_live_after(generation: u32) -> bool {
        generation < GENERATIONS
    }

    /// Returns `true` if there is no room for another element.
    #[inline(always)]
    pub(super) const fn is_full(self) -> bool {
        self.low() >> (self.low() & FULL_MASK) & 1 != 0
    }

    #[inline(always)]
    pub(super) const fn is_empty(self) -> bool {
        self.low() & LEN_MASK == 0
    }

    /// Returns how many elements the row has.
    #[inline(always)]
    pub(super) const fn len(self) -> u32 {
        (self.low() & LEN_MASK) >> LEN_SHIFT
    }

    /// Returns where the next element goes, in elements.
    #[inline(always)]
    pub(super) const fn end(self) -> u32 {
        (self.0 >> END_SHIFT) as u32
    }

    /// Returns where the block begins, in elements. Without a block it is 0.
    #[inline(always)]
    pub(super) const fn start(self) -> u32 {
        self.end().wrapping_sub(self.len())
    }

    /// Returns how many elements the block holds: a power of two, or 0 without a block.
    #[inline]
    pub(super) const fn capacity(self) -> u32 {
        let full = self.low() & FULL_MASK;
        if full < GENERATION_SHIFT { 1 << (full - LEN_SHIFT) } else { 0 }
    }

    /// Returns the class of the block, of units of 2^`unit_bits` elements; 0 without a block.
    #[inline]
    pub(super) const fn class(self, unit_bits: u32) -> u32 {
        let full = self.low() & FULL_MASK;
        if full < GENERATION_SHIFT { full + 1 - LEN_SHIFT - unit_bits } else { 0 }
    }

    /// Counts an element more. The row is not full.
    #[inline(always)]
    pub(super) const fn count_up(&mut self) {
        self.0 += ELEMENT;
    }

    /// Counts an element less. There is one.
    #[inline(always)]
    pub(super) const fn count_down(&mut self) {
        self.0 -= ELEMENT;
    }

    /// Sets how many elements the row has, at most its capacity.
    #[inline]
    pub(super) const fn set_len(&mut self, len: u32) {
        *self = self.with(self.start(), len, self.low() & FULL_MASK);
    }

    /// Sets where the block is and how many elements it holds: a power of two, at least the length
    /// and at most `LEN_MAX`.
    #[inline]
    pub(super) const fn set_block(&mut self, start: u32, capacity: u32) {
        *self = self.with(start, self.len(), LEN_SHIFT + capacity.trailing_zeros());
    }

    /// Counts the block as twice as large. There is one, of less than `LEN_MAX` elements.
    #[inline]
    pub(super) const fn double(&mut self) {
        self.0 += 1;
    }

    #[inline]
    const fn with(self, start: u32, len: u32, full: u32) -> Self {
        let low = self.generation() << GENERATION_SHIFT | len << LEN_SHIFT | full;
        Self((start.wrapping_add(len) as u64) << END_SHIFT | low as u64)
    }
}

/// Returns the units of a block of a class: 2 to the power of the class less 1. Class 0 means that
/// there is no block.
#[inline(always)]
pub(super) const fn units_of(class: u32) -> u32 {
    (1 << class) >> 1
}

/// Returns the least class whose blocks have at least `units` units; `units` is at most `LEN_MAX`.
#[inline]
pub(super) const fn class_for(units: u32) -> u32 {
    if units == 0 { 0 } else { units.next_power_of_two().trailing_zeros() + 1 }
}
