//! The state that the page allocator's lock protects: the table, the counters, parked ranges, freed
//! addresses.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::entry::{Entry, Kind, requested};
use super::system::{self, Access};
use super::table::{Place, Table};
use crate::bookkeeping::counters::Counters;
use crate::contract::allocator::{AllocError, Damage};
use crate::contract::misuse::Misuse;
use crate::contract::stats::Stats;

#[cfg(test)]
mod tests;

/// How many freed addresses are recorded, to distinguish a double free from a foreign one.
const REMEMBERED: usize = 64;

/// How many parked neighbours on each side are tried together with a range that the kernel refuses.
const NEIGHBOURS: usize = 64;

/// # Invariants
///
/// 1. Every range in `table` is mapped and belongs to this allocator; every range of the allocator
///    is in it, except those in flight and those abandoned by [`State::park`].
/// 2. The counters' `live`, `requested` and `granted` are the sums over the blocks in `table` while
///    `in_flight` is 0; `parked` counts the ranges of that kind.
pub(super) struct State {
    pub(super) table: Table,
    pub(super) counters: Counters,
    /// Bytes that are readable and writable: live blocks and the committed parts of reservations.
    pub(super) committed: usize,
    /// Bytes mapped for the page maps of reservations.
    pub(super) page_maps: usize,
    pub(super) reservations: usize,
    /// Blocks that a system call is changing now, outside the lock.
    in_flight: usize,
    parked: usize,
    freed: [usize; REMEMBERED],
    freed_next: usize,
}

impl State {
    pub(super) const fn new() -> Self {
        Self {
            table: Table::new(),
            counters: Counters::new(),
            committed: 0,
            page_maps: 0,
            reservations: 0,
            in_flight: 0,
            parked: 0,
            freed: [0; REMEMBERED],
            freed_next: 0,
        }
    }

    /// Counts and inserts a fresh block, using a reserved slot.
    pub(super) fn enter(&mut self, entry: Entry) {
        self.table.insert(entry);
        self.counters.reserved(entry.mapped());
        self.count(entry);
    }

    /// Finds the block that starts at `address`, or the misuse of freeing it.
    pub(super) fn find(
        &self,
        address: usize,
        layout: Option<Layout>,
    ) -> Result<(Place, Entry), Misuse> {
        let Some((place, entry)) = self.table.at_or_below(address) else {
            return Err(self.stranger(address));
        };
        if entry.kind() != Kind::Block || entry.start() != address {
            return Err(self.why_not(entry, address));
        }
        if layout.is_some_and(|layout| !entry.fits(layout)) {
            return Err(Misuse::WrongSize);
        }
        Ok((place, entry))
    }

    #[cold]
    fn why_not(&self, entry: Entry, address: usize) -> Misuse {
        if address >= entry.end() {
            return self.stranger(address);
        }
        match entry.kind() {
            Kind::Block => Misuse::InteriorFree,
            Kind::Parked => self.stranger(address),
            Kind::Reserved => Misuse::ForeignFree,
        }
    }

    #[cold]
    fn stranger(&self, address: usize) -> Misuse {
        let parked = self.table.at(address).is_some_and(|(_, entry)| entry.kind() == Kind::Parked);
        if parked || self.freed.contains(&address) {
            Misuse::DoubleFree
        } else {
            Misuse::ForeignFree
        }
    }

    /// Removes a block. Also returns whether unmapping the parked ranges is worthwhile now.
    pub(super) fn take(
        &mut self,
        address: usize,
        layout: Option<Layout>,
    ) -> Result<(Entry, bool), Misuse> {
        let (place, entry) = self.find(address, layout)?;
        self.table.remove(place);
        self.discount(entry);
        self.counters.released(entry.mapped());
        self.remember(address);
        Ok((entry, self.parked > 0 && self.counters.live() == 0))
    }

    /// Changes a block's size in place.
    pub(super) fn exchange(&mut self, old: Entry, new: Entry) -> Result<(), Misuse> {
        let (place, _) = self.find(old.start(), None)?;
        self.table.replace(place, new);
        self.recount(old, new);
        Ok(())
    }

