//! The system's own heap as an allocator among the others.
//!
//! After Niklas Frykholm, "Extreme Bug Hunting" (2011), where a suspected system gets its memory
//! from elsewhere until the fault appears. Changes: it is the heap that sanitizers and Valgrind
//! watch, so they see each block separately, with its call stack; and wrong frees are already found
//! here.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::Location;
use core::ptr::NonNull;
#[cfg(not(test))]
use std::alloc::System;

use crate::bookkeeping::address_table::AddressTable;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::pages::page::PageAllocator;
use crate::pages::page::counters::Counters;
use crate::threads::sync::SpinCell;
use crate::wrappers::quarantine::left::Left;

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
    name: &'a str,
    pages: &'a PageAllocator,
    state: SpinCell<State>,
}

/// A live block.
#[derive(Clone, Copy)]
struct Known {
    block: NonNull<u8>,
    /// As requested from the system: of at least one byte.
    layout: Layout,
    site: &'static Location<'static>,
}

/// # Invariants
///
/// 1. `blocks` has each live block by its address, with the layout requested from the system's
///    heap.
/// 2. `counters` are the sums over `blocks`.
struct State {
    blocks: AddressTable<Known>,
    counters: Counters,
    left: Left,
}

// SAFETY: only this state reaches the table's memory; any thread that owns it can use it.
unsafe impl Send for State {}

impl<'a> SystemAllocator<'a> {
    /// Creates an allocator over the system's heap, with its table in `pages`. It allocates nothing
    /// yet.
    #[must_use]
    pub const fn new(name: &'a str, pages: &'a PageAllocator) -> Self {
        let (counters, left) = (Counters::new(), Left::new());
        let state = State { blocks: AddressTable::new(), counters, left };
        Self { name, pages, state: SpinCell::new(state) }
    }

    /// Returns how many bytes the table takes from the pages.
    #[must_use]
    pub fn overhead_bytes(&self) -> usize {
        self.state.with(|state| state.blocks.bytes())
    }

    fn take(
        &self,
        layout: Layout,
        is_zeroed: bool,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let layout = requested(layout)?;
        let block = match is_zeroed {
            // SAFETY: the layout has a byte at least.
            true => unsafe { System.alloc_zeroed(layout) },
            // SAFETY: as above.
            false => unsafe { System.alloc(layout) },
        };
        let block = NonNull::new(block).ok_or(AllocError)?;
        let known = Known { block, layout, site };
        if self.state.with(|state| state.enter(known, self.pages)).is_err() {
            // SAFETY: the block was just allocated with this layout, and is not yet used.
            unsafe { System.dealloc(block.as_ptr(), layout) };
            return Err(AllocError);
        }
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// As [`Allocator::deallocate_sized`].
    unsafe fn free(
        &self,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) {
        match self.state.with(|state| state.leave(block, layout)) {
            // SAFETY: by the table it was allocated with this layout and not freed; it is in the
            // table no more.
            Ok(known) => unsafe { System.dealloc(block.as_ptr(), known.layout) },
            Err(what) => self.refuse(what, block, layout, site),
        }
    }

    /// Returns a live block's entry; misuse does not return.
    fn expect(
        &self,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) -> Known {
        match self.state.with(|state| state.find(block, layout)) {
            Ok(known) => known,
            Err(what) => self.refuse(what, block, layout, site),
        }
    }

    #[cold]
    fn refuse(
        &self,
        what: Misuse,
        block: NonNull<u8>,
        layout: Option<Layout>,
        site: &'static Location<'static>,
    ) -> ! {
        wrong_free(what, self.name, block, layout.map(|layout| layout.size()), site)
    }
}

/// Returns the layout requested from the system's heap, which serves no block of size zero.
fn requested(layout: Layout) -> Result<Layout, AllocError> {
    Layout::from_size_align(layout.size().max(1), layout.align()).map_err(|_| AllocError)
}

impl State {
    fn enter(&mut self, known: Known, pages: &PageAllocator) -> Result<(), AllocError> {
        self.blocks.reserve(pages)?;
        self.blocks.insert(known.block, known);
        let bytes = known.layout.size();
        self.counters.reserved(bytes);
        self.counters.allocated(bytes, bytes);
        Ok(())
    }

