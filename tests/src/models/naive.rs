//! The reference allocator: first fit over a bitmap, with a separate table of blocks.
//!
//! Two records of the same thing, so that one can be checked against the other:
//!
//! ```text
//! used    1 1 1 1 0 0 1 1 0 ...   a bit for each granule of 16 bytes
//! blocks  0 -> 4 granules, 6 -> 2 granules
//! ```

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use std::collections::BTreeMap;

use bitvec::vec::BitVec;
use loligo_allocators::{AllocError, Allocator, Block, Damage, Misuse, Report, Stats, misuse};

use crate::region::Region;

#[cfg(test)]
mod tests;

/// Bytes of a granule.
const GRANULE: usize = 16;

/// The longest stretch whose lowest place is remembered, in granules.
const STRETCH_MAX: usize = 64;

/// What every byte of the region holds at first.
const FRESH: u8 = 0xa5;

/// The greatest alignment of the region.
const REGION_ALIGN_MAX: usize = 4 << 20;

/// An allocator that owns its one region, as plain as possible.
///
/// # Complexity
///
/// Every operation may look at every granule of the region.
#[derive(Debug)]
pub struct NaiveAllocator {
    name: &'static str,
    /// Where the region's memory starts; the region below keeps it.
    base: NonNull<u8>,
    _region: Region,
    used: RefCell<BitVec>,
    /// By a number of granules: no free stretch of that length begins below. Without it a test of
    /// thousands of blocks does little but look at taken granules.
    lowest: RefCell<[usize; STRETCH_MAX + 1]>,
    blocks: RefCell<BTreeMap<usize, Record>>,
    stats: Cell<Stats>,
}

// SAFETY: the pointer leads into the region that the allocator owns and that moves with it.
unsafe impl Send for NaiveAllocator {}

/// A live block.
#[derive(Clone, Copy, Debug)]
struct Record {
    requested: usize,
    granules: usize,
}

impl NaiveAllocator {
    /// Makes an allocator over `bytes` bytes, which are at an address of at least that alignment
    /// (up to 4 MiB).
    #[must_use]
    pub fn new(name: &'static str, bytes: usize) -> Self {
        let align = bytes.max(GRANULE).next_power_of_two().min(REGION_ALIGN_MAX);
        let mut region = Region::new(bytes, align);
        // Known and not zero, so that behaviour that depends on it is repeatable.
        region.memory().fill(MaybeUninit::new(FRESH));
        let granules = bytes / GRANULE;
        let reserved = granules * GRANULE;
        Self {
            name,
            base: NonNull::from(region.memory()).cast(),
            _region: region,
            used: RefCell::new(BitVec::repeat(false, granules)),
            lowest: RefCell::new([0; STRETCH_MAX + 1]),
            blocks: RefCell::new(BTreeMap::new()),
            stats: Cell::new(Stats {
                reserved,
                peak_reserved: reserved,
                exact: true,
                ..Stats::default()
            }),
        }
    }

    /// Returns the first granule of a free stretch of `granules` granules at that alignment.
    fn find(&self, granules: usize, align: usize) -> Option<usize> {
        let used = self.used.borrow();
        // What is true of short stretches is true of longer ones.
        let mut from = self.lowest.borrow()[granules.min(STRETCH_MAX)];
        from += used[from..].leading_ones();
        loop {
            let start = from + self.skipped(from, align);
            let stretch = used.get(start..start.checked_add(granules)?)?;
            match stretch.last_one() {
                None => {
                    if granules <= STRETCH_MAX && align <= GRANULE {
                        self.lowest.borrow_mut()[granules] = start;
                    }
                    return Some(start);
                }
                Some(taken) => {
                    let past = start + taken + 1;
                    from = past + used[past..].leading_ones();
                }
            }
        }
    }

    /// Granules from `from` to the next address of that alignment.
    fn skipped(&self, from: usize, align: usize) -> usize {
        let address = self.base.addr().get() + from * GRANULE;
        (address.next_multiple_of(align.max(GRANULE)) - address) / GRANULE
    }

    fn count(&self, requested: usize, granules: usize) {
        let mut stats = self.stats.get();
        let granted = granules * GRANULE;
        stats.live += 1;
        stats.requested += requested;
        stats.granted += granted;
        stats.allocations_total += 1;
        stats.requested_total += requested as u64;
        stats.granted_total += granted as u64;
        self.stats.set(with_peaks(stats));
    }

    /// The granule that a live block starts at; a wrong free does not return.
    fn granule_of(&self, block: NonNull<u8>) -> usize {
        let blocks = self.blocks.borrow();
        let distance = block.addr().get().wrapping_sub(self.base.addr().get());
        let granule = distance / GRANULE;
        if distance.is_multiple_of(GRANULE) && blocks.contains_key(&granule) {
            return granule;
        }
        let inside = blocks.range(..=granule).next_back();
        let kind = if !self.owns(block.as_ptr()) {
            Misuse::ForeignFree
        } else if inside.is_some_and(|(start, record)| granule < start + record.granules) {
            Misuse::InteriorFree
        } else {
            Misuse::DoubleFree
        };
        misuse(&Report::new(kind, self.name, block.as_ptr()))
    }

