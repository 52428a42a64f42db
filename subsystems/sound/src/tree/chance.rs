//! Numbers by chance, the same for the same seed.

/// A source of numbers by chance: eight bytes of state, which may be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// Returns the source of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the seed of what is left.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.state
    }

    /// Returns the next number, by the function that is known as SplitMix64.
    const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to less than 1.
    #[must_use]
    pub fn part(&mut self) -> f32 {
        (self.next() >> 40) as f32 * (1.0 / (1 << 24) as f32)
    }

    /// Returns a number of a range.
    #[must_use]
    pub fn within(&mut self, [least, most]: [f32; 2]) -> f32 {
        // Nothing is drawn where there is no choice, so that a sound without chance changes no other.
        if least == most { least } else { least + (most - least) * self.part() }
    }
}
