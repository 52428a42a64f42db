//! Slots: the fronts of all classes, and current and partial pages of those with slots in pages.

use core::ptr::NonNull;

use super::page_id::{page_id, split_id};
use super::region::{KIND_CORE, NIL, PageDesc, PageState};
use super::table_word::write_bits;
use super::{Place, Refusal, SizeClassHeap};
use crate::bookkeeping::mark;
use crate::contract::misuse::Misuse;
use crate::heaps::size_classes::{
    ALL_CLASSES, CLASSES_MAX, ClassTable, GRANULE, PAGE_GRANULES, SizeClasses,
};

/// Bytes of a front, a power of two: the way from a class to its front is a shift. 256, or 128
/// where an address has 32 bits.
const FRONT_SIZE: usize = 32 * size_of::<usize>();
/// Bytes of a front before its slots.
const FRONT_HEAD: usize = 32;
/// Most slots of a front: 14, or 12 where an address has 32 bits.
pub(super) const FRONT_SLOTS: usize = (FRONT_SIZE - FRONT_HEAD) / size_of::<Item>();
/// Most bytes that a front holds back, except that it has at least four slots.
const FRONT_BYTES: usize = 8192;
/// The largest slots of which it has four.
const FOUR_BYTES_MAX: usize = 8200;

/// A free slot: where it starts and which word of `starts` holds its bit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) start: *mut u8,
    pub(super) word: *mut u64,
}

impl Item {
    const NONE: Self = Self { start: core::ptr::null_mut(), word: core::ptr::null_mut() };

    /// Sets the start bit and makes a block of the slot.
    #[inline]
    pub(super) fn hand_out(self, bytes: usize) -> NonNull<[u8]> {
        // Regions start at a multiple of 4 096, so the address alone gives the bit in the word.
        let bit = 1 << (self.start.addr() / GRANULE % 64);
        // SAFETY: the word is that of the slot's page, which is in use and hence initialised.
        let bits = unsafe { self.word.read() };
        // SAFETY: the same word, which the heap's owner alone writes.
        unsafe { write_bits(self.word, bits | bit) };
        // SAFETY: a slot is inside a region, which does not start at null.
        let start = unsafe { NonNull::new_unchecked(self.start) };
        mark::undefined(start, bytes);
        NonNull::slice_from_raw_parts(start, bytes)
    }
}

/// The free slots of a class that are handed out next, last in first out.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Front {
    len: u32,
    capacity: u32,
    /// Bytes of a slot.
    pub(super) bytes: u32,
    unused: u32,
    /// Blocks handed out since the start.
    pub(super) total: u64,
    spare: u64,
    items: [Item; FRONT_SLOTS],
}

const _: () = assert!(
    size_of::<Front>() == FRONT_SIZE && FRONT_SIZE.is_power_of_two(),
    "fronts are found by a shift"
);

impl Front {
    const NONE: Self = Self {
        len: 0,
        capacity: 0,
        bytes: 0,
        unused: 0,
        total: 0,
        spare: 0,
        items: [Item::NONE; FRONT_SLOTS],
    };

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Item> {
        let len = self.len.checked_sub(1)?;
        // SAFETY: `push` keeps `len` at most FRONT_SLOTS, so `len` is an index here.
        let item = unsafe { self.items.get_unchecked(len as usize) };
        self.len = len;
        Some(*item)
    }

    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.len < self.capacity
    }

    /// Puts a slot into the front, which must have room.
    #[inline]
    pub(super) fn push(&mut self, item: Item) {
        debug_assert!(self.has_room(), "the front of {} bytes is full", self.bytes);
        // SAFETY: `len` is below `capacity`, which `fronts` keeps at most FRONT_SLOTS.
        let place = unsafe { self.items.get_unchecked_mut(self.len as usize) };
        *place = item;
        self.len += 1;
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items[..self.len as usize]
    }
}

/// The empty fronts of a table.
pub(super) const fn fronts(table: &ClassTable) -> [Front; ALL_CLASSES] {
    let mut fronts = [const { Front::NONE }; ALL_CLASSES];
    let mut class = 0;
    while class < ALL_CLASSES {
        if table.has(class) {
            let bytes = table.bytes(class);
            fronts[class].bytes = bytes as u32;
            fronts[class].capacity = capacity(bytes) as u32;
        }
        class += 1;
    }
    fronts
}

