//! The record of a live block, and those of the blocks freed last.

use core::alloc::Layout;
use core::cell::Cell;
use core::panic::Location;
use core::ptr::NonNull;

#[cfg(test)]
mod tests;

/// How many freed blocks are recorded: enough for the frees of one object's destruction, in 768
/// bytes.
const FREED: usize = 32;

/// Bits of the alignment's logarithm, next to the allocation number.
const ALIGN_BITS: u32 = 6;

/// A live block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The block itself, as the table's key is an address alone.
    pub(super) block: NonNull<u8>,
    /// As last requested.
    pub(super) bytes: usize,
    /// As last granted.
    pub(super) granted: usize,
    /// The allocation number, from 1, and in the low bits the alignment's logarithm. The number
    /// wraps after 2^58 allocations: nine years at 10^9 a second.
    number_align: u64,
    /// Its group: a site, or a site and stack.
    pub(super) group: u32,
    /// Its slot in the current recording.
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

    /// Returns the entry after the block got another size, place or alignment.
    pub(super) fn changed(self, block: NonNull<[u8]>, layout: Layout) -> Self {
        Self { slot: self.slot, ..Self::new(block, layout, self.number(), self.group) }
    }

    /// Returns the allocation number.
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

/// A freed block: its address, the site of its free, and the site of its allocation.
#[derive(Clone, Copy)]
pub(super) struct Freed {
    address: usize,
    pub(super) freed_at: &'static Location<'static>,
    pub(super) asked_at: &'static Location<'static>,
}

/// The blocks freed last; the oldest is overwritten.
pub(super) struct LastFreed {
    ring: [Cell<Option<Freed>>; FREED],
    /// The number of frees so far; the next index is this modulo [`FREED`].
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

    /// Returns the last free of a block at that address, if it is recorded.
    pub(super) fn find(&self, block: NonNull<u8>) -> Option<Freed> {
        let newest_first = (1..=FREED).map(|back| self.count.get().wrapping_sub(back) % FREED);
        newest_first
            .filter_map(|at| self.ring[at].get())
            .find(|freed| freed.address == block.addr().get())
    }
}
