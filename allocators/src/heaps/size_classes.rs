//! Size classes: the block size for a request. The heap and the slab share one kind of table.
//!
//! A class of at most 496 bytes has slots in pages. A page has 4 088 usable bytes (its last 8
//! belong to the header after it), so a good class divides them well. The default ones:
//!
//! | classes | step | slots a page |
//! |---|---|---|
//! | 16 to 240 | 16 | 255 to 17 |
//! | 272, 288, 304 | 16 | 15, 14, 13 |
//! | 336, 368, 400 | 32 | 12, 11, 10 |
//! | 448, 496 | 48 | 9, 8 |
//!
//! A larger one, a class of a middle size, has slots in slabs of several pages. The heap's are 16
//! a doubling, up to 8 192 bytes.

use self::shape::shape;
pub(crate) use self::shape::{Shape, granules_for, payload};

mod shape;
#[cfg(test)]
mod tests;

/// Bytes of a granule: the unit of every size and address inside a region.
pub(crate) const GRANULE: usize = 16;
/// Bytes of a page, the unit that slabs take from a region.
pub(crate) const PAGE: usize = 4096;
/// Bytes of a page available to slots; the rest is the header of the block after it.
pub(crate) const PAGE_USABLE: usize = PAGE - 8;
/// Granules of a page.
pub(crate) const PAGE_GRANULES: u32 = (PAGE / GRANULE) as u32;
/// Most classes with slots in pages.
pub(crate) const CLASSES_MAX: usize = 24;
/// The largest of them: a slot crosses at most one unit boundary.
pub(crate) const CLASS_BYTES_MAX: usize = 496;
/// Most classes of middle sizes. Their numbers follow on `CLASSES_MAX`, however many there are
/// below.
pub(crate) const MEDIUM_CLASSES_MAX: usize = 66;
/// The largest of them.
pub(crate) const MEDIUM_BYTES_MAX: usize = 32 << 10;
/// The number of all classes; as that of a class, it means none.
pub(crate) const ALL_CLASSES: usize = CLASSES_MAX + MEDIUM_CLASSES_MAX;

/// Sizes are rounded up to this before their class is looked up: payloads of core blocks are
/// multiples of it.
const STEP: usize = 8;
/// The largest class is a step more than was asked for.
const STEPS: usize = MEDIUM_BYTES_MAX / STEP + 2;

/// A set of size classes, chosen at build time.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{ClassTable, SizeClasses};
///
/// /// For a program that asks for few sizes: 32, 64 and 192 bytes, and buffers of 10 000.
/// struct Few;
///
/// impl SizeClasses for Few {
///     const TABLE: &'static ClassTable = &ClassTable::new(&[32, 64, 192, 10_000]);
/// }
///
/// assert_eq!(Few::TABLE.class_bytes(33), Some(64));
/// assert_eq!(Few::TABLE.class_bytes(193), Some(10_008));
/// assert_eq!(Few::TABLE.class_bytes(10_009), None);
/// ```
pub trait SizeClasses {
    /// The table, computed at compile time.
    const TABLE: &'static ClassTable;
}

/// The classes that [`SlabAllocator`](crate::SlabAllocator) uses by default: 23, up to 496 bytes.
#[derive(Clone, Copy, Debug)]
pub struct DefaultClasses;

impl SizeClasses for DefaultClasses {
    const TABLE: &'static ClassTable = &ClassTable::new(&SMALL);
}

/// The classes that [`HeapAllocator`](crate::HeapAllocator) uses by default: those of
/// [`DefaultClasses`], and 66 up to 8 192 bytes.
#[derive(Clone, Copy, Debug)]
pub struct HeapClasses;

impl SizeClasses for HeapClasses {
    const TABLE: &'static ClassTable = &ClassTable::new(&{
        let mut classes = [0; SMALL.len() + MEDIUM_CLASSES_MAX];
        let mut class = 0;
        while class < SMALL.len() {
            classes[class] = SMALL[class];
            class += 1;
        }
        // Powers of two are exact, with 15 classes between two of them.
        let (mut bytes, mut step) = (496_u16, 8);
        while class < classes.len() {
            bytes += step;
            if bytes == 512 {
                step = 32;
            } else if bytes.is_power_of_two() {
                step *= 2;
            }
            classes[class] = bytes;
            class += 1;
        }
        classes
    });
}

const SMALL: [u16; 23] = [
    16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 272, 288, 304, 336, 368,
    400, 448, 496,
];

/// The data computed from a list of classes. About 7 KiB, shared by all users.
#[derive(Debug)]
pub struct ClassTable {
    /// For a request of `n` steps, the number of its class.
    of_steps: [u8; STEPS],
    /// Bytes of a class.
    bytes: [u16; ALL_CLASSES],
    /// Slots in a page of a class, where they are in pages.
    slots: [u16; CLASSES_MAX],
    /// For each class of a middle size, its slabs.
    shapes: [Shape; MEDIUM_CLASSES_MAX],
    /// For each class with slots in pages, the granules of a page at which a slot starts.
    masks: [[u64; 4]; CLASSES_MAX],
    count: u8,
    medium_count: u8,
    bytes_max: u16,
    all_bytes_max: u16,
}

