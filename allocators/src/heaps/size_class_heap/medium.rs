//! Blocks of middle size, 497 bytes to 8 KiB or what the table says: slabs in the core that open
//! where a class is busy.
//!
//! A slab is a core block of 2 pages and more, divided into 8 to 31 slots that are placed as core
//! blocks would be: each keeps the 8 bytes before it, unwritten, where a header would be. So a slab
//! dissolves where it is: headers are written, and its slots are core blocks.
//!
//! ```text
//!  kinds   |  c  |  c  |  c  |         the class and one, as for a page of small slots
//!  starts  | a bit at the granule that each live slot starts at
//!  units   | 0, free slots | 1 | 2 |   distance to the first page; in that of the first, a bit for
//!                                      each slot that is neither live nor in the front
//!  pages   | slot 0 .... | slot 1 .... | ... | rest, at most a 32nd |
//! ```
//!
//! What takes from a front and gives to one is the same for all sizes. A class is looked at each
//! time that it has freed as many blocks as a slab has slots, and opens a slab if its live blocks
//! would fill four, so programs that only fill memory, and small ones, have core blocks of exact
//! sizes.

use core::ptr::NonNull;
use core::sync::atomic::{Ordering, fence};

pub(super) use self::class::Medium;
use self::class::SlabParts;
use super::core_blocks::Fault;
use super::page_id::{page_id, split_id};
use super::region::{KIND_CORE, KIND_MEDIUM, NIL, PageDesc, PageState, Region};
use super::small::Item;
use super::table_word::{publish, write_number};
use super::{CachedSlot, Place, Refusal, SizeClassHeap};
use crate::bookkeeping::mark;
use crate::heaps::size_classes::{
    CLASSES_MAX, GRANULE, MEDIUM_CLASSES_MAX, PAGE_GRANULES, Shape, SizeClasses,
};

mod check;
mod class;
mod dissolve;

