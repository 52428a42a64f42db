//! What `rptest` allocates: sizes, alignments and numbers of blocks, drawn before a run.

use core::alloc::Layout;

use crate::random::Random;

/// Slots between two that are filled: the least prime over 5 that does not divide 1 000.
pub(super) const STEP_FILLED: usize = 7;

/// Slots between two that are emptied: the next such prime.
pub(super) const STEP_EMPTIED: usize = 11;

/// Sizes of blocks.
const BYTES_MIN: u32 = 8;
const BYTES_MAX: u32 = 16_000;

/// Blocks under this size have one of three alignments and are not zeroed by the heap.
const ALIGNED_BYTES_END: u32 = 4096;

/// Lengths of the program's tables, so that ours repeat as often.
const SIZES: usize = 2000;
const ALLOCATIONS: usize = 311;
const FREES: usize = 257;

/// The seed of the tables. The program's table of sizes is a sample as well, in which a class has
/// up to a fifth more or fewer blocks than expected. With this seed, which was searched for, each
/// class is within 2.1 % of the program's; the comparison with its recording checks it.
const SEED: u64 = 1_343_804;

/// The tables of a run.
#[derive(Debug)]
pub(super) struct Plan {
    sizes: Box<[u32]>,
    allocations: Box<[u32]>,
    frees: Box<[u32]>,
}

/// How many slots a loop empties and fills.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) frees: u32,
    pub(super) allocations: u32,
}

impl Plan {
    /// Draws the tables.
    pub(super) fn new() -> Self {
        let mut random = Random::new(SEED);
        let uniform: Box<[f64]> =
            (0..SIZES).map(|_| f64::from(random.below(1 << 30)) / f64::from(1 << 30)).collect();
        let size = |index: usize| {
            let [first, second, third] =
                [0, 1, 2].map(|offset| uniform[(index + offset) % uniform.len()]);
            // What is drawn third is scaled by the distance of the others' sum from the middle, so
            // small sizes are more frequent.
            let scale = (1.0 - first - second).abs();
            BYTES_MIN + (third * scale * f64::from(BYTES_MAX - BYTES_MIN)) as u32
        };
        let sizes = (0..SIZES).map(size).collect();
        let allocations = (0..ALLOCATIONS).map(|_| 30 + random.below(70)).collect();
        let frees = (0..FREES).map(|_| (30 + random.below(70)) * 4 / 5).collect();
        Self { sizes, allocations, frees }
    }

    /// Returns the counts of a loop.
    pub(super) fn counts(&self, number: usize) -> Counts {
        Counts {
            frees: self.frees[number % self.frees.len()],
            allocations: self.allocations[number % self.allocations.len()],
        }
    }

    /// Returns where a thread begins to read the sizes in a pass.
    pub(super) fn cursor(&self, thread: usize, pass: usize) -> Cursor<'_> {
        Cursor { sizes: &self.sizes, place: (thread + 1) * (pass + 1) * 37 % self.sizes.len() }
    }
}

/// A place in the table of sizes.
#[derive(Debug)]
pub(super) struct Cursor<'p> {
    sizes: &'p [u32],
    place: usize,
}

impl Cursor<'_> {
    /// Returns the shape of the next block, which is the `index`th of its loop or parcel.
    #[inline(always)]
    pub(super) fn next(&mut self, index: u32) -> Shape {
        let bytes = self.sizes[(self.place + 2) % self.sizes.len()];
        let align = match (self.place + index as usize) % 3 {
            _ if bytes >= ALIGNED_BYTES_END => 0,
            0 => 0,
            1 => 8,
            _ => 16,
        };
        self.place = (self.place + 1) % self.sizes.len();
        Shape { bytes, align }
    }
}

/// Size and alignment of a block; alignment 0 is for a block that the heap zeroes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    bytes: u32,
    align: u32,
}

impl Shape {
    /// Returns `true` if the heap zeroes the block.
    #[inline(always)]
    pub(super) fn is_zeroed(self) -> bool {
        self.align == 0
    }

    /// Returns the layout.
    #[inline(always)]
    pub(super) fn layout(self) -> Layout {
        let align = self.align.max(8) as usize;
        // SAFETY: the alignment is 8 or 16, and no size overflows when it is rounded up.
        unsafe { Layout::from_size_align_unchecked(self.bytes as usize, align) }
    }

    /// Returns both in a word.
    #[inline(always)]
    pub(super) fn to_word(self) -> u64 {
        u64::from(self.align) << 32 | u64::from(self.bytes)
    }

    /// Returns what [`to_word`](Self::to_word) was called on.
    #[inline(always)]
    pub(super) fn from_word(word: u64) -> Self {
        Self { bytes: word as u32, align: (word >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests;
