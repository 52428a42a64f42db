//! A name and counters for one user of a shared allocator.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where the sound system takes
//! its memory through a proxy, so that an overview shows what it uses and a leak names it. Changes:
//! a proxy can have a budget.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;

#[cfg(test)]
mod tests;

/// The methods that a wrapper forwards to its field `proxy` unchanged.
macro_rules! passed_to_proxy {
    () => {
        #[inline]
        unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.proxy.allocated_size(block) }
        }

        unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.proxy.discard(part) }
        }

        fn stats(&self) -> Stats {
            self.proxy.stats()
        }

        fn name(&self) -> &str {
            self.proxy.name()
        }

        fn backing(&self) -> Option<&dyn Allocator> {
            self.proxy.backing()
        }

        fn owns(&self, address: *const u8) -> bool {
            self.proxy.owns(address)
        }

        /// Shows nothing: it does not record its blocks.
        fn walk(&self, visit: &mut dyn FnMut(Block)) {
            self.proxy.walk(visit);
        }

        /// Compares the counters with each other and with the backing's.
        fn verify(&self) -> Result<(), Damage> {
            self.proxy.verify()
        }
    };
}
pub(crate) use passed_to_proxy;

/// The methods that need only a wrapper's fields `name` and `backing`.
macro_rules! over_backing {
    () => {
        unsafe fn discard(&self, part: NonNull<[u8]>) -> usize {
            // SAFETY: the block is one of the backing's, and the promise is the caller's.
            unsafe { self.backing.discard(part) }
        }

        fn name(&self) -> &str {
            self.name
        }

        fn backing(&self) -> Option<&dyn Allocator> {
            // Through a reference, as an unsized backing type has no other conversion to a trait
            // object.
            Some(&self.backing)
        }

        fn owns(&self, address: *const u8) -> bool {
            self.backing.owns(address)
        }
    };
}
pub(crate) use over_backing;

/// The methods that both proxies leave to their backing, or cannot answer.
macro_rules! proxied {
    () => {
        #[inline]
        unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.backing.allocated_size(block) }
        }

        fn budget(&self) -> Option<usize> {
            Self::budget(self)
        }

        /// Shows nothing: the proxy does not know which of the backing's blocks are its own.
        fn walk(&self, _visit: &mut dyn FnMut(Block)) {}
    };
}
pub(crate) use proxied;

/// An allocator that forwards everything to its backing and counts it under a separate name.
///
/// It stores nothing per block: both ways of freeing ask the backing for the block's size, as
/// allocating did, so each counter is lowered by the amount it was raised. Live `requested` is
/// therefore counted as granted (`exact` is false), `requested_total` is as requested, and
/// [`walk`](Allocator::walk) shows nothing: the backing lists the blocks. [`owns`](Allocator::owns)
/// returns the backing's answer.
///
/// With a budget, a request that would raise the live granted bytes above it is refused with
/// [`AllocError`].
///
/// A block freed through the proxy that is larger than all its live bytes is reported as a foreign
/// free; the backing finds the other wrong frees.
///
/// # Complexity
///
/// A few additions on top of the backing, and its `allocated_size` once a call.
///
/// # Memory
///
/// It adds no memory: the blocks are the backing's, unchanged. The object itself is 88 bytes or
/// fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: for several threads use
/// [`SharedProxy`](crate::SharedProxy), whose counters are atomic.
///
/// # When not to use it
///
/// To find a leak within a subsystem: a [`TraceAllocator`](crate::TraceAllocator) records each
/// block. If live bytes must be exact as requested: it counts them as granted.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, FrameAllocator, ProxyAllocator};
///
/// let mut memory = [MaybeUninit::uninit(); 4096];
/// let shared = FrameAllocator::from_region("level", &mut memory);
/// let sound = ProxyAllocator::new("sound", &shared).with_budget(1000);
/// let graphics = ProxyAllocator::new("graphics", &shared);
///
/// let sample = Layout::new::<[i16; 400]>();
/// let block = sound.allocate(sample)?.cast::<u8>();
/// assert_eq!(sound.stats().granted, 800);
/// assert_eq!(graphics.stats().granted, 0);
/// assert_eq!(sound.allocate(sample), Err(AllocError));
/// // SAFETY: the block is live, has this layout, and is not used again.
/// unsafe { sound.deallocate_sized(block, sample) };
/// # Ok::<(), AllocError>(())
/// ```
///
/// # Invariants
///
/// 1. `allocations_total - frees_total` blocks of `granted_total - freed_total` bytes, as the
///    backing's `allocated_size` states it, are live.
pub struct ProxyAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    allocations_total: Cell<u64>,
    frees_total: Cell<u64>,
    requested_total: Cell<u64>,
    granted_total: Cell<u64>,
    freed_total: Cell<u64>,
    /// The greatest number of live bytes before any free.
    peak: Cell<u64>,
    budget_bytes: u64,
    backing: &'a B,
    name: &'a str,
}

