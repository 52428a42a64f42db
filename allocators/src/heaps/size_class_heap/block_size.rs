//! The bins of free core blocks.

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