/// Regions with fewer granules, 4 MiB, have no slabs of middle sizes.
const REGION_GRANULES_MIN: u32 = (4 << 20) / GRANULE as u32;

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Serves a request of a class that is open from its front or its slabs, if they have a slot.
    #[inline(never)]
    pub(super) fn allocate_medium(
        &mut self,
        class: usize,
        requested: usize,
    ) -> Option<NonNull<[u8]>> {
        let item = match self.fronts[class].pop() {
            Some(item) => item,
            None => self.take_slot(class)?,
        };
        Some(self.hand_out(item, class, requested))
    }

    /// Takes a free slot from the slab at the head of the class's list.
    #[inline(never)]
    fn take_slot(&mut self, class: usize) -> Option<Item> {
        let of = self.medium.of_mut(class);
        if of.free.is_null() {
            return None;
        }
        let granules = of.shape.granules;
        // SAFETY: it is where a slab in use says which slots are free.
        let free = unsafe { of.free.read() };
        // SAFETY: as above.
        unsafe { write_number(of.free, free & (free - 1)) };
        let offset = free.trailing_zeros() * granules;
        let item = Item {
            start: of.base.wrapping_add(offset as usize * GRANULE),
            word: of.starts.wrapping_add(offset as usize / 64),
        };
        of.out += 1;
        self.medium.idle -= u64::from(granules);
        if free & (free - 1) == 0 {
            self.leave_full_slab(class);
        }
        Some(item)
    }

    /// Takes back a slot of a slab whose front is full; `false`, with damage noted, sends the caller
    /// to [`deallocate`](Self::deallocate).
    #[inline(never)]
    pub(crate) fn deallocate_to_slab(&mut self, slot: CachedSlot) -> bool {
        let CachedSlot { granule, class } = slot;
        let region = self.cached_region();
        region.clear_start(granule as u32);
        mark::no_access_at(region.address(granule as u32), self.fronts[class].bytes as usize);
        self.granted -= self.fronts[class].bytes as usize;
        self.medium.count_free(class);
        let place = Place { region: self.cached_number, granule: granule as u32 };
        match self.give_slot(place, class) {
            Ok(()) => true,
            Err(refusal) => {
                self.damage = Some(refusal);
                false
            }
        }
    }

    /// Gives a slot that is neither live nor in the front back to its slab.
    #[inline(never)]
    pub(super) fn give_slot(&mut self, place: Place, class: usize) -> Result<(), Refusal> {
        let region = &self.regions[place.region];
        let page = place.granule / PAGE_GRANULES;
        let Some(first) = region.slab_of(page) else {
            let start = region.address(place.granule);
            return Err(Refusal::Wrong(crate::contract::misuse::Misuse::Damaged, start));
        };
        let words = region.free_slots(first);
        let of = self.medium.of_mut(class);
        of.out -= 1;
        let shape = of.shape;
        let slot = shape.slot_of(place.granule - first * PAGE_GRANULES);
        self.medium.idle += u64::from(shape.granules);
        // SAFETY: it is where a slab in use says which slots are free.
        let before = unsafe { words.read() };
        let free = before | 1 << slot;
        // SAFETY: as above.
        unsafe { write_number(words, free) };
        let id = page_id(place.region, first);
        if free == shape.all() {
            return self.release_slab_of(id, class);
        }
        if before == 0 {
            self.list_slab(id, class);
        }
        Ok(())
    }

    /// Opens a slab for a class if memory that was used before, or little of it, allows it.
    pub(super) fn open_medium(&mut self, class: usize) -> Result<bool, Refusal> {
        self.medium.note_try(class);
        if self.open_medium_in(class, false)? {
            return Ok(true);
        }
        if self.dissolve_if_idle()? && self.open_medium_in(class, false)? {
            return Ok(true);
        }
        self.open_medium_in(class, true)
    }

    fn open_medium_in(&mut self, class: usize, fresh: bool) -> Result<bool, Refusal> {
        let pages = self.medium.of(class).shape.pages;
        for index in 0..self.regions.len() {
            let Some(region) = self.regions.get_mut(index) else { continue };
            if region.granules < REGION_GRANULES_MIN || (fresh && region.has_holes()) {
                continue;
            }
            match region.take_pages(pages, fresh) {
                Ok(first) => {
                    self.begin_slab(page_id(index, first), class);
                    return Ok(true);
                }
                Err(Fault::NoRoom) => {}
                Err(fault) => return Err(self.refusal(index, fault)),
            }
        }
        Ok(false)
    }

    /// Makes pages that were taken from the core a slab without a live slot.
    fn begin_slab(&mut self, id: u32, class: usize) {
        let (index, first) = split_id(id);
        let of = self.medium.of_mut(class);
        of.slabs += 1;
        let shape = of.shape;
        let Shape { pages, slots, granules, .. } = shape;
        self.medium.granules += u64::from(pages * PAGE_GRANULES);
        self.medium.idle += u64::from(slots * granules);
        let region = &self.regions[index];
        let state = PageState::Partial;
        let desc = PageDesc { next: NIL, prev: NIL, used: 0, class: class as u8, state, id };
        // SAFETY: every page has a descriptor.
        unsafe { region.desc(first).write(desc) };
        for distance in 0..pages {
            region.set_distance(first + distance, distance as u8);
        }
        // SAFETY: the units of the first page were just written.
        unsafe { write_number(region.free_slots(first), shape.all()) };
        for distance in 0..pages {
            region.set_kind(first + distance, class as u8 + 1);
        }
        self.list_slab(id, class);
    }

    /// Puts a slab with a free slot at the end of its class's list.
    #[inline(never)]
    fn list_slab(&mut self, id: u32, class: usize) {
        let head = self.medium.of(class).partial;
        let _ = self.link(head, id);
        if head == NIL {
            self.take_slots_from(id, class);
        }
    }

    /// Takes the slab that slots are taken from out of the list.
    #[inline(never)]
    fn leave_full_slab(&mut self, class: usize) {
        let head = self.medium.of(class).partial;
        let next = self.unlink(head, head);
        self.take_slots_from(next, class);
    }

    /// Makes a slab, or none, the head of its class's list.
    fn take_slots_from(&mut self, id: u32, class: usize) {
        let mut slab = SlabParts::NONE;
        if id != NIL {
            let (index, first) = split_id(id);
            let region = &self.regions[index];
            let granule = first * PAGE_GRANULES;
            slab = SlabParts {
                free: region.free_slots(first),
                base: region.address(granule),
                starts: region.starts_word(granule),
            };
        }
        self.medium.take_slots_from(class, id, slab);
    }

    /// Takes a slab out of the list of its class and makes its pages the core's. Live slots have
    /// headers.
    fn end_slab(&mut self, id: u32, class: usize) {
        let head = self.medium.of(class).partial;
        let head_now = self.unlink(head, id);
        self.take_slots_from(head_now, class);
        let (index, first) = split_id(id);
        let of = self.medium.of_mut(class);
        of.slabs -= 1;
        let pages = of.shape.pages;
        self.medium.granules -= u64::from(pages * PAGE_GRANULES);
        self.regions[index].make_core(first, pages);
    }

    /// Gives a slab all of whose slots are free back to the core.
    #[inline(never)]
    fn release_slab_of(&mut self, id: u32, class: usize) -> Result<(), Refusal> {
        self.end_slab(id, class);
        let Shape { slots, granules, .. } = self.medium.of(class).shape;
        self.medium.idle -= u64::from(slots * granules);
        let (index, first) = split_id(id);
        self.give_core(index, first * PAGE_GRANULES)
    }
}

