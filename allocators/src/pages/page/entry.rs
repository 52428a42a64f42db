//! The page allocator's record of one range of pages.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::system;

/// The use of a range of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A live block; the bytes are the requested ones.
    Block,
    /// A reservation; the bytes are all of its address space.
    Reserved,
    /// Freed, its memory released, but the kernel refused to unmap the addresses.
    Parked,
}

/// One range of pages in 16 bytes.
///
/// ```text
///  address: pointer to the first byte
///  word:    63..62 kind | 61..56 log2 of the alignment | 55..0 bytes
/// ```
///
/// # Invariants
///
/// 1. `address` is the start of pages that the allocator mapped, and is aligned to whole pages and
///    to [`align`](Self::align).
/// 2. [`bytes`](Self::bytes) is at least 1, and rounding it up to whole pages gives the range's
///    length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    address: NonNull<u8>,
    word: u64,
}

/// No address space of Linux has more bits: 56 with five levels of page tables.
const BYTES_BITS: u32 = 56;
const BYTES_MASK: u64 = (1 << BYTES_BITS) - 1;
const ALIGN_MASK: u64 = 63;
const KIND_SHIFT: u32 = 62;

impl Entry {
    /// `bytes` is mapped by the kernel, so it is below 2^56.
    pub(super) const fn new(kind: Kind, address: NonNull<u8>, bytes: usize, align: usize) -> Self {
        let word = bytes as u64 & BYTES_MASK
            | (align.trailing_zeros() as u64) << BYTES_BITS
            | (kind as u64) << KIND_SHIFT;
        Self { address, word }
    }

    pub(super) const fn block(address: NonNull<u8>, layout: Layout) -> Self {
        Self::new(Kind::Block, address, requested(layout), layout.align())
    }

    pub(super) const fn address(self) -> NonNull<u8> {
        self.address
    }

    pub(super) fn start(self) -> usize {
        self.address.addr().get()
    }

    pub(super) const fn bytes(self) -> usize {
        (self.word & BYTES_MASK) as usize
    }

    pub(super) const fn align(self) -> usize {
        1 << (self.word >> BYTES_BITS & ALIGN_MASK)
    }

    pub(super) const fn kind(self) -> Kind {
        match self.word >> KIND_SHIFT {
            0 => Kind::Block,
            1 => Kind::Reserved,
            _ => Kind::Parked,
        }
    }

    /// Returns the length of the range: whole pages.
    pub(super) fn mapped(self) -> usize {
        // The mapped size was rounded up before, so the rounding cannot fail here.
        system::whole_pages(self.bytes()).unwrap_or(0)
    }

    pub(super) fn end(self) -> usize {
        self.start() + self.mapped()
    }

    /// Returns `true` if a caller's `layout` can be the block's.
    pub(super) fn fits(self, layout: Layout) -> bool {
        layout.align() == self.align()
            && requested(layout) >= self.bytes()
            && layout.size() <= self.mapped()
    }

    pub(super) fn slice(self) -> NonNull<[u8]> {
        NonNull::slice_from_raw_parts(self.address, self.mapped())
    }
}

/// Returns the requested bytes: a size of zero counts as one byte.
pub(super) const fn requested(layout: Layout) -> usize {
    if layout.size() == 0 { 1 } else { layout.size() }
}
