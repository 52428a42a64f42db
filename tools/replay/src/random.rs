//! Random numbers for scripts and loops: quick, seeded, the same for every contender.

/// A linear congruential generator whose high half is used; a number costs a multiplication and an
/// addition, and the next does not wait for what is done with it.
#[derive(Clone, Copy, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns a number below `bound`, which is at least 1.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        // Knuth's multiplier for 64 bits.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Puts the items into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u32 + 1) as usize);
        }
    }
}
