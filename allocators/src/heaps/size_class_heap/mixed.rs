//! Mixed pages: sparse slab pages divided into units of 512 bytes that other classes may use.
//!
//! A program that fills memory with blocks of one size and then frees most of them leaves pages
//! that a few survivors hold for that size alone. When a size-class heap is about to take new
//! memory while much of its slab pages is idle, it makes such a page mixed: each unit that no live
//! slot touches can take slots of any class. The class of a slot is that of the unit it starts in,
//! so nothing is stored per slot and a free needs one byte more than in a slab page. A mixed page
//! ends when it is empty.

use core::ptr::NonNull;

use super::page_id::split_id;
use super::region::{KIND_MIXED, NIL, PageState, UNIT, UNIT_GRANULES};
use super::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{GRANULE, SizeClasses};

/// Pages looked at before new memory is taken.
const LOOKS: u32 = 8;
/// Pages looked at before a request is refused.
const LOOKS_EXHAUSTIVE: u32 = 64;

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Whether more than a third of the slab pages' memory is idle, and that is worth looking for.
    pub(super) fn is_sparse(&self) -> bool {
        let (mut pages, mut idle) = (0, 0);
        for class in 0..C::TABLE.count() {
            pages += u64::from(self.classes[class].pages);
            idle += self.idle_bytes(class);
        }
        pages > 64 && idle / 4096 * 3 > pages
    }

    fn idle_bytes(&self, class: usize) -> u64 {
        let of = &self.classes[class];
        let slots = u64::from(of.pages) * u64::from(C::TABLE.slots(class));
        (slots - of.out) * C::TABLE.bytes(class) as u64
    }

    /// Makes free units of a page that is mixed already the current ones of a class. Looks at a
    /// bounded number of pages; those without a free unit leave the list.
    pub(super) fn open_mixed(&mut self, class: usize) -> Result<bool, Refusal> {
        for _ in 0..LOOKS {
            let id = self.mixed;
            if id == NIL {
                return Ok(false);
            }
            self.mixed = self.unlink(id, id);
            if self.open_units(id, class) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Divides a sparse page of the class with most idle memory for the use of `class`.
    pub(super) fn divide_sparse(
        &mut self,
        class: usize,
        exhaustive: bool,
    ) -> Result<bool, Refusal> {
        let idlest = (0..C::TABLE.count())
            .filter(|&c| c != class && self.classes[c].partial != NIL)
            .max_by_key(|&c| self.idle_bytes(c));
        let Some(from) = idlest else {
            return Ok(false);
        };
        // A slot in a front looks free in its page; in a mixed page that would be believed.
        self.drain_front(from)?;
        let (looks, most) = if exhaustive {
            (LOOKS_EXHAUSTIVE, C::TABLE.slots(from))
        } else {
            (LOOKS, C::TABLE.slots(from).div_ceil(4))
        };
        for _ in 0..looks {
            let id = self.classes[from].partial;
            if id == NIL {
                return Ok(false);
            }
            let (used, next) = self.edit_desc(id, |desc| (u32::from(desc.used), desc.next));
            if used <= most && self.free_units(id, Some(from)) != 0 {
                self.make_mixed(id, from);
                return Ok(self.open_units(id, class));
            }
            self.classes[from].partial = next;
        }
        Ok(false)
    }

    /// Serves a slot when fronts are empty and no memory can be had: from any page that can be
    /// divided, else from the least larger class with a free slot.
    pub(super) fn allocate_slot_exhaustive(
        &mut self,
        class: usize,
        requested: usize,
    ) -> Result<NonNull<[u8]>, Refusal> {
        match self.allocate_slot(class, requested) {
            Err(Refusal::NoRoom) => {}
            served => return served,
        }
        if self.divide_sparse(class, true)? {
            return self.allocate_slot(class, requested);
        }
        let align = C::TABLE.bytes(class) & C::TABLE.bytes(class).wrapping_neg();
        for larger in class + 1..C::TABLE.count() {
            let fits = C::TABLE.bytes(larger).is_multiple_of(align);
            if fits && self.classes[larger].partial != NIL {
                return self.allocate_slot(larger, requested);
            }
        }
        Err(Refusal::NoRoom)
    }

    fn make_mixed(&mut self, id: u32, class: usize) {
        self.unlink_partial(id, class);
        let (region, page) = split_id(id);
        // The kind last: it says that the units have classes.
        self.regions[region].set_unit_classes(page, [class as u8; 8]);
        self.regions[region].set_kind(page, KIND_MIXED);
        let used = self.edit_desc(id, |desc| {
            desc.state = PageState::Idle;
            desc.used
        });
        self.classes[class].pages -= 1;
        self.classes[class].out -= u64::from(used);
        self.classes[class].mixed += u64::from(used);
    }

    /// Gives the longest run of free units of a mixed page, in no list, to a class.
    fn open_units(&mut self, id: u32, class: usize) -> bool {
        let run = longest_run(self.free_units(id, None));
        let bytes = C::TABLE.bytes(class);
        // The last 8 bytes of a page are the header of the block after it.
        let usable = run.count as usize * UNIT - if run.start + run.count == 8 { 8 } else { 0 };
        let slots = if run.count == 0 { 0 } else { usable / bytes };
        if slots == 0 {
            self.edit_desc(id, |desc| desc.state = PageState::Idle);
            return false;
        }
        let (region, page) = split_id(id);
        let mut classes = self.regions[region].unit_classes(page);
        for unit in run.start..run.start + run.count {
            classes[unit as usize] = class as u8;
        }
        self.regions[region].set_unit_classes(page, classes);
        let first = run.start * UNIT_GRANULES;
        let last = first + ((slots - 1) * (bytes / GRANULE)) as u32;
        self.set_current(id, class, shifted(C::TABLE.mask(class), first, last));
        true
    }

    /// A bit for each unit of a page that no live slot touches. `class` is given for a page that is
    /// not mixed yet.
    pub(super) fn free_units(&self, id: u32, class: Option<usize>) -> u8 {
        let (region, page) = split_id(id);
        let starts = self.regions[region].page_starts(page);
        let classes = match class {
            Some(class) => [class as u8; 8],
            None => self.regions[region].unit_classes(page),
        };
        let mut taken = 0_u16;
        for unit in 0..8 {
            let bits = (starts[unit / 2] >> (unit % 2 * 32)) as u32;
            if bits == 0 {
                continue;
            }
            let last = unit * UNIT_GRANULES as usize + bits.ilog2() as usize;
            let granules = C::TABLE.bytes(usize::from(classes[unit])) / GRANULE;
            taken |= 1 << unit | 1 << ((last + granules - 1) / UNIT_GRANULES as usize);
        }
        !(taken as u8)
    }

    /// Counts one slot of a mixed page as free.
    pub(super) fn free_in_mixed(&mut self, id: u32) -> Result<(), Refusal> {
        let (used, state) = self.edit_desc(id, |desc| {
            desc.used -= 1;
            (desc.used, desc.state)
        });
        match state {
            PageState::Current => Ok(()),
            PageState::Listed if used == 0 => {
                self.mixed = self.unlink(self.mixed, id);
                self.release_page(id)
            }
            PageState::Listed => Ok(()),
            _ => self.retire_mixed(id),
        }
    }

    /// Puts a mixed page, in no list, where it belongs.
    pub(super) fn retire_mixed(&mut self, id: u32) -> Result<(), Refusal> {
        let used = self.edit_desc(id, |desc| {
            desc.state = PageState::Listed;
            desc.used
        });
        if used == 0 {
            return self.release_page(id);
        }
        self.mixed = self.link(self.mixed, id);
        Ok(())
    }
}

/// Consecutive units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    start: u32,
    count: u32,
}

