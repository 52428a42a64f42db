//! What is known of a row, in 64 bits.
//!
//! ```text
//! live   | generation 8 | length 21 | class 5 | offset 30 |       generation from 1
//! dead   | 0          8 | -         | last generation 8 | next dead row, or 0 24 |
//! ```

use crate::array_of_arrays::RowId;

/// A row as its table holds it. Zero is a row that never lived.
///
/// The class is the power of two of a block's units, plus 1; class 0 is a row without a block. A dead row
/// has generation 0, which no id has, so one comparison tells live from dead and from another life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Word(u64);

const OFFSET_BITS: u32 = 30;
const CLASS_BITS: u32 = 5;
const LEN_SHIFT: u32 = OFFSET_BITS + CLASS_BITS;
const LEN_BITS: u32 = 21;
const GENERATION_SHIFT: u32 = LEN_SHIFT + LEN_BITS;

const LEN_ONE: u64 = 1 << LEN_SHIFT;
const LEN_MASK: u64 = ((1 << LEN_BITS) - 1) << LEN_SHIFT;
const PLACE_MASK: u64 = LEN_ONE - 1;

/// The bits of an id that are its index; the rest are its generation.
pub(super) const INDEX_BITS: u32 = 24;
/// The bits of an id that are its generation.
pub(super) const GENERATION_BITS: u32 = 8;
/// How often an index may name a row.
const GENERATIONS: u32 = (1 << GENERATION_BITS) - 1;
/// The rows that there may be: one fewer than indices, so that a link may be an index plus 1.
pub(super) const ROWS_MAX: u32 = (1 << INDEX_BITS) - 1;
/// The elements that a row may have: a power of two, so that a block of the greatest class is full with them
/// and a push needs no other test than that for a full block.
pub(super) const LEN_MAX: u32 = 1 << (LEN_BITS - 1);
/// The units that the offset of a block may count.
pub(super) const UNITS_MAX: u32 = 1 << OFFSET_BITS;
/// One more than the greatest class: that of a block for `LEN_MAX` elements of a unit each.
pub(super) const CLASSES: usize = LEN_BITS as usize + 1;

const _: () = assert!(GENERATION_SHIFT + GENERATION_BITS == 64, "the parts make a word");
const _: () = assert!(CLASSES <= 1 << CLASS_BITS, "every class has a number");

impl Word {
    /// Returns a live row without a block, of a generation of at least 1.
    pub(super) const fn empty(generation: u32) -> Self {
        Self((generation as u64) << GENERATION_SHIFT)
    }

    /// Returns a dead row whose index lives again `after` this generation, and the link of its list.
    pub(super) const fn dead(last_generation: u32, next: u32) -> Self {
        Self((last_generation as u64) << INDEX_BITS | next as u64)
    }

    /// Tells whether the row is alive and the id is its own.
    #[inline(always)]
    pub(super) fn is_named_by<T>(self, id: RowId<T>) -> bool {
        self.0 >> GENERATION_SHIFT == u64::from(id.to_bits() >> INDEX_BITS)
    }

    #[inline(always)]
    pub(super) const fn is_live(self) -> bool {
        self.0 >> GENERATION_SHIFT != 0
    }

    /// Returns the generation of a live row.
    #[inline(always)]
    pub(super) const fn generation(self) -> u32 {
        (self.0 >> GENERATION_SHIFT) as u32
    }

    /// Returns the link of a dead row.
    pub(super) const fn next_dead(self) -> u32 {
        self.0 as u32 & ROWS_MAX
    }

    /// Returns the last generation of a dead row.
    pub(super) const fn last_generation(self) -> u32 {
        (self.0 >> INDEX_BITS) as u32
    }

    /// Returns whether an index whose last generation is this may live again.
    pub(super) const fn may_live_after(generation: u32) -> bool {
        generation < GENERATIONS
    }

    /// Returns where the block begins, in units. Without a block it is 0.
    #[inline(always)]
    pub(super) const fn offset(self) -> u32 {
        self.0 as u32 & (UNITS_MAX - 1)
    }

    #[inline(always)]
    pub(super) const fn class(self) -> u32 {
        (self.0 >> OFFSET_BITS) as u32 & ((1 << CLASS_BITS) - 1)
    }

    /// Returns the units of the block; 0 without one.
    #[inline(always)]
    pub(super) const fn units(self) -> u32 {
        units_of(self.class())
    }

    /// Returns how many elements the row has.
    #[inline(always)]
    pub(super) const fn len(self) -> u32 {
        (self.0 >> LEN_SHIFT) as u32 & ((1 << LEN_BITS) - 1)
    }

    /// Counts an element more. There is room for it, and it is within `LEN_MAX`.
    #[inline(always)]
    pub(super) const fn count_up(&mut self) {
        self.0 += LEN_ONE;
    }

    /// Counts an element less. There is one.
    #[inline(always)]
    pub(super) const fn count_down(&mut self) {
        self.0 -= LEN_ONE;
    }

    /// Sets how many elements the row has, at most `LEN_MAX`.
    #[inline]
    pub(super) const fn set_len(&mut self, len: u32) {
        self.0 = self.0 & !LEN_MASK | (len as u64) << LEN_SHIFT;
    }

    /// Sets where the block lies and of which class it is; length and generation stay.
    #[inline]
    pub(super) const fn set_block(&mut self, offset: u32, class: u32) {
        self.0 = self.0 & !PLACE_MASK | (class as u64) << OFFSET_BITS | offset as u64;
    }
}

/// Returns the units of a block of a class.
#[inline(always)]
pub(super) const fn units_of(class: u32) -> u32 {
    (1 << class) >> 1
}

/// Returns the least class whose blocks have so many units; `units` is at most 2^30.
#[inline]
pub(super) const fn class_for(units: u32) -> u32 {
    if units == 0 { 0 } else { units.next_power_of_two().trailing_zeros() + 1 }
}
