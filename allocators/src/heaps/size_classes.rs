//! Size classes: the block size for a small request. The heap and the slab share one table.
//!
//! A slab page has 4 088 usable bytes (its last 8 belong to the header after it), so a good class
//! divides them well. The default classes:
//!
//! | classes | step | slots a page |
//! |---|---|---|
//! | 16 to 240 | 16 | 255 to 17 |
//! | 272, 288, 304 | 16 | 15, 14, 13 |
//! | 336, 368, 400 | 32 | 12, 11, 10 |
//! | 448, 496 | 48 | 9, 8 |

/// Bytes of a granule: the unit of every size and address inside a region.
pub(crate) const GRANULE: usize = 16;
/// Bytes of a page, the unit that slabs take from a region.
pub(crate) const PAGE: usize = 4096;
/// Bytes of a page available to slots; the rest is the header of the block after it.
pub(crate) const PAGE_USABLE: usize = PAGE - 8;
/// Granules of a page.
pub(crate) const PAGE_GRANULES: u32 = (PAGE / GRANULE) as u32;
/// The maximum number of classes in a table.
pub(crate) const CLASSES_MAX: usize = 24;
/// The largest class of a table: a slot crosses at most one unit boundary.
pub(crate) const CLASS_BYTES_MAX: usize = 496;

/// A set of size classes, chosen at build time.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{ClassTable, SizeClasses};
///
/// /// For a program that asks for few sizes: 32, 64 and 192 bytes.
/// struct Few;
///
/// impl SizeClasses for Few {
///     const TABLE: &'static ClassTable = &ClassTable::new(&[32, 64, 192]);
/// }
///
/// assert_eq!(Few::TABLE.class_bytes(33), Some(64));
/// assert_eq!(Few::TABLE.class_bytes(193), None);
/// ```
pub trait SizeClasses {
    /// The table, computed at compile time.
    const TABLE: &'static ClassTable;
}

/// The classes that [`HeapAllocator`](crate::HeapAllocator) and, by default,
/// [`SlabAllocator`](crate::SlabAllocator) use.
#[derive(Clone, Copy, Debug)]
pub struct DefaultClasses;

impl SizeClasses for DefaultClasses {
    const TABLE: &'static ClassTable = &ClassTable::new(&[
        16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 272, 288, 304, 336,
        368, 400, 448, 496,
    ]);
}

/// The data computed from a list of classes. About 1.4 KiB, shared by all users.
#[derive(Debug)]
pub struct ClassTable {
    /// For a request of `n` granules, the index of its class.
    of_granules: [u8; CLASS_BYTES_MAX / GRANULE + 1],
    /// Bytes of a class.
    bytes: [u16; CLASSES_MAX],
    /// Slots in a page of the class.
    slots: [u16; CLASSES_MAX],
    /// For each class, the granules of a page at which a slot starts.
    masks: [[u64; 4]; CLASSES_MAX],
    count: u8,
    bytes_max: u16,
}

impl ClassTable {
    /// Computes the table for `classes`, in bytes.
    ///
    /// # Panics
    ///
    /// At compile time when used for [`SizeClasses::TABLE`]: if there are none or more than 24
    /// classes, or if they do not ascend in multiples of 16 up to 496.
    #[must_use]
    pub const fn new(classes: &[u16]) -> Self {
        assert!(!classes.is_empty() && classes.len() <= CLASSES_MAX, "a table has 1 to 24 classes");
        let mut table = Self {
            of_granules: [0; CLASS_BYTES_MAX / GRANULE + 1],
            bytes: [0; CLASSES_MAX],
            slots: [0; CLASSES_MAX],
            masks: [[0; 4]; CLASSES_MAX],
            count: classes.len() as u8,
            bytes_max: classes[classes.len() - 1],
        };
        let mut class = 0;
        let mut granules = 0;
        while class < classes.len() {
            let bytes = classes[class] as usize;
            assert!(
                bytes.is_multiple_of(GRANULE) && bytes / GRANULE >= granules && bytes > 0,
                "classes ascend in multiples of 16"
            );
            assert!(bytes <= CLASS_BYTES_MAX, "the largest class is 496 bytes");
            table.bytes[class] = bytes as u16;
            table.slots[class] = (PAGE_USABLE / bytes) as u16;
            table.masks[class] = slot_mask(bytes);
            while granules <= bytes / GRANULE {
                table.of_granules[granules] = class as u8;
                granules += 1;
            }
            class += 1;
        }
        table
    }

    /// Returns the size of the class that serves a request of `bytes`, if one does.
    #[must_use]
    pub const fn class_bytes(&self, bytes: usize) -> Option<usize> {
        if bytes > self.bytes_max as usize {
            return None;
        }
        Some(self.bytes(self.class_of(bytes)))
    }

    /// Returns the class of a request of at most [`bytes_max`](Self::bytes_max) bytes.
    #[inline]
    pub(crate) const fn class_of(&self, bytes: usize) -> usize {
        self.of_granules[bytes.div_ceil(GRANULE)] as usize
    }

    /// Returns the first class of at least `bytes` bytes whose slots are all aligned to `align`.
    #[inline]
    pub(crate) fn class_of_aligned(&self, bytes: usize, align: usize) -> Option<usize> {
        if bytes.max(align) > self.bytes_max() {
            return None;
        }
        (self.class_of(bytes.max(align))..self.count())
            .find(|&c| self.bytes(c).is_multiple_of(align))
    }

