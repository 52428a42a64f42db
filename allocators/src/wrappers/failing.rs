//! An allocator that refuses requests on purpose.
//!
//! Code that handles exhaustion is seldom run. Here memory runs out when a test wants it to: at one
//! request, from one on, at every nth, above a size, or at random with a fixed seed.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::contract::allocator::{AllocError, Allocator, Block, Damage};
use crate::contract::stats::Stats;
use crate::wrappers::proxy::{ProxyAllocator, passed_to_proxy};

#[cfg(test)]
mod tests;

/// Which requests are refused. Requests are numbered from 0.
///
/// # Examples
///
/// ```
/// use loligo_allocators::Refusals;
///
/// let third = Refusals::Every(3);
/// let refused: Vec<u64> = (0..9).filter(|&number| third.refuses(number, 16)).collect();
/// assert_eq!(refused, [2, 5, 8]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusals {
    /// None.
    #[default]
    None,
    /// The request with this number.
    Nth(u64),
    /// That one and all after it.
    From(u64),
    /// Every nth request: with 3 the requests 2, 5, 8 and so on. With 0 none.
    Every(u64),
    /// Requests for more bytes than this.
    Larger(usize),
    /// A share of the requests, drawn by request number and seed: the same ones in each run.
    Share {
        /// How many of 1000, on average. From 1000 on all are refused.
        per_mille: u32,
        /// The seed; another seed draws other requests.
        seed: u64,
    },
}

impl Refusals {
    /// Returns `true` if the request with this number, for `bytes` bytes, is refused. It depends on
    /// nothing else, so a run can be repeated.
    #[must_use]
    pub const fn refuses(self, number: u64, bytes: usize) -> bool {
        match self {
            Self::None => false,
            Self::Nth(nth) => number == nth,
            Self::From(first) => number >= first,
            Self::Every(step) => step != 0 && number % step == step - 1,
            Self::Larger(most) => bytes > most,
            Self::Share { per_mille, seed } => draw(seed, number) % 1000 < per_mille as u64,
        }
    }
}

/// Draws a number by seed and position: splitmix, whose streams need no state.
const fn draw(seed: u64, number: u64) -> u64 {
    // The seed is mixed first, as close seeds would otherwise give shifted copies of one stream.
    let seed = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    mix(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// An allocator that forwards requests to its backing and refuses chosen ones, for testing the code
/// above it.
///
/// Allocations, growth in place and reallocations are requests; frees and shrinking in place are
/// not, and are never refused here. A refused request does not reach the backing and changes only
/// the count of refusals. [`refuse`](Self::refuse) changes the rule at any time.
///
/// It counts blocks as a [`ProxyAllocator`] does: live `requested` as granted (`exact` is false),
/// and [`walk`](Allocator::walk) shows nothing.
///
/// # Complexity
///
/// That of a proxy, and a few instructions for each request.
///
/// # Memory
///
/// It adds no memory: the blocks are the backing's, unchanged. The object itself is 128 bytes or
/// fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// For limiting a subsystem: use a proxy's budget.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// Is a structure unchanged when its memory runs out at any point?
///
/// ```
/// use core::alloc::Layout;
/// use core::mem::MaybeUninit;
/// use loligo_allocators::{AllocError, Allocator, FailingAllocator, FrameAllocator, Refusals};
///
/// fn two_blocks(allocator: &dyn Allocator) -> Result<(), AllocError> {
///     let layout = Layout::new::<u64>();
///     let first = allocator.allocate(layout)?;
///     let second = allocator.allocate(layout);
///     // SAFETY: the block is live and not used again. Without this line a test would find a leak.
///     unsafe { allocator.deallocate_sized(first.cast(), layout) };
///     // SAFETY: as above.
///     unsafe { allocator.deallocate_sized(second?.cast(), layout) };
///     Ok(())
/// }
///
/// let mut memory = [MaybeUninit::uninit(); 1024];
/// let frame = FrameAllocator::from_region("frame", &mut memory);
/// let failing = FailingAllocator::new("failing", Refusals::None, &frame);
/// for number in 0.. {
///     failing.refuse(Refusals::Nth(number));
///     let done = two_blocks(&failing).is_ok();
///     assert_eq!(failing.stats().live, 0);
///     if done {
///         break;
///     }
/// }
/// assert_eq!(failing.refused(), 2);
/// ```
pub struct FailingAllocator<'a, B: Allocator + ?Sized = dyn Allocator + 'a> {
    proxy: ProxyAllocator<'a, B>,
    refusals: Cell<Refusals>,
    requests: Cell<u64>,
    refused: Cell<u64>,
    /// The number of requests before `refusals` was last set; numbering starts there.
    before: Cell<u64>,
}

impl FailingAllocator<'_> {
    /// Returns the layout requested from the backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a> FailingAllocator<'a> {
    /// Wraps `backing` and refuses requests by the rule `refusals`.
    #[must_use]
    pub const fn new(name: &'a str, refusals: Refusals, backing: &'a (dyn Allocator + 'a)) -> Self {
        Self::new_in(name, refusals, backing)
    }
}

impl<'a, B: Allocator + ?Sized> FailingAllocator<'a, B> {
    /// As [`new`](Self::new), and keeps the type of the allocator, so that its calls are direct.
    #[must_use]
    pub const fn new_in(name: &'a str, refusals: Refusals, backing: &'a B) -> Self {
        Self {
            proxy: ProxyAllocator::new_in(name, backing),
            refusals: Cell::new(refusals),
            requests: Cell::new(0),
            refused: Cell::new(0),
            before: Cell::new(0),
        }
    }

    /// Replaces the rule. The next request has number 0 again.
    pub fn refuse(&self, refusals: Refusals) {
        self.refusals.set(refusals);
        self.before.set(self.requests.get());
    }

    /// Returns the current rule.
    #[must_use]
    pub fn refusals(&self) -> Refusals {
        self.refusals.get()
    }

    /// Returns the number of requests so far, refused ones included.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Returns how many requests the rule refused. Refusals by the backing are not counted.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Counts a request; `Err` if it is refused.
    #[inline]
    fn request(&self, bytes: usize) -> Result<(), AllocError> {
        let number = self.requests.get();
        self.requests.set(number + 1);
        if self.refusals.get().refuses(number - self.before.get(), bytes) {
            self.refused.set(self.refused.get() + 1);
            return Err(AllocError);
        }
        Ok(())
    }
}

// SAFETY: every block is the proxy's, which keeps the contract; a refusal comes before anything
// else.
unsafe impl<B: Allocator + ?Sized> Allocator for FailingAllocator<'_, B> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request(layout.size())?;
        self.proxy.allocate(layout)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.request(layout.size())?;
        self.proxy.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate(block) }
    }

    #[inline]
    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.deallocate_sized(block, layout) }
    }

    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        if new.size() > old.size() {
            self.request(new.size())?;
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.resize_in_place(block, old, new) }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        self.request(new.size())?;
        // SAFETY: the caller's promise, passed on.
        unsafe { self.proxy.reallocate(block, old, new) }
    }

    fn layout_below(&self, layout: Layout) -> Layout {
        FailingAllocator::layout_for(layout)
    }

    passed_to_proxy!();
}