/// How many slots of `bytes` a front holds.
const fn capacity(bytes: usize) -> usize {
    let fitting = FRONT_BYTES / bytes;
    if fitting > FRONT_SLOTS {
        FRONT_SLOTS
    } else if fitting >= 4 {
        fitting
    } else if bytes <= FOUR_BYTES_MAX {
        4
    } else {
        1
    }
}

/// The pages of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) current: Current,
    /// Head of the circular list of partial pages.
    pub(super) partial: u32,
    /// Slab pages of the class.
    pub(super) pages: u32,
    /// Slots of slab pages that are live, in the front, or in the current page's bitmap.
    pub(super) out: u64,
    /// Slots of mixed pages that are live or in the current page's bitmap.
    pub(super) mixed: u64,
}

impl Class {
    pub(super) const NONE: Self =
        Self { current: Current::NONE, partial: NIL, pages: 0, out: 0, mixed: 0 };
}

/// The page that slots of a class are being taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    /// Slots still to hand out: a bit at the granule that each starts at.
    pub(super) slots: [u64; 4],
    /// The first word of `slots` that may have a bit.
    pub(super) word: usize,
    pub(super) base: *mut u8,
    pub(super) starts: *mut u64,
    /// The page's id, or `NIL`.
    pub(super) page: u32,
}

impl Current {
    const NONE: Self = Self {
        slots: [0; 4],
        word: 4,
        base: core::ptr::null_mut(),
        starts: core::ptr::null_mut(),
        page: NIL,
    };

    #[inline]
    pub(super) fn next(&mut self) -> Option<Item> {
        while self.word < 4 {
            let bits = self.slots[self.word];
            if bits != 0 {
                self.slots[self.word] = bits & (bits - 1);
                let granule = self.word * 64 + bits.trailing_zeros() as usize;
                return Some(Item {
                    start: self.base.wrapping_add(granule * GRANULE),
                    word: self.starts.wrapping_add(self.word),
                });
            }
            self.word += 1;
        }
        None
    }

    pub(super) fn left(&self) -> u32 {
        self.slots.iter().map(|w| w.count_ones()).sum()
    }
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Takes a slot, from the front if there is one, and hands it out.
    pub(super) fn allocate_slot(
        &mut self,
        class: usize,
        requested: usize,
    ) -> Result<NonNull<[u8]>, Refusal> {
        let item = match self.fronts[class].pop() {
            Some(item) => item,
            None => self.next_slot(class)?,
        };
        Ok(self.hand_out(item, class, requested))
    }

    #[inline]
    pub(super) fn hand_out(&mut self, item: Item, class: usize, requested: usize) -> NonNull<[u8]> {
        let front = &mut self.fronts[class];
        front.total += 1;
        let bytes = front.bytes as usize;
        self.count(requested, bytes);
        item.hand_out(bytes)
    }

    /// A free slot of a class whose front is empty, so that every clear bit of its pages is free.
    fn next_slot(&mut self, class: usize) -> Result<Item, Refusal> {
        if let Some(item) = self.classes[class].current.next() {
            return Ok(item);
        }
        self.retire(class)?;
        self.next_page(class)?;
        self.classes[class].current.next().ok_or(Refusal::NoRoom)
    }

    /// Makes a page with free slots the current one of a class that has none: a partial page, free
    /// units of a mixed page, a page that was used before, sparse pages divided, new memory.
    fn next_page(&mut self, class: usize) -> Result<(), Refusal> {
        let partial = self.classes[class].partial;
        if partial != NIL {
            self.unlink_partial(partial, class);
            self.open_page(partial, class);
            return Ok(());
        }
        if self.open_mixed(class)? || self.open_core_page(class, false)? {
            return Ok(());
        }
        if self.is_sparse() && self.divide_sparse(class, false)? {
            return Ok(());
        }
        if self.dissolve_if_idle()? && self.open_core_page(class, false)? {
            return Ok(());
        }
        if self.open_core_page(class, true)? { Ok(()) } else { Err(Refusal::NoRoom) }
    }

    /// Makes a page of the core a slab page and the current one; `fresh` allows new memory.
    pub(super) fn open_core_page(&mut self, class: usize, fresh: bool) -> Result<bool, Refusal> {
        for index in 0..self.regions.len() {
            let Some(region) = self.regions.get_mut(index) else { continue };
            match region.take_pages(1, fresh) {
                Ok(page) => {
                    region.set_kind(page, class as u8 + 1);
                    let id = page_id(index, page);
                    let desc = PageDesc {
                        next: NIL,
                        prev: NIL,
                        used: 0,
                        class: class as u8,
                        state: PageState::Current,
                        id,
                    };
                    // SAFETY: every page has a descriptor, ours to write.
                    unsafe { region.desc(page).write(desc) };
                    self.classes[class].pages += 1;
                    self.open_page(id, class);
                    return Ok(true);
                }
                Err(super::Fault::NoRoom) => {}
                Err(fault) => return Err(self.refusal(index, fault)),
            }
        }
        Ok(false)
    }

