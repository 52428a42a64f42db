//! `Debug` for the allocators: the name and the counters, whatever is below.
//!
//! A derived one would ask the backing for `Debug`, which `dyn Allocator` has not.

use core::fmt;

use crate::blocks::buddy::BuddyAllocator;
use crate::blocks::buddy_offsets::BuddyOffsets;
use crate::blocks::pool::PoolAllocator;
use crate::blocks::shared_pool::SharedPool;
use crate::bookkeeping::sites::SiteBook;
use crate::contract::allocator::Allocator;
use crate::heaps::heap::HeapAllocator;
use crate::heaps::size_classes::SizeClasses;
use crate::heaps::slab::SlabAllocator;
use crate::linear::frame::FrameAllocator;
use crate::linear::scratch::ScratchAllocator;
use crate::linear::shared_frame::SharedFrame;
use crate::linear::temp::TempAllocator;
#[cfg(any(unix, windows))]
use crate::pages::guard_page::GuardPageAllocator;
use crate::wrappers::canary::CanaryAllocator;
use crate::wrappers::failing::FailingAllocator;
use crate::wrappers::fill::FillAllocator;
use crate::wrappers::proxy::ProxyAllocator;
use crate::wrappers::quarantine::QuarantineAllocator;
use crate::wrappers::shared_proxy::SharedProxy;
use crate::wrappers::trace::TraceAllocator;
use crate::wrappers::verify::VerifyAllocator;

#[cfg(test)]
mod tests;

/// Implements `Debug` for allocators: generics in brackets, the type, its arguments in brackets.
macro_rules! debug {
    ($($(#[$cfg:meta])* [$($generics:tt)*] $allocator:ident [$($arguments:tt)*];)*) => {
        $(
            $(#[$cfg])*
            impl<$($generics)*> fmt::Debug for $allocator<$($arguments)*> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    show(stringify!($allocator), self, f)
                }
            }
        )*
    };
}

debug! {
    ['b, B: Allocator + ?Sized, S: SiteBook, C: SizeClasses] HeapAllocator ['b, B, S, C];
    ['b, B: Allocator + ?Sized, C: SizeClasses, S: SiteBook] SlabAllocator ['b, B, C, S];
    ['b, B: Allocator + ?Sized, S: SiteBook] BuddyAllocator ['b, B, S];
    ['b, B: Allocator + ?Sized, S: SiteBook] PoolAllocator ['b, B, S];
    ['b, B: Allocator + ?Sized, S: SiteBook, const N: usize] FrameAllocator ['b, B, S, N];
    ['b, B: Allocator + ?Sized] ScratchAllocator ['b, B];
    ['b, const N: usize, B: Allocator + ?Sized] TempAllocator ['b, N, B];
    ['b, B: Allocator + Sync + ?Sized] SharedFrame ['b, B];
    ['b, B: Allocator + Sync + ?Sized] SharedPool ['b, B];
    ['b, B: Allocator + Sync + ?Sized] SharedProxy ['b, B];
    ['b, B: Allocator + ?Sized] ProxyAllocator ['b, B];
    ['b, B: Allocator + ?Sized] CanaryAllocator ['b, B];
    ['b, B: Allocator + ?Sized] FailingAllocator ['b, B];
    ['b, B: Allocator + ?Sized] FillAllocator ['b, B];
    ['b, B: Allocator + ?Sized] VerifyAllocator ['b, B];
    ['b, B: Allocator + ?Sized, K: Allocator + ?Sized] QuarantineAllocator ['b, B, K];
    ['b, B: Allocator + ?Sized, K: Allocator + ?Sized] TraceAllocator ['b, B, K];
    #[cfg(any(unix, windows))]
    ['b] GuardPageAllocator ['b];
}

impl<B: Allocator + ?Sized> fmt::Debug for BuddyOffsets<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuddyOffsets").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

fn show(allocator: &str, shown: &dyn Allocator, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(allocator)
        .field("name", &shown.name())
        .field("stats", &shown.stats())
        .finish_non_exhaustive()
}
