//! The classes of middle sizes: their slabs and counters.

use core::ptr;

use super::super::region::NIL;
use crate::heaps::size_classes::{
    ALL_CLASSES, CLASSES_MAX, ClassTable, MEDIUM_CLASSES_MAX, Shape, payload,
};

/// A class opens a slab when its live blocks would fill this many.
const SLABS_BUSY: u32 = 4;

/// The slabs of all classes.
#[derive(Debug)]
pub(in crate::heaps::size_class_heap) struct Medium {
    /// By the number of the class, less `CLASSES_MAX`.
    classes: [MediumClass; MEDIUM_CLASSES_MAX],
    /// What each call for a core block reads of its class; the last is for blocks without one.
    counts: [Count; ALL_CLASSES + 1],
    /// Granules of all slabs.
    pub(in crate::heaps::size_class_heap) granules: u64,
    /// Granules of slots that are free.
    pub(in crate::heaps::size_class_heap) idle: u64,
}

/// What is counted of the core blocks of a class.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Count {
    /// Live core blocks.
    blocks: u32,
    /// Frees until the class is looked at again: whether it is busy enough for a slab.
    until: u16,
    has_free_slots: bool,
    wants_slab: bool,
}

const _: () = assert!(size_of::<Count>() == 8, "eight classes in a cache line");

/// A class: the slab that slots are taken from, and its counters. Its front is among all others.
#[derive(Debug)]
pub(in crate::heaps::size_class_heap) struct MediumClass {
    pub(in crate::heaps::size_class_heap) shape: Shape,
    /// Where the slab that slots are taken from, the head of `partial`, says which are free. Null
    /// without one.
    pub(in crate::heaps::size_class_heap) free: *mut u32,
    /// Slot 0 of that slab, and the word with its start bit.
    pub(super) base: *mut u8,
    pub(super) starts: *mut u64,
    /// Head of the circular list of slabs with free slots.
    pub(in crate::heaps::size_class_heap) partial: u32,
    /// Slots that are live or in the front.
    pub(in crate::heaps::size_class_heap) out: u32,
    pub(in crate::heaps::size_class_heap) slabs: u32,
}

impl Medium {
    pub(in crate::heaps::size_class_heap) const fn new(table: &ClassTable) -> Self {
        let mut classes = [const { MediumClass::NONE }; MEDIUM_CLASSES_MAX];
        let mut counts = [Count::NONE; ALL_CLASSES + 1];
        let mut medium = 0;
        while medium < table.medium_count() {
            let shape = table.shape(medium);
            counts[CLASSES_MAX + medium].until = shape.slots as u16;
            classes[medium].shape = shape;
            medium += 1;
        }
        Self { classes, counts, granules: 0, idle: 0 }
    }

    /// The slabs of a class.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn of(&self, class: usize) -> &MediumClass {
        &self.classes[class - CLASSES_MAX]
    }

    /// The slabs of a class.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn of_mut(&mut self, class: usize) -> &mut MediumClass {
        &mut self.classes[class - CLASSES_MAX]
    }

    /// The counts of a class, or those of blocks without one.
    #[inline(always)]
    fn count_of(&mut self, class: usize) -> &mut Count {
        debug_assert!(class < self.counts.len(), "class {class}");
        // SAFETY: classes are from `class_of_granules`, which has none above ALL_CLASSES.
        unsafe { self.counts.get_unchecked_mut(class) }
    }

    /// Whether a request of a class may be for a slab: one has a free slot, or one is to be opened.
    #[inline(always)]
    pub(in crate::heaps::size_class_heap) fn is_open(&mut self, class: usize) -> bool {
        let count = self.count_of(class);
        count.has_free_slots | count.wants_slab
    }

    /// Counts a core block of a class that was handed out.
    #[inline(always)]
    pub(in crate::heaps::size_class_heap) fn count_block(&mut self, class: usize) {
        let count = self.count_of(class);
        count.blocks = count.blocks.wrapping_add(1);
    }

    /// Counts a core block of a class that was freed.
    #[inline(always)]
    pub(in crate::heaps::size_class_heap) fn uncount_block(&mut self, class: usize) {
        let count = self.count_of(class);
        count.blocks = count.blocks.wrapping_sub(1);
        self.count_free(class);
    }

    /// Counts live blocks that became core blocks of a class.
    pub(super) fn add_blocks(&mut self, class: usize, blocks: u32) {
        self.counts[class].blocks += blocks;
    }

    /// Counts a block of a class that was freed.
    #[inline(always)]
    pub(in crate::heaps::size_class_heap) fn count_free(&mut self, class: usize) {
        let count = self.count_of(class);
        count.until = count.until.wrapping_sub(1);
        if count.until == 0 {
            self.look_at(class);
        }
    }

    /// Looks whether a class is busy enough for one more slab.
    #[cold]
    #[inline(never)]
    fn look_at(&mut self, class: usize) {
        let Some(of) = class.checked_sub(CLASSES_MAX).and_then(|at| self.classes.get(at)) else {
            return;
        };
        let count = &mut self.counts[class];
        count.until = of.shape.slots as u16;
        count.wants_slab =
            of.free.is_null() && count.blocks + of.out >= SLABS_BUSY * of.shape.slots;
    }

    /// Whether a class has no slab with a free slot and is to have one.
    pub(in crate::heaps::size_class_heap) fn wants_slab(&self, class: usize) -> bool {
        self.counts[class].wants_slab && self.of(class).free.is_null()
    }

    /// Notes that a slab of a class was opened, or could not be.
    pub(super) fn note_try(&mut self, class: usize) {
        self.counts[class].wants_slab = false;
        self.counts[class].until = self.of(class).shape.slots as u16;
    }

    /// Makes a slab, or none, what slots of a class are taken from.
    pub(super) fn take_slots_from(&mut self, class: usize, partial: u32, slab: SlabParts) {
        self.counts[class].has_free_slots = !slab.free.is_null();
        let of = self.of_mut(class);
        (of.free, of.base, of.starts) = (slab.free, slab.base, slab.starts);
        of.partial = partial;
    }

    /// Live core blocks of a class.
    pub(super) fn blocks(&self, class: usize) -> u32 {
        self.counts[class].blocks
    }

    /// Whether the mark that a class has free slots in slabs is right.
    pub(super) fn is_marked_right(&self, class: usize) -> bool {
        self.counts[class].has_free_slots != self.of(class).free.is_null()
    }
}

impl Count {
    const NONE: Self = Self { blocks: 0, until: 0, has_free_slots: false, wants_slab: false };
}

/// Where a slab says which of its slots are free, where it begins, and its first word of start
/// bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlabParts {
    pub(super) free: *mut u32,
    pub(super) base: *mut u8,
    pub(super) starts: *mut u64,
}

impl SlabParts {
    pub(super) const NONE: Self =
        Self { free: ptr::null_mut(), base: ptr::null_mut(), starts: ptr::null_mut() };
}

impl MediumClass {
    const NONE: Self = Self {
        shape: Shape::NONE,
        free: ptr::null_mut(),
        base: ptr::null_mut(),
        starts: ptr::null_mut(),
        partial: NIL,
        out: 0,
        slabs: 0,
    };

    /// Bytes of a slot.
    pub(super) const fn bytes(&self) -> usize {
        payload(self.shape.granules)
    }

    pub(super) fn idle_granules(&self) -> u64 {
        u64::from(self.slabs * self.shape.slots - self.out) * u64::from(self.shape.granules)
    }
}
