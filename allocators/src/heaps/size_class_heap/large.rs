//! Large blocks: core blocks of a region, and regions that are one block.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::core_blocks::Fault;
use super::region::{CORE_BYTES_MAX, KIND_CORE, Region};
use super::{CachedPlace, Place, Refusal, SizeClassHeap};
use crate::bookkeeping::mark;
use crate::contract::misuse::Misuse;
use crate::heaps::size_classes::{
    ALL_CLASSES, CLASSES_MAX, GRANULE, PAGE_GRANULES, SizeClasses, granules_for, payload,
};

/// Opens the bytes that a block gained, or closes those that it lost. The header that was in their
/// way belongs to the block now.
fn mark_resized(block: NonNull<u8>, have: usize, now: usize) {
    let start = block.as_ptr();
    if now > have {
        mark::undefined_at(start.wrapping_add(have), now - have);
    } else {
        mark::no_access_at(start.wrapping_add(now), have - now);
    }
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Whether a layout is too large for a region with others in it.
    pub(crate) fn is_huge(layout: Layout) -> bool {
        layout.size() > CORE_BYTES_MAX || layout.align() > CORE_BYTES_MAX
    }

    /// Bytes to ask for so that a region can serve `layout`.
    pub(crate) fn region_bytes_for(layout: Layout) -> usize {
        let align = if layout.align() > GRANULE { layout.align() } else { 0 };
        Region::bytes_for(granules_for(layout.size()) as usize + align / GRANULE)
    }

    pub(super) fn allocate_large(&mut self, layout: Layout) -> Result<NonNull<[u8]>, Refusal> {
        if Self::is_huge(layout) {
            return Err(Refusal::NoRoom);
        }
        let size = granules_for(layout.size());
        let class = C::TABLE.class_of_granules(size);
        if layout.align() <= GRANULE && (CLASSES_MAX..ALL_CLASSES).contains(&class) {
            let mut block = self.allocate_medium(class, layout.size());
            if block.is_none() && self.medium.wants_slab(class) && self.open_medium(class)? {
                block = self.allocate_medium(class, layout.size());
            }
            if let Some(block) = block {
                return Ok(block);
            }
        }
        for index in 0..self.regions.len() {
            let Some(region) = self.regions.get_mut(index) else { continue };
            let taken = if layout.align() <= GRANULE {
                region.take_block(size)
            } else {
                region.take_aligned(size, layout.align())
            };
            match taken {
                Ok(block) => {
                    self.medium.count_block(class);
                    let address = self.regions[index].address(block);
                    return Ok(self.hand_out_core(address, payload(size), layout.size()));
                }
                Err(Fault::NoRoom) => {}
                Err(fault) => return Err(self.refusal(index, fault)),
            }
        }
        Err(Refusal::NoRoom)
    }

    /// Counts a core block that was taken, and hands it out.
    #[inline(always)]
    fn hand_out_core(
        &mut self,
        address: *mut u8,
        granted: usize,
        requested: usize,
    ) -> NonNull<[u8]> {
        self.large_total += 1;
        self.large_granted_total += granted as u64;
        self.count(requested, granted);
        mark::undefined_at(address, granted);
        // SAFETY: a granule of a region is not at null.
        NonNull::slice_from_raw_parts(unsafe { NonNull::new_unchecked(address) }, granted)
    }

    /// Counts a block that another allocator serves in the growing heap's name, so that the peaks
    /// are those of all blocks together.
    pub(crate) fn count_passed_on(&mut self, requested: usize, granted: usize) {
        self.large_total += 1;
        self.large_granted_total += granted as u64;
        self.count(requested, granted);
        self.reserved += granted;
        self.peak_reserved = self.peak_reserved.max(self.reserved);
    }

    /// Takes back what [`count_passed_on`](Self::count_passed_on) counted.
    pub(crate) fn uncount_passed_on(&mut self, granted: usize) {
        self.large_freed += 1;
        self.granted -= granted;
        self.reserved -= granted;
    }

    /// Counts another size of a block that is passed on; `requested` is what it was asked to grow
    /// by.
    pub(crate) fn recount_passed_on(&mut self, before: usize, after: usize, requested: usize) {
        self.granted -= before;
        self.reserved -= before;
        self.large_granted_total += after.saturating_sub(before) as u64;
        self.count(requested, after);
        self.reserved += after;
        self.peak_reserved = self.peak_reserved.max(self.reserved);
    }

    /// Counts memory that the growing heap took, for regions, huge blocks or its own tables.
    pub(crate) fn count_reserved(&mut self, bytes: usize) {
        self.reserved += bytes;
        self.peak_reserved = self.peak_reserved.max(self.reserved);
    }

    /// Takes back what [`count_reserved`](Self::count_reserved) counted.
    pub(crate) fn uncount_reserved(&mut self, bytes: usize) {
        self.reserved -= bytes;
    }

    /// Makes one block of memory that the growing heap took for `layout`; `None` if there is no
    /// slot for it.
    pub(crate) fn add_huge(
        &mut self,
        memory: NonNull<[u8]>,
        layout: Layout,
    ) -> Option<NonNull<[u8]>> {
        self.regions.add_huge(memory.cast(), layout)?;
        self.count_reserved(layout.size());
        self.large_total += 1;
        self.large_granted_total += layout.size() as u64;
        self.count(layout.size(), layout.size());
        Some(NonNull::slice_from_raw_parts(memory.cast(), layout.size()))
    }

    /// The number and the layout of the huge block that begins at an address.
    pub(crate) fn huge_at(&self, block: NonNull<u8>) -> Option<(usize, Layout)> {
        let (number, offset) = self.regions.find(block.as_ptr())?;
        let (_, layout) = self.regions.huge(number)?;
        (offset == 0).then_some((number, layout))
    }

    /// Counts that a huge block has another layout, and perhaps another place.
    pub(crate) fn replace_huge(
        &mut self,
        number: usize,
        before: Layout,
        block: NonNull<u8>,
        after: Layout,
    ) {
        // The number is free again, so there is one.
        let _ = self.regions.remove(number);
        let _ = self.regions.add_huge(block, after);
        self.granted -= before.size();
        self.reserved -= before.size();
        let more = after.size().saturating_sub(before.size());
        self.large_granted_total += more as u64;
        self.count(more, after.size());
        self.count_reserved(after.size());
    }

    /// Takes back the huge block `number`, whose memory is taken from here next.
    pub(super) fn deallocate_huge(
        &mut self,
        number: usize,
        (start, layout): (NonNull<u8>, Layout),
        bytes: usize,
    ) -> Result<(), Refusal> {
        if bytes > layout.size() {
            return Err(Refusal::Wrong(Misuse::WrongSize, start.as_ptr()));
        }
        self.large_freed += 1;
        self.granted -= layout.size();
        self.emptied = Some(number);
        Ok(())
    }

    /// Serves a request for more than the largest class, without a special alignment, from a slab
    /// or from the cached region; `None` sends the caller to [`allocate`](Self::allocate).
    #[inline]
    pub(crate) fn allocate_hot_core(&mut self, bytes: usize) -> Option<NonNull<[u8]>> {
        if bytes > CORE_BYTES_MAX {
            return None;
        }
        let size = granules_for(bytes);
        let class = C::TABLE.class_of_granules(size);
        if self.medium.is_open(class) {
            let block = self.allocate_medium(class, bytes);
            if block.is_some() || self.medium.wants_slab(class) {
                return block;
            }
        }
        if size > self.cached_region().granules {
            return None;
        }
        let region = self.cached_region_mut();
        let taken = region.take_block(size);
        let has_grown = region.has_grown;
        let block = self.note(taken)?;
        self.medium.count_block(class);
        if has_grown {
            self.dissolve_for_new_memory();
        }
        let address = self.cached_region().address(block);
        Some(self.hand_out_core(address, payload(size), bytes))
    }

    /// Takes back a core block or a slot of a slab of the cached region; `false` sends the caller
    /// to [`deallocate`](Self::deallocate).
    pub(crate) fn deallocate_hot(&mut self, block: NonNull<u8>, bytes: usize) -> bool {
        let Some(at) = self.cached_place(block) else { return false };
        if at.is_core() {
            return self.deallocate_hot_core(at, bytes);
        }
        let Some(slot) = self.cached_slot(block, bytes) else { return false };
        if self.deallocate_front(slot) {
            return true;
        }
        if slot.is_in_page() {
            self.deallocate_to_page(slot)
        } else {
            self.deallocate_to_slab(slot)
        }
    }

    /// Takes back a block in a page of the core of the cached region; `false` sends the caller to
    /// [`deallocate`](Self::deallocate).
    #[inline(always)]
    pub(crate) fn deallocate_hot_core(&mut self, at: CachedPlace, bytes: usize) -> bool {
        let block = at.granule;
        let region = self.cached_region_mut();
        if !region.is_start(block) {
            return false;
        }
        let header = region.header(block);
        let Some(header) = self.note(header) else { return false };
        let granted = payload(header.size);
        if bytes > granted {
            return false;
        }
        let region = self.cached_region_mut();
        region.clear_start(block);
        mark::no_access_at(region.address(block), granted);
        let given = region.give_block(block, header);
        let Some(is_empty) = self.note(given) else { return false };
        self.medium.uncount_block(C::TABLE.class_of_granules(header.size));
        if is_empty {
            self.note_emptied(self.cached_number);
        }
        self.large_freed += 1;
        self.granted -= granted;
        true
    }

    /// Gives up a sparse slab because memory was taken that was never used.
    #[cold]
    #[inline(never)]
    fn dissolve_for_new_memory(&mut self) {
        self.cached_region_mut().has_grown = false;
        if let Err(refusal) = self.dissolve_if_idle() {
            self.damage = Some(refusal);
        }
    }

    /// Notes that a region has no live block, if it is to go back for that.
    #[cold]
    fn note_emptied(&mut self, region: usize) {
        if self.regions.count() > 1 && self.has_other_unused(region) {
            self.emptied = Some(region);
        }
    }

    /// Remembers damage for the slow path to report.
    #[inline]
    fn note<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(Fault::NoRoom) => None,
            Err(fault) => {
                self.damage = Some(self.refusal(self.cached_number, fault));
                None
            }
        }
    }

    pub(super) fn deallocate_core(&mut self, place: Place, bytes: usize) -> Result<(), Refusal> {
        let region = &self.regions[place.region];
        let header = region.header(place.granule).map_err(|f| self.refusal(place.region, f))?;
        let granted = payload(header.size);
        if bytes > granted {
            let start = region.address(place.granule);
            return Err(Refusal::Wrong(Misuse::WrongSize, start));
        }
        region.clear_start(place.granule);
        mark::no_access_at(region.address(place.granule), granted);
        self.medium.uncount_block(C::TABLE.class_of_granules(header.size));
        self.large_freed += 1;
        self.granted -= granted;
        self.give_core(place.region, place.granule)
    }

    /// Gives a block or page to the core and notes whether its region is empty now.
    pub(super) fn give_core(&mut self, region: usize, block: u32) -> Result<(), Refusal> {
        let of = &mut self.regions[region];
        let given = of.header(block).and_then(|header| of.give_block(block, header));
        let is_empty = given.map_err(|f| self.refusal(region, f))?;
        if is_empty {
            self.note_emptied(region);
        }
        Ok(())
    }

    /// Whether a region other than this one has no live block. One is kept, so that a program that
    /// goes to and fro over a region's edge does not take and give it at each turn.
    #[cold]
    fn has_other_unused(&self, region: usize) -> bool {
        self.regions.iter().any(|(index, r)| index != region && r.is_unused())
    }

    /// Changes the size of a block in place, if its slot or its neighbours allow it.
    pub(crate) fn resize(
        &mut self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, Refusal> {
        let place = self.locate(block)?;
        let have = self.bytes_at(place)?;
        if old.size() > have {
            return Err(Refusal::Wrong(Misuse::WrongSize, block.as_ptr()));
        }
        let of = self.regions.get(place.region);
        if of.is_none_or(|of| of.kind(place.granule / PAGE_GRANULES) != KIND_CORE) {
            if new.size() > have {
                return Err(Refusal::NoRoom);
            }
            return Ok(NonNull::slice_from_raw_parts(block, have));
        }
        if Self::is_huge(new) {
            return Err(Refusal::NoRoom);
        }
        let size = granules_for(new.size());
        let region = &mut self.regions[place.region];
        let resized = region.resize_block(place.granule, size);
        let got = region.header(place.granule);
        resized.and(got).map_err(|f| self.refusal(place.region, f)).map(|header| {
            let now = payload(header.size);
            self.medium.uncount_block(C::TABLE.class_of_granules(granules_for(have)));
            self.medium.count_block(C::TABLE.class_of_granules(header.size));
            self.granted -= have;
            self.large_granted_total += now.saturating_sub(have) as u64;
            self.count(new.size().saturating_sub(old.size()), now);
            mark_resized(block, have, now);
            NonNull::slice_from_raw_parts(block, now)
        })
    }

    /// The bytes that a live block may use.
    pub(crate) fn allocated_size(&self, block: NonNull<u8>) -> Result<usize, Refusal> {
        self.bytes_at(self.locate(block)?)
    }

    pub(super) fn bytes_at(&self, place: Place) -> Result<usize, Refusal> {
        if let Some((_, layout)) = self.regions.huge(place.region) {
            return Ok(layout.size());
        }
        let region = &self.regions[place.region];
        match self.slot_class(place) {
            Some(class) => Ok(C::TABLE.bytes(class)),
            None => {
                let header = region.header(place.granule);
                header.map(|h| payload(h.size)).map_err(|f| self.refusal(place.region, f))
            }
        }
    }
}