impl Region {
    /// Whether more memory is free below the frontier than half of what is in use.
    fn has_holes(&self) -> bool {
        let free = self.frontier.saturating_sub(self.taken);
        free * 2 > self.taken
    }

    /// The first page of the slab of a middle size that a page belongs to.
    #[inline]
    pub(super) fn slab_of(&self, page: u32) -> Option<u32> {
        self.medium_class(page)?;
        page.checked_sub(u32::from(self.unit_class(page * PAGE_GRANULES)))
    }

    /// The class of the slab of a middle size that a page belongs to.
    pub(super) fn medium_class(&self, page: u32) -> Option<usize> {
        let medium = usize::from(self.kind(page).wrapping_sub(KIND_MEDIUM));
        (medium < MEDIUM_CLASSES_MAX).then_some(CLASSES_MAX + medium)
    }

    /// Makes pages the core's.
    fn make_core(&self, first: u32, pages: u32) {
        for page in first..first + pages {
            self.set_kind(page, KIND_CORE);
        }
        // Release pairs with the Acquire in `live_bytes`: a thread that reads what is written to
        // the tables from here on sees the kinds.
        fence(Ordering::Release);
    }

    /// Notes how far the first page of its slab is before a page.
    pub(super) fn set_distance(&self, page: u32, distance: u8) {
        let unit = self.units.wrapping_add(page as usize * 8);
        // SAFETY: eight bytes a page, which the heap's owner alone writes.
        unsafe { publish(unit, distance) };
    }

    /// Where a slab of a middle size says which of its slots are free, by its first page.
    #[inline]
    pub(super) fn free_slots(&self, first: u32) -> *mut u32 {
        self.units.wrapping_add(first as usize * 8 + 4).cast()
    }

    /// A bit for each free slot of a slab, and one for each live one.
    fn slots_of(&self, first: u32, shape: Shape) -> (u32, u32) {
        let is_live = |slot: &u32| self.is_start(first * PAGE_GRANULES + slot * shape.granules);
        let live = (0..shape.slots).filter(is_live).fold(0, |live, slot| live | 1 << slot);
        // SAFETY: callers pass the first page of a slab, where it was written when that opened.
        (unsafe { self.free_slots(first).read() }, live)
    }
}
