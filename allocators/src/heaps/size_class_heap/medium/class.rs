//! The classes of middle sizes: fronts, counters, and the tables of a slab.

use super::super::large::payload;
use super::super::region::{NIL, PageDesc};
use super::shape::{MEDIUM_CLASSES, medium_class, shape};
use crate::heaps::size_classes::GRANULE;

/// A class opens a slab when its live blocks would fill this many.
const SLABS_BUSY: u32 = 8;
/// The slabs of all classes.
#[derive(Debug)]
pub(in crate::heaps::size_class_heap) struct Medium {
    pub(in crate::heaps::size_class_heap) classes: [MediumClass; MEDIUM_CLASSES],
    /// Granules of all slabs.
    pub(in crate::heaps::size_class_heap) granules: u64,
    /// Granules of slots that are free.
    pub(in crate::heaps::size_class_heap) idle: u64,
}

/// The most slots of a front, and most bytes that it holds back.
const FRONT_SLOTS: usize = 4;
const FRONT_BYTES: u32 = 32 << 10;

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
    pub(super) slots: *mut Slots,
    /// Slot 0 of that slab.
    pub(super) base: *mut u8,
    pub(super) pages: u32,
    /// Head of the circular list of slabs with free slots.
    pub(in crate::heaps::size_class_heap) partial: u32,
    /// Live core blocks of the class.
    pub(in crate::heaps::size_class_heap) blocks: u32,
    /// Slots that are live or in the front.
    pub(in crate::heaps::size_class_heap) out: u32,
    pub(in crate::heaps::size_class_heap) slabs: u32,
    /// Blocks freed since the last slab was opened, or could not be.
    pub(super) freed: u32,
}

/// Which slots of a slab are live, and which are free and not in the front: a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(in crate::heaps::size_class_heap) struct Slots {
    pub(in crate::heaps::size_class_heap) live: u64,
    pub(in crate::heaps::size_class_heap) free: u64,
}

const _: () = assert!(size_of::<Slots>() == size_of::<PageDesc>(), "they take its place");

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
        let mut class = 0;
        while class < MEDIUM_CLASSES {
            let shape = shape(class);
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
        Self { classes, granules: 0, idle: 0 }
    }

    /// Counts a core block that was handed out.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn count_block(&mut self, granules: u32) {
        if let Some(class) = medium_class(granules) {
            self.classes[class].blocks += 1;
        }
    }

    /// Counts a core block that was freed.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn uncount_block(&mut self, granules: u32) {
        if let Some(class) = medium_class(granules) {
            let of = &mut self.classes[class];
            of.blocks -= 1;
            of.freed = of.freed.wrapping_add(1);
        }
    }
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
        blocks: 0,
        out: 0,
        slabs: 0,
        freed: 0,
        front: [Item::NONE; FRONT_SLOTS],
    };

    pub(in crate::heaps::size_class_heap) const fn slots(&self) -> u32 {
        self.slots_each
    }

    /// A bit for each slot of a slab.
    pub(super) const fn all(&self) -> u64 {
        (1 << self.slots_each) - 1
    }

    /// Whether the class has no free slot and is busy enough for one more slab.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn wants_slab(&self) -> bool {
        self.front_len == 0
            && self.slots.is_null()
            && self.freed >= self.slots_each
            && self.blocks + self.out >= SLABS_BUSY * self.slots_each
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
