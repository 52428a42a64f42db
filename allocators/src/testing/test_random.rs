//! Random numbers for tests; the crates above include this file.

/// A small generator (xorshift64*) for model tests; the test prints the seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Draws a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The lowest bits are the weakest.
        usize::try_from((self.next() >> 8) % bound as u64).expect("below a usize")
    }
}
