//! Memory allocators as objects.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(unsafe_code, reason = "an allocator hands out raw memory; every block has its argument")]

#[cfg(any(feature = "std", test))]
extern crate std;

mod address_table;
mod allocator;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
mod bridge;
mod buddy;
mod buddy_offsets;
mod canary;
mod engine;
mod failing;
mod fall_back;
mod fill;
mod frame;
#[cfg(feature = "std")]
mod global_guard;
#[cfg(target_os = "linux")]
mod global_memory;
#[cfg(target_os = "linux")]
mod guard_page;
mod heap;
mod leak;
mod locked;
mod make;
mod mark;
#[cfg(target_os = "linux")]
mod memory_globals;
mod misuse;
mod overview;
#[cfg(target_os = "linux")]
mod page;
mod pool;
mod proxy;
mod quarantine;
#[cfg(all(feature = "std", target_os = "linux"))]
pub mod recording;
mod scratch;
mod shared_frame;
mod shared_pool;
mod shared_proxy;
mod sites;
mod size_classes;
mod slab;
mod static_heap;
mod stats;
mod sync;
#[cfg(all(feature = "std", target_os = "linux"))]
mod system;
mod temp;
#[cfg(test)]
mod test_backing;
#[cfg(target_os = "linux")]
#[cfg(test)]
mod test_child;
#[cfg(test)]
mod test_world;
mod trace;
mod verify;

pub use allocator::{AllocError, Allocator, Block, Damage, SharedRef};
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
pub use bridge::Bridge;
pub use buddy::{BlockState, BuddyAllocator, BuddyError};
pub use buddy_offsets::BuddyOffsets;
pub use canary::CanaryAllocator;
pub use failing::{FailingAllocator, Refusals};
pub use fill::{FillAllocator, FillPattern};
pub use frame::{FrameAllocator, FrameMark, FrameScope};
#[cfg(feature = "std")]
pub use global_guard::{Armed, ArmedAll, Arming, CallSite, GlobalGuard, Violations};
#[cfg(target_os = "linux")]
pub use global_memory::GlobalMemory;
#[cfg(target_os = "linux")]
pub use guard_page::{GuardPageAllocator, GuardSide, GuardedAddress, GuardedPlace};
pub use heap::HeapAllocator;
pub use locked::{Lock, Locked};
pub use make::Make;
#[cfg(target_os = "linux")]
pub use memory_globals::{MemoryGlobals, MemoryOptions};
pub use misuse::{Misuse, Report, misuse, set_misuse_handler};
pub use overview::{Overview, OverviewHtml, OverviewJson};
#[cfg(target_os = "linux")]
pub use page::{PageAllocator, Reservation};
pub use pool::PoolAllocator;
pub use proxy::ProxyAllocator;
pub use quarantine::QuarantineAllocator;
pub use scratch::ScratchAllocator;
pub use shared_frame::SharedFrame;
pub use shared_pool::SharedPool;
pub use shared_proxy::SharedProxy;
pub use sites::{NoSites, SiteBook, Sites};
pub use size_classes::{ClassTable, DefaultClasses, SizeClasses};
pub use slab::SlabAllocator;
pub use static_heap::StaticHeap;
pub use stats::Stats;
pub use sync::SpinLock;
#[cfg(all(feature = "std", target_os = "linux"))]
pub use system::SystemAllocator;
pub use temp::TempAllocator;
#[cfg(feature = "std")]
pub use trace::WriteSink;
pub use trace::{SinkError, SiteUsage, TraceAllocator, TraceSink};
pub use verify::VerifyAllocator;