    fn record(&self, block: NonNull<u8>) -> (usize, Record) {
        let granule = self.granule_of(block);
        (granule, self.blocks.borrow()[&granule])
    }

    /// Marks granules free or taken without a record of it; for planted faults.
    pub(super) fn mark(&self, block: NonNull<u8>, granules: usize, taken: bool) {
        let start = (block.addr().get() - self.base.addr().get()) / GRANULE;
        self.fill(start, granules, taken);
    }

    /// Marks the first free granule as taken without a record of it; for planted faults.
    pub(super) fn lose_granule(&self) {
        let free = self.used.borrow().first_zero();
        if let Some(free) = free {
            self.used.borrow_mut().set(free, true);
        }
    }

    fn fill(&self, start: usize, granules: usize, taken: bool) {
        self.used.borrow_mut()[start..start + granules].fill(taken);
        if !taken {
            // A stretch that has become free has one of these granules.
            for (length, lowest) in self.lowest.borrow_mut().iter_mut().enumerate() {
                *lowest = (*lowest).min(start.saturating_sub(length.saturating_sub(1)));
            }
        }
    }

    fn at(&self, granule: usize) -> NonNull<u8> {
        // SAFETY: granules of live blocks are within the region that `base` starts.
        unsafe { self.base.add(granule * GRANULE) }
    }
}

fn with_peaks(mut stats: Stats) -> Stats {
    stats.peak_requested = stats.peak_requested.max(stats.requested);
    stats.peak_granted = stats.peak_granted.max(stats.granted);
    stats
}

fn granules_of(bytes: usize) -> usize {
    bytes.max(1).div_ceil(GRANULE)
}

// SAFETY: blocks are stretches of granules of the owned region that no other block has, aligned as
// asked; a refusal returns before anything is written; nothing unwinds in between.
unsafe impl Allocator for NaiveAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let granules = granules_of(layout.size());
        let start = self.find(granules, layout.align()).ok_or(AllocError)?;
        self.fill(start, granules, true);
        let record = Record { requested: layout.size(), granules };
        self.blocks.borrow_mut().insert(start, record);
        self.count(layout.size(), granules);
        Ok(NonNull::slice_from_raw_parts(self.at(start), granules * GRANULE))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let (granule, record) = self.record(block);
        self.blocks.borrow_mut().remove(&granule);
        self.fill(granule, record.granules, false);
        let mut stats = self.stats.get();
        stats.live -= 1;
        stats.requested -= record.requested;
        stats.granted -= record.granules * GRANULE;
        self.stats.set(stats);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let (_, record) = self.record(block);
        let granted = record.granules * GRANULE;
        if !(record.requested..=granted).contains(&layout.size()) {
            let report = Report::new(Misuse::WrongSize, self.name, block.as_ptr());
            misuse(&report.with_bytes(layout.size()));
        }
        // SAFETY: the caller's promise covers this one.
        unsafe { self.deallocate(block) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        _old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let (start, record) = self.record(block);
        let granules = granules_of(new.size());
        if granules > record.granules {
            let end = start.checked_add(granules).ok_or(AllocError)?;
            let used = self.used.borrow();
            let more = used.get(start + record.granules..end).ok_or(AllocError)?;
            if more.any() {
                return Err(AllocError);
            }
        }
        self.fill(start, record.granules, false);
        self.fill(start, granules, true);
        let changed = Record { requested: new.size(), granules };
        self.blocks.borrow_mut().insert(start, changed);
        let mut stats = self.stats.get();
        stats.requested = stats.requested - record.requested + new.size();
        stats.granted = stats.granted - record.granules * GRANULE + granules * GRANULE;
        self.stats.set(with_peaks(stats));
        Ok(NonNull::slice_from_raw_parts(block, granules * GRANULE))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.record(block).1.granules * GRANULE
    }

    fn stats(&self) -> Stats {
        self.stats.get()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn owns(&self, address: *const u8) -> bool {
        let distance = address.addr().wrapping_sub(self.base.addr().get());
        distance < self.used.borrow().len() * GRANULE
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        for (&granule, record) in &*self.blocks.borrow() {
            visit(Block { address: self.at(granule), bytes: record.requested, site: None });
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        let mut wanted: BitVec = BitVec::repeat(false, self.used.borrow().len());
        for (&start, record) in &*self.blocks.borrow() {
            wanted[start..start + record.granules].fill(true);
        }
        if wanted == *self.used.borrow() {
            Ok(())
        } else {
            Err(Damage {
                what: "the bitmap and the table of blocks disagree",
                address: self.base.as_ptr(),
            })
        }
    }
}

impl Drop for NaiveAllocator {
    fn drop(&mut self) {
        let stats = self.stats.get();
        let first = self.blocks.borrow().keys().next().copied();
        assert!(
            stats.live == 0 || std::thread::panicking(),
            "allocator `{}` was dropped with {} live blocks of {} bytes, the first at {:p}",
            self.name,
            stats.live,
            stats.requested,
            self.at(first.unwrap_or(0))
        );
    }
}
