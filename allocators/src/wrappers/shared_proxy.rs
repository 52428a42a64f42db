//! A name and counters for one user of an allocator that several threads share.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where the sound system takes
//! its memory through a proxy, so that an overview shows what it uses and a leak names it. Changes:
//! the counters are atomic, so every thread can use the proxy without a lock, and it can have a
//! budget that no race exceeds.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::wrappers::proxy::{over_backing, proxied};

mod counters;

#[cfg(test)]
mod tests;

use counters::Counters;

/// A [`ProxyAllocator`](crate::ProxyAllocator) for several threads: it forwards everything to its
/// backing and counts it under a separate name, in atomic counters.
///
/// It stores nothing per block: both ways of freeing ask the backing for the block's size, as
/// allocating did, so each counter is lowered by the amount it was raised. Live `requested` is
/// therefore counted as granted (`exact` is false), `requested_total` is as requested, and
/// [`walk`](Allocator::walk) shows nothing: the backing lists the blocks. [`owns`](Allocator::owns)
/// returns the backing's answer.
///
/// A block freed through the proxy that is larger than all its live bytes is reported as a foreign
/// free; the backing finds the other wrong frees.
///
/// # Budget
///
/// With a budget, a request that would raise the live granted bytes above it is refused with
/// [`AllocError`]. The bytes are reserved before the backing is called and released if it refuses,
/// so the budget holds at every moment, also under contention. Three things follow. Requests in
/// progress count as granted until they are refused, so two requests that race for the last bytes
/// can both be refused. A block that must move to change its size is copied by the proxy, never by
/// the backing's faster way (remapping pages, say); while it moves, only the new place is counted.
/// And if a backing grows a block in place by more than was requested and cannot undo it, the
/// budget is exceeded by this rounding; no allocator of this crate does so.
///
/// # Statistics
///
/// `requested <= granted <= reserved` holds in every result, as all three are one number that is
/// read once. `requested_total <= granted_total` holds since the latter is raised first and read
/// last. Each counter is exact while no other thread works; otherwise the counters of one result
/// can belong to moments a few steps apart.
///
/// # Complexity
///
/// On top of the backing and its `allocated_size`: four atomic additions to allocate (with a budget
/// the first is a compare-exchange that is repeated while others interfere), one more for each new
/// peak, and two to free: 6 a pair, some 50 instructions (92 with a budget). The counters are in a
/// separate cache line, which moves between the cores that use the proxy; this is its cost under
/// contention. Wait-free without a budget, else lock-free.
///
/// # Memory
///
/// It allocates nothing: the blocks are the backing's, unchanged. The object itself is two cache
/// lines, 128 bytes.
///
/// # Threads
///
/// `Send` and `Sync`. Threads that use it share the cache line of its counters, and never wait for
/// one another.
///
/// # When not to use it
///
/// For a single thread: [`ProxyAllocator`](crate::ProxyAllocator) counts without atomic operations.
/// When many threads allocate through one proxy at a high rate: a proxy for each thread shares
/// nothing.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use loligo_allocators::{AllocError, Allocator, PageAllocator, SharedProxy};
///
/// let pages = PageAllocator::new("pages");
/// let sound = SharedProxy::new("sound", &pages).with_budget(64 << 10);
/// let page = Layout::from_size_align(4096, 4096).expect("a page");
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| {
///             let block = sound.allocate(page)?;
///             assert!(sound.stats().granted <= 64 << 10);
///             // SAFETY: the block is live, has this layout, and is not used again.
///             unsafe { sound.deallocate_sized(block.cast(), page) };
///             Ok::<(), AllocError>(())
///         });
///     }
/// });
/// assert_eq!((sound.stats().live, sound.stats().granted_total), (0, 8192));
/// ```
///
/// # Invariants
///
/// 1. Every block that the backing returned through this proxy and that is not yet freed is counted
///    in the live bytes, at its size as the backing's `allocated_size` states it.
/// 2. Live bytes are raised before live blocks are, and lowered after them.
pub struct SharedProxy<'a, B: Allocator + Sync + ?Sized = dyn Allocator + Sync + 'a> {
    counters: Counters,
    budget_bytes: usize,
    backing: &'a B,
    name: &'a str,
}

impl SharedProxy<'_> {
    /// Returns the layout that a proxy requests from its backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> SharedProxy<'a> {
    /// Creates a proxy of `backing`.
    #[cfg(not(all(test, loom)))]
    #[must_use]
    pub const fn new(name: &'a str, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(name, backing)
    }

    /// Creates a proxy of `backing`. The model checker's atomics have no `const` constructor.
    #[cfg(all(test, loom))]
    #[must_use]
    pub fn new(name: &'a str, backing: &'a (dyn Allocator + Sync + 'a)) -> Self {
        Self::new_in(name, backing)
    }
}

impl<'a, B: Allocator + Sync + ?Sized> SharedProxy<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[cfg(not(all(test, loom)))]
    #[must_use]
    pub const fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self { counters: Counters::new(), budget_bytes: usize::MAX, backing, name }
    }

    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[cfg(all(test, loom))]
    #[must_use]
    pub fn new_in(name: &'a str, backing: &'a B) -> Self {
        Self { counters: Counters::new(), budget_bytes: usize::MAX, backing, name }
    }

    /// Refuses requests that would raise the live granted bytes above `bytes`.
    #[must_use]
    pub const fn with_budget(mut self, bytes: usize) -> Self {
        self.budget_bytes = bytes;
        self
    }

    /// Returns the budget in bytes, if there is one.
    #[must_use]
    pub const fn budget(&self) -> Option<usize> {
        if self.budget_bytes == usize::MAX { None } else { Some(self.budget_bytes) }
    }

    /// Counts `bytes` more as live, if the budget allows.
    #[inline]
    fn reserve(&self, bytes: usize) -> Result<usize, AllocError> {
        self.counters.raise_within(bytes, self.budget_bytes).ok_or(AllocError)
    }

    /// Allocates under a budget.
    #[inline(never)]
    #[track_caller]
    fn take_within(&self, layout: Layout, zeroed: bool) -> Result<NonNull<[u8]>, AllocError> {
        let reserved = layout.size().max(1);
        let mut live = self.reserve(reserved)?;
        let answer = if zeroed {
            self.backing.allocate_zeroed(layout)
        } else {
            self.backing.allocate(layout)
        };
        let Ok(block) = answer else {
            self.counters.lower_bytes(reserved);
            return Err(AllocError);
        };
        let rounding = block.len() - reserved;
        if rounding != 0 {
            let Ok(after) = self.reserve(rounding) else {
                // SAFETY: the block is live, was requested with this layout, and is not yet used.
                unsafe { self.backing.deallocate_sized(block.cast(), layout) };
                self.counters.lower_bytes(reserved);
                return Err(AllocError);
            };
            live = after;
        }
        self.counters.note_peak(live);
        self.counters.count_allocation(layout.size(), block.len());
        Ok(block)
    }

    /// Counts a block that the backing has just returned.
    #[inline]
    fn record_allocation(&self, block: NonNull<[u8]>, layout: Layout) {
        // By the contract, the granted size is what `allocated_size` returns when the block is
        // freed.
        let live = self.counters.raise_bytes(block.len());
        self.counters.note_peak(live);
        self.counters.count_allocation(layout.size(), block.len());
    }

    /// Returns the size of a block that is about to be freed or resized.
    #[inline]
    #[track_caller]
    fn size_of_own(&self, block: NonNull<u8>, site: &'static Location<'static>) -> usize {
        // SAFETY: the callers' promise: the block is live.
        let bytes = unsafe { self.backing.allocated_size(block) };
        // A live block is part of this number (invariant 1), also while other threads work.
        if bytes > self.counters.bytes() {
            self.foreign(block, site);
        }
        bytes
    }

    /// Resizes under a budget. `block` has `before` bytes.
    ///
    /// # Safety
    ///
    /// As for `resize_in_place`.
    #[track_caller]
    unsafe fn resize_within(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        before: usize,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let growth = new.size().saturating_sub(before);
        let mut live = self.reserve(growth)?;
        // SAFETY: the caller's promise, passed on.
        let Ok(resized) = (unsafe { self.backing.resize_in_place(block, old, new) }) else {
            self.counters.lower_bytes(growth);
            return Err(AllocError);
        };
        let (after, reserved) = (resized.len(), before + growth);
        if after > reserved {
            let Ok(with_rounding) = self.reserve(after - reserved) else {
                // SAFETY: the block is live and has the layout `new`.
                return unsafe { self.undo_growth(resized, old, new, before, reserved) };
            };
            live = with_rounding;
        }
        self.counters.note_peak(live);
        self.counters.lower_bytes(reserved.saturating_sub(after));
        self.counters.count_growth(old, new, before, after);
        Ok(resized)
    }

    /// Undoes growth in place that exceeds the budget, or counts it if it cannot be undone.
    /// `reserved` of the block's bytes are counted.
    ///
    /// # Safety
    ///
    /// `resized` is a live block, which had the layout `old` and now has `new`.
    #[cold]
    #[track_caller]
    unsafe fn undo_growth(
        &self,
        resized: NonNull<[u8]>,
        old: Layout,
        new: Layout,
        before: usize,
        reserved: usize,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let back = Layout::from_size_align(before, old.align()).unwrap_or(old);
        // SAFETY: the caller's promise; the alignment stays.
        let undone = unsafe { self.backing.resize_in_place(resized.cast(), new, back) };
        if let Ok(undone) = undone
            && undone.len() <= reserved
        {
            self.counters.lower_bytes(reserved - undone.len());
            return Err(AllocError);
        }
        // SAFETY: the block is live.
        let after = unsafe { self.backing.allocated_size(resized.cast()) };
        let live = self.counters.raise_bytes(after.saturating_sub(reserved));
        self.counters.note_peak(live);
        self.counters.count_growth(old, new, before, after);
        Ok(NonNull::slice_from_raw_parts(resized.cast(), after))
    }

    /// Moves a block of `before` bytes to one of the layout `new`, under a budget.
    ///
    /// # Safety
    ///
    /// As for `reallocate`.
    #[inline(never)]
    #[track_caller]
    unsafe fn move_within(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        before: usize,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if old.size() > before {
            // The number of bytes to copy.
            let (bytes, site) = (Some(old.size()), Location::caller());
            wrong_free(Misuse::WrongSize, self.name, block, bytes, site);
        }
        let growth = new.size().saturating_sub(before);
        let mut live = self.reserve(growth)?;
        let Ok(moved) = self.backing.allocate(new) else {
            self.counters.lower_bytes(growth);
            return Err(AllocError);
        };
        let (after, reserved) = (moved.len(), before + growth);
        if after > reserved {
            let Ok(with_rounding) = self.reserve(after - reserved) else {
                // SAFETY: the block is live, was requested with this layout, and is not yet used.
                unsafe { self.backing.deallocate_sized(moved.cast(), new) };
                self.counters.lower_bytes(growth);
                return Err(AllocError);
            };
            live = with_rounding;
        }
        self.counters.note_peak(live);
        let bytes = old.size().min(new.size());
        // SAFETY: both blocks are live, distinct and hold at least `bytes` bytes.
        unsafe { moved.cast::<u8>().copy_from_nonoverlapping(block, bytes) };
        // SAFETY: the old block is live, `old` fits it, and it is not used again.
        unsafe { self.backing.deallocate_sized(block, old) };
        self.counters.lower_bytes(reserved.saturating_sub(after));
        self.counters.count_growth(old, new, before, after);
        Ok(moved)
    }

    /// Counts a block of `before` bytes that was resized.
    fn resized(&self, before: usize, after: usize, old: Layout, new: Layout) {
        if after > before {
            let live = self.counters.raise_bytes(after - before);
            self.counters.note_peak(live);
        } else {
            self.counters.lower_bytes(before - after);
        }
        self.counters.count_growth(old, new, before, after);
    }

    #[cold]
    #[inline(never)]
    fn foreign(&self, block: NonNull<u8>, site: &'static Location<'static>) -> ! {
        wrong_free(Misuse::ForeignFree, self.name, block, None, site)
    }
}

