//! The reference allocator with one thing wrong.

mod lies;

use core::alloc::Layout;
use core::cell::Cell;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Misuse, Report, Stats, misuse};

use super::{Fault, NaiveAllocator};

/// The alignment that the naive allocator keeps without being asked.
const GRANULE: usize = 16;

/// A [`NaiveAllocator`] with one planted [`Fault`], which a suite or a program must find.
///
/// # Examples
///
/// ```
/// use loligo_tests::models::{Fault, FaultyAllocator};
/// use loligo_tests::{Limits, Rule, conformance};
///
/// let outcomes = conformance::allocator_outcomes(&Limits::region(64 << 10), |test| {
///     test(&FaultyAllocator::new(Fault::ForgetsZeroing, 64 << 10));
/// });
/// let broken = outcomes.iter().find_map(|outcome| outcome.result.as_ref().err());
/// assert_eq!(broken.map(|broken| broken.rule), Some(Rule::Zeroed));
/// ```
#[derive(Debug)]
pub struct FaultyAllocator {
    inner: ManuallyDrop<NaiveAllocator>,
    fault: Fault,
    /// Calls that the fault counts.
    calls: Cell<u64>,
    /// What is added to the true counters before they are shown; wraps.
    skew: Cell<Stats>,
    /// The last block given out, while it is live.
    last: Cell<Option<NonNull<u8>>>,
    full: Cell<bool>,
}

// SAFETY: the pointer is to a block of the allocator within, which may be sent.
unsafe impl Send for FaultyAllocator {}

impl FaultyAllocator {
    /// Makes an allocator over `bytes` bytes with that fault.
    #[must_use]
    pub fn new(fault: Fault, bytes: usize) -> Self {
        Self {
            inner: ManuallyDrop::new(NaiveAllocator::new("faulty", bytes)),
            fault,
            calls: Cell::new(0),
            skew: Cell::new(Stats::default()),
            last: Cell::new(None),
            full: Cell::new(false),
        }
    }

