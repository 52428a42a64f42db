//! Numbers that look random, the same on every machine.

/// Returns a number for a place in a sequence: SplitMix64, by Sebastiano Vigna (2015), in the public
/// domain.
pub(super) fn mixed(seed: u64, place: u64) -> u64 {
    let mut number = seed.wrapping_add(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
