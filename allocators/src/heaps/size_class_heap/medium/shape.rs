//! The classes of slabs of middle sizes, computed at compile time.

use crate::heaps::size_classes::PAGE_GRANULES;

/// Classes of middle sizes: 16 a doubling of the size.
pub(in crate::heaps::size_class_heap) const MEDIUM_CLASSES: usize = 66;
/// The largest request that a slab of a middle size serves.
pub(in crate::heaps::size_class_heap) const MEDIUM_BYTES_MAX: usize = 8192;
/// Most pages of a slab.
pub(in crate::heaps::size_class_heap) const PAGES_MAX: u32 = 32;

/// A core block of `n` granules has `n - 1` and a half for its payload; classes are by the `n - 1`,
/// so that sizes that are powers of two are exact. The least of class 0.
const LEAST: u32 = 31;
/// The greatest of the last class.
const GREATEST: u32 = 512;
/// Least slots of a slab.
const SLOTS_MIN: u32 = 8;

/// How a class divides its slabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Granules of a slot, its header included.
    pub(super) granules: u32,
    pub(super) pages: u32,
    pub(super) slots: u32,
    /// Offsets of slots in granules, times this, shifted by [`RECIPROCAL_BITS`], are slot numbers.
    pub(super) reciprocal: u32,
}

/// The binary places of a shape's reciprocal: offsets are below 2^13 and slots below 2^10, so the
/// error of the rounding stays below one slot.
pub(super) const RECIPROCAL_BITS: u32 = 24;

/// The class of core blocks of `granules`, if they have one.
#[inline]
pub(in crate::heaps::size_class_heap) const fn medium_class(granules: u32) -> Option<usize> {
    let size = granules.wrapping_sub(1);
    if size.wrapping_sub(LEAST) > GREATEST - LEAST {
        return None;
    }
    let shift = size.ilog2() - 4;
    let rounded = (size + (1 << shift) - 1) >> shift;
    Some((shift * 16 + rounded - LEAST) as usize)
}

/// The most granules of a block that has a class.
const GRANULES_MAX: usize = GREATEST as usize + 1;

/// The class of core blocks by their granules, `MEDIUM_CLASSES` for those that have none: a load
/// where [`medium_class`] has ten instructions.
static CLASSES: [u8; GRANULES_MAX + 1] = {
    let mut classes = [MEDIUM_CLASSES as u8; GRANULES_MAX + 1];
    let mut granules = 0;
    while granules <= GRANULES_MAX {
        if let Some(class) = medium_class(granules as u32) {
            classes[granules] = class as u8;
        }
        granules += 1;
    }
    classes
};

/// Granules of a slot of each class, its header included.
#[cfg(all(feature = "std", not(loom)))]
pub(in crate::heaps::size_class_heap) static SLOT_GRANULES: [u16; MEDIUM_CLASSES] = {
    let mut granules = [0; MEDIUM_CLASSES];
    let mut class = 0;
    while class < MEDIUM_CLASSES {
        granules[class] = shape(class).granules as u16;
        class += 1;
    }
    granules
};

/// As [`medium_class`], but `MEDIUM_CLASSES` where that has none.
#[inline(always)]
pub(in crate::heaps::size_class_heap) fn class_or_none(granules: u32) -> usize {
    let granules = granules as usize;
    let index = if granules > GRANULES_MAX { 0 } else { granules };
    usize::from(CLASSES[index])
}

/// The shape of a class.
pub(super) const fn shape(class: usize) -> Shape {
    let step = class as u32 + LEAST;
    let shift = (step - 16) / 16;
    let granules = ((step - shift * 16) << shift) + 1;
    let mut pages = 2;
    loop {
        assert!(pages <= PAGES_MAX, "every class has a slab that wastes little");
        let all = pages * PAGE_GRANULES;
        let slots = all / granules;
        // A front has five bits for a slot.
        assert!(slots < 32, "every class has a slab of few slots");
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
    fn every_size_has_the_least_class_that_holds_it() {
        for granules in 0..1000 {
            let Some(class) = medium_class(granules) else {
                assert!(!(32..=513).contains(&granules), "{granules} granules have no class");
                continue;
            };
            assert!(shape(class).granules >= granules, "class {class} is less than {granules}");
            let below = class.checked_sub(1).map_or(0, |below| shape(below).granules);
            assert!(below < granules, "class {} would hold {granules}", class.wrapping_sub(1));
        }
        assert_eq!(medium_class(513), Some(MEDIUM_CLASSES - 1), "the last class");
    }

    #[test]
    fn the_table_of_classes_says_the_same() {
        for granules in (0..2000).chain([u32::MAX - 1, u32::MAX]) {
            let class = medium_class(granules).unwrap_or(MEDIUM_CLASSES);
            assert_eq!(class_or_none(granules), class, "{granules} granules");
        }
    }

    #[test]
    fn powers_of_two_fit_exactly() {
        for bytes in [512, 1024, 2048, 4096, 8192_u32] {
            let granules = (bytes + 8).div_ceil(16);
            let class = medium_class(granules).expect("it has a class");
            assert_eq!(shape(class).granules, granules, "{bytes} bytes");
        }
    }

    #[test]
    fn slabs_waste_at_most_a_32nd_and_have_8_to_31_slots() {
        for class in 0..MEDIUM_CLASSES {
            let Shape { granules, pages, slots, .. } = shape(class);
            let waste = pages * PAGE_GRANULES - slots * granules;
            assert!((8..32).contains(&slots), "class {class} has {slots} slots");
            assert!(waste * 32 <= pages * PAGE_GRANULES, "class {class} wastes {waste} granules");
        }
    }

    #[test]
    fn the_reciprocal_divides_every_offset() {
        for class in 0..MEDIUM_CLASSES {
            let Shape { granules, pages, reciprocal, .. } = shape(class);
            for offset in 0..pages * PAGE_GRANULES {
                let slot = (u64::from(offset) * u64::from(reciprocal)) >> RECIPROCAL_BITS;
                assert_eq!(slot, u64::from(offset / granules), "{offset} in class {class}");
            }
        }
    }
}
