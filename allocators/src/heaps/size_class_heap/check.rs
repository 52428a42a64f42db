//! Where a block is, what a wrong address is, walking and verifying.

use core::ptr::NonNull;

use super::page_id::split_id;
use super::region::{KIND_CORE, KIND_MIXED, NIL, PageState, Region};
use super::{Place, Refusal, SizeClassHeap};
use crate::contract::allocator::{Block, Damage};
use crate::contract::misuse::Misuse;
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES, SizeClasses};

/// Where a walk is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WalkState {
    region: usize,
    granule: u32,
}

impl<C: SizeClasses> SizeClassHeap<C> {
    /// Finds a live block by its address, or says what is wrong with the address.
    pub(super) fn locate(&self, block: NonNull<u8>) -> Result<Place, Refusal> {
        let address = block.as_ptr().cast_const();
        let Some((region, offset)) = self.find(address) else {
            return Err(Refusal::Wrong(Misuse::ForeignFree, address));
        };
        let granule = (offset / GRANULE) as u32;
        let Some(of) = self.regions.get(region) else {
            return if offset == 0 {
                Ok(Place { region, granule: 0 })
            } else {
                Err(Refusal::Wrong(Misuse::InteriorFree, address))
            };
        };
        let known = granule / PAGE_GRANULES < of.initialised;
        if offset.is_multiple_of(GRANULE) && known && of.is_start(granule) {
            return Ok(Place { region, granule });
        }
        Err(Refusal::Wrong(self.classify(Place { region, granule }, offset), address))
    }

    /// What it means to free an address at which no live block starts. Only for the report: walks
    /// back over the start bits.
    #[cold]
    fn classify(&self, place: Place, offset: usize) -> Misuse {
        let region = &self.regions[place.region];
        if place.granule / PAGE_GRANULES >= region.initialised {
            return Misuse::ForeignFree;
        }
        let before = (0..=place.granule).rev().find(|&granule| region.is_start(granule));
        if let Some(start) = before {
            let inside = self
                .bytes_at(Place { region: place.region, granule: start })
                .is_ok_and(|bytes| offset < start as usize * GRANULE + bytes);
            if inside {
                return Misuse::InteriorFree;
            }
        }
        if offset.is_multiple_of(GRANULE) { Misuse::DoubleFree } else { Misuse::ForeignFree }
    }

    /// The next live block of a walk. Keeps no borrow between calls. A region whose headers are
    /// damaged ends there; [`verify`](Self::verify) says so.
    pub(crate) fn walk_next(&self, state: &mut WalkState) -> Option<Block> {
        while state.region < self.regions.len() {
            let huge = self.regions.huge(state.region);
            if let Some((address, layout)) = huge
                && state.granule == 0
            {
                state.granule = 1;
                return Some(Block { address, bytes: layout.size(), site: None });
            }
            if let Some(region) = self.regions.get(state.region)
                && let Some(block) = self.next_in(region, state)
            {
                return Some(block);
            }
            *state = WalkState { region: state.region + 1, granule: 0 };
        }
        None
    }

    /// The next live block of the region that a walk is in.
    fn next_in(&self, region: &Region, state: &mut WalkState) -> Option<Block> {
        while state.granule < region.granules {
            let (next, start) = self.step(state.region, state.granule);
            state.granule = next;
            if let Some(start) = start {
                let place = Place { region: state.region, granule: start };
                let address = NonNull::new(region.address(start))?;
                let bytes = self.bytes_at(place).unwrap_or(0);
                return Some(Block { address, bytes, site: None });
            }
        }
        None
    }

    /// From a granule that starts a block or is in a slab: where to look next, and where the live
    /// block on the way starts, if there is one.
    fn step(&self, index: usize, granule: u32) -> (u32, Option<u32>) {
        let region = &self.regions[index];
        let page = granule / PAGE_GRANULES;
        if region.kind(page) != KIND_CORE {
            let end = (page + 1) * PAGE_GRANULES;
            let start = next_start(region, granule, end);
            return if start < end { (start + 1, Some(start)) } else { (end, None) };
        }
        match region.size_at(granule) {
            Ok(size) => (granule + size, region.is_start(granule).then_some(granule)),
            Err(_) => (region.granules, None),
        }
    }