/// The longest run of set bits, the first of several.
fn longest_run(bits: u8) -> Run {
    let mut longest = Run { start: 0, count: 0 };
    let mut rest = u32::from(bits);
    while rest != 0 {
        let start = rest.trailing_zeros();
        let count = (rest >> start).trailing_ones();
        if count > longest.count {
            longest = Run { start, count };
        }
        rest &= !(((1 << count) - 1) << start);
    }
    longest
}

/// A page's slot mask moved up to the granule `first`, a multiple of 32, and cut after `last`.
fn shifted(mask: [u64; 4], first: u32, last: u32) -> [u64; 4] {
    let (words, half) = (first as usize / 64, !first.is_multiple_of(64));
    let mut slots = [0; 4];
    for (from, slot) in slots[words..].iter_mut().enumerate() {
        let below = if from == 0 { 0 } else { mask[from - 1] };
        *slot = if half { mask[from] << 32 | below >> 32 } else { mask[from] };
    }
    for (word, bits) in slots.iter_mut().enumerate() {
        let low = word as u32 * 64;
        if last < low {
            *bits = 0;
        } else if last - low < 63 {
            *bits &= (1 << (last - low + 1)) - 1;
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heaps::size_classes::DefaultClasses;

    #[test]
    fn the_longest_run_is_found() {
        assert_eq!(longest_run(0), Run { start: 0, count: 0 });
        assert_eq!(longest_run(0xff), Run { start: 0, count: 8 });
        assert_eq!(longest_run(0b1011_0111), Run { start: 0, count: 3 });
        assert_eq!(longest_run(0b1111_0110), Run { start: 4, count: 4 });
        assert_eq!(longest_run(0x80), Run { start: 7, count: 1 });
    }

    #[test]
    fn masks_shift_over_words_and_are_cut() {
        let every_second = [0x5555_5555_5555_5555; 4];
        assert_eq!(shifted(every_second, 0, 0), [1, 0, 0, 0]);
        assert_eq!(shifted(every_second, 32, 36), [0x15 << 32, 0, 0, 0]);
        assert_eq!(shifted(every_second, 64, 66), [0, 5, 0, 0]);
        assert_eq!(shifted(every_second, 96, 130), [0, 0x5555_5555 << 32, 5, 0]);
        assert_eq!(shifted(every_second, 224, 254), [0, 0, 0, 0x5555_5555 << 32]);
    }

    #[test]
    fn the_longest_run_is_the_first_of_its_length() {
        for bits in 0..=u8::MAX {
            let is_set = |at: u32| at < 8 && bits >> at & 1 != 0;
            let mut longest = Run { start: 0, count: 0 };
            for start in 0..8 {
                let count = (start..).take_while(|&at| is_set(at)).count() as u32;
                if count > longest.count {
                    longest = Run { start, count };
                }
            }
            assert_eq!(longest_run(bits), longest, "{bits:08b}");
        }
    }

    #[test]
    fn a_mask_is_moved_up_and_cut() {
        let table = DefaultClasses::TABLE;
        let bit = |mask: [u64; 4], at: u32| mask[at as usize / 64] >> (at % 64) & 1 != 0;
        for class in 0..table.count() {
            let mask = table.mask(class);
            for first in (0..256).step_by(UNIT_GRANULES as usize) {
                for last in (first..256).step_by(7).chain([first, 63, 64, 127, 128, 255]) {
                    let moved = shifted(mask, first, last);
                    for at in 0..256 {
                        let expected = at >= first && at <= last && bit(mask, at - first);
                        assert_eq!(bit(moved, at), expected, "{at} of {first}..={last}, {class}");
                    }
                }
            }
        }
    }
}
