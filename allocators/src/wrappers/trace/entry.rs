//! What is remembered of a live block, and of those that were freed last.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

#[cfg(test)]
mod tests;

/// How many freed blocks are remembered: enough for the cleaning up of one object to be looked
/// through, in 768 bytes.
const FREED: usize = 32;

/// Bits of the alignment's logarithm, beside the number of the allocation.
const ALIGN_BITS: u32 = 6;

/// A live block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The block itself, as the table's key is an address alone.
    pub(super) block: NonNull<u8>,
    /// As last asked.
    pub(super) bytes: usize,
    /// As last granted.
    pub(super) granted: usize,
    /// The number of the allocation, from 1, and below it the alignment's logarithm. The number
    /// wraps after 2^58 allocations: nine years of a thousand million in each second.
    number_align: u64,
    /// The site, or site and stack, that it belongs to.
    pub(super) group: u32,
    /// Its slot in the recording that runs.
    pub(super) slot: u32,
}

const _: () =
    assert!(size_of::<usize>() != 8 || size_of::<Entry>() == 40, "40 bytes, as documented");

impl Entry {
    pub(super) fn new(block: NonNull<[u8]>, layout: Layout, number: u64, group: u32) -> Self {
        let align_log2 = u64::from(layout.align().trailing_zeros());
        Self {
            block: block.cast(),
            bytes: layout.size(),
            granted: block.len(),
            number_align: number << ALIGN_BITS | align_log2,
            group,
            slot: 0,
        }
    }

    /// Returns the entry after the block took another size, place or alignment.
    pub(super) fn changed(self, block: NonNull<[u8]>, layout: Layout) -> Self {
        Self { slot: self.slot, ..Self::new(block, layout, self.number(), self.group) }
    }

    /// Returns how many allocations there were up to this one.
    #[inline]
    pub(super) fn number(&self) -> u64 {
        self.number_align >> ALIGN_BITS
    }

    #[inline]
    pub(super) fn align(&self) -> usize {
        1 << self.align_log2()
    }

    #[inline]
    pub(super) fn align_log2(&self) -> u8 {
        (self.number_align & ((1 << ALIGN_BITS) - 1)) as u8
    }

    /// Returns `true` if a layout fits the block.
    #[inline]
    pub(super) fn fits(&self, layout: Layout) -> bool {
        (self.bytes..=self.granted).contains(&layout.size()) && layout.align() == self.align()
    }
}

/// A block that was freed: where it lay, who freed it, and who had asked for it.
#[derive(Clone, Copy)]
pub(super) struct Freed {
    address: usize,
    pub(super) freed_at: &'static Location<'static>,
    pub(super) asked_at: &'static Location<'static>,
}

/// The blocks freed last; the oldest gives way.
pub(super) struct LastFreed {
    ring: [Cell<Option<Freed>>; FREED],
    /// How many were freed ever; the next place is this modulo [`FREED`].
    count: Cell<usize>,
}

impl LastFreed {
    pub(super) const fn new() -> Self {
        Self { ring: [const { Cell::new(None) }; FREED], count: Cell::new(0) }
    }

    #[inline]
    pub(super) fn push(
        &self,
        block: NonNull<u8>,
        freed_at: &'static Location<'static>,
        asked_at: &'static Location<'static>,
    ) {
        let at = self.count.get();
        self.ring[at % FREED].set(Some(Freed { address: block.addr().get(), freed_at, asked_at }));
        self.count.set(at.wrapping_add(1));
    }

    /// Returns the last free of a block at that address, if it is remembered.
    pub(super) fn find(&self, block: NonNull<u8>) -> Option<Freed> {
        let newest_first = (1..=FREED).map(|back| self.count.get().wrapping_sub(back) % FREED);
        newest_first
            .filter_map(|at| self.ring[at].get())
            .find(|freed| freed.address == block.addr().get())
    }
}
