//! Sizes of core blocks: granules, the bytes of their payload, and the bins of free ones.

use crate::heaps::size_classes::GRANULE;

/// Granules of a core block whose payload holds `bytes`.
pub(super) const fn granules_for(bytes: usize) -> u32 {
    ((bytes + 8).div_ceil(GRANULE)) as u32
}

/// Bytes of the payload of a core block.
pub(super) const fn payload(granules: u32) -> usize {
    granules as usize * GRANULE - 8
}

/// The bin of free blocks of `size` granules: 32 a doubling, exact below 64 granules.
#[inline]
pub(super) const fn bin_of(size: u32) -> u32 {
    let shift = bin_shift(size);
    shift * 32 + (size >> shift)
}

/// Blocks of a bin differ in this many low bits of their size.
#[inline]
const fn bin_shift(size: u32) -> u32 {
    26 - (size | 63).leading_zeros()
}
