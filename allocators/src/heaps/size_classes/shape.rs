//! How the slabs of a class of a middle size are divided, computed at compile time.

use super::{GRANULE, PAGE_GRANULES};

/// Most pages of a slab: what the largest class needs.
const PAGES_MAX: u32 = 72;
/// Least slots of a slab.
const SLOTS_MIN: u32 = 8;

/// How a class divides its slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Granules of a slot, its header included.
    pub(crate) granules: u32,
    pub(crate) pages: u32,
    pub(crate) slots: u32,
    reciprocal: u32,
}

/// The binary places of a shape's reciprocal: offsets are below 2^15 and slots below 2^12, so the
/// error of the rounding stays below one slot.
const RECIPROCAL_BITS: u32 = 27;

impl Shape {
    pub(crate) const NONE: Self = Self { granules: 0, pages: 0, slots: 0, reciprocal: 0 };

    /// A bit for each slot of a slab.
    pub(crate) const fn all(self) -> u32 {
        (1 << self.slots) - 1
    }

    /// The slot that a granule of a slab is in.
    #[inline]
    pub(crate) const fn slot_of(self, offset: u32) -> u32 {
        ((offset as u64 * self.reciprocal as u64) >> RECIPROCAL_BITS) as u32
    }
}

/// Granules of a core block whose payload holds `bytes`.
pub(crate) const fn granules_for(bytes: usize) -> u32 {
    ((bytes + 8).div_ceil(GRANULE)) as u32
}

/// Bytes of the payload of a core block.
pub(crate) const fn payload(granules: u32) -> usize {
    granules as usize * GRANULE - 8
}

/// The shape of the class whose slots have `granules`.
pub(super) const fn shape(granules: u32) -> Shape {
    let mut pages = 2;
    loop {
        assert!(pages <= PAGES_MAX, "every class has a slab that wastes little");
        let all = pages * PAGE_GRANULES;
        let slots = all / granules;
        assert!(slots < 32, "a word has a bit for each slot of a slab");
        if slots >= SLOTS_MIN && (all - slots * granules) * 32 <= all {
            let reciprocal = (1_u32 << RECIPROCAL_BITS).div_ceil(granules);
            return Shape { granules, pages, slots, reciprocal };
        }
        pages += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slabs_waste_at_most_a_32nd_and_have_8_to_31_slots() {
        for of in 32..=2049 {
            let Shape { granules, pages, slots, .. } = shape(of);
            let waste = pages * PAGE_GRANULES - slots * granules;
            assert_eq!(granules, of, "as asked");
            assert!((8..32).contains(&slots), "{granules} granules: {slots} slots");
            assert!(waste * 32 <= pages * PAGE_GRANULES, "{granules} granules: {waste} are lost");
        }
    }

    #[test]
    fn the_reciprocal_divides_every_offset() {
        for granules in 32..=2049 {
            let of = shape(granules);
            for slot in 0..of.slots {
                for offset in [slot * granules, slot * granules + 1, (slot + 1) * granules - 1] {
                    assert_eq!(of.slot_of(offset), slot, "{offset} of {granules} granules");
                }
            }
        }
    }
}