    /// Counts a call and returns whether it is one in `every`.
    fn turn(&self, every: u64) -> bool {
        self.calls.set(self.calls.get() + 1);
        self.calls.get().is_multiple_of(every)
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn skew(&self, change: impl FnOnce(&mut Stats)) {
        let mut skew = self.skew.get();
        change(&mut skew);
        self.skew.set(skew);
    }

    /// Counts a grant as `counted` bytes that was of `granted`.
    fn skew_granted(&self, counted: usize, granted: usize) {
        let more = counted.wrapping_sub(granted);
        self.skew(|skew| {
            skew.granted = skew.granted.wrapping_add(more);
            skew.granted_total = skew.granted_total.wrapping_add(more as u64);
        });
    }

    /// Turns the first byte of the last block given out.
    fn scribble(&self) {
        if let Some(block) = self.last.get() {
            // SAFETY: the block is live, and that is the fault.
            unsafe { turn_byte(block) }
        }
    }

    /// What happens before a request is served; `Err` if the fault refuses it.
    fn before(&self, layout: Layout) -> Result<(), AllocError> {
        let size = layout.size();
        let refused = match self.fault {
            Fault::RefusesZeroSize => size == 0,
            Fault::RefusesBigAlignment => layout.align() >= 1024,
            Fault::RefusesOddSizes => size > 2 && (size - 1).is_power_of_two(),
            Fault::StaysFull => self.full.get(),
            _ => false,
        };
        if self.has(Fault::WritesOnAllocate) && self.turn(7) {
            self.scribble();
        }
        if refused { Err(AllocError) } else { Ok(()) }
    }

    /// What happens after a refusal.
    fn refused(&self) -> AllocError {
        self.full.set(true);
        match self.fault {
            Fault::CountsRefusals => self.skew(|skew| skew.allocations_total += 1),
            Fault::LosesOnRefusal => self.inner.lose_granule(),
            Fault::PanicsWhenFull => panic!("planted: out of memory"),
            _ => {}
        }
        AllocError
    }

    /// The answer to an allocation that the fault makes up, if it does.
    fn made_up(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        let last = self.last.get();
        let fits = |block: &NonNull<u8>| {
            // SAFETY: `last` holds live blocks only.
            let bytes = unsafe { self.inner.allocated_size(*block) };
            bytes >= layout.size() && block.addr().get().is_multiple_of(layout.align())
        };
        match self.fault {
            Fault::GivesOutTwice if self.turn(5) => last
                .filter(fits)
                .map(|block| NonNull::slice_from_raw_parts(block, layout.size().max(1))),
            Fault::SharesZeroSize if layout.size() == 0 => {
                last.filter(fits).map(|block| NonNull::slice_from_raw_parts(block, GRANULE))
            }
            _ => None,
        }
    }

    /// The layout that is asked of the allocator within.
    fn inner_layout(&self, layout: Layout) -> Layout {
        let align = if self.has(Fault::AlignsTo16) { 1 } else { layout.align() };
        let size = match self.fault {
            Fault::ServesHuge if layout.size() > isize::MAX as usize / 2 => GRANULE,
            _ => layout.size(),
        };
        Layout::from_size_align(size, align).unwrap_or(layout)
    }

    /// The slice that is returned for a block of the allocator within.
    fn slice(&self, layout: Layout, block: NonNull<[u8]>) -> NonNull<[u8]> {
        let bytes = match self.fault {
            Fault::ServesHuge => block.len().max(layout.size()),
            Fault::ShortSlice => layout.size().saturating_sub(1),
            Fault::ClaimsTooMuch => block.len() + GRANULE,
            _ => block.len(),
        };
        NonNull::slice_from_raw_parts(block.cast(), bytes)
    }

    fn free(&self, block: NonNull<u8>) {
        // SAFETY: `block` is live, as the caller of the method that leads here promises.
        let bytes = unsafe { self.inner.allocated_size(block) };
        // SAFETY: as above.
        unsafe { self.inner.deallocate(block) };
        if self.last.get() == Some(block) {
            self.last.set(None);
        }
        match self.fault {
            Fault::ClaimsTooMuch => {
                self.skew(|skew| skew.granted = skew.granted.wrapping_sub(GRANULE));
            }
            Fault::NeverReuses => self.inner.mark(block, bytes / GRANULE, true),
            Fault::NeverJoins if bytes > GRANULE => self.inner.mark(block, 1, true),
            Fault::WritesOnFree if self.turn(7) => self.scribble(),
            Fault::LowersTotals => self.skew(|skew| {
                skew.granted_total = skew.granted_total.wrapping_sub(bytes as u64);
            }),
            _ => {}
        }
    }
}

/// Turns the bits of a byte.
///
/// # Safety
///
/// The byte can be read and written.
unsafe fn turn_byte(byte: NonNull<u8>) {
    // SAFETY: the caller's promise.
    let value = unsafe { byte.read() };
    // SAFETY: the caller's promise.
    unsafe { byte.write(!value) }
}

// SAFETY: it does not keep the contract, and says so in its name; it never touches memory that is
// not its own.
unsafe impl Allocator for FaultyAllocator {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.before(layout)?;
        if let Some(block) = self.made_up(layout) {
            return Ok(block);
        }
        let block = self.inner.allocate(self.inner_layout(layout)).map_err(|_| self.refused())?;
        self.last.set(Some(block.cast()));
        match self.fault {
            Fault::GrantedIsAsked => self.skew_granted(layout.size().max(1), block.len()),
            Fault::ClaimsTooMuch => self.skew_granted(GRANULE, 0),
            _ => {}
        }
        Ok(self.slice(layout, block))
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let block = self.allocate(layout)?;
        match self.fault {
            Fault::ForgetsLiveZeroed => self.skew(|skew| skew.live = skew.live.wrapping_sub(1)),
            Fault::ForgetsTotalZeroed => self.skew(|skew| {
                skew.allocations_total = skew.allocations_total.wrapping_sub(1);
            }),
            _ => {}
        }
        let bytes = match self.fault {
            Fault::ForgetsZeroing => 0,
            Fault::ZeroesAskedOnly => layout.size(),
            Fault::ClaimsTooMuch => block.len() - GRANULE,
            Fault::ServesHuge => block.len().min(GRANULE),
            _ => block.len(),
        };
        // SAFETY: the block has at least that many bytes.
        unsafe { block.cast::<u8>().write_bytes(0, bytes) };
        Ok(block)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        if self.has(Fault::IgnoresWrongFrees) && !self.is_live(block) {
            return;
        }
        self.free(block);
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let asked = self.asked(block);
        match self.fault {
            Fault::ForgetsSizedFree => self.skew(|skew| skew.live = skew.live.wrapping_add(1)),
            Fault::LowersByLayout => self.skew(|skew| {
                let wrong = asked.wrapping_sub(layout.size());
                skew.requested = skew.requested.wrapping_add(wrong);
            }),
            Fault::RefusesFittingSize if layout.size() != asked => {
                let report = Report::new(Misuse::WrongSize, self.name(), block.as_ptr());
                misuse(&report.with_bytes(layout.size()))
            }
            _ => {}
        }
        // SAFETY: the caller's promise covers this one.
        unsafe { self.deallocate(block) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.faulty_resize(block, old, new)
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.faulty_reallocate(block, old, new)
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        let bytes = unsafe { self.inner.allocated_size(block) };
        match self.fault {
            Fault::SizeTooSmall => self.asked(block).max(1) - 1,
            Fault::SizeTooBig => bytes + 1,
            Fault::ClaimsTooMuch => bytes + GRANULE,
            _ => bytes,
        }
    }

    fn stats(&self) -> Stats {
        self.shown_stats()
    }

    fn name(&self) -> &str {
        match self.fault {
            Fault::NameEmpty => "",
            Fault::NameChanges if self.inner.stats().allocations_total > 0 => "another",
            _ => self.inner.name(),
        }
    }

    fn owns(&self, address: *const u8) -> bool {
        match self.fault {
            Fault::OwnsNothing => false,
            Fault::OwnsEverything => true,
            Fault::OwnsAllButLast => {
                self.inner.owns(address) && address.addr() % GRANULE != GRANULE - 1
            }
            _ => self.inner.owns(address),
        }
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.shown_walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        match self.fault {
            // These faults are in the bitmap itself; a second allocator of the kind would hide it.
            Fault::NeverReuses | Fault::NeverJoins | Fault::LosesOnRefusal => Ok(()),
            Fault::CriesWolf if self.inner.stats().live > 2 => {
                Err(Damage { what: "planted: a wolf", address: core::ptr::null() })
            }
            _ => self.inner.verify(),
        }
    }
}

impl Drop for FaultyAllocator {
    fn drop(&mut self) {
        let leaks = self.inner.stats().live > 0 && !std::thread::panicking();
        assert!(!leaks || !self.has(Fault::LeaksNameless), "planted: somebody leaks");
        if !leaks || !self.has(Fault::LeaksSilently) {
            // SAFETY: nothing uses the allocator within after this.
            unsafe { ManuallyDrop::drop(&mut self.inner) }
        }
    }
}