    /// Compares everything that the size-class heap knows twice. O(pages + blocks).
    pub(crate) fn verify(&self) -> Result<(), Damage> {
        let (mut used, mut live) = (0, 0);
        if !self.regions.is_sound() {
            let address = self.cached_region().base;
            return Err(Damage { what: "the table of regions is damaged", address });
        }
        for (index, region) in self.regions.iter() {
            region
                .check_core()
                .map_err(|(what, granule)| Damage { what, address: region.address(granule) })?;
            for page in 0..region.initialised {
                if region.kind(page) != KIND_CORE && region.medium_class(page).is_none() {
                    let (used_here, live_here) = self.check_page(index, page)?;
                    used += used_here;
                    live += live_here;
                }
            }
        }
        self.check_medium()?;
        let (mut out, mut slots) = (0, 0);
        for class in 0..C::TABLE.count() {
            out += self.check_class(class)?;
            slots += self.live_slots(class);
        }
        if used == out && live == slots {
            Ok(())
        } else {
            Err(Damage {
                what: "the pages' counts disagree with the blocks handed out",
                address: self.cached_region().base,
            })
        }
    }

    /// Checks a page's bits against its count and returns the slots used and the live ones.
    fn check_page(&self, region: usize, page: u32) -> Result<(u64, u64), Damage> {
        let of = &self.regions[region];
        let address = of.address(page * PAGE_GRANULES).cast_const();
        let id = (region as u32) << 20 | page;
        let (used, class, own) = self.edit_desc(id, |d| (d.used, usize::from(d.class), d.id));
        let starts = of.page_starts(page);
        let live: u32 = starts.iter().map(|w| w.count_ones()).sum();
        if own != id || live > u32::from(used) {
            return Err(Damage { what: "a page's descriptor is damaged", address });
        }
        if of.kind(page) != KIND_MIXED {
            if usize::from(of.kind(page)) != class + 1 || class >= C::TABLE.count() {
                return Err(Damage { what: "a page's kind is damaged", address });
            }
            let mask = C::TABLE.mask(class);
            if starts.iter().zip(mask).any(|(&starts, mask)| starts & !mask != 0) {
                return Err(Damage { what: "a live bit is set where no slot starts", address });
            }
        }
        Ok((u64::from(used), u64::from(live)))
    }

    /// Checks a class's front and list; returns the slots that its blocks, its front and its
    /// current page account for.
    fn check_class(&self, class: usize) -> Result<u64, Damage> {
        self.check_front(class)?;
        let of = &self.classes[class];
        let head = of.partial;
        let (mut id, mut pages) = (head, 0);
        while id != NIL {
            let (region, page) = split_id(id);
            let address = self.regions[region].address(page * PAGE_GRANULES).cast_const();
            let (state, next) = self.edit_desc(id, |d| (d.state, d.next));
            pages += 1;
            if state != PageState::Partial || pages > of.pages {
                return Err(Damage { what: "a list of partial pages is damaged", address });
            }
            id = if next == head { NIL } else { next };
        }
        Ok(of.out + of.mixed)
    }

    /// Whether what a class's front holds are free slots of its pages or slabs.
    pub(super) fn check_front(&self, class: usize) -> Result<(), Damage> {
        for item in self.fronts[class].items() {
            let place = self.find(item.start);
            let free = place.is_some_and(|(region, offset)| {
                let in_region = &self.regions[region];
                let granule = (offset / GRANULE) as u32;
                !in_region.is_start(granule)
                    && usize::from(in_region.kind(granule / PAGE_GRANULES)) == class + 1
                    && in_region.starts_word(granule) == item.word
            });
            if !free {
                return Err(Damage { what: "a front holds what is not free", address: item.start });
            }
        }
        Ok(())
    }
}

/// The first granule from `from` on at which a live block starts, or `end`.
fn next_start(region: &Region, from: u32, end: u32) -> u32 {
    let mut granule = from;
    while granule < end {
        // SAFETY: the granule is in an initialised page.
        let bits = unsafe { region.starts_word(granule).read() } >> (granule % 64);
        if bits != 0 {
            return granule + bits.trailing_zeros();
        }
        granule = (granule / 64 + 1) * 64;
    }
    end
}
