//! Counters, walks and checks over the heaps of all threads, and the book of sites.

use core::panic::Location;
use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering;

use super::ThreadHeap;
use super::record::Record;
use super::shared::Shared;
use super::slot::Slot;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Block, Damage};
use crate::contract::leak;
use crate::contract::stats::Stats;

impl Shared {
    /// The huge block of a record, if it has one.
    fn huge_block(&self, record: &Record) -> Option<Block> {
        self.state.with(|_| {
            let bytes = record.huge_bytes.load(Ordering::Relaxed);
            let address = NonNull::new(record.huge.load(Ordering::Relaxed))?;
            (bytes > 0).then_some(Block { address, bytes, site: None })
        })
    }

    /// Whether the directory leads to a record from the first and the last byte of its chunk.
    fn check_record(&self, record: &Record) -> Result<(), Damage> {
        let wrong = self.state.with(|_| {
            let (start, layout) = record.chunk.get()?;
            let last = start.as_ptr().wrapping_add(layout.size() - 1);
            let leads = |address| {
                self.directory().find(address).is_some_and(|found| ptr::eq(found, record))
            };
            (!leads(start.as_ptr()) || !leads(last)).then_some(start)
        });
        wrong.map_or(Ok(()), |start| {
            Err(Damage { what: "a region is not in the directory", address: start.as_ptr() })
        })
    }
}

impl<S: SiteBook> ThreadHeap<'_, S> {
    /// The counters of all threads: of this one, and of those that have ended, as they are; of
    /// others as they were some slow calls ago.
    pub(super) fn counted(&self) -> Stats {
        let Some(shared) = self.opened() else { return Stats::default() };
        let mut sum = Stats::default();
        self.with_settled(&mut Slot::publish);
        for slot in shared.slots() {
            let of = slot.published.get();
            sum.live += of.live;
            sum.granted += of.granted;
            sum.allocations_total += of.allocations_total;
            sum.requested_total += of.requested_total;
            sum.granted_total += of.granted_total;
        }
        let huge = shared.state.with(|state| state.huge);
        sum.live += huge.live;
        sum.granted += huge.bytes;
        sum.allocations_total += huge.allocations_total;
        sum.requested_total += huge.requested_total;
        sum.granted_total += huge.requested_total;
        (sum.reserved, sum.peak_reserved) = shared.counts.reserved();
        sum.requested = sum.granted;
        sum.peak_granted = shared.counts.peak_granted().max(sum.granted);
        sum.peak_requested = sum.peak_granted;
        sum
    }

    /// Visits the live blocks of the running thread, of the threads that have ended and of those
    /// that share a heap, and the huge ones.
    pub(super) fn walk_live(&self, visit: &mut dyn FnMut(Block)) {
        let Some(shared) = self.opened() else { return };
        let mut visit_with_site = |block: Block| {
            visit(Block { site: self.sites.with(|sites| sites.site(block.address)), ..block });
        };
        self.with_settled(&mut |slot| {
            slot.take_back(usize::MAX);
            slot.heap.walk(&mut visit_with_site);
        });
        shared.records().filter_map(|of| shared.huge_block(of)).for_each(visit_with_site);
    }

    /// Checks the heaps that no other thread can be using, and the directory.
    pub(super) fn verify_settled(&self) -> Result<(), Damage> {
        let Some(shared) = self.opened() else { return Ok(()) };
        let mut found = Ok(());
        self.with_settled(&mut |slot| {
            if found.is_ok() {
                found = slot.heap.verify();
            }
        });
        found?;
        for record in shared.records() {
            shared.check_record(record)?;
        }
        // Of threads that run, blocks may have a site and not be counted yet.
        let mine = self.held_slot().map(NonNull::from);
        let live = if shared.has_others(mine) { usize::MAX } else { self.counted().live };
        self.sites.with(|sites| sites.verify(live))
    }

    /// Panics if there are live blocks. The heap is being dropped, so every thread has ended or has
    /// no more to do with it.
    pub(super) fn assert_no_leak(&self) {
        let Some(shared) = self.opened() else { return };
        // Their threads will not use them again, so they are as those of threads that have ended.
        shared.leave_all_slots();
        leak::assert_none(self);
    }

    /// Serves a request with `take` and keeps the site.
    #[track_caller]
    pub(super) fn noted(
        &self,
        take: impl FnOnce() -> Result<NonNull<[u8]>, AllocError>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let site = Location::caller();
        self.sites.with(|sites| sites.reserve_slot(site))?;
        match take() {
            Ok(block) => {
                self.sites.with(|sites| sites.commit(block.cast(), site));
                Ok(block)
            }
            Err(refused) => {
                self.sites.with(|sites| sites.cancel());
                Err(refused)
            }
        }
    }

    /// Removes the site of a block that is about to be freed.
    #[inline]
    pub(super) fn forget(&self, block: NonNull<u8>) {
        if S::KEEPS {
            self.sites.with(|sites| sites.forget(block));
        }
    }

    /// Keeps the site of a block that moved.
    pub(super) fn moved(&self, from: NonNull<u8>, to: NonNull<u8>) {
        if S::KEEPS {
            self.sites.with(|sites| {
                let site = sites.site(from);
                sites.moved(from, to, site);
            });
        }
    }
}
