//! Blocks of middle size, 497 to 8 192 bytes: slabs in the core that open where a class is busy.
//!
//! A slab is a core block of 2 to 32 pages, divided into at least 8 slots that are placed as core
//! blocks would be: each keeps the 8 bytes before it, unwritten, where a header would be. So a slab
//! dissolves where it is: headers are written, and its slots are core blocks.
//!
//! ```text
//!  kinds   | 64 | 65 | 66 |          64 and the distance to the slab's first page
//!  units   | class | live and free slots, a bit each |       of the first and the second page
//!  pages   | slot 0 .... | slot 1 .... | ... | rest, at most a 32nd |
//! ```
//!
//! Taking and giving a slot reads a byte and 16 bytes of tables and no word of the slab. A class
//! is looked at each time that it has freed as many blocks as a slab has slots, and opens a slab if
//! its live blocks would fill four, so programs that only fill memory, and small ones, have core
//! blocks of exact sizes.

use core::ptr::NonNull;
use core::sync::atomic::{Ordering, fence};

use self::class::Item;
pub(super) use self::class::{Medium, MediumClass, Slots};
pub(super) use self::shape::PAGES_MAX;
use self::shape::RECIPROCAL_BITS;
#[cfg(all(feature = "std", not(loom)))]
pub(super) use self::shape::SLOT_GRANULES;
pub(super) use self::shape::{MEDIUM_BYTES_MAX, MEDIUM_CLASSES, class_or_none, medium_class};
use super::block_size::granules_for;
use super::core_blocks::Fault;
use super::page_id::{page_id, split_id};
use super::region::{KIND_CORE, KIND_MEDIUM, NIL, PageDesc, PageState, Region};
use super::table_word::write_number;
use super::{CachedPlace, Place, Refusal, SizeClassHeap};
use crate::bookkeeping::mark;
use crate::contract::misuse::Misuse;
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES, SizeClasses};

mod check;
mod class;
mod dissolve;
mod shape;

/// Regions with fewer granules, 4 MiB, have no slabs of middle sizes.
const REGION_GRANULES_MIN: u32 = (4 << 20) / GRANULE as u32;

/// A live slot of a slab.
#[derive(Clone, Copy, Debug)]
struct LiveSlot {
    class: usize,
    slots: *mut Slots,
    slot: u32,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Serves a request of a class that is open from its front or its slabs, if they have a slot.
    #[inline(never)]
    pub(super) fn allocate_medium(
        &mut self,
        class: usize,
        requested: usize,
    ) -> Option<NonNull<[u8]>> {
        let item = match self.medium.classes[class].pop() {
            Some(item) => item,
            None => self.take_slot(class)?,
        };
        Some(self.hand_out_medium(item, class, requested))
    }

    /// Serves a request from the front of its class of middle sizes. Calls nothing.
    #[inline(always)]
    pub(crate) fn allocate_medium_front(&mut self, bytes: usize) -> Option<NonNull<[u8]>> {
        if bytes > MEDIUM_BYTES_MAX {
            return None;
        }
        let class = class_or_none(granules_for(bytes));
        let item = self.medium.classes.get_mut(class)?.pop()?;
        Some(self.hand_out_medium(item, class, bytes))
    }

    #[inline(always)]
    fn hand_out_medium(&mut self, item: Item, class: usize, requested: usize) -> NonNull<[u8]> {
        let of = &mut self.medium.classes[class];
        of.total += 1;
        let granted = of.bytes as usize;
        let (start, slots, slot) = item.parts();
        // SAFETY: the tables are those of a slab in use.
        unsafe { set_live(slots, slot, true) };
        self.count(requested, granted);
        mark::undefined_at(start, granted);
        // SAFETY: a slot is inside a region, which does not start at null.
        NonNull::slice_from_raw_parts(unsafe { NonNull::new_unchecked(start) }, granted)
    }

