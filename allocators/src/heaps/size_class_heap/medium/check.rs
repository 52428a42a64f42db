//! What `verify` compares of slabs of middle sizes.

use super::super::page_id::{page_id, split_id};
use super::super::region::{KIND_CORE, KIND_MEDIUM, NIL, Region};
use super::super::{Damage, SizeClassHeap};
use super::{MEDIUM_CLASSES, MediumClass, Slots, medium_class};
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES, SizeClasses};

/// What was counted of a class in all regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    blocks: u32,
    out: u32,
    /// Slots out that are not live.
    waiting: u32,
    slabs: u32,
    /// Slabs with a free slot.
    partial: u32,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Compares the slabs of middle sizes with the counts and the lists of their classes.
    /// O(pages + blocks).
    pub(in crate::heaps::size_class_heap) fn check_medium(&self) -> Result<(), Damage> {
        let mut tallies = [Tally::default(); MEDIUM_CLASSES];
        for (index, _) in self.regions.iter() {
            self.tally_region(index, &mut tallies)?;
        }
        let (mut granules, mut idle) = (0, 0);
        for (class, tally) in tallies.iter().enumerate() {
            let of = &self.medium.classes[class];
            self.check_front(class)?;
            let counted = Tally { partial: self.length_of_list(class)?, ..self.tally_of(class) };
            if counted != *tally || !self.medium.is_marked_right(class) {
                return Err(
                    self.damage("a class of middle sizes counts other blocks than there are")
                );
            }
            granules += u64::from(of.slabs * of.pages * PAGE_GRANULES);
            idle += of.idle_granules();
        }
        if (granules, idle) == (self.medium.granules, self.medium.idle) {
            Ok(())
        } else {
            Err(self.damage("the memory of slabs of middle sizes is counted wrong"))
        }
    }

    /// What a class counts of itself.
    fn tally_of(&self, class: usize) -> Tally {
        let of = &self.medium.classes[class];
        let blocks = self.medium.blocks(class);
        Tally { blocks, out: of.out, waiting: of.front_len, slabs: of.slabs, partial: 0 }
    }

    fn damage(&self, what: &'static str) -> Damage {
        Damage { what, address: self.cached_region().base }
    }

    /// Counts the core blocks and the slabs of a region whose core was checked.
    fn tally_region(&self, index: usize, tallies: &mut [Tally]) -> Result<(), Damage> {
        let region = &self.regions[index];
        let mut at = 0;
        while at < region.granules {
            let size = region.size_at(at).map_err(|_| self.damage("a header is damaged"))?;
            let page = at / PAGE_GRANULES;
            if at.is_multiple_of(PAGE_GRANULES) && region.slab_of(page).is_some() {
                let class = self.check_slab(index, page, size)?;
                let (tally, Slots { live, free }) = (&mut tallies[class], region.slots_of(page));
                let out = self.medium.classes[class].slots_each - free.count_ones();
                tally.slabs += 1;
                tally.out += out;
                tally.waiting += out - live.count_ones();
                tally.partial += u32::from(free != 0);
            } else if region.kind(page) == KIND_CORE
                && region.is_start(at)
                && let Some(class) = medium_class(size)
            {
                tallies[class].blocks += 1;
            }
            at += size;
        }
        Ok(())
    }

    /// Checks the tables of a slab that is a core block of `size` granules; returns its class.
    fn check_slab(&self, index: usize, first: u32, size: u32) -> Result<usize, Damage> {
        let region = &self.regions[index];
        let id = page_id(index, first);
        let class = usize::from(region.slab_class(first));
        let own = self.edit_desc(id, |desc| desc.id);
        let of = self.medium.classes.get(class);
        let sound = of.is_some_and(|of| {
            own == id && size == of.pages * PAGE_GRANULES && of.fits(region, first)
        });
        let address = region.address(first * PAGE_GRANULES).cast_const();
        if sound { Ok(class) } else { Err(Damage { what: "a slab's tables are damaged", address }) }
    }

    /// Whether what is in a class's front is neither live nor free in its slab, and the rest of
    /// what is out is live.
    fn check_front(&self, class: usize) -> Result<(), Damage> {
        for item in self.medium.classes[class].waiting() {
            let (start, slots, slot) = item.parts();
            let place = self.find(start).and_then(|(index, offset)| {
                let region = &self.regions[index];
                let first = region.slab_of((offset / GRANULE) as u32 / PAGE_GRANULES)?;
                let at = first * PAGE_GRANULES + slot * self.medium.classes[class].granules;
                let is_own = region.slot_tables(first) == slots && region.address(at) == start;
                is_own.then(|| region.slots_of(first))
            });
            if place.is_none_or(|of| (of.live | of.free) >> slot & 1 != 0) {
                return Err(Damage { what: "a front holds what is not free", address: start });
            }
        }
        Ok(())
    }

    /// The slabs in a class's list.
    fn length_of_list(&self, class: usize) -> Result<u32, Damage> {
        let of = &self.medium.classes[class];
        let (mut id, mut slabs) = (of.partial, 0);
        while id != NIL {
            slabs += 1;
            let (index, first) = split_id(id);
            let is_slab = self.regions[index].slab_of(first) == Some(first);
            if slabs > of.slabs || !is_slab || self.regions[index].slots_of(first).free == 0 {
                return Err(self.damage("a list of slabs of middle sizes is damaged"));
            }
            let next = self.edit_desc(id, |desc| desc.next);
            id = if next == of.partial { NIL } else { next };
        }
        Ok(slabs)
    }
}

impl MediumClass {
    /// Whether the kinds and the live slots of a slab are those of one of this class.
    fn fits(&self, region: &Region, first: u32) -> bool {
        let kinds = (0..self.pages)
            .all(|distance| region.kind(first + distance) == KIND_MEDIUM + distance as u8);
        let Slots { live, free } = region.slots_of(first);
        kinds && live & free == 0 && (live | free) & !self.all() == 0 && free != self.all()
    }
}
