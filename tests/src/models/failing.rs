//! A backing allocator that refuses requests on order.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use loligo_allocators::{AllocError, Allocator, Block, Damage, Stats};

/// Which requests a [`FailingBacking`] refuses. Requests are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusals {
    /// None.
    None,
    /// The one with this number.
    Nth(u64),
    /// That one and all after it.
    From(u64),
}

/// Passes requests on to the allocator beneath and refuses some.
///
/// Allocations, reallocations and growth in place count as requests; giving memory back never does.
#[derive(Debug)]
pub struct FailingBacking<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    backing: &'a B,
    refusals: Cell<Refusals>,
    requests: Cell<u64>,
    refused: Cell<u64>,
}

impl<'a, B: Allocator + ?Sized> FailingBacking<'a, B> {
    /// Puts itself in front of `backing`.
    pub const fn new(backing: &'a B, refusals: Refusals) -> Self {
        Self {
            backing,
            refusals: Cell::new(refusals),
            requests: Cell::new(0),
            refused: Cell::new(0),
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

    /// Counts a request; `Err` if it is one to refuse.
    fn request(&self) -> Result<(), AllocError> {
        let number = self.requests.get();
        self.requests.set(number + 1);
        let refuse = match self.refusals.get() {
            Refusals::None => false,
            Refusals::Nth(nth) => number == nth,
            Refusals::From(first) => number >= first,
        };
        if refuse {
            self.refused.set(self.refused.get() + 1);
            return Err(AllocError);
        }
        Ok(())
    }
}

// SAFETY: blocks come from the backing as they are; a refusal changes nothing but two counts.
unsafe impl<B: Allocator + ?Sized> Allocator for FailingBacking<'_, B> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request()?;
        self.backing.allocate(layout)
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request()?;
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
            self.request()?;
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
        self.request()?;
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