    #[inline]
    pub(crate) const fn bytes(&self, class: usize) -> usize {
        self.bytes[class] as usize
    }

    pub(crate) const fn slots(&self, class: usize) -> u32 {
        self.slots[class] as u32
    }

    pub(crate) const fn mask(&self, class: usize) -> [u64; 4] {
        self.masks[class]
    }

    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the largest request that a class serves.
    #[inline]
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max as usize
    }
}

const fn slot_mask(bytes: usize) -> [u64; 4] {
    let mut mask = [0; 4];
    let mut at = 0;
    while at + bytes <= PAGE_USABLE {
        let granule = at / GRANULE;
        mask[granule / 64] |= 1 << (granule % 64);
        at += bytes;
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test_backing::panic_of;

    #[test]
    fn every_request_gets_the_least_class_that_holds_it() {
        let table = DefaultClasses::TABLE;
        for bytes in 0..=table.bytes_max() {
            let class = table.class_of(bytes);
            assert!(table.bytes(class) >= bytes, "class {class} is too small for {bytes}");
            assert!(
                class == 0 || table.bytes(class - 1) < bytes,
                "class {} would serve {bytes}",
                class - 1
            );
        }
    }

    #[test]
    fn masks_have_one_bit_a_slot_and_no_slot_leaves_the_page() {
        let table = DefaultClasses::TABLE;
        for class in 0..table.count() {
            let bits: u32 = table.mask(class).iter().map(|w| w.count_ones()).sum();
            assert_eq!(bits, table.slots(class), "class {class}");
            assert!(bits as usize * table.bytes(class) <= PAGE_USABLE, "class {class}");
        }
    }

    #[test]
    fn aligned_classes_are_multiples_of_the_alignment() {
        let table = DefaultClasses::TABLE;
        for shift in 4..9 {
            let align = 1 << shift;
            for bytes in 0..=496 {
                if let Some(class) = table.class_of_aligned(bytes, align) {
                    assert!(table.bytes(class).is_multiple_of(align), "{bytes} at {align}");
                    assert!(table.bytes(class) >= bytes, "{bytes} at {align}");
                }
            }
        }
        assert_eq!(table.class_of_aligned(64, 4096), None, "no class is that aligned");
    }

    #[test]
    fn aligned_requests_get_the_first_class_that_serves_them() {
        let few = ClassTable::new(&[16, 48, 64, 160, 256, 496]);
        for table in [DefaultClasses::TABLE, &few] {
            for (bytes, shift) in (0..=512).flat_map(|bytes| (0..13).map(move |s| (bytes, s))) {
                let align = 1 << shift;
                let serves = |&class: &usize| {
                    table.bytes(class) >= bytes && table.bytes(class).is_multiple_of(align)
                };
                let first = (0..table.count()).find(serves);
                assert_eq!(table.class_of_aligned(bytes, align), first, "{bytes} at {align}");
            }
        }
    }

    #[test]
    fn what_no_class_uses_is_zero() {
        let table = ClassTable::new(&[16, 48]);
        assert!(table.of_granules[4..].iter().all(|&class| class == 0), "above the last class");
        assert!(table.bytes[2..].iter().all(|&bytes| bytes == 0), "bytes of no class");
        assert!(table.slots[2..].iter().all(|&slots| slots == 0), "slots of no class");
        assert!(table.masks[2..].iter().all(|&mask| mask == [0; 4]), "slots of no class");
    }

    #[test]
    fn a_table_is_the_same_made_at_run_time() {
        let table = ClassTable::new(&[16, 48, 496]);
        assert_eq!((table.count(), table.bytes_max()), (3, 496), "as listed");
        let slots = [16, 48, 496].map(|bytes| (PAGE_USABLE / bytes) as u32);
        assert_eq!([0, 1, 2].map(|class| table.slots(class)), slots, "as many as a page holds");
        let served = [0, 1, 16, 17, 48, 49, 496, 497].map(|bytes| table.class_bytes(bytes));
        let expected = [16, 16, 16, 48, 48, 496, 496].map(Some);
        assert_eq!((&served[..7], served[7]), (&expected[..], None), "the least that holds each");
        // A bit for each third granule, up to the last slot that ends within the page.
        for granule in 0..256 {
            let starts = granule % 3 == 0 && granule * GRANULE + 48 <= PAGE_USABLE;
            let bit = table.mask(1)[granule / 64] >> (granule % 64) & 1 == 1;
            assert_eq!(bit, starts, "granule {granule}");
        }
    }

    #[test]
    fn classes_that_make_no_table_are_refused() {
        let told = |classes: &[u16]| panic_of(|| _ = ClassTable::new(classes));
        assert_eq!(told(&[]), "a table has 1 to 24 classes", "none");
        assert_eq!(told(&[16; 25]), "a table has 1 to 24 classes", "too many");
        for classes in [&[8][..], &[0], &[32, 16], &[16, 16], &[16, 40]] {
            assert_eq!(told(classes), "classes ascend in multiples of 16", "{classes:?}");
        }
        assert_eq!(told(&[16, 512]), "the largest class is 496 bytes", "too large");
    }
}
