//! All records of a tracing allocator, and their memory.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::address_table::{AddressTable, Place};
use crate::contract::allocator::{AllocError, Allocator};
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;
use crate::wrappers::trace::array::Array;
use crate::wrappers::trace::entry::{Entry, LastFreed};
use crate::wrappers::trace::groups::{Group, Groups};
use crate::wrappers::trace::recorder::Recorder;
use crate::wrappers::trace::sink::{SinkError, TraceSink};
use crate::wrappers::trace::stack::Stack;

#[cfg(test)]
mod tests;

/// The function called when an allocation of a given number is requested.
pub(super) type Hook = fn(u64, &'static Location<'static>);

/// The live blocks, their call sites, the blocks freed last, and the counters.
///
/// # Invariants
///
/// 1. `blocks` has an entry for each live block, under its address, and no other.
/// 2. Each group counts the entries that name it and their requested bytes; `requested` and
///    `granted` are the sums over all entries.
/// 3. While recording, each entry has a distinct slot.
pub(super) struct Ledger<'a, K: Allocator + ?Sized> {
    blocks: AddressTable<Entry>,
    groups: Groups,
    last_freed: LastFreed,
    recorder: Recorder<'a>,
    allocations_total: Cell<u64>,
    requested_total: Cell<u64>,
    granted_total: Cell<u64>,
    requested: Cell<usize>,
    granted: Cell<usize>,
    /// The greatest sums of live bytes before any free.
    peak_requested: Cell<usize>,
    peak_granted: Cell<usize>,
    /// The allocation number to call the hook at; 0, which no allocation has, for never.
    break_number: Cell<u64>,
    hook: Cell<Option<Hook>>,
    #[cfg(feature = "stacks")]
    pub(super) keeps_stacks: bool,
    books: &'a K,
}

impl<'a, K: Allocator + ?Sized> Ledger<'a, K> {
    pub(super) const fn new(books: &'a K) -> Self {
        Self {
            blocks: AddressTable::new(),
            groups: Groups::new(),
            last_freed: LastFreed::new(),
            recorder: Recorder::new(),
            allocations_total: Cell::new(0),
            requested_total: Cell::new(0),
            granted_total: Cell::new(0),
            requested: Cell::new(0),
            granted: Cell::new(0),
            peak_requested: Cell::new(0),
            peak_granted: Cell::new(0),
            break_number: Cell::new(0),
            hook: Cell::new(None),
            #[cfg(feature = "stacks")]
            keeps_stacks: false,
            books,
        }
    }

    pub(super) fn stats(&self) -> Stats {
        let (requested, granted) = (self.requested.get(), self.granted.get());
        let peak_granted = self.peak_granted.get().max(granted);
        Stats {
            live: self.blocks.len(),
            requested,
            granted,
            reserved: granted,
            peak_requested: self.peak_requested.get().max(requested),
            peak_granted,
            peak_reserved: peak_granted,
            allocations_total: self.allocations_total.get(),
            requested_total: self.requested_total.get(),
            granted_total: self.granted_total.get(),
            exact: true,
        }
    }