    /// Removes a block from the table, if it is there and the layout fits.
    fn leave(&mut self, block: NonNull<u8>, layout: Option<Layout>) -> Result<Known, Misuse> {
        let known = self.find(block, layout)?;
        self.blocks.remove(block);
        self.left.remember(block);
        let bytes = known.layout.size();
        self.counters.freed(bytes, bytes);
        self.counters.released(bytes);
        Ok(known)
    }

    /// Finds a live block that a layout fits, or the misuse.
    fn find(&self, block: NonNull<u8>, layout: Option<Layout>) -> Result<Known, Misuse> {
        let Some(known) = self.blocks.get(block) else {
            return Err(self.stranger(block));
        };
        let fits = |layout| requested(layout) == Ok(known.layout);
        if layout.is_none_or(fits) { Ok(known) } else { Err(Misuse::WrongSize) }
    }

    #[cold]
    fn stranger(&self, block: NonNull<u8>) -> Misuse {
        if self.spans(block.addr().get()) {
            Misuse::InteriorFree
        } else if self.left.knows(block) {
            Misuse::DoubleFree
        } else {
            Misuse::ForeignFree
        }
    }

    /// Returns `true` if an address is in a live block. O(blocks).
    fn spans(&self, address: usize) -> bool {
        let mut is_found = false;
        self.blocks.for_each(|start, known| {
            is_found |= address.wrapping_sub(start) < known.layout.size();
        });
        is_found
    }

    fn validate(&self) -> Result<(), &'static str> {
        self.blocks.validate()?;
        let (mut live, mut bytes) = (0, 0);
        self.blocks.for_each(|_, known| {
            live += 1;
            bytes += known.layout.size();
        });
        let stats = self.counters.stats(true);
        if [live, bytes, bytes, bytes]
            == [stats.live, stats.requested, stats.granted, stats.reserved]
        {
            Ok(())
        } else {
            Err("the counters of the system's blocks are not the sums over the table")
        }
    }
}

// SAFETY: each block is the system's, which does not reuse it until it is freed, with the requested
// alignment and size; moving the allocator does not move them. A failing path undoes what it did
// before. Nothing unwinds but misuse handlers, which run before anything has changed and without
// the lock.
unsafe impl Allocator for SystemAllocator<'_> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, false, Location::caller())
    }

    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.take(layout, true, Location::caller())
    }

    unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.free(block, None, Location::caller()) }
    }

    unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise is the one asked here.
        unsafe { self.free(block, Some(layout), Location::caller()) }
    }

    /// Succeeds only for the same size: a tool must see each size of a block.
    unsafe fn resize_in_place(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let known = self.expect(block, Some(old), Location::caller());
        if requested(new)?.size() == known.layout.size() {
            Ok(NonNull::slice_from_raw_parts(block, known.layout.size()))
        } else {
            Err(AllocError)
        }
    }

    unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<[u8]>, AllocError> {
        // Any misuse of the old block is reported now, before there is a new one.
        let known = self.expect(block, Some(old), Location::caller());
        if requested(new) == Ok(known.layout) {
            return Ok(NonNull::slice_from_raw_parts(block, known.layout.size()));
        }
        // SAFETY: the caller's promise is the one asked here.
        unsafe { move_block(self, block, old, new) }
    }

    unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
        self.expect(block, None, Location::caller()).layout.size()
    }

    fn stats(&self) -> Stats {
        self.state.with(|state| state.counters.stats(true))
    }

    fn name(&self) -> &str {
        self.name
    }

    /// Searches the live blocks. O(blocks).
    fn owns(&self, address: *const u8) -> bool {
        self.state.with(|state| state.spans(address.addr()))
    }

    /// Shows the live blocks with their allocation sites, in no order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.state.with(|state| {
            state.blocks.for_each(|_, known| {
                let Known { block: address, layout, site } = known;
                visit(Block { address, bytes: layout.size(), site: Some(site) });
            });
        });
    }

    /// Checks the table and the counters.
    fn verify(&self) -> Result<(), Damage> {
        let address = core::ptr::from_ref(self).cast();
        self.state.with(|state| state.validate()).map_err(|what| Damage { what, address })
    }
}

impl Drop for SystemAllocator<'_> {
    fn drop(&mut self) {
        /// Frees the table after the leak report, which reads it, also if the report unwinds.
        struct Table<'s, 'a>(&'s SystemAllocator<'a>);
        impl Drop for Table<'_, '_> {
            fn drop(&mut self) {
                self.0.state.with(|state| state.blocks.release(self.0.pages));
            }
        }
        let table = Table(self);
        leak::assert_none(self);
        drop(table);
    }
}
