//! Sparse slabs of middle sizes become core blocks where they are.

use super::super::core_blocks::Fault;
use super::super::page_id::split_id;
use super::super::region::{NIL, Region};
use super::super::{Refusal, SizeClassHeap};
use crate::heaps::size_classes::{ALL_CLASSES, CLASSES_MAX, PAGE_GRANULES, SizeClasses};

/// Slabs looked at before new memory is taken.
const LOOKS: u32 = 8;
/// Slabs dissolved before a request is refused.
const DISSOLVED_MAX: u32 = 64;

/// A slab that is being dissolved.
#[derive(Clone, Copy, Debug)]
struct Slab {
    first: u32,
    /// A bit for each live slot.
    live: u32,
    slots: u32,
    /// Granules of a slot.
    granules: u32,
    /// The granule after the slab.
    end: u32,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Dissolves one slab, at most half used, of the class with most idle memory if more than a
    /// quarter of the memory of slabs is idle. Called when new memory was or is to be taken.
    pub(in crate::heaps::size_class_heap) fn dissolve_if_idle(&mut self) -> Result<bool, Refusal> {
        if !self.medium_is_idle() {
            return Ok(false);
        }
        self.dissolve_slab(2)
    }

    /// Dissolves slabs that are at most half used, while more than a quarter of the memory of slabs
    /// is idle.
    pub(in crate::heaps::size_class_heap) fn dissolve_sparse(&mut self) -> Result<(), Refusal> {
        while self.dissolve_if_idle()? {}
        Ok(())
    }

    /// Whether more than a quarter of the memory of slabs is idle.
    #[inline]
    pub(in crate::heaps::size_class_heap) fn medium_is_idle(&self) -> bool {
        self.medium.idle * 4 > self.medium.granules
    }

    /// Dissolves slabs with free slots, before a request is refused.
    pub(in crate::heaps::size_class_heap) fn dissolve_exhaustive(&mut self) -> Result<(), Refusal> {
        for _ in 0..DISSOLVED_MAX {
            if !self.dissolve_slab(1)? {
                break;
            }
        }
        Ok(())
    }

    /// Dissolves a slab with at most its slots divided by `part` in use, of the class with most
    /// idle memory; looks at a few slabs.
    fn dissolve_slab(&mut self, part: u32) -> Result<bool, Refusal> {
        let idlest = (CLASSES_MAX..ALL_CLASSES)
            .filter(|&class| self.medium.of(class).partial != NIL)
            .max_by_key(|&class| self.medium.of(class).idle_granules());
        let Some(class) = idlest else {
            return Ok(false);
        };
        let shape = self.medium.of(class).shape;
        let most = shape.slots / part;
        // Slots in the front are free.
        self.drain_front(class)?;
        if self.medium.of(class).partial == NIL {
            return Ok(false);
        }
        // The slab that slots are taken from is looked at last.
        let head = self.medium.of(class).partial;
        let mut id = head;
        for _ in 0..LOOKS {
            id = self.edit_desc(id, |desc| desc.next);
            let (index, first) = split_id(id);
            let (_, live) = self.regions[index].slots_of(first, shape);
            if live.count_ones() <= most {
                self.dissolve(id, class)?;
                return Ok(true);
            }
            if id == head {
                return Ok(false);
            }
        }
        // The next search goes on where this one ended.
        self.take_slots_from(id, class);
        Ok(false)
    }

    /// Turns a slab that is in its class's list into core blocks.
    fn dissolve(&mut self, id: u32, class: usize) -> Result<(), Refusal> {
        let (index, first) = split_id(id);
        let of = self.medium.of_mut(class);
        let (_, live) = self.regions[index].slots_of(first, of.shape);
        let slab = Slab {
            first: first * PAGE_GRANULES,
            live,
            slots: of.shape.slots,
            granules: of.shape.granules,
            end: (first + of.shape.pages) * PAGE_GRANULES,
        };
        let live = slab.live.count_ones();
        of.out -= live;
        // The live ones count as handed out by the core from now on.
        self.fronts[class].total -= u64::from(live);
        self.large_total += u64::from(live);
        self.large_granted_total += u64::from(live) * of.bytes() as u64;
        self.medium.idle -= u64::from((slab.slots - live) * slab.granules);
        self.medium.add_blocks(class, live);
        self.regions[index].write_headers(slab).map_err(|fault| self.refusal(index, fault))?;
        self.end_slab(id, class);
        self.regions[index].free_runs(slab).map_err(|fault| self.refusal(index, fault))
    }
}

impl Region {
    /// Writes the headers of a slab's slots, and of the runs of free ones between them.
    fn write_headers(&mut self, slab: Slab) -> Result<(), Fault> {
        let mut at = slab.first;
        // The block before the slab keeps its size.
        let mut before = self.header(at)?.prev;
        while at < slab.end {
            let block = slab.block_at(at);
            self.set_size(at, block - at);
            self.set_prev(at, before);
            // Free runs count as live until all headers are written.
            self.set_start(at);
            before = block - at;
            at = block;
        }
        self.set_prev(slab.end, before);
        Ok(())
    }

    /// Frees the runs between the live slots of a slab whose pages are the core's by now.
    fn free_runs(&mut self, slab: Slab) -> Result<(), Fault> {
        let mut at = slab.first;
        while at < slab.end {
            let block = slab.block_at(at);
            if !slab.is_live(at) {
                self.clear_start(at);
                let header = self.header(at)?;
                self.give_block(at, header)?;
            }
            at = block;
        }
        Ok(())
    }
}

impl Slab {
    fn is_live(&self, at: u32) -> bool {
        let slot = (at - self.first) / self.granules;
        slot < self.slots && self.live >> slot & 1 != 0
    }

    /// The end of the live slot, or of the run of free ones, that starts at a granule.
    fn block_at(&self, at: u32) -> u32 {
        if self.is_live(at) {
            return at + self.granules;
        }
        let mut end = at;
        while end < self.end && !self.is_live(end) {
            let slot = (end - self.first) / self.granules + 1;
            end = if slot >= self.slots { self.end } else { self.first + slot * self.granules };
        }
        end
    }
}
