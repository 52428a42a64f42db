//! What the threads of one heap share: slots, the directory, chunks, huge blocks.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::counts::Counts;
use super::directory::{Directory, GRAIN};
use super::record::Record;
use super::slot::Slot;
use crate::contract::allocator::{AllocError, Allocator};
use crate::threads::sync::SpinCell;

/// Most threads that have a heap of their own at a time; slot 0 is for all others.
pub(super) const SLOTS_MAX: usize = 4096;
/// Records that are taken from the backing at a time.
const RECORDS: usize = 31;

pub(super) type Backing = dyn Allocator + Sync;

/// What the threads of one heap share, in memory of the backing.
///
/// # Invariants
///
/// 1. The entries of the table are null or lead to slots, which stay until this ends.
/// 2. A slot is owned by one thread, or is in the list of orphans and owned by the holder of
///    `state`, or is number 0 and owned by the holder of `zero`, or is frozen: its thread did not
///    survive a fork.
#[repr(C)]
pub(super) struct Shared {
    pub(super) fixed: Fixed,
    pub(super) state: SpinCell<State>,
    /// Held by who uses slot 0.
    pub(super) zero: SpinCell<()>,
    pub(super) counts: Counts,
    /// Threads that are giving up their slot.
    pub(super) leaving: AtomicUsize,
    /// The next heap of the registry, under its lock.
    pub(super) next: Cell<Option<NonNull<Self>>>,
    slots: [AtomicPtr<Slot>; SLOTS_MAX],
    directory: Directory,
}

/// What does not change.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    /// The number of the heap, which no other one has had.
    pub(super) id: usize,
    pub(super) name: &'static str,
    pub(super) backing: &'static Backing,
    /// Most bytes to take from the backing.
    pub(super) budget: usize,
}

/// What is changed under the lock.
pub(super) struct State {
    slots: usize,
    /// The slots without a thread, a stack of their numbers.
    orphans: usize,
    orphan_numbers: [u16; SLOTS_MAX],
    /// Records of huge blocks that are not in use.
    unused: *const Record,
    blocks: *mut RecordBlock,
    pub(super) huge: Huge,
}

// SAFETY: what the pointers lead to belongs to the heap, whose lock the state is under.
unsafe impl Send for State {}

/// The counters of huge blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Huge {
    pub(super) live: usize,
    pub(super) bytes: usize,
    pub(super) allocations_total: u64,
    pub(super) requested_total: u64,
}

/// Records as they are taken from the backing.
struct RecordBlock {
    next: *mut Self,
    used: usize,
    records: [Record; RECORDS],
}

impl Shared {
    /// Makes the shared state in memory of the backing.
    pub(super) fn create(fixed: Fixed) -> Result<NonNull<Self>, AllocError> {
        let memory = fixed.backing.allocate_zeroed(Layout::new::<Self>())?.cast::<Self>();
        let at = memory.as_ptr();
        // This alone: as a whole it has no room on a small stack, and zeros are right for the rest.
        // SAFETY: the memory was just allocated for this.
        let place = unsafe { &raw mut (*at).fixed };
        // SAFETY: as above.
        unsafe { place.write(fixed) };
        // SAFETY: every field was written or is of atomics, numbers, null pointers and open locks,
        // for which zeros are right.
        let shared = unsafe { memory.as_ref() };
        let bytes = size_of::<Self>();
        shared.counts.add_tables(bytes);
        if shared.counts.take(bytes, fixed.budget).is_ok() && shared.new_slot().is_some() {
            return Ok(memory);
        }
        // SAFETY: nothing else leads there.
        unsafe { Self::end(memory) };
        Err(AllocError)
    }

