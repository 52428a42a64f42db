//! Bridges to `allocator-api2`, for the containers of other crates.
//!
//! One feature for each version in use: `allocator-api2-02`, `allocator-api2-03` and
//! `allocator-api2-04`. One macro generates the same implementations for each, so any can change or
//! be removed without touching the others.
//!
//! These types implement `allocator_api2::alloc::Allocator`: `&dyn Allocator`,
//! `&(dyn Allocator + Sync)`, a reference to each allocator of this crate (the list is
//! `each_allocator!`), and [`Bridge`] around a reference to any other. No allocator by value: a
//! container can be moved with its allocator inside, and some of ours contain their memory.
//!
//! Sizes of zero differ on the two sides. Here they are real blocks; there a container may free a
//! dangling pointer that it never allocated (a `Box` of a zero-sized type does). So a bridge
//! answers a size of zero with a dangling, aligned address and an empty slice, and ignores such a
//! free: no call reaches the allocator. This is unambiguous, since a block of nonzero size is never
//! freed there with a size of zero.
//!
//! Call sites in leak and misuse reports are lines of that library, which does not pass its callers
//! on; use stack traces there.

#[cfg(test)]
mod tests;

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::pool::PoolAllocator;
use crate::blocks::shared_pool::SharedPool;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::{AllocError, Allocator};
use crate::heaps::heap::HeapAllocator;
use crate::heaps::size_classes::SizeClasses;
use crate::heaps::slab::SlabAllocator;
use crate::heaps::static_heap::StaticHeap;
#[cfg(all(feature = "std", any(unix, windows)))]
use crate::heaps::system::SystemAllocator;
#[cfg(all(feature = "std", not(all(test, loom))))]
use crate::heaps::thread_heap::ThreadHeap;
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::linear::shared_frame::SharedFrame;
use crate::linear::temp::TempAllocator;
#[cfg(any(unix, windows))]
use crate::pages::guard_page::GuardPageAllocator;
#[cfg(any(unix, windows))]
use crate::pages::page::PageAllocator;
use crate::program::from_global::FromGlobal;
use crate::threads::locked::{Lock, Locked};
use crate::wrappers::canary::CanaryAllocator;
use crate::wrappers::failing::FailingAllocator;
use crate::wrappers::fill::FillAllocator;
use crate::wrappers::proxy::ProxyAllocator;
use crate::wrappers::quarantine::QuarantineAllocator;
use crate::wrappers::shared_proxy::SharedProxy;
use crate::wrappers::trace::TraceAllocator;
use crate::wrappers::verify::VerifyAllocator;

/// Lets a reference to any allocator, one of your own for instance, be used through
/// `allocator-api2`.
///
/// The allocators of this crate need no bridge: a reference to them is enough.
///
/// # Complexity
///
/// That of the allocator, and one comparison of the size with zero.
///
/// # Memory
///
/// One reference; the blocks are the allocator's, unchanged. A size of zero allocates nothing.
///
/// # Threads
///
/// `Send` and `Sync` where the allocator is `Sync`, as a reference to it is.
///
/// # When not to use it
///
/// Around an allocator of this crate: a reference to it is enough.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "allocator-api2-04")] {
/// use allocator_api2_04::vec::Vec;
/// use loligo_allocators::{Allocator, Bridge, PageAllocator};
///
/// fn squares<A: Allocator>(allocator: &A) -> usize {
///     let mut numbers = Vec::new_in(Bridge(allocator));
///     numbers.extend((1..=10).map(|n| n * n));
///     numbers.into_iter().sum()
/// }
/// assert_eq!(squares(&PageAllocator::new("pages")), 385);
/// # }
/// ```
///
/// An allocator by value is not a bridge, neither ours nor another's:
///
/// ```compile_fail,E0277
/// use loligo_allocators::PageAllocator;
/// # #[cfg(feature = "allocator-api2-02")]
/// use allocator_api2_02 as allocator_api2;
/// # #[cfg(all(feature = "allocator-api2-03", not(feature = "allocator-api2-02")))]
/// # use allocator_api2_03 as allocator_api2;
/// # #[cfg(not(any(feature = "allocator-api2-02", feature = "allocator-api2-03")))]
/// # use allocator_api2_04 as allocator_api2;
///
/// let numbers: allocator_api2::vec::Vec<u32, PageAllocator> =
///     allocator_api2::vec::Vec::new_in(PageAllocator::new("pages"));
/// ```
#[derive(Debug)]
pub struct Bridge<'a, A: ?Sized>(pub &'a A);

