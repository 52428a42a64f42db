//! `buddy_system_allocator` by our buddies: its heap by the one over memory, its frames by the one
//! over offsets.

mod frames;
mod heap;
mod locked;

pub use frames::FrameAllocator;
pub use heap::Heap;
pub use locked::LockedHeapWithRescue;