    /// Takes a free slot from the slab at the head of the class's list.
    #[inline(never)]
    fn take_slot(&mut self, class: usize) -> Option<Item> {
        let of = &mut self.medium.classes[class];
        if of.slots.is_null() {
            return None;
        }
        let slots = of.slots;
        // SAFETY: the tables are those of a slab in use, and no other reference to them is alive.
        let free = unsafe { &mut (*slots).free };
        let slot = free.trailing_zeros();
        *free &= *free - 1;
        let is_full = *free == 0;
        of.out += 1;
        self.medium.idle -= u64::from(of.granules);
        let start = of.base.wrapping_add((slot * of.granules) as usize * GRANULE);
        if is_full {
            self.leave_full_slab(class);
        }
        Some(Item::new(start, slots, slot))
    }

    /// Takes back a block that is a live slot of a slab of the cached region, if there is room for
    /// it in the front. Changes nothing else, and calls nothing.
    #[inline(always)]
    pub(crate) fn deallocate_medium_front(&mut self, at: CachedPlace, bytes: usize) -> bool {
        let distance = u32::from(at.kind.wrapping_sub(KIND_MEDIUM));
        if distance >= PAGES_MAX {
            return false;
        }
        let Some(slot) = self.live_slot(at.granule, distance, bytes) else { return false };
        let start = self.cached_region().address(at.granule);
        // SAFETY: a slot is inside a region, which does not start at null.
        self.push_slot(unsafe { NonNull::new_unchecked(start) }, slot)
    }

    /// Takes back a slot of a slab of the cached region; `false`, with nothing changed but perhaps
    /// damage noted, if none is live at the granule, or it is smaller than `bytes`.
    pub(super) fn deallocate_medium(&mut self, granule: u32, distance: u32, bytes: usize) -> bool {
        let Some(slot) = self.live_slot(granule, distance, bytes) else { return false };
        let start = self.cached_region().base.wrapping_add(granule as usize * GRANULE);
        // SAFETY: a slot is inside a region, which does not start at null.
        if self.push_slot(unsafe { NonNull::new_unchecked(start) }, slot) {
            return true;
        }
        let LiveSlot { class, slots, slot } = slot;
        // SAFETY: the tables of a slab in use.
        unsafe { set_live(slots, slot, false) };
        let bytes = self.medium.classes[class].bytes as usize;
        self.granted -= bytes;
        mark::no_access_at(start, bytes);
        self.medium.count_free(class);
        let first = granule / PAGE_GRANULES - distance;
        self.give_slot(page_id(self.cached_number, first), class, slots, slot)
    }

    /// The live slot at a granule of the cached region in the slab whose first page is `distance`
    /// before, if it has at least `bytes`.
    #[inline(always)]
    fn live_slot(&self, granule: u32, distance: u32, bytes: usize) -> Option<LiveSlot> {
        let first = granule / PAGE_GRANULES - distance;
        let units = self.cached_region().units.wrapping_add(first as usize * 8);
        // SAFETY: a slab's class is in its first page's units, written when it was opened.
        let class = usize::from(unsafe { units.read() });
        let slots = units.wrapping_add(8).cast::<Slots>();
        let of = &self.medium.classes[class];
        let offset = granule - first * PAGE_GRANULES;
        let slot = slot_of(offset, of.reciprocal);
        // SAFETY: the tables of a slab in use, to which no reference is alive.
        let live = unsafe { (*slots).live };
        let is_live = slot * of.granules == offset && live >> slot & 1 != 0;
        (is_live && bytes <= of.bytes as usize).then_some(LiveSlot { class, slots, slot })
    }

    /// Takes a live slot back into its front; `false` if that is full.
    #[inline(always)]
    fn push_slot(&mut self, block: NonNull<u8>, of: LiveSlot) -> bool {
        let LiveSlot { class, slots, slot } = of;
        let class = &mut self.medium.classes[class];
        if !class.push(Item::new(block.as_ptr(), slots, slot)) {
            return false;
        }
        self.granted -= class.bytes as usize;
        mark::no_access_at(block.as_ptr(), class.bytes as usize);
        // SAFETY: the tables of a slab in use.
        unsafe { set_live(slots, slot, false) };
        true
    }