// SAFETY: every block is the backing's, which keeps the contract, from any thread as it is `Sync`;
// refusals come before anything has changed, or undo it first.
unsafe impl<B: Allocator + Sync + ?Sized> Allocator for SharedProxy<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.budget_bytes != usize::MAX {
            return self.take_within(layout, false);
        }
        let block = self.backing.allocate(layout)?;
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if self.budget_bytes != usize::MAX {
            return self.take_within(layout, true);
        }
        let block = self.backing.allocate_zeroed(layout)?;
        self.record_allocation(block, layout);
        Ok(block)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        let bytes = self.size_of_own(block, Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate(block) };
        self.counters.count_free(bytes);
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        let bytes = self.size_of_own(block, Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.backing.deallocate_sized(block, layout) };
        self.counters.count_free(bytes);
    }

    #[inline]
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.size_of_own(block, Location::caller());
        if self.budget_bytes != usize::MAX {
            // SAFETY: the caller's promise, passed on.
            return unsafe { self.resize_within(block, old, new, before) };
        }
        // SAFETY: the caller's promise, passed on.
        let resized = unsafe { self.backing.resize_in_place(block, old, new)? };
        self.resized(before, resized.len(), old, new);
        Ok(resized)
    }

    #[inline]
    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let before = self.size_of_own(block, Location::caller());
        if self.budget_bytes != usize::MAX {
            if new.align() <= old.align() {
                // SAFETY: the caller's promise, passed on.
                let resized = unsafe { self.resize_within(block, old, new, before) };
                if resized.is_ok() {
                    return resized;
                }
            }
            // SAFETY: the caller's promise, passed on.
            return unsafe { self.move_within(block, old, new, before) };
        }
        // SAFETY: the caller's promise, passed on.
        let moved = unsafe { self.backing.reallocate(block, old, new)? };
        self.resized(before, moved.len(), old, new);
        Ok(moved)
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        SharedProxy::layout_for(layout)
    }

    fn stats(&self) -> Stats {
        self.counters.stats()
    }

    over_backing!();

    proxied!();

    /// Compares the counters with each other, also while other threads work. The backing's counters
    /// belong to another moment, so they are not compared.
    fn verify(&self) -> Result<(), Damage> {
        if self.counters.agree() {
            return Ok(());
        }
        let address = core::ptr::from_ref(self).cast();
        Err(Damage { what: "more blocks are counted as live than bytes", address })
    }
}

impl<B: Allocator + Sync + ?Sized> Drop for SharedProxy<'_, B> {
    fn drop(&mut self) {
        leak::assert_none(self);
    }
}