impl ClassTable {
    /// Computes the table for `classes`, in bytes.
    ///
    /// Those above 496 are rounded up to an odd multiple of 8: a granule less a header. Their
    /// blocks are in slabs only where many come and go, and else of the size that was asked for.
    ///
    /// # Panics
    ///
    /// At compile time when used for [`SizeClasses::TABLE`]: if there are not 1 to 24 classes up to
    /// 496 bytes and at most 66 above, or if they do not ascend, in multiples of 16 up to 496 and
    /// of 8 from there to 32 KiB, with no two of those in one granule.
    #[must_use]
    pub const fn new(classes: &[u16]) -> Self {
        let mut table = Self {
            of_steps: [0; STEPS],
            bytes: [0; ALL_CLASSES],
            slots: [0; CLASSES_MAX],
            shapes: [Shape::NONE; MEDIUM_CLASSES_MAX],
            masks: [[0; 4]; CLASSES_MAX],
            count: 0,
            medium_count: 0,
            bytes_max: 0,
            all_bytes_max: 0,
        };
        let mut nth = 0;
        let mut step = 0;
        while nth < classes.len() {
            let (class, bytes) = if classes[nth] as usize <= CLASS_BYTES_MAX {
                table.add(classes[nth])
            } else {
                table.add_medium(classes[nth])
            };
            while step <= bytes / STEP {
                table.of_steps[step] = class as u8;
                step += 1;
            }
            nth += 1;
        }
        assert!(table.count > 0, "a table has 1 to 24 classes up to 496 bytes");
        table
    }

    /// Adds a class with slots in pages; returns its number and bytes.
    const fn add(&mut self, bytes: u16) -> (usize, usize) {
        let class = self.count as usize;
        assert!(class < CLASSES_MAX, "a table has 1 to 24 classes up to 496 bytes");
        let ascends = bytes > self.all_bytes_max;
        assert!(ascends && bytes.is_multiple_of(16), "classes ascend in multiples of 16");
        self.bytes[class] = bytes;
        self.slots[class] = PAGE_USABLE as u16 / bytes;
        self.masks[class] = slot_mask(bytes as usize);
        self.count += 1;
        (self.bytes_max, self.all_bytes_max) = (bytes, bytes);
        (class, bytes as usize)
    }

    /// Adds a class of a middle size; returns its number and bytes.
    const fn add_medium(&mut self, bytes: u16) -> (usize, usize) {
        let class = CLASSES_MAX + self.medium_count as usize;
        assert!(class < ALL_CLASSES, "a table has at most 66 classes above 496 bytes");
        assert!(bytes as usize <= MEDIUM_BYTES_MAX, "the largest class is 32 KiB");
        assert!(bytes.is_multiple_of(8), "classes above 496 bytes ascend in multiples of 8");
        let granules = granules_for(bytes as usize);
        let granted = payload(granules);
        assert!(granted > self.all_bytes_max as usize, "no two classes have as many granules");
        self.bytes[class] = granted as u16;
        self.shapes[class - CLASSES_MAX] = shape(granules);
        self.medium_count += 1;
        self.all_bytes_max = granted as u16;
        (class, granted)
    }

    /// Returns the size of the class that serves a request of `bytes`, if one does.
    #[must_use]
    pub const fn class_bytes(&self, bytes: usize) -> Option<usize> {
        if bytes > self.all_bytes_max() {
            return None;
        }
        Some(self.bytes(self.class_of(bytes)))
    }

    /// Returns the class of a request of at most [`all_bytes_max`](Self::all_bytes_max) bytes.
    #[inline]
    pub(crate) const fn class_of(&self, bytes: usize) -> usize {
        self.of_steps[bytes.div_ceil(STEP)] as usize
    }

    /// Returns the class of a request whose block has `granules`, or `ALL_CLASSES`.
    #[inline(always)]
    pub(crate) const fn class_of_granules(&self, granules: u32) -> usize {
        let bytes = payload(granules);
        if bytes > self.all_bytes_max() { ALL_CLASSES } else { self.class_of(bytes) }
    }

    /// Returns the first class in pages of at least `bytes` bytes whose slots are all aligned to
    /// `align`.
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

    /// Slots in a page of a class that has them there.
    pub(crate) const fn slots(&self, class: usize) -> u32 {
        self.slots[class] as u32
    }

    pub(crate) const fn mask(&self, class: usize) -> [u64; 4] {
        self.masks[class]
    }

    /// The slabs of a class of a middle size, by its place among those.
    pub(crate) const fn shape(&self, medium: usize) -> Shape {
        self.shapes[medium]
    }

    /// Classes with slots in pages.
    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    /// Classes of middle sizes.
    pub(crate) const fn medium_count(&self) -> usize {
        self.medium_count as usize
    }

    /// Whether a class has this number.
    pub(crate) const fn has(&self, class: usize) -> bool {
        class < self.count() || (class >= CLASSES_MAX && class < CLASSES_MAX + self.medium_count())
    }

    /// Returns the largest request that a class with slots in pages serves.
    #[inline]
    pub(crate) const fn bytes_max(&self) -> usize {
        self.bytes_max as usize
    }

    /// Returns the largest request that a class serves.
    #[inline]
    pub(crate) const fn all_bytes_max(&self) -> usize {
        self.all_bytes_max as usize
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