    /// Gives everything back: the blocks of all slots, live or not, the tables, and this itself.
    ///
    /// # Safety
    ///
    /// No thread uses the heap, and none will.
    pub(super) unsafe fn end(this: NonNull<Self>) {
        // SAFETY: the caller's promise.
        let shared = unsafe { this.as_ref() };
        let backing = shared.fixed.backing;
        for slot in shared.sound_slots() {
            slot.heap.give_all();
        }
        for entry in &shared.slots {
            if let Some(slot) = NonNull::new(entry.load(Ordering::Relaxed)) {
                // SAFETY: it came from there, and nothing uses it any more.
                unsafe { backing.deallocate_sized(slot.cast(), Slot::LAYOUT) };
            }
        }
        let mut block = shared.state.with(|state| state.blocks);
        while let Some(first) = NonNull::new(block) {
            // SAFETY: blocks of records stay until here.
            let of = unsafe { first.as_ref() };
            of.records[..of.used].iter().for_each(|record| shared.give_huge_chunk(record));
            block = of.next;
            // SAFETY: it came from there, and nothing uses it any more.
            unsafe { backing.deallocate_sized(first.cast(), Layout::new::<RecordBlock>()) };
        }
        // SAFETY: the caller's promise.
        unsafe { shared.directory.give_leaves(backing) };
        // SAFETY: as above.
        unsafe { backing.deallocate_sized(this.cast(), Layout::new::<Self>()) };
    }

