//! The allocators that are at the bottom.

use core::alloc::Layout;

use loligo_allocators::{
    BuddyAllocator, DefaultClasses, FrameAllocator, GuardPageAllocator, GuardSide, HeapAllocator,
    Locked, PageAllocator, PoolAllocator, ScratchAllocator, SharedFrame, SharedPool, SlabAllocator,
    StaticHeap, TempAllocator, ThreadHeap,
};

use crate::limits::Limits;
use crate::region::Region;

use super::{Made, Use};

/// Bytes of the bases that live in one region.
const BYTES: usize = 160 << 10;
/// Bytes that the growing ones take at a time.
const REGION_BYTES: usize = 64 << 10;
/// Bytes of a growing frame's first chunk.
const CHUNK_BYTES: usize = 4 << 10;
/// Bytes of the ring.
const RING_BYTES: usize = 16 << 10;
/// Bytes in place of the temporary one.
const IN_PLACE: usize = 1024;
/// Leaves of the buddy.
const LEAF: usize = 64;

/// An allocator that wraps no other, with what it needs under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// Whole pages from the system.
    Page,
    /// A heap that grows over pages.
    Heap,
    /// A heap in one region.
    HeapInRegion,
    /// A heap in one region with a lock, for several threads.
    LockedHeap,
    /// A heap for each thread.
    ThreadHeap,
    /// Size classes before a buddy.
    Slab,
    /// A buddy in one region.
    Buddy,
    /// A pool over a heap.
    Pool,
    /// A frame in one region.
    Frame,
    /// A heap inside itself.
    StaticHeap,
    /// A ring buffer with a heap to fall back on.
    Scratch,
    /// Bytes in place with a heap to fall back on.
    Temp,
    /// A pool over pages, for several threads.
    SharedPool,
    /// A frame in one region, for several threads.
    SharedFrame,
    /// A page for each block, which ends at a guard.
    GuardOverrun,
    /// A page for each block, which starts at a guard.
    GuardUnderrun,
    /// A frame that grows over pages.
    GrowingFrame,
}

impl Base {
    /// Every base.
    pub const ALL: &[Self] = &[
        Self::Page,
        Self::Heap,
        Self::HeapInRegion,
        Self::LockedHeap,
        Self::ThreadHeap,
        Self::Slab,
        Self::Buddy,
        Self::Pool,
        Self::Frame,
        Self::StaticHeap,
        Self::Scratch,
        Self::Temp,
        Self::SharedPool,
        Self::SharedFrame,
        Self::GuardOverrun,
        Self::GuardUnderrun,
        Self::GrowingFrame,
    ];

