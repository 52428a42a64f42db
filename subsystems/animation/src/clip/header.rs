//! The 16 bits before the value of a key: which track, and when.
//!
//! ```text
//! bit 15   | ends the track, without a value
//! bits     | the time since the key before, mixed (exclusive or) with that of the key it replaces
//! low bits | lane of the track: 8 times its group, and the bone's place in the group
//! ```

use crate::lanes::LANES;

/// The bit of a header that ends a track.
const END: u16 = 1 << 15;

/// How the 15 other bits are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeaderBits {
    lane_bits: u32,
}

impl HeaderBits {
    /// Returns the division for a clip of that many groups.
    pub(crate) const fn of_groups(groups: usize) -> Self {
        // More are refused when the tracks are looked at.
        let groups = if groups < super::GROUPS_MAX { groups } else { super::GROUPS_MAX };
        let lanes = groups * LANES;
        Self { lane_bits: lanes.next_power_of_two().trailing_zeros() }
    }

    /// Returns the most frames that can be between two keys of a track.
    pub(crate) const fn interval_max(self) -> u8 {
        let bits = 15_u32.saturating_sub(self.lane_bits);
        if bits >= 8 { u8::MAX } else { (1 << bits) - 1 }
    }

    const fn lane_mask(self) -> u16 {
        (1_u16 << self.lane_bits) - 1
    }
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The lane of the track.
    pub(crate) lane: usize,
    /// The interval before the key, mixed with that of the key that it replaces.
    pub(crate) interval: u8,
    /// Whether it ends the track, and has no value.
    pub(crate) is_end: bool,
}

impl Header {
    #[inline]
    pub(crate) const fn unpack(word: u16, bits: HeaderBits) -> Self {
        Self {
            lane: (word & bits.lane_mask()) as usize,
            interval: ((word & !END) >> bits.lane_bits) as u8 & bits.interval_max(),
            is_end: word & END != 0,
        }
    }

    #[cfg(feature = "compile")]
    pub(crate) const fn pack(self, bits: HeaderBits) -> u16 {
        let end = if self.is_end { END } else { 0 };
        self.lane as u16 | (self.interval as u16) << bits.lane_bits | end
    }
}
