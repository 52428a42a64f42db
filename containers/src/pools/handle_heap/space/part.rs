//! A part of the buffer, and the heads in it.

use bytemuck::{Pod, Zeroable};
use loligo_allocators::Allocator;

use crate::arrays::array::Array;

/// Bytes of a header, and what lengths are multiples of.
pub(in super::super) const GRANULE: usize = size_of::<Header>();

/// Bytes that a part is a multiple of, and aligned to.
pub(in super::super) const LINE: usize = size_of::<Line>();

/// Granules of a line.
pub(super) const PER_LINE: usize = LINE / GRANULE;

/// How many bits of a place name the granule; those above name the part.
pub(super) const GRANULE_BITS: u32 = 27;

/// How many parts there may be. Each that comes by growth is as long as all before it, so memory
/// ends long before; shortened ones are joined when there are [`PARTS_JOINED`].
pub(super) const PARTS_MAX: usize = 1 << (u32::BITS - GRANULE_BITS);

/// The number of parts from which on a shrink joins them.
pub(in super::super) const PARTS_JOINED: usize = PARTS_MAX / 2;

/// The most lines of a part: the place after its last granule is of the same part.
pub(super) const LINES_MAX: usize = ((1 << GRANULE_BITS) / PER_LINE) - 1;

/// The bit of `Header::granules` that distinguishes a hole from a block.
pub(super) const HOLE: u32 = 1 << 31;

/// The bit that distinguishes a freed block that rests.
pub(super) const RESTS: u32 = 1 << 30;

/// What a part consists of.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line([u8; 64]);

// SAFETY: an array of bytes as long as the alignment, so there is no padding, and zeros are a
// value.
unsafe impl Zeroable for Line {}
// SAFETY: as above, and all bits are values.
unsafe impl Pod for Line {}

/// What is before each block and in each hole.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(in super::super) struct Header {
    /// Length, this header included, and one of the bits `HOLE` and `RESTS`, or none.
    pub(super) granules: u32,
    /// Length of what is before; 0 for the first of a part.
    pub(super) before: u32,
    /// Of a block its slot in the table, and its [`note`]; of a hole the next one in its list and
    /// the one before; of what rests the next one in its list, and nothing.
    pub(super) links: [u32; 2],
}

// SAFETY: integers of 16 bytes, which is the alignment, so there is no padding, and zeros are a
// value.
unsafe impl Zeroable for Header {}
// SAFETY: as above, and all bits are values.
unsafe impl Pod for Header {}

impl Header {
    /// Returns the length.
    #[inline]
    pub(in super::super) const fn granules(self) -> u32 {
        self.granules & !(HOLE | RESTS)
    }

    /// Returns the length of what is before.
    #[inline]
    pub(in super::super) const fn before(self) -> u32 {
        self.before
    }

    #[inline]
    pub(in super::super) const fn is_hole(self) -> bool {
        self.granules & HOLE != 0
    }

    #[inline]
    pub(in super::super) const fn rests(self) -> bool {
        self.granules & RESTS != 0
    }

    /// Returns the slot of a block in the table.
    #[inline]
    pub(in super::super) const fn slot(self) -> u32 {
        self.links[0]
    }

    /// Returns how many bytes a block has: its length without the header, and without what its last
    /// granule has too much.
    #[inline]
    pub(in super::super) const fn bytes(self) -> u32 {
        (self.granules() - 1) * GRANULE as u32 - (self.links[1] & UNUSED)
    }

    /// Returns whether the last granule of a block has more bytes than the block.
    #[inline]
    pub(in super::super) const fn has_unused(self) -> bool {
        self.links[1] & UNUSED != 0
    }

    /// Returns the alignment of a block, in granules.
    #[inline]
    pub(in super::super) const fn align(self) -> u32 {
        1 << (self.links[1] >> ALIGN_SHIFT & ALIGN)
    }

    /// Returns how often a block is pinned.
    #[inline]
    pub(in super::super) const fn pins(self) -> u16 {
        (self.links[1] >> PINS_SHIFT) as u16
    }
}

/// The bits of a block's note that say how many bytes of its last granule it does not have.
const UNUSED: u32 = GRANULE as u32 - 1;

/// The bits above, for the exponent of the alignment in granules.
const ALIGN: u32 = 3;
const ALIGN_SHIFT: u32 = UNUSED.count_ones();

/// Where the number of pins begins.
const PINS_SHIFT: u32 = 16;

const _: () = assert!(1 << ALIGN >= PER_LINE, "each alignment has an exponent");

/// Returns the second link of a block's header.
#[inline]
pub(super) const fn note(bytes: u32, align: u32, pins: u16) -> u32 {
    let unused = bytes.wrapping_neg() & UNUSED;
    unused | align.trailing_zeros() << ALIGN_SHIFT | (pins as u32) << PINS_SHIFT
}

/// A part of the buffer. One that was given back is empty until its number is used again.
pub(super) struct Part<'a, A: Allocator + ?Sized> {
    pub(super) lines: Array<'a, Line, A>,
    /// The place of the last header.
    pub(super) last: u32,
}

impl<A: Allocator + ?Sized> Part<'_, A> {
    /// Returns the length in granules.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        (self.lines.len() * PER_LINE) as u32
    }

    #[inline]
    pub(super) fn headers(&self) -> &[Header] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline]
    pub(super) fn headers_mut(&mut self) -> &mut [Header] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }

    /// Returns all bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.lines)
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }
}

/// Returns the number of the part that a place is in.
#[inline]
pub(super) const fn part_of(at: u32) -> usize {
    (at >> GRANULE_BITS) as usize
}

/// Returns the granule of a place in its part.
#[inline]
pub(super) const fn granule_of(at: u32) -> usize {
    (at & ((1 << GRANULE_BITS) - 1)) as usize
}

/// Returns the place of a part's first granule.
#[inline]
pub(super) const fn start_of(part: usize) -> u32 {
    (part as u32) << GRANULE_BITS
}