impl<A: ?Sized> Clone for Bridge<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: ?Sized> Copy for Bridge<'_, A> {}

/// Calls a macro with the list of bridged types: generics in brackets, then the type behind the
/// reference. A new allocator is one line here, such as
/// `['b, B: Allocator + ?Sized] Proxy<'b, B>;`.
macro_rules! each_allocator {
    ($bridges:ident) => {
        $bridges! {
            #[cfg(any(unix, windows))]
            [S: SiteBook] PageAllocator<S>;
            ['b, B: Allocator + ?Sized, S: SiteBook, C: SizeClasses] HeapAllocator<'b, B, S, C>;
            ['b, B: Allocator + ?Sized, C: SizeClasses, S: SiteBook] SlabAllocator<'b, B, C, S>;
            ['b, B: Allocator + ?Sized, S: SiteBook] BuddyAllocator<'b, B, S>;
            ['b, B: Allocator + ?Sized, S: SiteBook] PoolAllocator<'b, B, S>;
            ['b, B: Allocator + ?Sized, S: SiteBook, const N: usize] FrameAllocator<'b, B, S, N>;
            ['b, B: Allocator + ?Sized] ProxyAllocator<'b, B>;
            ['b, B: Allocator + ?Sized] ScratchAllocator<'b, B>;
            ['b, B: Allocator + Sync + ?Sized] SharedFrame<'b, B>;
            ['b, B: Allocator + Sync + ?Sized] SharedPool<'b, B>;
            ['b, B: Allocator + Sync + ?Sized] SharedProxy<'b, B>;
            ['b, B: Allocator + ?Sized] CanaryAllocator<'b, B>;
            ['b, B: Allocator + ?Sized] FailingAllocator<'b, B>;
            ['b, B: Allocator + ?Sized] FillAllocator<'b, B>;
            ['b, B: Allocator + ?Sized] VerifyAllocator<'b, B>;
            #[cfg(any(unix, windows))]
            ['b] GuardPageAllocator<'b>;
            ['b, B: Allocator + ?Sized, K: Allocator + ?Sized] QuarantineAllocator<'b, B, K>;
            [const BYTES: usize] StaticHeap<BYTES>;
            #[cfg(all(feature = "std", any(unix, windows)))]
            ['b] SystemAllocator<'b>;
            #[cfg(all(feature = "std", not(all(test, loom))))]
            ['b, S: SiteBook] ThreadHeap<'b, S>;
            ['b, G: GlobalAlloc + ?Sized] FromGlobal<'b, G>;
            ['b, B: Allocator + ?Sized, K: Allocator + ?Sized] TraceAllocator<'b, B, K>;
            ['b, const N: usize, B: Allocator + ?Sized] TempAllocator<'b, N, B>;
            [A: Allocator, L: Lock] Locked<A, L>;
            ['d] dyn Allocator + 'd;
            ['d] dyn Allocator + Sync + 'd;
        }
    };
}

/// The methods of `allocator_api2::alloc::Allocator` over an expression for our allocator. `self`
/// comes from the caller because of macro hygiene.
macro_rules! methods {
    ($this:ident => $allocator:expr) => {
        methods! {
            $this => $allocator;
            allocate allocate_zeroed;
            grow = resize, grow_zeroed = grow_zeroed, shrink = resize;
        }

        #[inline]
        unsafe fn deallocate(&$this, block: NonNull<u8>, layout: Layout) {
            // SAFETY: the caller's promise is the one asked here.
            unsafe { deallocate($allocator, block, layout) }
        }
    };
    ($this:ident => $allocator:expr; $($take:ident)*; $($theirs:ident = $ours:ident),*;) => {
        $(
            #[inline]
            fn $take(&$this, layout: Layout) -> Result<NonNull<[u8]>, TheirError> {
                $take($allocator, layout).map_err(|AllocError| TheirError)
            }
        )*

        $(
            #[inline]
            unsafe fn $theirs(
                &$this,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, TheirError> {
                // SAFETY: the caller's promise is the one asked here.
                unsafe { $ours($allocator, block, old, new) }.map_err(|AllocError| TheirError)
            }
        )*
    };
}

/// Implements the library's trait for the listed types and [`Bridge`]; the library's names are in
/// scope.
macro_rules! bridges {
    ($($(#[$cfg:meta])* [$($generics:tt)*] $allocator:ty;)*) => {
        $(
            $(#[$cfg])*
            // SAFETY: blocks stay valid while the allocator is borrowed, as neither moving nor
            // dropping it is possible then; copies of the reference are the same allocator; any
            // block may be freed through any of them.
            unsafe impl<$($generics)*> TheirAllocator for &$allocator {
                methods!(self => *self);
            }
        )*

        // SAFETY: as for the references above, one of which the bridge holds.
        unsafe impl<A: Allocator + ?Sized> TheirAllocator for Bridge<'_, A> {
            methods!(self => self.0);
        }
    };
}

/// Creates the module for one version of `allocator-api2`.
macro_rules! line {
    ($module:ident, $feature:literal, $library:ident) => {
        #[cfg(feature = $feature)]
        mod $module {
            use super::*;
            use $library::alloc::{AllocError as TheirError, Allocator as TheirAllocator};

            each_allocator!(bridges);
        }
    };
}

line!(line_02, "allocator-api2-02", allocator_api2_02);
line!(line_03, "allocator-api2-03", allocator_api2_03);
line!(line_04, "allocator-api2-04", allocator_api2_04);

/// Returns the answer to a size of zero: an empty slice at an aligned address.
#[inline]
fn nothing(layout: Layout) -> NonNull<[u8]> {
    // An alignment is never zero.
    let address = NonNull::new(ptr::without_provenance_mut(layout.align()));
    NonNull::slice_from_raw_parts(address.unwrap_or(NonNull::dangling()), 0)
}

#[inline]
fn allocate<A: Allocator + ?Sized>(
    allocator: &A,
    layout: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if layout.size() == 0 {
        return Ok(nothing(layout));
    }
    allocator.allocate(layout)
}

#[inline]
fn allocate_zeroed<A: Allocator + ?Sized>(
    allocator: &A,
    layout: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if layout.size() == 0 {
        return Ok(nothing(layout));
    }
    allocator.allocate_zeroed(layout)
}

/// # Safety
///
/// `block` came from this bridge and is live, or `layout` has no size; `layout` fits it.
#[inline]
unsafe fn deallocate<A: Allocator + ?Sized>(allocator: &A, block: NonNull<u8>, layout: Layout) {
    if layout.size() != 0 {
        // SAFETY: the block has a size, so it came from the allocator, and the layout fits.
        unsafe { allocator.deallocate_sized(block, layout) }
    }
}

/// # Safety
///
/// As for [`deallocate`] with `old`. On success the old address is dead unless it is returned.
#[inline]
unsafe fn resize<A: Allocator + ?Sized>(
    allocator: &A,
    block: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if old.size() == 0 {
        return allocate(allocator, new);
    }
    if new.size() == 0 {
        // SAFETY: the block has a size, so it came from the allocator, and the layout fits.
        unsafe { allocator.deallocate_sized(block, old) };
        return Ok(nothing(new));
    }
    // SAFETY: as above.
    unsafe { allocator.reallocate(block, old, new) }
}

/// # Safety
///
/// As for [`resize`], and `new` is at least as large as `old`.
#[inline]
unsafe fn grow_zeroed<A: Allocator + ?Sized>(
    allocator: &A,
    block: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Result<NonNull<[u8]>, AllocError> {
    if old.size() == 0 {
        return allocate_zeroed(allocator, new);
    }
    // SAFETY: the caller's promise is the one asked here.
    let grown = unsafe { resize(allocator, block, old, new) }?;
    let more = grown.len() - old.size();
    // SAFETY: the block has grown, so `old.size()` is within it.
    let start = unsafe { grown.cast::<u8>().add(old.size()) };
    // SAFETY: from there to the block's end are `more` bytes.
    unsafe { start.write_bytes(0, more) };
    Ok(grown)
}
