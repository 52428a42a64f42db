//! An allocator over a source of blocks that keeps no books: a heap of the system, or of another
//! crate.

use core::alloc::Layout;
use core::fmt;
use core::mem;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::block_table::{BlockTable, Known, requested};
use crate::bookkeeping::table_memory::TableMemory;
use crate::contract::allocator::{AllocError, Allocator, Block, Damage, move_block};
use crate::contract::leak;
use crate::contract::misuse::{Misuse, wrong_free};
use crate::contract::stats::Stats;
use crate::threads::sync::SpinCell;

#[cfg(test)]
mod tests;

/// A source of blocks that frees each with its layout and checks nothing. Sizes are never zero.
///
/// # Safety
///
/// A block that is returned is valid for reads and writes of `layout.size()` bytes, is aligned, is
/// zero if that was asked for, and overlaps no other live block, until it is given back or the
/// source is dropped; moving the source does not move it. A refusal changes nothing.
pub(crate) unsafe trait BlockSource {
    /// Returns a block.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the source refuses.
    fn take(&self, layout: Layout, is_zeroed: bool) -> Result<NonNull<u8>, AllocError>;

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// `block` is a live block of this source with that layout, and is not used afterwards.
    unsafe fn give_back(&self, block: NonNull<u8>, layout: Layout);

    /// Returns zeroed memory for the table of blocks.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if there is none.
    fn take_for_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.take(layout, true)
    }

    /// Frees the memory of the table.
    ///
    /// # Safety
    ///
    /// `table` came from [`take_for_table`](Self::take_for_table) with that layout, and is not used
    /// afterwards.
    unsafe fn give_back_for_table(&self, table: NonNull<u8>, layout: Layout) {
        // SAFETY: by default the table is a block of the source.
        unsafe { self.give_back(table, layout) }
    }
}

/// Keeps every block of a source in a table by its address, so that the contract of
/// [`Allocator`] holds over a source that knows neither counters nor wrong frees.
///
/// Granted equals requested. A block that is resized moves.
///
/// # Complexity
///
/// The source's, and O(1) amortised in the table. `owns` and the report of a wrong free are
/// O(blocks).
///
/// # Threads
///
/// `Send` and `Sync` where the source is. A spin lock guards the table, and is not held while the
/// source allocates or frees a block; it is held while the table grows.
///
/// # Invariants
///
/// 1. The table has each block that was taken and not given back.
/// 2. The table's memory is the source's `take_for_table`.
pub(crate) struct SourceAllocator<'a, S: BlockSource> {
    name: &'a str,
    source: S,
    table: SpinCell<BlockTable>,
}

impl<'a, S: BlockSource> SourceAllocator<'a, S> {
    pub(crate) const fn new(name: &'a str, source: S) -> Self {
        Self { name, source, table: SpinCell::new(BlockTable::new()) }
    }

    pub(crate) const fn source(&self) -> &S {
        &self.source
    }

    /// Returns how many bytes the table takes.
    pub(crate) fn overhead_bytes(&self) -> usize {
        self.table.with(|table| table.blocks.bytes())
    }

    /// Shows the name and the counters under the name of the type around this one.
    pub(crate) fn debug(&self, outer: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(outer);
        shown.field("name", &self.name).field("stats", &self.stats()).finish_non_exhaustive()
    }

    /// Runs `work` on the table, which a test damages.
    #[cfg(test)]
    pub(crate) fn with_table<R>(&self, work: impl FnOnce(&mut BlockTable) -> R) -> R {
        self.table.with(work)
    }