    /// Makes a slab page, in no list, the current one: its clear slots are handed out next.
    fn open_page(&mut self, id: u32, class: usize) {
        let (region, page) = split_id(id);
        let from = &self.regions[region];
        let starts = from.page_starts(page);
        let mask = C::TABLE.mask(class);
        let mut slots = [0; 4];
        for word in 0..4 {
            slots[word] = mask[word] & !starts[word];
        }
        self.set_current(id, class, slots);
    }

    /// Makes `slots` of a page what is handed out next for a class, and counts them as used.
    pub(super) fn set_current(&mut self, id: u32, class: usize, slots: [u64; 4]) {
        let (region, page) = split_id(id);
        let from = &self.regions[region];
        let current = Current {
            slots,
            word: 0,
            base: from.address(page * PAGE_GRANULES),
            starts: from.starts_word(page * PAGE_GRANULES),
            page: id,
        };
        let left = current.left();
        let is_slab = from.kind(page) == class as u8 + 1;
        self.classes[class].current = current;
        if is_slab {
            self.classes[class].out += u64::from(left);
        } else {
            self.classes[class].mixed += u64::from(left);
        }
        self.edit_desc(id, |desc| {
            desc.state = PageState::Current;
            desc.used += left as u16;
        });
    }

    /// Puts the current page of a class where it belongs; slots not handed out are free again.
    pub(super) fn retire(&mut self, class: usize) -> Result<(), Refusal> {
        let current = core::mem::replace(&mut self.classes[class].current, Current::NONE);
        if current.page == NIL {
            return Ok(());
        }
        let left = current.left();
        let (region, page) = split_id(current.page);
        if self.regions[region].kind(page) == super::region::KIND_MIXED {
            self.classes[class].mixed -= u64::from(left);
            self.edit_desc(current.page, |desc| desc.used -= left as u16);
            return self.retire_mixed(current.page);
        }
        self.classes[class].out -= u64::from(left);
        let slots = C::TABLE.slots(class);
        let used = self.edit_desc(current.page, |desc| {
            desc.used -= left as u16;
            desc.state = PageState::Full;
            u32::from(desc.used)
        });
        if used == 0 {
            self.release_slab(current.page, class)
        } else {
            if used < slots {
                self.link_partial(current.page, class);
            }
            Ok(())
        }
    }

    /// Takes a live slot back, to its front if it belongs to a slab page and there is room.
    pub(super) fn deallocate_slot(
        &mut self,
        place: Place,
        class: usize,
        bytes: usize,
    ) -> Result<(), Refusal> {
        let region = &self.regions[place.region];
        let start = region.address(place.granule);
        let front = &mut self.fronts[class];
        if bytes > front.bytes as usize {
            return Err(Refusal::Wrong(Misuse::WrongSize, start));
        }
        region.clear_start(place.granule);
        self.granted -= front.bytes as usize;
        mark::no_access_at(start, front.bytes as usize);
        let page = place.granule / PAGE_GRANULES;
        let id = page_id(place.region, page);
        if region.kind(page) == super::region::KIND_MIXED {
            self.classes[class].mixed -= 1;
            return self.free_in_mixed(id);
        }
        if !front.has_room() {
            if class < CLASSES_MAX {
                return self.free_in_page(id, class, 1);
            }
            self.medium.count_free(class);
            return self.give_slot(place, class);
        }
        front.push(Item { start, word: region.starts_word(place.granule) });
        Ok(())
    }

