//! The classes of middle sizes: fronts, counters, and the tables of a slab.

use super::super::block_size::payload;
use super::super::region::NIL;
use super::shape::{MEDIUM_CLASSES, class_or_none, shape};
use crate::heaps::size_classes::GRANULE;

/// A class opens a slab when its live blocks would fill this many.
const SLABS_BUSY: u32 = 4;
/// The slabs of all classes.
#[derive(Debug)]
pub(in crate::heaps::size_class_heap) struct Medium {
    pub(in crate::heaps::size_class_heap) classes: [MediumClass; MEDIUM_CLASSES],
    /// What each call for a core block reads of its class; the last is for blocks without one.
    counts: [Count; MEDIUM_CLASSES + 1],
    /// Granules of all slabs.
    pub(in crate::heaps::size_class_heap) granules: u64,
    /// Granules of slots that are free.
    pub(in crate::heaps::size_class_heap) idle: u64,
}

/// The most slots of a front, and most bytes that it holds back.
const FRONT_SLOTS: usize = 4;
const FRONT_BYTES: u32 = 32 << 10;

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

/// A class: its front, the slab that slots are taken from, and its counters; what every call reads
/// first.
#[derive(Debug)]
#[repr(C)]
pub(in crate::heaps::size_class_heap) struct MediumClass {
    pub(super) front_len: u32,
    front_capacity: u32,
    /// Granules of a slot, its header included, and its bytes without.
    pub(super) granules: u32,
    pub(super) bytes: u32,
    pub(super) reciprocal: u32,
    /// Slots of a slab.
    pub(super) slots_each: u32,
    /// Blocks handed out from slabs since the start.
    pub(super) total: u64,
    front: [Item; FRONT_SLOTS],
    /// The tables of the slab that slots are taken from, the head of `partial`. Null without one.
    pub(in crate::heaps::size_class_heap) slots: *mut Slots,
    /// Slot 0 of that slab.
    pub(super) base: *mut u8,
    pub(super) pages: u32,
    /// Head of the circular list of slabs with free slots.
    pub(in crate::heaps::size_class_heap) partial: u32,
    /// Slots that are live or in the front.
    pub(in crate::heaps::size_class_heap) out: u32,
    pub(in crate::heaps::size_class_heap) slabs: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<MediumClass>() == 128, "a class is found by a shift");

/// Which slots of a slab are live, and which are free and not in the front: a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(in crate::heaps::size_class_heap) struct Slots {
    pub(in crate::heaps::size_class_heap) live: u32,
    pub(in crate::heaps::size_class_heap) free: u32,
}

const _: () = assert!(size_of::<Slots>() == 8, "they take the place of a page's units");

/// A free slot in a front: where it starts, with the low four bits of its number below, and the
/// tables of its slab, with the fifth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    start: *mut u8,
    slots: *mut Slots,
}

impl Item {
    const NONE: Self = Self { start: core::ptr::null_mut(), slots: core::ptr::null_mut() };

    #[inline(always)]
    pub(super) fn new(start: *mut u8, slots: *mut Slots, slot: u32) -> Self {
        let slot = slot as usize;
        Self { start: start.wrapping_add(slot & 15), slots: slots.wrapping_byte_add(slot >> 4) }
    }

    /// The slot's start, the tables of its slab, and its number.
    #[inline(always)]
    pub(super) fn parts(self) -> (*mut u8, *mut Slots, u32) {
        let (low, high) = (self.start.addr() & 15, self.slots.addr() & 1);
        (self.start.wrapping_sub(low), self.slots.wrapping_byte_sub(high), (high << 4 | low) as u32)
    }
}

impl Medium {
    pub(in crate::heaps::size_class_heap) const fn new() -> Self {
        let mut classes = [const { MediumClass::NONE }; MEDIUM_CLASSES];
        let mut counts = [Count::NONE; MEDIUM_CLASSES + 1];
        let mut class = 0;
        while class < MEDIUM_CLASSES {
            let shape = shape(class);
            counts[class].until = shape.slots as u16;
            let fitting = FRONT_BYTES / (shape.granules * GRANULE as u32);
            classes[class].front_capacity =
                if fitting > FRONT_SLOTS as u32 { FRONT_SLOTS as u32 } else { fitting };
            classes[class].slots_each = shape.slots;
            classes[class].granules = shape.granules;
            classes[class].bytes = payload(shape.granules) as u32;
            classes[class].reciprocal = shape.reciprocal;
            classes[class].pages = shape.pages;
            class += 1;
        }
        Self { classes, counts, granules: 0, idle: 0 }
    }