    /// Shortens a block's range before its tail is unmapped, so that a thread that maps those
    /// addresses next finds them free. [`cut_done`](Self::cut_done) follows.
    pub(super) fn cut(&mut self, old: Entry, new: Entry) -> Result<(), Misuse> {
        let (place, _) = self.find(old.start(), None)?;
        self.table.replace(place, new);
        self.in_flight += 1;
        Ok(())
    }

    /// Completes or undoes a [`cut`](Self::cut).
    pub(super) fn cut_done(&mut self, old: Entry, new: Entry, unmapped: bool) {
        self.in_flight -= 1;
        if unmapped {
            self.recount(old, new);
        } else if let Some((place, _)) = self.table.at(old.start()) {
            self.table.replace(place, old);
        }
    }

    /// Removes a block from the table, as its addresses may become invalid at any moment, and
    /// reserves the slot for [`insert_entry`](Self::insert_entry).
    pub(super) fn remove_entry(&mut self, old: Entry) -> Result<Result<(), AllocError>, Misuse> {
        let (place, _) = self.find(old.start(), None)?;
        if self.table.reserve_slot().is_err() {
            return Ok(Err(AllocError));
        }
        self.table.remove(place);
        self.in_flight += 1;
        Ok(Ok(()))
    }

    /// Inserts a removed block again: at its new address, or unchanged.
    pub(super) fn insert_entry(&mut self, old: Entry, new: Entry) {
        self.in_flight -= 1;
        self.table.insert(new);
        if old != new {
            self.recount(old, new);
            self.remember(old.start());
        }
    }

    fn recount(&mut self, old: Entry, new: Entry) {
        // The old size is subtracted first, so that a peak never includes both.
        self.discount(old);
        self.counters.released(old.mapped());
        self.counters.reserved(new.mapped());
        self.count(new);
    }

    fn count(&mut self, entry: Entry) {
        self.counters.allocated(entry.bytes(), entry.mapped());
        self.committed += entry.mapped();
    }

    fn discount(&mut self, entry: Entry) {
        self.counters.freed(entry.bytes(), entry.mapped());
        self.committed -= entry.mapped();
    }

    fn remember(&mut self, address: usize) {
        self.freed[self.freed_next % REMEMBERED] = address;
        self.freed_next = self.freed_next.wrapping_add(1);
    }

    /// Keeps pages that the kernel refuses to unmap: at its limit of mappings it refuses to split
    /// one. Their memory was released before; together with parked neighbours the range may reach
    /// the edge of a mapping, which needs no new one. If not even the table gets a page, the
    /// addresses are abandoned and stay counted as reserved.
    #[cold]
    pub(super) fn park(&mut self, address: NonNull<u8>, bytes: usize) {
        self.counters.reserved(bytes);
        let page = system::page_size();
        let entry = Entry::new(Kind::Parked, address, bytes, page);
        let (mut low, mut high) = (entry, entry.end());
        for _ in 0..NEIGHBOURS {
            match self.table.at_or_below(low.start() - 1) {
                Some((_, below)) if is_parked(below) && below.end() == low.start() => low = below,
                _ => break,
            }
        }
        for _ in 0..NEIGHBOURS {
            match self.table.at(high) {
                Some((_, above)) if is_parked(above) => high = above.end(),
                _ => break,
            }
        }
        let span = high - low.start();
        if span > bytes {
            // SAFETY: from `low` to `high` there are only parked ranges and the given one, which
            // are not used.
            if unsafe { system::unmap(low.address(), span) }.is_ok() {
                self.forget_parked(low.start(), high);
                self.counters.released(bytes);
                return;
            }
        }
        if self.table.reserve_slot().is_ok() {
            self.table.insert(entry);
            self.parked += 1;
        }
    }

    /// Tries to unmap all parked ranges, each run of neighbours at once. Returns whether any was
    /// unmapped.
    #[cold]
    pub(super) fn sweep(&mut self) -> bool {
        let before = self.parked;
        let mut next = self.table.above(0);
        while let Some(entry) = next {
            let mut end = entry.end();
            if is_parked(entry) {
                while let Some((_, above)) = self.table.at(end).filter(|(_, e)| is_parked(*e)) {
                    end = above.end();
                }
                // SAFETY: from the entry to `end` there are only parked ranges, which are not used.
                if unsafe { system::unmap(entry.address(), end - entry.start()) }.is_ok() {
                    self.forget_parked(entry.start(), end);
                }
            }
            next = self.table.above(end - 1);
        }
        self.parked < before
    }

