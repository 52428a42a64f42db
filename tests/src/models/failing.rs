//! A backing allocator that refuses requests on order.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Refusals, Stats};

/// Passes requests on to the allocator beneath and refuses some.
///
/// Allocations, reallocations and growth in place count as requests; giving memory back never does.
/// Unlike `FailingAllocator` it cannot be seen: name, counters, walk and backing are those of the
/// allocator beneath, so that a suite sees the regions of what is on it, and blocks that are live
/// when it goes are not its concern.
#[derive(Debug)]
pub struct FailingBacking<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    backing: &'a B,
    refusals: Refusals,
    requests: Cell<u64>,
    refused: Cell<u64>,
    lifted: Cell<bool>,
}

impl<'a> FailingBacking<'a> {
    /// Puts itself in front of `backing`.
    pub const fn new(backing: &'a (dyn Allocator + 'a), refusals: Refusals) -> Self {
        Self::new_in(backing, refusals)
    }
}

impl<'a, B: Allocator + ?Sized> FailingBacking<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    pub const fn new_in(backing: &'a B, refusals: Refusals) -> Self {
        Self {
            backing,
            refusals,
            requests: Cell::new(0),
            refused: Cell::new(0),
            lifted: Cell::new(false),
        }
    }

    /// Returns how many requests came so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Returns how many were refused on order.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Refuses nothing from here on.
    pub fn lift(&self) {
        self.lifted.set(true);
    }

    /// Counts a request; `Err` if it is one to refuse.
    fn request(&self, layout: Layout) -> Result<(), AllocError> {
        let number = self.requests.get();
        self.requests.set(number + 1);
        if !self.lifted.get() && self.refusals.refuses(number, layout.size()) {
            self.refused.set(self.refused.get() + 1);
            return Err(AllocError);
        }
        Ok(())
    }
}

// SAFETY: blocks come from the backing as they are; a refusal changes nothing but two counts.
unsafe impl<B: Allocator + ?Sized> Allocator for FailingBacking<'_, B> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request(layout)?;
        self.backing.allocate(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request(layout)?;
        self.backing.allocate_zeroed(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate(block) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate_sized(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.size() > old.size() {
            self.request(new)?;
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.request(new)?;
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.reallocate(block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.allocated_size(block) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        self.backing.layout_below(layout)
    }

    fn stats(&self) -> Stats {
        self.backing.stats()
    }

    fn name(&self) -> &str {
        self.backing.name()
    }

    fn backing(&self) -> Option<&dyn Allocator> {
        self.backing.backing()
    }

    fn owns(&self, address: *const u8) -> bool {
        self.backing.owns(address)
    }

    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.backing.walk(visit);
    }

    fn verify(&self) -> Result<(), Damage> {
        self.backing.verify()
    }
}