    /// Gives a slot that is neither live nor in the front back to its slab; `false` if damage was
    /// found and noted.
    #[inline(never)]
    fn give_slot(&mut self, id: u32, class: usize, slots: *mut Slots, slot: u32) -> bool {
        let of = &mut self.medium.classes[class];
        of.out -= 1;
        self.medium.idle += u64::from(of.granules);
        // SAFETY: the tables of a slab in use, to which no other reference is alive.
        let free = unsafe { &mut (*slots).free };
        let was_full = *free == 0;
        *free |= 1 << slot;
        if *free == of.all() {
            return self.release_slab_of(id, class);
        }
        if was_full {
            self.list_slab(id, class);
        }
        true
    }

    /// Gives the slots of a class's front back to their slabs.
    pub(super) fn drain_medium(&mut self, class: usize) -> Result<(), Refusal> {
        while let Some(item) = self.medium.classes[class].pop() {
            let (start, slots, slot) = item.parts();
            let Some((region, offset)) = self.find(start) else {
                return Err(Refusal::Wrong(Misuse::Damaged, start));
            };
            let page = (offset / GRANULE) as u32 / PAGE_GRANULES;
            let Some(first) = self.regions[region].slab_of(page) else {
                return Err(Refusal::Wrong(Misuse::Damaged, start));
            };
            if !self.give_slot(page_id(region, first), class, slots, slot) {
                return Err(self.damage.take().unwrap_or(Refusal::NoRoom));
            }
        }
        Ok(())
    }

    /// Takes back a slot of a slab that was found live by [`locate`](Self::locate).
    #[cold]
    pub(super) fn deallocate_located_medium(
        &mut self,
        place: Place,
        bytes: usize,
    ) -> Result<(), Refusal> {
        let region = &self.regions[place.region];
        let page = place.granule / PAGE_GRANULES;
        let distance = page - region.slab_of(page).unwrap_or(page);
        let start = region.address(place.granule);
        if self.deallocate_medium(place.granule, distance, bytes) {
            return Ok(());
        }
        Err(self.damage.take().unwrap_or(Refusal::Wrong(Misuse::WrongSize, start)))
    }

    /// The bytes of the slots of a slab.
    pub(super) fn slot_bytes_of(&self, region: usize, first: u32) -> usize {
        let class = usize::from(self.regions[region].slab_class(first));
        self.medium.classes[class].bytes as usize
    }

    /// The first granule from `from` on, in a slab, at which a live slot starts; the slab's end if
    /// there is none.
    pub(super) fn next_live_slot(&self, region: usize, first: u32, from: u32) -> (u32, bool) {
        let of = &self.regions[region];
        let class = usize::from(of.slab_class(first));
        let granules = self.medium.classes[class].granules;
        let begin = first * PAGE_GRANULES;
        let slot = (from - begin).div_ceil(granules);
        let live = of.slots_of(first).live.checked_shr(slot).unwrap_or(0);
        if live == 0 {
            return (begin + self.medium.classes[class].pages * PAGE_GRANULES, false);
        }
        (begin + (slot + live.trailing_zeros()) * granules, true)
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
        let pages = self.medium.classes[class].pages;
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
        let of = &mut self.medium.classes[class];
        of.slabs += 1;
        self.medium.granules += u64::from(of.pages * PAGE_GRANULES);
        self.medium.idle += u64::from(of.slots_each * of.granules);
        let region = &self.regions[index];
        let state = PageState::Partial;
        let desc = PageDesc { next: NIL, prev: NIL, used: 0, class: class as u8, state, id };
        // SAFETY: every page has a descriptor.
        unsafe { region.desc(first).write(desc) };
        region.set_unit_classes(first, [class as u8; 8]);
        region.set_slots(first, Slots { live: 0, free: of.all() });
        for distance in 0..of.pages {
            region.set_kind(first + distance, KIND_MEDIUM + distance as u8);
        }
        self.list_slab(id, class);
    }

    /// Puts a slab with a free slot at the end of its class's list.
    #[inline(never)]
    fn list_slab(&mut self, id: u32, class: usize) {
        let head = self.medium.classes[class].partial;
        let _ = self.link(head, id);
        if head == NIL {
            self.take_slots_from(id, class);
        }
    }

