//! The live blocks of an allocator that keeps nothing in them, by address.

use core::alloc::Layout;
use core::panic::Location;
use core::ptr::NonNull;

use crate::bookkeeping::address_table::AddressTable;
use crate::bookkeeping::counters::Counters;
use crate::bookkeeping::left::Left;
use crate::bookkeeping::table_memory::TableMemory;
use crate::contract::allocator::AllocError;
use crate::contract::misuse::Misuse;

/// A live block.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) block: NonNull<u8>,
    /// As requested from the source: of at least one byte.
    pub(crate) layout: Layout,
    pub(crate) site: &'static Location<'static>,
}

/// The live blocks with their layouts and sites, their counters, and the addresses freed last.
///
/// # Complexity
///
/// O(1) amortised; finding what a wrong free is and [`spans`](Self::spans) are O(blocks).
///
/// # Invariants
///
/// 1. `blocks` has each live block by its address, with the layout requested from the source.
/// 2. `counters` are the sums over `blocks`.
pub(crate) struct BlockTable {
    pub(crate) blocks: AddressTable<Known>,
    pub(crate) counters: Counters,
    left: Left,
}

// SAFETY: only this table reaches its memory; any thread that owns it can use it.
unsafe impl Send for BlockTable {}

impl BlockTable {
    pub(crate) const fn new() -> Self {
        Self { blocks: AddressTable::new(), counters: Counters::new(), left: Left::new() }
    }

    /// Adds a block.
    ///
    /// # Errors
    ///
    /// [`AllocError`] if the table has no room and `memory` refuses more. It is then unchanged.
    pub(crate) fn enter<M: TableMemory + ?Sized>(
        &mut self,
        known: Known,
        memory: &M,
    ) -> Result<(), AllocError> {
        self.blocks.reserve(memory)?;
        self.blocks.insert(known.block, known);
        let bytes = known.layout.size();
        self.counters.reserved(bytes);
        self.counters.allocated(bytes, bytes);
        Ok(())
    }

    /// Removes a block from the table.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    pub(crate) fn leave(
        &mut self,
        block: NonNull<u8>,
        layout: Option<Layout>,
    ) -> Result<Known, Misuse> {
        let known = self.find(block, layout)?;
        self.blocks.remove(block);
        self.left.remember(block);
        let bytes = known.layout.size();
        self.counters.freed(bytes, bytes);
        self.counters.released(bytes);
        Ok(known)
    }

    /// Finds a live block that a layout fits.
    ///
    /// # Errors
    ///
    /// The misuse, if there is no such block or its layout is another.
    pub(crate) fn find(&self, block: NonNull<u8>, layout: Option<Layout>) -> Result<Known, Misuse> {
        let Some(known) = self.blocks.get(block) else {
            return Err(self.stranger(block));
        };
        let fits = |layout| requested(layout) == Ok(known.layout);
        if layout.is_none_or(fits) { Ok(known) } else { Err(Misuse::WrongSize) }
    }

    /// Returns `true` if an address is in a live block. O(blocks).
    pub(crate) fn spans(&self, address: usize) -> bool {
        let mut is_found = false;
        self.blocks.for_each(|start, known| {
            is_found |= address.wrapping_sub(start) < known.layout.size();
        });
        is_found
    }

    /// Checks the invariants. O(blocks).
    ///
    /// # Errors
    ///
    /// The broken invariant, in words.
    pub(crate) fn validate(&self) -> Result<(), &'static str> {
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
            Err("the counters of the source's blocks are not the sums over the table")
        }
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
}

/// Returns the layout requested from a source, which serves no block of size zero.
///
/// # Errors
///
/// [`AllocError`] if there is no such layout.
pub(crate) fn requested(layout: Layout) -> Result<Layout, AllocError> {
    Layout::from_size_align(layout.size().max(1), layout.align()).map_err(|_| AllocError)
}
