//! Any `GlobalAlloc` as an allocator of this crate.
//!
//! After Niklas Frykholm, "Custom Memory Allocation in C++" (2010), where every allocator of a
//! program has one interface. Changes: the allocator below is another crate's or the system's,
//! which knows neither counters nor wrong frees, so both are added here.

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::ptr::NonNull;

use crate::bookkeeping::source_allocator::{BlockSource, SourceAllocator, over_source};
use crate::contract::allocator::{AllocError, Allocator};

#[cfg(test)]
mod tests;

/// Allocates from any [`GlobalAlloc`]: std's `System`, or an allocator of another crate.
///
/// It is the portable backing: where there is no `PageAllocator`, the heaps, pools and frames of
/// this crate take their memory from it. With it an allocator of another crate can also serve one
/// subsystem, with counters, call sites and leak reports.
///
/// Every block is in a table by its address, so foreign, interior and double frees and wrong
/// layouts end in [`misuse`](crate::misuse()) before they reach the source.
///
/// The source is borrowed, because a `GlobalAlloc` can contain its own memory and must then not
/// move.
///
/// # Complexity
///
/// The source's, and O(1) amortised in the table. A block that is resized moves; `owns` and the
/// report of a wrong free are O(blocks).
///
/// # Memory
///
/// The waste of the source, which it does not report: granted equals requested. The table takes 53
/// to 107 bytes for each of the most blocks that were live at once (27 to 53 with 32 bits), from
/// the source; it counts in no statistics of this allocator.
///
/// # Threads
///
/// `Send` and `Sync` if the source is `Sync`: a spin lock guards the table, and is held while the
/// source works only where the table grows. [`walk`](Allocator::walk) holds it while it calls back.
///
/// # When not to use it
///
/// Over an allocator of this crate: use that directly. For a program's ordinary memory where there
/// are pages: a `HeapAllocator` over pages is faster and keeps less for each block.
///
/// # Panics
///
/// When dropped with live blocks, with their number, bytes, and allocation sites.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{AllocError, Allocator, FromGlobal, HeapAllocator, Make};
/// use std::alloc::System;
///
/// let system = FromGlobal::new("system", &System);
/// let heap = HeapAllocator::with_region_bytes_in("level", 64 << 10, &system);
/// let number = heap.create(17_u32)?;
/// assert_eq!((heap.stats().live, system.stats().live), (1, 1));
/// // SAFETY: it was made by this allocator, and is deleted once.
/// unsafe { heap.destroy(number) };
/// # Ok::<(), AllocError>(())
/// ```
pub struct FromGlobal<'a, A: GlobalAlloc + ?Sized> {
    blocks: SourceAllocator<'a, Global<'a, A>>,
}

impl<'a, A: GlobalAlloc + ?Sized> FromGlobal<'a, A> {
    /// Creates an allocator over `source`, with its table there as well. It allocates nothing yet.
    #[must_use]
    pub const fn new(name: &'a str, source: &'a A) -> Self {
        Self { blocks: SourceAllocator::new(name, Global(source)) }
    }

    /// Returns the source.
    pub const fn source(&self) -> &'a A {
        self.blocks.source().0
    }

    /// Returns how many bytes the table takes from the source.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.blocks.overhead_bytes()
    }
}

impl<A: GlobalAlloc + ?Sized> fmt::Debug for FromGlobal<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.blocks.debug("FromGlobal", f)
    }
}

over_source!(['a, A: GlobalAlloc + ?Sized] FromGlobal<'a, A>);

/// A `GlobalAlloc` as a source of blocks.
struct Global<'a, A: ?Sized>(&'a A);

// SAFETY: `GlobalAlloc` promises the same of a block that is not null, whose layout has a size, as
// a source is asked for; what is borrowed does not move.
unsafe impl<A: GlobalAlloc + ?Sized> BlockSource for Global<'_, A> {
    fn take(&self, layout: Layout, is_zeroed: bool) -> Result<NonNull<u8>, AllocError> {
        let block = match is_zeroed {
            // SAFETY: the layout has a byte at least.
            true => unsafe { self.0.alloc_zeroed(layout) },
            // SAFETY: as above.
            false => unsafe { self.0.alloc(layout) },
        };
        NonNull::new(block).ok_or(AllocError)
    }

    unsafe fn give_back(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller promises a live block of this source, and its layout.
        unsafe { self.0.dealloc(block.as_ptr(), layout) }
    }
}