    pub(super) fn backing(&self) -> &'static Backing {
        self.fixed.backing
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// All slots, with or without an owner.
    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        let count = self.state.with(|state| state.slots);
        // SAFETY: invariant 1. Acquire pairs with the Release in `new_slot`.
        self.slots[..count]
            .iter()
            .filter_map(|slot| unsafe { slot.load(Ordering::Acquire).as_ref() })
    }

    /// All slots but those whose threads did not survive a `fork`.
    pub(super) fn sound_slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots().filter(|slot| !slot.is_frozen.load(Ordering::Relaxed))
    }

    /// Takes the locks over a `fork`, if they are free.
    #[cfg(target_os = "linux")]
    pub(super) fn try_hold(&self) -> bool {
        if !self.state.try_hold() {
            return false;
        }
        let holds = self.zero.try_hold();
        if !holds {
            self.state.release_held();
        }
        holds
    }

    /// Releases what [`try_hold`](Self::try_hold) took.
    #[cfg(target_os = "linux")]
    pub(super) fn release_held(&self) {
        self.zero.release_held();
        self.state.release_held();
    }

    /// Marks the slots of all threads but the one that forked, in the child, where the locks are
    /// held.
    #[cfg(target_os = "linux")]
    pub(super) fn freeze_others(&self, mine: Option<NonNull<Slot>>) {
        // Threads that were giving up their slot never will.
        self.leaving.store(0, Ordering::Relaxed);
        // SAFETY: the lock is held over the fork, by this thread.
        let state = unsafe { &*self.state.held() };
        let orphans = &state.orphan_numbers[..state.orphans];
        for entry in &self.slots[1..state.slots] {
            // SAFETY: invariant 1.
            let Some(slot) = (unsafe { entry.load(Ordering::Acquire).as_ref() }) else { continue };
            let is_kept =
                mine == Some(NonNull::from(slot)) || orphans.contains(&(slot.number as u16));
            if !is_kept {
                slot.is_frozen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Runs `work` on slot 0, which threads without a slot of their own share.
    #[track_caller]
    pub(super) fn with_zero<R>(&self, work: impl FnOnce(&Slot) -> R) -> R {
        self.zero.with(|()| {
            // SAFETY: invariants 1 and 2: it was made with the shared state.
            work(unsafe { &*self.slots[0].load(Ordering::Acquire) })
        })
    }

    /// A slot for a thread that has none: an orphan, or a new one. `None` if there are too many or
    /// there is no memory.
    pub(super) fn take_slot(&self) -> Option<&Slot> {
        self.take_orphan().or_else(|| self.new_slot())
    }

    /// Takes a slot whose thread ends, or needs it no longer, for the next thread. Only its owner
    /// calls it.
    pub(super) fn leave_slot(&self, slot: &Slot) {
        slot.take_back(usize::MAX);
        slot.publish();
        self.state.with(|state| {
            state.orphan_numbers[state.orphans] = slot.number as u16;
            state.orphans += 1;
        });
    }

    /// Whether a slot's thread has ended.
    pub(super) fn is_orphan(&self, slot: &Slot) -> bool {
        self.state
            .with(|state| state.orphan_numbers[..state.orphans].contains(&(slot.number as u16)))
    }

    /// Whether a thread has a slot but the one with this slot.
    pub(super) fn has_others(&self, mine: Option<NonNull<Slot>>) -> bool {
        self.slots().any(|slot| {
            slot.number > 0 && mine != Some(NonNull::from(slot)) && !self.is_orphan(slot)
        })
    }

    /// Takes the slots of all threads, for the end of the heap, with what other threads freed.
    pub(super) fn leave_all_slots(&self) {
        self.with_zero(|slot| _ = slot.take_back(usize::MAX));
        for slot in self.sound_slots().filter(|slot| slot.number > 0) {
            if self.is_orphan(slot) {
                slot.take_back(usize::MAX);
            } else {
                self.leave_slot(slot);
            }
        }
    }

    /// Runs `work` on each slot without a thread, one after another.
    pub(super) fn with_orphans(&self, most: usize, mut work: impl FnMut(&Slot)) {
        let mut left = self.state.with(|state| state.orphans).min(most);
        let mut kept = [0_u16; 32];
        while left > 0 {
            let count = left.min(kept.len());
            let mut taken = 0;
            while taken < count
                && let Some(slot) = self.take_orphan()
            {
                work(slot);
                kept[taken] = slot.number as u16;
                taken += 1;
            }
            // Below the others, so that the next ones are others.
            self.state.with(|state| state.put_below(&kept[..taken]));
            if taken < count {
                return;
            }
            left -= count;
        }
    }

    fn take_orphan(&self) -> Option<&Slot> {
        let number = self.state.with(|state| {
            let at = state.orphans.checked_sub(1)?;
            state.orphans = at;
            Some(usize::from(state.orphan_numbers[at]))
        })?;
        // SAFETY: invariants 1 and 2; the orphan is the caller's from here on.
        unsafe { self.slots[number].load(Ordering::Acquire).as_ref() }
    }

    fn new_slot(&self) -> Option<&Slot> {
        let number = self.state.with(|state| {
            let number = state.slots;
            (number < SLOTS_MAX).then(|| {
                state.slots += 1;
                number
            })
        })?;
        let Ok(memory) = self.take_table(Slot::LAYOUT) else {
            // If another thread has taken the next number meanwhile, this one stays unused.
            self.state.with(|state| state.slots -= usize::from(state.slots == number + 1));
            return None;
        };
        // SAFETY: the memory is the slot's until the shared state ends, which outlives it.
        let slot = unsafe { Slot::create(memory, NonNull::from(self), self.fixed, number) };
        // Release pairs with the Acquire where slots are looked at.
        self.slots[number].store(slot.as_ptr(), Ordering::Release);
        // SAFETY: it was just written.
        Some(unsafe { slot.as_ref() })
    }

    /// Takes memory of zeros from the backing.
    pub(super) fn take_bytes(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.counts.take(layout.size(), self.fixed.budget)?;
        let memory = self.fixed.backing.allocate_zeroed(layout);
        memory.map(NonNull::cast).inspect_err(|_| self.counts.untake(layout.size()))
    }

    /// Takes memory of zeros for a table that stays until the heap ends.
    pub(super) fn take_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.take_bytes(layout).inspect(|_| self.counts.add_tables(layout.size()))
    }

    /// A record that was never used, for a slot or, with null, for huge blocks.
    pub(super) fn new_record(&self, slot: *const Slot) -> Result<&Record, AllocError> {
        loop {
            let found = self.state.with(|state| {
                // SAFETY: a slot stays until the heap ends; null is a huge block's.
                let number = unsafe { slot.as_ref() }.map_or(0, |slot| slot.number);
                // SAFETY: blocks of records stay until the heap ends, and the lock is held.
                let block = unsafe { state.blocks.as_mut() }?;
                let record = block.records.as_mut_ptr().wrapping_add(block.used);
                (block.used < RECORDS).then(|| {
                    block.used += 1;
                    // SAFETY: it is one of the block's, which was never used.
                    unsafe { record.write(Record::new(slot, number)) };
                    record
                })
            });
            // SAFETY: as above.
            if let Some(record) = found.and_then(|record| unsafe { record.as_ref() }) {
                return Ok(record);
            }
            let block = self.take_table(Layout::new::<RecordBlock>())?.cast::<RecordBlock>();
            self.state.with(|state| {
                // SAFETY: the block was just allocated for this; zeros are right for the rest,
                // which is written before it is used.
                unsafe { (*block.as_ptr()).next = state.blocks };
                state.blocks = block.as_ptr();
            });
        }
    }

    /// Takes `bytes` zero bytes from the backing for a region, and enters them for a record, which
    /// `open` prepares.
    pub(super) fn take_chunk(
        &self,
        bytes: usize,
        record: &Record,
        open: impl FnOnce(NonNull<u8>) -> bool,
    ) -> Result<NonNull<u8>, AllocError> {
        let layout = Layout::from_size_align(bytes, GRAIN).map_err(|_| AllocError)?;
        self.with_orphans(1, |orphan| _ = orphan.take_back(usize::MAX));
        let chunk = self.take_bytes(layout)?;
        // Under the lock, as walks look at records under it.
        let entered = self.state.with(|_| {
            let size = layout.size();
            let entered = open(chunk) && self.directory.enter(chunk, size, record, self).is_ok();
            if entered {
                record.chunk.set(Some((chunk, layout)));
            } else {
                record.tables.close();
            }
            entered
        });
        if entered {
            self.counts.report(layout.size());
            return Ok(chunk);
        }
        self.give_refused(chunk, layout);
        Err(AllocError)
    }

    /// Gives the chunk of a region back.
    pub(super) fn give_chunk(&self, record: &Record) {
        let taken = self.state.with(|_| {
            let (chunk, layout) = record.chunk.take()?;
            self.directory.leave(chunk, layout.size());
            record.tables.close();
            Some((chunk, layout))
        });
        if let Some((chunk, layout)) = taken {
            self.give_bytes(chunk, layout);
        }
    }

    /// Gives memory of a region or a huge block back.
    pub(super) fn give_bytes(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: it came from there with this layout, and nothing uses it any more.
        unsafe { self.fixed.backing.deallocate_sized(memory, layout) };
        self.counts.give(layout.size());
    }

    /// Gives memory back that was taken for a request that is refused after all.
    pub(super) fn give_refused(&self, memory: NonNull<u8>, layout: Layout) {
        // SAFETY: as in `give_bytes`.
        unsafe { self.fixed.backing.deallocate_sized(memory, layout) };
        self.counts.untake(layout.size());
    }

    /// A record for a huge block.
    pub(super) fn huge_record(&self) -> Result<&Record, AllocError> {
        let unused = self.state.with(|state| {
            // SAFETY: records stay until the heap ends.
            let record = unsafe { state.unused.as_ref() }?;
            state.unused = record.next_unused.get();
            Some(record)
        });
        unused.map_or_else(|| self.new_record(ptr::null()), Ok)
    }

    /// Keeps the record of a huge block that was freed.
    pub(super) fn keep_huge_record(&self, record: &Record) {
        self.state.with(|state| {
            record.next_unused.set(state.unused);
            state.unused = record;
        });
    }

    fn give_huge_chunk(&self, record: &Record) {
        let bytes = record.huge_bytes.swap(0, Ordering::Relaxed);
        if let Some((chunk, layout)) = record.chunk.take()
            && bytes > 0
        {
            self.give_bytes(chunk, layout);
        }
    }

    /// All records that there were when it was called, in use or not.
    pub(super) fn records(&self) -> impl Iterator<Item = &Record> {
        let mut block = self.state.with(|state| state.blocks.cast_const());
        let mut place = 0;
        core::iter::from_fn(move || {
            self.state.with(|_| {
                // SAFETY: blocks of records stay until the heap ends; they are written under the
                // lock.
                while let Some(of) = unsafe { block.as_ref() } {
                    if place < of.used {
                        place += 1;
                        return Some(&of.records[place - 1]);
                    }
                    (block, place) = (of.next, 0);
                }
                None
            })
        })
    }
}

impl State {
    /// Puts orphans below the others.
    fn put_below(&mut self, numbers: &[u16]) {
        let (had, more) = (self.orphans, numbers.len());
        self.orphan_numbers.copy_within(0..had, more);
        self.orphan_numbers[..more].copy_from_slice(numbers);
        self.orphans += more;
    }
}

#[cfg(test)]
impl Shared {
    /// Makes every thread from now on share slot 0.
    pub(super) fn forbid_more_slots(&self) {
        self.state.with(|state| {
            state.slots = SLOTS_MAX;
            state.orphans = 0;
        });
    }
}
