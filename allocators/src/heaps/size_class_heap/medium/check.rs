//! What `verify` compares of slabs of middle sizes.

use super::super::page_id::{page_id, split_id};
use super::super::region::{KIND_CORE, NIL, Region};
use super::super::{Damage, SizeClassHeap};
use crate::heaps::size_classes::{ALL_CLASSES, CLASSES_MAX, PAGE_GRANULES, Shape, SizeClasses};

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
        let mut tallies = [Tally::default(); ALL_CLASSES + 1];
        for (index, _) in self.regions.iter() {
            self.tally_region(index, &mut tallies)?;
        }
        let (mut granules, mut idle) = (0, 0);
        for (class, tally) in tallies.iter().enumerate().take(ALL_CLASSES).skip(CLASSES_MAX) {
            let of = self.medium.of(class);
            self.check_front(class)?;
            let counted = Tally { partial: self.length_of_list(class)?, ..self.tally_of(class) };
            if counted != *tally || !self.medium.is_marked_right(class) {
                return Err(
                    self.damage("a class of middle sizes counts other blocks than there are")
                );
            }
            granules += u64::from(of.slabs * of.shape.pages * PAGE_GRANULES);
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
        let of = self.medium.of(class);
        let waiting = self.fronts[class].items().len() as u32;
        let blocks = self.medium.blocks(class);
        Tally { blocks, out: of.out, waiting, slabs: of.slabs, partial: 0 }
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
            if at.is_multiple_of(PAGE_GRANULES)
                && let Some(class) = region.medium_class(page)
            {
                let (free, live) = self.check_slab(index, page, class, size)?;
                let out = self.medium.of(class).shape.slots - free.count_ones();
                let tally = &mut tallies[class];
                tally.slabs += 1;
                tally.out += out;
                tally.waiting += out - live.count_ones();
                tally.partial += u32::from(free != 0);
            } else if region.kind(page) == KIND_CORE && region.is_start(at) {
                tallies[C::TABLE.class_of_granules(size)].blocks += 1;
            }
            at += size;
        }
        Ok(())
    }

    /// Checks the tables of a slab that is a core block of `size` granules; returns a bit for each
    /// of its free slots and for each live one.
    fn check_slab(
        &self,
        index: usize,
        first: u32,
        class: usize,
        size: u32,
    ) -> Result<(u32, u32), Damage> {
        let region = &self.regions[index];
        let id = page_id(index, first);
        let own = self.edit_desc(id, |desc| desc.id);
        let shape = self.medium.of(class).shape;
        let address = region.address(first * PAGE_GRANULES).cast_const();
        let damage = Damage { what: "a slab's tables are damaged", address };
        if own != id || shape.slots == 0 || size != shape.pages * PAGE_GRANULES {
            return Err(damage);
        }
        let slots = region.slots_of(first, shape);
        if region.is_slab(first, class, shape, slots) { Ok(slots) } else { Err(damage) }
    }

    /// The slabs in a class's list.
    fn length_of_list(&self, class: usize) -> Result<u32, Damage> {
        let of = self.medium.of(class);
        let (mut id, mut slabs) = (of.partial, 0);
        while id != NIL {
            slabs += 1;
            let (index, first) = split_id(id);
            let region = &self.regions[index];
            let is_slab = region.slab_of(first) == Some(first);
            if slabs > of.slabs || !is_slab || region.slots_of(first, of.shape).0 == 0 {
                return Err(self.damage("a list of slabs of middle sizes is damaged"));
            }
            let next = self.edit_desc(id, |desc| desc.next);
            id = if next == of.partial { NIL } else { next };
        }
        Ok(slabs)
    }
}

impl Region {
    /// Whether the kinds, the distances and the slots of a slab are those of one of a class.
    fn is_slab(&self, first: u32, class: usize, shape: Shape, (free, live): (u32, u32)) -> bool {
        let pages = first..first + shape.pages;
        let kinds = pages.clone().all(|page| {
            self.medium_class(page) == Some(class) && self.slab_of(page) == Some(first)
        });
        let starts = pages.flat_map(|page| self.page_starts(page));
        let started: u32 = starts.map(u64::count_ones).sum();
        let all = shape.all();
        kinds && started == live.count_ones() && live & free == 0 && free & !all == 0 && free != all
    }
}