    /// Returns the name that its reports carry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Heap => "heap",
            Self::HeapInRegion => "heap-in-region",
            Self::LockedHeap => "locked-heap",
            Self::ThreadHeap => "thread-heap",
            Self::Slab => "slab",
            Self::Buddy => "buddy",
            Self::Pool => "pool",
            Self::Frame => "frame",
            Self::StaticHeap => "static-heap",
            Self::Scratch => "scratch",
            Self::Temp => "temp",
            Self::SharedPool => "shared-pool",
            Self::SharedFrame => "shared-frame",
            Self::GuardOverrun => "guard-overrun",
            Self::GuardUnderrun => "guard-underrun",
            Self::GrowingFrame => "growing-frame",
        }
    }

    /// Whether it serves blocks of one size alone.
    #[must_use]
    pub const fn is_pool(self) -> bool {
        matches!(self, Self::Pool | Self::SharedPool)
    }

    /// Whether several threads may use it.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(
            self,
            Self::Page
                | Self::LockedHeap
                | Self::ThreadHeap
                | Self::StaticHeap
                | Self::SharedPool
                | Self::SharedFrame
                | Self::GuardOverrun
                | Self::GuardUnderrun
        )
    }

    /// Returns what it can serve when made for `block`.
    #[must_use]
    pub fn limits(self, block: Layout) -> Limits {
        // Little enough that a composition is checked in milliseconds.
        let region = Limits { size_max: 8 << 10, align_max: 1024, ..Limits::region(BYTES) };
        let released = Limits { reclaims: false, ordered: false, reports_leaks: false, ..region };
        match self {
            Self::Page | Self::Heap | Self::ThreadHeap | Self::Slab => {
                Limits { memory: None, ..region }
            }
            Self::HeapInRegion | Self::LockedHeap | Self::Buddy | Self::StaticHeap => region,
            Self::Pool => Limits::fixed(block, None),
            Self::Frame | Self::SharedFrame => {
                Limits { reclaims: false, reports_leaks: false, ..region }
            }
            Self::GrowingFrame => {
                Limits { memory: None, reclaims: false, reports_leaks: false, ..region }
            }
            // Both end in a heap that grows.
            Self::Scratch => Limits { memory: None, inside: 0, ..released },
            Self::Temp => Limits { memory: None, inside: IN_PLACE, ..released },
            Self::SharedPool => Limits::fixed(block, None),
            Self::GuardOverrun | Self::GuardUnderrun => {
                Limits { memory: None, ordered: false, ..region }
            }
        }
    }

    /// Makes it for blocks of `block` and hands it to `with`.
    ///
    /// # Panics
    ///
    /// If the system refuses memory, or something is left when `with` has ended.
    pub fn make(self, block: Layout, with: Use<'_>) {
        let name = self.name();
        let mut region = Region::new(BYTES, 4096);
        let pages = PageAllocator::new("page");
        match self {
            Self::Page => with(Made::Shared(&pages)),
            Self::Heap => {
                with(Made::Local(&HeapAllocator::with_region_bytes_in(name, REGION_BYTES, &pages)));
            }
            Self::HeapInRegion => {
                with(Made::Local(&HeapAllocator::from_region(name, region.memory())));
            }
            Self::LockedHeap => {
                with(Made::Shared(&Locked::new(HeapAllocator::from_region(name, region.memory()))));
            }
            Self::ThreadHeap => with(Made::Shared(&ThreadHeap::new(name, &pages))),
            Self::Slab => {
                let buddy = BuddyAllocator::new_in("buddy", 4 << 20, 1024, &pages);
                let buddy = buddy.expect("the system has pages");
                let slab = SlabAllocator::<_, DefaultClasses>::with_region_bytes_in(
                    name,
                    REGION_BYTES,
                    &buddy,
                );
                with(Made::Local(&slab));
            }
            Self::Buddy => {
                let buddy = BuddyAllocator::from_region(name, LEAF, region.memory());
                with(Made::Local(&buddy.expect("the region holds a leaf")));
            }
            Self::Pool => {
                let heap = HeapAllocator::with_region_bytes_in("heap", REGION_BYTES, &pages);
                with(Made::Local(&PoolAllocator::new_in(name, block, &heap)));
            }
            Self::Frame => {
                with(Made::Local(&FrameAllocator::from_region(name, region.memory())));
            }
            Self::StaticHeap => {
                with(Made::Shared(&*Box::new(StaticHeap::<BYTES>::new(name))));
            }
            Self::Scratch => {
                let heap = HeapAllocator::with_region_bytes_in("heap", REGION_BYTES, &pages);
                let scratch = ScratchAllocator::new_in(name, RING_BYTES, &heap);
                with(Made::Local(&scratch.expect("the system has pages")));
            }
            Self::Temp => {
                let heap = HeapAllocator::with_region_bytes_in("heap", REGION_BYTES, &pages);
                with(Made::Local(&TempAllocator::<IN_PLACE>::new_in(name, &heap)));
            }
            Self::SharedPool => with(Made::Shared(&SharedPool::new_in(name, block, &pages))),
            Self::SharedFrame => {
                with(Made::Shared(&SharedFrame::from_region(name, region.memory())));
            }
            Self::GuardOverrun => {
                with(Made::Shared(&guard_pages(name, &pages, GuardSide::Overrun)));
            }
            Self::GuardUnderrun => {
                with(Made::Shared(&guard_pages(name, &pages, GuardSide::Underrun)));
            }
            Self::GrowingFrame => {
                let frame = FrameAllocator::growing_in(name, CHUNK_BYTES, &pages);
                with(Made::Local(&frame.expect("the system has pages")));
            }
        }
    }
}

/// A page for each block, few of which wait after their free.
fn guard_pages<'a>(
    name: &'a str,
    pages: &'a PageAllocator,
    side: GuardSide,
) -> GuardPageAllocator<'a> {
    GuardPageAllocator::new(name, pages).with_side(side).with_quarantine(4)
}
