//! Memory allocators as objects.
#![doc = include_str!("../README.md")]
#![no_std]
#![expect(
    unsafe_code,
    reason = "an allocator hands out raw memory; every block has its argument"
)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod allocator;
mod bridge;
mod buddy;
mod buddy_offsets;
mod counters;
mod frame;
mod heap;
mod leak;
mod locked;
mod make;
mod misuse;
#[cfg(target_os = "linux")]
mod page;
mod pool;
mod proxy;
mod size_classes;
mod slab;
mod static_heap;
mod stats;

pub use allocator::{AllocError, Allocator, Block, Damage, SharedRef};
pub use buddy::{BlockState, BuddyAllocator, BuddyError};
pub use make::Make;
pub use misuse::{Misuse, Report, misuse, set_misuse_handler};
pub use stats::Stats;
