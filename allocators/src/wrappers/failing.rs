//! An allocator that refuses on purpose.
//!
//! Code that handles exhaustion is seldom run. Here memory runs out when a test wants it to: at one
//! request, from one on, at every so many, above a size, or by chance that can be repeated.

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
    /// The one with this number.
    Nth(u64),
    /// That one and all after it.
    From(u64),
    /// Each one that completes so many: with 3 the requests 2, 5, 8 and so on. With 0 none.
    Every(u64),
    /// Those for more bytes than this.
    Larger(usize),
    /// So many of a thousand, drawn by request number and seed: the same ones each time.
    Share {
        /// How many of a thousand, in the long run. From 1000 on all are refused.
        per_mille: u32,
        /// What other draws begin with.
        seed: u64,
    },
}

impl Refusals {
    /// Returns `true` if the request with this number, for so many bytes, is refused. It depends on
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
    // The seed is mixed first, as seeds that are close would else be shifted copies of one stream.
    let seed = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    mix(seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// An allocator that passes requests on to another and refuses some on order, for testing what
/// stands on it.
///
/// Allocations, growth in place and reallocations are requests; frees and shrinking in place are
/// not, and never refused here. A refused request does not reach the backing and changes nothing
/// but the count of refusals. What is refused may be changed at any time by
/// [`refuse`](Self::refuse).
///
/// Blocks are counted as by a [`ProxyAllocator`]: live `requested` as granted (`exact` is false),
/// and [`walk`](Allocator::walk) shows nothing.
///
/// # Complexity
///
/// That of a proxy, and a few instructions for each request.
///
/// # Memory
///
/// Takes none of its own: blocks are the backing's, without a byte more. The object itself is 128
/// bytes or fewer.
///
/// # Threads
///
/// `Send` where the backing is `Sync`; not `Sync`: to share it wrap it in
/// [`Locked`](crate::Locked).
///
/// # When not to use it
///
/// To hold a subsystem to a limit: that is a proxy's budget.
///
/// # Panics
///
/// When dropped with live blocks, with their number and bytes.
///
/// # Examples
///
/// Is a structure as it was when its memory runs out at any point?
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
    /// The requests before `refusals` was last set, where its numbers begin.
    before: Cell<u64>,
}

impl FailingAllocator<'_> {
    /// Returns what is asked of the backing for a block of `layout`: the same.
    #[must_use]
    pub const fn layout_for(layout: Layout) -> Layout {
        layout
    }
}

impl<'a, B: Allocator + ?Sized> FailingAllocator<'a, B> {
    /// Stands in front of `backing` and refuses what `refusals` says.
    #[must_use]
    pub const fn new(name: &'a str, refusals: Refusals, backing: &'a B) -> Self {
        Self {
            proxy: ProxyAllocator::new(name, backing),
            refusals: Cell::new(refusals),
            requests: Cell::new(0),
            refused: Cell::new(0),
            before: Cell::new(0),
        }
    }

    /// Refuses other requests from now on. Their numbers begin again at 0, with the next one.
    pub fn refuse(&self, refusals: Refusals) {
        self.refusals.set(refusals);
        self.before.set(self.requests.get());
    }

    /// Returns which requests are refused.
    #[must_use]
    pub fn refusals(&self) -> Refusals {
        self.refusals.get()
    }

    /// Returns how many requests came since this allocator was made, refused ones included.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Returns how many of them were refused on order. What the backing refuses is not counted.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Counts a request; `Err` if it is one to refuse.
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
