//! A check of the backing at a fixed interval of calls.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), which runs the allocator's self-check at
//! intervals and narrows down the interval in which it broke. Changes: the report names both ends
//! of the interval by number and caller, and every allocator down the chain is checked.

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt::{self, Display};
use core::panic::Location;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::misuse::{Misuse, Report, misuse};
use crate::contract::stats::Stats;
use crate::wrappers::proxy::{ProxyAllocator, passed_to_proxy};

#[cfg(test)]
mod tests;

/// An allocator that forwards everything to its backing and checks that one, and all allocators
/// below it, at a fixed interval of calls.
///
/// Calls are allocations, frees, resizes and reallocations, numbered from 1. The check runs before
/// the call is forwarded, so that a broken structure is not used any more. It runs
/// [`verify`](Allocator::verify) of the backing, of its backing and so on, as far as
/// [`backing`](Allocator::backing) leads: it ends at a lock.
///
/// Damage ends in [`misuse`](crate::misuse()) as [`Damaged`](crate::Misuse::Damaged). The report
/// names the broken allocator, its error, and the two calls between which it broke: the last one at
/// which all was sound and this one, each by number and caller. Reduce the interval, or insert
/// calls of [`check`](Self::check), until it contains the one line that breaks it.
///
/// It finds the damage that the allocators below can find in themselves; with a
/// [`CanaryAllocator`](crate::CanaryAllocator) below, it finds writes past blocks.
///
/// It counts blocks as a [`ProxyAllocator`] does: live `requested` as granted (`exact` is false),
/// and [`walk`](Allocator::walk) shows nothing.
///
/// # Complexity
///
/// That of a proxy; each check takes O(blocks) of every allocator below.
///
/// # Memory
///
/// It adds no memory: the blocks are the backing's, unchanged. The object itself is 144 bytes or
/// fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// With many blocks and a small interval: a check at every call makes n calls cost O(n * blocks).
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
/// use loligo_allocators::{
///     AllocError, Allocator, CanaryAllocator, HeapAllocator, VerifyAllocator,
/// };
///
/// let mut memory = [MaybeUninit::uninit(); 16 << 10];
/// let heap = HeapAllocator::from_region("heap", &mut memory);
/// let canary = CanaryAllocator::new("guarded", &heap);
/// // Every tenth call checks the guards of all blocks, and the heap.
/// let verify = VerifyAllocator::new("verify", 10, &canary);
/// let layout = Layout::new::<[u32; 10]>();
/// for _ in 0..10 {
///     let block = verify.allocate(layout)?;
///     // SAFETY: the block is live, has this layout, and is not used again.
///     unsafe { verify.deallocate_sized(block.cast(), layout) };
/// }
/// verify.check();
/// assert_eq!((verify.calls(), verify.checks()), (20, 3));
/// # Ok::<(), AllocError>(())
/// ```
pub struct VerifyAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    proxy: ProxyAllocator<'a, B>,
    interval: Cell<u64>,
    calls: Cell<u64>,
    /// The number of the next call that checks.
    next: Cell<u64>,
    checks: Cell<u64>,
    last_sound: Cell<Option<Moment>>,
}

/// A call, or an explicit check after it.
#[derive(Clone, Copy)]
struct Moment {
    call: u64,
    explicit: bool,
    site: &'static Location<'static>,
}

impl Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = if self.explicit { "the check after call" } else { "call" };
        write!(f, "{after} {} from {}", self.call, self.site)
    }
}

impl VerifyAllocator<'_> {
    /// Returns the layout requested from the backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> VerifyAllocator<'a> {
    /// Wraps `backing` and checks it at every `interval`th call: with 1 at each call, with 0 only
    /// when [`check`](Self::check) is called.
    #[must_use]
    pub const fn new(name: &'a str, interval: u64, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, interval, backing)
    }
}

impl<'a, B: Allocator + ?Sized> VerifyAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, interval: u64, backing: &'a B) -> Self {
        Self {
            proxy: ProxyAllocator::new_in(name, backing),
            interval: Cell::new(interval),
            calls: Cell::new(0),
            next: Cell::new(after(0, interval)),
            checks: Cell::new(0),
            last_sound: Cell::new(None),
        }
    }

    /// Changes the interval; the next check is `interval` calls from now.
    pub fn set_interval(&self, interval: u64) {
        self.interval.set(interval);
        self.next.set(after(self.calls.get(), interval));
    }

    /// Returns the number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.get()
    }

    /// Returns the number of checks so far.
    #[must_use]
    pub fn checks(&self) -> u64 {
        self.checks.get()
    }

    /// Checks the backing and all below it now. Damage ends in [`misuse`](crate::misuse()).
    ///
    /// # Complexity
    ///
    /// O(blocks) of every allocator below.
    #[track_caller]
    pub fn check(&self) {
        self.look(Moment { call: self.calls.get(), explicit: true, site: Location::caller() });
    }

    /// Counts a call, and checks if the interval has passed.
    #[inline]
    fn called(&self, site: &'static Location<'static>) {
        let call = self.calls.get() + 1;
        self.calls.set(call);
        if call >= self.next.get() {
            self.look(Moment { call, explicit: false, site });
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&self, now: Moment) {
        let mut below = self.proxy.backing();
        while let Some(allocator) = below {
            if let Err(damage) = allocator.verify() {
                self.report(allocator.name(), &damage, now);
            }
            below = allocator.backing();
        }
        self.checks.set(self.checks.get() + 1);
        self.last_sound.set(Some(now));
        if !now.explicit {
            self.next.set(after(now.call, self.interval.get()));
        }
    }

    fn report(&self, broken: &str, damage: &Damage, now: Moment) -> ! {
        let report = Report::new(Misuse::Damaged, self.name(), damage.address).with_site(now.site);
        match self.last_sound.get() {
            Some(before) => misuse(&report.with_detail(format_args!(
                "`{broken}` below it finds: {damage}; all was sound at {before}, and is not at {now}"
            ))),
            None => misuse(&report.with_detail(format_args!(
                "`{broken}` below it finds: {damage}; this is the first check, at {now}"
            ))),
        }
    }
}

/// Returns the number of the next call that checks; with an interval of 0, one that is never
/// reached.
const fn after(call: u64, interval: u64) -> u64 {
    if interval == 0 { u64::MAX } else { call.saturating_add(interval) }
}

// SAFETY: every block is the proxy's, which keeps the contract; a check comes before the call is
// passed on.
unsafe impl<B: Allocator + ?Sized> Allocator for VerifyAllocator<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.called(Location::caller());
        self.proxy.allocate(layout)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.called(Location::caller());
        self.proxy.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        self.called(Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate(block) }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        self.called(Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate_sized(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.called(Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.called(Location::caller());
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.reallocate(block, old, new) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        VerifyAllocator::layout_for(layout)
    }

    passed_to_proxy!();
}