    fn take(
        &self,
        layout: Layout,
        is_zeroed: bool,
        site: &'static Location<'static>,
    ) -> Result<NonNull<[u8]>, AllocError> {
        let layout = requested(layout)?;
        let block = self.source.take(layout, is_zeroed)?;
        let unlisted = Unlisted { source: &self.source, block, layout };
        let known = Known { block, layout, site };
        self.table.with(|table| table.enter(known, &TableSource(&self.source)))?;
        mem::forget(unlisted);
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
        match self.table.with(|table| table.leave(block, layout)) {
            // SAFETY: it was taken with this layout and not given back (invariant 1); it is in the
            // table no more.
            Ok(known) => unsafe { self.source.give_back(block, known.layout) },
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
        match self.table.with(|table| table.find(block, layout)) {
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

// SAFETY: each block is the source's, which does not reuse it until it is freed, with the requested
// alignment and size; moving the allocator does not move them. A failing path undoes what it did
// before, also if the source unwinds while the table grows. Misuse handlers, which may unwind, run
// before anything has changed and without the lock.
unsafe impl<S: BlockSource> Allocator for SourceAllocator<'_, S> {
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

    /// Succeeds only for the same size: the source must free the size that it allocated.
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
        self.table.with(|table| table.counters.stats(true))
    }

    fn name(&self) -> &str {
        self.name
    }

    /// Searches the live blocks. O(blocks).
    fn owns(&self, address: *const u8) -> bool {
        self.table.with(|table| table.spans(address.addr()))
    }

    /// Shows the live blocks with their allocation sites, in no order.
    fn walk(&self, visit: &mut dyn FnMut(Block)) {
        self.table.with(|table| {
            table.blocks.for_each(|_, known| {
                let Known { block: address, layout, site } = known;
                visit(Block { address, bytes: layout.size(), site: Some(site) });
            });
        });
    }

    /// Checks the table and the counters.
    fn verify(&self) -> Result<(), Damage> {
        let address = core::ptr::from_ref(self).cast();
        self.table.with(|table| table.validate()).map_err(|what| Damage { what, address })
    }
}

impl<S: BlockSource> Drop for SourceAllocator<'_, S> {
    fn drop(&mut self) {
        /// Frees the table after the leak report, which reads it, also if the report unwinds.
        struct Table<'s, 'a, S: BlockSource>(&'s SourceAllocator<'a, S>);
        impl<S: BlockSource> Drop for Table<'_, '_, S> {
            fn drop(&mut self) {
                let Self(SourceAllocator { source, table, .. }) = self;
                table.with(|table| table.blocks.release(&TableSource(source)));
            }
        }
        let table = Table(self);
        leak::assert_none(self);
        drop(table);
    }
}

/// A block that is not yet in the table; dropping it gives it back.
struct Unlisted<'s, S: BlockSource> {
    source: &'s S,
    block: NonNull<u8>,
    layout: Layout,
}

impl<S: BlockSource> Drop for Unlisted<'_, S> {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: the block was just taken with this layout, and is not yet used.
        unsafe { self.source.give_back(self.block, self.layout) }
    }
}

/// A source as the memory of its table.
struct TableSource<'s, S>(&'s S);

// SAFETY: the source promises the same of its blocks and of its memory for tables.
unsafe impl<S: BlockSource> TableMemory for TableSource<'_, S> {
    fn take_table(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.0.take_for_table(layout)
    }

    unsafe fn give_back_table(&self, table: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { self.0.give_back_for_table(table, layout) }
    }
}

/// Implements [`Allocator`] for a type around a [`SourceAllocator`], by its field `blocks`.
macro_rules! over_source {
    ([$($generics:tt)*] $allocator:ty) => {
        // SAFETY: every method forwards to the allocator inside, which keeps the contract.
        unsafe impl<$($generics)*> Allocator for $allocator {
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
                self.blocks.allocate(layout)
            }

            fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
                self.blocks.allocate_zeroed(layout)
            }

            unsafe fn deallocate(&self, block: NonNull<u8>) {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.blocks.deallocate(block) }
            }

            unsafe fn deallocate_sized(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.blocks.deallocate_sized(block, layout) }
            }

            /// Succeeds only for the same size.
            unsafe fn resize_in_place(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, AllocError> {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.blocks.resize_in_place(block, old, new) }
            }

            unsafe fn reallocate(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, AllocError> {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.blocks.reallocate(block, old, new) }
            }

            unsafe fn allocated_size(&self, block: NonNull<u8>) -> usize {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.blocks.allocated_size(block) }
            }

            fn stats(&self) -> $crate::contract::stats::Stats {
                self.blocks.stats()
            }

            fn name(&self) -> &str {
                self.blocks.name()
            }

            /// Searches the live blocks. O(blocks).
            fn owns(&self, address: *const u8) -> bool {
                self.blocks.owns(address)
            }

            /// Shows the live blocks with their allocation sites, in no order.
            fn walk(&self, visit: &mut dyn FnMut($crate::contract::allocator::Block)) {
                self.blocks.walk(visit);
            }

            /// Checks the table and the counters.
            fn verify(&self) -> Result<(), $crate::contract::allocator::Damage> {
                self.blocks.verify()
            }
        }
    };
}
pub(crate) use over_source;