    /// Returns the size of all tables.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.bytes() + self.groups.bytes() + self.recorder.bytes()
    }

    /// Reserves room to record one more block, and returns its group.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the books refuse.
    #[inline]
    pub(super) fn prepare(&self, site: &'static Location<'static>) -> Result<u32, AllocError> {
        if self.allocations_total.get() + 1 == self.break_number.get() {
            self.call_hook(site);
        }
        self.recorder.prepare(self.books)?;
        self.blocks.reserve(self.books)?;
        let group = self.group_of(site)?;
        self.recorder.name_site(group, site, self.books)?;
        Ok(group)
    }

    /// Prepares for the free of a block.
    #[inline]
    pub(super) fn prepare_free(&self) {
        self.recorder.prepare_records();
    }

    /// Prepares for a block to change its layout.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the books refuse.
    #[inline]
    pub(super) fn prepare_resize(&self) -> Result<(), AllocError> {
        self.recorder.prepare(self.books)
    }

    /// Records a block that was just allocated.
    #[inline]
    pub(super) fn record_allocation(
        &self,
        block: NonNull<[u8]>,
        layout: Layout,
        zeroed: bool,
        group: u32,
    ) {
        let number = self.allocations_total.get() + 1;
        self.allocations_total.set(number);
        let mut entry = Entry::new(block, layout, number, group);
        self.raise(entry.bytes, entry.granted);
        self.count(entry.bytes, entry.granted);
        self.groups.update(group, |group| {
            group.blocks += 1;
            group.bytes += layout.size();
            group.total += 1;
        });
        self.recorder.allocated(&mut entry, zeroed);
        self.blocks.insert(entry.block, entry);
    }

    /// Removes a block that was just freed.
    #[inline]
    pub(super) fn freed(&self, place: Place, site: &'static Location<'static>) {
        let entry = self.blocks.at(place);
        self.blocks.remove_at(place);
        self.lower(entry.bytes, entry.granted);
        let mut asked_at = site;
        self.groups.update(entry.group, |group| {
            group.blocks -= 1;
            group.bytes -= entry.bytes;
            asked_at = group.site;
        });
        self.recorder.freed(&entry);
        self.last_freed.push(entry.block, site, asked_at);
    }

    /// Records the new address and size of a block.
    pub(super) fn resized(
        &self,
        old: &Entry,
        block: NonNull<[u8]>,
        layout: Layout,
        site: &'static Location<'static>,
    ) {
        let mut new = old.changed(block, layout);
        self.lower(old.bytes, old.granted);
        self.raise(new.bytes, new.granted);
        self.count(new.bytes.saturating_sub(old.bytes), new.granted.saturating_sub(old.granted));
        let mut asked_at = site;
        self.groups.update(new.group, |group| {
            group.bytes = group.bytes - old.bytes + new.bytes;
            asked_at = group.site;
        });
        self.recorder.resized(old, &mut new);
        // The old entry is removed before the new one is inserted, so that the table needs no more
        // room.
        self.blocks.remove(old.block);
        self.blocks.insert(new.block, new);
        if new.block != old.block {
            self.last_freed.push(old.block, site, asked_at);
        }
    }

    /// Returns the place of a live block's entry.
    #[inline]
    pub(super) fn place_of(&self, block: NonNull<u8>) -> Option<Place> {
        self.blocks.place_of(block)
    }

    /// Returns the entry of a block that is still live.
    #[inline]
    pub(super) fn at(&self, place: Place) -> Entry {
        self.blocks.at(place)
    }

    /// Shows every live block with the site of its allocation, in no order.
    pub(super) fn each_block(&self, mut visit: impl FnMut(&Entry, &'static Location<'static>)) {
        self.blocks.for_each(|_, entry| visit(&entry, self.groups.get(entry.group).site));
    }

    /// Shows every group that has live blocks, the one with the most bytes first.
    pub(super) fn each_group(&self, visit: &mut dyn FnMut(u32, Group)) {
        let numbers = 0..self.groups.len() as u32;
        for number in numbers.clone() {
            self.groups.update(number, |group| group.oldest = u64::MAX);
        }
        self.blocks.for_each(|_, entry| {
            self.groups.update(entry.group, |group| {
                group.oldest = group.oldest.min(entry.number());
            });
        });
        // Each round picks the next in order. The oldest allocations differ, so the order is
        // strict.
        let rank = |group: &Group| (group.bytes, u64::MAX - group.oldest);
        let mut last = (usize::MAX, u64::MAX);
        loop {
            let next = numbers
                .clone()
                .map(|number| (number, self.groups.get(number)))
                .filter(|(_, group)| group.blocks != 0 && rank(group) < last)
                .max_by_key(|(_, group)| rank(group));
            let Some((number, group)) = next else { return };
            visit(number, group);
            last = rank(&group);
        }
    }

    /// Returns the stack of a group; `None` where none are kept.
    pub(super) fn stack(&self, group: u32) -> Option<Stack> {
        self.groups.stack(group)
    }

    pub(super) fn break_at(&self, number: u64, hook: Hook) {
        self.break_number.set(number);
        self.hook.set(Some(hook));
    }

    pub(super) fn is_recording(&self) -> bool {
        self.recorder.is_on()
    }

    pub(super) fn start_recording(
        &self,
        sink: &'a dyn TraceSink,
        name: &str,
    ) -> Result<(), AllocError> {
        assert!(
            !self.recorder.is_on() && !self.recorder.is_busy(),
            "a recording is running; finish it before another is started"
        );
        // The live blocks are written in the order in which they were allocated.
        let lent = Lent { array: Array::<Entry>::new(), books: self.books };
        let live = &lent.array;
        live.reserve(self.blocks.len(), self.books)?;
        self.blocks.for_each(|_, entry| live.push(entry));
        live.sort_by_key(Entry::number);
        let started = self.recorder.start(sink, name, live.len(), self.groups.len(), self.books);
        if started.is_ok() {
            for at in 0..live.len() {
                let mut entry = live.get(at);
                self.recorder.prepare_records();
                let site = self.groups.get(entry.group).site;
                self.recorder.name_site(entry.group, site, self.books)?;
                if !self.recorder.is_on() {
                    break;
                }
                self.recorder.allocated(&mut entry, false);
                self.blocks.insert(entry.block, entry);
            }
        }
        started
    }

    pub(super) fn frame_mark(&self, value: u64) {
        self.recorder.mark(value);
    }

    pub(super) fn finish_recording(&self) -> Result<(), SinkError> {
        self.recorder.finish(self.books)
    }

    /// Checks the invariants. O(blocks + groups).
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(super) fn validate(&self) -> Result<(), &'static str> {
        self.blocks.validate()?;
        self.groups.validate()?;
        self.recorder.validate(self.blocks.len())?;
        let (mut requested, mut granted) = (0, 0);
        let mut misplaced = false;
        self.blocks.for_each(|address, entry| {
            requested += entry.bytes;
            granted += entry.granted;
            misplaced |= address != entry.block.addr().get()
                || entry.group as usize >= self.groups.len()
                || entry.granted < entry.bytes;
        });
        if misplaced {
            return Err("the record of a block contradicts itself");
        }
        let groups = (0..self.groups.len() as u32).map(|number| self.groups.get(number));
        let (blocks, bytes) = groups
            .fold((0, 0), |(blocks, bytes), group| (blocks + group.blocks, bytes + group.bytes));
        let (counted, counted_granted) = (self.requested.get(), self.granted.get());
        let sums = [(requested, counted), (granted, counted_granted), (bytes, counted)];
        if blocks != self.blocks.len() || sums.iter().any(|(sum, count)| sum != count) {
            return Err("the recorded blocks and the counters differ");
        }
        Ok(())
    }

    /// Reports a free or resize of an address where no live block starts.
    #[cold]
    #[inline(never)]
    pub(super) fn no_block(
        &self,
        name: &str,
        block: NonNull<u8>,
        bytes: Option<usize>,
        site: &'static Location<'static>,
    ) -> ! {
        let report = |what| {
            let report = Report::new(what, name, block.as_ptr()).with_site(site);
            Report { bytes, ..report }
        };
        if let Some(freed) = self.last_freed.find(block) {
            misuse(&report(Misuse::DoubleFree).with_detail(format_args!(
                "it was allocated from {} and first freed from {}",
                freed.asked_at, freed.freed_at
            )));
        }
        let mut around = None;
        self.each_block(|entry, asked_at| {
            let offset = block.addr().get().wrapping_sub(entry.block.addr().get());
            if offset < entry.granted {
                around = Some((*entry, asked_at, offset));
            }
        });
        if let Some((entry, asked_at, offset)) = around {
            misuse(&report(Misuse::InteriorFree).with_detail(format_args!(
                "it is {offset} bytes into the block {:p} of {} bytes, allocation #{} from \
                 {asked_at}",
                entry.block,
                entry.bytes,
                entry.number()
            )));
        }
        misuse(&report(Misuse::ForeignFree))
    }

    /// Reports a layout that does not fit a live block.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong_size(
        &self,
        name: &str,
        entry: &Entry,
        layout: Layout,
        site: &'static Location<'static>,
    ) -> ! {
        let asked_at = self.groups.get(entry.group).site;
        let report = Report::new(Misuse::WrongSize, name, entry.block.as_ptr());
        misuse(&report.with_bytes(layout.size()).with_site(site).with_detail(format_args!(
            "the layout passed is aligned to {}, the block has {} bytes aligned to {}, \
             allocation #{} from {asked_at}",
            layout.align(),
            entry.bytes,
            entry.align(),
            entry.number()
        )));
    }

    #[inline]
    fn group_of(&self, site: &'static Location<'static>) -> Result<u32, AllocError> {
        #[cfg(feature = "stacks")]
        if self.keeps_stacks {
            return self.groups.of(site, Some(&Stack::capture()), self.books);
        }
        self.groups.of(site, None, self.books)
    }

    #[inline]
    fn raise(&self, bytes: usize, granted: usize) {
        self.requested.set(self.requested.get() + bytes);
        self.granted.set(self.granted.get() + granted);
    }

    /// Raises the totals.
    #[inline]
    fn count(&self, bytes: usize, granted: usize) {
        self.requested_total.set(self.requested_total.get() + bytes as u64);
        self.granted_total.set(self.granted_total.get() + granted as u64);
    }

    #[inline]
    fn lower(&self, bytes: usize, granted: usize) {
        // The live bytes peak just before a free, so allocating does not update the peak.
        let (requested_now, granted_now) = (self.requested.get(), self.granted.get());
        self.peak_requested.set(self.peak_requested.get().max(requested_now));
        self.peak_granted.set(self.peak_granted.get().max(granted_now));
        self.requested.set(requested_now - bytes);
        self.granted.set(granted_now - granted);
    }

    #[cold]
    #[inline(never)]
    fn call_hook(&self, site: &'static Location<'static>) {
        // Only once, also if the hook allocates.
        let number = self.break_number.replace(0);
        if let Some(hook) = self.hook.take() {
            hook(number, site);
        }
    }
}

impl<K: Allocator + ?Sized> Drop for Ledger<'_, K> {
    fn drop(&mut self) {
        /// Frees the tables after the last call of the sink, also if that panics.
        struct Tables<'l, 'a, K: Allocator + ?Sized>(&'l Ledger<'a, K>);
        impl<K: Allocator + ?Sized> Drop for Tables<'_, '_, K> {
            fn drop(&mut self) {
                let Ledger { recorder, groups, blocks, books, .. } = self.0;
                // A sink that panicked is not called again, so this only frees the buffer.
                let _ = recorder.finish(*books);
                groups.release(*books);
                blocks.release(*books);
            }
        }
        let tables = Tables(self);
        // An error of the sink can no longer be returned.
        let _ = self.recorder.finish(self.books);
        drop(tables);
    }
}

/// An array that is freed on drop, also if a sink panics.
struct Lent<'b, T: Copy, K: Allocator + ?Sized> {
    array: Array<T>,
    books: &'b K,
}

impl<T: Copy, K: Allocator + ?Sized> Drop for Lent<'_, T, K> {
    fn drop(&mut self) {
        self.array.release(self.books);
    }
}