impl ProxyAllocator<'_> {
    /// Returns the layout that a proxy requests from its backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> ProxyAllocator<'a> {
    /// Makes a proxy of `backing`.
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, B: Allocator + ?Sized> ProxyAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self {
            allocations_total: Cell::new(0),
            frees_total: Cell::new(0),
            requested_total: Cell::new(0),
            granted_total: Cell::new(0),
            freed_total: Cell::new(0),
            peak: Cell::new(0),
            budget_bytes: u64::MAX,
            backing,
            name,
        }
    }

    /// Refuses requests that would raise the live granted bytes above `bytes`.
    ///
    /// A resized block is measured by its new requested size; the bytes that the backing adds by
    /// rounding up may exceed the budget.
    #[must_use]
    pub const fn with_budget(mut self, bytes: usize) -> Self {
        self.budget_bytes = bytes as u64;
        self
    }

    /// Returns the budget in bytes, if there is one.
    #[must_use]
    pub const fn budget(&self) -> Option<usize> {
        if self.budget_bytes == u64::MAX { None } else { Some(self.budget_bytes as usize) }
    }

    #[inline]
    fn live_bytes(&self) -> u64 {
        self.granted_total.get() - self.freed_total.get()
    }

    /// Returns `true` if `bytes` more live bytes are within the budget. Zero always is, even if
    /// rounding that could not be undone has exceeded the budget.
    #[inline]
    fn affords(&self, bytes: usize) -> bool {
        let after = self.live_bytes().checked_add(bytes as u64);
        after.is_some_and(|after| after <= self.budget_bytes || bytes == 0)
    }

    /// Allocates under a budget.
    #[inline(never)]
    #[track_caller]
    fn take_within(&self, layout: Layout, zeroed: bool) -> Result<NonNull<[u8]>, AllocError> {
        if !self.affords(layout.size()) {
            return Err(AllocError);
        }
        let block = if zeroed {
            self.backing.allocate_zeroed(layout)?
        } else {
            self.backing.allocate(layout)?
        };
        if !self.affords(block.len()) {
            // SAFETY: the block is live, was requested with this layout, and is not yet used.
            unsafe { self.backing.deallocate_sized(block.cast(), layout) };
            return Err(AllocError);
        }
        self.record_allocation(block, layout);
        Ok(block)
    }

    /// Counts a block that the backing has just returned.
    #[inline]
    fn record_allocation(&self, block: NonNull<[u8]>, layout: Layout) {
        // By the contract, the granted size is what `allocated_size` returns when the block is
        // freed.
        self.allocations_total.set(self.allocations_total.get() + 1);
        self.count(layout.size(), block.len());
    }

    #[inline]
    fn count(&self, requested: usize, granted: usize) {
        self.requested_total.set(self.requested_total.get() + requested as u64);
        self.granted_total.set(self.granted_total.get() + granted as u64);
    }

    /// Returns the size of a block that is about to be freed or resized.
    #[inline]
    #[track_caller]
    fn size_of_own(&self, block: NonNull<u8>, site: &'static Location<'static>) -> u64 {
        self.size_within(self.live_bytes(), block, site)
    }

    /// Returns the size of a block that is one of `live` bytes.
    #[inline]
    #[track_caller]
    fn size_within(&self, live: u64, block: NonNull<u8>, site: &'static Location<'static>) -> u64 {
        // SAFETY: the callers' promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) } as u64;
        if bytes > live {
            self.foreign(block, site);
        }
        bytes
    }

    /// Counts `bytes` of the `live` bytes as freed.
    #[inline]
    fn uncount(&self, live: u64, bytes: u64) {
        // The live bytes peak just before a free, so allocating does not update the peak.
        if live > self.peak.get() {
            self.peak.set(live);
        }
        self.freed_total.set(self.freed_total.get() + bytes);
    }

    #[inline]
    fn count_free(&self, live: u64, bytes: u64) {
        self.uncount(live, bytes);
        self.frees_total.set(self.frees_total.get() + 1);
    }

    /// Counts a block of `before` bytes that now has the layout `new`.
    fn resized(&self, before: u64, block: NonNull<[u8]>, old: Layout, new: Layout) {
        // SAFETY: the block is live.
        let after = unsafe { self.backing.allocated_size(block.cast()) } as u64;
        if after > before {
            let asked = new.size().saturating_sub(old.size());
            self.count(asked, (after - before) as usize);
        } else {
            self.uncount(self.live_bytes(), before - after);
        }
    }

    #[cold]
    #[inline(never)]
    fn foreign(&self, block: NonNull<u8>, site: &'static Location<'static>) -> ! {
        wrong_free(Misuse::ForeignFree, self.name, block, None, site)
    }
}

