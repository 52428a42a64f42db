//! The system's own heap as an allocator among the others.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), where a suspected system gets its memory
//! from elsewhere until the fault appears. Changes: it is the heap that sanitizers and Valgrind
//! watch, so they see each block separately, with its call stack; and wrong frees are already found
//! here.

use core::alloc::{GlobalAlloc, Layout};
use core::fmt;
use core::ptr::NonNull;
#[cfg(not(test))]
use std::alloc::System;

use crate::bookkeeping::source_allocator::{BlockSource, SourceAllocator, over_source};
use crate::bookkeeping::table_memory::TableMemory;
use crate::contract::allocator::{AllocError, Allocator};
use crate::pages::page::PageAllocator;

#[cfg(test)]
use self::tests::counted::System;

#[cfg(test)]
mod tests;

/// Allocates each block from the system's heap, the C library's `malloc`: for a suspected
/// subsystem, or a whole program, under tools that watch that heap.
///
/// AddressSanitizer, Valgrind, heap profilers and preloaded allocators replace `malloc`. For them a
/// heap over pages is one large block, unless it is built to [inform
/// them](https://github.com/loligo-engine/loligo/blob/main/docs/guide/sanitizers.md); with this
/// allocator they see each block separately, in any build.
///
/// Every block is in a table by its address, so foreign, interior and double frees and wrong
/// layouts end in [`misuse`](crate::misuse()) before they reach the system's heap.
///
/// A [`GlobalGuard`](crate::GlobalGuard) watches calls through `#[global_allocator]`. This
/// allocator does not use it, so armed code can call it.
///
/// # Complexity
///
/// The system's, and O(1) amortised in the table. A block that is resized moves; `owns` and the
/// report of a wrong free are O(blocks).
///
/// # Memory
///
/// The waste of the system's heap, which it does not report: granted equals requested. The table
/// takes 53 to 107 bytes for each of the most blocks that were live at once, from the pages; it
/// counts in no statistics of this allocator.
///
/// # Threads
///
/// `Send` and `Sync`: a spin lock guards the table, and is not held while the system's heap works.
/// [`walk`](Allocator::walk) holds it while it calls back.
///
/// # When not to use it
///
/// Without such a tool: it is slower than a heap, and its fragmentation is unknown.
///
/// # Panics
///
/// When dropped with live blocks, with their number, bytes, and allocation sites.
///
/// # Examples
///
/// ```
/// use loligo_allocators::{AllocError, Allocator, Make, PageAllocator, SystemAllocator};
///
/// let pages = PageAllocator::new("pages");
/// let suspect = SystemAllocator::new("suspect", &pages);
/// let number = suspect.create(17_u32)?;
/// assert_eq!((suspect.stats().live, suspect.stats().requested), (1, 4));
/// // SAFETY: it was made by this allocator, and is deleted once.
/// unsafe { suspect.destroy(number) };
/// # Ok::<(), AllocError>(())
/// ```
pub struct SystemAllocator<'a> {
    blocks: SourceAllocator<'a, SystemHeap<'a>>,
}

impl<'a> SystemAllocator<'a> {
    /// Creates an allocator over the system's heap, with its table in `pages`. It allocates nothing
    /// yet.
    #[must_use]
    pub const fn new(name: &'a str, pages: &'a PageAllocator) -> Self {
        Self { blocks: SourceAllocator::new(name, SystemHeap { pages }) }
    }

    /// Returns how many bytes the table takes from the pages.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.blocks.overhead_bytes()
    }
}

over_source!(['a] SystemAllocator<'a>);

impl fmt::Debug for SystemAllocator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.blocks.debug("SystemAllocator", f)
    }
}

/// The system's heap as a source of blocks, with the table in pages: tools that watch the heap see
/// the blocks of the program alone.
struct SystemHeap<'a> {
    pages: &'a PageAllocator,
}

// SAFETY: `System` promises the same of a block that is not null, whose layout has a size, as a
// source is asked for; it has no memory that could move. Tables are zeroed blocks of the
// pages.
unsafe impl BlockSource for SystemHeap<'_> {
    fn take(&self, layout: Layout, is_zeroed: bool) -> Result<NonNull<u8>, AllocError> {
        let block = match is_zeroed {
            // SAFETY: the layout has a byte at least.
            true => unsafe { System.alloc_zeroed(layout) },
            // SAFETY: as above.
            false => unsafe { System.alloc(layout) },
        };
        NonNull::new(block).ok_or(AllocError)
    }

    unsafe fn give_back(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller promises a live block of this source, and its layout.
        unsafe { System.dealloc(block.as_ptr(), layout) }
    }

    fn take_for_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.pages.take_table(layout)
    }

    unsafe fn give_back_for_table(&self, table: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller promises a table of the pages, and its layout.
        unsafe { self.pages.give_back_table(table, layout) }
    }
}
