//! The heap of one thread.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::record::Record;
use super::shared::{Fixed, Shared};
use super::supply::Supply;
use crate::contract::allocator::AllocError;
use crate::contract::stats::Stats;
use crate::heaps::size_class_heap::{GrowingHeap, report};
use crate::heaps::size_classes::HeapClasses;
use crate::threads::hand_over::{Inbox, Linked, Taking, WORD_BITS};

/// A region with its head is 1 MiB.
const REGION_BYTES_MIN: usize = (1 << 20) - (12 << 10);
/// A region with its head is 64 MiB of addresses, or 1 MiB where an address has 32 bits.
const REGION_BYTES: usize =
    if usize::BITS == 64 { REGION_BYTES_MIN << 6 } else { REGION_BYTES_MIN };
/// Regions double up to this.
const REGION_BYTES_MAX: usize = REGION_BYTES_MIN << 6;
/// Most part of a budget that a thread takes at first.
const PARTS: usize = 64;
/// Blocks that one slow call takes back, about.
pub(super) const TAKEN_MAX: usize = 256;
/// After a look that found fewer, the next looks are left out.
const TAKEN_MIN: usize = 64;
/// How many are.
const PAUSE: u32 = 4;
/// Slow calls after which the counters are published.
const CALLS_PUBLISHED: u32 = 256;
/// Bytes by which the shared count of a slot's may be off.
const COUNTED_STEP: usize = 64 << 10;

pub(super) type Heap = GrowingHeap<'static, Supply, HeapClasses>;

/// A heap with one owner at a time: a thread, or the holder of a lock of the shared state.
///
/// # Invariants
///
/// 1. All but the atomics, `inbox` and `published` is touched by the owner alone.
/// 2. It stays at its place until the shared state ends.
#[repr(C, align(128))]
pub(super) struct Slot {
    // First, so that what the fast paths read is at the slot's address and a shift.
    pub(super) heap: Heap,
    supply: &'static Supply,
    /// Records whose blocks are being taken back.
    taken: Cell<*mut Record>,
    /// Looks at the inbox that are left out.
    pause: Cell<u32>,
    slow_calls: Cell<u32>,
    /// Bytes that the shared count has of this slot.
    counted: Cell<usize>,
    /// The slot's place in the table.
    pub(super) number: usize,
    /// Whether its thread did not survive a `fork`: then it may be in the middle of a change.
    pub(super) is_frozen: AtomicBool,
    pub(super) published: Published,
    pub(super) inbox: Inbox<Record>,
}

// SAFETY: invariant 1: what is not atomic is the owner's, and slots pass from owner to owner under
// a lock. The backing below is `Sync`.
unsafe impl Sync for Slot {}

/// A slot and what its heap takes regions from.
#[repr(C)]
struct Placed {
    slot: Slot,
    supply: Supply,
}

/// The counters of a slot as others see them. On a machine of 32 bits the totals wrap.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Published {
    live: AtomicUsize,
    granted: AtomicUsize,
    allocations_total: AtomicUsize,
    requested_total: AtomicUsize,
    granted_total: AtomicUsize,
}

impl Slot {
    /// The layout of the memory of a slot with its supply.
    pub(super) const LAYOUT: Layout = Layout::new::<Placed>();

    /// Makes a slot in memory of this layout.
    ///
    /// # Safety
    ///
    /// `memory` is valid for reads and writes and stays so until the slot is no longer used, as does
    /// what `shared` and `fixed` lead to.
    pub(super) unsafe fn create(
        memory: NonNull<u8>,
        shared: NonNull<Shared>,
        fixed: Fixed,
        number: usize,
    ) -> NonNull<Self> {
        let at = memory.cast::<Placed>().as_ptr();
        // SAFETY: the caller's promise.
        let slot = unsafe { &raw mut (*at).slot };
        // SAFETY: as above.
        let place = unsafe { &raw mut (*at).supply };
        // SAFETY: as above.
        unsafe { place.write(Supply::new(shared, slot)) };
        // SAFETY: as above; it stays there, and nothing changes it but through its cells.
        let supply = unsafe { &*place.cast_const() };
        let first = (fixed.budget / PARTS).clamp(REGION_BYTES_MIN, REGION_BYTES);
        let heap = GrowingHeap::growing(fixed.name, supply, first).up_to(REGION_BYTES_MAX);
        let made = Self {
            heap,
            supply,
            taken: Cell::new(ptr::null_mut()),
            pause: Cell::new(0),
            slow_calls: Cell::new(0),
            counted: Cell::new(0),
            number,
            is_frozen: AtomicBool::new(false),
            published: Published::new(),
            inbox: Inbox::new(),
        };
        // SAFETY: as above.
        unsafe { slot.write(made) };
        // SAFETY: the memory is not at null.
        unsafe { NonNull::new_unchecked(slot) }
    }