    /// Takes back several slots of a page of the cached region, if all that the bits say are live
    /// slots of one class: a bit for each granule from `first` on, which begins a word of them.
    /// `false`, with nothing changed, if not.
    #[cfg(all(feature = "std", not(all(test, loom))))]
    pub(crate) fn deallocate_several(&mut self, first: NonNull<u8>, bits: usize) -> bool {
        let region = self.cached_region();
        let granule = region.granule_of(first);
        if granule / PAGE_GRANULES as usize >= region.initialised as usize {
            return false;
        }
        let first = granule as u32;
        let page = first / PAGE_GRANULES;
        let class = usize::from(region.kind(page)).wrapping_sub(1);
        let word = region.starts_word(first);
        let base = region.address(first - first % 64);
        let mut bits = (bits as u64) << (first % 64);
        // SAFETY: the page is initialised.
        let starts = unsafe { word.read() };
        if class >= CLASSES_MAX || starts & bits != bits {
            return false;
        }
        // SAFETY: the same word, which the heap's owner alone writes.
        unsafe { write_bits(word, starts & !bits) };
        let front = &mut self.fronts[class];
        let bytes = front.bytes as usize;
        self.granted -= bits.count_ones() as usize * bytes;
        let mut to_page = 0;
        while bits != 0 {
            let start = base.wrapping_add(bits.trailing_zeros() as usize * GRANULE);
            bits &= bits - 1;
            mark::no_access_at(start, bytes);
            if front.has_room() {
                front.push(Item { start, word });
            } else {
                to_page += 1;
            }
        }
        if to_page > 0
            && let Err(refusal) =
                self.free_in_page(page_id(self.cached_number, page), class, to_page)
        {
            self.damage = Some(refusal);
        }
        true
    }

    /// Counts slots of a slab page as free.
    fn free_in_page(&mut self, id: u32, class: usize, slots: u16) -> Result<(), Refusal> {
        self.classes[class].out -= u64::from(slots);
        let (used, state) = self.edit_desc(id, |desc| {
            desc.used -= slots;
            (desc.used, desc.state)
        });
        match state {
            PageState::Full if used == 0 => return self.release_slab(id, class),
            PageState::Full => self.link_partial(id, class),
            PageState::Partial if used == 0 => {
                self.unlink_partial(id, class);
                return self.release_slab(id, class);
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives every slot of a class's front back to its page or slab.
    pub(super) fn drain_front(&mut self, class: usize) -> Result<(), Refusal> {
        while let Some(item) = self.fronts[class].pop() {
            let Some((region, offset)) = self.find(item.start) else {
                return Err(Refusal::Wrong(Misuse::Damaged, item.start));
            };
            let place = Place { region, granule: (offset / GRANULE) as u32 };
            if class < CLASSES_MAX {
                self.free_in_page(page_id(region, place.granule / PAGE_GRANULES), class, 1)?;
            } else {
                self.give_slot(place, class)?;
            }
        }
        Ok(())
    }

    fn release_slab(&mut self, id: u32, class: usize) -> Result<(), Refusal> {
        self.classes[class].pages -= 1;
        self.release_page(id)
    }

    /// Gives an empty page, in no list, back to the core.
    pub(super) fn release_page(&mut self, id: u32) -> Result<(), Refusal> {
        let (region, page) = split_id(id);
        self.regions[region].set_kind(page, KIND_CORE);
        self.give_core(region, page * PAGE_GRANULES)
    }

    pub(super) fn link_partial(&mut self, id: u32, class: usize) {
        self.edit_desc(id, |desc| desc.state = PageState::Partial);
        self.classes[class].partial = self.link(self.classes[class].partial, id);
    }

    pub(super) fn unlink_partial(&mut self, id: u32, class: usize) {
        self.classes[class].partial = self.unlink(self.classes[class].partial, id);
    }

    /// Puts a page at the front of a circular list; returns the new head.
    pub(super) fn link(&mut self, head: u32, id: u32) -> u32 {
        if head == NIL {
            self.edit_desc(id, |desc| (desc.next, desc.prev) = (id, id));
            return id;
        }
        let last = self.edit_desc(head, |desc| core::mem::replace(&mut desc.prev, id));
        self.edit_desc(last, |desc| desc.next = id);
        self.edit_desc(id, |desc| (desc.next, desc.prev) = (head, last));
        id
    }

    /// Takes a page out of a circular list; returns the new head.
    pub(super) fn unlink(&mut self, head: u32, id: u32) -> u32 {
        let (next, prev) = self.edit_desc(id, |desc| (desc.next, desc.prev));
        if next == id {
            return NIL;
        }
        self.edit_desc(prev, |desc| desc.next = next);
        self.edit_desc(next, |desc| desc.prev = prev);
        if head == id { next } else { head }
    }

    /// Changes the descriptor of a slab or mixed page.
    pub(super) fn edit_desc<R>(&self, id: u32, edit: impl FnOnce(&mut PageDesc) -> R) -> R {
        let (region, page) = split_id(id);
        let desc = self.regions[region].desc(page);
        // SAFETY: the descriptor was written when the page was taken from the core, and the closure
        // has only this reference to it.
        edit(unsafe { &mut *desc })
    }
}