    /// Removes the parked entries from `low` to `high`, which are unmapped now.
    fn forget_parked(&mut self, low: usize, high: usize) {
        while let Some((place, entry)) = self.table.at_or_below(high - 1) {
            if entry.start() < low {
                return;
            }
            if !is_parked(entry) {
                return;
            }
            self.table.remove(place);
            self.counters.released(entry.mapped());
            self.parked -= 1;
        }
    }

    /// Serves a request that the kernel has refused from a parked range, cutting it off that
    /// range's end. Uses the reserved slot if it succeeds.
    #[cold]
    pub(super) fn reuse(&mut self, layout: Layout, bytes: usize, grain: usize) -> Option<Entry> {
        if self.parked == 0 {
            return None;
        }
        let mut next = self.table.above(0);
        while let Some(entry) = next {
            next = self.table.above(entry.start());
            let fits = is_parked(entry)
                && entry.mapped() >= bytes
                && (entry.end() - bytes) & (grain - 1) == 0;
            if !fits {
                continue;
            }
            let rest = entry.mapped() - bytes;
            // SAFETY: `rest` is less than the length of the range.
            let address = unsafe { entry.address().add(rest) };
            // SAFETY: a parked range is the allocator's and is not used. One that was part of a
            // reservation has no access yet.
            if unsafe { system::protect(address, bytes, Access::ReadWrite) }.is_err() {
                continue;
            }
            let block = Entry::block(address, layout);
            self.settle(entry, rest, block);
            return Some(block);
        }
        None
    }

    fn settle(&mut self, parked: Entry, rest: usize, block: Entry) {
        let place = self.table.at(parked.start()).map(|(place, _)| place);
        let place = place.expect("the parked range was found under this same lock");
        if rest == 0 {
            self.table.cancel();
            self.table.replace(place, block);
            self.parked -= 1;
        } else {
            let page = system::page_size();
            let left = Entry::new(Kind::Parked, parked.address(), rest, page);
            self.table.replace(place, left);
            self.table.insert(block);
        }
        self.count(block);
    }

    /// Returns the bytes mapped for bookkeeping.
    pub(super) fn overhead(&self) -> usize {
        self.table.bytes() + self.page_maps
    }

    pub(super) fn stats(&self) -> Stats {
        self.counters.stats(true)
    }

    /// Checks the table and, if no block is in flight, the counters against it.
    pub(super) fn validate(&self) -> Result<(), Damage> {
        self.table.validate()?;
        let (mut live, mut requested, mut granted) = (0, 0, 0);
        let (mut parked, mut reservations) = (0, 0);
        self.table.each(|entry| match entry.kind() {
            Kind::Block => {
                live += 1;
                requested += entry.bytes();
                granted += entry.mapped();
            }
            Kind::Parked => parked += 1,
            Kind::Reserved => reservations += 1,
        });
        let stats = self.stats();
        let blocks = (live, requested, granted) == (stats.live, stats.requested, stats.granted);
        let others = (parked, reservations) == (self.parked, self.reservations);
        let sums = stats.requested <= stats.granted && stats.granted <= stats.reserved;
        if (blocks || self.in_flight > 0) && others && sums {
            Ok(())
        } else {
            Err(Damage {
                what: "the counters of the page allocator are not the sums over its table",
                address: core::ptr::from_ref(self).cast(),
            })
        }
    }
}

fn is_parked(entry: Entry) -> bool {
    entry.kind() == Kind::Parked
}

/// A request in whole pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// Whole pages.
    pub(super) bytes: usize,
    /// The alignment of the start: at least a page.
    pub(super) grain: usize,
    /// Whether huge pages are requested.
    pub(super) huge: bool,
}

/// The size and alignment from which huge pages are requested.
pub(super) const HUGE_BYTES: usize = 2 << 20;

impl Request {
    pub(super) fn new(layout: Layout, huge: bool) -> Result<Self, AllocError> {
        let bytes = system::whole_pages(requested(layout)).ok_or(AllocError)?;
        let huge = huge && bytes >= HUGE_BYTES;
        let least = if huge { HUGE_BYTES } else { system::page_size() };
        Ok(Self { bytes, grain: layout.align().max(least), huge })
    }
}
