//! Memory allocators as objects.
#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![expect(unsafe_code, reason = "an allocator hands out raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

mod blocks;
mod bookkeeping;
mod contract;
mod heaps;
mod linear;
mod owners;
mod pages;
mod program;
#[cfg(test)]
mod testing;
mod threads;
mod wrappers;

pub use blocks::buddy::{BlockState, BuddyAllocator, BuddyError};
pub use blocks::buddy_offsets::BuddyOffsets;
pub use blocks::heap_offsets::{HeapOffsets, OffsetBlock};
pub use blocks::pool::PoolAllocator;
pub use blocks::shared_pool::SharedPool;
pub use bookkeeping::sites::{NoSites, SiteBook, Sites};
pub use contract::allocator::{AllocError, Allocator, Block, Damage, SharedRef};
pub use contract::make::Make;
pub use contract::misuse::{Misuse, Report, misuse, set_misuse_handler};
pub use contract::stats::Stats;
pub use heaps::heap::HeapAllocator;
pub use heaps::size_classes::{ClassTable, DefaultClasses, HeapClasses, SizeClasses};
pub use heaps::slab::SlabAllocator;
pub use heaps::static_heap::StaticHeap;
#[cfg(all(feature = "std", any(unix, windows)))]
pub use heaps::system::SystemAllocator;
#[cfg(all(feature = "std", not(all(test, loom))))]
pub use heaps::thread_heap::{ThreadHeap, ThreadHeapReport};
pub use linear::frame::{FrameAllocator, FrameMark, FrameScope};
pub use linear::scratch::ScratchAllocator;
pub use linear::shared_frame::SharedFrame;
pub use linear::temp::TempAllocator;
pub use owners::arena::Arena;
pub use owners::own::Own;
#[cfg(any(unix, windows))]
pub use pages::guard_page::{GuardPageAllocator, GuardSide, GuardedAddress, GuardedPlace};
#[cfg(any(unix, windows))]
pub use pages::page::{PageAllocator, Reservation};
#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04"
))]
pub use program::bridge::Bridge;
#[cfg(feature = "allocator-api2-02")]
pub use program::from_allocator_api2::api2_02;
#[cfg(feature = "allocator-api2-03")]
pub use program::from_allocator_api2::api2_03;
#[cfg(feature = "allocator-api2-04")]
pub use program::from_allocator_api2::api2_04;
pub use program::from_global::FromGlobal;
#[cfg(feature = "std")]
pub use program::global_guard::{Armed, ArmedAll, Arming, CallSite, GlobalGuard, Violations};
#[cfg(any(unix, windows))]
pub use program::global_memory::GlobalMemory;
#[cfg(any(unix, windows))]
pub use program::memory_globals::{MemoryGlobals, MemoryOptions};
pub use program::overview::{Overview, OverviewHtml, OverviewJson};
#[cfg(all(feature = "std", target_os = "linux"))]
pub use program::recording;
pub use threads::locked::{Lock, Locked};
pub use threads::sync::SpinLock;
pub use wrappers::canary::CanaryAllocator;
pub use wrappers::failing::{FailingAllocator, Refusals};
pub use wrappers::fill::{FillAllocator, FillPattern};
pub use wrappers::proxy::ProxyAllocator;
pub use wrappers::quarantine::QuarantineAllocator;
pub use wrappers::shared_proxy::SharedProxy;
#[cfg(feature = "std")]
pub use wrappers::trace::WriteSink;
pub use wrappers::trace::{SinkError, SiteUsage, TraceAllocator, TraceSink, TraceSnapshot};
pub use wrappers::verify::VerifyAllocator;
