//! The memory under a subsystem's proxy: it refuses on order, and what it does itself is not
//! counted.

use core::alloc::Layout;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Refusals, Stats};

use crate::models::{FailingBacking, NaiveAllocator};

use super::guard::Guard;

/// A backing that refuses on order, exempt from the guard of the global heap.
pub(super) struct Supply<'a> {
    failing: FailingBacking<'a, NaiveAllocator>,
    guard: &'a dyn Guard,
}

impl<'a> Supply<'a> {
    pub(super) fn new(
        memory: &'a NaiveAllocator,
        refusals: Refusals,
        guard: &'a dyn Guard,
    ) -> Self {
        Self { failing: FailingBacking::new_in(memory, refusals), guard }
    }

    /// Refuses nothing from here on.
    pub(super) fn lift(&self) {
        self.failing.lift();
    }

    /// Returns how many requests were refused because there was an order, or no room.
    pub(super) fn refusals(&self) -> u64 {
        self.failing.refused()
    }

    /// Returns how many requests were made.
    pub(super) fn requests(&self) -> u64 {
        self.failing.requests()
    }

    /// Whether a request was refused on order.
    pub(super) fn refused(&self) -> bool {
        self.failing.refused() > 0
    }

    /// Does something that is not the subsystem's doing.
    fn exempt<R>(&self, work: impl FnOnce(&FailingBacking<'a, NaiveAllocator>) -> R) -> R {
        let mut result = None;
        let mut work = Some(work);
        self.guard.exempt(&mut || result = work.take().map(|work| work(&self.failing)));
        result.expect("a guard runs what it exempts")
    }
}

// SAFETY: blocks come from the backing as they are.
unsafe impl Allocator for Supply<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.exempt(|failing| failing.allocate(layout))
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.exempt(|failing| failing.allocate_zeroed(layout))
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        self.exempt(|failing| unsafe { failing.deallocate(block) });
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        self.exempt(|failing| unsafe { failing.deallocate_sized(block, layout) });
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        self.exempt(|failing| unsafe { failing.resize_in_place(block, old, new) })
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // SAFETY: the caller's promise, passed on.
        self.exempt(|failing| unsafe { failing.reallocate(block, old, new) })
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.failing.allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        self.failing.layout_below(layout)
    }

    fn stats(&self) -> Stats {
        self.failing.stats()
    }

    fn name(&self) -> &str {
        self.failing.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.failing.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.failing.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.failing.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.failing.verify()
    }
}
