//! The probability of a bit, which follows what was seen.

use super::range_coder::BitCoder;

/// How much a bit counts, by how many were seen before: in 65536ths, one of that many and a half.
const RATES: [u16; SEEN_MAX as usize + 1] = {
    let mut rates = [0; SEEN_MAX as usize + 1];
    let mut seen = 0;
    while seen < rates.len() {
        rates[seen] = (131_072 / (2 * seen as u32 + 3)) as u16;
        seen += 1;
    }
    rates
};

/// From then on all bits count the same.
const SEEN_MAX: u8 = 90;

/// The least probability that is used, in 32768ths.
const PART_MIN: u32 = 24;

/// The probability of a bit.
///
/// # Memory
///
/// 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitModel {
    /// That it is 1, in 65536ths.
    one: u16,
    seen: u8,
}

impl BitModel {
    /// Begins with a probability that counts as if that many bits had been seen.
    pub(crate) fn new(one: f32, seen: u8) -> Self {
        Self { one: (one * 65_536.0) as u16, seen: seen.min(SEEN_MAX) }
    }

    /// Codes a bit, and follows it.
    #[inline]
    pub(crate) fn code(&mut self, coder: &mut impl BitCoder, bit: bool) -> bool {
        let part = (u32::from(self.one) >> 1).clamp(PART_MIN, 32_768 - PART_MIN);
        let bit = coder.code(part, bit);
        let rate = i64::from(RATES[usize::from(self.seen)]);
        let wanted = if bit { 65_535 } else { 0 };
        let one = i64::from(self.one);
        self.one = (one + (((wanted - one) * rate) >> 16)) as u16;
        self.seen = (self.seen + 1).min(SEEN_MAX);
        bit
    }
}