    /// The counts of a class, or those of blocks without one.
    #[inline(always)]
    fn count_of(&mut self, class: usize) -> &mut Count {
        debug_assert!(class < self.counts.len(), "class {class}");
        // SAFETY: classes are from `class_or_none`, which has none above MEDIUM_CLASSES.
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

    /// Counts a core block of `granules` that was freed.
    #[inline(always)]
    pub(in crate::heaps::size_class_heap) fn uncount_block(&mut self, granules: u32) {
        let class = class_or_none(granules);
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
    pub(super) fn count_free(&mut self, class: usize) {
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
        let Some(of) = self.classes.get(class) else { return };
        let count = &mut self.counts[class];
        count.until = of.slots_each as u16;
        count.wants_slab = of.has_no_slot() && count.blocks + of.out >= SLABS_BUSY * of.slots_each;
    }

    /// Whether a class has no free slot and is to have one more slab.
    pub(in crate::heaps::size_class_heap) fn wants_slab(&self, class: usize) -> bool {
        self.counts[class].wants_slab && self.classes[class].has_no_slot()
    }

    /// Notes that a slab of a class was opened, or could not be.
    pub(super) fn note_try(&mut self, class: usize) {
        self.counts[class].wants_slab = false;
        self.counts[class].until = self.classes[class].slots_each as u16;
    }

    /// Makes a slab, or none, what slots of a class are taken from.
    pub(super) fn take_slots_from(
        &mut self,
        class: usize,
        partial: u32,
        slots: *mut Slots,
        base: *mut u8,
    ) {
        self.counts[class].has_free_slots = !slots.is_null();
        let of = &mut self.classes[class];
        (of.partial, of.slots, of.base) = (partial, slots, base);
    }

    /// Live core blocks of a class.
    pub(super) fn blocks(&self, class: usize) -> u32 {
        self.counts[class].blocks
    }

    /// Whether the mark that a class has free slots in slabs is right.
    pub(super) fn is_marked_right(&self, class: usize) -> bool {
        self.counts[class].has_free_slots != self.classes[class].slots.is_null()
    }
}

impl Count {
    const NONE: Self = Self { blocks: 0, until: 0, has_free_slots: false, wants_slab: false };
}

impl MediumClass {
    const NONE: Self = Self {
        front_len: 0,
        front_capacity: 0,
        granules: 0,
        bytes: 0,
        reciprocal: 0,
        total: 0,
        slots: core::ptr::null_mut(),
        base: core::ptr::null_mut(),
        pages: 0,
        slots_each: 0,
        partial: NIL,
        out: 0,
        slabs: 0,
        front: [Item::NONE; FRONT_SLOTS],
    };

    pub(in crate::heaps::size_class_heap) const fn slots(&self) -> u32 {
        self.slots_each
    }

    /// A bit for each slot of a slab.
    pub(super) const fn all(&self) -> u32 {
        (1 << self.slots_each) - 1
    }

    /// Whether neither the front nor a slab has a free slot.
    fn has_no_slot(&self) -> bool {
        self.front_len == 0 && self.slots.is_null()
    }

    /// Live slots, blocks and bytes handed out from slabs since the start.
    pub(in crate::heaps::size_class_heap) fn counts(&self) -> (u64, u64, u64) {
        let live = self.out - self.front_len;
        (u64::from(live), self.total, self.total * u64::from(self.bytes))
    }

    pub(super) fn idle_granules(&self) -> u64 {
        u64::from(self.slabs * self.slots_each - self.out) * u64::from(self.granules)
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Item> {
        let len = self.front_len.checked_sub(1)?;
        // SAFETY: `push` keeps `front_len` at most FRONT_SLOTS, so `len` is an index here.
        let item = unsafe { *self.front.get_unchecked(len as usize) };
        self.front_len = len;
        Some(item)
    }

    /// Puts a slot into the front; `false` if that is full.
    #[inline(always)]
    pub(super) fn push(&mut self, item: Item) -> bool {
        let has_room = self.front_len < self.front_capacity;
        if has_room {
            // SAFETY: `front_len` is below `front_capacity`, which is at most FRONT_SLOTS.
            let place = unsafe { self.front.get_unchecked_mut(self.front_len as usize) };
            *place = item;
            self.front_len += 1;
        }
        has_room
    }

    pub(super) fn waiting(&self) -> &[Item] {
        &self.front[..self.front_len as usize]
    }
}
