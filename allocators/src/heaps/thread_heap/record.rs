//! What is known of a region or a huge block: what threads need that free a block of it.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::slot::Slot;
use crate::heaps::size_class_heap::SharedTables;
use crate::heaps::size_classes::GRANULE;
use crate::threads::hand_over::{Link, Linked, Mail, WORD_BITS};

/// What hands blocks back and where, for one region; or a huge block.
///
/// Records are never unmapped before the heap ends, and those of a region belong to one slot for
/// good: a thread that has handed back the last block of a region touches the record afterwards.
///
/// # Invariants
///
/// 1. `plane` has a bit a granule of the region in `tables`; the summary has a bit for each of its
///    words, and the top one for each of the summary's. All are before the region in the same chunk.
/// 2. `chunk` is touched under the lock of the shared state alone, `next_unused` by the owner of the
///    slot, or under that lock for huge blocks.
/// 3. `chunk` is there exactly if the directory leads here from all of it.
#[repr(C, align(128))]
pub(super) struct Record {
    // What a free reads is in the first cache line.
    pub(super) tables: SharedTables,
    /// The slot whose region it is; null for a huge block.
    pub(super) slot: AtomicPtr<Slot>,
    /// The number of that slot: read here, as the slot's own line is written by its thread.
    pub(super) slot_number: usize,
    plane: AtomicPtr<AtomicUsize>,
    words: AtomicUsize,

    link: Link<Self>,
    /// A huge block, with its bytes; 0 if there is none.
    pub(super) huge: AtomicPtr<u8>,
    pub(super) huge_bytes: AtomicUsize,
    /// The memory as it was allocated.
    pub(super) chunk: Cell<Option<(NonNull<u8>, Layout)>>,
    /// The next unused record of the same owner.
    pub(super) next_unused: Cell<*const Self>,
}

impl Linked for Record {
    fn link(&self) -> &Link<Self> {
        &self.link
    }
}

impl Record {
    pub(super) fn new(slot: *const Slot, slot_number: usize) -> Self {
        Self {
            tables: SharedTables::new(),
            slot: AtomicPtr::new(slot.cast_mut()),
            slot_number,
            plane: AtomicPtr::new(ptr::null_mut()),
            words: AtomicUsize::new(0),
            link: Link::new(),
            huge: AtomicPtr::new(ptr::null_mut()),
            huge_bytes: AtomicUsize::new(0),
            chunk: Cell::new(None),
            next_unused: Cell::new(ptr::null()),
        }
    }

    /// Bytes before a region of `bytes` bytes in its chunk, for plane, summary and top.
    pub(super) fn head_bytes(bytes: usize) -> usize {
        let words: usize = levels(words_for(bytes)).iter().sum();
        (words * size_of::<usize>()).next_multiple_of(4096)
    }

    /// Makes it the record of the region that is to be made in a chunk of zeros, after its head;
    /// `false` if that cannot hold one page.
    pub(super) fn open(&self, chunk: NonNull<u8>, region: Layout) -> bool {
        let head = Self::head_bytes(region.size());
        // SAFETY: the chunk has the head and then the region.
        let memory = unsafe { chunk.add(head) };
        // Relaxed: the directory publishes the record with Release afterwards.
        self.plane.store(chunk.as_ptr().cast(), Ordering::Relaxed);
        self.words.store(words_for(region.size()), Ordering::Relaxed);
        self.tables.open(memory, region)
    }

    /// What was handed back of the region.
    #[inline]
    pub(super) fn mail(&self) -> Mail<'_> {
        let plane = self.plane.load(Ordering::Relaxed);
        let words = self.words.load(Ordering::Relaxed);
        let [words, summary_words, top_words] = levels(words);
        let summary = plane.wrapping_add(words);
        let top = summary.wrapping_add(summary_words);
        // SAFETY: invariant 1, and the chunk held zeros, which all have in the beginning.
        let plane = unsafe { core::slice::from_raw_parts(plane, words) };
        // SAFETY: as above.
        let summary = unsafe { core::slice::from_raw_parts(summary, summary_words) };
        // SAFETY: as above.
        let top = unsafe { core::slice::from_raw_parts(top, top_words) };
        Mail { plane, summary, top }
    }

    /// Whether an address is in the region's pages or in the huge block.
    pub(super) fn holds(&self, address: *const u8) -> bool {
        let start = self.huge.load(Ordering::Relaxed).addr();
        let huge = self.huge_bytes.load(Ordering::Relaxed);
        self.tables.holds(address) || address.addr().wrapping_sub(start) < huge
    }
}

/// Words of the plane of a region of `bytes` bytes.
fn words_for(bytes: usize) -> usize {
    (bytes / GRANULE).div_ceil(WORD_BITS)
}

/// Words of the plane, the summary and the top.
#[inline]
fn levels(words: usize) -> [usize; 3] {
    let summary = words.div_ceil(WORD_BITS);
    [words, summary, summary.div_ceil(WORD_BITS)]
}
