//! The tables of a region as threads read them that do not own it.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};

use super::core_blocks::size_of_word;
use super::region::{KIND_CORE, KIND_MIXED, Parts};
use super::table_word::{read_bits, read_published};
use crate::bookkeeping::mark;
use crate::contract::misuse::Misuse;
use crate::heaps::size_classes::{GRANULE, PAGE_GRANULES, SizeClasses, payload};

/// Where the tables of a region are, for any thread.
///
/// The memory of the region held zeros when it was handed to its heap, so the tables of pages that
/// were never used say that no block is there.
///
/// # Invariants
///
/// 1. The pointers are null and `granules` is 0, or they lead to the tables of a region of that many
///    granules, in memory that stays mapped for as long as one of its blocks is live. Its bits,
///    kinds, classes and sizes are written as `table_word.rs` does.
#[derive(Debug)]
pub(crate) struct SharedTables {
    base: AtomicPtr<u8>,
    granules: AtomicUsize,
    starts: AtomicPtr<u64>,
    kinds: AtomicPtr<u8>,
    units: AtomicPtr<u8>,
}

impl SharedTables {
    pub(crate) const fn new() -> Self {
        Self {
            base: AtomicPtr::new(ptr::null_mut()),
            granules: AtomicUsize::new(0),
            starts: AtomicPtr::new(ptr::null_mut()),
            kinds: AtomicPtr::new(ptr::null_mut()),
            units: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Makes them those of the region that is to be made in `memory`; `false` if it cannot hold one
    /// page. The memory holds zeros. They are published by what leads other threads here.
    pub(crate) fn open(&self, memory: NonNull<u8>, layout: Layout) -> bool {
        let Some(parts) = Parts::of(memory, layout) else { return false };
        // Relaxed: the caller publishes the way here with Release afterwards.
        self.base.store(parts.base, Ordering::Relaxed);
        self.starts.store(parts.starts, Ordering::Relaxed);
        self.kinds.store(parts.kinds, Ordering::Relaxed);
        self.units.store(parts.units, Ordering::Relaxed);
        self.granules.store(parts.pages * PAGE_GRANULES as usize, Ordering::Relaxed);
        true
    }

    /// Forgets the region, which no thread may look for any more.
    pub(crate) fn close(&self) {
        self.granules.store(0, Ordering::Relaxed);
    }

    /// Granules of the region.
    pub(crate) fn granules(&self) -> usize {
        self.granules.load(Ordering::Relaxed)
    }

    /// The address of a granule.
    pub(crate) fn address(&self, granule: usize) -> *mut u8 {
        self.base.load(Ordering::Relaxed).wrapping_add(granule * GRANULE)
    }

    /// The granule that begins at an address; more than the region has for any other address.
    #[inline]
    pub(crate) fn granule_at(&self, address: *const u8) -> usize {
        let offset = address.addr().wrapping_sub(self.base.load(Ordering::Relaxed).addr());
        offset.rotate_right(GRANULE.ilog2())
    }

    /// Whether an address is in a page of the region.
    pub(crate) fn holds(&self, address: *const u8) -> bool {
        let offset = address.addr().wrapping_sub(self.base.load(Ordering::Relaxed).addr());
        offset / GRANULE < self.granules()
    }

    /// The bytes of the live block that starts at a granule of the region; `None` if none does. The
    /// block is the calling thread's to free, or there is none: of a block that another thread may
    /// free meanwhile the size is no longer there to be read.
    ///
    /// # Errors
    ///
    /// [`Misuse::Damaged`] if its header was overwritten.
    #[inline]
    pub(crate) fn live_bytes<C: SizeClasses>(
        &self,
        granule: usize,
    ) -> Result<Option<usize>, Misuse> {
        debug_assert!(granule < self.granules(), "granule {granule}");
        let at = self.kinds.load(Ordering::Relaxed).wrapping_add(granule / PAGE_GRANULES as usize);
        loop {
            // SAFETY: invariant 1; there is a byte a page.
            let kind = unsafe { read_published(at) };
            let bytes = self.bytes_as::<C>(kind, granule);
            // Acquire pairs with the Release in `make_core`: if something was read that was written
            // after the kind changed, the change is seen here.
            fence(Ordering::Acquire);
            // SAFETY: as above.
            if unsafe { read_published(at) } == kind {
                return bytes;
            }
        }
    }

    /// The bytes of the live block at a granule of a page of this kind.
    #[inline]
    fn bytes_as<C: SizeClasses>(&self, kind: u8, granule: usize) -> Result<Option<usize>, Misuse> {
        if !self.is_start(granule) {
            return Ok(None);
        }
        let class = match kind {
            KIND_CORE => return self.core_bytes(granule).map(Some),
            KIND_MIXED => self.unit(granule / (PAGE_GRANULES as usize / 8)),
            _ => kind - 1,
        };
        let class = usize::from(class);
        Ok(C::TABLE.has(class).then(|| C::TABLE.bytes(class)))
    }

    fn is_start(&self, granule: usize) -> bool {
        let word = self.starts.load(Ordering::Relaxed).wrapping_add(granule / 64);
        // SAFETY: invariant 1; there is a bit a granule.
        let bits = unsafe { read_bits(word) };
        bits >> (granule % 64) & 1 != 0
    }

    /// A byte of the units, of which each page has eight.
    fn unit(&self, unit: usize) -> u8 {
        // SAFETY: invariant 1.
        unsafe { read_published(self.units.load(Ordering::Relaxed).wrapping_add(unit)) }
    }

    /// The bytes of the core block at a granule, by its header.
    fn core_bytes(&self, granule: usize) -> Result<usize, Misuse> {
        let header = self.address(granule).wrapping_sub(8);
        // SAFETY: invariant 1; the 8 bytes before a granule are its header if a block of the core
        // starts there, and before granule 0 there is padding.
        let word = unsafe { mark::read_closed(header.cast()) };
        let size = size_of_word(word, granule as u32);
        if size.wrapping_sub(1) < (self.granules() - granule) as u32 {
            Ok(payload(size))
        } else {
            Err(Misuse::Damaged)
        }
    }

    /// What it means to free an address of the region at which no live block starts. Walks back
    /// over the pages, so only for a report; of blocks that come and go meanwhile it says what it
    /// saw of them.
    #[cold]
    pub(crate) fn classify<C: SizeClasses>(&self, address: *const u8) -> Misuse {
        let offset = address.addr().wrapping_sub(self.address(0).addr());
        for granule in (0..=offset / GRANULE).rev() {
            if let Ok(Some(bytes)) = self.live_bytes::<C>(granule) {
                if offset < granule * GRANULE + bytes {
                    return Misuse::InteriorFree;
                }
                break;
            }
        }
        if offset.is_multiple_of(GRANULE) { Misuse::DoubleFree } else { Misuse::ForeignFree }
    }
}