    /// Takes the slab that slots are taken from out of the list.
    #[inline(never)]
    fn leave_full_slab(&mut self, class: usize) {
        let head = self.medium.classes[class].partial;
        let next = self.unlink(head, head);
        self.take_slots_from(next, class);
    }

    /// Makes a slab, or none, the head of its class's list.
    fn take_slots_from(&mut self, id: u32, class: usize) {
        let (mut slots, mut base) = (core::ptr::null_mut(), core::ptr::null_mut());
        if id != NIL {
            let (index, first) = split_id(id);
            let region = &self.regions[index];
            (slots, base) = (region.slot_tables(first), region.address(first * PAGE_GRANULES));
        }
        self.medium.take_slots_from(class, id, slots, base);
    }

    /// Takes a slab out of the list of its class and makes its pages the core's. Live slots have
    /// headers and start bits.
    fn end_slab(&mut self, id: u32, class: usize) {
        let head = self.medium.classes[class].partial;
        let head_now = self.unlink(head, id);
        self.take_slots_from(head_now, class);
        let (index, first) = split_id(id);
        let of = &mut self.medium.classes[class];
        of.slabs -= 1;
        self.medium.granules -= u64::from(of.pages * PAGE_GRANULES);
        self.regions[index].make_core(first, of.pages);
    }

    /// Gives a slab all of whose slots are free back to the core; `false` if damage was found and
    /// noted.
    #[inline(never)]
    fn release_slab_of(&mut self, id: u32, class: usize) -> bool {
        self.end_slab(id, class);
        let of = &self.medium.classes[class];
        self.medium.idle -= u64::from(of.slots() * of.granules);
        let (index, first) = split_id(id);
        match self.give_core(index, first * PAGE_GRANULES) {
            Ok(()) => true,
            Err(refusal) => {
                self.damage = Some(refusal);
                false
            }
        }
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
        let distance = u32::from(self.kind(page).wrapping_sub(KIND_MEDIUM));
        (distance < PAGES_MAX).then(|| page - distance)
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

    /// The class of a slab of a middle size, by its first page.
    #[inline]
    pub(super) fn slab_class(&self, first: u32) -> u8 {
        self.unit_class(first * PAGE_GRANULES)
    }

    /// The tables of a slab of a middle size, by its first page.
    #[inline]
    pub(super) fn slot_tables(&self, first: u32) -> *mut Slots {
        self.units.wrapping_add((first as usize + 1) * 8).cast()
    }

    /// Writes them.
    pub(super) fn set_slots(&self, first: u32, slots: Slots) {
        let tables = self.slot_tables(first);
        // SAFETY: callers pass the first page of a slab, whose second page's units these are.
        let live = unsafe { &raw mut (*tables).live };
        // SAFETY: as above.
        unsafe { write_number(live, slots.live) };
        // SAFETY: as above.
        unsafe { (*tables).free = slots.free };
    }

    /// What they say.
    pub(super) fn slots_of(&self, first: u32) -> Slots {
        // SAFETY: callers pass the first page of a slab, whose tables were written when it opened.
        unsafe { self.slot_tables(first).read() }
    }
}

/// Notes that a slot is live, or that it is not.
///
/// # Safety
///
/// The tables are those of a slab in use, which the caller alone writes.
#[inline(always)]
unsafe fn set_live(slots: *mut Slots, slot: u32, live: bool) {
    // SAFETY: the caller's promise.
    let place = unsafe { &raw mut (*slots).live };
    // SAFETY: as above.
    let bits = unsafe { place.read() };
    let bits = if live { bits | 1 << slot } else { bits & !(1 << slot) };
    // SAFETY: as above.
    unsafe { write_number(place, bits) };
}

/// The slot that an offset in granules is in.
#[inline]
fn slot_of(offset: u32, reciprocal: u32) -> u32 {
    ((u64::from(offset) * u64::from(reciprocal)) >> RECIPROCAL_BITS) as u32
}