    /// Serves a request for which a page has no slot: blocks that came back are taken first.
    #[inline(never)]
    #[track_caller]
    pub(super) fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.begin_slow_call();
        self.heap.allocate(layout)
    }

    /// Serves a request for more than the classes of pages.
    #[inline]
    #[track_caller]
    pub(super) fn allocate_larger(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.begin_slow_call();
        self.heap.allocate_other(layout)
    }

    #[inline]
    fn begin_slow_call(&self) {
        if self.has_mail() {
            self.look();
        }
        self.note_slow_call();
    }

    #[inline]
    fn has_mail(&self) -> bool {
        !self.inbox.is_empty() || !self.taken.get().is_null()
    }

    /// Takes back about [`TAKEN_MAX`] blocks, or leaves it to one of the next calls if the last look
    /// found few. An owner that looks whenever it has no free block may get a single one each time,
    /// in step with the thread that frees, and moves all lines of the way for it.
    #[inline(never)]
    fn look(&self) {
        let pause = self.pause.get();
        if pause > 0 {
            self.pause.set(pause - 1);
        } else if self.take_back(TAKEN_MAX) < TAKEN_MIN {
            self.pause.set(PAUSE);
        }
    }

    /// Takes back blocks that other threads freed and that are in the inbox now, at least `most` if
    /// there are as many; returns how many. What comes in meanwhile waits for the next look.
    #[cold]
    pub(super) fn take_back(&self, most: usize) -> usize {
        let (mut taken, mut has_looked) = (0, false);
        while taken < most {
            if self.taken.get().is_null() && !has_looked {
                self.taken.set(self.inbox.take());
                has_looked = true;
            }
            // SAFETY: records stay until the heap ends, and those in the inbox are this slot's.
            let Some(record) = (unsafe { self.taken.get().as_ref() }) else { break };
            taken += self.take_back_from(record, most - taken);
        }
        taken
    }

    /// Takes back blocks of one region; if it has more than `most`, it goes into the inbox again.
    fn take_back_from(&self, record: &Record, most: usize) -> usize {
        let (mut taken, mut at) = (0, Taking::default());
        self.taken.set(record.link().begin());
        if record.tables.granules() == 0 {
            // The region went back while the last thread to free one of its blocks was on its way.
            return 0;
        }
        while let Some((word, mut bits)) = record.mail().take(&mut at) {
            taken += bits.count_ones() as usize;
            if self.take_back_several(record.tables.address(word * WORD_BITS), bits) {
                bits = 0;
            }
            while bits != 0 {
                let granule = word * WORD_BITS + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.take_back_block(record.tables.address(granule));
            }
            if taken >= most {
                record.mail().stop(at);
                self.inbox.put(record);
                break;
            }
        }
        self.heap.give_emptied();
        taken
    }

    /// Takes back the blocks of one word of a plane, if they are small ones of one page.
    fn take_back_several(&self, address: *mut u8, bits: usize) -> bool {
        // SAFETY: a granule of a region is not at null.
        let first = unsafe { NonNull::new_unchecked(address) };
        self.heap.deallocate_kept_several(first, bits)
    }

    fn take_back_block(&self, address: *mut u8) {
        // SAFETY: a granule of a region is not at null.
        let block = unsafe { NonNull::new_unchecked(address) };
        if let Err(refusal) = self.heap.deallocate_kept(block) {
            report(self.heap.name(), refusal, None);
        }
    }

    /// Counts a call that was slow anyway, and publishes what has changed since the last time: the
    /// bytes at each step, the other counters now and then.
    #[inline]
    fn note_slow_call(&self) {
        let calls = self.slow_calls.get() + 1;
        self.slow_calls.set(calls);
        if calls == CALLS_PUBLISHED {
            self.publish();
        } else if self.heap.granted().abs_diff(self.counted.get()) >= COUNTED_STEP {
            self.count_granted();
        }
    }

    /// Publishes the counters.
    #[cold]
    pub(super) fn publish(&self) {
        self.slow_calls.set(0);
        self.published.set(self.heap.stats());
        self.count_granted();
    }

    #[cold]
    fn count_granted(&self) {
        let granted = self.heap.granted();
        self.supply.shared().counts.grant(self.counted.replace(granted), granted);
    }
}

impl Published {
    const fn new() -> Self {
        Self {
            live: AtomicUsize::new(0),
            granted: AtomicUsize::new(0),
            allocations_total: AtomicUsize::new(0),
            requested_total: AtomicUsize::new(0),
            granted_total: AtomicUsize::new(0),
        }
    }

    /// Relaxed throughout: each number is for itself.
    pub(super) fn set(&self, stats: Stats) {
        self.live.store(stats.live, Ordering::Relaxed);
        self.granted.store(stats.granted, Ordering::Relaxed);
        self.allocations_total.store(stats.allocations_total as usize, Ordering::Relaxed);
        self.requested_total.store(stats.requested_total as usize, Ordering::Relaxed);
        self.granted_total.store(stats.granted_total as usize, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Stats {
        let granted = self.granted.load(Ordering::Relaxed);
        Stats {
            live: self.live.load(Ordering::Relaxed),
            requested: granted,
            granted,
            allocations_total: self.allocations_total.load(Ordering::Relaxed) as u64,
            requested_total: self.requested_total.load(Ordering::Relaxed) as u64,
            granted_total: self.granted_total.load(Ordering::Relaxed) as u64,
            ..Stats::default()
        }
    }
}
