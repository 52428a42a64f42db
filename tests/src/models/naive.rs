//! The reference allocator: first fit over a bitmap, with a separate table of blocks.
//!
//! Two records of the same thing, so that one can be checked against the other:
//!
//! ```text
//! used    1 1 1 1 0 0 1 1 0 ...   a bit for each granule of 16 bytes
//! blocks  4 0 0 0 0 0 2 0 0 ...   how many granules the block has that begins there, and its bytes
//! ```

use core::alloc::Layout;
use core::cell::{Cell, RefCell};
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use bitvec::vec::BitVec;
use loligo_allocators::{AllocError, Allocator, Block, Damage, Misuse, Report, Stats, misuse};

use crate::region::Region;

#[cfg(test)]
mod tests;

/// Bytes of a granule.
const GRANULE: usize = 16;

/// The longest stretch whose lowest place is remembered, in granules. Each free looks at all of them.
const STRETCH_MAX: usize = 16;

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
    region: Region,
    used: RefCell<BitVec>,
    /// By a number of granules: no free stretch of that length begins below. Without it a test of
    /// thousands of blocks does little but look at taken granules.
    lowest: RefCell<[usize; STRETCH_MAX + 1]>,
    blocks: RefCell<Vec<Record>>,
    /// The granules that a block has had: those after them are as they were.
    touched: Cell<usize>,
    stats: Cell<Stats>,
}

// SAFETY: the pointer leads into the region that the allocator owns and that moves with it.
unsafe impl Send for NaiveAllocator {}

/// A live block: its bytes and its granules, both 0 where none begins. An array of numbers, which is
/// zero memory at first that nobody has touched.
type Record = [u32; 2];

/// No block.
const NONE: Record = [0, 0];

impl NaiveAllocator {
    /// Makes an allocator over `bytes` bytes, which are at an address of at least that alignment
    /// (up to 4 MiB).
    ///
    /// # Panics
    ///
    /// If they are 4 GiB or more.
    #[must_use]
    pub fn new(name: &'static str, bytes: usize) -> Self {
        let align = bytes.max(GRANULE).next_power_of_two().min(REGION_ALIGN_MAX);
        let mut region = Region::new(bytes, align);
        // Known and not zero, so that behaviour that depends on it is repeatable.
        region.memory().fill(MaybeUninit::new(FRESH));
        let granules = bytes / GRANULE;
        assert!(u32::try_from(bytes).is_ok(), "{bytes} bytes are more than a record counts");
        let reserved = granules * GRANULE;
        Self {
            name,
            base: NonNull::from(region.memory()).cast(),
            region,
            used: RefCell::new(BitVec::repeat(false, granules)),
            lowest: RefCell::new([0; STRETCH_MAX + 1]),
            blocks: RefCell::new(vec![NONE; granules]),
            touched: Cell::new(0),
            stats: Cell::new(Stats {
                reserved,
                peak_reserved: reserved,
                exact: true,
                ..Stats::default()
            }),
        }
    }

    /// Makes it as new: what blocks have had is as it was, and nothing is counted. As long as a
    /// region is large, this is much quicker than another.
    ///
    /// # Panics
    ///
    /// If a block is live.
    pub fn renew(&mut self) {
        let old = self.stats.get();
        assert_eq!(old.live, 0, "blocks of `{}` are live", self.name);
        let memory = self.region.memory();
        memory[..self.touched.get() * GRANULE].fill(MaybeUninit::new(FRESH));
        self.base = NonNull::from(memory).cast();
        self.touched.set(0);
        *self.lowest.get_mut() = [0; STRETCH_MAX + 1];
        self.stats.set(Stats {
            reserved: old.reserved,
            peak_reserved: old.reserved,
            exact: true,
            ..Stats::default()
        });
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
        let begins = |granule: usize| blocks.get(granule).is_some_and(|record| *record != NONE);
        if distance.is_multiple_of(GRANULE) && begins(granule) {
            return granule;
        }
        let is_owned = self.owns(block.as_ptr());
        let before = if is_owned { granule + 1 } else { 0 };
        let inside = (0..before).rev().find(|start| begins(*start));
        let kind = if !is_owned {
            Misuse::ForeignFree
        } else if inside.is_some_and(|start| granule < start + blocks[start][1] as usize) {
            Misuse::InteriorFree
        } else {
            Misuse::DoubleFree
        };
        misuse(&Report::new(kind, self.name, block.as_ptr()))
    }

    /// Returns where a live block begins, the bytes that were asked for, and its granules.
    fn record(&self, block: NonNull<u8>) -> (usize, usize, usize) {
        let granule = self.granule_of(block);
        let [requested, granules] = self.blocks.borrow()[granule];
        (granule, requested as usize, granules as usize)
    }

    /// Notes a block.
    fn note(&self, start: usize, requested: usize, granules: usize) {
        self.blocks.borrow_mut()[start] = [requested as u32, granules as u32];
        self.touched.set(self.touched.get().max(start + granules));
    }

    /// Calls `each` with where a live block begins, its bytes and its granules.
    fn each(&self, mut each: impl FnMut(usize, usize, usize)) {
        for (start, record) in self.blocks.borrow()[..self.touched.get()].iter().enumerate() {
            let [requested, granules] = *record;
            if granules > 0 {
                each(start, requested as usize, granules as usize);
            }
        }
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
        self.note(start, layout.size(), granules);
        self.count(layout.size(), granules);
        Ok(NonNull::slice_from_raw_parts(self.at(start), granules * GRANULE))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let (granule, requested, granules) = self.record(block);
        self.blocks.borrow_mut()[granule] = NONE;
        self.fill(granule, granules, false);
        let mut stats = self.stats.get();
        stats.live -= 1;
        stats.requested -= requested;
        stats.granted -= granules * GRANULE;
        self.stats.set(stats);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let (_, requested, granules) = self.record(block);
        let granted = granules * GRANULE;
        if !(requested..=granted).contains(&layout.size()) {
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
        let (start, old_requested, old_granules) = self.record(block);
        let granules = granules_of(new.size());
        if granules > old_granules {
            let end = start.checked_add(granules).ok_or(AllocError)?;
            let used = self.used.borrow();
            let more = used.get(start + old_granules..end).ok_or(AllocError)?;
            if more.any() {
                return Err(AllocError);
            }
        }
        self.fill(start, old_granules, false);
        self.fill(start, granules, true);
        self.note(start, new.size(), granules);
        let mut stats = self.stats.get();
        stats.requested = stats.requested - old_requested + new.size();
        stats.granted = stats.granted - old_granules * GRANULE + granules * GRANULE;
        self.stats.set(with_peaks(stats));
        Ok(NonNull::slice_from_raw_parts(block, granules * GRANULE))
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.record(block).2 * GRANULE
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
        self.each(|granule, bytes, _| {
            visit(Block { address: self.at(granule), bytes, site: None });
        });
    }

    fn verify(&self) -> Result<(), Damage> {
        let mut wanted: BitVec = BitVec::repeat(false, self.used.borrow().len());
        self.each(|start, _, granules| wanted[start..start + granules].fill(true));
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
        let mut first = None;
        self.each(|start, _, _| {
            first.get_or_insert(start);
        });
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