// SAFETY: every block is the backing's, which keeps the contract; refusals come before anything has
// changed, or free the new block first.
unsafe impl<B: Allocator + ?Sized> Allocator for ProxyAllocator<'_, B> {
    // Always inlined, as a call costs a third of what the proxy adds.
    #[inline(always)]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.budget_bytes != u64::MAX {
            return self.take_within(layout, false);
        }
        let block = self.backing.allocate(layout)?;
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.budget_bytes != u64::MAX {
            return self.take_within(layout, true);
        }
        let block = self.backing.allocate_zeroed(layout)?;
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // Read once, as the backing does not change what is counted here.
        let live = self.live_bytes();
        let bytes = self.size_within(live, block, Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate(block) };
        self.count_free(live, bytes);
    }

    #[inline(always)]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // As in `deallocate`.
        let live = self.live_bytes();
        let bytes = self.size_within(live, block, Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate_sized(block, layout) };
        self.count_free(live, bytes);
    }

    #[inline]
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.size_of_own(block, Location::caller());
        if !self.affords(new.size().saturating_sub(before as usize)) {
            return Err(AllocError);
        }
        // SAFETY: the caller's promise, passed on.
        let block = unsafe { self.backing.resize_in_place(block, old, new)? };
        self.resized(before, block, old, new);
        Ok(block)
    }

    #[inline]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.size_of_own(block, Location::caller());
        if !self.affords(new.size().saturating_sub(before as usize)) {
            return Err(AllocError);
        }
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.backing.reallocate(block, old, new)? };
        self.resized(before, moved, old, new);
        Ok(moved)
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        ProxyAllocator::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        let granted = self.live_bytes() as usize;
        let peak = self.peak.get().max(self.live_bytes()) as usize;
        Stats {
            live: (self.allocations_total.get() - self.frees_total.get()) as usize,
            requested: granted,
            granted,
            reserved: granted,
            peak_requested: peak,
            peak_granted: peak,
            peak_reserved: peak,
            allocations_total: self.allocations_total.get(),
            requested_total: self.requested_total.get(),
            granted_total: self.granted_total.get(),
            exact: false,
        }
    }

    over_backing!();

    proxied!();

    /// Compares the counters with each other and with the backing's.
    fn verify(&self) -> Result<(), Damage> {
        let stats = self.stats();
        let damage = |what| {
            let address = core::ptr::from_ref(self).cast();
            Err(Damage { what, address })
        };
        if (stats.live == 0) != (stats.granted == 0) {
            return damage("the counts of live blocks and live bytes differ");
        }
        if stats.live > self.backing.stats().live {
            return damage("more blocks are counted than the backing has");
        }
        Ok(())
    }
}

impl<B: Allocator + ?Sized> Drop for ProxyAllocator<'_, B> {
    fn drop(&mut self) {
        leak::assert_none(self);
    }
}
